"""Practice with alpha-beta: questions about small random trees, with answers that come from the search itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle, pairwise
from random import Random
from typing import NamedTuple

from ttt.board import Board
from ttt.drawing.svg import read, signed
from ttt.drawing.trees import GameNode, SearchTree, game_tree

VISITED, CUT = "visited", "cut off"
ASKED = (CUT, "worth", "worth", "alpha", "alpha", VISITED)  # about one tree, what is rarest first
LEAST_NODES, MOST_NODES = 12, 45  # of a tree of a game's end that is asked about
ROW = 5  # right answers in a row after which one can do it


class Question(NamedTuple):
    """A question about the next step of a search."""

    step: int  # that answers it; all before it have been shown
    ask: str
    answer: dict[str, str]  # by name: the "worth"; "alpha" and "beta"; or "next", which is "visited" or "cut off"
    why: str  # the answer and its reason, for whoever was wrong

    @property
    def kind(self) -> str:
        return self.answer.get("next") or next(iter(self.answer))


class Practice:
    """Questions without end, and how they were answered. The same seed gives the same questions."""

    def __init__(self, seed: int | None = None) -> None:
        self._questions = endless(Random(seed))
        self.answered = self.right = self.in_a_row = 0
        self.go_on()

    @property
    def score(self) -> str:
        return f"{self.right} of {self.answered} right" if self.answered else ""

    def go_on(self) -> None:
        """Go to the next question, which may be about another tree."""
        self.tree, self.question = next(self._questions)
        self.verdict = ""  # what is said to the answer; nothing until there is one

    def judge(self, given: Mapping[str, str]) -> None:
        """Count an answer, and say whether it is right."""
        right = all((read(given[name]) or given[name]) == answer for name, answer in self.question.answer.items())
        self.answered += 1
        self.right += right
        self.in_a_row = self.in_a_row + 1 if right else 0
        row = f", {self.in_a_row} in a row" if self.in_a_row > 1 else ""
        if self.in_a_row == ROW:
            row = ", five right in a row: you can do it"
        self.verdict = f"Right{row}." if right else f"Not quite. {self.question.why}"


def endless(random: Random) -> Iterator[tuple[SearchTree, Question]]:
    """A tree of random numbers and the end of a real game in turn, some questions about each."""
    for numbers in cycle([True, False]):
        asked: list[Question] = []
        while not asked:
            tree = small_tree(random, numbers)
            asked = chosen(list(questions(tree)), random)
        yield from ((tree, question) for question in asked)


def questions(tree: SearchTree) -> Iterator[Question]:
    """All questions that a search gives rise to, in the order of its steps."""
    for number, (before, step) in enumerate(pairwise(tree.steps), 1):
        node, child = step.node, step.child
        alpha, beta = signed(step.alpha.value), signed(step.beta.value)
        window, why = {"alpha": alpha, "beta": beta}, f"Alpha is {alpha} and beta {beta}."
        if step.kind == "visit":
            ask = f"Now the search goes down to cell {node.move}. With which alpha and beta does it begin there?"
            why += " A node begins with alpha and beta as they are at the node above."
            yield Question(number, ask, window, why)
        if step.kind == "value":
            value, cell = signed(child.value or 0), f"cell {child.move}"
            if child.children and child.label == value:  # not only a bound
                ask = f"Every move after {cell} has been searched. What is {cell} worth for {tree.board.turn}?"
                extreme = "largest" if child.is_max else "smallest"
                worth = f"It is worth {value}: {child.side} takes the {extreme} of what its moves are worth."
                yield Question(number, ask, {"worth": value}, worth)
            ask = f"{cell.capitalize()} comes back with {value} for {tree.board.turn}. What are alpha and beta now, "
            only = "alpha can change, and it only rises" if node.is_max else "beta can change, and it only falls"
            yield Question(number, f"{ask}{_where(node)}?", window, f"{why} At a {node.side} node only {only}.")
        if before.kind == "value" and before.rest:
            move = before.rest[0].move
            ask = f"The next move to try, {_where(before.node)}, is cell {move}. Is it visited or cut off?"
            answer, why = VISITED, f"alpha, {alpha}, is still below beta, {beta}, so the move may matter"
            if step.kind == "cut":
                answer, why = CUT, f"alpha, {alpha}, is no longer below beta, {beta}"
            yield Question(number, ask, {"next": answer}, f"It is {answer}: {why}.")


def _where(node: GameNode) -> str:
    return f"at the node of cell {node.move}" if node.path else "at the root"


def chosen(found: list[Question], random: Random) -> list[Question]:
    """Some questions of each kind, no two about the same step; or nothing, where no cut or no worth can be asked."""
    kept: dict[int, Question] = {}
    for kind in ASKED:
        fit = [each for each in found if each.kind == kind and each.step not in kept]
        fit = [each for each in fit if each.answer != {"alpha": "−∞", "beta": "+∞"}]  # too easy
        if fit:
            question = random.choice(fit)
            kept[question.step] = question
    return sorted(kept.values()) if {each.kind for each in kept.values()} == {*ASKED} else []


def small_tree(random: Random, numbers: bool) -> SearchTree:
    """A real game to its end; or two plies of one, with random numbers from −9 to 9 at its leaves."""
    seed = random.random()
    while True:
        board = Board()
        for _ in range(random.choice([5, 6])):
            board = board if board.over else board.play(random.choice(board.moves))
        nodes = game_tree(board, 2 if numbers else 4)
        if numbers and not any(node.board.over for node in nodes):  # or a win would outweigh the numbers
            return SearchTree(board, 2, lambda leaf, _: Random(f"{seed} {''.join(leaf)}").randint(-9, 9))
        if not numbers and LEAST_NODES <= len(nodes) <= MOST_NODES:
            return SearchTree(board)
