// The pruning explorer on screen. Python searches once and sends everything: the tree, and for every step what changes
// in it and a sentence. This module draws the tree and walks through the steps, which needs no kernel; only another
// position or other options need a new search by Python.
//
// The tree is built once for a search and then only updated. It is one tab stop: left and right step, up and down look
// around, Escape leaves.

const VISITED = ["open", "done"]; // the states of nodes
const SKIPPED = ["cut", "mirror", "known"];
const SPEEDS = { slow: 4000, medium: 2000, fast: 700 }; // milliseconds for a step
const SMALLEST = 0.6; // the scale at which boards and labels are still legible
const OPTIONS = { killer: "killer", table: "table", symmetry: "symmetry", pvs: "PVS" };
const CYCLE = { "-": "X", X: "O", O: "-" };
const EDITOR_HELP = "Click a cell to change it from empty to X to O; or use the arrow keys, then X, O or Delete.";
const HELP =
  "Keys in the tree: → and ← step, Home and End go to the start and the end, N and P to the next and previous cut. " +
  "↑ ↓ and Shift with ← → look around, Enter goes to the step of that node, Escape leaves the tree.";
const LEGEND =
  "Coloured: visited. Grey: not yet. Dashed: never visited, with the number of nodes saved. " +
  "≥ and ≤: only a lower or an upper bound of the value is known.";

const GONE = // said where no kernel answers
  "You can still go through the steps. Run the cells from the top to change options or practise.";

const plural = (count, noun, nouns = `${noun}s`) => `${count} ${count === 1 ? noun : nouns}`;

// How every node looks after this many steps: its last change so far.
function looksAt(data, step) {
  const looks = data.nodes.map(() => ({ state: "new", label: "" }));
  for (const frame of data.frames.slice(0, step + 1)) {
    for (const [first, count, state, label] of frame.changes) {
      looks.fill({ state, label: "" }, first, first + count);
      looks[first] = { state, label };
    }
  }
  return looks;
}

// Something that is seen only once it is asked for; returns where it goes.
function folded(parent, summary) {
  const details = element(parent, "details", "ttt-details");
  element(details, "summary", "", {}, summary);
  return details;
}

function pathTo(data, tip) {
  const path = [];
  for (let number = tip; number >= 0; number = data.nodes[number].parent) path.push(number);
  return path;
}

// What screen readers say about a node.
function spokenState({ state, label }, { size }) {
  if (state === "open") return `being searched, ${label.replace("α", "alpha").replace(" β", ", beta")}`;
  if (state === "done") return `value ${label.replace("≤", "at most").replace("≥", "at least")}`;
  if (state === "cut") return `cut off, ${plural(size, "node")}`;
  if (state === "mirror") return `skipped as a mirror image, ${plural(size, "node")}`;
  return state === "known" ? "not searched, known from the table" : "not visited yet";
}

// ----------------------------------------------------------------------------------------------- setting up a position

// A small board to set up a position; `ask` is called with its marks whenever one changes.
function makeEditor(parent, ask) {
  const editor = element(parent, "div", "tte-editor");
  element(parent, "div", "ttt-quiet", {}, `Set up a position of your own. ${EDITOR_HELP}`);
  let data;
  let cells = [];
  let draft = [];
  let asked = []; // the answer to an earlier position must not undo later changes

  function show(next) {
    data = next;
    if (!asked.includes(data.marks)) [draft, asked] = [[...data.marks], []];
    if (cells.length !== draft.length) {
      editor.replaceChildren();
      cells = buildGrid(editor, draft.length / data.columns, data.columns, "Your own position");
      rove(cells, cells[0]);
    }
    update();
  }

  function update() {
    cells.forEach((cell, index) => {
      const mark = draft[index];
      cell.dataset.mark = mark;
      cell.textContent = mark === "-" ? index : mark;
      cell.setAttribute("aria-label", `${data.cells[index]}, ${mark === "-" ? "empty" : mark}`);
    });
  }

  function put(index, mark) {
    draft[index] = mark;
    update();
    asked.push(draft.join(""));
    ask(draft.join(""));
  }

  function onKey({ key }, cell) {
    const index = cells.indexOf(cell);
    const next = destination(key, index, [1, draft.length / data.columns, data.columns]);
    const name = key.length === 1 ? key.toLowerCase() : key;
    const cycled = CYCLE[draft[index]];
    const mark = { x: "X", o: "O", Delete: "-", Backspace: "-", "-": "-", Enter: cycled, " ": cycled }[name];
    if (next !== undefined) cells[next].focus();
    else if (mark) put(index, mark);
    return next !== undefined || mark !== undefined;
  }

  editor.addEventListener("click", ({ target }) => {
    const index = cells.indexOf(target);
    if (index < 0) return;
    target.focus();
    put(index, CYCLE[draft[index]]);
  });
  editor.addEventListener("focusin", ({ target }) => rove(cells, target));
  return {
    show,
    onKey,
    contains: (target) => cells.includes(target),
    marks: () => draft.join(""),
    forget: () => (asked = []),
    // A position that was refused stays on the small board; other settings may make it one that can be searched.
    differs: () => draft.join("") !== data.marks,
  };
}

