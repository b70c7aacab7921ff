"""The key of the exercise alpha-beta: the right search, what can go wrong in writing it, the questions, and the marks.

The marks and the texts for students are in `alpha_beta.toml` beside this file. What is compared is the value, and the
boards that the heuristic was asked about, in order: these are what alpha-beta looks at, fail-hard or fail-soft.
"""

from __future__ import annotations

import secrets
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice, product
from math import inf
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ttt.board import Board, Mark, opponent
from ttt.exercises import Case, TreeNode, load
from ttt.exercises.answers import heuristic
from ttt.exercises.exercise import path_of
from ttt.exercises.searching import SENTENCES
from ttt.grading.key import Function, Key, Part, Slip, digest
from ttt.heuristics import Heuristic

NAME = "alpha_beta"
TAKES = ("board", "depth", "heuristic")
SETTINGS = Path(__file__).with_suffix(".toml")
LARGEST_TREE = 60  # nodes of a tree that is shown
SMALL_TREE = 45  # nodes of a whole tree that is chosen because a slip shows on it
SHOWN_ON = 2  # of the trees shown, each slip


class Question(NamedTuple):
    """A question: a board, how many plies to look ahead, and the name of a heuristic."""

    board: Board
    depth: int
    heuristic: str

    @property
    def player(self) -> Mark:
        """The side to move, from which the value is seen."""
        return self.board.turn


# ------------------------------------------------------------------------------------------------ the right search


def solution(
    board: Board, depth: int, heuristic: Heuristic, win: int = 1000, visited: list[TreeNode] | None = None
) -> float:
    """What a board is worth to the side to move on it, by alpha-beta.

    Args:
        visited: gets every node that is visited, in order.
    """
    player = board.turn
    nodes = [] if visited is None else visited

    def worth(board: Board, depth: int, alpha: float, beta: float, moves: tuple[int, ...]) -> float:
        place = len(nodes)
        nodes.append(TreeNode(moves, _bound(alpha), _bound(beta), 0))
        value = inside(board, depth, alpha, beta, moves)
        nodes[place] = nodes[place]._replace(value=value)
        return value

    def inside(board: Board, depth: int, alpha: float, beta: float, moves: tuple[int, ...]) -> float:
        if board.over:
            return _end(board, player, win)
        if depth == 0:
            value: float = heuristic(board, player)
            return value
        best = -inf if board.turn == player else inf
        for move in board.moves:
            value = worth(board.play(move), depth - 1, alpha, beta, (*moves, move))
            if board.turn == player:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    return worth(board, depth, -inf, inf, ())


def _end(board: Board, player: Mark, win: float) -> float:
    """What a finished board is worth to a player."""
    if board.winner is None:
        return 0
    return win if board.winner == player else -win


def _bound(bound: float) -> float | None:
    """A bound as plain data, which knows no infinity."""
    return bound if abs(bound) < inf else None


# ----------------------------------------------------------------------------------------- what can go wrong in it


