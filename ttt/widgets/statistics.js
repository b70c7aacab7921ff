// The view of search statistics on screen. Python draws the plot and writes its code; this module shows both, with the
// menus and boxes that say what is plotted.

const GONE = "Run the cells from the top to plot something else."; // said where no kernel answers
const MENUS = { x: "Across (x)", y: "Upwards (y)", by: "Colour" };

// A value as Python sends it, in words; null and "" are empty fields.
const spoken = (value) => ({ true: "yes", false: "no", null: "none", "": "none" })[value] ?? String(value);

// A group of boxes for each column by which rows can be chosen; `ask` gets the values that are kept, by column.
function makeRows(parent, ask) {
  const details = element(parent, "details", "ttt-details");
  element(details, "summary", "", {}, "Choose rows");
  const groups = element(details, "div", "tts-groups");
  let boxes = []; // by column, each with its value
  let shape = ""; // of what the boxes stand for

  function build(filters) {
    groups.replaceChildren();
    boxes = filters.map(({ name, values }) => {
      const group = element(groups, "fieldset", "tts-group");
      element(group, "legend", "", {}, name);
      return { name, boxes: values.map((value) => ({ value, box: checkbox(group, spoken(value), choose) })) };
    });
  }

  // Columns of which everything is kept say nothing.
  function choose() {
    const some = boxes.filter(({ boxes }) => boxes.some(({ box }) => !box.checked));
    const kept = ({ boxes }) => boxes.filter(({ box }) => box.checked).map(({ value }) => value);
    ask(Object.fromEntries(some.map((column) => [column.name, kept(column)])));
  }

  return {
    details,
    show({ filters, where }) {
      if (shape !== JSON.stringify(filters)) build(filters);
      shape = JSON.stringify(filters);
      for (const { name, boxes: group } of boxes) {
        for (const { value, box } of group) box.checked = !(name in where) || where[name].includes(value);
      }
    },
  };
}

// The code with the button that copies it; `tell` says whether it was copied. Returns a function that shows a code.
function makeCode(parent, tell) {
  const code = element(parent, "code", "tts-code");
  button(parent, "Copy the code", "Copy the code", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      tell("Copied. Paste it into a cell.");
    } catch {
      getSelection().selectAllChildren(code); // a page without https may not write to the clipboard
      tell("The code is selected: copy it with Ctrl+C.");
    }
  });
  return (text) => (code.textContent = text);
}

function render({ model, el }) {
  const root = element(el, "div", "ttt-themed tts-view", { role: "region", "aria-label": "Search statistics" });
  const bar = element(root, "div", "ttt-bar");
  let waiting = 0; // requests without an answer: until it is there, menus and boxes stay as the person left them
  const ask = (change) => {
    waiting += 1;
    requests.ask({ change });
  };
  const menus = Object.entries(MENUS).map(([name, text]) => [name, menu(bar, text, (chosen) => ask({ [name]: chosen }))]);
  const rows = makeRows(root, (where) => ask({ where }));
  const note = element(root, "div", "ttt-note", { role: "status", "aria-live": "polite" });
  const tell = (message) => announce(note, message);
  const plot = element(root, "div", "tts-plot");
  const showCode = makeCode(root, (text) => tell({ text, tone: "" }));

  function showData() {
    const data = model.get("data");
    plot.innerHTML = data.picture;
    plot.firstElementChild.style.color = ""; // black is the colour of the page's text
    showCode(data.code);
  }

  function showChoice() {
    const data = model.get("data");
    for (const [name, select] of menus) {
      const pairs = data.columns[name].map((column) => [column, column || "none"]);
      if (select.options.length !== pairs.length) fillMenu(select, pairs, data[name]);
      select.value = data[name];
    }
    rows.show(data);
  }

  function showNote() {
    const status = model.get("status");
    waiting = Math.max(0, waiting - 1);
    if (!waiting && status.tone !== "error") showChoice();
    tell(status);
  }

  showData();
  showChoice();
  tell(model.get("status"));
  const requests = makeRequests(model, tell, makeNotice(root, GONE, bar, rows.details));
  const stops = [
    requests.stop,
    captureKeys(root, () => false),
    listen(model, { "change:data": showData, "change:status": showNote }),
  ];
  return () => stops.forEach((stop) => stop());
}

export default { render };
