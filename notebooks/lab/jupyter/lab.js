// Four small JupyterLab extensions, in the form its loader expects, and two stylesheets. All scripts on a page share
// their names, so these are inside a block.
{
  let shared;
  const GUESS = 'application/vnd.ttt.guess+json';

  // A cell that is run before its kernel has started waits for the kernel. JupyterLab's own executor drops such a cell,
  // so the first Shift+Enter of a lesson would be lost.
  const runCell = inner => async options => {
    const {cell, sessionContext} = options;
    if (cell.model.type === 'code' && sessionContext && !sessionContext.session?.kernel) {
      cell.setPrompt('*');
      await sessionContext.ready;
    }
    const [name, value] = told(options);
    if (!value) return inner(options);
    cell.model.setMetadata(name, value);
    try {
      return await inner(options);
    } finally {
      cell.model.deleteMetadata(name);
    }
  };
  // What only the page knows goes with the request to the kernel: the guesses in a cell's last output, which the kernel
  // may have forgotten, and for a check the cells that were edited and not run since.
  const told = ({cell: {model}, notebook}) => {
    const source = model.type === 'code' ? model.sharedModel.source : '';
    if (/\bguess\(/.test(source)) return ['ttt_guesses', records(model.outputs)];
    if (/\bcheck\w*\(/.test(source)) return ['ttt_edited', [...notebook.cells].filter(edited).map(textOf)];
    return [];
  };
  const edited = ({isDirty, executionCount}) => isDirty && executionCount; // a cell that waits for its run has no count
  const textOf = ({sharedModel}) => sharedModel.source;
  const records = outputs => outputs.toJSON().map(({data}) => data?.[GUESS]).filter(record => record?.guess != null);

  // JupyterLab's widget manager saves every widget of the running kernel, even those whose cell has been run again, and
  // none of an earlier kernel. Here only what the notebook shows is saved, so it doesn't grow with every run.
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
    for (const cell of notebook.cells) for (const {data} of cell.outputs?.toJSON() ?? []) add(data?.[VIEW]?.model_id);
    const ids = state => Object.keys(state).sort().join();
    if (!ids(shown)) notebook.deleteMetadata('widgets');
    else if (ids(shown) !== ids(saved.state)) notebook.setMetadata('widgets', {[STATE]: {...saved, state: shown}});
  };

  // A kernel tells the notebook its version of Python. A lesson keeps its own language entry; otherwise opening it with
  // another Python would change its file.
  const keepLanguage = language => (notebook, {key, newValue}) => {
    const known = key === 'language_info' && newValue?.name === language?.name;
    if (known && newValue.version !== language.version) notebook.setMetadata(key, language);
  };
  const watchMetadata = notebooks => notebooks.widgetAdded.connect(async (_, {context, node}) => {
    await context.ready;
    context.model.metadataChanged.connect(keepShown);
    context.model.metadataChanged.connect(keepLanguage(context.model.getMetadata('language_info')));
    // A move on a board changes the notebook, which is then saved from time to time. The widget manager doesn't say so.
    node.addEventListener('ttt-change', () => (context.model.dirty = true));
  });

  // JupyterLab shows a drawing as an image without an alternative text, which may be wider than the page. A drawing's
  // title and description say what it shows, so the image takes its text from them. They write a free cell as "-", which
  // screen readers skip.
  const SVG = 'image/svg+xml';
  const inWords = drawing => {
    const svg = new DOMParser().parseFromString(drawing, SVG).documentElement;
    const texts = ['title', 'desc'].map(name => svg.querySelector(`:scope > ${name}`)?.textContent ?? '');
    const lines = texts.join('\n').split('\n').map(line => line.trim()).filter(Boolean);
    const told = lines.map(line => line.split(/\s+/).map(word => (word === '-' ? 'empty' : word)).join(' '));
    return told.join('; ').replaceAll('.; ', '. ');
  };
  const nameImages = registry => {
    const factory = registry.getFactory(SVG);
    const createRenderer = options => {
      const renderer = factory.createRenderer(options);
      const render = renderer.renderModel.bind(renderer);
      renderer.renderModel = async model => {
        await render(model);
        for (const image of renderer.node.querySelectorAll('img:not([alt])')) {
          image.alt = inWords(model.data[SVG]);
          image.style.maxWidth = '100%';
        }
      };
      return renderer;
    };
    registry.addFactory({...factory, createRenderer}, registry.getRank(SVG));
  };

  // Screen readers announce changes of a status, but a result with a status, such as a check's, enters the page with
  // its text already there. So the text is repeated in a region that was there before.
  const statusIn = html => {
    const page = new DOMParser().parseFromString(html, 'text/html');
    for (const drawing of page.querySelectorAll('svg')) drawing.remove();
    return [...page.querySelectorAll('[role=status] :is(p, li)')].map(part => part.textContent).join(' ');
  };
  const announce = executed => {
    const style = 'position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)';
    const region = Object.assign(document.createElement('div'), {role: 'status', ariaLive: 'polite', style});
    document.body.append(region);
    executed.connect((_, {cell}) => {
      const results = cell.model.sharedModel.outputs ?? [];
      const said = results.map(({data}) => statusIn([data?.['text/html'] ?? ''].flat().join(''))).filter(Boolean);
      region.textContent = '';
      if (said.length) setTimeout(() => (region.textContent = said.join(' ')), 100);
    });
  };

  // The look of cards, and of the page around them.
  for (const name of ['style', 'page']) {
    const href = new URL(`${name}.css`, document.currentScript.src);
    document.head.append(Object.assign(document.createElement('link'), {rel: 'stylesheet', href}));
  }

  const imported = async name => (await Object.values(shared[name])[0].get())();
  (window._JUPYTERLAB ??= {})['ttt-lab'] = {
    init: scope => { shared = scope; },
    get: async () => {
      const {INotebookCellExecutor, INotebookTracker, NotebookActions, runCell: inner} =
        await imported('@jupyterlab/notebook');
      const {IRenderMimeRegistry} = await imported('@jupyterlab/rendermime');
      const plugin = (id, requires, activate, more) => ({id: `ttt-lab:${id}`, autoStart: true, requires, activate, ...more});
      return () => [
        plugin('cell-executor', [], () => Object.freeze({runCell: runCell(inner)}), {provides: INotebookCellExecutor}),
        plugin('kept-metadata', [INotebookTracker], (_, notebooks) => watchMetadata(notebooks)),
        plugin('spoken-drawings', [IRenderMimeRegistry], (_, registry) => nameImages(registry)),
        plugin('spoken-results', [], () => announce(NotebookActions.executed)),
      ];
    },
  };
}
