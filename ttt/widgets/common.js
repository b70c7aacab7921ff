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

const shape = (parent, name, className = "", attributes = {}, text = "") =>
  append(parent, document.createElementNS(SVG, name), className, attributes, text);

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

// Call these functions when the model changes. Returns a function that stops listening.
function listen(model, listeners) {
  const pairs = Object.entries(listeners).map(([name, listener]) => [`change:${name}`, listener]);
  pairs.forEach(([change, listener]) => model.on(change, listener));
  return () => pairs.forEach(([change, listener]) => model.off(change, listener));
}
