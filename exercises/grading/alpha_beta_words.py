"""A sentence for each lost point of the exercise alpha-beta, with what the values and the calls prove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import isfinite, isinf
from typing import TYPE_CHECKING

from lab.checks.calling import Value

from exercises.grading.alpha_beta_questions import DEPTHS, Highest, boards_due, right_answer, search_with

if TYPE_CHECKING:
    from exercises.grading.alpha_beta import Judged, Shares

VALUES = {
    "now": "the value at depth 0",
    "one": "the value one ply ahead",
    "deeper": "the value two to four plies ahead",
    "over": "the value of a board where the game is over",
    "ends": "the value where every game ends within the depth",
    "mixed": "the value where only some games end within the depth",
}
MAX_SHOWN_WORTHS = 4
# Wrong ideas of who takes the highest value, each in words.
HIGHEST: dict[str, Highest] = {
    "X always takes the highest value; the side to move at the root should": lambda board, _: board.turn == "X",
    "O always takes the highest value; the side to move at the root should": lambda board, _: board.turn == "O",
    "From the second ply down, the same side moves every time: pass on `not maximizing`": lambda _, ply: ply == 0,
}


def told(judged: Judged, points: Mapping[str, float], most: Mapping[str, int]) -> dict[str, str]:
    """Why each part lost points."""
    found = {}
    for part in most:
        if points[part] < most[part]:
            if judged.other_worth and part in ("over", "ends"):
                words = _another_worth(judged)
            elif part in VALUES:
                words = _wrong_values(judged, part)
            else:
                words = {"asked": _asked, "cuts": _cuts, "order": _order}[part](judged)
            found[part] = f"Your function {words}."
    if found and (hint := _on_larger_boards(judged)):
        first = next(part for part in found if part in VALUES)
        found[first] += hint
    return found


def _on_larger_boards(judged: Judged) -> str:
    """What to look for in a function that is right on 3×3 only."""
    lost = {
        judged.items[n].group.shape for n in judged.places("over") if judged.items[n].winner and not judged.right[n]
    }
    if lost == {"larger boards"} and not judged.other_worth:
        return " On larger boards it doesn't see who has won: use `board.winner`, not a table of lines."
    right = {"3×3": list[bool](), "larger boards": list[bool]()}
    for n in judged.places("deeper"):
        right[judged.items[n].group.shape].append(judged.right[n])
    if all(right["3×3"]) and 2 * sum(right["larger boards"]) < len(right["larger boards"]):
        return " It is right on 3×3 only: does it go through `board.moves`, or through 9 cells?"
    return ""


def number(value: Value) -> str:
    """A value as students read it."""
    if not isinstance(value, int | float):
        return "no number"
    return f"{value:,.10g}".replace("-", "−").replace("inf", "infinity")


def _another_worth(judged: Judged) -> str:
    """What a win is worth instead of 1,000, by the plies that decide it."""
    by_ply: dict[int, set[str]] = {}
    by_left: dict[int, set[str]] = {}
    for (ply, left), worths in sorted(judged.worths.items()):
        by_ply.setdefault(ply, set()).update(map(number, worths))
        by_left.setdefault(left, set()).update(map(number, worths))
    every = sorted(set().union(*by_ply.values()))
    what = f"such as {', '.join(every[:MAX_SHOWN_WORTHS])}"
    if len(every) == 1:
        what = f"always {every[0]}"
    elif all(len(worths) == 1 for worths in by_left.values()):
        plies = {left: "1 ply" if left == 1 else f"{left} plies" for left in by_left}
        what = ", ".join(f"{min(worths)} with {plies[left]} left" for left, worths in sorted(by_left.items()))
    elif all(len(worths) == 1 for worths in by_ply.values()):
        what = ", ".join(f"{min(worths)} at ply {ply}" for ply, worths in by_ply.items())
    return f"gives a win another worth than 1,000: {what}. Its other values are judged by that worth"


def _where(shares: Shares) -> str:
    """Which groups are wrong, by the first of shape, side and depth that explains them all."""
    wrong = [group for group, share in shares.items() if share < 1]
    fine = [group for group, share in shares.items() if share == 1]
    for place in range(3) if fine else ():
        bad, good = ({group[place] for group in groups} for groups in (wrong, fine))
        if not bad & good:
            named = ("on {}", "with {} to move at the root", "at depth {}")[place]
            return f" {named.format(_and(bad))}, while all is right {named.format(_and(good))}"
    return ""


def _and(names: set[str] | set[int | str]) -> str:
    return " and ".join(sorted(map(str, names)))


def _wrong_values(judged: Judged, part: str) -> str:
    places = judged.places(part)
    wrong = [place for place in places if not judged.right[place]]
    question, value = judged.items[wrong[0]].question, judged.values[wrong[0]]
    (board, depth, _), due = question, number(right_answer(question)[0])
    ahead = {0: "", 1: ", one ply ahead,"}.get(depth, f", {depth} plies ahead,")
    shown = str(board).replace("\n", " / ")
    example = f"on {shown} with {board.turn} to move{ahead} it returns {number(value)}"
    example += f"; {due} is right" if value is None else f" instead of {due}"
    some = f"{len(wrong)} of {len(places)} values"
    return f"gets {VALUES[part]} wrong{_where(judged.shares[part])} ({some}): {example}{_proof(judged, part, wrong)}"


def _proof(judged: Judged, part: str, wrong: Sequence[int]) -> str:
    """What all wrong values of a part have in common, as the end of a sentence."""
    items = [judged.items[place] for place in wrong]
    pairs = [(judged.values[place], right_answer(judged.items[place].question)[0]) for place in wrong]
    numbers = [(value, due) for value, due in pairs if isinstance(value, int | float)]
    if len(numbers) < len(pairs):
        return ""
    if all(value == -due for value, due in numbers):
        if part == "over" and {judged.items[n].question[0].turn for n in wrong} == {"O"}:
            return ". A won game is always judged for X"
        return ". Each wrong value is the right one with the wrong sign"
    if part in DEPTHS and len(pairs) > 2 and (factor := _factor(numbers)):
        return f". Each wrong value is the right one {factor}"
    if all(isinf(value) for value, _ in numbers):
        return ". Each wrong value is infinity: a bound, or a best value that no move has replaced"
    if len(pairs) > 2 and all(value == 0 for value, _ in numbers):
        return ". Each wrong value is 0"
    if all(value in item.question[0].moves for item, (value, _) in zip(items, numbers, strict=True)):
        return ". Each wrong value is a free cell: return what the best move is worth, not the move"
    if part in ("over", "ends") and not any(due for _, due in pairs):
        return ". Only drawn games are wrong"
    if part in ("over", "ends") and all(item.winner and item.ply == item.question[1] for item in items):
        return ". Only games that end just where no plies are left are wrong: test whether the game is over first"
    for words, highest in HIGHEST.items() if part in ("deeper", "mixed") else ():
        if all(
            value == search_with(item.question, highest=highest)[0]
            for item, (value, _) in zip(items, numbers, strict=True)
        ):
            return f". {words}"
    for words, more in (("one ply further ahead", 1), ("one ply less far ahead", -1)):
        others = [(board, depth + more, name) for board, depth, name in (item.question for item in items)]
        possible = all(depth >= 0 for _, depth, _ in others)
        if possible and all(value == search_with(other)[0] for (value, _), other in zip(numbers, others, strict=True)):
            return f". Each wrong value is the value {words}"
    return ""


def _factor(numbers: Sequence[tuple[float, float]]) -> str:
    """By what all right values, the second of each pair, were multiplied or divided; "" if by nothing in common."""
    factors = {round(value / due, 9) if due else 0 for value, due in numbers}
    if len(factors) > 1 or not isfinite(factor := factors.pop()) or not factor:
        return ""
    return f"divided by {number(1 / factor)}" if abs(factor) < 1 else f"multiplied by {number(factor)}"


def _asked(judged: Judged) -> str:
    """For whom, or how deep, the heuristic is asked instead."""
    calls = [(judged.items[n].question, one) for n in judged.places("one", "deeper") for one in judged.answers[n].asked]
    if not calls:
        return "never asks the heuristic below the root"
    if any(call[-1] != board.turn for (board, *_), call in calls):
        whom = "the right side on some boards only"
        if all(call[-1] == "XO"[call[:-1].count("X") > call[:-1].count("O")] for _, call in calls):
            whom = "the side to move on the board it asks about"
        elif len({call[-1] for _, call in calls}) == 1:
            whom = f"{calls[0][1][-1]} always"
        return f"asks the heuristic for {whom}, not for the side to move at the root"
    plies = [len(board.moves) - call.count("-") for (board, *_), call in calls]
    other = sum(ply != question[1] for ply, (question, _) in zip(plies, calls, strict=True))
    where = f"in {other:,} of {len(calls):,} calls"
    if other and 0 in plies and all(ply <= question[1] for ply, (question, _) in zip(plies, calls, strict=True)):
        return f"asks the heuristic about the boards above the given depth, too, {where}"
    if other:
        return f"asks the heuristic at another depth than the given one {where}"
    return f"doesn't ask the heuristic on some boards{_where(judged.shares['asked'])}"


def _cuts(judged: Judged) -> str:
    if not any(share == 1 for share in judged.shares["deeper"].values()):
        return "gets no points for cuts, because a cut that loses the value is no use: first make the values right"
    if judged.saved <= 0.02:
        return "never cuts: it asks the heuristic about as many boards as minimax does"
    if not max(judged.shares["cuts"].values()) < 1:
        return f"gets no points for cuts where its values are wrong{_where(judged.shares['cuts'])}"
    return f"skips only {100 * judged.saved:.0f} % of the boards that alpha-beta skips"


def _order(judged: Judged) -> str:
    places = judged.places("deeper")
    both = [(judged.calls(n), judged.items[n].question, n) for n in places]
    right = [group for group, share in judged.shares["deeper"].items() if share == 1]
    wrong = [n for mine, question, n in both if mine != boards_due(question)]
    off = [(mine, question) for mine, question, n in both if n in wrong and judged.items[n].group in right]
    what = f"doesn't look at alpha-beta's boards, in its order, on {len(wrong)} of {len(places)} questions"
    if not off:
        return f"{what}{_where(judged.shares['order'])}: first make the values right there"
    why = "it looks at other boards, or in another order"
    first, asked = off[0][0], boards_due(off[0][1])
    if all([board for board, _ in groupby(mine)] == boards_due(question) for mine, question in off):
        why = "it asks about the same board twice in a row"
    elif all(mine == boards_due(question, strict=True) for mine, question in off):
        why = "it continues where `alpha` equals `beta`, as `>` does in place of `>=`"
    elif any(len(mine) < len(boards_due(question)) for mine, question in off):
        why = "it takes the moves in another order, or leaves boards out"
    elif len(first) > len(asked):
        why = f"on one of them it asks about {len(first)} boards instead of {len(asked)}"
    return f"{what}: {why}"