// ---------------------------------------------------------------------------------------------------------- the tree

// The tree in its scrolling area; `goTo` is called with the number of a node whose step is to be shown. The boxes that
// change how it is drawn go to `bar`.
function makeTree(root, bar, goTo) {
  const area = element(root, "div", "tte-area");
  const levels = element(area, "div", "tte-levels", { "aria-hidden": "true" });
  const canvas = shape(area, "svg", "tte-canvas", { role: "tree", "aria-label": "Game tree" });
  const fold = checkbox(bar, "Fold", redraw);
  fold.parentElement.title = "Fold the branches that are cut off";
  fold.parentElement.classList.add("tte-fold");
  const fit = checkbox(bar, "Whole tree", redraw);
  fit.parentElement.title = "Show as much of the tree at once as stays legible";
  let data;
  let nodes = []; // their groups in the drawing, by number; a folded drawing doesn't have all of them
  let edges = [];
  let focused = 0;
  let shown; // the frame, and how the nodes look

  const tree = () => data.trees[fold.checked ? 1 : 0];
  const room = () => area.clientWidth - levels.offsetWidth - 4;
  const focus = (number) => nodes[number].focus({ preventScroll: true });
  const hasFocus = () => canvas.contains(root.getRootNode().activeElement);

  function scale() {
    if (!fit.checked || room() <= 0) return 1;
    const most = parseFloat(getComputedStyle(area).maxHeight) - 4;
    return clamp(Math.min(room() / tree().width, most / tree().height), SMALLEST, 1);
  }

  function build(next) {
    data = next;
    fillLevels(levels, data.levels);
    draw();
  }

  // Put in the drawing of the whole tree or of the folded one.
  function draw() {
    canvas.innerHTML = tree().drawing;
    canvas.setAttribute("aria-label", `Game tree of ${data.position_in_words}`);
    [nodes, edges] = [groups("node"), groups("edge")];
    nodes.forEach((group, number) => (group.querySelector(".tte-board").innerHTML = data.nodes[number].board));
    focused = 0;
    resize();
  }

  // The drawing's groups of one kind, by the number of their node.
  function groups(kind) {
    const found = [];
    for (const group of canvas.querySelectorAll(`.tte-${kind}`)) found[group.dataset.node] = group;
    return found;
  }

  function redraw() {
    draw();
    update(...shown);
    follow(false);
  }

  function resize() {
    const { width, height } = tree();
    canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
    canvas.style.width = `${width * scale()}px`;
    canvas.style.height = levels.style.height = `${height * scale()}px`;
    levels.classList.toggle("tte-narrow", scale() < 0.7);
    canvas.classList.toggle("tte-small", scale() < 0.8);
    data.levels.forEach(([, , middle], ply) => {
      levels.children[ply].style.top = `${middle * scale()}px`;
      levels.children[ply].style.display = middle > height ? "none" : ""; // everything there is folded
    });
  }

  function update(frame, looks) {
    const path = pathTo(data, frame.tip);
    const focusFollows = hasFocus();
    shown = [frame, looks];
    nodes.forEach((group, number) => {
      group.dataset.state = looks[number].state;
      group.classList.toggle("tte-current", number === frame.node);
      group.setAttribute("aria-label", `${data.nodes[number].name}, ${spokenState(looks[number], data.nodes[number])}`);
      group.querySelector(".tte-label").textContent = looks[number].label;
    });
    edges.forEach((group, number) => {
      const { state, label } = looks[number];
      group.dataset.state = state;
      group.classList.toggle("tte-on-path", path.includes(number));
      group.classList.toggle("tte-came", number === frame.came);
      group.classList.toggle("tte-sliced", state === "cut" && label !== "");
    });
    stopAt(frame.node);
    if (focusFollows) focus(frame.node);
  }

  function stopAt(number) {
    focused = number;
    rove(nodes, nodes[number]);
  }

  // Scroll a node into view inside the area, without scrolling the page.
  function follow(smoothly, number = shown[0].node) {
    const { e: x, f: y } = nodes[number].transform.baseVal[0].matrix;
    const [atX, atY] = [x, y].map((n) => (n + data.side / 2) * scale());
    const near = (at, from, size, before, after) => at >= from + before && at <= from + size - after;
    const left = near(atX, area.scrollLeft, room(), 90, 90) ? area.scrollLeft : atX - room() / 2;
    const top = near(atY, area.scrollTop, area.clientHeight, 40, 80) ? area.scrollTop : atY - area.clientHeight / 2;
    const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    area.scrollTo({ left, top, behavior: smoothly && !calm ? "smooth" : "auto" });
  }

  // The node that a key leads to from the focused one.
  function neighbour(key, shift) {
    const { parent, ply } = data.nodes[focused];
    if (key === "ArrowUp") return parent;
    if (key === "ArrowDown") return nodes.findIndex((group, number) => group && data.nodes[number].parent === focused);
    const level = Object.keys(nodes).map(Number).filter((number) => data.nodes[number].ply === ply);
    return shift ? level[level.indexOf(focused) + (key === "ArrowRight" ? 1 : -1)] : undefined;
  }

  // Look around and choose nodes; returns whether the key was one for that.
  function onKey({ key, shiftKey }) {
    const looks = key === "ArrowUp" || key === "ArrowDown" || (shiftKey && key.startsWith("Arrow"));
    const chooses = key === "Enter" || key === " ";
    const next = looks ? neighbour(key, shiftKey) : undefined;
    if (next >= 0) {
      focus(next);
      follow(true, next);
    }
    if (chooses) goTo(focused);
    return looks || chooses;
  }

  area.addEventListener("focusin", ({ target }) => {
    const group = target.closest(".tte-node"); // in Chromium, a node with its own listener would be a tab stop
    if (group) stopAt(Number(group.dataset.node));
  });
  dragging(area, ({ target }) => {
    const group = target.closest(".tte-node");
    focus(group ? Number(group.dataset.node) : focused);
    if (group) goTo(Number(group.dataset.node));
  });
  const resized = new ResizeObserver(() => {
    resize();
    follow(false);
  });
  resized.observe(area);
  const stop = () => resized.disconnect();
  // A folded tree tells what will be cut off.
  function unfold() {
    if (!fold.checked) return;
    fold.checked = false;
    redraw();
  }

  const reveal = () => area.scrollIntoView({ block: "nearest" });
  return { build, update, follow, reveal, unfold, onKey, focus, hasFocus, stop, contains: (target) => canvas.contains(target) };
}

