// The board on screen. Python runs the game; this module shows it and sends the cell that a person chose.
//
// The page is built once for a shape and then only updated, so that the focus stays where it is and two displays of one
// board agree. The board is one tab stop: arrow keys move inside it, Enter and Space play, Escape leaves.

const MARKS = `
  <svg viewBox="0 0 48 48" fill="none" stroke-width="6" stroke-linecap="round" aria-hidden="true" focusable="false">
    <path class="ttt-x" d="${SHAPES.X}"/>
    <path class="ttt-o" d="${SHAPES.O}"/>
    <circle class="ttt-dot" cx="42" cy="42" r="3"/>
    <g class="ttt-wanted" stroke-width="3">
      <circle class="ttt-want-ring" cx="24" cy="24" r="14" stroke-width="2" stroke-dasharray="4 4"/>
      <path class="ttt-want-x" d="M20 20l8 8m0-8l-8 8"/>
      <circle class="ttt-want-o" cx="24" cy="24" r="5"/>
    </g>
  </svg>`;
const LOST = "This is where the game stood. Run the cells from the top for a new game."; // said where no kernel answers
const STACKED = ["slanted", "turned"]; // the looks in which layers are above one another

// A cell's content is on its face, which stays upright where the cell is drawn in perspective.
function buildFace(node) {
  const face = element(node, "div", "ttt-face", { "aria-hidden": "true" });
  face.innerHTML = MARKS;
  element(face, "span", "ttt-number", {}, node.dataset.cell);
  return { node, value: element(face, "span", "ttt-value"), step: element(face, "span", "ttt-count") };
}

// One grid for each layer. A flat board is one layer and has no layer names.
function buildLayers(parent, [layers, rows, columns], layerNames) {
  const cells = [];
  for (let layer = 0; layer < layers; layer++) {
    const name = layerNames[layer] ?? "";
    const style = `--columns:${columns};--rows:${rows};--layers:${layers};--layer:${layer}`;
    const figure = element(parent, "div", "ttt-layer", { style });
    const nodes = buildGrid(figure, rows, columns, name || "Tic-tac-toe board", cells.length);
    cells.push(...nodes.map(buildFace));
    if (!name) continue;
    if (layer === 0) numberAxes(nodes, columns);
    element(figure, "div", "ttt-layer-name", { "aria-hidden": "true" }, name);
  }
  return cells;
}

// Row and column numbers, along the edges of the top layer.
function numberAxes(nodes, columns) {
  nodes.forEach((node, index) => {
    const write = (kind, n) => element(node, "span", `ttt-axis ttt-axis-${kind}`, { "aria-hidden": "true" }, String(n));
    if (index % columns === 0) write("row", index / columns + 1);
    if (index < columns) write("column", index + 1);
  });
}

// Completed lines are always shown; threats, lines that need one more mark, only on request.
const shownLines = (model) => model.get("lines").filter(({ free }) => free < 0 || model.get("threats"));
const wanted = (model, index) => shownLines(model).filter(({ free }) => free === index).map(({ mark }) => mark);

function spokenName(model, index) {
  const mark = model.get("marks")[index];
  const words = [model.get("names")[index], mark === "-" ? "empty" : mark];
  if (model.get("winning").includes(index)) words.push("winning line");
  else if (model.get("last") === index) words.push("last move");
  if (model.get("hint") === index) words.push("hint");
  for (const side of new Set(wanted(model, index))) words.push(`${side} would complete a line`);
  const value = model.get("values")[index];
  if (value) words.push(`value ${value}`);
  return words.join(", ");
}

function patch(model, root, cells, lost) {
  const marks = model.get("marks");
  root.dataset.turn = lost ? "" : model.get("turn");
  root.classList.toggle("ttt-numbered", model.get("numbers"));
  root.dataset.look = model.get("size")[0] > 1 ? model.get("look") : "flat";
  root.classList.toggle("ttt-stacked", STACKED.includes(root.dataset.look));
  const steps = numberedSteps(model);
  cells.forEach(({ node, value, step }, index) => {
    node.dataset.mark = marks[index];
    node.dataset.wanted = [...new Set(wanted(model, index))].sort().join("");
    node.classList.toggle("ttt-last", model.get("last") === index);
    node.classList.toggle("ttt-winning", model.get("winning").includes(index));
    node.classList.toggle("ttt-best", model.get("best").includes(index));
    node.classList.toggle("ttt-hint", model.get("hint") === index);
    node.setAttribute("aria-label", spokenName(model, index));
    value.textContent = model.get("values")[index] ?? "";
    step.textContent = steps.get(index) ?? "";
  });
}

// The cells of a completed line are numbered, so that it can be followed from layer to layer.
function numberedSteps(model) {
  const steps = new Map();
  for (const { cells, free } of model.get("lines")) {
    if (free < 0) cells.forEach((cell, n) => steps.has(cell) || steps.set(cell, n + 1));
  }
  return steps;
}