@dataclass(frozen=True)
class StudentSearch:
    """Alpha-beta as students write it, with whatever goes wrong: every field has its right value at first.

    Args:
        negamax: whether values are seen from the side to move, else from the side to move at the root.
        hard: whether what is returned never leaves the window (fail-hard).
        bound: whether a node that cuts returns the bound at which it did.
        cuts: at which nodes the loop is left: of "both" sides, of "max" or "min" alone, or "never".
        late: whether the loop is left only when the next move has been tried.
        strict: whether alpha must be larger than beta.
        window: what is passed down: the "same" window, a "full" one, "alpha" or "beta" alone, one that is "swapped",
            one that is "full below the root"; in negamax also one that keeps its signs or its places.
        forgets: whether alpha and beta become the last value, even if it is worse than the best so far.
        ahead: plies more than asked for.
        depth_first: whether the heuristic is asked about finished boards, too; "draws" alone, or "all".
        seen_from: for whom the heuristic is asked: the "root", the "mover", the side that has "moved", the "other"
            side than the root's, or "X".
        win: what a won game is worth, and whether it counts more with more plies left.
        max_for: the side that takes the highest value: the "root", "both", the "other", or "X".
        signed: in negamax, whether a child's value changes its sign.
        turned: in negamax, whether the heuristic's value changes its sign where the other side is to move.
        backwards: whether the last move is tried first.
        first_only: whether the first move alone is tried.
        times: how often the heuristic is asked about each board.
        remembers: which boards that were seen before are not looked at again: "all", or those at "depth 0".
        begins: the best value before any move.
        most: the width of the window at the start.
        returns: the "value", or the "first" or "last" move that has it.
    """

    negamax: bool = False
    hard: bool = False
    bound: bool = False
    cuts: str = "both"
    late: bool = False
    strict: bool = False
    window: str = "same"
    forgets: bool = False
    ahead: int = 0
    depth_first: str = ""
    seen_from: str = "root"
    win: float = 1000
    sooner: int = 0
    max_for: str = "root"
    signed: bool = True
    turned: bool = True
    backwards: bool = False
    first_only: bool = False
    times: int = 1
    remembers: str = ""
    begins: float = inf
    most: float = inf
    returns: str = "value"

    def __call__(self, board: Board, depth: int, heuristic: Heuristic) -> float:
        run = Run(self, board, heuristic)
        value = run.worth(board, max(0, depth + self.ahead), -self.most, self.most)
        return value if self.returns == "value" or board.over or depth + self.ahead <= 0 else run.move(board, value)


@dataclass
class Run:
    """One call of a search.

    Args:
        known: what boards are worth, by the plies left, for a search that remembers it.
        values: of the moves of the node that was left last, which is the root at the end.
    """

    search: StudentSearch
    root: Board
    heuristic: Heuristic
    known: dict[tuple[Board, int], float] = field(default_factory=dict)
    values: list[float] = field(default_factory=list)

    @property
    def player(self) -> Mark:
        """The side to move at the root."""
        return self.root.turn

    def move(self, board: Board, value: float) -> int:
        """The first or the last move with the value that was found."""
        best = [move for move, found in zip(self.moves(board), self.values, strict=False) if found == value]
        return best[0 if self.search.returns == "first" else -1] if best else -1

    def moves(self, board: Board) -> Sequence[int]:
        """The moves in the order in which they are tried."""
        moves = board.moves[::-1] if self.search.backwards else board.moves
        return moves[:1] if self.search.first_only else moves

    def worth(self, board: Board, depth: int, alpha: float, beta: float) -> float:
        """What a board is worth, looked up where the search remembers it."""
        remembers = self.search.remembers == "all" or (self.search.remembers == "depth 0" and depth == 0)
        if remembers and (board, depth) in self.known:
            return self.known[board, depth]
        value = self.leaf(board, depth)
        if value is None:
            value = self.inside(board, depth, alpha, beta)
        self.known[board, depth] = value
        return value

    def leaf(self, board: Board, depth: int) -> float | None:
        """What a leaf is worth; None for other nodes."""
        search = self.search
        drawn = not board.moves and not board.winner
        asks = depth <= 0 and (not board.over or search.depth_first == "all")
        if asks or (search.depth_first == "draws" and drawn):
            return self.judged(board)
        if not board.over:
            return None
        seen = board.turn if search.negamax else self.player
        return _end(board, seen, search.win + search.sooner * depth)

    def judged(self, board: Board) -> float:
        """What the heuristic says."""
        names = {"mover": board.turn, "moved": opponent(board.turn), "other": opponent(self.player), "X": "X"}
        asked = names.get(self.search.seen_from, self.player)
        for _ in range(self.search.times):
            value: float = self.heuristic(board, asked)
        for_root = self.search.seen_from not in ("mover", "moved")
        turned = self.search.negamax and self.search.turned and for_root and board.turn != self.player
        return -value if turned else value

    def inside(self, board: Board, depth: int, alpha: float, beta: float) -> float:
        """What a node is worth by its moves."""
        search = self.search
        highest = search.negamax or self.takes_highest(board)
        best = -search.begins if highest else search.begins
        if search.hard and search.begins == inf:
            best = alpha if highest else beta
        values = []
        for move in self.moves(board):
            value = self.worth(board.play(move), depth - 1, *self.below(board, alpha, beta))
            value = -value if search.negamax and search.signed else value
            values.append(value)
            leaves = self.leaves(board, alpha, beta)
            best = max(best, value) if highest else min(best, value)
            if highest:
                alpha = value if search.forgets else max(alpha, value)
            else:
                beta = value if search.forgets else min(beta, value)
            if leaves if search.late else self.leaves(board, alpha, beta):
                if search.bound:
                    best = beta if highest else alpha
                break
        self.values = values
        return best

    def takes_highest(self, board: Board) -> bool:
        """Whether the side to move takes the highest value."""
        sides = {"root": self.player, "other": opponent(self.player), "both": board.turn}
        return board.turn == sides.get(self.search.max_for, "X")

    def below(self, board: Board, alpha: float, beta: float) -> tuple[float, float]:
        """The window that is passed down."""
        windows = {
            "same": (-beta, -alpha) if self.search.negamax else (alpha, beta),
            "full": (-inf, inf),
            "alpha": (-inf, -alpha) if self.search.negamax else (alpha, inf),
            "beta": (-beta, inf) if self.search.negamax else (-inf, beta),
            "swapped": (beta, alpha),
            "not turned": (alpha, beta),
            "signs only": (-alpha, -beta),
        }
        if self.search.window == "full below the root":
            return windows["full" if board == self.root else "same"]
        return windows[self.search.window]

    def leaves(self, board: Board, alpha: float, beta: float) -> bool:
        """Whether the loop is left."""
        side = "max" if board.turn == self.player else "min"
        cuts = self.search.cuts in ("both", side)
        return cuts and (alpha > beta or (alpha == beta and not self.search.strict))


