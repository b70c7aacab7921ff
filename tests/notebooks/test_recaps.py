"""The questions at the end of each lesson: all are well made, the lesson asks them, and each answer gets a reply."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from approved import all_approved
from conftest import ROOT
from lab import recap
from lab.boards.recap import Recap, RecapQuestion

NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))}
lesson = pytest.mark.parametrize("lesson", NOTEBOOKS)

ONE = RecapQuestion("What is 2 + 2?", "4", "Two and two are four.", {"5": "One too many.", "22": "That is a text."})
TWO = RecapQuestion("What is 2 × 3?", "6", "Three twos.", {"5": "That is the sum.", "<b>23</b>": "That is a text."})


def cards(view):
    """Each question on the page: the kind of its card, what it asks, its choices, and the reply to the chosen one."""
    found = re.findall(
        r'<div class="ttt-card (\w+)"><fieldset><legend>(.*?)</legend>(.*?)</fieldset><p role="status">(.*?)</p>',
        view.html,
    )
    return [
        (kind, ask, re.findall("<input[^>]*> (.*?)</label>", choices), reply) for kind, ask, choices, reply in found
    ]


def words(html):
    return unescape(re.sub("</?(strong|code)>", lambda tag: "`" if "code" in tag[1] else "", html)).strip()


def answer(view, question, choice):
    """Answer as the page does; the kind of the question's card then, and what it says."""
    view._handle_custom_msg({"do": "answer", "value": [str(question), choice]}, [])
    kind, _, _, reply = cards(view)[question]
    return f"{kind}: {words(reply)}"


def score(view):
    [found] = re.findall(r'<p class="([^"]*)" role="status">(.*?)</p></form>', view.html)
    return found[0], words(found[1])


def conversation(lesson):
    """A lesson's questions as the page shows them, with what it says to each choice."""
    view = recap(lesson)
    for number, (question, (_, ask, choices, _)) in enumerate(zip(view.questions, cards(view), strict=True)):
        yield words(ask)
        for choice, shown in zip(question.choices, choices, strict=True):
            yield f"   ○ {words(shown)}\n     {answer(view, number, choice)}"


def test_what_is_asked_and_said_to_every_answer_is_approved():
    said = {lesson: "\n".join(conversation(lesson)) for lesson in NOTEBOOKS}
    assert all_approved(Path(__file__).parent / "said/recaps.txt", said)


@lesson
def test_three_questions_are_well_made_and_their_length_does_not_betray_the_right_choice(lesson):
    """Not in all three: by a fifth longer or shorter than all others is conspicuous."""
    asked = recap(lesson).questions
    assert len(asked) == 3
    for one in asked:
        assert "?" in one.ask and 2 <= len(one.wrong) <= 3
        assert len({choice.casefold().strip(" .") for choice in one.choices}) == len(one.wrong) + 1
        texts = [one.ask, one.because, *one.choices, *one.wrong.values()]
        assert all(text and text.strip() == text and "\n" not in text for text in texts)
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
    assert {one.choices.index(one.right) for one in sums} == {0, 1, 2}


def test_an_answer_can_be_changed_the_score_is_told_when_all_are_given_and_no_other_reply_reaches_the_page():
    view = Recap([ONE, TWO])
    assert answer(view, 0, "4") == "good: ✓ Right. Two and two are four." and score(view) == ("", "")
    assert answer(view, 0, "5") == "soon: ✗ Not quite. One too many." and view.html.count(" checked") == 1
    assert cards(view)[1][0::3] == ("plain", "") and score(view) == ("", "")
    state = json.dumps(view.get_state(["html", "parts", "said"]))
    assert not any(hidden in state for hidden in (ONE.because, TWO.because, *TWO.wrong.values()))
    answer(view, 1, "6")
    assert score(view) == ("ttt-card plain", "1 of 2 right. Choose again.")
    answer(view, 0, "4")
    assert score(view) == ("ttt-card good", "✓ 2 of 2 right.") and view.html.count(" checked") == 2


def test_what_no_page_sends_is_told_or_passed_over():
    view = Recap([ONE])
    view._handle_custom_msg({"do": "answer", "value": ["seven", "4"]}, [])
    assert view.tone == "error" and view.answers == {}
    assert answer(view, 0, "nothing") == "plain: "


def test_without_a_kernel_the_questions_can_be_read_and_not_their_answers():
    view = Recap([ONE, TWO])
    answer(view, 0, "4")
    data, _ = view._repr_mimebundle_()
    assert data["text/html"] == (
        "<ol><li><p>What is 2 + 2?</p><ul><li>5</li><li>22</li><li>4</li></ul></li>"
        "<li><p>What is 2 × 3?</p><ul><li>6</li><li>5</li><li>&lt;b&gt;23&lt;/b&gt;</li></ul></li></ol>"
    )
    printed = "1. What is 2 + 2?\n   ○ 5\n   ○ 22\n   ○ 4\n2. What is 2 × 3?\n   ○ 6\n   ○ 5\n   ○ <b>23</b>"
    assert data["text/plain"] == repr(view) == printed and "image/svg+xml" not in data
