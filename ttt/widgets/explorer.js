// The pruning explorer on screen. Python searches once and tells the whole story: the tree, and for every step what
// changes in it and a sentence. This module draws the tree and walks through the story, which needs no kernel; only
// another position or another order asks Python for another story.
//
// The tree is built once for a story and then only patched. It is one tab stop: left and right step, up and down look
// around, Escape gives the focus back to the notebook cell.

const SVG = "http://www.w3.org/2000/svg";
const GHOSTS = ["cut", "twin", "known"];
const HELP =
  "Keys in the tree: → and ← step, Home and End go to the start and the end, N and P to the next and the previous cut. " +
  "↑ ↓ and Shift with ← → look around, Enter goes to the step of that node, Escape leaves.";
const LEGEND =
  "Coloured: visited. Grey: not yet. Dashed: never visited, with the nodes that this saves. " +
  "≥ and ≤: the value is only known to be so at least, or at most.";
const PIECES = { killer: "killer", table: "table", symmetry: "symmetry", pvs: "PVS" };

function element(parent, name, className, attributes = {}, text = "") {
  const node = document.createElement(name);
  if (className) node.className = className;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  parent.append(node);
  return node;
}

function shape(parent, name, className, attributes = {}, text = "") {
  const node = document.createElementNS(SVG, name);
  if (className) node.setAttribute("class", className);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text) node.textContent = text;
  parent.append(node);
  return node;
}

function button(parent, text, label, action) {
  const node = element(parent, "button", "tte-button", { type: "button", "aria-label": label, title: label }, text);
  node.addEventListener("click", action);
  return node;
}

