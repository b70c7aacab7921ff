"""Widgets in use: all that they say and show while somebody presses one thing after another."""

import re
from operator import attrgetter
from pathlib import Path

import pytest
from approved import approved
from conftest import moves_to
from games import Chomp, Kayles, Nim, first, nim
from lab import Explorer, GameBoard, fill_in
from lab.boards.board_view import Scene, board_html
from lab.boards.recap import Recap, RecapQuestion
from lab.boards.tree import POSITIONS
from lab.drawing.layout import Tree, chip
from lab.drawing.narration import explain_step
from lab.drawing.own_positions import brief, picture
from lab.drawing.trees import Look, SearchTree, game_tree
from oracles import other
from reader import Session, drawn, heard, numbered, page
from waiting import LONG

from ttt import Board, open_lines
from ttt.svg import LOOKS

SAID = Path(__file__).parent / "said"
QUESTIONS = [
    RecapQuestion("What is `2 + 2`?", "4", "Two and two are *four*.", {"5": "One too many.", "22": "That is a text."}),
    RecapQuestion("What is 2 × 3?", "6", "Three twos.", {"5": "That is the `+`.", "<b>23</b>": "That is a text."}),
]


@pytest.fixture(autouse=True)
def notebook(monkeypatch):
    """In each test a heuristic has time to give its numbers, however slow the machine is."""
    monkeypatch.setattr("lab.boards.game.MAX_JUDGING_SECONDS", LONG)


def plays(*cells):
    """The reports of clicks."""
    return [("play", str(cell)) for cell in cells]


def second(board):
    return board.moves[1]


def told(self, take):
    return f"take <{take}>\n of {self.heap}"


def heaps():
    """A game in which moves from the same heap share a row."""
    parts = {
        "moves": [(0, 1), (1, 1), (1, 2)],
        "play": lambda self, move: type(self)(self.heap, other(self.turn)),
        "describe": lambda self, move: f"take {move[1]} from heap {move[0] + 1}",
        "__str__": lambda self: "heap 1: 1   heap 2: 2",
    }
    return nim("Heaps", **parts)


def practised(explorer):
    """Questions of each kind, answered wrong, with something that is no number, and right."""
    session = Session(explorer).do(("practise", 2))
    for number in range(9):
        right = explorer.practice.question.answer
        if number == 1:
            session.do(("answer", dict.fromkeys(right, "")), ("answer", dict.fromkeys(right, "one")))
        session.do(("answer", right if number in (5, 7, 8) else dict.fromkeys(right, "1000")), "next_question")
    return session.do("stop_practising", "stop_practising", "next_question")


BOARDS = {
    "a game is won, taken back, won again, and another one is lost": lambda: Session(GameBoard("flash-clever")).do(
        *plays(*moves_to("X")),
        "undo",
        *plays(moves_to("X")[-1]),
        "hint",
        *plays(0),
        "new_game",
        *plays(*moves_to("O")),
        ("threats", True),
    ),
    "a game as O is drawn, and marks change": lambda: Session(GameBoard("flash-clever", person="O")).do(
        *plays(*moves_to(None, "O")), ("person", "X"), ("person", "O"), "undo"
    ),
    "what the computer sees, by a rule or by its numbers": lambda: Session(
        GameBoard("flash-clever", start=Board.from_text("--- -X- --O"))
    ).do(("sees", True), ("numbers", False), *plays(0, 6), ("threats", True), "hint", ("sees", False), "undo"),
    "a player of your own, and a heuristic that is not the opponent's": lambda: Session(
        GameBoard(second, heuristic=open_lines, start=Board.from_text("X-- -O- ---"))
    ).do(("sees", True), *plays(1, 1, 8), ("opponent", "negamax"), *plays(7), ("opponent", "second (yours)")),
    "players without numbers": lambda: Session(GameBoard(first, start=Board((2, 2), 2))).do(
        ("sees", True), ("opponent", "negamax"), ("opponent", "random")
    ),
    "layers": lambda: Session(GameBoard(first, start=Board((2, 2, 2), 2), labels={5: "five", 7: "<7>"})).do(
        ("look", "turned"), ("numbers", True), "hint", *plays(7), ("opponent", "negamax"), ("sees", True), "undo"
    ),
    "no threats when the game is over": lambda: Session(GameBoard(start=Board.from_text("XX- OOO X--"))).do(
        ("threats", True), ("numbers", False)
    ),
    "as many cells as keys": lambda: Session(GameBoard(first, start=Board((10,), 3))),
    "more cells than keys": lambda: Session(GameBoard(first, start=Board((11,), 3))),
}


