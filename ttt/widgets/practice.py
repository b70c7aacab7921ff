"""Practice with alpha-beta: questions about small random trees, with answers that come from the search itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from ttt.board import Board, Mark
from ttt.search import minimax
from ttt.svg import read_number, signed
from ttt.trees import Frame, GameNode, SearchTree, game_tree

LEAST_NODES, MOST_NODES = 12, 45  # of a tree of a game's end that is asked about
MOST_OF_A_KIND = 2  # questions about one tree
WORTH, WINDOW, NEXT = "worth", "window", "next"  # the kinds of questions
FIELDS = {WORTH: ["worth"], WINDOW: ["alpha", "beta"]}  # the numbers that answer them
VISITED, CUT = "visited", "cut off"  # the answers to the third kind
ROW = 5  # right answers in a row after which one can do it


@dataclass(frozen=True)
class Question:
    """A question about the next step of a search.

    Args:
        kind: "worth" (what is this node worth?), "window" (alpha and beta now?) or "next" (visited or cut off?).
        step: the step that answers it; all before it have been shown.
        node: the node that it is about.
        ask: the question in words.
        answer: the worth, or alpha and beta, or "visited" or "cut off".
        why: the answer and its reason, for whoever was wrong.
    """

    kind: str
    step: int
    node: int
    ask: str
    answer: tuple[str, ...]
    why: str


class Practice:
    """Questions without end: a tree of random numbers and the end of a real game in turn, some questions about each.

    Args:
        seed: the same seed gives the same questions.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._left: list[Question] = []
        self._trees = 0
        self.answered = self.right = 0
        self.in_a_row = 0  # right answers since the last wrong one
        self.was_right: bool | None = None  # the last answer; None until there is one
        self._take_a_tree()

    @property
    def question(self) -> Question:
        return self._left[0]

    @property
    def score(self) -> str:
        return f"{self.right} of {self.answered} right" if self.answered else ""

    @property
    def verdict(self) -> str:
        """What is said to the last answer."""
        if not self.was_right:
            return f"Not quite. {self.question.why}"
        if self.in_a_row == ROW:
            return "Right, five right in a row: you can do it."
        return "Right." if self.in_a_row < 2 else f"Right, {self.in_a_row} in a row."

    def go_on(self) -> None:
        """Go to the next question, which may be about another tree."""
        self.was_right = None
        self._left.pop(0)
        if not self._left:
            self._take_a_tree()

    def _take_a_tree(self) -> None:
        """Take a tree about which there is something of each kind to ask, a cut among it."""
        make = (random_numbers, end_of_a_game)[self._trees % 2]
        self._trees += 1
        while True:
            self.tree = make(self._random)
            found = questions(self.tree)
            if any(question.answer == (CUT,) for question in found) and {q.kind for q in found} == {*FIELDS, NEXT}:
                self._left = chosen(found, self._random)
                return

    def unreadable(self, given: Sequence[str]) -> str:
        """The first of these answers that is no number where numbers are asked for; "" if there is none."""
        if self.question.kind not in FIELDS:
            return ""
        return next((text for text in given if isinstance(_read(text), str)), "")

    def judge(self, given: Sequence[str]) -> bool:
        """Count an answer, and say whether it is right."""
        answer = self.question.answer
        self.was_right = [_read(text) for text in given] == [_read(text) for text in answer]
        self.answered += 1
        self.right += self.was_right
        self.in_a_row = self.in_a_row + 1 if self.was_right else 0
        return self.was_right


def questions(tree: SearchTree) -> list[Question]:
    """All questions that a search gives rise to, in the order of its steps."""
    found = []
    for step, (before, frame) in enumerate(pairwise(tree.frames), 1):
        if frame.kind == "value":
            found += _on_return(tree, frame, step)
        if frame.kind == "visit":
            found.append(_on_arrival(tree, frame, step))
        if before.kind == "value" and (following := _following(tree.nodes, before)):
            found.append(_on_next(tree, before, frame, step, following))
    return found


def chosen(found: Sequence[Question], random: Random) -> list[Question]:
    """Some questions of each kind, a cut among them, and none about a step that another one has shown."""
    mixed = random.sample(found, len(found))
    mixed.sort(key=lambda question: (question.answer != (CUT,), question.kind != WORTH))  # the rarest first
    kept: dict[int, Question] = {}
    for question in mixed:
        same = sum(other.kind == question.kind for other in kept.values())
        if question.step not in kept and same < MOST_OF_A_KIND and " ".join(question.answer) != "−∞ +∞":
            kept[question.step] = question
    return [kept[step] for step in sorted(kept)]


