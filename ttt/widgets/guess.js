// The form for a guess. It sends what was typed, chosen or put in order as it is; Python says whether it can be read.

const KEEP = "Keep my guess";
const GONE = "Run the cells from the top to make or change your guess."; // said where no kernel answers

// A field for a number.
function makeNumber(parent, { entry }) {
  const label = element(parent, "label", "ttt-labelled");
  element(label, "span", "", {}, "Your guess");
  const field = element(label, "input", "ttt-field", { type: "text", inputmode: "decimal", autocomplete: "off", size: 14 });
  field.value = entry;
  return { read: () => field.value, enter: (target) => target === field };
}

// A radio button for each choice.
function makeChoice(parent, { options, entry }) {
  const group = element(parent, "fieldset", "ttt-choices");
  element(group, "legend", "", {}, "Your guess");
  const buttons = radios(group, options, options.indexOf(entry));
  return { read: () => options[buttons.findIndex((one) => one.checked)] ?? "", enter: (target) => buttons.includes(target) };
}

// A list whose items go up and down by their buttons or by the arrow keys; `tell` says where an item is now.
function makeOrder(parent, { options, entry }, tell) {
  const order = entry.length ? [...entry] : [...options];
  const list = element(parent, "ol", "ttg-order", { "aria-label": "Your guess" });
  const items = new Map(options.map((option) => [option, makeItem(option)]));

  function makeItem(option) {
    const item = document.createElement("li");
    const up = button(item, "↑", `Move ${option} up`, () => move(option, -1));
    const down = button(item, "↓", `Move ${option} down`, () => move(option, 1));
    element(item, "span", "", {}, option);
    return { item, up, down };
  }

  function move(option, by) {
    const from = order.indexOf(option);
    const to = clamp(from + by, 0, order.length - 1);
    order.splice(to, 0, ...order.splice(from, 1));
    show();
    items.get(option)[by < 0 ? "up" : "down"].focus();
    tell({ text: `${option} is number ${to + 1} of ${order.length}.`, tone: "" });
  }

  function show() {
    for (const [n, option] of order.entries()) {
      const { item, up, down } = items.get(option);
      if (list.children[n] !== item) list.insertBefore(item, list.children[n] ?? null);
      up.setAttribute("aria-disabled", n === 0);
      down.setAttribute("aria-disabled", n === order.length - 1);
    }
  }

  show();
  return {
    read: () => order,
    enter: () => false,
    arrow(key, target) {
      const option = options.find((one) => items.get(one).item.contains(target));
      if (option) move(option, key === "ArrowUp" ? -1 : 1);
      return Boolean(option);
    },
  };
}

const MAKERS = { number: makeNumber, choice: makeChoice, order: makeOrder };

function render({ model, el }) {
  const root = element(el, "div", "ttt-themed ttg-guess", { role: "group", "aria-label": "Your guess" });
  const form = model.get("form");
  const bar = element(root, "div", form.kind === "number" ? "ttt-bar" : "");
  const tell = (message) => announce(note, message);
  const keep = () => requests.ask({ guess: entry.read() });
  const entry = MAKERS[form.kind](bar, form, (message) => tell(message));
  button(bar, KEEP, KEEP, keep);
  const note = element(root, "div", "ttt-note", { role: "status", "aria-live": "polite" });

  function onKey(event, target) {
    const arrow = event.key === "ArrowUp" || event.key === "ArrowDown";
    if (arrow && entry.arrow) return entry.arrow(event.key, target);
    if (event.key !== "Enter" || !entry.enter(target)) return false;
    keep();
    return true;
  }

  const showStatus = () => tell(model.get("status"));
  const showForm = () => (bar.hidden = !model.get("asking"));
  showForm();
  const requests = makeRequests(model, tell, makeNotice(bar, GONE, bar));
  const stops = [
    requests.stop,
    captureKeys(root, onKey),
    listen(model, { "change:status": showStatus, "change:asking": showForm }),
  ];
  showStatus();
  return () => stops.forEach((stop) => stop());
}

export default { render };
