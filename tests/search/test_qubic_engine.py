"""Looking ahead on 4×4×4 against what it must equal: minimax, the measured counts, and itself with the compiler on."""

from functools import cache
from random import Random

import pytest

from ttt import Board, qubic
from ttt.heuristics import WIN
from ttt.qubic.lookahead import WEIGHTS
from ttt.search import alphabeta, engine
from ttt.search import minimax as readable_minimax
from ttt.search.engine import kernel
from ttt.search.engine.compiling import compiles
from ttt.search.engine.tables import table
from ttt.search.record import BadSearch
from ttt.symmetry import canonical

POSITIONS = {
    "empty": (0, 0),
    "corner": (1, 0),
    "edge": (2, 0),
    "mid6": (0x10010000000080, 0x8800000000000010),
    "mid12": (0x4000001C8040, 0x516010000000000),
    "mid20": (0x300002040180C801, 0xC822008120420000),
}
BOARDS = {name: Board(shape=(4, 4, 4), x=x, o=o) for name, (x, o) in POSITIONS.items()}
VALUES = {"empty": -4, "corner": -18, "edge": -19, "mid6": -8, "mid12": -92, "mid20": 90}
MINIMAX = (15_503_105, 14_538_196, 14_538_196, 10_364_821, 6_627_805, 3_315_317)
MOST_NODES = dict(zip(BOARDS, (747, 4_326, 6_011, 10_589, 5_130, 4_213), strict=True))
EACH = pytest.mark.parametrize("name", BOARDS)


def worth(board, player):
    """An independent evaluation: every line anew, from its marks."""
    total = 0
    for marks in board.lines:
        kinds = set(marks) - {"-"}
        if len(kinds) == 1:
            total += (1 if kinds == {player} else -1) * 10 ** (4 - marks.count("-") - 1)
    return total


@cache
def late_boards():
    """Boards with 15 to 20 free cells, so that plain minimax can see three plies of them."""
    rng, found = Random(3), []
    while len(found) < 4:
        board = Board(shape=(4, 4, 4))
        while not board.over and len(board.moves) > 15 + len(found):
            quiet = [move for move in board.moves if not board.play(move).winner]
            board = board.play(rng.choice(quiet or board.moves))
        if not board.over:
            found.append(board)
    return found


def after(board, moves):
    for move in moves:
        board = board.play(move)
    return board


def found_by(board, depth, machine_code, options):
    """What the engine finds, compiled or not as told."""
    how = {"win": WIN, "bonus": 1, "machine_code": machine_code, **options}
    return engine.search("", board, depth, WEIGHTS, **how)


@EACH
def test_four_plies_are_worth_what_was_measured(name):
    assert qubic.search(BOARDS[name]).value == VALUES[name]


@EACH
def test_one_setting_stays_below_the_measured_nodes(name):
    assert qubic.search(BOARDS[name]).nodes <= MOST_NODES[name]


def test_its_own_counts_stay_as_they_are():
    assert [qubic.search(board).nodes for board in BOARDS.values()] == [615, 2_669, 4_064, 3_791, 410, 291]


@pytest.mark.parametrize(
    ("order", "counts"),
    [
        ("row-major", (69_628, 86_808, 40_658, 477_082, 488_093, 59_325)),
        ("most-lines", (24_604, 24_290, 43_643, 68_970, 170_034, 43_328)),
        ("best-gain", (17_356, 15_842, 19_652, 10_803, 6_146, 5_189)),
    ],
)
def test_alpha_beta_visits_the_measured_nodes(order, counts):
    found = [qubic.alphabeta(board, 4, order=order) for board in BOARDS.values()]
    assert tuple(search.nodes for search in found) == counts
    assert [search.value for search in found] == list(VALUES.values())


@pytest.mark.skipif(not compiles(), reason="numba is not there, or off")
def test_minimax_visits_every_position():
    for board, nodes, value in zip(BOARDS.values(), MINIMAX, VALUES.values(), strict=True):
        found = qubic.minimax(board, 4)
        assert (found.nodes, found.value) == (nodes, value)