def seen_from_x(board: Board, depth: int, heuristic: Heuristic) -> float:
    """The right search, but all values are seen from X."""
    turned = solution(board, depth, lambda asked, _: (1 if board.turn == "X" else -1) * heuristic(asked, "X"))
    return turned if board.turn == "X" else -turned


NEGAMAX = StudentSearch(negamax=True)
FORMS = tuple(StudentSearch(negamax=negamax, hard=hard) for negamax, hard in product((False, True), repeat=2))


def in_all(**different: Any) -> tuple[StudentSearch, ...]:
    """A slip in all forms of the search: minimax and negamax, fail-soft and fail-hard."""
    return tuple(replace(form, **different) for form in FORMS)


def in_windows(window: str) -> tuple[StudentSearch, ...]:
    """A wrong window in all forms of the search, with what a cut returns in each."""
    return (*in_all(window=window), *in_all(window=window, bound=True))


# The mistakes that the check knows by their answers, each with what the student is told.
SLIPS = (
    Slip(
        "never cuts",
        SENTENCES["never cuts"],
        (*in_all(cuts="never"), *in_all(window="full")),
    ),
    Slip(
        "cuts on one side only",
        "Your function cuts at the boards of one side only. Both sides have a reason to stop: test alpha >= beta "
        "where a side takes the highest value, and where a side takes the lowest.",
        (*in_all(cuts="max"), *in_all(cuts="min")),
    ),
    Slip(
        "> instead of >=",
        "Your function goes on where alpha equals beta. Such a move can't be better than what is there already, "
        "so cut there, too: alpha >= beta.",
        in_all(strict=True),
    ),
    Slip(
        "cuts one move late",
        "Your function cuts one move too late: it tests alpha >= beta before it takes the new value into account. "
        "Raise alpha, or lower beta, first.",
        in_all(late=True),
    ),
    Slip(
        "window not passed down",
        "Your function does not pass alpha and beta down. Each call must get the window of the board above it; "
        "only the first call begins with -inf and inf.",
        (*in_windows("full below the root"), *in_windows("alpha"), *in_windows("beta")),
    ),
    Slip(
        "window not turned round",
        "Your function does not turn the window round. In negamax, what one side has at least is what the other "
        "side lets it have at most: pass -beta down as alpha, and -alpha as beta.",
        tuple(search for search in in_windows("not turned") if search.negamax),
    ),
    Slip(
        "cuts at once",
        "Your function leaves the loop after the first move, even where nothing is known yet: alpha >= beta holds "
        "at once. Are alpha and beta passed down in the right order, and does each side move only its own bound?",
        (*in_windows("swapped"), *(search for search in in_windows("signs only") if search.negamax)),
    ),
    Slip(
        "window too narrow at the start",
        "Your function begins with a window that is no wider than the values. Begin with alpha = -inf and beta = "
        "inf: then a win cuts only where the other side has one already.",
        in_all(most=1000),
    ),
    Slip(
        "alpha and beta forgotten",
        "Your function sets alpha or beta to the last value, even if an earlier move was better. Write "
        "alpha = max(alpha, value), and beta = min(beta, value).",
        in_all(forgets=True),
    ),
    Slip(
        "one ply less",
        SENTENCES["one ply less"],
        in_all(ahead=-1),
    ),
    Slip(
        "one ply more",
        SENTENCES["one ply more"],
        in_all(ahead=1),
    ),
    Slip(
        "end of the game tested after the depth",
        SENTENCES["end of the game tested after the depth"],
        in_all(depth_first="all"),
    ),
    Slip(
        "draws not seen",
        SENTENCES["draws not seen"],
        (*in_all(depth_first="draws"), *in_all(depth_first="draws", cuts="never")),
    ),
    Slip(
        "heuristic asked for the side to move",
        SENTENCES["heuristic asked for the side to move"],
        in_all(seen_from="mover"),
    ),
    Slip(
        "heuristic asked for the side that has moved",
        SENTENCES["heuristic asked for the side that has moved"],
        in_all(seen_from="moved"),
    ),
    Slip(
        "heuristic asked for the other side",
        SENTENCES["heuristic asked for the other side"],
        in_all(seen_from="other"),
    ),
    Slip(
        "always seen from X",
        SENTENCES["always seen from X"],
        (seen_from_x, StudentSearch(max_for="X"), *in_all(seen_from="X"), StudentSearch(max_for="X", seen_from="X")),
    ),
    Slip(
        "sign of the win",
        SENTENCES["sign of the win"],
        in_all(win=-1000),
    ),
    Slip(
        "another worth for a win",
        SENTENCES["another worth for a win"],
        tuple(
            replace(form, win=win, sooner=sooner)
            for form, (win, sooner) in product(
                FORMS,
                [(win, 0) for win in (1, 10, 100, 999, 10_000, 100_000)] + [(1000, 1), (1000, -1), (100_000, 1)],
            )
        ),
    ),
    Slip(
        "both sides maximise",
        "In your function both sides take the highest value. Seen from the root, the other side takes the lowest.",
        (StudentSearch(max_for="both"), StudentSearch(max_for="both", cuts="never")),
    ),
    Slip(
        "sign not changed",
        "In your function a child's value keeps its sign. What is good for the side to move there is as bad for "
        "the side to move here: value = -worth(child, ...).",
        (replace(NEGAMAX, signed=False), replace(NEGAMAX, signed=False, cuts="never")),
    ),
    Slip(
        "sign of the heuristic",
        "In your function the heuristic's value keeps its sign. In negamax a value is that of the side to move, so "
        "where the other side is to move it is -heuristic(board, player).",
        tuple(search for search in in_all(turned=False) if search.negamax),
    ),
    Slip(
        "max and min swapped",
        "In your function the side to move at the root takes the lowest value, and the other side the highest. It "
        "is the other way round.",
        (StudentSearch(max_for="other"), StudentSearch(max_for="other", cuts="never")),
    ),
    Slip(
        "moves in another order",
        SENTENCES["moves in another order"],
        in_all(backwards=True),
    ),
    Slip(
        "only the first move",
        "Your function looks at the first move only. Is there a return inside the loop, or is the loop left at "
        "once because alpha >= beta holds from the start?",
        in_all(first_only=True),
    ),
    Slip(
        "best value begins at 0",
        "In your function the best value begins at 0, so a side that can only lose seems to have a draw. Begin "
        "with -inf where the highest value is taken, and with inf where the lowest is.",
        (*in_all(begins=0), *in_all(begins=0, cuts="never")),
    ),
    Slip(
        "heuristic asked twice",
        SENTENCES["heuristic asked twice"],
        (*in_all(times=2), *in_all(times=3)),
    ),
    Slip(
        "boards remembered",
        "Your function remembers boards that it has seen, and does not look at them again. That is a good idea, "
        "but it is not alpha-beta alone: a value found in one window may be no more than a bound in another.",
        (*in_all(remembers="all"), *in_all(remembers="all", cuts="never"), *in_all(remembers="depth 0")),
    ),
    Slip(
        "returns the move",
        "Your function returns a move. Return what the board is worth.",
        (*in_all(returns="first"), *in_all(returns="last")),
    ),
)


