// A small extension of JupyterLab, as its loader takes it: a cell that is run while its kernel starts waits for the
// kernel. JupyterLab's own cell executor forgets such a cell, and the first Shift+Enter of a lesson is lost.
let shared;

const plugin = imported => ({
  id: 'ttt-first-press:cell-executor',
  description: 'Runs cells, those too that are run while the kernel starts.',
  autoStart: true,
  provides: imported.INotebookCellExecutor,
  activate: () => Object.freeze({
    runCell: async options => {
      const {cell, sessionContext} = options;
      if (cell.model.type === 'code' && sessionContext && !sessionContext.session?.kernel && !sessionContext.hasNoKernel) {
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