function labelled(parent, text, control) {
  const label = element(parent, "label", "tte-labelled");
  element(label, "span", "", {}, text);
  label.append(control);
  return control;
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

// How every node looks after the first steps of a story: the last change of it.
function looksAt(story, step) {
  const looks = story.nodes.map(() => ({ state: "new", label: "", window: "" }));
  for (const frame of story.frames.slice(0, step + 1)) {
    for (const [first, count, state, label, window] of frame.changes) {
      looks[first] = { state, label, window };
      for (let number = first + 1; number < first + count; number++) looks[number] = { state, label: "", window: "" };
    }
  }
  return looks;
}

function pathTo(story, tip) {
  const path = [];
  for (let number = tip; number >= 0; number = story.nodes[number].parent) path.push(number);
  return path;
}

// ---------------------------------------------------------------------------------------------------- the tree

function buildNode(parent, story, node, number) {
  const side = story.side;
  const group = shape(parent, "g", "tte-node", { role: "treeitem", tabindex: "-1", "data-node": number, "aria-level": node.ply + 1 });
  shape(group, "rect", "tte-ring", { x: -6, y: -6, width: side + 12, height: side + 12, rx: 8 });
  shape(group, "rect", "tte-paper", { x: -2, y: -2, width: side + 4, height: side + 4, rx: 5 });
  if (node.last.length) {
    const [x, y, unit] = node.last;
    shape(group, "rect", `tte-last tte-by-${node.mover}`, { x: x + 1, y: y + 1, width: unit - 2, height: unit - 2, rx: 3 });
  }
  shape(group, "path", "tte-lines", { d: story.grid });
  if (node.x_marks) shape(group, "path", "tte-marks tte-by-X", { d: node.x_marks });
  if (node.o_marks) shape(group, "path", "tte-marks tte-by-O", { d: node.o_marks });
  if (node.won) shape(group, "path", `tte-won tte-by-${node.winner}`, { d: node.won });
  return { group, label: shape(group, "text", "tte-label", { x: side / 2, y: side + 18 }) };
}

function buildEdge(parent, node) {
  const group = shape(parent, "g", "tte-edge");
  const line = shape(group, "path", "tte-branch");
  const slashes = shape(group, "path", "tte-slashes");
  const cell = shape(group, "text", `tte-move tte-by-${node.mover}`, {}, String(node.move));
  return { group, line, slashes, cell, labelled: false };
}

// An edge begins below the parent's value, or right below its board where there is none.
function placeEdge(edge, story, node, which, labelled) {
  edge.labelled = labelled;
  const parent = story.nodes[node.parent];
  const half = story.side / 2;
  const [x, y] = [node.x[which] + half, node.y - 6];
  const [fromX, fromY] = [parent.x[which] + half, parent.y + story.side + (labelled ? 24 : 3)];
  const bend = (y - fromY) / 2;
  edge.line.setAttribute("d", `M${fromX} ${fromY}C${fromX} ${fromY + bend} ${x} ${y - bend} ${x} ${y}`);
  const [cutX, cutY] = [fromX + 0.28 * (x - fromX), fromY + 0.38 * (y - fromY)]; // above the number of the move
  edge.slashes.setAttribute("d", `M${cutX - 7} ${cutY + 5}l8-10m-2 10l8-10`);
  const left = x < fromX - 1;
  edge.cell.setAttribute("x", left ? x - 6 : x + 6);
  edge.cell.setAttribute("y", y - 3);
  edge.cell.setAttribute("text-anchor", left ? "end" : "start");
}

function spokenState(look, node) {
  if (look.state === "open") return `being searched, ${look.window.replace("α", "alpha").replace(" β", ", beta")}`;
  if (look.state === "done") return `value ${look.label.replace("≤", "at most").replace("≥", "at least")}`;
  if (look.state === "cut") return `cut off, ${plural(node.size, "node")}`;
  if (look.state === "twin") return `left out as a mirror image, ${plural(node.size, "node")}`;
  return look.state === "known" ? "not searched, the table knew" : "not visited yet";
}

// -------------------------------------------------------------------------------------------------- the explorer

function render({ model, el }) {
  const root = element(el, "div", "tte-explorer", { role: "region", "aria-label": "Alpha-beta explorer" });
  const settings = element(root, "div", "tte-bar tte-settings");
  const editing = element(root, "details", "tte-editing");
  const note = element(root, "div", "tte-note", { role: "status", "aria-live": "polite" });
  const controls = element(root, "div", "tte-bar tte-controls", { role: "group", "aria-label": "Steps" });
  const facts = element(root, "div", "tte-facts");
  const area = element(root, "div", "tte-area");
  const foot = element(root, "div", "tte-bar tte-foot");

  let story = model.get("story");
  let nodes = [];
  let edges = [];
  let looks = [];
  let which = 0; // 0 the whole tree, 1 what is cut off folded
  let fitted = false;
  let focused = 0;
  let shownStep = -1;

  const here = () => Math.min(model.get("step"), story.frames.length - 1);
  const ask = (change) => model.send({ change });
  const alter = (change) => ask(drafted() ? { board: draft.join(""), ...change } : change);

  // The settings: what is searched, and how.
  const positions = labelled(settings, "Position", element(settings, "select", "", { "aria-label": "Position" }));
  const depths = labelled(settings, "Look ahead", element(settings, "select", "", { "aria-label": "Look ahead" }));
  const orders = labelled(settings, "Move order", element(settings, "select", "", { "aria-label": "Move order" }));
  const switches = Object.fromEntries(
    Object.entries(PIECES).map(([name, text]) => {
      const label = element(settings, "label", "tte-switch");
      const box = element(label, "input", "", { type: "checkbox", "data-piece": name });
      element(label, "span", "", {}, text);
      box.addEventListener("change", () => alter({ [name]: box.checked }));
      return [name, box];
    }),
  );
  positions.addEventListener("change", () => {
    if (!positions.value) return;
    asked = [];
    ask({ position: positions.value });
  });
  depths.addEventListener("change", () => alter({ depth: depths.value ? Number(depths.value) : null }));
  orders.addEventListener("change", () => alter({ order: orders.value }));

  function options(select, pairs, value) {
    select.replaceChildren();
    for (const [key, text] of pairs) element(select, "option", "", { value: key }, text);
    select.value = value;
  }

  function showSettings() {
    const position = drafted() ? "" : story.position;
    const own = position ? [] : [["", "your own"]];
    options(positions, [...own, ...story.positions.map((name) => [name, name])], position);
    const plies = [1, 2, 3, 4, 5].map((n) => [String(n), plural(n, "ply").replace("plys", "plies")]);
    options(depths, [["", "to the end"], ...plies], story.depth === null ? "" : String(story.depth));
    options(orders, Object.entries(story.orders).map(([name, count]) => [name, `${name} (${count} nodes)`]), story.pieces.order);
    for (const [name, box] of Object.entries(switches)) box.checked = story.pieces[name];
  }

  // The editor: a small board on which the position is set up.
  element(editing, "summary", "", {}, "Set up a position of your own");
  const editor = element(editing, "div", "tte-editor", { role: "grid", "aria-label": "Your own position" });
  const editorHelp = "Click a cell for X, O and empty again; or arrow keys, then X, O or Delete.";
  element(editing, "div", "tte-quiet", {}, editorHelp);
  let draft = [];
  // A position that was refused stays on the little board, and other settings may make it one that can be searched.
  const drafted = () => draft.join("") !== story.marks;
  let asked = []; // one's own positions: the answer to an earlier one must not undo what was marked since

  function showEditor() {
    if (!asked.includes(story.marks)) [draft, asked] = [[...story.marks], []];
    if (editor.querySelectorAll(".tte-square").length !== draft.length) buildEditor();
    patchEditor();
  }

  function buildEditor() {
    editor.replaceChildren();
    editor.style.setProperty("--columns", story.columns);
    for (let first = 0; first < draft.length; first += story.columns) {
      const row = element(editor, "div", "tte-row", { role: "row" });
      for (let cell = first; cell < first + story.columns; cell++) {
        element(row, "div", "tte-square", { role: "gridcell", tabindex: cell ? "-1" : "0", "data-square": cell });
      }
    }
  }

  const squares = () => [...editor.querySelectorAll(".tte-square")];

  function patchEditor() {
    squares().forEach((square, cell) => {
      const mark = draft[cell];
      square.dataset.mark = mark;
      square.textContent = mark === "-" ? cell : mark;
      square.setAttribute("aria-label", `${story.cells[cell]}, ${mark === "-" ? "empty" : mark}`);
    });
  }

  function put(cell, mark) {
    draft[cell] = mark;
    patchEditor();
    asked.push(draft.join(""));
    ask({ board: draft.join("") });
  }

  const cycle = (cell) => put(cell, { "-": "X", X: "O", O: "-" }[draft[cell]]);

  function onEditorKey(event, square) {
    const cell = Number(square.dataset.square);
    const [columns, last] = [story.columns, draft.length - 1];
    const moves = { ArrowLeft: cell - 1, ArrowRight: cell + 1, ArrowUp: cell - columns, ArrowDown: cell + columns, Home: 0, End: last };
    const marks = { x: "X", o: "O", Delete: "-", Backspace: "-", "-": "-" };
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key in moves) squares()[Math.min(Math.max(moves[key], 0), last)].focus();
    else if (key in marks) put(cell, marks[key]);
    else if (key === "Enter" || key === " ") cycle(cell);
    else return false;
    return true;
  }

  editor.addEventListener("click", (event) => {
    const square = event.target.closest(".tte-square");
    if (!square) return;
    square.focus();
    cycle(Number(square.dataset.square));
  });
  editor.addEventListener("focusin", (event) => {
    for (const square of squares()) square.setAttribute("tabindex", square === event.target ? "0" : "-1");
  });

  // The steps.
  const first = button(controls, "|◀", "Start", () => go(0));
  const back = button(controls, "◀", "Step back", () => go(here() - 1));
  const on = button(controls, "▶", "Step forward", () => go(here() + 1));
  const last = button(controls, "▶|", "End", () => go(story.frames.length - 1));
  const previousCut = button(controls, "◀ Cut", "Previous cut", () => go(cutFrom(-1)));
  const nextCut = button(controls, "Cut ▶", "Next cut", () => go(cutFrom(1)));
  const slider = element(controls, "input", "tte-slider", { type: "range", min: 0, "aria-label": "Step" });
  const counter = element(controls, "span", "tte-counter");
  slider.addEventListener("input", () => go(Number(slider.value)));

  const say = element(facts, "div", "tte-say", { role: "status", "aria-live": "polite" });
  const readout = element(facts, "div", "tte-readout");
  const fact = (name) => {
    const pair = element(readout, "div", "tte-fact");
    const term = element(pair, "div", "tte-quiet", {}, name);
    return { term, value: element(pair, "strong") };
  };
  const [node, alpha, beta, came] = [fact("at the node"), fact("α"), fact("β"), fact("came back")];
  const meter = element(facts, "div", "tte-meter");
  const meterText = element(meter, "div", "tte-meter-text");
  const track = element(meter, "div", "tte-track", { "aria-hidden": "true" });
  const [doneBar, cutBar] = ["done", "cut"].map((kind) => element(track, "div", `tte-part tte-${kind}`));

  function cutFrom(direction) {
    for (let step = here() + direction; step >= 0 && step < story.frames.length; step += direction) {
      if (story.frames[step].kind === "cut") return step;
    }
    return here();
  }

  function go(step) {
    const within = Math.min(Math.max(step, 0), story.frames.length - 1);
    if (within === here()) return;
    model.set("step", within);
    model.save_changes();
  }

  // The tree's own area.
  const margin = element(area, "div", "tte-levels", { "aria-hidden": "true" });
  const canvas = shape(area, "svg", "tte-canvas", { role: "tree", "aria-label": "Game tree" });
  const fold = element(element(foot, "label", "tte-switch"), "input", "", { type: "checkbox" });
  element(fold.parentNode, "span", "", {}, "Fold the branches that are cut off");
  const fit = element(element(foot, "label", "tte-switch"), "input", "", { type: "checkbox" });
  element(fit.parentNode, "span", "", {}, "Whole tree at once");
  element(foot, "div", "tte-quiet", {}, LEGEND);
  element(foot, "div", "tte-quiet", {}, HELP);
  fold.addEventListener("change", () => { which = fold.checked ? 1 : 0; place(); follow(false); });
  fit.addEventListener("change", () => { fitted = fit.checked; place(); follow(false); });

  function build() {
    canvas.replaceChildren();
    margin.replaceChildren();
    const edgeLayer = shape(canvas, "g", "", { "aria-hidden": "true" });
    const nodeLayer = shape(canvas, "g", "", { role: "none" });
    edges = story.nodes.map((each) => (each.parent < 0 ? null : buildEdge(edgeLayer, each)));
    nodes = story.nodes.map((each, number) => buildNode(nodeLayer, story, each, number));
    for (const [name, side] of story.levels) {
      const level = element(margin, "div", "tte-level");
      if (name) element(level, "strong", "", {}, `${name === "MAX" ? "▲" : "▼"} ${name}`);
      element(level, "span", "", {}, side);
    }
    focused = 0;
    place();
  }

  const scaleNow = () => {
    const room = area.clientWidth - margin.offsetWidth - 4;
    return fitted && room > 0 ? Math.min(1, room / story.sizes[which][0]) : 1;
  };

  // Put everything where it belongs: in the whole tree or in the folded one, at full size or fitted.
  function place() {
    const [width, height] = story.sizes[which];
    const scale = scaleNow();
    canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
    canvas.style.width = `${width * scale}px`;
    canvas.style.height = `${height * scale}px`;
    margin.style.height = `${height * scale}px`;
    margin.classList.toggle("tte-narrow", scale < 0.7);
    [...margin.children].forEach((level, ply) => {
      const row = story.nodes.find((each) => each.ply === ply);
      level.style.top = `${(row.y + story.side / 2) * scale}px`;
    });
    story.nodes.forEach((each, number) => {
      const hidden = each.x[which] === null;
      nodes[number].group.classList.toggle("tte-hidden", hidden);
      edges[number]?.group.classList.toggle("tte-hidden", hidden);
      if (hidden) return;
      nodes[number].group.setAttribute("transform", `translate(${each.x[which]},${each.y})`);
      if (edges[number]) placeEdge(edges[number], story, each, which, edges[number].labelled);
    });
  }

  function patchTree(frame) {
    looks = looksAt(story, here());
    const path = pathTo(story, frame.tip);
    story.nodes.forEach((each, number) => {
      const look = looks[number];
      const { group, label } = nodes[number];
      group.dataset.state = look.state;
      group.classList.toggle("tte-current", number === frame.node);
      group.classList.toggle("tte-on-path", path.includes(number));
      group.setAttribute("aria-label", `${each.name}, ${spokenState(look, each)}`);
      const text = look.window || look.label;
      if (label.textContent !== text) label.textContent = text;
      if (!edges[number]) return;
      const labelled = nodes[each.parent].label.textContent !== "";
      if (labelled !== edges[number].labelled && each.x[which] !== null) placeEdge(edges[number], story, each, which, labelled);
      const edge = edges[number].group;
      edge.dataset.state = look.state;
      edge.classList.toggle("tte-on-path", path.includes(number));
      edge.classList.toggle("tte-came", number === frame.came);
      edge.classList.toggle("tte-sliced", look.state === "cut" && look.label !== "");
    });
    if (nodes[focused]) rove(frame.node);
  }

  function patchFacts(frame) {
    const each = story.nodes[frame.node];
    const isMax = each.ply % 2 === 0;
    say.textContent = frame.text;
    say.dataset.kind = frame.kind;
    node.value.textContent = `${isMax ? "▲ MAX" : "▼ MIN"}, ${isMax ? story.max : story.min} to move`;
    alpha.term.textContent = frame.test ? "α (as a test)" : `α: ${story.max} has at least`;
    beta.term.textContent = frame.test ? "β (as a test)" : `β: ${story.min} lets ${story.max} have at most`;
    alpha.value.textContent = frame.alpha;
    beta.value.textContent = frame.beta;
    came.term.textContent = frame.came >= 0 ? `came back from cell ${story.nodes[frame.came].move}` : "came back";
    came.value.textContent = frame.value || "–";
    const saved = looks.filter((look) => GHOSTS.includes(look.state)).length;
    meterText.textContent = `alpha-beta so far: ${plural(frame.visits, "node")} · left out: ${saved} · minimax: ${plural(story.minimax, "node")}`;
    const seen = looks.filter((look) => look.state === "open" || look.state === "done").length;
    doneBar.style.width = `${(100 * seen) / story.minimax}%`;
    cutBar.style.width = `${(100 * saved) / story.minimax}%`;
  }

  function patchControls() {
    const [step, end] = [here(), story.frames.length - 1];
    slider.max = end;
    slider.value = step;
    slider.setAttribute("aria-valuetext", `step ${step} of ${end}`);
    counter.textContent = `step ${step} of ${end}`;
    for (const [each, off] of [[first, step === 0], [back, step === 0], [on, step === end], [last, step === end]]) dim(each, off);
    dim(nextCut, cutFrom(1) === step);
    dim(previousCut, cutFrom(-1) === step);
  }

  // A button that does nothing now keeps the focus, which a disabled one would lose.
  const dim = (each, off) => each.setAttribute("aria-disabled", String(off));

  function rove(number) {
    nodes[focused]?.group.setAttribute("tabindex", "-1");
    focused = number;
    nodes[number].group.setAttribute("tabindex", "0");
  }

  // Bring the node at hand into view, and leave the page where it is.
  function follow(smoothly, number = story.frames[here()].node) {
    const each = story.nodes[number];
    if (each.x[which] === null) return;
    const scale = scaleNow();
    const x = (each.x[which] + story.side / 2) * scale;
    const y = (each.y + story.side / 2) * scale;
    const room = area.clientWidth - margin.offsetWidth;
    const left = x < area.scrollLeft + 90 || x > area.scrollLeft + room - 90 ? x - room / 2 : area.scrollLeft;
    const low = y < area.scrollTop + 40 || y > area.scrollTop + area.clientHeight - 80;
    const top = low ? y - area.clientHeight / 2 : area.scrollTop;
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    area.scrollTo({ left, top, behavior: smoothly && !calm ? "smooth" : "auto" });
  }

  function patch() {
    const frame = story.frames[here()];
    const inTree = canvas.contains(root.getRootNode().activeElement);
    patchTree(frame);
    patchFacts(frame);
    patchControls();
    if (inTree) nodes[frame.node].group.focus({ preventScroll: true });
    follow(Math.abs(here() - shownStep) === 1);
    shownStep = here();
  }

  function retell() {
    const inTree = canvas.contains(root.getRootNode().activeElement);
    story = model.get("story");
    showEditor();
    showSettings();
    build();
    if (inTree) nodes[0].group.focus({ preventScroll: true });
    patch();
  }

  // Where a key leads from a node that one looks at.
  function neighbour(key, shift) {
    const each = story.nodes[focused];
    const shown = (number) => story.nodes[number].x[which] !== null;
    const related = (parent) => story.nodes.map((_, number) => number).filter((number) => story.nodes[number].parent === parent && shown(number));
    if (key === "ArrowUp") return each.parent;
    if (key === "ArrowDown") return related(focused)[0];
    const level = story.nodes.map((_, number) => number).filter((number) => story.nodes[number].ply === each.ply && shown(number));
    return shift ? level[level.indexOf(focused) + (key === "ArrowRight" ? 1 : -1)] : undefined;
  }

  // The step that came to a node first, or that left it out.
  function stepOf(number) {
    const touches = ([start, count]) => number >= start && number < start + count;
    const entered = story.frames.findIndex((frame) => frame.node === number);
    return entered >= 0 ? entered : story.frames.findIndex((frame) => frame.changes.some(touches));
  }

  function onTreeKey(event) {
    const { key, shiftKey } = event;
    if (["ArrowUp", "ArrowDown"].includes(key) || (shiftKey && key.startsWith("Arrow"))) {
      const next = neighbour(key, shiftKey);
      if (next >= 0) look(next);
    } else if (key === "Enter" || key === " ") go(stepOf(focused));
    else return onStepKey(event);
    return true;
  }

  function look(number) {
    nodes[number].group.focus({ preventScroll: true });
    follow(true, number);
  }

  function onStepKey({ key }) {
    const steps = {
      ArrowRight: () => here() + 1,
      ArrowLeft: () => here() - 1,
      Home: () => 0,
      End: () => story.frames.length - 1,
      n: () => cutFrom(1),
      p: () => cutFrom(-1),
    };
    const step = steps[key.length === 1 ? key.toLowerCase() : key];
    if (step) go(step());
    return Boolean(step);
  }

  // Listening on the window in the capture phase comes before any front end's own shortcuts: while the focus is in
  // here, x must not cut the notebook cell. Chords, Tab and Shift+Enter pass; lists and the slider keep their keys.
  function onKey(event) {
    const target = event.composedPath()[0];
    if (!root.contains(target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (event.shiftKey && event.key === "Enter") return;
    event.stopImmediatePropagation();
    const square = target.closest(".tte-square");
    let handled = false;
    if (event.key === "Escape") handled = leave(target);
    else if (square) handled = onEditorKey(event, square);
    else if (canvas.contains(target)) handled = onTreeKey(event);
    else if (controls.contains(target) && target !== slider) handled = onStepKey(event);
    if (handled) event.preventDefault();
  }

  function leave(target) {
    const host = root.parentElement?.closest("[tabindex]");
    if (host) host.focus();
    else target.blur();
    return true;
  }

  // Drag the paper to move it; a click goes to the step of a node.
  let drag = null;
  area.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || event.pointerType === "touch" || event.offsetX > area.clientWidth) return;
    drag = { x: event.clientX, y: event.clientY, left: area.scrollLeft, top: area.scrollTop, moved: false };
  });
  const dragOn = (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (Math.abs(dx) + Math.abs(dy) > 5) drag.moved = true;
    if (drag.moved) area.scrollTo(drag.left - dx, drag.top - dy);
  };
  let dragged = false;
  const dragEnd = () => {
    dragged = Boolean(drag?.moved);
    drag = null;
  };
  window.addEventListener("pointermove", dragOn);
  window.addEventListener("pointerup", dragEnd);
  area.addEventListener("click", (event) => {
    const group = event.target.closest(".tte-node");
    if (dragged) return;
    (group ?? nodes[focused].group).focus({ preventScroll: true });
    if (group) go(stepOf(Number(group.dataset.node)));
  });
  // Chromium makes a tab stop of a drawing that listens for focus itself.
  area.addEventListener("focusin", (event) => {
    const group = event.target.closest(".tte-node");
    if (group) rove(Number(group.dataset.node));
  });

  // A message that comes twice is two messages: it is emptied first, so that it is spoken again.
  function tell() {
    const { text, tone } = model.get("note");
    note.textContent = "";
    note.dataset.tone = tone;
    if (tone === "error") showSettings();
    else showEditor();
    requestAnimationFrame(() => (note.textContent = text));
  }

  const sizes = new ResizeObserver(() => {
    if (fitted) place();
    follow(false);
  });
  sizes.observe(area);
  window.addEventListener("keydown", onKey, true);
  const listeners = { "change:story": retell, "change:step": patch, "change:note": tell };
  for (const [change, listener] of Object.entries(listeners)) model.on(change, listener);
  retell();
  tell();

  return () => {
    sizes.disconnect();
    window.removeEventListener("keydown", onKey, true);
    window.removeEventListener("pointermove", dragOn);
    window.removeEventListener("pointerup", dragEnd);
    for (const [change, listener] of Object.entries(listeners)) model.off(change, listener);
  };
}

export default { render };
