"""Players in files: asked in the sandbox, about the boards that they can reach, and never trusted."""

import json
import re
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest
from conftest import folder, naming
from submissions import program, sources

from exercises.grading import GradingError
from exercises.grading.isolation import sandbox
from exercises.grading.judging import players
from exercises.grading.results import feedback
from ttt import PLAYERS, Board, Player, exact

LEVEL = sandbox.reached()
BOARDS = [Board(), Board().play(4)]
FIRST = "def my_player(board):\n    return board.moves[0]\n"
DICE = "dice.choice(board.moves) if len(board.moves) > 7 else board.moves[0]"


@pytest.fixture(autouse=True)
def patient(monkeypatch, here):
    """Moves may take long, however slow or busy the machine is."""
    monkeypatch.setattr(players, "PLAYER", replace(players.PLAYER, each=20))


def answers(folder, source):
    """What a player's file answers about two boards, each twice."""
    file = folder / "mine.py"
    file.write_text(program("my_player", source))
    with ExitStack() as opened:
        return list(players.policies_from(players.ready(file, LEVEL, opened), "mine", BOARDS, 2))


@pytest.mark.parametrize("name, source", sources("players")["good"].items())
def test_a_player_may_use_the_lab_and_chance(name, source, tmp_path):
    for board, policies in zip(BOARDS, answers(tmp_path, source), strict=True):
        assert len(policies) == 2 and all(set(policy) <= set(board.moves) for policy in policies)


@pytest.mark.parametrize("name, source, words", [(name, *both) for name, both in sources("players")["bad"].items()])
def test_a_player_that_fails_loses_by_a_reason_that_says_how(name, source, words, tmp_path, monkeypatch):
    if "seconds" in words:  # it goes on without end
        monkeypatch.setattr(players, "PLAYER", replace(players.PLAYER, each=0.3))
    reasons = [answer for answer in answers(tmp_path, source) if isinstance(answer, str)]
    assert any(re.search(naming("mine", *words), reason) for reason in reasons), reasons


def test_files_play_the_exact_games_of_their_functions_and_others_are_left_out_with_a_note(tmp_path):
    files = {
        "first.py": FIRST,
        "taken.py": "def my_player(board):\n    return 4\n",
        "dice.py": f"from random import Random\ndice = Random(2)\n{FIRST}".replace("board.moves[0]", DICE),
        "none.py": "def other(board): return 0\n",
        "dies.py": "def my_player(board): return 0\nimport os; os._exit(3)\n",
    }
    folder(tmp_path, files)
    found = players.hold_tournament([*(str(tmp_path / name) for name in files), *["random", "nobody.py"] * 2], LEVEL)
    assert {one.player for one in found.standings} == {"first", "taken", "≈ dice", "random"}
    assert found.notes == (
        f"Left out: {tmp_path}/none.py has no player: it must define a function `my_player(board)`.",
        f"Left out: {tmp_path}/dies.py can't play: it did not start in time.",
        f"Left out: nobody.py is neither a player nor a file. The players are {', '.join(PLAYERS)}.",
        "≈ dice moves at random, so its points are estimated.",
    )
    points = {(result.x, result.o): result.points for result in found.results}
    first = Player("first", lambda board: board.moves[0])
    dice = Player("dice", lambda board: PLAYERS["random"].policy(board) if len(board.moves) > 7 else board.moves[0])
    truth = exact("random", first).points
    assert points["random", "first"] == pytest.approx(truth)
    assert points["≈ dice", "first"] == pytest.approx(exact(dice, first).points, abs=0.2)
    (row,) = [one for one in found.standings if one.player == "taken"]
    assert re.search(naming("4", "taken"), row.loses) and row.points > 0
    told, picture = feedback.drawn(row.loses)
    assert "<svg" in picture and re.search(naming("4", "taken"), told) and " / " not in told
    page = feedback.rendered("tournament.html", results=found, lab=PLAYERS)
    assert "<i>random</i>" in page and "<bdi>first</bdi>" in page and f"{100 * truth:.1f} %" in page


def test_if_too_few_can_play_the_files_left_out_are_named():
    with pytest.raises(GradingError, match=naming("nobody.py", "perfect")):
        players.hold_tournament(["nobody.py", "random"], LEVEL)


def test_of_two_files_with_one_name_the_second_is_left_out(tmp_path):
    folder(tmp_path, {"a/ann.py": FIRST, "b/ann.py": "never = read"})
    files = [str(tmp_path / name / "ann.py") for name in "ab"]
    found = players.hold_tournament([*files, "random"], LEVEL)
    assert {one.player for one in found.standings} == {"ann", "random"}
    assert re.search(naming("b/ann.py", "already a player called ann", "rename"), "\n".join(found.notes))


class Replying:
    """A sandbox that answers each question with the next of these."""

    def __init__(self, *replies):
        self.replies = replies

    def send(self, order):
        number, *_ = json.loads(order)
        self.lines = iter([reply and [number + (reply == "odd"), reply] for reply in self.replies])

    def why_it_ended(self):
        return "It ended."


REPLIES = {  # what a player's sandbox says, and what comes of it
    "why <b>“": "mine said: “why <b>❝”",
    "odd": "mine answered a question that was not asked.",
    None: "mine gave no answer. It ended.",
}
LATE = {"move": "2 seconds for one move", "boards": "60 seconds for all boards"}


def test_nothing_that_a_sandbox_says_is_taken_for_a_move_but_moves():
    says = [*REPLIES, *({"late": late} for late in (*LATE, "none")), [[[0, 1]], [[4, 1]]], [[[9, 1]]] * 2, [[[0, 1]]]]
    heard = [*players.policies_from(Replying(*says), "mine", [Board()] * len(says), 2)]
    not_asked = REPLIES["odd"]
    late = [f"mine took more than {told}." for told in LATE.values()]
    moves = [{0: 1}, {4: 1}], "mine gave something that is not a move."
    assert heard == [*REPLIES.values(), *late, not_asked, *moves, not_asked]


def test_a_player_that_changes_an_answer_is_asked_more_often_there_and_elsewhere(monkeypatch):
    asked = []

    def policies_from(sandbox, name, boards, times):
        asked.append((list(boards), times))
        return [[{0: 1.0}, *[{int(board == BOARDS[1]): 1.0}] * (times - 1)] for board in boards]

    monkeypatch.setattr(players, "policies_from", policies_from)
    players.asked("mine", None, BOARDS)
    assert asked == [(BOARDS, 2), (BOARDS[:1], 6), (BOARDS[1:], 30)]


def test_a_player_may_wait_for_its_turn_while_others_compute(tmp_path, monkeypatch):
    """Its sandbox is started with those of the others, long before it is asked, and is looked at all the time."""
    looks = []
    program = sandbox.Sandbox._program
    monkeypatch.setattr(sandbox.Sandbox, "_program", lambda one: (looks.append(one), program(one))[1])
    monkeypatch.setattr(sandbox, "LOOK_EVERY", 0.01)
    (tmp_path / "mine.py").write_text(FIRST)
    with ExitStack() as opened:
        waiting = players.ready(tmp_path / "mine.py", LEVEL, opened)
        with monkeypatch.context() as change:
            change.setattr(sandbox, "MAX_WAIT", 0.05)
            already = len(looks)
            while len(looks) < already + 20:  # five would have been enough
                time.sleep(sandbox.LOOK_EVERY)
        assert list(players.policies_from(waiting, "mine", BOARDS, 1)) == [[{0: 1}], [{0: 1}]]
