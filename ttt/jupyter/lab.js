// Two small JupyterLab extensions, written as its loader expects, and a style. All scripts of a page share their names,
// so these are in a block of their own.
{
  let shared;

  // A cell that is run before its kernel has started waits for the kernel. JupyterLab's own cell executor drops such a
  // cell, so the first Shift+Enter of a lesson would be lost.
  const firstPress = ({INotebookCellExecutor, runCell}) => ({
    id: 'ttt-lab:cell-executor',
    description: 'Runs cells, waiting for the kernel where it is still starting.',
    autoStart: true,
    provides: INotebookCellExecutor,
    activate: () => Object.freeze({
      runCell: async options => {
        const {cell, sessionContext} = options;
        if (cell.model.type === 'code' && sessionContext && !sessionContext.session?.kernel) {
          cell.setPrompt('*');
          await sessionContext.ready;
        }
        return runCell(options);
      },
    }),
  });

  // Boards are saved with their notebook (ttt_settings.json), so that they can be seen without a kernel. JupyterLab's
  // widget manager saves every widget of the running kernel, even those whose cell has been run again, and no others:
  // boards that come from an earlier kernel would be lost, and the notebook would grow with each run. So what is saved
  // is what the notebook shows.
  const shownWidgets = ({INotebookTracker}) => ({
    id: 'ttt-lab:shown-widgets',
    description: 'Saves the state of the widgets that a notebook shows, and of no others.',
    autoStart: true,
    requires: [INotebookTracker],
    activate: (app, notebooks) => {
      notebooks.widgetAdded.connect(async (_, {context}) => {
        await context.ready;
        context.model.metadataChanged.connect(keepShown);
      });
    },
  });

  const VIEW = 'application/vnd.jupyter.widget-view+json';
  const STATE = 'application/vnd.jupyter.widget-state+json';

  const keepShown = (notebook, {key, oldValue, newValue}) => {
    const saved = newValue?.[STATE];
    if (key !== 'widgets' || !saved) return;
    const known = {...oldValue?.[STATE]?.state, ...saved.state};
    const shown = {};
    const add = id => {
      if (!(id in known) || id in shown) return;
      shown[id] = known[id];
      for (const [, part] of JSON.stringify(known[id]).matchAll(/"IPY_MODEL_(\w+)"/g)) add(part);
    };
    for (const cell of notebook.cells) {
      for (const {data} of cell.outputs?.toJSON() ?? []) add(data?.[VIEW]?.model_id);
    }
    const ids = state => Object.keys(state).sort().join();
    if (!ids(shown)) notebook.deleteMetadata('widgets');
    else if (ids(shown) !== ids(saved.state)) notebook.setMetadata('widgets', {[STATE]: {...saved, state: shown}});
  };

  // JupyterLab breaks long printed lines anywhere, also inside words.
  const style = '<style>body .jp-OutputArea-output pre { word-break: normal; }</style>';
  document.head.insertAdjacentHTML('beforeend', style);

  const imported = async name => (await Object.values(shared[name])[0].get())();

  (window._JUPYTERLAB ??= {})['ttt-lab'] = {
    init: scope => { shared = scope; },
    get: async () => {
      const notebook = await imported('@jupyterlab/notebook');
      return () => [firstPress(notebook), shownWidgets(notebook)];
    },
  };
}
