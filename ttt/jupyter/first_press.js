// A small JupyterLab extension, written as its loader expects: a cell that is run before its kernel has started waits for
// the kernel. JupyterLab's own cell executor drops such a cell, so the first Shift+Enter of a lesson would be lost.
let shared;

const plugin = imported => ({
  id: 'ttt-first-press:cell-executor',
  description: 'Runs cells, waiting for the kernel where it is still starting.',
  autoStart: true,
  provides: imported.INotebookCellExecutor,
  activate: () => Object.freeze({
    runCell: async options => {
      const {cell, sessionContext} = options;
      if (cell.model.type === 'code' && sessionContext && !sessionContext.session?.kernel) {
        cell.setPrompt('*');
        await sessionContext.ready;
      }
      return imported.runCell(options);
    },
  }),
});

const imported = async name => (await Object.values(shared[name])[0].get())();

(window._JUPYTERLAB ??= {})['ttt-first-press'] = {
  init: scope => { shared = scope; },
  get: async () => {
    const extension = plugin(await imported('@jupyterlab/notebook'));
    return () => extension;
  },
};
