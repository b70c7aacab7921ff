// A lesson's questions with radio buttons. Python says what there is to say to an answer.

const GONE = "Run the cells from the top to answer."; // said where no kernel answers

function render({ model, el }) {
  const root = element(el, "div", "ttt-themed ttr-recap", { role: "region", "aria-label": "Recap" });
  const questions = model.get("questions");
  let asked = 0; // the question that was checked last
  const notes = [];

  // What stands below a question: a message, or what is said to an answer, which is right or not.
  function write(number, message, right = "") {
    notes[number].dataset.right = right;
    announce(notes[number], message);
  }

  const parts = questions.map(({ ask, choices }, number) => {
    const group = element(root, "fieldset", "ttt-choices ttr-question");
    element(group, "legend", "", {}, `${number + 1}. ${ask}`);
    const buttons = radios(group, choices);
    const check = () => {
      const choice = choices[buttons.findIndex((one) => one.checked)];
      const before = model.get("answers")[number]; // checked again, it changes nothing, and Python would not answer
      asked = number;
      if (choice === undefined) write(number, { text: "Choose an answer first.", tone: "error" });
      else if (choice === before.choice) write(number, { text: before.text, tone: "" }, before.right);
      else requests.ask({ answer: { question: number, choice } });
    };
    button(group, "Check", `Check question ${number + 1}`, check);
    notes.push(element(group, "div", "ttt-note ttt-verdict", { role: "status", "aria-live": "polite" }));
    return { choices, buttons, check };
  });

  const told = questions.map(() => ""); // what stands below each question
  function showAnswers() {
    for (const [number, answer] of model.get("answers").entries()) {
      const { choices, buttons } = parts[number];
      const text = answer.text ?? "";
      if (number !== asked && text === told[number]) continue;
      told[number] = text;
      if (text) buttons[choices.indexOf(answer.choice)].checked = true;
      write(number, { text, tone: "" }, answer.right);
    }
  }

  function onKey(event, target) {
    const part = parts.find(({ buttons }) => buttons.includes(target));
    if (event.key !== "Enter" || !part) return false;
    part.check();
    return true;
  }

  const tell = (message) => write(asked, message);
  showAnswers();
  const requests = makeRequests(model, tell, makeNotice(root, GONE, root));
  const stops = [
    requests.stop,
    captureKeys(root, onKey),
    listen(model, { "change:answers": showAnswers, "change:status": () => tell(model.get("status")) }),
  ];
  return () => stops.forEach((stop) => stop());
}

export default { render };