// Draw the lines through the layers and the posts at their corners, behind the marks. No look has a vanishing point, so
// cells that are in line are in line on the screen too.
function drawLines(model, drawing, cells) {
  const origin = drawing.getBoundingClientRect();
  const zoom = origin.width / drawing.parentElement.offsetWidth || 1; // of the page, in the app
  const centre = (index) => {
    const box = cells[index].node.getBoundingClientRect();
    return [(box.left + box.width / 2 - origin.left) / zoom, (box.top + box.height / 2 - origin.top) / zoom];
  };
  const stroke = (className, mark, [x1, y1], [x2, y2]) => {
    shape(drawing, "line", className, { x1, y1, x2, y2, "data-mark": mark });
  };
  drawing.replaceChildren();
  const corners = drawing.closest(".ttt-stacked") ? posts(model.get("size"), centre) : [];
  corners.forEach((post) => stroke("ttt-post", "-", ...post));
  for (const { mark, cells: line, free } of shownLines(model)) {
    const name = free < 0 ? "ttt-won" : "ttt-threat";
    const centres = line.map(centre);
    centres.slice(1).forEach((end, n) => stroke(name, mark, ...between(centres[n], end)));
  }
}

// The part of the way from one cell to the next that leaves both marks free.
function between(from, to) {
  const [x, y] = [to[0] - from[0], to[1] - from[1]];
  const part = Math.min(0.36, 17 / Math.hypot(x, y));
  return [[from[0] + x * part, from[1] + y * part], [to[0] - x * part, to[1] - y * part]];
}

// The posts that join the corners of the first layer and the last, half a cell beyond the centres of the corner cells.
function posts([layers, rows, columns], centre) {
  if (rows < 2 || columns < 2) return [];
  const at = (layer, row, column) => {
    const [first, below, beside] = [0, columns, 1].map((cell) => centre(layer * rows * columns + cell));
    return first.map((n, axis) => n + row * (below[axis] - n) + column * (beside[axis] - n));
  };
  const ends = (size) => [-0.5, size - 0.5];
  const corners = ends(rows).flatMap((row) => ends(columns).map((column) => [row, column]));
  return corners.map((corner) => [at(0, ...corner), at(layers - 1, ...corner)]);
}

function render({ model, el }) {
  const root = element(el, "div", "ttt-themed ttt-board");
  const status = element(root, "div", "ttt-status", { role: "status", "aria-live": "polite" });
  const clock = element(root, "div", "ttt-elapsed", { "aria-hidden": "true" });
  const layers = element(root, "div", "ttt-layers");
  let cells = [];
  let drawing;
  let lost = false; // whether there is no kernel that would answer a click

  const indexOf = (target) => Number(target.closest(".ttt-cell")?.dataset.cell ?? NaN);

  // Highlight the same place in all other layers; NaN highlights none.
  function align(index) {
    const size = model.get("size").slice(1).reduce((a, b) => a * b);
    cells.forEach(({ node }, n) => node.classList.toggle("ttt-aligned", n !== index && n % size === index % size));
  }

  function rebuild() {
    layers.replaceChildren();
    drawing = shape(layers, "svg", "ttt-through", { "aria-hidden": "true" });
    cells = buildLayers(layers, model.get("size"), model.get("layers"));
    cells[0].node.setAttribute("tabindex", "0");
  }

  function show() {
    patch(model, root, cells, lost);
    draw();
  }

  const draw = () => drawLines(model, drawing, cells);
  function say() {
    const said = model.get("status");
    announce(status, lost && said.text ? { text: LOST, tone: "" } : said);
  }

  // The clock runs here, so that it goes on while Python is busy.
  let ticking;
  function think() {
    clearInterval(ticking);
    const { seconds, note } = model.get("thinking");
    clock.textContent = "";
    if (seconds === undefined || lost) return;
    const begun = performance.now() - 1000 * seconds;
    const tick = () => {
      clock.textContent = [`${Math.floor((performance.now() - begun) / 1000)} s`, note].filter(Boolean).join(" · ");
    };
    tick();
    ticking = setInterval(tick, 250);
  }

  function onKey({ key, repeat }, target) {
    const index = indexOf(target);
    const next = destination(key, index, model.get("size"));
    const plays = key === "Enter" || key === " ";
    if (next !== undefined) cells[next].node.focus();
    else if (plays && !repeat) requests.ask({ play: index });
    return plays || next !== undefined;
  }

  layers.addEventListener("click", (event) => {
    const index = indexOf(event.target);
    if (Number.isNaN(index) || event.detail > 1) return; // the second click of a double click
    cells[index].node.focus();
    requests.ask({ play: index });
  });
  layers.addEventListener("focusin", ({ target }) => {
    rove(cells.map(({ node }) => node), target);
    align(indexOf(target));
  });
  layers.addEventListener("focusout", () => align(NaN));
  layers.addEventListener("pointerover", (event) => align(indexOf(event.target)));
  layers.addEventListener("pointerleave", () => align(indexOf(layers.querySelector(":focus") ?? layers)));

  function lose(isLost) {
    lost = isLost;
    patch(model, root, cells, lost);
    say();
    think();
  }

  rebuild();
  const requests = makeRequests(model, (message) => announce(status, message), lose);
  show();
  say();
  think();
  const resized = new ResizeObserver(draw);
  const stops = [
    listen(model, { "change:size": rebuild, change: show, "change:status": say, "change:thinking": think }),
    captureKeys(layers, onKey),
    requests.stop,
    () => clearInterval(ticking),
    () => resized.disconnect(),
  ];
  resized.observe(layers);

  return () => stops.forEach((stop) => stop());
}

export default { render };