def position(game):
    return [str(game.board)]


def texts():
    """How positions with these texts are shown, and how they are told in brackets."""
    lines = []
    for text in ("<b> & c", "1: <   b c", "a  b\nc  d", "object at 0x7f", 47 * "x", 48 * "x"):
        start = nim("Told", __str__=lambda self, text=text: text)
        shown = re.search('<(pre|div) class="own.*?(</pre>|</div></div>)', GameBoard(start=start).html, re.DOTALL)[0]
        lines += [shown, f"in brackets:{brief(start)}"]
    return "\n".join(lines)


def without_move(self):
    return "a move"


def misspelt(self, take):
    return self.heaps


def names_that_go_wrong():
    """What the button says, and then the message."""
    lines = []
    for describe in (misspelt, lambda self, take: None, lambda self, take: " ", without_move, "a move"):
        game = GameBoard(first, start=nim("Misnamed", 2, describe=describe))
        lines += [heard(game.html)[2], Session(game, position).do(*plays(0)).told[-3]]
    return numbered("\n".join(lines), __file__)


def refused(start, *moves):
    return Session(GameBoard(first, start=start), position).python(*(f"game.play({move})" for move in moves))


def late(self, take):
    if take == 2:
        raise ValueError("two")
    return Nim.play(self, take)


def nothing(self, take):
    return None if take == 2 else Nim.play(self, take)


def blamed(player, shown=position, **parts):
    session = Session(GameBoard(player, start=nim("Faulty", 12, **parts)), shown).do(*plays(0))
    return numbered("\n".join(session.told), __file__)


GAMES = {
    "texts": texts,
    "names that go wrong": names_that_go_wrong,
    "moves in Python": lambda: refused(Kayles("!!!!!!"), "(1.0, 2)", "3, 5", "(9, 10)", "4").python("game.hint()"),
    "no move": lambda: "\n".join(refused(Nim(heap), 4).message for heap in (12, 2, 1)),
    "a player that fails": lambda: blamed(lambda here: 9, page),
    "a game that fails": lambda: blamed(lambda here: 2, play=late),
    "a game that returns nothing": lambda: blamed(lambda here: 2, play=nothing),
    "a game with heaps": lambda: Session(GameBoard(first, start=heaps(), labels={(1, 2): "best"})).do(*plays(2)),
    "a game that describes its moves is lost": lambda: Session(
        GameBoard(first, start=nim("Told", 6, describe=told), labels={2: "<two>"})
    ).do(("sees", True), *plays(0), "hint", *plays(0, 0), "undo", "new_game"),
    "a game is won, and another as O": lambda: Session(GameBoard(first, start=Nim(5))).do(
        *plays(0, 2), ("person", "O"), *plays(1), ("opponent", "best-play")
    ),
    "moves in rows": lambda: Session(GameBoard(first, start=Kayles("!!!"))).do(*plays(3)),
    "a draw": lambda: Session(GameBoard(first, start=nim("Even", 2, winner=None))).do(*plays(1)),
    "texts for moves": lambda: Session(GameBoard(first, start=Chomp((2, 1)))).do(*plays(1)),
}
TREES = {
    "a search": lambda: Session(Explorer(Nim(3))).do(*(("step", number) for number in (*range(1, 17), -1))),
    "cuts and orders": lambda: Session(Explorer(Board.from_text("--X X-O OXO"), "most-lines")).do(
        ("order", "row-major"),
        "next_cut",
        "next_cut",
        ("order", "best-gain"),
        ("order", "random"),
        ("step", 0),
        ("position", "X has to block"),
        ("order", "most-lines"),
    ),
    "positions": lambda: Session(Explorer(Nim(1)), lambda tree: [tree.tree.order, str(tree.tree.board)]).do(
        ("order", "best-gain"),
        ("position", "X has to block"),
        ("order", "best-gain"),
        ("position", "Your own"),
        *(("position", name) for name in POSITIONS),
    ),
    "names of moves": lambda: Session(Explorer(nim("Told", 2, describe=told))).do(("step", 4)),
    "wrong names of moves": lambda: Session(Explorer(nim("Misnamed", 1, describe=attrgetter("heaps")))),
    "no names of moves": lambda: Session(Explorer(nim("Misnamed", 1, describe=lambda self, take: None))),
    "practice": lambda: practised(Explorer(Nim(1))),
    "filled in": lambda: Session(fill_in(Nim(3))).do(
        "show",
        ("check", {"1": " ", "0": ""}),
        ("check", {"1": "5", "0": "1", "2": "one"}),
        ("check", {"1": "1", "2": "1", "5": "-1"}),
        "show",
        ("check", {"0": "1", "1": "-1", "2": "1", "5": "–1"}),
        "show",
    ),
    "filled in on a board": lambda: Session(fill_in(Board.from_text("XOX O-X -O-"))).do(("check", {"1": "0"})),
}
ANSWERS = [("answer", ["0", "5"]), ("answer", ["1", "5"]), ("answer", ["1", "7"]), ("answer", ["0", "4"])]
RECAPS = {"a recap": lambda: Session(Recap(QUESTIONS)).do(*ANSWERS, ("answer", ["1", "6"]))}


