// The board on screen. Python owns the game; this module shows it and tells which cell a person chose.
//
// The page is built once for a shape and then only patched, so that focus stays where it is and two displays of one
// board agree. The board is one tab stop: arrow keys move inside it, Enter and Space play, Escape gives the focus
// back to the notebook cell.

const MARKS = `
  <svg viewBox="0 0 48 48" aria-hidden="true" focusable="false">
    <path class="ttt-x" d="M14 14l20 20m0-20l-20 20"/>
    <circle class="ttt-o" cx="24" cy="24" r="11.5"/>
    <circle class="ttt-dot" cx="42" cy="42" r="3"/>
  </svg>`;

function element(parent, name, className, attributes = {}) {
  const node = document.createElement(name);
  if (className) node.className = className;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  parent.append(node);
  return node;
}

function buildCell(parent, index) {
  const node = element(parent, "div", "ttt-cell", { role: "gridcell", tabindex: "-1", "data-cell": index });
  node.innerHTML = MARKS;
  const number = element(node, "span", "ttt-number", { "aria-hidden": "true" });
  number.textContent = index;
  return { node, value: element(node, "span", "ttt-value", { "aria-hidden": "true" }) };
}

// One grid a layer; a flat board is one layer and says nothing of layers.
function buildLayers(parent, [layers, rows, columns], layerNames) {
  const cells = [];
  for (let layer = 0; layer < layers; layer++) {
    const name = layerNames[layer] ?? "";
    const figure = element(parent, "div", "ttt-layer");
    const label = name || "Tic-tac-toe board";
    const grid = element(figure, "div", "ttt-grid", { role: "grid", "aria-label": label, style: `--columns:${columns}` });
    for (let row = 0; row < rows; row++) {
      const line = element(grid, "div", "ttt-row", { role: "row" });
      for (let column = 0; column < columns; column++) cells.push(buildCell(line, cells.length));
    }
    if (name) element(figure, "div", "ttt-layer-name", { "aria-hidden": "true" }).textContent = name;
  }
  return cells;
}

function spokenName(model, index) {
  const mark = model.get("marks")[index];
  const words = [model.get("names")[index], mark === "-" ? "empty" : mark];
  if (model.get("winning").includes(index)) words.push("winning line");
  else if (model.get("last") === index) words.push("last move");
  if (model.get("hint") === index) words.push("hint");
  const value = model.get("values")[index];
  if (value) words.push(`value ${value}`);
  return words.join(", ");
}

function patch(model, root, cells) {
  const marks = model.get("marks");
  root.dataset.turn = model.get("turn");
  root.classList.toggle("ttt-numbered", model.get("numbers"));
  cells.forEach(({ node, value }, index) => {
    node.dataset.mark = marks[index];
    node.classList.toggle("ttt-last", model.get("last") === index);
    node.classList.toggle("ttt-winning", model.get("winning").includes(index));
    node.classList.toggle("ttt-best", model.get("best").includes(index));
    node.classList.toggle("ttt-hint", model.get("hint") === index);
    node.setAttribute("aria-label", spokenName(model, index));
    value.textContent = model.get("values")[index] ?? "";
  });
}

// Where a key leads from a cell; undefined for keys that don't move.
function destination(key, index, [layers, rows, columns]) {
  const [layer, row, column] = [Math.floor(index / (rows * columns)), Math.floor(index / columns) % rows, index % columns];
  const at = (l, r, c) => (l * rows + r) * columns + c;
  const within = (n, size) => Math.min(Math.max(n, 0), size - 1);
  const moves = {
    ArrowLeft: () => at(layer, row, within(column - 1, columns)),
    ArrowRight: () => at(layer, row, within(column + 1, columns)),
    ArrowUp: () => at(layer, within(row - 1, rows), column),
    ArrowDown: () => at(layer, within(row + 1, rows), column),
    Home: () => at(layer, row, 0),
    End: () => at(layer, row, columns - 1),
    PageUp: () => at(within(layer - 1, layers), row, column),
    PageDown: () => at(within(layer + 1, layers), row, column),
  };
  return moves[key]?.();
}

function render({ model, el }) {
  const root = element(el, "div", "ttt-board");
  const status = element(root, "div", "ttt-status", { role: "status", "aria-live": "polite" });
  const layers = element(root, "div", "ttt-layers");
  let cells = [];

  const indexOf = (target) => Number(target.closest(".ttt-cell")?.dataset.cell ?? NaN);
  const play = (index) => model.send({ play: index });

  function rove(index) {
    cells.forEach(({ node }, n) => node.setAttribute("tabindex", n === index ? "0" : "-1"));
    const size = model.get("size").slice(1).reduce((a, b) => a * b);
    cells.forEach(({ node }, n) => node.classList.toggle("ttt-aligned", n !== index && n % size === index % size));
  }

  function rebuild() {
    layers.replaceChildren();
    cells = buildLayers(layers, model.get("size"), model.get("layers"));
    cells[0].node.setAttribute("tabindex", "0");
    patch(model, root, cells);
  }

  // A message that comes twice is two messages: it is emptied first, so that it is spoken again.
  function say() {
    const { text, tone } = model.get("status");
    status.textContent = "";
    status.dataset.tone = tone;
    requestAnimationFrame(() => (status.textContent = text));
  }

  // Listening on the window in the capture phase comes before any front end's own shortcuts: while the focus is on
  // the board, x must not cut the notebook cell. Chords, Tab and Shift+Enter pass.
  function onKey(event) {
    const target = event.composedPath()[0]; // the cell even where the board stands in a shadow root
    if (!layers.contains(target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (event.shiftKey && event.key === "Enter") return;
    event.stopImmediatePropagation();
    const index = indexOf(target);
    const next = destination(event.key, index, model.get("size"));
    if (next !== undefined) cells[next].node.focus();
    else if (event.key === "Enter" || event.key === " ") event.repeat || play(index);
    else if (event.key === "Escape") leave(target);
    else return;
    event.preventDefault();
  }

  function leave(target) {
    const host = root.closest("[tabindex]");
    if (host) host.focus();
    else target.blur();
  }

  window.addEventListener("keydown", onKey, true);
  layers.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (Number.isNaN(index) || event.detail > 1) return; // the second click of a double one
    cells[index].node.focus();
    play(index);
  });
  layers.addEventListener("focusin", (event) => rove(indexOf(event.target)));
  layers.addEventListener("focusout", () => cells.forEach(({ node }) => node.classList.remove("ttt-aligned")));

  let pending = false;
  const update = () => {
    if (pending) return;
    pending = true;
    queueMicrotask(() => {
      pending = false;
      patch(model, root, cells);
    });
  };
  const changes = ["marks", "turn", "last", "winning", "values", "best", "hint", "numbers"].map((name) => `change:${name}`);
  changes.forEach((change) => model.on(change, update));
  model.on("change:size", rebuild);
  model.on("change:status", say);
  rebuild();
  say();

  return () => {
    window.removeEventListener("keydown", onKey, true);
    changes.forEach((change) => model.off(change, update));
    model.off("change:size", rebuild);
    model.off("change:status", say);
  };
}

export default { render };
