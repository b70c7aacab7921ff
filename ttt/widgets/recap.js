// A lesson's questions with radio buttons. Python says what there is to say to an answer.

function render({ model, el }) {
  const root = element(el, "div", "ttt-themed ttr-recap", { role: "region", "aria-label": "Recap" });
  const questions = model.get("questions");
  let asked = 0; // the question that was checked last
  const notes = [];
  const requests = makeRequests(model, (message) => announce(notes[asked], message));

  const parts = questions.map(({ ask, choices }, number) => {
    const group = element(root, "fieldset", "ttt-choices ttr-question");
    element(group, "legend", "", {}, `${number + 1}. ${ask}`);
    const buttons = radios(group, choices);
    const check = () => {
      const choice = choices[buttons.findIndex((one) => one.checked)];
      asked = number;
      if (choice === undefined) announce(notes[number], { text: "Choose an answer first.", tone: "error" });
      else requests.ask({ answer: { question: number, choice } });
    };
    button(group, "Check", `Check question ${number + 1}`, check);
    notes.push(element(group, "div", "ttt-note ttr-note", { role: "status", "aria-live": "polite" }));
    return { choices, buttons, check };
  });

  const told = questions.map(() => ""); // what stands below each question
  function showAnswers() {
    requests.answered();
    for (const [number, answer] of model.get("answers").entries()) {
      const { choices, buttons } = parts[number];
      const text = answer.text ?? "";
      if (number !== asked && text === told[number]) continue;
      told[number] = text;
      if (text) buttons[choices.indexOf(answer.choice)].checked = true;
      notes[number].dataset.right = answer.right ?? "";
      announce(notes[number], { text, tone: "" });
    }
  }

  function onKey(event, target) {
    const part = parts.find(({ buttons }) => buttons.includes(target));
    if (event.key !== "Enter" || !part) return false;
    part.check();
    return true;
  }

  const stops = [requests.stop, captureKeys(root, onKey), listen(model, { "change:answers": showAnswers })];
  showAnswers();
  return () => stops.forEach((stop) => stop());
}

export default { render };
