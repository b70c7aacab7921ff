"""Practice with alpha-beta: questions about small random trees, with answers that come from the search itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from random import Random
from typing import NamedTuple

from ttt.board import Board
from ttt.svg import read_number, signed
from ttt.trees import GameNode, SearchTree, Step, game_tree

LEAST_NODES, MOST_NODES = 12, 45  # of a tree of a game's end that is asked about
MOST_OF_A_KIND = 2  # questions about one tree
VISITED, CUT = "visited", "cut off"
ROW = 5  # right answers in a row after which one can do it


class Question(NamedTuple):
    """A question about the next step of a search.

    Args:
        step: the number of the step that answers it; all before it have been shown.
        ask: the question in words.
        answer: the right answers by name: the "worth"; "alpha" and "beta"; or "next", which is "visited" or "cut off".
        why: the answer and its reason, for whoever was wrong.
    """

    step: int
    ask: str
    answer: dict[str, str]
    why: str

    @property
    def kind(self) -> tuple[str, ...]:
        return tuple(self.answer)


class Practice:
    """Questions without end: a tree of random numbers and the end of a real game in turn, some questions about each.

    Args:
        seed: the same seed gives the same questions.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._makers = [random_numbers, end_of_a_game]
        self._left: list[Question] = []
        self.answered = self.right = self.in_a_row = 0
        self.go_on()

    @property
    def question(self) -> Question:
        return self._left[0]

    @property
    def score(self) -> str:
        return f"{self.right} of {self.answered} right" if self.answered else ""

    def go_on(self) -> None:
        """Go to the next question, which may be about another tree."""
        self.verdict = ""  # what is said to the answer; nothing until there is one
        self._left = self._left[1:]
        while not self._left:
            self.tree = self._makers[0](self._random)
            self._left = chosen(questions(self.tree), self._random)
            if self._left:
                self._makers.reverse()

    def judge(self, given: Mapping[str, str]) -> None:
        """Count an answer, and say whether it is right."""
        right = all(_read(given.get(name, "")) == _read(text) for name, text in self.question.answer.items())
        self.answered += 1
        self.right += right
        self.in_a_row = self.in_a_row + 1 if right else 0
        row = f", {self.in_a_row} in a row" if self.in_a_row > 1 else ""
        if self.in_a_row == ROW:
            row = ", five right in a row: you can do it"
        self.verdict = f"Right{row}." if right else f"Not quite. {self.question.why}"


def questions(tree: SearchTree) -> Iterator[Question]:
    """All questions that a search gives rise to, in the order of its steps."""
    for number, (before, step) in enumerate(pairwise(tree.steps), 1):
        if step.kind == "value":
            yield from _on_return(tree, step, number)
        if step.kind == "visit":
            ask = f"Now the search goes down to cell {step.node.move}. With which alpha and beta does it begin there?"
            rule = "A node begins with alpha and beta as they are at the node above."
            yield _window(step, number, ask, rule)
        if before.kind == "value" and before.rest:
            yield _next(before, step, number)


def chosen(found: Iterator[Question], random: Random) -> list[Question]:
    """Some questions of each kind, a cut among them, and none about a step that another one has shown; or nothing."""
    mixed = list(found)
    random.shuffle(mixed)
    mixed.sort(key=lambda question: (question.answer != {"next": CUT}, question.kind != ("worth",)))  # the rarest first
    kept: dict[int, Question] = {}
    for question in mixed:
        same = sum(other.kind == question.kind for other in kept.values())
        known = question.answer == {"alpha": "−∞", "beta": "+∞"}  # too easy
        if question.step not in kept and same < MOST_OF_A_KIND and not known:
            kept[question.step] = question
    asked = [kept[step] for step in sorted(kept)]
    cut = any(question.answer == {"next": CUT} for question in asked)
    return asked if cut and len({question.kind for question in asked}) == 3 else []


# -------------------------------------------------------------------------------------------------------- the questions


def _on_return(tree: SearchTree, step: Step, number: int) -> Iterator[Question]:
    """What the node is worth that a value comes back from, and what that does to alpha and beta."""
    child, value = step.child, signed(step.child.value or 0)
    name = f"cell {child.move}"
    if child.children and child.label == value:  # not only a bound
        extreme = "largest" if child.is_max else "smallest"
        ask = f"Every move after {name} has been searched. What is {name} worth for {tree.board.turn}?"
        why = f"It is worth {value}: {child.side} takes the {extreme} of what its moves are worth."
        yield Question(number, ask, {"worth": value}, why)
    comes = f"{name.capitalize()} comes back with {value} for {tree.board.turn}"
    rule = "At a MAX node only alpha can change, and it only rises."
    if not step.node.is_max:
        rule = "At a MIN node only beta can change, and it only falls."
    yield _window(step, number, f"{comes}. What are alpha and beta now, {_where(step.node)}?", rule)


def _window(step: Step, number: int, ask: str, rule: str) -> Question:
    alpha, beta = signed(step.alpha.value), signed(step.beta.value)
    why = f"Alpha is {alpha} and beta {beta}. {rule}"
    return Question(number, ask, {"alpha": alpha, "beta": beta}, why)


def _next(before: Step, step: Step, number: int) -> Question:
    """Whether a node's next move is tried."""
    ask = f"The next move to try, {_where(before.node)}, is cell {before.rest[0].move}. Is it visited or cut off?"
    alpha, beta = signed(before.alpha.value), signed(before.beta.value)
    answer, why = VISITED, f"alpha, {alpha}, is still below beta, {beta}, so the move may matter"
    if step.kind == "cut":
        answer, why = CUT, f"alpha, {alpha}, is no longer below beta, {beta}"
    return Question(number, ask, {"next": answer}, f"It is {answer}: {why}.")


def _where(node: GameNode) -> str:
    return f"at the node of cell {node.move}" if node.ply else "at the root"


def _read(text: str) -> float | str:
    """A number as somebody writes it, such as -1, −∞ or inf; anything else stays a text."""
    number = read_number(text)
    return text if number is None else number


# ------------------------------------------------------------------------------------------------------------ the trees


def random_numbers(random: Random) -> SearchTree:
    """A tree of two plies with numbers from −9 to 9 at its leaves, on a board where nobody can win so soon."""
    seed = random.random()
    while True:
        board = _position(random)
        if not any(node.board.over for node in game_tree(board, 2)):
            return SearchTree(board, 2, lambda leaf, _: Random(f"{seed} {''.join(leaf)}").randint(-9, 9))


def end_of_a_game(random: Random) -> SearchTree:
    """A real game with a tree to its end."""
    while True:
        board = _position(random)
        if LEAST_NODES <= len(game_tree(board, len(board.moves))) <= MOST_NODES:
            return SearchTree(board)


def _position(random: Random) -> Board:
    """A game of random moves that isn't over, three or four moves before the last cell is filled."""
    free = random.choice([3, 4])
    while True:
        board = Board()
        while len(board.moves) > free and not board.over:
            board = board.play(random.choice(board.moves))
        if not board.over:
            return board
