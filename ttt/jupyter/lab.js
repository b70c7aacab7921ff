// Four small JupyterLab extensions, written as its loader expects, and a style. All scripts of a page share their names,
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

  // JupyterLab shows a drawing as an image without an alternative text, so screen readers pass over it. The drawing says
  // in words what it shows, in its title and its description, and the image takes that over.
  const SVG = 'image/svg+xml';
  const spokenDrawings = ({IRenderMimeRegistry}) => ({
    id: 'ttt-lab:spoken-drawings',
    description: 'Gives drawings their title and description as an alternative text.',
    autoStart: true,
    requires: [IRenderMimeRegistry],
    activate: (app, registry) => {
      const factory = registry.getFactory(SVG);
      const createRenderer = options => {
        const renderer = factory.createRenderer(options);
        const render = renderer.renderModel.bind(renderer);
        renderer.renderModel = async model => {
          await render(model);
          for (const image of renderer.node.querySelectorAll('img:not([alt])')) image.alt = inWords(model.data[SVG]);
        };
        return renderer;
      };
      registry.addFactory({...factory, createRenderer}, registry.getRank(SVG));
    },
  });

  // A free cell is drawn as "-" in a board's text, which screen readers leave out.
  const inWords = drawing => {
    const svg = new DOMParser().parseFromString(drawing, SVG).documentElement;
    const texts = ['title', 'desc'].map(name => svg.querySelector(`:scope > ${name}`)?.textContent ?? '');
    const lines = texts.join('\n').split('\n').map(line => line.trim()).filter(Boolean);
    return lines.map(line => line.split(/\s+/).map(word => (word === '-' ? 'empty' : word)).join(' ')).join('; ');
  };

  // A result comes into the page with its text, and screen readers announce only what changes there later. So what a
  // cell's results say as a status, such as that of a check, goes into a region that has been there before.
  const spokenResults = ({NotebookActions}) => ({
    id: 'ttt-lab:spoken-results',
    description: 'Has screen readers announce what a check or a guess came to.',
    autoStart: true,
    activate: () => {
      const place = 'position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)';
      const region = Object.assign(document.createElement('div'), {role: 'status', ariaLive: 'polite', style: place});
      document.body.append(region);
      NotebookActions.executed.connect((_, {cell}) => {
        const results = cell.model.sharedModel.outputs ?? [];
        const said = results.map(({data}) => statusIn([data?.['text/html'] ?? ''].flat().join(''))).filter(Boolean);
        region.textContent = '';
        if (said.length) setTimeout(() => (region.textContent = said.join(' ')), 100);
      });
    },
  });

  const statusIn = html => {
    const parts = new DOMParser().parseFromString(html, 'text/html').querySelectorAll('[role=status] :is(p, li)');
    return [...parts].map(part => part.textContent).join(' ');
  };

  // JupyterLab breaks long printed lines anywhere, also inside words. And where a result is hidden until its cell is run,
  // it shows the result's first line, which may be the answer.
  const style = `<style>
    body .jp-OutputArea-output pre { word-break: normal; }
    .jp-RenderedMarkdown details { margin-bottom: 1em; }
    .jp-OutputPlaceholder .jp-PlaceholderText { font-size: 0; }
    .jp-OutputPlaceholder .jp-PlaceholderText::before { content: 'Run the cell to see the result.'; font-size: 13px; }
  </style>`;
  document.head.insertAdjacentHTML('beforeend', style);

  const imported = async name => (await Object.values(shared[name])[0].get())();

  (window._JUPYTERLAB ??= {})['ttt-lab'] = {
    init: scope => { shared = scope; },
    get: async () => {
      const notebook = await imported('@jupyterlab/notebook');
      const rendermime = await imported('@jupyterlab/rendermime');
      return () => [
        firstPress(notebook), shownWidgets(notebook), spokenResults(notebook), spokenDrawings(rendermime),
      ];
    },
  };
}