def test_values_are_those_of_an_independent_minimax():
    for board in late_boards():
        for depth in (1, 2, 3):
            oracle = readable_minimax(board, depth, worth)
            found = qubic.search(board, depth)
            assert found.value == qubic.minimax(board, depth).value == oracle.value
            assert found.move in oracle.best_moves
            assert qubic.minimax(board, depth).nodes_per_ply == oracle.nodes_per_ply
    for board in BOARDS.values():
        assert qubic.search(board, 2).value == readable_minimax(board, 2, worth).value


@pytest.mark.parametrize("options", range(32))
@pytest.mark.parametrize("order", ["row-major", "most-lines", "best-gain"])
def test_every_option_is_the_readable_one_node_for_node(order, options):
    names = ("killer", "table", "symmetry", "deepening", "pvs")
    how = {"order": order} | {name: bool(options >> n & 1) for n, name in enumerate(names)}
    for board in late_boards()[:2]:
        mine, readable = qubic.alphabeta(board, 3, **how), alphabeta(board, 3, WEIGHTS, **how)
        assert mine.method == f"4×4×4 engine: {readable.method}"
        assert mine.record() | {"method": ""} == readable.record() | {"method": ""}


@pytest.mark.parametrize("options", range(64))
def test_no_option_changes_the_value(options):
    names = ("killer", "table", "symmetry", "deepening", "pvs", "bounds")
    switches = {name: bool(options >> n & 1) for n, name in enumerate(names)}
    for board, depth in ((BOARDS["empty"], 3), (BOARDS["corner"], 3), (BOARDS["mid20"], 3), (late_boards()[0], 4)):
        plain = qubic.alphabeta(board, depth, order="best-gain")
        assert qubic.alphabeta(board, depth, order="best-gain", **switches).value == plain.value


def test_random_positions_of_every_stage_are_worth_what_plain_alpha_beta_says():
    rng = Random(11)
    for _ in range(60):
        board = Board(shape=(4, 4, 4))
        for _ in range(rng.randrange(50)):
            if not board.over:
                board = board.play(rng.choice(board.moves))
        for depth in (0, 1, 2, 3):
            search = qubic.search(board, depth)
            assert search.value == qubic.alphabeta(board, depth).value
            if not board.over and depth and abs(search.value) < WIN:
                assert search.value == -qubic.search(board.play(search.move), search.depth - 1).value


@EACH
def test_the_best_line_leads_to_the_value(name):
    for depth in (1, 2, 3, 4, 5):
        board = BOARDS[name]
        search = qubic.search(board, depth)
        end = after(board, search.principal_variation)
        if end.winner:
            left = depth - len(search.principal_variation)
            assert search.value == (1 if end.winner == board.turn else -1) * (WIN + left)
        else:
            assert (len(search.principal_variation), worth(end, board.turn)) == (depth, search.value)


def test_all_figures_fit_together():
    for board in BOARDS.values():
        search = qubic.search(board)
        assert search.nodes == sum(search.nodes_per_ply) == search.leaves + search.interior
        assert search.nodes_per_ply[0] == 1 and len(search.nodes_per_ply) == 5
        assert search.values[search.move] == search.value and search.best_moves == (search.move,)
        assert search.cutoffs == sum(search.cutoffs_by_move) > 0
        assert search.player == board.turn and search.board == board


def test_a_win_counts_more_the_sooner_it_comes():
    three = after(Board(shape=(4, 4, 4)), (0, 16, 1, 17, 2, 60))
    assert [qubic.search(three, depth).value for depth in (1, 2, 3, 4)] == [100_000, 100_001, 100_002, 100_003]
    assert qubic.search(three).move == 3