# -------------------------------------------------------------------------------------------------- the questions


Shape = tuple[int, ...]
BOARDS: tuple[tuple[Shape, int], ...] = (((3, 3), 3), ((3, 4), 3), ((4, 4), 4))  # shapes, and how many in a row win
MADE_UP = ("numbers to 1", "numbers to 3", "numbers to 99")  # with many ties, with some, and with few


def tree_size(board: Board, depth: int) -> int:
    """The nodes of the whole tree."""
    if board.over or depth == 0:
        return 1
    return 1 + sum(tree_size(board.play(move), depth - 1) for move in board.moves)


def late_boards(rng: Random, most: int, number: int) -> list[Board]:
    """Unfinished boards from random games, with so many free cells at most."""
    found: dict[Board, None] = {}
    while len(found) < number:
        shape, k = BOARDS[len(found) % len(BOARDS)]
        board, free = Board(shape, k), rng.randint(2, most)
        while not board.over and len(board.moves) > free:
            board = board.play(rng.choice(board.moves))
        if not board.over:
            found[board] = None
    return list(found)


def finished_boards(rng: Random, number: int) -> list[Board]:
    """Finished boards from random games: as many won by X, won by O, and drawn."""
    found: dict[Board, None] = {}
    while len(found) < number:
        board = Board()
        while not board.over:
            board = board.play(rng.choice(board.moves))
        if board.winner == (None, "X", "O")[len(found) % 3]:
            found[board] = None
    return list(found)


