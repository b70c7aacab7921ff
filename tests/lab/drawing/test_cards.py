"""Cards: what the lab says under a cell, and what is left of it without a stylesheet."""

import re
import subprocess
import sys
from html import unescape

import pytest
from lab import check, guess, hint, ladder, reveal
from lab.boards import guesses
from lab.checks.verdict import Check, _table
from lab.drawing.cards import CSS, EDGES, MAX_HEADLINE, card, folded_hints, notice, prose, proved

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


VERIFIED = Verification(strategic=2_085, positions=5_649, replies=297_329, forced_wins=288_139)
CARDS = {  # what shows it, and the kind of its card
    "right": (lambda: Check("right", "All is well.")._repr_html_(), "good"),
    "not yet": (lambda: check(lambda board, player: 0, "heuristic_1")._repr_html_(), "soon"),
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


def test_the_card_of_a_proof_names_its_verdict_and_all_that_was_counted():
    html, words = proved(VERIFIED), str(VERIFIED)
    assert re.search("<p><strong>✓ [^<]*X wins[^<]*</strong></p>", html)
    for number in ("2,085", "5,649", "297,329", "288,139"):
        assert number in html and number in words
    assert unescape(re.sub("<[^>]+>", "", html)) == words.replace("\n", "") and repr(VERIFIED) == words


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


@pytest.mark.parametrize(
    "text, html",
    [
        ("`a < b` holds", "<code>a &lt; b</code> holds"),
        ("`one` and `two`", "<code>one</code> and <code>two</code>"),
        ("**bold**, _it_, [a](b), # c, <b>d</b>", "**bold**, _it_, [a](b), # c, &lt;b&gt;d&lt;/b&gt;"),
        ("one ` alone", "one ` alone"),
        ("`` is empty", "`` is empty"),
        (
            "*One* reply of *the other* side, *and* so on",
            "<em>One</em> reply of <em>the other</em> side, <em>and</em> so on",
        ),
        ("as in `2 *n* 3` or `f(*a, *b)`", "as in <code>2 *n* 3</code> or <code>f(*a, *b)</code>"),
        ("2 * 3 * 4, a*b*c, *args, **more and *alone", "2 * 3 * 4, a*b*c, *args, **more and *alone"),
    ],
)
def test_what_is_between_backquotes_is_code_words_between_asterisks_are_stressed_and_nothing_else_is_markup(text, html):
    assert prose(text) == html


def parts(html):
    """The headline, if there is one, and what follows: paragraphs and items of a list."""
    [headline] = re.findall(r'<p class="lead">(.*?)</p>', html) or [""]
    rest = html.partition("</strong></p>")[2].replace('<p class="lead">', "")
    return headline, re.findall(r"<(p|li)>(.*?)</\1>", rest)


LONG = "This first sentence is much too long to be a headline, since it has more letters than fit on a line"


@pytest.mark.parametrize(
    "points, headline, others",
    [
        ([], "", []),
        (["Short."], "Short.", []),
        (["Short. And more. Even more."], "Short.", [("p", "And more. Even more.")]),
        ([f"{LONG}. And more."], "", [("p", f"{LONG}. And more.")]),
        (["Short.", "A second point."], "Short.", [("p", "A second point.")]),
        (["Short.", "One.", "Two."], "Short.", [("li", "One."), ("li", "Two.")]),
        (["Write `a. b` there."], "", [("p", "Write <code>a. b</code> there.")]),
        (["Write `a.b`. Then run it."], "Write <code>a.b</code>.", [("p", "Then run it.")]),
    ],
)
def test_a_short_first_sentence_is_the_headline_and_nothing_is_lost(points, headline, others):
    html = notice("○ Heading", points)
    assert len(LONG) > MAX_HEADLINE and "<p><strong>○ Heading</strong></p>" in html
    assert parts(html) == (headline, others)


def test_what_is_shown_comes_after_the_first_point_and_a_call_to_try_is_folded():
    html = notice("✗ Not yet.", ["Short. And more.", "One.", "Try it yourself: `f(1)`"], "<svg/>", "<b/>")
    after = re.sub(r"\s*<(?!svg|b/|details|/details)[^>]*>\s*", "|", html.partition("</strong></p>")[2])
    assert [*filter(None, after.split("|"))] == [
        *["Short.", "And more.", "<svg/>", "One.", "<details>", "Try it yourself", "f(1)", "</details><b/>"]
    ]


def test_a_table_has_heads_and_says_in_words_and_by_a_sign_what_is_wrong():
    html = _table([["<all>", "none", "one"], ["two", "3", "1, not <0>"]])
    above = '<th scope="colgroup" colspan="2">&lt;all&gt;</th>'
    heads = ['<th scope="col">none</th>', '<th scope="col">one</th>', '<th scope="row">two</th>']
    assert re.findall("<th.*?</th>", html) == [above, *heads]
    assert re.findall("<td.*?</td>", html) == [
        *2 * ["<td></td>"],  # screen readers would announce a head without words, too
        "<td>3</td>",
        '<td class="bad"><b>✗ 1</b> <small>not &lt;0&gt;</small></td>',
    ]


def test_each_hint_is_inside_the_one_before():
    second = "<details><summary>Hint 2 of 2</summary><p>Try <code>b</code>.</p></details>"
    first = f"<details><summary>Hint 1 of 2</summary><p>Think.</p>{second}</details>"
    assert folded_hints(["Think.", "Try `b`."]) == first
