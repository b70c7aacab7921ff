// What JupyterLab and Notebook lack, in the form their loader expects. Each function makes up for one thing; tried with
// the versions it names. All scripts on a page share their names, so these are inside a block.
{
  let shared;
  const GUESS = 'application/vnd.ttt.guess+json';

  // JupyterLab 4.4 to 4.6, Notebook 7.4 to 7.6: a cell that is run before its kernel has started isn't run at all, and
  // the first Shift+Enter of a lesson would be lost. It is run once the kernel is there.
  const runOnceThereIsAKernel = async ({cell, notebook}, {sessionContext}, NotebookActions) => {
    if (sessionContext.session?.kernel) return;
    await null; // JupyterLab gives up
    cell.setPrompt('*');
    await sessionContext.ready;
    NotebookActions.runCells(notebook, [cell], sessionContext);
  };

  // JupyterLab 4.4 to 4.6, Notebook 7.4 to 7.6: a cell that is run before the page has asked the server for the
  // notebook's kernel makes it ask for one, too. Then the page asks the student which it should be, or it starts two and
  // uses none. Here the notebook counts as one with a kernel while it starts, so such a cell waits like any other.
  const startOneKernel = ({context: {isReady, sessionContext}}) => {
    if (isReady) return; // another view of a notebook that is open
    Object.defineProperty(sessionContext, 'hasNoKernel', {value: false, configurable: true});
    sessionContext.initialize = () => {
      delete sessionContext.initialize;
      return sessionContext.initialize().finally(() => delete sessionContext.hasNoKernel);
    };
  };

  // JupyterLab 4.4 to 4.6, Notebook 7.4 to 7.6 let a kernel answer a widget in a thread of its own, which *Interrupt*
  // doesn't reach. JupyterLab is told by `ttt_settings.json`, and Notebook, which has no such setting, here.
  const answerInTheMainThread = ({serviceManager}) => (serviceManager.kernels.commsOverSubshells = 'disabled');

  // In all versions, the kernel knows only what its request says. With it goes what only the page knows: the guesses in
  // a cell's last output, which the kernel may have forgotten, and for a check the cells edited and not run since.
  const sendWhatThePageKnows = ({cell: {model}, notebook}) => {
    const source = model.type === 'code' ? model.sharedModel.source : '';
    if (/\bguess\(/.test(source)) sendOnce(model, 'ttt_guesses', records(model.outputs));
    else if (/\bcheck\w*\(/.test(source)) sendOnce(model, 'ttt_edited', editedCells(notebook.model));
  };
  const sendOnce = (model, name, value) => {
    model.setMetadata(name, value);
    queueMicrotask(() => model.deleteMetadata(name)); // the request has been made
  };
  const edited = ({isDirty, executionCount}) => isDirty && executionCount; // a cell that waits for its run has no count
  const editedCells = ({cells}) => [...cells].filter(edited).map(({sharedModel}) => sharedModel.source);
  const records = outputs => outputs.toJSON().map(({data}) => data?.[GUESS]).filter(record => record?.guess != null);

  // jupyterlab_widgets 3.0: the widget manager saves every widget of the running kernel, even those whose cell has been
  // run again, and none of an earlier kernel. Here only what the notebook shows is saved, so it doesn't grow with every
  // run. Widgets are known by what refers to them: another widget, or an output, also one inside an output widget.
  const VIEW = 'application/vnd.jupyter.widget-view+json';
  const STATE = 'application/vnd.jupyter.widget-state+json';
  const saveOnlyWhatIsShown = (notebook, {key, oldValue, newValue}) => {
    const saved = newValue?.[STATE];
    if (key !== 'widgets' || !saved) return;
    const known = {...oldValue?.[STATE]?.state, ...saved.state};
    const shown = {};
    const add = id => {
      if (!(id in known) || id in shown) return;
      shown[id] = known[id];
      for (const [, part] of JSON.stringify(known[id]).matchAll(/"(?:IPY_MODEL_|model_id":")(\w+)"/g)) add(part);
    };
    for (const cell of notebook.cells) for (const {data} of cell.outputs?.toJSON() ?? []) add(data?.[VIEW]?.model_id);
    const ids = state => Object.keys(state).sort().join();
    if (!ids(shown)) notebook.deleteMetadata('widgets');
    else if (ids(shown) !== ids(saved.state)) notebook.setMetadata('widgets', {[STATE]: {...saved, state: shown}});
  };

  // JupyterLab 4.4 to 4.6 writes the kernel's version of Python into the notebook, so that a lesson that was only looked
  // at is another file, and git refuses to update it. A lesson keeps its own entry.
  const keepLanguage = language => (notebook, {key, newValue}) => {
    const known = key === 'language_info' && newValue?.name === language?.name;
    if (known && newValue.version !== language.version) notebook.setMetadata(key, language);
  };

  // jupyterlab_widgets 3.0 doesn't say that a move on a board has changed the notebook, so it wouldn't be saved.
  const saveAfterAMove = ({model}, node) => node.addEventListener('ttt-change', () => (model.dirty = true));
  const watch = notebooks => notebooks.widgetAdded.connect(async (_, {context, node}) => {
    await context.ready;
    context.model.metadataChanged.connect(saveOnlyWhatIsShown);
    context.model.metadataChanged.connect(keepLanguage(context.model.getMetadata('language_info')));
    saveAfterAMove(context, node);
  });

  // JupyterLab 4.4 to 4.6 shows a drawing as an image without an alternative text. A drawing's title and
  // description say what it shows, so the image takes its text from them. They write a free cell as "-", which screen
  // readers skip.
  const SVG = 'image/svg+xml';
  const inWords = drawing => {
    const svg = new DOMParser().parseFromString(drawing, SVG).documentElement;
    const texts = ['title', 'desc'].map(name => svg.querySelector(`:scope > ${name}`)?.textContent ?? '');
    const lines = texts.join('\n').split('\n').map(line => line.trim()).filter(Boolean);
    const told = lines.map(line => line.split(/\s+/).map(word => (word === '-' ? 'empty' : word)).join(' '));
    return told.join('; ').replaceAll('.; ', '. ');
  };
  const nameDrawing = (node, data) => {
    for (const image of node.querySelectorAll('img:not([alt])')) image.alt = inWords(data[SVG]);
  };

  // JupyterLab 4.4 to 4.6 breaks the lines of a traceback where the page ends, so that code loses its indentation. Each
  // line is an element of its own, and the rest of a long one stands below its code.
  const STDERR = 'application/vnd.jupyter.stderr';
  const setLinesApart = (node, data) => {
    const pre = data['application/vnd.jupyter.error'] && node.querySelector('pre');
    if (!pre) return;
    const range = document.createRange();
    const texts = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
    const lines = [];
    range.setStart(pre, 0);
    while (texts.nextNode()) {
      const at = texts.currentNode.data.indexOf('\n');
      if (at < 0) continue;
      range.setEnd(texts.currentNode, at + 1);
      lines.push(range.extractContents());
      range.setStart(pre, 0);
      texts.currentNode = pre;
    }
    range.setEndAfter(pre.lastChild ?? pre);
    lines.push(range.extractContents());
    pre.replaceChildren(...lines.map(line => {
      const element = document.createElement('div');
      element.append(line);
      const [beforeCode, arrow] = /^(-+> *| +)\d+ +/.exec(element.textContent) ?? [];
      if (arrow) element.className = `ttt-source ${arrow.trim() && 'ttt-here'}`;
      if (arrow) element.style.setProperty('--code', `${beforeCode.length}ch`);
      return element;
    }));
  };

  // A tree that is wider than the page begins with its best line in sight, or with the first board that it is about.
  const showBestLine = node => {
    for (const frame of node.querySelectorAll('.scroll:has(> svg .ttt-tree)')) {
      const about = frame.querySelector('.trail.way:not([d=""])') ?? frame.querySelector('.ringed .paper');
      if (!about) continue;
      const [room, more] = about.matches('.way') ? [40, 0] : [16, 64]; // a board beside its line, or above a board
      new ResizeObserver(() => {
        frame.scrollLeft = 0;
        const [line, seen] = [about, frame].map(each => each.getBoundingClientRect());
        if (line.right + room > seen.right) frame.scrollLeft = line.right + room + more - seen.right;
      }).observe(frame);
    }
  };

  const afterRendering = (registry, type, change) => {
    const factory = registry.getFactory(type);
    const createRenderer = options => {
      const renderer = factory.createRenderer(options);
      const render = renderer.renderModel.bind(renderer);
      renderer.renderModel = async model => {
        await render(model);
        change(renderer.node, model.data);
      };
      return renderer;
    };
    registry.addFactory({...factory, createRenderer}, registry.getRank(type));
  };
  const changeResults = registry => {
    afterRendering(registry, SVG, nameDrawing);
    afterRendering(registry, 'text/html', showBestLine);
    afterRendering(registry, STDERR, setLinesApart);
  };

  // In all versions, screen readers announce changes of a status, but a result with a status, such as a check's, enters
  // the page with its text already there. So the text is repeated in a region that was there before.
  const statusIn = html => {
    const page = new DOMParser().parseFromString(html, 'text/html');
    for (const silent of page.querySelectorAll('svg, .ttt-card > details')) silent.remove();
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
      const {INotebookTracker, NotebookActions} = await imported('@jupyterlab/notebook');
      const {IRenderMimeRegistry} = await imported('@jupyterlab/rendermime');
      const beforeRuns = notebooks => {
        notebooks.widgetAdded.connect((_, panel) => startOneKernel(panel));
        NotebookActions.executionScheduled.connect((_, run) => {
          const panel = notebooks.find(({content}) => content === run.notebook);
          if (panel) runOnceThereIsAKernel(run, panel, NotebookActions);
          sendWhatThePageKnows(run);
        });
      };
      const plugin = (id, requires, activate) => ({id: `ttt-lab:${id}`, autoStart: true, requires, activate});
      return () => [
        plugin('main-thread', [], answerInTheMainThread),
        plugin('before-runs', [INotebookTracker], (_, notebooks) => beforeRuns(notebooks)),
        plugin('kept-widgets', [INotebookTracker], (_, notebooks) => watch(notebooks)),
        plugin('results', [IRenderMimeRegistry], (_, registry) => changeResults(registry)),
        plugin('spoken-results', [], () => announce(NotebookActions.executed)),
      ];
    },
  };
}
