// The tree to fill in on screen. Python draws the tree and knows the answers; this module lays a field over each node
// that is empty, and sends what was filled in to be checked. The fields come in the order in which a search knows the
// values, from the leaves up, and Tab goes through them so.

const SIGNS = { right: "✓", wrong: "✗", shown: "·" };
const KINDS = { right: "right", shown: "filled in for you" };
const CUT = "cut";
const GONE = "Run the cells from the top to start over with an empty tree."; // said where no kernel answers

function setOrRemove(node, name, value) {
  if (value) node.setAttribute(name, value);
  else node.removeAttribute(name);
}

// The fields of one node: a number, a box for a cut, or both.
function makeField(sheet, field, changed) {
  const place = element(sheet, "div", "ttf-field", { style: `left: ${field.x}px; top: ${field.y}px` });
  const row = element(place, "div", "ttf-row");
  const number = field.inner
    ? element(row, "input", "", { type: "text", autocomplete: "off" })
    : null;
  const sign = element(row, "span", "ttf-sign", { "aria-hidden": "true" });
  const box = field.can_be_cut ? checkbox(place, CUT, changed) : null;
  box?.setAttribute("aria-label", `${field.inner ? field.name : field.label}, cut off`);
  number?.addEventListener("input", changed);

  return {
    ...field,
    isCut: () => Boolean(box?.checked),
    answer: () => (box?.checked ? CUT : (number?.value ?? "")),
    show(answer) {
      if (box) box.checked = answer === CUT;
      if (number) number.value = answer === CUT ? "" : answer;
    },
    // Its name for screen readers, with what is below it: who sees the tree sees what has been filled in there.
    tell(answerOf) {
      const below = field.below.map(({ number, name, said }) => {
        const answer = answerOf(number);
        return `${name}, ${answer === CUT ? "cut off" : answer || said}`;
      });
      number?.setAttribute("aria-label", [field.label, ...(below.length ? [`below it: ${below.join(", ")}`] : [])].join("; "));
    },
    // Nothing is asked below a node that is cut off, and no number of one that is.
    skip(inside, self) {
      if (number) number.disabled = inside || self;
      if (box) box.disabled = inside;
    },
    judge(kind, reason) {
      place.dataset.kind = kind;
      sign.textContent = SIGNS[kind] ?? "";
      const answered = box?.checked || !number ? box : number;
      for (const input of [number, box].filter(Boolean)) {
        const isIt = input === answered;
        setOrRemove(input, "aria-invalid", isIt && kind === "wrong" && "true");
        setOrRemove(input, "aria-describedby", isIt && reason);
        setOrRemove(input, "title", isIt && KINDS[kind]);
      }
    },
  };
}

function render({ model, el }) {
  const root = element(el, "div", "ttt-themed ttf-tree", { role: "region", "aria-label": "Tree to fill in" });
  const id = `ttf-${Math.random().toString(36).slice(2)}`; // of the reasons, for screen readers
  const position = element(root, "p", "ttf-spoken");
  const area = element(root, "div", "tte-area");
  const levels = element(area, "div", "tte-levels", { "aria-hidden": "true" });
  const sheet = element(area, "div", "ttf-sheet");
  const bar = element(root, "div", "ttt-bar ttf-bar");
  button(bar, "Check", "Check", check);
  button(bar, "Show the rest", "Show the rest", () => requests.ask({ show: true }));
  const note = element(bar, "div", "ttt-note", { role: "status", "aria-live": "polite" });
  const reasons = element(root, "ul", "ttf-reasons");
  const tell = (message) => announce(note, message);
  const showStatus = () => tell(model.get("status"));
  let fields = [];
  let groups = [];

  function build() {
    const { drawing, width, height } = model.get("data");
    position.textContent = model.get("data").position;
    position.hidden = !position.textContent;
    fillLevels(levels, model.get("data").levels);
    levels.style.height = `${height}px`;
    sheet.replaceChildren();
    Object.assign(sheet.style, { width: `${width}px`, height: `${height}px` });
    const canvas = shape(sheet, "svg", "tte-canvas", { width, height, "aria-hidden": "true" });
    canvas.innerHTML = drawing;
    groups = [...canvas.querySelectorAll("[data-node]")];
    for (const group of groups) group.removeAttribute("tabindex");
    fields = model.get("data").fields.map((field) => makeField(sheet, field, update));
    showAnswers();
  }

  function check() {
    requests.ask({ check: Object.fromEntries(fields.map((field) => [field.number, field.answer()])) });
  }

  // What is cut off, as the boxes are now, and everything below it.
  function update() {
    const cut = fields.filter((field) => field.isCut());
    const below = (number, { number: first, size }) => number > first && number < first + size;
    for (const field of fields) {
      field.skip(cut.some((each) => below(field.number, each)), field.isCut());
      field.tell((number) => fields.find((each) => each.number === number)?.answer().trim());
    }
    for (const group of groups) {
      const number = Number(group.dataset.node);
      const self = cut.some((each) => each.number === number);
      group.dataset.state = self || cut.some((each) => below(number, each)) ? CUT : "done";
      group.classList.toggle("tte-sliced", self && group.classList.contains("tte-edge"));
    }
  }

  function showAnswers() {
    for (const field of fields) field.show(model.get("answers")[field.number] ?? "");
    update();
    showVerdicts();
  }

  function showVerdicts() {
    const verdicts = model.get("verdicts");
    reasons.replaceChildren();
    for (const field of fields) {
      const { kind = "", why = "" } = verdicts[field.number] ?? {};
      const reason = why && element(reasons, "li", "", { id: `${id}-${field.number}` }, why);
      field.judge(kind, reason && reason.id);
    }
  }

  const onKey = ({ key }, target) => {
    const checks = key === "Enter" && target.type === "text";
    if (checks) check();
    return checks;
  };
  const listeners = {
    "change:data": build,
    "change:answers": showAnswers,
    "change:verdicts": showVerdicts,
    "change:status": showStatus,
  };
  build();
  showStatus();
  const requests = makeRequests(model, tell, makeNotice(root, GONE, bar));
  const stops = [requests.stop, captureKeys(root, onKey), listen(model, listeners)];
  return () => stops.forEach((stop) => stop());
}

export default { render };
