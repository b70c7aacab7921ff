// Practice in the explorer: a question, the fields or buttons that answer it, what is said to the answer, and the score.
// Python asks and judges; `send` gets what a person does.

const FIELD_NAMES = { worth: "Worth", alpha: "alpha (α)", beta: "beta (β)" };
const FIELD_HELP = "Write −∞ as -inf and +∞ as inf.";

function makePractice(root, send) {
  const panel = element(root, "section", "tte-practice", { "aria-label": "Practice" });
  const head = element(panel, "div", "ttt-bar");
  const ask = element(head, "strong", "tte-ask", { role: "status", "aria-live": "polite" });
  const form = element(panel, "form", "ttt-bar tte-answer");
  const given = element(form, "div", "ttt-bar");
  const verdict = element(form, "div", "ttt-verdict", { role: "status", "aria-live": "polite" });
  const foot = element(panel, "div", "ttt-bar");
  const next = button(foot, "Next question", "Next question", goOn);
  button(foot, "Stop practising", "Stop practising", () => send({ stop_practising: true }));
  const score = element(foot, "span", "ttt-quiet");
  let inputs = [];
  let asked; // the question that the fields are for
  let isOpen = false; // whether it waits for an answer

  function goOn() {
    if (next.getAttribute("aria-disabled") === "false") send({ next_question: true });
  }

  // The fields or the buttons that answer a question.
  function build({ fields, choices }) {
    given.replaceChildren();
    inputs = fields.map((field) => {
      const label = element(given, "label", "ttt-labelled");
      element(label, "span", "", {}, FIELD_NAMES[field]);
      return element(label, "input", "ttt-field", { type: "text", autocomplete: "off", "aria-label": FIELD_NAMES[field] });
    });
    if (fields.length) button(given, "Answer", "Answer", () => {}).type = "submit";
    if (fields.length > 1) element(given, "span", "ttt-quiet", {}, FIELD_HELP);
    for (const choice of choices) button(given, choice, choice, () => send({ answer: [choice] }));
  }

  // Enter in a field and the button do the same; an empty field is asked for again.
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const empty = inputs.find(({ value }) => !value.trim());
    verdict.textContent = "";
    if (!empty) {
      send({ answer: inputs.map(({ value }) => value) });
      return;
    }
    empty.focus();
    announce(verdict, { text: "Write a number first.", tone: "error" });
  });
  return {
    contains: (target) => panel.contains(target),
    show(question) {
      panel.hidden = !question.kind;
      if (panel.hidden) {
        asked = undefined;
        return;
      }
      const { ask: text, right, step } = question;
      const answered = right !== null;
      const isNew = asked !== `${step} ${text}` || (!answered && !isOpen);
      asked = `${step} ${text}`;
      isOpen = !answered;
      const hadFocus = panel.contains(root.getRootNode().activeElement);
      if (isNew) {
        build(question);
        ask.textContent = text; // set again, it would be announced again
      }
      verdict.textContent = question.verdict;
      verdict.dataset.right = right;
      given.toggleAttribute("hidden", answered);
      next.setAttribute("aria-disabled", String(!answered));
      score.textContent = question.score;
      if (hadFocus) (answered ? next : given.querySelector("input, button")).focus();
    },
    focus: () => given.querySelector("input, button")?.focus(),
  };
}
