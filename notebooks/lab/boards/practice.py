"""Alpha-beta practice: questions about small random trees, answered by the search itself."""

from collections.abc import Iterator, Mapping
from itertools import cycle, pairwise, takewhile
from random import Random
from typing import NamedTuple

from lab.drawing.narration import node_name
from lab.drawing.trees import GameNode, SearchTree, game_tree
from lab.drawing.words import normalise_number
from ttt.board import Board
from ttt.notation import signed

VISITED, CUT = "visited", "cut off"
ASKED = (CUT, "worth", "worth", "alpha", "alpha", VISITED)  # kinds of questions about one tree, rarest first
MIN_NODES, MAX_NODES = 12, 45  # size of a tree from the end of a real game
LEAVES = {  # what the leaves' numbers mean, by whether the leaves are ends of games
    True: "At the leaves the game is over: +1 means X has won, −1 means O has won, and 0 is a draw.",
    False: "The numbers at the leaves are made up. Treat them as a heuristic's values for these boards, seen from X.",
}


class PracticeQuestion(NamedTuple):
    """A question about the next step of a search."""

    tree: SearchTree
    step: int  # number of the step that answers it; all earlier steps are shown
    node: GameNode  # what it is about
    ask: str
    answer: dict[str, str]  # by name: the "worth"; "alpha" and "beta"; or "next", which is "visited" or "cut off"
    why: str  # the answer and its reason, shown after a wrong answer

    @property
    def kind(self) -> str:
        return self.answer.get("next") or next(iter(self.answer))


class Practice:
    """An endless series of questions, with a record of the answers. The same seed gives the same questions."""

    def __init__(self, seed: int | None = None) -> None:
        self._questions = endless(Random(seed))
        self.answered: list[bool] = []  # whether each answer was right
        self.go_on()

    def go_on(self) -> None:
        """Move on to the next question, perhaps about another tree."""
        self.question = next(self._questions)
        self.verdict = ""  # the reply to the answer; "" before one is given

    def judge(self, given: Mapping[str, str]) -> None:
        """Count an answer, and say whether it is right."""
        answer = self.question.answer
        yours = {name: normalise_number(given[name]) or given[name] for name in answer}
        self.answered.append(yours == answer)
        row = len(list(takewhile(bool, reversed(self.answered))))
        right = f"✓ Right, {row} in a row." if row > 1 else "✓ Right."
        said = [f"{name} {text}" if len(yours) > 1 else text for name, text in yours.items()]
        self.verdict = right if row else f"✗ Not quite. You answered {' and '.join(said)}. {self.question.why}"


def endless(random: Random) -> Iterator[PracticeQuestion]:
    """Questions of each kind, each about another step, on trees of made-up numbers and real games' ends in turn."""
    for numbers in cycle([True, False]):
        tree = small_tree(random, numbers)
        kept: dict[int, PracticeQuestion] = {}  # keyed by step
        hard = [question for question in possible_questions(tree) if question.answer != {"alpha": "−∞", "beta": "+∞"}]
        for kind in ASKED:
            if fit := [question for question in hard if question.kind == kind and question.step not in kept]:
                question = random.choice(fit)
                kept[question.step] = question
        if {question.kind for question in kept.values()} == {*ASKED}:
            yield from (kept[step] for step in sorted(kept))


def possible_questions(tree: SearchTree) -> Iterator[PracticeQuestion]:
    """Yield every question a search can raise, in the order of its steps."""
    for number, (before, step) in enumerate(pairwise(tree.steps), 1):
        node, child = step.node, step.child
        alpha, beta = signed(step.alpha.value), signed(step.beta.value)
        window, why = {"alpha": alpha, "beta": beta}, f"At {node_name(node)}, alpha is {alpha} and beta {beta}."
        if step.kind == "visit":
            ask = f"Now the search goes down to {node_name(node)}. What are alpha and beta there at the start?"
            why += " A node starts with the alpha and beta of the node above."
            yield PracticeQuestion(tree, number, node, ask, window, why)
        if step.kind == "value":
            value = signed(child.value or 0)
            if child.children and child.label == value:  # exact, not just a bound
                ask = f"Every reply to {node_name(child)} has been searched. What is that move worth to X?"
                extreme = "largest" if child.is_max else "smallest"
                worth = f"{node_name(child)} is worth {value}: {child.side} takes the {extreme} of its moves' values."
                yield PracticeQuestion(tree, number, child, ask, {"worth": value}, worth)
            ask = (
                f"{node_name(child)} comes back with {value} for X. What are alpha and beta now, at {node_name(node)}?"
            )
            only = "alpha can change, and it can only rise" if node.is_max else "beta can change, and it can only fall"
            yield PracticeQuestion(tree, number, node, ask, window, f"{why} At a {node.side} node only {only}.")
        if before.kind == "value" and before.rest:
            node, child = before.node, before.rest[0]
            ask = f"The next move at {node_name(node)} is {child.names[-1]}. Does the search visit it or cut it off?"
            answer, why = VISITED, f"alpha, {alpha}, is still below beta, {beta}, so the move may matter."
            if step.kind == "cut":
                answer, why = CUT, f"alpha, {alpha}, is no longer below beta, {beta}."
            why = f"{node_name(child)} is {answer}: {why}"
            yield PracticeQuestion(tree, number, child, ask, {"next": answer}, why)


def small_tree(random: Random, numbers: bool) -> SearchTree:
    """The tree of a real game's end; or two plies of one, with random numbers from −9 to 9 at the leaves."""
    seed = random.random()
    while True:
        board, plies = Board(), random.choice([5, 6])
        while not board.over and len(board.moves) > 9 - plies:
            board = board.play(random.choice(board.moves))
        nodes = game_tree(board, 2 if numbers else 4)
        if numbers and not any(node.board.over for node in nodes):  # because a win would outweigh the numbers
            return SearchTree(board, depth=2, numbers=lambda leaf: Random(f"{seed} {''.join(leaf)}").randint(-9, 9))
        if not numbers and MIN_NODES <= len(nodes) <= MAX_NODES:
            return SearchTree(board)