# -------------------------------------------------------------------------------------------------------- the questions


def _on_return(tree: SearchTree, frame: Frame, step: int) -> list[Question]:
    """What the node is worth that a value comes back from, and what that does to alpha and beta."""
    child, value = tree.nodes[frame.came], signed(frame.value or 0)
    player, name = tree.search.player, f"cell {child.move}"
    asked = []
    if child.children and frame.looks[child.number].label == value:  # not only a bound
        side, extreme = ("MAX", "largest") if child.is_max else ("MIN", "smallest")
        ask = f"Every move after {name} has been searched. What is {name} worth for {player}?"
        why = f"It is worth {value}: {side} takes the {extreme} of what its moves are worth."
        asked.append(Question(WORTH, step, child.number, ask, (value,), why))
    where = _where(tree.nodes[frame.node])
    ask = f"{name.capitalize()} comes back with {value} for {player}. What are alpha and beta now, {where}?"
    rule = "At a MAX node only alpha can change, and it only rises."
    if not tree.nodes[frame.node].is_max:
        rule = "At a MIN node only beta can change, and it only falls."
    why = f"{_window(frame)}. {rule}"
    asked.append(Question(WINDOW, step, frame.node, ask, (signed(frame.alpha), signed(frame.beta)), why))
    return asked


def _on_arrival(tree: SearchTree, frame: Frame, step: int) -> Question:
    """With which alpha and beta a node begins."""
    node = tree.nodes[frame.node]
    ask = f"Now the search goes down to cell {node.move}. With which alpha and beta does it begin there?"
    why = f"{_window(frame)}. A node begins with alpha and beta as they are at the node above."
    return Question(WINDOW, step, node.number, ask, (signed(frame.alpha), signed(frame.beta)), why)


def _on_next(tree: SearchTree, before: Frame, frame: Frame, step: int, following: GameNode) -> Question:
    """Whether a node's next move is tried."""
    where = _where(tree.nodes[before.node])
    ask = f"The next move to try, {where}, is cell {following.move}. Is it visited or cut off?"
    is_cut = frame.kind == "cut"
    alpha, beta = signed(before.alpha), signed(before.beta)
    why = f"It is visited: alpha, {alpha}, is still below beta, {beta}, so the move may matter."
    if is_cut:
        why = f"It is cut off: alpha, {alpha}, is no longer below beta, {beta}."
    return Question(NEXT, step, before.node, ask, (CUT if is_cut else VISITED,), why)


def _where(node: GameNode) -> str:
    return f"at the node of cell {node.move}" if node.ply else "at the root"


def _window(frame: Frame) -> str:
    return f"Alpha is {signed(frame.alpha)} and beta {signed(frame.beta)}"


def _following(nodes: Sequence[GameNode], frame: Frame) -> GameNode | None:
    """The move that comes after the one that has just come back, if there is one."""
    children = nodes[frame.node].children
    place = children.index(frame.came) + 1
    return nodes[children[place]] if place < len(children) else None


def _read(text: str) -> float | str:
    """A number as somebody writes it, such as -1, −∞ or inf; anything else stays a text."""
    number = read_number(text)
    return text.strip().lower() if number is None else number


# ------------------------------------------------------------------------------------------------------------ the trees


class RandomNumbers:
    """A heuristic that says a random number from −9 to 9 of each board, the same each time.

    Args:
        player: the side from whose view the numbers are drawn; the other side's have the opposite sign.
    """

    def __init__(self, player: Mark, seed: int) -> None:
        self.player = player
        self.seed = seed

    def __call__(self, board: Board, player: Mark) -> float:
        number = Random(f"{self.seed} {''.join(board)}").randint(-9, 9)
        return number if player == self.player else -number


def random_numbers(random: Random) -> SearchTree:
    """A tree of two plies with random numbers at its leaves, on a board where nobody can win so soon."""
    while True:
        board = _played(random, free=random.choice([3, 4]))
        if not any(node.board.over for node in game_tree(board, 2)):
            return SearchTree(board, 2, RandomNumbers(board.turn, random.randrange(10**9)))


def end_of_a_game(random: Random) -> SearchTree:
    """A real game three or four moves before the last cell is filled, with a tree to its end."""
    while True:
        board = _played(random, free=random.choice([3, 4]))
        if LEAST_NODES <= minimax(board).nodes <= MOST_NODES:
            return SearchTree(board)


def _played(random: Random, free: int) -> Board:
    """A game of random moves that isn't over with so many cells free."""
    while True:
        board = Board()
        while len(board.moves) > free and not board.over:
            board = board.play(random.choice(board.moves))
        if not board.over:
            return board
