"""Practice with alpha-beta: questions about small random trees, with answers that come from the search itself."""

from collections.abc import Iterator, Mapping
from itertools import cycle, pairwise, takewhile
from random import Random
from typing import NamedTuple

from ttt.board import Board
from ttt.drawing.narration import move_name, named
from ttt.drawing.svg import read, signed
from ttt.drawing.trees import SearchTree, game_tree

VISITED, CUT = "visited", "cut off"
ASKED = (CUT, "worth", "worth", "alpha", "alpha", VISITED)  # about one tree, what is rarest first
LEAST_NODES, MOST_NODES = 12, 45  # of a tree of a game's end that is asked about
LEAVES = {  # what the numbers at the leaves are, by whether they are ends of games
    True: "At a leaf the game is over: it is worth +1 where X has won, −1 where O has, and 0 if it is drawn.",
    False: "The numbers at the leaves are made up. Take them for what a heuristic says of these boards, seen from X.",
}


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
        self.answered: list[bool] = []  # whether each answer was right
        self.go_on()

    def go_on(self) -> None:
        """Go to the next question, which may be about another tree."""
        self.tree, self.question = next(self._questions)
        self.verdict = ""  # what is said to the answer; nothing until there is one

    def judge(self, given: Mapping[str, str]) -> None:
        """Count an answer, and say whether it is right."""
        answers = self.question.answer.items()
        self.answered.append(all((read(given[name]) or given[name]) == answer for name, answer in answers))
        row = len(list(takewhile(bool, reversed(self.answered))))
        self.verdict = f"Right, {row} in a row." if row else f"Not quite. {self.question.why}"


def endless(random: Random) -> Iterator[tuple[SearchTree, Question]]:
    """Questions of each kind, no two about the same step, on trees of numbers and the ends of real games in turn."""
    for numbers in cycle([True, False]):
        tree = small_tree(random, numbers)
        kept: dict[int, Question] = {}  # by their steps
        hard = [question for question in questions(tree) if question.answer != {"alpha": "−∞", "beta": "+∞"}]
        for kind in ASKED:
            if fit := [question for question in hard if question.kind == kind and question.step not in kept]:
                question = random.choice(fit)
                kept[question.step] = question
        if {question.kind for question in kept.values()} == {*ASKED}:
            yield from ((tree, kept[step]) for step in sorted(kept))


def questions(tree: SearchTree) -> Iterator[Question]:
    """All questions that a search gives rise to, in the order of its steps."""
    for number, (before, step) in enumerate(pairwise(tree.steps), 1):
        node, child = step.node, step.child
        alpha, beta = signed(step.alpha.value), signed(step.beta.value)
        window, why = {"alpha": alpha, "beta": beta}, f"Alpha is {alpha} and beta {beta}."
        if step.kind == "visit":
            ask = f"Now the search goes down to {named(node)}. With which alpha and beta does it begin there?"
            why += " A node begins with alpha and beta as they are at the node above."
            yield Question(number, ask, window, why)
        if step.kind == "value":
            value = signed(child.value or 0)
            if child.children and child.label == value:  # not only a bound
                ask = f"Every move after {named(child)} has been searched. What is that move worth to X?"
                extreme = "largest" if child.is_max else "smallest"
                worth = f"It is worth {value}: {child.side} takes the {extreme} of what its moves are worth."
                yield Question(number, ask, {"worth": value}, worth)
            ask = f"{named(child)} comes back with {value} to X. What are alpha and beta now, at {named(node)}?"
            only = "alpha can change, and it only rises" if node.is_max else "beta can change, and it only falls"
            yield Question(number, ask, window, f"{why} At a {node.side} node only {only}.")
        if before.kind == "value" and before.rest:
            move = move_name(before.rest[0].move)
            ask = f"The next move to try, at {named(before.node)}, is {move}. Is it visited or cut off?"
            answer, why = VISITED, f"alpha, {alpha}, is still below beta, {beta}, so the move may matter"
            if step.kind == "cut":
                answer, why = CUT, f"alpha, {alpha}, is no longer below beta, {beta}"
            yield Question(number, ask, {"next": answer}, f"It is {answer}: {why}.")


def small_tree(random: Random, numbers: bool) -> SearchTree:
    """A real game to its end; or two plies of one, with random numbers from −9 to 9 at its leaves."""
    seed = random.random()
    while True:
        board, plies = Board(), random.choice([5, 6])
        while not board.over and len(board.moves) > 9 - plies:
            board = board.play(random.choice(board.moves))
        nodes = game_tree(board, 2 if numbers else 4)
        if numbers and not any(node.board.over for node in nodes):  # or a win would outweigh the numbers
            return SearchTree(board, 2, lambda leaf, _: Random(f"{seed} {''.join(leaf)}").randint(-9, 9))
        if not numbers and LEAST_NODES <= len(nodes) <= MOST_NODES:
            return SearchTree(board)
