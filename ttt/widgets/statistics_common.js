// What the widgets share. Python puts this in front of each widget's own module, after SHAPES, the paths of the marks.

const PATIENCE = 6000; // milliseconds without an answer from Python before a widget says so
const NO_ANSWER = "Python does not answer yet. If it was restarted, run the cells from the top.";
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
// notebook cell, and no more while one of the controls round the board has it, up to an element of the class
// ttt-keys. Shortcuts with Ctrl, Alt or Meta, Tab and Shift+Enter still reach the front end; Escape gives the focus back
// to the notebook cell. Returns a function that stops listening.
function captureKeys(root, handle) {
  function onKey(event) {
    const target = event.composedPath()[0]; // the element itself, even inside a shadow root
    const around = root.closest(".ttt-keys") ?? root; // looked up now, since at first the page doesn't have it yet
    if (!around.contains(target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (event.shiftKey && event.key === "Enter") return;
    event.stopImmediatePropagation();
    const handled = event.key === "Escape" ? leave(around, target) : root.contains(target) && handle(event, target);
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

// Requests to Python. `ask` sends one; where nothing changes after it, `tell` gets a message. `lose` is called with whether
// the kernel is gone: when that changes, and at a request that can't be sent any more. The widget's model doesn't say, but
// the model of its layout, which comes from the same kernel, does where there is one. `stop` ends the waiting.
function makeRequests(model, tell, lose) {
  const layout = model.get("layout");
  let late = 0; // the timer that tells of a missing answer
  let lost = false;

  const answered = () => clearTimeout(late);

  function look() {
    if ((layout?.comm_live === false) === lost) return;
    lost = !lost;
    answered();
    lose(lost);
  }

  function ask(content) {
    answered();
    if (lost) {
      lose(lost);
      return;
    }
    late = setTimeout(() => tell({ text: NO_ANSWER, tone: "error" }), PATIENCE);
    model.send(content); // which raises an error where the kernel has just gone
  }

  look();
  layout?.on?.("comm_live_update", look);
  const stops = [answered, listen(model, { change: answered }), () => layout?.off?.("comm_live_update", look)];
  return { ask, stop: () => stops.forEach((stop) => stop()) };
}

// What a widget says above everything else while its kernel is gone, when the controls in `parts` do nothing. Returns a
// function for `makeRequests`.
function makeNotice(root, text, ...parts) {
  const notice = element(root, "div", "ttt-notice", { role: "status", hidden: "" });
  root.prepend(notice);
  return (lost) => {
    notice.hidden = !lost;
    announce(notice, { text: lost ? text : "", tone: "" });
    const controls = parts.flatMap((part) => [...part.querySelectorAll("button, input, select")]);
    for (const control of controls) control.disabled = lost;
  };
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