// Scroll an area by dragging it; a press without a move is a click.
function dragging(area, click) {
  let at = null; // where the mouse was last
  let moved = 0; // pixels since the button was pressed
  area.addEventListener("pointerdown", ({ button, pointerType, offsetX, clientX, clientY }) => {
    moved = 0;
    const drags = button === 0 && pointerType !== "touch" && offsetX <= area.clientWidth; // not on the scroll bar
    at = drags ? [clientX, clientY] : null;
  });
  area.addEventListener("pointermove", ({ buttons, pointerId, clientX, clientY }) => {
    if (!buttons) at = null;
    if (!at) return;
    const [dx, dy] = [clientX - at[0], clientY - at[1]];
    at = [clientX, clientY];
    moved += Math.abs(dx) + Math.abs(dy);
    if (moved <= 5) return;
    area.setPointerCapture(pointerId);
    area.scrollBy(-dx, -dy);
  });
  area.addEventListener("click", (event) => moved > 5 || click(event));
}

// ------------------------------------------------------------------------------------------- what is known at a step

// The sentence, alpha and beta, and the count of nodes, each in its place; returns a function that shows a frame.
function makeFacts(words, readout, bar) {
  const say = element(words, "div", "tte-say", { role: "status", "aria-live": "polite" });
  const [node, alpha, beta, came] = [0, 1, 2, 3].map(() => {
    const pair = element(readout, "div", "tte-fact");
    return { term: element(pair, "div", "ttt-quiet"), value: element(pair, "strong") };
  });
  const meter = element(bar, "div", "tte-meter");
  const count = element(meter, "div", "tte-meter-text");
  const track = element(meter, "div", "tte-track", { "aria-hidden": "true" });
  const [visitedBar, skippedBar] = ["done", "cut"].map((kind) => element(track, "div", `tte-part tte-${kind}`));

  function write({ term, value }, name, text) {
    term.textContent = name;
    value.textContent = text;
  }

  return (data, frame, looks) => {
    const isMax = data.nodes[frame.node].ply % 2 === 0;
    if (say.textContent !== frame.text || frame.isNew) say.textContent = frame.text; // which is announced
    say.dataset.kind = frame.kind;
    write(node, "at the node", isMax ? `▲ MAX, ${data.max} to move` : `▼ MIN, ${data.min} to move`);
    write(alpha, frame.test ? "α (as a test)" : `α: ${data.max} has at least`, frame.alpha);
    write(beta, frame.test ? "β (as a test)" : `β: ${data.min} lets ${data.max} have at most`, frame.beta);
    const from = frame.came < 0 ? "" : ` from cell ${data.nodes[frame.came].move}`;
    write(came, `came back${from}`, frame.value || "–");
    const skipped = looks.filter(({ state }) => SKIPPED.includes(state)).length;
    const visited = looks.filter(({ state }) => VISITED.includes(state)).length;
    const sofar = `alpha-beta so far: ${plural(frame.visits, "node")}`;
    count.textContent = `${sofar} · left out: ${skipped} · minimax: ${plural(data.minimax, "node")}`;
    visitedBar.style.width = `${(100 * visited) / data.minimax}%`;
    skippedBar.style.width = `${(100 * skipped) / data.minimax}%`;
  };
}

