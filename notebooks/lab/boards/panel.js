// Every widget of the lab. Python sends HTML to show; this module updates the page to match it, keeps the focus,
// and reports to Python what the user did: a press on an element with data-do, a changed value, a form with its fields.

const PATIENCE = 4000; // milliseconds without an answer from Python before the panel says so
const MOMENT = 300; // milliseconds before the panel says that a player is thinking
const SILENT =
  "Python is busy or has stopped. If a cell is still running, wait, or press the square above. " +
  "If Python was restarted, run the cells from the top.";
const GONE = "This is how you left it. To continue, run the cells from the top.";
const TAB = '[data-at][tabindex="0"]'; // the placed element that Tab reaches
const NEXT = `form input, [data-key="next"], ${TAB}, button`; // takes the focus if its element is gone
const PACE = 2000; // milliseconds between steps while playing
const OWN = ["open", "tabindex"]; // attributes that the page itself changes
const EDGE = 32; // pixels round a node in sight: its label is wider, and a tree fades at its edges
const RIDES = CSS.supports("animation-timeline: scroll()"); // so the root of a tree is always in sight
const ZOOMS = { smaller: 0.8, larger: 1.25 };
const MOVES = {
  ArrowLeft: [2, -1],
  ArrowRight: [2, 1],
  ArrowUp: [1, -1],
  ArrowDown: [1, 1],
  PageUp: [0, -1],
  PageDown: [0, 1],
  Home: [2, -Infinity],
  End: [2, Infinity],
}; // axis (layers, rows, columns) and distance

function setAttributes(node, wanted) {
  for (const { name } of [...node.attributes]) {
    if (!OWN.includes(name) && !wanted.hasAttribute(name)) node.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    const own = (OWN.includes(name) || node.dataset.turn) && node.hasAttribute(name);
    if (own || node.getAttribute(name) === value) continue;
    node.setAttribute(name, value);
    if (name === "value" && node.localName === "input" && node.type !== "range") node.value = value;
  }
}

const sameKind = (node, wanted) => node.nodeName === wanted.nodeName && node.dataset?.key === wanted.dataset?.key;

function makeLike(node, wanted) {
  if (node.isEqualNode(wanted)) return;
  if (node.nodeType === Node.TEXT_NODE) node.data = wanted.data;
  if (wanted.nodeType === Node.ELEMENT_NODE) setAttributes(node, wanted);
  const models = [...wanted.childNodes];
  let child = node.firstChild;
  for (const model of models) {
    if (child && sameKind(child, model)) makeLike(child, model);
    else child = node.insertBefore(model, child);
    child = child.nextSibling;
  }
  while (node.childNodes.length > models.length) node.lastChild.remove();
}

// The nodes one level below a node of a tree; a node is followed by all nodes below it.
function childrenOf(node, nodes) {
  const level = Number(node.ariaLevel);
  const children = [];
  for (const other of nodes.slice(nodes.indexOf(node) + 1)) {
    if (Number(other.ariaLevel) <= level) break;
    if (Number(other.ariaLevel) === level + 1) children.push(other);
  }
  return children;
}

const inLayer = (node) => node?.dataset.at.split(" ").slice(1).join(" "); // the row and column in the layer