def small_questions(rng: Random) -> list[Question]:
    """Questions with a tree that is small enough to be drawn, the smallest first."""
    questions = [
        Question(board, depth, name)
        for board in late_boards(rng, 5, 120)
        for depth in range(1, 5)
        for name in ("open-lines", f"{rng.choice(MADE_UP)}, small", f"{rng.choice(MADE_UP)}, little")
    ]
    small = [question for question in questions if tree_size(*question[:2]) <= SMALL_TREE]
    return sorted(small, key=lambda question: tree_size(*question[:2]))


def deep_questions(rng: Random, seeds: Sequence[str]) -> list[Question]:
    """Questions with larger trees, two to four plies deep, on boards with more free cells."""
    questions = []
    for seed, depth, (shape, k) in product(seeds, (2, 3, 4), BOARDS):
        board, free = Board(shape, k), {2: 9, 3: 7, 4: 6}[depth] - rng.randint(0, 1)
        while len(board.moves) > free:
            after = board.play(rng.choice(board.moves))
            board = Board(shape, k) if after.over else after
        questions.append(Question(board, depth, seed))
    return questions


def simple_questions(rng: Random, seed: str) -> list[Question]:
    """Finished boards, and boards where the search looks no more than one ply ahead, or to the end of the game."""
    boards = late_boards(rng, 4, 12)
    finished = zip(finished_boards(rng, 6), (0, 0, 0, 1, 2, 3), strict=True)
    return [
        *(Question(board, depth, "open-lines") for board, depth in finished),
        *(Question(board, depth, f"{MADE_UP[2]}, {seed}") for depth in (0, 1) for board in boards[:6]),
        *(Question(board, len(board.moves), "open-lines") for board in boards[6:]),
    ]


def with_own_numbers(question: Question, rng: Random) -> Question:
    """A question about numbers of its own: who is shown one such question learns nothing about the others."""
    kind, _, seed = question.heuristic.partition(", ")
    return question._replace(heuristic=f"{kind}, {rng.getrandbits(64):x}") if seed else question


def shown_questions(candidates: Sequence[Question], functions: Iterable[Function]) -> list[Question]:
    """The first questions on which each of some functions is wrong, the simplest first."""
    right = Key(NAME, solution, tuple(candidates), (), takes=TAKES)
    chosen = set()
    for function in functions:
        wrong = (
            place
            for place, question in enumerate(candidates)
            if not right.is_right(place, right.answer(function, question))
        )
        chosen |= set(islice(wrong, SHOWN_ON))
    return [candidates[place] for place in sorted(chosen)]