// ---------------------------------------------------------------------------------------------------- play and pause

// The button that walks through the steps by itself, and its speed. `stop` pauses.
function makePlayer(parent, step, isAtEnd, restart) {
  const play = button(parent, "▶ Play", "Play", toggle);
  const speeds = element(parent, "select", "", { "aria-label": "Speed", title: "Speed" });
  fillMenu(speeds, Object.keys(SPEEDS).map((name) => [name, name]), "medium");
  speeds.addEventListener("change", () => timer && start());
  let timer = 0;

  function show() {
    play.textContent = timer ? "❚❚ Pause" : "▶ Play";
    for (const name of ["aria-label", "title"]) play.setAttribute(name, timer ? "Pause" : "Play");
  }

  function start() {
    clearInterval(timer);
    timer = setInterval(tick, SPEEDS[speeds.value]);
    show();
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    show();
  }

  function tick() {
    step();
    if (isAtEnd()) stop();
  }

  function toggle() {
    if (timer) {
      stop();
      return;
    }
    if (isAtEnd()) restart();
    start();
  }

  return { stop };
}

// -------------------------------------------------------------------------------------------------------- the widget

function render({ model, el }) {
  const root = element(el, "div", "ttt-themed tte-explorer", { role: "region", "aria-label": "Alpha-beta explorer" });
  const settings = element(root, "div", "ttt-bar tte-settings");
  const ask = (change) => requests.ask({ change });
  const controls = element(root, "div", "ttt-bar tte-controls", { role: "group", "aria-label": "Steps" });
  const practice = makePractice(root, (request) => requests.ask(request));
  const words = element(root, "div", "tte-words");
  const note = element(words, "div", "ttt-note", { role: "status", "aria-live": "polite" });
  const readout = element(root, "div", "tte-readout");
  const bar = element(root, "div", "ttt-bar tte-bar");
  const showFacts = makeFacts(words, readout, bar);
  const tree = makeTree(root, bar, (number) => walk(stepOf(number)));
  const foot = element(root, "div", "tte-foot");
  const more = folded(foot, "More options, and a position of your own");
  const options = element(more, "div", "ttt-bar");
  const editor = makeEditor(more, (board) => ask({ board }));
  const echo = element(more, "div", "tte-echo", { "aria-hidden": "true" }); // the message, where one looks meanwhile
  const help = folded(foot, "Signs and keys");
  for (const text of [LEGEND, HELP]) element(help, "div", "ttt-quiet", {}, text);

  let data = model.get("data");
  let shown = -1;
  let asksToPractise = false; // on this page, which then gets the focus
  const end = () => data.frames.length - 1;
  const here = () => Math.min(model.get("step"), end());
  let lost = false; // whether there is no kernel that would judge an answer
  const isPractising = () => !lost && Boolean(model.get("question").kind);

  // The settings. A change is asked for together with the position on the editor's board.
  const alter = (change) => ask(editor.differs() ? { board: editor.marks(), ...change } : change);
  const positions = menu(settings, "Position", (position) => {
    if (!position) return;
    editor.forget();
    ask({ position });
  });
  const depths = menu(settings, "Look ahead", (depth) => alter({ depth: depth ? Number(depth) : null }));
  const orders = menu(settings, "Move order", (order) => alter({ order }));
  const switches = Object.entries(OPTIONS).map(([name, text]) => [
    name,
    checkbox(options, text, (checked) => alter({ [name]: checked })),
  ]);
  button(settings, "Practise", "Practise", () => {
    player.stop();
    asksToPractise = true;
    requests.ask({ practise: true });
  });

  function showSettings() {
    const position = editor.differs() ? "" : data.position;
    const own = position ? [] : [["", "your own"]];
    fillMenu(positions, [...own, ...data.positions.map((name) => [name, name])], position);
    const plies = [1, 2, 3, 4, 5].map((n) => [String(n), plural(n, "ply", "plies")]);
    fillMenu(depths, [["", "to the end"], ...plies], String(data.options.depth ?? ""));
    const counts = Object.entries(data.orders).map(([name, nodes]) => [name, `${name} (${nodes} nodes)`]);
    fillMenu(orders, counts, data.options.order);
    for (const [name, box] of switches) box.checked = data.options[name];
  }

  // The steps.
  const buttons = [
    ["|◀", "Start", () => 0],
    ["◀", "Step back", () => here() - 1],
    ["▶", "Step forward", () => here() + 1],
    ["▶|", "End", end],
    ["◀ Cut", "Previous cut", () => cutFrom(-1)],
    ["Cut ▶", "Next cut", () => cutFrom(1)],
  ].map(([text, label, step]) => ({ node: button(controls, text, label, () => walk(step())), step }));
  const player = makePlayer(controls, () => go(here() + 1), () => here() === end(), () => go(0));
  const slider = element(controls, "input", "tte-slider", { type: "range", min: 0, "aria-label": "Step" });
  const counter = element(controls, "span", "tte-counter");
  slider.addEventListener("input", () => walk(Number(slider.value)));

  function cutFrom(direction) {
    for (let step = here() + direction; data.frames[step]; step += direction) {
      if (data.frames[step].kind === "cut") return step;
    }
    return here();
  }

  // The step that reached a node first, or that left it out.
  function stepOf(number) {
    const touches = ([start, count]) => number >= start && number < start + count;
    const entered = data.frames.findIndex((frame) => frame.node === number);
    return entered >= 0 ? entered : data.frames.findIndex((frame) => frame.changes.some(touches));
  }

  function clearNote() {
    note.textContent = echo.textContent = note.dataset.tone = "";
  }

  function go(step) {
    const within = clamp(step, 0, end());
    if (within === here() || isPractising()) return;
    clearNote(); // it has been read, and the sentence is wanted in its place
    model.set("step", within);
    model.save_changes();
  }

  // Whoever chooses a step wants to look at it.
  function walk(step) {
    player.stop();
    go(step);
  }

  function showControls() {
    slider.max = end();
    slider.value = here();
    counter.textContent = `step ${here()} of ${end()}`;
    slider.setAttribute("aria-valuetext", counter.textContent);
    // A button without effect keeps the focus, which a disabled one would lose.
    for (const { node, step } of buttons) {
      node.setAttribute("aria-disabled", String(clamp(step(), 0, end()) === here()));
    }
  }

  function showStep() {
    const frame = { ...data.frames[here()], isNew: here() !== shown };
    const looks = looksAt(data, here());
    if (isPractising()) hideAnswer(frame, looks);
    tree.update(frame, looks);
    showFacts(data, frame, looks);
    showControls();
    tree.follow(Math.abs(here() - shown) === 1);
    if (tree.hasFocus()) tree.reveal();
    shown = here();
  }

  // While a question is open, the ring is round the node that it is about, and nothing tells the answer.
  function hideAnswer(frame, looks) {
    const { kind, node, right } = model.get("question");
    if (right !== null) return;
    Object.assign(frame, { node, tip: node, came: -1, text: "" });
    if (kind === "worth" || looks[node].state === "new") looks[node] = { ...looks[node], label: "?" };
  }

  function showData() {
    const focusStays = tree.hasFocus();
    data = model.get("data");
    editor.show(data);
    showSettings();
    tree.build(data);
    if (focusStays) tree.focus(0);
    showStep();
  }

  function showQuestion() {
    tell({ text: "", tone: "" });
    const stopped = !isPractising() && root.classList.contains("tte-practising");
    const hadFocus = practice.contains(root.getRootNode().activeElement);
    root.classList.toggle("tte-practising", isPractising());
    practice.show(isPractising() ? model.get("question") : {});
    if (isPractising()) tree.unfold();
    clearNote(); // it was about the tree before
    if (asksToPractise && isPractising()) practice.focus();
    if (stopped && hadFocus) settings.querySelector("button").focus();
    asksToPractise = false;
    showStep();
  }

  function lose(isLost) {
    lost = isLost;
    notice(lost);
    showQuestion();
  }

  function showNote() {
    if (model.get("status").tone === "error") showSettings();
    else editor.show(data);
    tell(model.get("status"));
  }

  function tell(message) {
    announce(note, message);
    echo.textContent = message.text;
  }

  function onStepKey({ key }) {
    const steps = {
      ArrowRight: () => here() + 1,
      ArrowLeft: () => here() - 1,
      Home: () => 0,
      End: end,
      n: () => cutFrom(1),
      p: () => cutFrom(-1),
    };
    const step = steps[key.length === 1 ? key.toLowerCase() : key];
    if (step) walk(step());
    return Boolean(step);
  }

  // Menus, check boxes and the slider keep their own keys.
  function onKey(event, target) {
    if (editor.contains(target)) return editor.onKey(event, target);
    if (tree.contains(target)) return tree.onKey(event) || onStepKey(event);
    return controls.contains(target) && target.tagName === "BUTTON" && onStepKey(event);
  }

  const listeners = { "change:data": showData, "change:step": showStep, "change:status": showNote, "change:question": showQuestion };
  showData();
  showQuestion();
  showNote();
  const notice = makeNotice(root, GONE, settings, options);
  const requests = makeRequests(model, tell, lose);
  const stops = [requests.stop, captureKeys(root, onKey), listen(model, listeners), tree.stop, player.stop];
  return () => stops.forEach((stop) => stop());
}

export default { render };