def steps(*arguments, **options):
    tree = SearchTree(*arguments, **options)
    return "\n".join(explain_step(tree, step) for step in tree.steps)


def names(letters):
    tree = Explorer(nim("Long", 1, describe=lambda self, take: letters * "m"))
    return re.search('class="move"[^>]*>([^<]*)', tree.html)[1]


def faces(*texts):
    """How positions with these texts look in a tree: where X moves, where O moves, and at the end."""
    trees = [Explorer(nim("Told", 2, __str__=lambda self, text=text: text)) for text in texts]
    shown = [re.findall(r'<g class="small"><text[^>]*>(.*?)</text>', tree.html) for tree in trees]
    return "\n".join(f"{text!r}: {' '.join(face[:3])}" for text, face in zip(texts, shown, strict=True))


def moves_of(start):
    return drawn(GameBoard(first, start=start).html.partition('<div class="beside">')[0])


SCENE = Scene(Board.from_text("XX- O-- --O"), last=8, values={5: "5"}, hint=2, playable=True, threats=True)
LAYERS = Board((2, 1, 2), 2).play(0)
DRAWINGS = {
    "a board on the page": lambda: drawn(board_html(SCENE)),
    "layers on the page": lambda: "\n\n".join(drawn(board_html(Scene(LAYERS, numbers=True, look=it))) for it in LOOKS),
    "moves on the page": lambda: moves_of(heaps()),
    "a search on the page": lambda: drawn(Explorer(Nim(1)).html),
    "fields": lambda: "\n".join(re.findall("(?:input|b) .*fill.*|b .*sign.*|form .*", drawn(fill_in(Nim(2)).html))),
    "a tree": lambda: drawn(Explorer(Nim(2)).picture()),
    "a tree to fill in": lambda: drawn(fill_in(Nim(1)).snapshot()),
    "long names": lambda: drawn(Explorer(nim("Long", 1, describe=lambda self, take: 34 * "m")).picture()),
    "longest names": lambda: "\n".join(names(letters) for letters in (32, 33, 34)),
    "notes": lambda: drawn(with_notes()),
    "labels": lambda: "\n".join(f"{label!r}: {chip(label)}" for label in ("+1", "−1", "0", "≥ +1", "3 cut", "", " ")),
    "faces": lambda: faces("7 sheep", "87 sheep", "a & b", "a\nb", "\t"),
    "a position": lambda: drawn(
        picture(nim("Text", 2, __str__=lambda self: "a < b\n  longer"), "Title", caption="Run")
    ),
    "steps": lambda: steps(Board.from_text("O-- OXX X--")),
    "cuts": lambda: "\n".join(re.findall("Elsewhere.*", steps(Board.from_text("--X --X OO-")))),
    "steps to a depth": lambda: steps(Nim(3), depth=1, numbers=lambda here: here.heap),
}


def with_notes():
    """Part of a tree, with two lines of notes below each node."""
    nodes = game_tree(Nim(2), 2)
    looks = [Look("done", f"{node.number}", f"<a>\nnote {node.number}") for node in nodes]
    return Tree(nodes, [True, True, False, True], notes=2).drawn(looks, {1})


FILES = {"boards": BOARDS, "games": GAMES, "trees": TREES, "recaps": RECAPS, "drawings": DRAWINGS}


@pytest.mark.parametrize("name", [name for scenes in FILES.values() for name in scenes])
def test_all_that_a_widget_says_and_shows_while_it_is_used(name):
    for file, scenes in {
        "boards": BOARDS,
        "games": GAMES,
        "trees": TREES,
        "recaps": RECAPS,
        "drawings": DRAWINGS,
    }.items():
        if name in scenes:
            assert approved(SAID / f"{file}.txt", name, str(scenes[name]()))
