"""Cards: what the lab says under a cell, and what is left of it without a stylesheet."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from approved import all_approved
from lab import guess, hint, ladder, reveal
from lab.boards import guesses
from lab.checks.verdict import Check, _table
from lab.drawing.cards import CSS, EDGES, card, folded_hints, notice, prose, proved

from ttt.qubic.verifier import Verification


def revealed():
    """The result of a guess, as its cell shows it."""
    shown = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guesses, "display", lambda data, **_: shown.append(data))
        patch.setattr(guesses, "get_ipython", object)  # not a plain script
        guess(cards=3)
        reveal("cards", 8)
    return shown[-1]["text/html"]


SAID = Path(__file__).parent / "said" / "cards.txt"
VERIFIED = Verification(strategic=2_085, positions=5_649, replies=297_329, forced_wins=288_139)
CARDS = {  # what shows it, and the kind of its card
    "right": (lambda: Check("right", "All is well.")._repr_html_(), "good"),
    "not yet": (lambda: Check("not yet", "Some is wrong.")._repr_html_(), "soon"),
    "not started": (lambda: Check("not started", "Write your function.")._repr_html_(), "plain"),
    "ladder": (lambda: ladder(lambda board: 4)._repr_html_(), "soon"),
    "hint": (lambda: hint("heuristic_1")._repr_html_(), "you"),
    "guess": (revealed, "you"),
    "proof": (lambda: proved(VERIFIED), "good"),
}


@pytest.mark.parametrize("name", CARDS)
def test_a_card_brings_a_short_style_of_its_own_and_its_words_are_announced(name):
    shown, kind = CARDS[name]
    html = shown()
    around = re.match(r'<div class="ttt-card ([\w ]+)" role="status" style="([^"]*)">', html)
    assert around and around[1].split()[0] == kind and html.endswith("</div>")
    assert EDGES[kind] in around[2] and len(around[2]) < 100
    outside_pictures = re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL)
    assert "<style" not in outside_pictures and outside_pictures.count("style=") == 1
    assert card(kind, "").removesuffix("</div>").partition("role")[2] == around[0].partition("role")[2]


@pytest.mark.parametrize("kind", ["good", "soon", "you"])
def test_the_edge_of_a_bare_card_has_the_colour_of_the_stylesheet(kind):
    assert f"--{kind}: {EDGES[kind]};" in CSS


IN_IPYTHON = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
from ttt.qubic.verifier import Verification
shown, _ = shell.display_formatter.format(Verification(1, 2, 3, 4))
assert shown.keys() == {"text/plain"} and "X wins" in shown["text/plain"]
import lab
shown, _ = shell.display_formatter.format(Verification(1, 2, 3, 4))
assert 'class="ttt-card good"' in shown["text/html"] and "X wins" in shown["text/plain"]
"""


def test_a_notebook_shows_a_proof_as_a_card_where_the_lab_is_loaded_and_as_text_elsewhere():
    subprocess.run([sys.executable, "-c", IN_IPYTHON], check=True)


PROSE = [
    "`a < b` holds",
    "`one` and `two`",
    "**bold**, _it_, [a](b), # c, <b>d</b>",
    "one ` alone",
    "`` is empty",
    "*One* reply of *the other* side, *and* so on",
    "as in `2 *n* 3` or `f(*a, *b)`",
    "2 * 3 * 4, a*b*c, *args, **more and *alone",
]
POINTS = [
    [],
    ["Short."],
    ["Short. And more. Even more."],
    [f"{89 * 'm'}. And more."],  # as long as a headline may be
    [f"{90 * 'm'}. And more."],
    [90 * "m"],
    [91 * "m"],
    ["Short.", "A second point."],
    ["Short.", "One.", "Two."],
    ["Write `a. b` there."],
    ["Write `a.b`. Then run it."],
]


def test_what_the_lab_writes_on_cards():
    parts = {"prose": "\n".join(map(prose, PROSE)), "a proof": proved(VERIFIED)}
    parts["hints"] = folded_hints(["Think.", "Try `b`.", "<c>"])
    for number, points in enumerate(POINTS, 1):
        parts[f"notice {number}"] = notice("○ Heading", points)
    tried = ["Short. And more.", "One.", "Try it yourself: `f(1)`", "Two.", "Try it yourself: `f(2)`"]
    parts["all of a notice"] = notice("✗ Not yet.", tried, "<svg/>", "<b/>", "soon")
    parts["without a heading"] = notice("", ["Short."], kind="you strip")
    parts["a table"] = _table([["<all>", "none", "one"], ["two", "3", "1, not <0>"]])
    style = ' role="status" style="max-width:66ch;padding:10px 16px;border-left:4px solid '
    all_approved(SAID, {name: part.replace(style, " (…) ").replace("><", ">\n<") for name, part in parts.items()})


def test_with_a_legend_what_is_shown_is_below_the_other_points_and_a_call_to_try_after_everything_else():
    points = ["It never cuts.", "Try it yourself: `f(1)`", "In the tree: a value.", "It asks twice."]
    html = notice("Not yet.", points, "<svg></svg>", folded_hints(["Think."]))
    order = ["It never cuts.", "It asks twice.", "<svg>", "In the tree", "<summary>Try it yourself", "<summary>Hint"]
    assert sorted(order, key=html.index) == order and html.count("In the tree") == 1
