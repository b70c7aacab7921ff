"""A player that never answers, in a kernel to which the test talks as a page does: Stop, interrupts, later cells."""

import ast
import os
from statistics import median
from time import monotonic, sleep

import pytest
from jupyter_client.manager import start_new_kernel

SOURCE = """
import signal, time
from ttt import CubeGame, GameBoard
from ttt.widgets.thinking import _INTERRUPTS
def endless(board):
    while len(board.moves) <= len(board) - loops_at:
        pass
    return board.moves[-1]
def sleepy(board):
    time.sleep(1000)
"""
IDLE_HANDLER = "get_ipython().kernel.saved_sigint_handler == signal.SIG_IGN"  # what a cell puts back at its end


class Page:
    """What a page does with a kernel."""

    def __init__(self, name):
        self.manager, self.client = start_new_kernel(kernel_name=name, env=os.environ)
        self.subshell = None
        self.run(SOURCE)

    def run(self, code):
        reply = self.client.execute(code, reply=True, timeout=30)["content"]
        assert reply["status"] == "ok", reply

    def value(self, expression):
        reply = self.client.execute("", user_expressions={"value": expression}, reply=True, timeout=30)
        return ast.literal_eval(reply["content"]["user_expressions"]["value"]["data"]["text/plain"])

    def send(self, widget, content):
        """A message from the page's side of a widget."""
        data = {"method": "custom", "content": content}
        message = self.client.session.msg("comm_msg", {"comm_id": self.value(f"{widget}.model_id"), "data": data})
        message["header"]["subshell_id"] = self.subshell
        self.client.shell_channel.send(message)

    def open_subshell(self):
        message = self.client.session.msg("create_subshell_request")
        self.client.control_channel.send(message)
        while (reply := self.client.get_control_msg(timeout=30))["parent_header"]["msg_id"] != message["header"][
            "msg_id"
        ]:
            pass
        self.subshell = reply["content"]["subshell_id"]

    def until(self, expression):
        """Wait until it is true; the seconds that took."""
        begun = monotonic()
        while not self.value(expression):
            assert monotonic() < begun + 20, self.value("game.message")
            sleep(0.02)
        return monotonic() - begun

    def click(self, cell):
        self.send("game.view", {"play": cell})
        self.until("bool(game.view.thinking) and _INTERRUPTS._placed")
        sleep(0.3)  # no cell is running now


@pytest.fixture(scope="module", params=["in the main thread", "in a subshell", "in an older kernel"])
def page(request):
    """A page whose messages are handled there."""
    page = Page(request.getfixturevalue("older_kernel") if request.param == "in an older kernel" else "python3")
    if request.param == "in a subshell":
        page.open_subshell()
    yield page
    page.client.stop_channels()
    page.manager.shutdown_kernel(now=True)


def looping(page, board, at):
    """A new game in which the computer's first or second move never comes, at the point where it is waited for."""
    page.run(f"loops_at = {2 * at - 1}\ngame = {board}(endless, seconds=None)")
    if at == 2:
        page.run("game.play(0)")
    page.click(at)


@pytest.mark.parametrize("board", ["GameBoard", "CubeGame"])
def test_stop_and_interrupt_end_a_loop_at_either_move_of_two_games(page, board):
    seconds = []
    for at in (1, 2, 1, 2):
        looping(page, board, at)
        page.send("game._stop", {"event": "click"})
        seconds.append(page.until("not game.thinking"))
        assert page.value("game.message").startswith("endless was stopped. O plays ")
        looping(page, board, at)
        page.manager.interrupt_kernel()
        seconds.append(page.until("not game.thinking"))
        assert page.value("game.message").startswith("endless was interrupted before it had answered. Undo your move")
        assert page.value("len(game.board) - len(game.board.moves)") == 2 * at - 1
        page.run("game.undo()")
        page.run("game.opponent = 'flash-clever'; game.play(5)")
    assert median(seconds) < 1, seconds  # a busy machine may be slow now and then
    page.until(IDLE_HANDLER)


def running(page, code):
    """A cell that is running: the name of the request."""
    sent = page.client.execute(f"print('running')\n{code}")
    while True:
        message = page.client.get_iopub_msg(timeout=20)
        if message["msg_type"] == "stream" and message["parent_header"]["msg_id"] == sent:
            sleep(0.3)
            return sent


def interrupted(page, sent):
    """The reply to a cell that is running and gets interrupted."""
    page.manager.interrupt_kernel()
    while (reply := page.client.get_shell_msg(timeout=20))["parent_header"]["msg_id"] != sent:
        pass
    sleep(0.5)  # after an error, the kernel refuses what comes at once
    return reply["content"]


def test_an_interrupt_of_a_running_cell_stops_the_cell_and_leaves_the_game_alone(page):
    looping(page, "GameBoard", 1)
    sent = running(page, "time.sleep(100)")
    assert interrupted(page, sent)["ename"] == "KeyboardInterrupt" and page.value("game.thinking")
    page.run("game.stop()")
    page.until(IDLE_HANDLER)
    page.manager.interrupt_kernel()
    assert page.value("1 + 1") == 2


def test_an_interrupt_where_a_cell_waits_for_the_move_ends_both(page):
    page.run("loops_at = 1\ngame = GameBoard(endless, seconds=None)")
    sent = running(page, "game.play(0)")
    assert interrupted(page, sent)["ename"] == "KeyboardInterrupt" and not page.value("game.thinking")
    assert page.value("game.message").startswith("endless was interrupted before it had answered.")


def test_a_player_that_sleeps_leaves_the_board_free_and_the_thread_that_loops_ends(page):
    page.run("game = GameBoard(sleepy, seconds=None)")
    page.click(0)
    page.manager.interrupt_kernel()
    page.until("not game.thinking")
    looping(page, "GameBoard", 1)
    page.run("thread = game._thought._thread")
    page.manager.interrupt_kernel()
    page.until("not thread.is_alive()")