// Text between backquotes is code.
const code = (text) => Object.assign(document.createElement("code"), { textContent: text });
const prose = (text) => text.split(/`([^`]+)`/).map((part, n) => (n % 2 ? code(part) : part));

// What stands out of a message: a count with a sign in front, how a game ended, or a guess.
const FIRST = { end: /^([^.!:]+[.!])/, guess: /^(.+?\.)(?= |$)/ };
const SIGNS = { "✓": "good", "✗": "soon", "○": "" };
const strong = (text) =>
  Object.assign(document.createElement("strong"), { textContent: text, className: SIGNS[text[0]] ?? "" });
const stressed = (text, tone) =>
  text.split(FIRST[tone] ?? /([✓✗○][^,.]+)/).flatMap((part, n) => (n % 2 ? strong(part) : prose(part)));

function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "ttt";
  root.innerHTML =
    '<div class="said"><p class="message" role="status" aria-live="polite"></p><p class="room" aria-hidden="true"></p></div>' +
    '<p class="silence" role="status"></p><div></div>';
  const [said, silence, content] = root.children;
  const [message, room] = said.children;
  el.append(root);
  let waiting = 0; // reports not yet received by Python
  let moving = false; // whether a move has been reported that Python has not yet answered
  let latest = null; // the latest value of a slider meanwhile
  let timer = 0;
  let saying = 0; // the timer before it is said that a player is thinking
  let playing = 0; // the timer while playing
  let zoom = 1; // of a tree; at 1 its letters are 12 pixels high
  let followed = null; // the branch of a tree that was brought into sight last
  const layout = model.get("layout"); // its model knows whether there is a kernel
  const gone = () => layout?.comm_live === false;

  function show() {
    const wanted = document.createElement("template");
    wanted.innerHTML = model.get("html");
    const focused = content.contains(document.activeElement);
    makeLike(content, wanted.content);
    if (focused && !content.contains(document.activeElement)) content.querySelector(NEXT)?.focus({ preventScroll: true });
    showParts();
    // A user's change to a control doesn't show in its attributes, so the control is reset from them after each update.
    for (const input of content.querySelectorAll("input")) input.checked = input.defaultChecked;
    for (const option of content.querySelectorAll("option[selected]")) option.selected = true;
    if (!content.querySelector(TAB)) content.querySelector("[data-at]")?.setAttribute("tabindex", "0");
    if (gone()) lose();
  }

  function showParts() {
    for (const [name, given] of Object.entries(model.get("parts"))) {
      const node = content.querySelector(`[data-part="${name}"]`);
      for (const [key, value] of Object.entries(node ? given : {})) {
        if (key === "text") node.textContent = value;
        else node.setAttribute(key, value);
      }
    }
    for (const input of content.querySelectorAll("[type=range]")) {
      if (!waiting) input.value = input.defaultValue; // otherwise it is being dragged
      for (const button of content.querySelectorAll("[data-turn], [data-do=next_cut]")) {
        const end = button.dataset.turn === "-1" ? input.min : input.max;
        if (!(button.dataset.turn in ZOOMS)) button.ariaDisabled = input.defaultValue === end;
      }
    }
    follow();
  }

  // Bring a search's branch into sight if it is another one; until then a reader may look elsewhere.
  function follow() {
    const drawn = [...content.querySelectorAll(".ringed, .trail")];
    const branch = drawn.map((node) => `${node.dataset.part} ${node.getAttribute("d")}`).join();
    const now = content.querySelector(".ringed, .fill.wrong") ? branch + model.get("html") : "";
    if (now !== followed) requestAnimationFrame(showRinged); // once it is laid out
    followed = now;
  }

  // Scroll to the end of the output just run, if only its beginning is visible.
  function showWhole() {
    const { top } = root.getBoundingClientRect();
    const inSight = top > 0 && top < window.innerHeight;
    if (inSight && navigator.userActivation?.isActive) root.scrollIntoView({ block: "nearest" });
  }

  // Scroll a large drawing so that the ringed node is in sight, and its parent, its first children and the root, if there
  // is room; best where the root is above the branch it has come by. With the root, it is the best move's branch, and the
  // left edge is where a board begins.
  function showRinged() {
    for (const frame of content.querySelectorAll(".scroll")) {
      frame.style.scrollSnapType = "none"; // until somebody scrolls it
      const nodes = [...frame.querySelectorAll(".node")];
      const ringed = nodes.find((node) => node.matches(".ringed"));
      bringIntoSight(nodes[0].querySelector(".paper"), frame);
      putRootAbove(frame.querySelector(".first").style, frame);
      const parent = nodes.findLast((node) => ringed && childrenOf(node, nodes).includes(ringed));
      const atRoot = ringed === nodes[0];
      const atEnd = atRoot && frame.querySelector(".first").getAttribute("d");
      const around = ringed && !atEnd ? [...childrenOf(ringed, nodes).reverse(), parent ?? ringed, ringed] : [];
      for (const node of around.filter((node) => !RIDES || node !== nodes[0])) {
        bringIntoSight(node.querySelector(".paper"), frame);
      }
      if (atRoot) frame.scrollLeft -= frame.scrollLeft % frame.querySelector(".columns i").clientWidth;
      const wrong = frame.querySelector(".fill.wrong"); // the first that reasons are given for
      if (wrong) bringIntoSight(wrong, frame);
    }
  }

  // The root moves along its branches while a drawing scrolls: `--near` and `--far` say how far it is from this one.
  function putRootAbove(branch, frame) {
    const [near, far] = ["--near", "--far"].map((name) => branch.getPropertyValue(name));
    if (near === far || !RIDES) return;
    frame.scrollLeft = (near / (near - far)) * (frame.scrollWidth - frame.clientWidth);
  }

  function bringIntoSight(paper, frame) {
    const [node, seen] = [paper, frame].map((each) => each.getBoundingClientRect());
    const left = seen.left + frame.querySelector(".sheet").offsetLeft - frame.querySelector(".tree").offsetLeft;
    frame.scrollLeft += Math.min(0, node.left - EDGE - left) + Math.max(0, node.right + EDGE - seen.right);
    frame.scrollTop += Math.min(0, node.top - EDGE - seen.top) + Math.max(0, node.bottom + EDGE - seen.bottom);
  }

  // Screen readers announce only changes, so a repeated message is removed first.
  function say() {
    const { text, tone } = model.get("said");
    const write = () => {
      message.textContent = "";
      message.dataset.tone = tone;
      requestAnimationFrame(() => message.replaceChildren(...stressed(text, tone)));
    };
    clearTimeout(saying);
    if (tone === "thinking") saying = setTimeout(write, MOMENT);
    else write();
  }

  function lose() {
    clearTimeout(timer);
    root.classList.toggle("gone", gone());
    silence.textContent = gone() ? GONE : "";
    for (const control of content.querySelectorAll("button, input, select")) control.disabled = gone();
  }

  const isThinking = () => model.get("said").tone === "thinking";

  function silent() {
    if (!isThinking()) silence.textContent = SILENT;
  }

  function watch() {
    clearTimeout(timer);
    if (waiting) timer = setTimeout(silent, PATIENCE);
  }

  function report(action, value) {
    if (gone()) return lose();
    root.dispatchEvent(new Event("ttt-change", { bubbles: true })); // for code that saves the page
    waiting += 1;
    watch();
    try {
      model.send({ do: action, value });
    } catch {
      silent(); // the kernel has just gone
    }
  }

  // If a slider moves while Python answers, its new value is reported once the answer has come.
  function hear(before = 0) {
    waiting = Math.max(0, waiting - (model.get("heard") - before)); // several may have been answered at once
    silence.textContent = "";
    watch();
    moving &&= waiting > 0;
    if (waiting || !latest) return;
    report(...latest);
    latest = null;
  }

  let wide = 0;
  const sized = new ResizeObserver(() => {
    if (wide !== root.clientWidth) showRinged();
    wide = root.clientWidth;
  });
  const known = {};
  const keepRoom = () => (room.textContent = model.get("room")); // so that messages don't move what is below them
  const changes = { heard: hear, html: show, parts: showParts, room: keepRoom, said: say }; // in this order

  function update() {
    for (const [name, change] of Object.entries(changes)) {
      const before = known[name];
      if (before === model.get(name)) continue;
      known[name] = model.get(name);
      change(before);
    }
  }

  // What the page does by itself: zoom the tree, and move the slider by one step or repeatedly.
  function turn(button) {
    const way = button.dataset.turn;
    const pressed = button.ariaPressed === "true";
    if (way in ZOOMS) {
      zoom = Math.min(3, Math.max(1, zoom * ZOOMS[way])); // below 1, letters are too small to read
      root.style.setProperty("--zoom", zoom);
      return showRinged();
    }
    stopPlaying();
    const slider = content.querySelector("[type=range]");
    if (way !== "play") return move(slider, Number(way));
    if (pressed) return;
    button.ariaPressed = true;
    playing = setInterval(() => {
      if (slider.value === slider.max || gone()) stopPlaying();
      else if (!waiting) move(slider, 1);
    }, PACE);
  }

  function move(slider, steps) {
    slider.value = Number(slider.value) + steps;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function stopPlaying() {
    clearInterval(playing);
    const button = content.querySelector("[data-turn=play]");
    if (button) button.ariaPressed = false;
  }

  root.addEventListener("click", (event) => {
    if (event.target.closest('[aria-disabled="true"]')) return;
    const button = event.target.closest("[data-turn]");
    if (button) turn(button);
    const node = event.target.closest("[data-do]");
    if (!node || node.matches("input, select, form, :disabled")) return;
    const placed = node.hasAttribute("data-at");
    const plays = node.dataset.do === "play";
    if (placed && event.detail > 1) return; // the second click of a double click
    if (plays && (moving || isThinking())) return;
    moving ||= plays;
    if (placed) node.focus();
    report(node.dataset.do, node.dataset.value ?? null);
  });

  root.addEventListener("change", ({ target }) => {
    if (!target.dataset.do || target.type === "range") return;
    const value = target.type === "checkbox" ? target.checked : target.value;
    report(target.dataset.do, target.dataset.value === undefined ? value : [target.dataset.value, value]);
  });

  root.addEventListener("input", ({ target }) => {
    if (target.type !== "range") return;
    const sent = [target.dataset.do, Number(target.value)];
    if (waiting) latest = sent;
    else report(...sent);
  });

  root.addEventListener("toggle", ({ target }) => target.open && target.scrollIntoView({ block: "nearest" }), true);

  root.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!event.target.dataset.do) return; // a recap's answers are reported one by one
    report(event.target.dataset.do, Object.fromEntries(new FormData(event.target, event.submitter)));
  });

  for (const scrolls of ["pointerdown", "wheel"]) {
    root.addEventListener(scrolls, ({ target }) => target.closest(".scroll")?.removeAttribute("style"), { passive: true });
  }

  root.addEventListener("focusin", ({ target }) => {
    light(target);
    if (!target.hasAttribute("data-at")) return;
    content.querySelector(TAB)?.setAttribute("tabindex", "-1");
    target.setAttribute("tabindex", "0");
  });
  root.addEventListener("focusout", () => light(null));
  root.addEventListener("pointerover", ({ target }) => light(target));
  root.addEventListener("pointerleave", () => light(content.querySelector(":focus")));

  // Highlight the same place in all layers.
  function light(target) {
    const place = inLayer(target?.closest("[data-at]"));
    for (const node of content.querySelectorAll(".layers [data-at]")) {
      node.classList.toggle("aligned", inLayer(node) === place);
    }
  }

  // Listening on the window in the capture phase precedes the front end's own shortcuts: while the panel has the
  // focus, x must not cut the notebook cell. Chords, Tab and Shift+Enter still reach the front end.
  function onKey(event) {
    const target = event.composedPath()[0];
    if (!root.contains(target)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    if (event.shiftKey && event.key === "Enter") return;
    event.stopImmediatePropagation();
    if (event.key === "Escape") {
      target.blur();
      root.parentElement.closest("[tabindex]")?.focus();
    } else if (!target.hasAttribute("data-at") || !goOrPlay(event, target)) return;
    event.preventDefault();
  }

  function goOrPlay({ key, repeat }, target) {
    const played = content.querySelector(`[data-digit="${CSS.escape(key)}"]`) ?? ([" ", "Enter"].includes(key) ? target : null);
    if (played && !repeat) played.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    if (key in MOVES) go(target, ...MOVES[key]);
    return played || key in MOVES;
  }

  // Move the focus to the next placed element along an axis, or to the last one.
  function go(target, axis, step) {
    const place = target.dataset.at.split(" ").map(Number);
    let next = target;
    do {
      target = next;
      place[axis] += Math.sign(step);
      next = content.querySelector(`[data-at="${place.join(" ")}"]`);
    } while (next && !Number.isFinite(step));
    (next ?? target).focus();
  }

  model.on("change", update);
  layout?.on?.("comm_live_update", lose);
  window.addEventListener("keydown", onKey, true);
  update();
  sized.observe(root);
  requestAnimationFrame(showWhole);
  return () => {
    clearTimeout(timer);
    clearTimeout(saying);
    clearInterval(playing);
    model.off("change", update);
    layout?.off?.("comm_live_update", lose);
    window.removeEventListener("keydown", onKey, true);
    sized.disconnect();
  };
}

export default { render };
