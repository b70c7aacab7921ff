// What the widgets share. Python puts this in front of each widget's own module, after SHAPES, the paths of the marks.

const SVG = "http://www.w3.org/2000/svg";

function append(parent, node, className, attributes, text) {
  if (className) node.setAttribute("class", className);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  parent.append(node);
  return node;
}

const element = (parent, name, className = "", attributes = {}, text = "") =>
  append(parent, document.createElement(name), className, attributes, text);

const shape = (parent, name, className, attributes) =>
  append(parent, document.createElementNS(SVG, name), className, attributes);

function button(parent, text, label, action) {
  const node = element(parent, "button", "ttt-button", { type: "button", "aria-label": label, title: label }, text);
  node.addEventListener("click", action);
  return node;
}

// A menu with its label; `action` gets the option that is chosen.
function menu(parent, text, action) {
  const label = element(parent, "label", "ttt-labelled");
  element(label, "span", "", {}, text);
  const select = element(label, "select", "", { "aria-label": text });
  select.addEventListener("change", () => action(select.value));
  return select;
}

function fillMenu(select, pairs, value) {
  select.replaceChildren();
  for (const [key, text] of pairs) element(select, "option", "", { value: key }, text);
  select.value = value;
}

function checkbox(parent, text, action) {
  const label = element(parent, "label", "ttt-labelled");
  const box = element(label, "input", "", { type: "checkbox" });
  element(label, "span", "", {}, text);
  box.addEventListener("change", () => action(box.checked));
  return box;
}

// Screen readers announce a change only, so a repeated message is removed first.
function announce(region, { text, tone }) {
  region.textContent = "";
  region.dataset.tone = tone;
  requestAnimationFrame(() => (region.textContent = text));
}

// Call `handle` with each key pressed inside `root`; it returns whether the key did something. Listening on the window
// in the capture phase comes before the front end's own shortcuts: while the board has the focus, x must not cut the
// notebook cell. Shortcuts with Ctrl, Alt or Meta, Tab and Shift+Enter still reach the front end; Escape gives the
// focus back to the notebook cell. Returns a function that stops listening.
function captureKeys(root, handle) {
  function onKey(event) {
    const target = event.composedPath()[0]; // the element itself, even inside a shadow root
    if (!root.contains(target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (event.shiftKey && event.key === "Enter") return;
    event.stopImmediatePropagation();
    const handled = event.key === "Escape" ? leave(root, target) : handle(event, target);
    if (handled) event.preventDefault();
  }
  window.addEventListener("keydown", onKey, true);
  return () => window.removeEventListener("keydown", onKey, true);
}

function leave(root, target) {
  const host = root.parentElement?.closest("[tabindex]");
  if (host) host.focus();
  else target.blur();
  return true;
}

// Call these functions at the model's events. Returns a function that stops listening.
function listen(model, listeners) {
  for (const [event, listener] of Object.entries(listeners)) model.on(event, listener);
  return () => Object.entries(listeners).forEach(([event, listener]) => model.off(event, listener));
}

// A grid of cells, which are one tab stop; returns them. They are numbered on from `first`.
function buildGrid(parent, rows, columns, label, first = 0) {
  const grid = element(parent, "div", "ttt-grid", { role: "grid", "aria-label": label });
  grid.style.setProperty("--columns", columns);
  const cells = [];
  for (let row = 0; row < rows; row++) {
    const line = element(grid, "div", "ttt-row", { role: "row" });
    for (let column = 0; column < columns; column++) {
      const attributes = { role: "gridcell", tabindex: "-1", "data-cell": first + cells.length };
      cells.push(element(line, "div", "ttt-cell", attributes));
    }
  }
  return cells;
}

// Make one of these elements the tab stop, the only one.
const rove = (nodes, stop) => nodes.forEach((node) => node.setAttribute("tabindex", node === stop ? "0" : "-1"));

const clamp = (n, low, high) => Math.min(Math.max(n, low), high);

// The cell that a key leads to from another; undefined for keys that don't move.
function destination(key, index, [layers, rows, columns]) {
  const place = [Math.floor(index / (rows * columns)), Math.floor(index / columns) % rows, index % columns];
  const move = {
    ArrowLeft: [0, 0, -1],
    ArrowRight: [0, 0, 1],
    ArrowUp: [0, -1, 0],
    ArrowDown: [0, 1, 0],
    Home: [0, 0, -columns],
    End: [0, 0, columns],
    PageUp: [-1, 0, 0],
    PageDown: [1, 0, 0],
  }[key];
  if (!move) return undefined;
  const [layer, row, column] = [layers, rows, columns].map((size, n) => clamp(place[n] + move[n], 0, size - 1));
  return (layer * rows + row) * columns + column;
}

// Requests to Python. `ask` sends one, and `answered` is to be called when an answer is there; where none comes, `tell`
// gets a message. `stop` ends the waiting.
function makeRequests(model, tell) {
  const text = "Python does not answer yet. If it was restarted, run this cell again.";
  let late = 0; // the timer that tells of a missing answer
  return {
    ask(content) {
      clearTimeout(late);
      late = setTimeout(() => tell({ text, tone: "error" }), 6000);
      model.send(content); // which raises an error where the kernel is gone
    },
    answered: () => clearTimeout(late),
    stop: () => clearTimeout(late),
  };
}

// A radio button with its label for each text, of which one may be chosen; returns the buttons.
function radios(parent, texts, chosen = -1) {
  const name = `ttt-${Math.random().toString(36).slice(2)}`; // which makes them a group
  return texts.map((text, n) => {
    const label = element(parent, "label", "ttt-choice");
    const button = element(label, "input", "", { type: "radio", name });
    button.checked = n === chosen;
    element(label, "span", "", {}, text);
    return button;
  });
}

// The names of a game tree's levels, each at its height: MAX or MIN, and who moves.
function fillLevels(parent, levels) {
  parent.replaceChildren();
  for (const [name, side, middle] of levels) {
    const level = element(parent, "div", "tte-level", { style: `top: ${middle}px` });
    if (name) element(level, "strong", "", {}, `${name === "MAX" ? "▲" : "▼"} ${name}`);
    element(level, "span", "", {}, side);
  }
}
