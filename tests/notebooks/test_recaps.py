"""The questions at the end of each lesson: that all are well made, and that the lesson asks them."""

import json
import re
from html import unescape

import pytest
from conftest import ROOT
from lab.boards.recap import Recap, RecapQuestion, load_questions

NOTEBOOKS = {path.stem: path for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")}
lesson = pytest.mark.parametrize("lesson", sorted(NOTEBOOKS))

ONE = RecapQuestion("What is 2 + 2?", "4", "Two and two are four.", {"5": "One too many.", "22": "That is a text."})
TWO = RecapQuestion("What is 2 × 3?", "6", "Three twos.", {"5": "That is the sum.", "<b>23</b>": "That is a text."})


def answer(view, question, choice):
    """Answer as the page does; what is said to each question."""
    view._handle_custom_msg({"do": "answer", "value": [str(question), choice]}, [])
    return said(view)[question]


def said(view):
    shown = re.findall(r'<p role="status">(.*?)</p>', view.html)
    return [unescape(re.sub("</?(strong|code)>", "", text)).strip() for text in shown]


def kinds(view):
    """The kind of each question's card."""
    return re.findall(r'<div class="ttt-card (\w+)"><fieldset><legend>', view.html)


@lesson
def test_a_lesson_has_three_questions_with_two_or_three_wrong_choices_each(lesson):
    asked = load_questions(lesson)
    assert len(asked) == 3
    for one in asked:
        assert "?" in one.ask and 2 <= len(one.wrong) <= 3
        assert len({choice.casefold().strip(" .") for choice in one.choices}) == len(one.wrong) + 1
        texts = [one.ask, one.because, *one.choices, *one.wrong.values()]
        assert all(text and text.strip() == text and "\n" not in text for text in texts)


@lesson
def test_its_length_does_not_betray_the_right_choice(lesson):
    """Not in all three: by a fifth longer or shorter than all others is conspicuous."""
    asked = load_questions(lesson)
    assert not all(len(one.right) > 1.2 * max(map(len, one.wrong)) for one in asked)
    assert not all(1.2 * len(one.right) < min(map(len, one.wrong)) for one in asked)


@lesson
def test_the_lesson_asks_them_where_its_core_ends_and_no_others(lesson):
    """In the last cell of code before what is further."""
    text = NOTEBOOKS[lesson].read_text()
    core = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if re.search("^## Further$", source, re.MULTILINE):
            break
        core += [source] if cell["cell_type"] == "code" else []
    assert re.search(rf'^recap\("{lesson}"\)$', core[-1], re.MULTILINE)
    assert set(re.findall(r'\brecap\(\\"(\w+)\\"\)', text)) == {lesson}


# ------------------------------------------------------------------------------------------------- the widget


def test_the_order_of_choices_is_always_the_same_and_any_place_may_be_right():
    assert ONE.choices == RecapQuestion(ONE.ask, ONE.right, ONE.because, dict(reversed(ONE.wrong.items()))).choices
    sums = [RecapQuestion(f"What is 2 + {n}?", str(n + 2), "", ONE.wrong) for n in range(4, 20)]
    places = {one.choices.index(one.right) for one in sums}
    assert places == {0, 1, 2}


def test_each_answer_gets_its_sentence_and_can_be_changed_and_no_other_reaches_the_page():
    view = Recap([ONE, TWO])
    assert said(view) == ["", ""] and kinds(view) == ["plain", "plain"]
    assert answer(view, 0, "4") == "✓ Right. Two and two are four." and kinds(view) == ["good", "plain"]
    assert answer(view, 0, "5") == "✗ Not quite. One too many." and view.html.count(" checked") == 1
    assert said(view)[1] == "" and kinds(view) == ["soon", "plain"]
    assert "of 2 right" not in view.html  # until all are answered
    state = json.dumps(view.get_state(["html", "parts", "said"]))
    for hidden in (ONE.because, TWO.because, *TWO.wrong.values()):
        assert hidden not in state


def test_what_no_page_sends_is_told_or_passed_over():
    view = Recap([ONE])
    view._handle_custom_msg({"do": "answer", "value": ["seven", "4"]}, [])
    assert view.tone == "error" and view.answers == {}
    assert answer(view, 0, "nothing") == ""


def test_without_a_kernel_the_questions_can_be_read_and_not_their_answers():
    view = Recap([ONE, TWO])
    answer(view, 0, "4")
    data, _ = view._repr_mimebundle_()
    for text in (data["text/html"], data["text/plain"]):
        assert "What is 2 + 2?" in text and "22" in text
        assert "Right" not in text and ONE.because not in text
    assert "<b>23</b>" not in data["text/html"] and "image/svg+xml" not in data
    printed = repr(view).splitlines()
    assert printed[0] == "1. What is 2 + 2?" and "".join(printed).count("○") == 6