def test_one_move_is_enough_where_a_side_could_win_at_once():
    threatened = after(Board(shape=(4, 4, 4)), (0, 4, 21, 5, 60, 6))
    stopped = qubic.search(threatened)
    assert (stopped.move, stopped.nodes_per_ply[:2]) == (7, (1, 1))
    assert stopped.value == qubic.alphabeta(threatened, 4, order="best-gain").value > -WIN
    twice = after(threatened, (33, 8, 50, 9, 23, 10))
    lost = qubic.search(twice)
    assert (lost.value, lost.nodes_per_ply) == (-100_002, (1, 1, 1))
    assert {lost.move, *lost.principal_variation} == {7, 11}


def test_a_finished_game_is_a_leaf():
    won = after(Board(shape=(4, 4, 4)), (0, 16, 1, 17, 2, 18, 3))
    search = qubic.search(won)
    assert (search.value, search.nodes, search.leaves, search.move, search.depth) == (-100_000, 1, 1, None, 0)
    assert qubic.search(BOARDS["mid20"], 0).value == worth(BOARDS["mid20"], "X")


def test_a_search_says_what_it_used_each_option_once():
    board = BOARDS["mid20"]
    found = (
        qubic.search(board, 1),
        qubic.minimax(board, 1),
        qubic.alphabeta(board, 1),
        qubic.alphabeta(board, 1, pvs=True),
    )
    assert [search.method.removeprefix("4×4×4 engine: ") for search in found] == [
        "alpha-beta, best-gain, table, symmetry, bounds",
        "minimax",
        "alpha-beta",
        "alpha-beta, pvs",
    ]


def test_mistakes_are_explained():
    with pytest.raises(BadSearch, match="4×4×4"):
        qubic.search(Board())
    with pytest.raises(BadSearch, match="best-gain"):
        qubic.alphabeta(BOARDS["empty"], 2, bounds=True)
    with pytest.raises(BadSearch, match="no order"):
        qubic.alphabeta(BOARDS["empty"], 2, order="by-heart")


@pytest.mark.parametrize("depth", [-1, 2.5, "two"])
def test_no_depth_that_a_search_refuses(depth):
    with pytest.raises(BadSearch, match="depth"):
        qubic.search(BOARDS["empty"], depth)


@pytest.mark.parametrize("board", [Board(), "X", Board(shape=(4, 4, 4), k=3)])
def test_other_boards_are_refused(board):
    with pytest.raises(BadSearch, match="4×4×4"):
        qubic.search(board, 1)


def test_moves_are_twins_where_they_lead_to_mirror_images():
    rng = Random(2)
    for marks in (0, 1, 2, 3, 3, 4, 5):
        board = after(Board(shape=(4, 4, 4)), rng.sample(range(64), marks))
        found = alphabeta(board, 1, WEIGHTS, symmetry=True, fast=True)
        assert found.leaves == len({canonical(board.play(move)) for move in board.moves})


@pytest.mark.skipif(not compiles(), reason="numba is not there, or off")
def test_compiled_and_plain_are_the_same_to_the_last_figure():
    best = qubic.BEST | {"cuts": True}
    for board in BOARDS.values():
        for depth in (1, 2, 4, 5):
            assert found_by(board, depth, True, best) == found_by(board, depth, False, best)
    board = BOARDS["mid20"]
    assert found_by(board, 3, True, {}) == found_by(board, 3, False, {})


def test_line_codes_and_gains_are_what_the_marks_say():
    board, k = BOARDS["mid20"], kernel
    t, order = table((4, 4, 4), 4, WEIGHTS.weights, "best-gain", False, False)
    m = memory(board, t, order)
    assert m[k.CODES : k.CODES + 76] == [marks.count("X") + 16 * marks.count("O") for marks in board.lines]
    for move in board.moves:
        for side, player in enumerate("XO"):
            gained = m[k.GAINS + k.SIZE * side + move]
            if gained < k.WINS and player == board.turn:
                assert gained == worth(board.play(move), player) - worth(board, player)


def memory(board, t, order):
    """The row that the kernel works on, before a search of the board."""
    from ttt.search.engine.tasks import General
    from ttt.search.record import Options

    return General(board, 4, WEIGHTS.weights, (WIN, 1), Options("best-gain"), True, True, False).memory(t, order, 0)