# ------------------------------------------------------------------------------------------------------- the key


@cache
def key(seed: str = "") -> Key:
    """The key, worked out from the settings.

    Args:
        seed: draws the questions that students don't have; without it they are others each time.
    """
    return key_for(settings(), seed or secrets.token_hex(8))


def settings() -> dict[str, Any]:
    """What `alpha_beta.toml` says."""
    return tomllib.loads(SETTINGS.read_text(encoding="utf-8"))


def key_for(settings: Mapping[str, Any], seed: str) -> Key:
    """The key that follows from settings.

    Args:
        seed: draws the questions that students don't have.
    """
    asked = [Question(*case.question) for case in load(NAME).cases] if path_of(NAME).exists() else check_questions()
    rng = Random(seed)
    drawn = [
        *simple_questions(rng, "new"),
        *(question._replace(heuristic=f"{rng.choice(MADE_UP)}, new") for question in asked if question.depth > 1),
        *deep_questions(rng, [f"{name}, new" for name in MADE_UP]),
    ]
    questions = tuple(dict.fromkeys([*asked, *(with_own_numbers(question, rng) for question in drawn)]))
    return SearchKey(
        name=NAME,
        right=solution,
        questions=questions,
        parts=tuple(parts(questions, settings)),
        hints=tuple(settings["texts"]["hints"]),
        takes=TAKES,
        named_by="searching",
        made_from=digest([settings["texts"]]),
        slips=SLIPS,
        worked=worked(),
        scope="boards of several shapes, up to four plies ahead",
    )


def check_questions() -> list[Question]:
    """What the check asks, chosen afresh: the same each time."""
    rng = Random(NAME)
    functions = [function for slip in SLIPS for function in slip.functions]
    asked = [
        *simple_questions(rng, "first"),
        *shown_questions(small_questions(rng), functions),
        *deep_questions(rng, [*(f"{name}, deep" for name in MADE_UP), "open-lines"]),
    ]
    return sorted(dict.fromkeys(asked), key=lambda question: tree_size(question.board, question.depth))


def parts(questions: Sequence[Question], settings: Mapping[str, Any]) -> Iterator[Part]:
    """The parts, each with the places of its questions."""
    kinds: dict[str, set[int]] = {name: set() for name in settings["marks"]}
    for place, question in enumerate(questions):
        kinds[kind(question)].add(place)
        kinds["all"].add(place)
        if question.depth > 1:
            kinds["leaves"].add(place)
    for name, marks in settings["marks"].items():
        yield Part(name, settings["parts"][name], marks, frozenset(kinds[name]), name in ("leaves", "all"))


def kind(question: Question) -> str:
    """The part of the marks for its value that a question belongs to."""
    board, depth, _ = question
    if board.over or depth >= len(board.moves):
        return "ends"
    if depth > 2:
        return "deep"
    return "values" if board.turn == "X" else "sides"


def worked() -> tuple[Case, ...]:
    """The trees on paper: three moves with three answers each, for the side to move at the root."""
    first, ties = ((4, 7, 5), (3, 9, 8), (6, 2, 1)), ((5, 6, 7), (5, 1, 2), (8, 5, 0))
    return (
        Case((first,), 4, terms={"a": 4, "b": 3, "c": 2, "looked_at": 6}),
        Case((ties,), 5, terms={"looked_at": 6}),
    )


class SearchKey(Key):
    """The key of the exercise, whose questions with small trees are shown as trees."""

    def drawn_with(self, seed: str) -> Key:
        """The key with the questions that this seed draws."""
        return key(seed)

    def check_questions(self) -> Sequence[Question]:
        """What the check asks, chosen afresh, since slips may have been added."""
        return check_questions()

    def explained(self, question: Any) -> Case:
        """The case of a question, with the tree of the right search if it is small."""
        case = super().explained(question)
        board, depth, name = question
        visited: list[TreeNode] = []
        solution(board, depth, heuristic(name), visited=visited)
        return replace(case, tree=tuple(visited) if 1 < len(visited) <= LARGEST_TREE else ())
