"""The plots: what they compute, against independent counts, and that each says in words what it shows."""

import re
from base64 import b64decode
from collections import Counter
from html import unescape
from itertools import pairwise, product
from math import inf, prod
from random import Random
from statistics import median as middle_of
from statistics import quantiles
from xml.etree import ElementTree

import pandas
import pytest
from conftest import wear
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.colors import to_rgb
from matplotlib.image import imread
from nbformat.v4 import new_code_cell, new_output
from playwright.sync_api import expect

from ttt import Board, exact, plots, svg
from ttt.arena import Game, Match, Result
from ttt.heuristics import open_lines
from ttt.plots.figure import log_scale, new_figure
from ttt.search import alphabeta, mcts, minimax
from ttt.statistics import every_position, grid, random_positions, sweep
from ttt.tournament.ratings import Rating, wilson

PIECES = {"none": {}, "order": {"order": "best-gain"}, "table": {"order": "best-gain", "table": True}}


@pytest.fixture(scope="module")
def searches():
    """Four depths on 3×3, with three settings."""
    return [alphabeta(Board(), depth, open_lines, **pieces) for depth in range(1, 5) for pieces in PIECES.values()]


def words(figure):
    """Every legend entry of a figure."""
    legends = figure.legends + [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def drawn(axes):
    """Every line of a plot, by its label."""
    return {line.get_label(): list(zip(*map(list, line.get_data()), strict=True)) for line in axes.lines}


def cells(axes):
    """Every text in a table or on a board, by its row and column."""
    return {(text.get_position()[1] - 0.5, text.get_position()[0] - 0.5): text for text in axes.texts}


# ------------------------------------------------------------------------------------------------- what is computed


def critical(widths):
    """The nodes of the least tree, by Knuth and Moore's definition: every second move of the way is the first."""
    counts = []
    for ply in range(len(widths) + 1):
        paths = product(*(range(width) for width in widths[:ply]))
        counts.append(sum(not any(path[::2]) or not any(path[1::2]) for path in paths))
    return tuple(counts)


@pytest.mark.parametrize("widths", [(), (5,), (3, 4), (2, 2, 2, 2, 2), (9, 8, 7, 6, 5), (1, 6, 1, 3)])
def test_the_least_tree_has_the_nodes_that_the_definition_counts(widths):
    assert plots.least_tree(widths) == critical(widths)


def test_the_least_tree_of_the_cube_is_the_known_one_and_the_reports_figure_is_not():
    least = plots.least_tree(range(64, 60, -1))
    assert (least[-1], sum(least)) == (7810, 12031) and least[-1] > 64 ** (4 / 2)


@pytest.mark.parametrize("b, d", [(2, 7), (3, 4), (64, 4), (64, 5)])
def test_the_least_tree_of_equal_widths_is_knuth_and_moores_formula(b, d):
    assert plots.least_tree([b] * d)[-1] == b ** -(-d // 2) + b ** (d // 2) - 1


def test_a_perfectly_ordered_search_visits_the_least_tree():
    """From the empty board no game ends within four plies; with nothing to tell boards apart every order is perfect."""
    for depth in range(5):
        found = alphabeta(Board(), depth, lambda board, player: 0)
        assert found.nodes_per_ply == plots.least_tree(range(9, 9 - depth, -1))


def test_the_effective_branching_factor_is_the_width_of_an_even_tree():
    for b, depth in ((1, 5), (2, 10), (9, 3), (64, 4)):
        assert plots.effective_branching(sum(b**ply for ply in range(depth + 1)), depth) == pytest.approx(b)
    assert round(plots.effective_branching(53, 5), 2) == 1.92  # Russell and Norvig's own example
    assert plots.effective_branching(1, 3) == pytest.approx(0)
    for nodes, depth in ((0, 1), (5, 0)):
        with pytest.raises(ValueError, match="at least a node and a ply"):
            plots.effective_branching(nodes, depth)


def test_text_is_readable_on_every_colour():
    for step in range(101):
        for colours in (plots.WORTH, plots.EVEN):
            paper = colours(step / 100)
            ink, other = (plots.readable_on(paper), {"black": "white", "white": "black"}[plots.readable_on(paper)])
            assert contrast(ink, paper) >= max(4.5, contrast(other, paper))


def contrast(one, other):
    def luminance(colour):
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


# ------------------------------------------------------------------------------------------------- what is drawn


def test_nodes_are_drawn_by_depth_beside_reference_curves(searches):
    figure = plots.nodes_by_depth(searches, "Order saves most", b=9, widths=range(9, 0, -1))
    (axes,) = figure.axes
    lines = drawn(axes)
    for one in searches:
        assert (one.depth, one.nodes) in lines[one.method]
    assert lines["$9^d$"] == [(depth, 9**depth) for depth in range(1, 5)]
    assert lines["$9^{d/2}$"] == [(depth, 3**depth) for depth in range(1, 5)]
    least = [(depth, sum(critical(range(9, 9 - depth, -1)))) for depth in range(1, 5)]
    assert lines["least tree (Knuth and Moore)"] == least
    assert list(lines) == words(figure) and axes.get_yscale() == "log"
    assert (figure.get_suptitle(), axes.get_xlabel(), axes.get_ylabel()) == (
        "Order saves most",
        "depth (plies)",
        "nodes (log scale)",
    )


def test_searches_can_be_labelled_and_those_of_equal_depth_make_a_median():
    pair = [minimax(Board(), 2), minimax(Board().play(0), 2)]
    lines = drawn(plots.nodes_by_depth({"two boards": pair}, "a median").axes[0])
    assert lines == {"two boards": [(2, (82 + 65) / 2)]}


def test_lines_are_told_apart_without_colour(searches):
    for plot in (plots.nodes_by_depth, plots.branching, plots.shares_by_ply):
        lines = plot(searches, "title").axes[0].lines
        assert len({(line.get_marker(), line.get_linestyle()) for line in lines}) == len(PIECES) == len(lines)
    bars = plots.cutoffs_by_move([one for one in searches if one.cutoffs], "title").axes[0].containers
    assert len({bar.patches[0].get_hatch() for bar in bars}) == len(PIECES)


def test_the_branching_factor_is_drawn_by_depth(searches):
    figure = plots.branching(searches, "Order takes its root")
    lines = drawn(figure.axes[0])
    assert words(figure) == list(lines) and "branching factor" in figure.axes[0].get_ylabel()
    for one in searches:
        factor = dict(lines[one.method])[one.depth]
        assert sum(factor**ply for ply in range(one.depth + 1)) == pytest.approx(one.nodes)


def test_the_share_of_each_ply_is_drawn():
    found = minimax(Board(), 3)
    figure = plots.shares_by_ply([found], "Nearly all nodes are leaves")
    counts = [prod(range(9, 9 - ply, -1)) for ply in range(4)]
    assert drawn(figure.axes[0])["minimax"] == [
        (ply, pytest.approx(100 * count / sum(counts))) for ply, count in enumerate(counts)
    ]
    assert figure.axes[0].get_xlabel() == "plies below the root" and words(figure) == ["minimax"]


def test_the_shares_of_many_searches_are_medians_and_a_short_search_has_none_below_it():
    found = [minimax(Board(), 2), minimax(Board().play(0), 2), minimax(Board(), 1)]
    axes = plots.shares_by_ply({"three": found}).axes[0]
    spread = [[one.nodes_per_ply[ply] / one.nodes if ply <= one.depth else 0 for one in found] for ply in range(3)]
    assert drawn(axes)["three"] == [(ply, pytest.approx(100 * sorted(each)[1])) for ply, each in enumerate(spread)]
    assert len(axes.collections) == 1


def test_cutoffs_are_drawn_by_the_move_that_cut_the_late_ones_together():
    steps = []
    found = alphabeta(Board(), 6, open_lines, watch=steps.append)
    figure = plots.cutoffs_by_move({"plain": [found]}, "The first move cuts most")
    cuts = Counter(step.board.moves.index(step.move) for step in steps if step.kind == "cut")
    early = [100 * cuts[tried] / cuts.total() for tried in range(5)]
    heights = [bar.get_height() for bar in figure.axes[0].patches]
    assert heights == pytest.approx([*early, 100 - sum(early)]) and words(figure) == ["plain"]
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()][-1] == "6 or later"
    with pytest.raises(ValueError, match="minimax cut nothing off"):
        plots.cutoffs_by_move([minimax(Board(), 2)], "nothing")


SVG = "{http://www.w3.org/2000/svg}"


def drawing(html):
    """The drawing inside an image."""
    return ElementTree.fromstring(b64decode(re.search('src="data:image/svg[+]xml;base64,(.*?)"', html)[1]))


def elements(picture, name):
    """The elements of this name in a drawing."""
    return list(ElementTree.fromstring(str(picture)).iter(f"{SVG}{name}"))


def fills(picture):
    """The colours of the filled cells, in order."""
    return [path.get("fill") for path in elements(picture, "path") if path.get("class") == "fill"]


def test_move_values_are_written_on_the_board_in_colour_and_the_highest_are_framed():
    board = Board.from_text("X-- -O- --X")
    values = minimax(board).values
    picture = plots.heat(board, values, "Only the sides save O")
    assert [text.text for text in elements(picture, "text")][:-1] == [svg.signed(values[cell]) for cell in values]
    framed = {path.get("d") for path in elements(picture, "path") if path.get("class") == "best"}
    assert framed == {svg.Grid(board).outline(cell, 0.74) for cell in values if values[cell] == 0}
    assert len(set(fills(picture))) == 2
    assert picture.text.endswith("Only the sides save O: worth to O, who is to move")


@pytest.mark.parametrize("shape", [(4, 4, 4), (3, 5), (2, 3, 3, 3), (4,)])
def test_moves_are_coloured_on_any_board(shape):
    board = Board(shape).play(1)
    picture = plots.heat(board, {cell: cell / 4 for cell in board.moves}, "any board")
    assert len(fills(picture)) == len(board) - 1
    assert picture.text.splitlines()[-2].split()[-1] == svg.signed((len(board) - 1) / 4)


@pytest.mark.parametrize("values, written", [({0: inf, 1: -inf, 2: 3}, ["+∞", "−∞", "+3"]), ({}, []), ({4: 0}, ["0"])])
def test_infinite_values_no_values_and_zero_can_be_drawn(values, written):
    picture = plots.heat(Board(), values, "odd values")
    assert [text.text for text in elements(picture, "text")][:-1] == written and len(fills(picture)) == len(written)


def test_black_numbers_are_legible_on_every_colour_of_a_board():
    for label in ("", "a count"):
        numbers = range(9) if label else range(-4, 5)
        for colour in fills(plots.heat(Board(), dict(enumerate(numbers)), "title", label)):
            assert contrast("black", colour) >= 4.5


SEARCH_PLOTS = [plots.nodes_by_depth, plots.branching, plots.shares_by_ply, plots.cutoffs_by_move]
RESULT_PLOTS = [plots.crosstable, plots.outcomes]


@pytest.mark.parametrize("plot", [*SEARCH_PLOTS, *RESULT_PLOTS, plots.ratings])
@pytest.mark.parametrize("nothing", [[], {}, None, 5, [None]])
def test_a_plot_of_nothing_is_refused_with_what_it_needs(plot, nothing):
    with pytest.raises(plots.BadPlot, match=r"This plot needs (searches|results|ratings),.*one or more, not"):
        plot(nothing, "title")


def test_one_search_is_drawn_as_a_list_of_one():
    found = alphabeta(Board(), 3, open_lines)
    for plot in SEARCH_PLOTS:
        assert plot(found, "title").words == plot([found], "title").words


def test_what_monte_carlo_learns_of_each_move_is_drawn_beside_the_exact_values():
    board = Board.from_text("X-- -O- X-O")
    found = [mcts(board, playouts, rng=Random(1)) for playouts in (300, 30)]
    figure = plots.learned(found, minimax(board), "The block is found")
    axes, truth = figure.axes[0], minimax(board).values
    lines = drawn(axes)
    for cell in board.moves:
        label = f"cell {cell}, exactly {svg.signed(truth[cell])}"
        assert lines[label] == [(one.playouts, one.values[cell]) for one in reversed(found)] and label in words(figure)
    flat = {line.get_ydata()[0] for line in axes.lines if line.get_label().startswith("_")}
    assert flat == set(truth.values()) and axes.get_xscale() == "log"


def test_a_series_without_a_point_is_refused():
    for plot in SEARCH_PLOTS:
        with pytest.raises(plots.BadPlot, match="This plot needs searches"):
            plot({"mine": []}, "title")
    with pytest.raises(plots.BadPlot, match="minimax looked no ply ahead"):
        plots.branching([minimax(Board(), 0)], "title")


def test_other_things_that_cannot_be_drawn_are_refused():
    with pytest.raises(plots.BadPlot, match="number for each cell, such as minimax"):
        plots.heat(Board(), None, "title")
    for b in (-2, 0, "x", inf):
        with pytest.raises(plots.BadPlot, match="A branching factor is a number above 0"):
            plots.nodes_by_depth(minimax(Board(), 2), "title", b=b)


def test_a_cross_table_has_a_row_for_each_x_and_a_column_for_each_o():
    names = ("random", "flash-clever")
    results = [exact(x, o, Board.from_text("X-- -O- ---")) for x in names for o in names]
    figure = plots.crosstable(results[:3], "Chance loses to the clever one")
    axes, bar = figure.axes
    texts = {place: text.get_text() for place, text in cells(axes).items()}
    assert len(texts) == 3  # one pair has not met
    for result in results[:3]:
        row, column = names.index(result.x), names.index(result.o)
        assert texts[row, column] == f"{result.x_wins + result.draws / 2:.2f}"
    assert [label.get_text() for label in axes.get_yticklabels()] == list(names)
    assert [label.get_text() for label in axes.get_xticklabels()] == list(names)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("plays O", "plays X")
    assert bar.get_ylabel() == "X's share of the points"
    assert figure.get_suptitle() == "Chance loses to the clever one"


def test_a_player_of_both_sides_is_in_the_same_row_and_column():
    names = ("c", "a", "b")
    pairs = [Result(x, o, 1, 0, 0) for x in names for o in names if x != o] + [Result("c", "z", 1, 0, 0)]
    axes = plots.crosstable(pairs, "title").axes[0]
    rows, columns = ([tick.get_text() for tick in ticks] for ticks in (axes.get_yticklabels(), axes.get_xticklabels()))
    assert rows == ["c", "a", "b"] and columns == ["c", "a", "b", "z"]


def test_counts_have_no_sign_and_no_side():
    picture = plots.heat(Board(), {0: 3, 4: 4}, "title", "lines through the cell")
    assert [text.text for text in elements(picture, "text")] == ["3", "4", "title: lines through the cell"]


def test_every_plot_is_a_picture_with_nothing_beyond_its_edges(searches, tmp_path):
    figures = [
        plots.nodes_by_depth(searches, "title", b=9, widths=range(9, 0, -1)),
        plots.branching(searches, "title"),
        plots.crosstable([Result("a rather long name", "another long name", 1, 0, 0)], "title"),
    ]
    for n, figure in enumerate(figures):
        figure.savefig(tmp_path / f"{n}.png")
        box, page = figure.get_tightbbox(), figure.bbox_inches
        assert page.x0 - 0.01 <= box.x0 and box.x1 <= page.x1 + 0.01 and box.y0 >= -0.01 and box.y1 <= page.y1 + 0.01


# ------------------------------------------------------------------------------------------- many positions


@pytest.fixture(scope="module")
def table():
    """Thirty positions to three depths, with minimax and two orders."""
    settings = grid(["minimax", "alphabeta"], order=["row-major", "best-gain"])
    return sweep(random_positions(Board(), 30, seed=3), settings, depths=[1, 2, 3])


def nodes(table, setting, depth):
    """The nodes of the searches with this setting and depth."""
    return table[(table["setting"] == setting) & (table["depth"] == depth)]["nodes"].tolist()


def test_searches_a_mapping_a_table_and_a_file_make_the_same_plot(tmp_path):
    settings, board = grid(["alphabeta", "minimax"]), Board().play(4)
    file = tmp_path / "rows.csv"
    swept = sweep(board, settings, depths=[2, 3], out=file)
    found = [search(board, depth) for search in (alphabeta, minimax) for depth in (2, 3)]
    labelled = {"alpha-beta": found[:2], "minimax": found[2:]}
    for plot in (plots.nodes_by_depth, plots.branching, plots.shares_by_ply, plots.distribution, plots.paired):
        told = {plot(data).words for data in (found, labelled, swept, file, str(file))}
        assert len(told) == 1


def test_a_missing_file_a_missing_column_and_text_for_numbers_are_told(tmp_path, table):
    with pytest.raises(plots.BadPlot, match=r"needs searches.*none\.csv can't be read"):
        plots.nodes_by_depth(tmp_path / "none.csv")
    with pytest.raises(plots.BadPlot, match="The table has no column 'nodes'; it has shape, k"):
        plots.nodes_by_depth(table.drop(columns="nodes"))
    with pytest.raises(plots.BadPlot, match="The table has no column 'size'"):
        plots.lines(table, "size")
    with pytest.raises(plots.BadPlot, match="The column 'board' is not one of numbers"):
        plots.lines(table, "depth", "board")
    with pytest.raises(plots.BadPlot, match="not an empty table"):
        plots.paired(table[:0])


@pytest.mark.parametrize(
    "plot, column, value, said",
    [
        (plots.nodes_by_depth, "nodes", float("nan"), "The column 'nodes' has no numbers"),
        (plots.branching, "nodes", float("nan"), "The column 'nodes' has no numbers"),
        (plots.nodes_by_order, "nodes", float("nan"), "The column 'nodes' has no numbers"),
        (plots.shares_by_ply, "nodes_per_ply", "1.0 9", "must hold whole numbers"),
        (plots.shares_by_ply, "nodes_per_ply", "", "must hold the nodes of one ply or more"),
        (plots.cutoffs_by_move, "cutoffs_by_move", "a", "must hold whole numbers"),
        (plots.nodes_by_order, "cutoffs_by_move", "a", "must hold whole numbers"),
    ],
)
def test_damaged_columns_are_named(table, plot, column, value, said):
    with pytest.raises(plots.BadPlot, match=said):
        plot(table.assign(**{column: value}))


def test_damaged_searches_by_playouts_are_told():
    table = sweep(Board().play(4), grid("mcts", playouts=[5, 10]))
    truth = minimax(Board().play(4), 1)
    with pytest.raises(plots.BadPlot, match="'junk' is not a 3x3 board"):
        plots.playout_error(table.assign(board="junk"))
    with pytest.raises(plots.BadPlot, match="The column 'value' has no numbers"):
        plots.playout_error(table.assign(value=float("nan")), truth)
    with pytest.raises(plots.BadPlot, match="written as '4=1 0=-1', not as '4:1'"):
        plots.learned(table.assign(move_values="4:1"), truth)


def test_what_playouts_learn_is_drawn_for_one_board_only():
    found = [mcts(board, 5, rng=Random(1)) for board in (Board(), Board().play(4))]
    for searches in (found, found[:1]):
        with pytest.raises(plots.BadPlot, match="searches of one board"):
            plots.learned(searches, minimax(Board().play(4), 2))
    with pytest.raises(plots.BadPlot, match="needs searches by playouts"):
        plots.learned(alphabeta(Board(), 2), minimax(Board(), 2))


def test_trees_that_playouts_grow_can_be_drawn_by_depth():
    table = sweep(Board(), grid("mcts", playouts=[5, 50]))
    assert plots.nodes_by_depth(table).words.startswith("Nodes by depth.")


def test_a_file_that_pandas_has_read_makes_the_same_plots(tmp_path, table):
    table = table[table["method"] == "alphabeta"]
    table.to_csv(tmp_path / "rows.csv", index=False)
    plain = pandas.read_csv(tmp_path / "rows.csv")
    for plot in (plots.cutoffs_by_move, plots.shares_by_ply, plots.nodes_by_order):
        assert plot(plain).words == plot(table).words


def test_no_correlation_is_claimed_where_all_orders_are_equally_good():
    table = sweep(Board(), grid(table=[False, True]), [3])
    assert plots.nodes_by_order(table).words.startswith("Nodes by how often the first move cuts off.")


def test_a_title_names_no_second_setting_for_the_same_number(table):
    same = table.assign(nodes=30, cutoffs_by_move="7")
    assert plots.distribution(same).words.count(" 30 ") == 1
    assert plots.cutoffs_by_move(same).words.count("100 %") == 1


@pytest.mark.parametrize("widths", [5, [3, "x"]])
def test_widths_that_are_no_numbers_are_refused(searches, widths):
    with pytest.raises(plots.BadPlot, match="The widths of a tree are whole numbers"):
        plots.nodes_by_depth(searches, widths=widths)


def test_a_title_that_is_no_text_is_refused(searches):
    with pytest.raises(plots.BadPlot, match="The title of a plot is text, not 6"):
        plots.nodes_by_depth(searches, 6)


def test_text_is_broken_between_words_and_never_at_a_hyphen(table):
    title = plots.nodes_by_depth(table, "x" * 60 + " alpha-beta").get_suptitle()
    assert title.splitlines() == ["x" * 60, "alpha-beta"]
    rows = plots.distribution(table.assign(setting="twenty letters aside best-gain")).axes[0]
    assert [label.get_text() for label in rows.get_yticklabels()] == ["twenty letters aside\nbest-gain"]


def test_a_legend_that_only_repeats_the_title_is_left_out(searches):
    alone = [one for one in searches if one.method == "alpha-beta"]
    assert not plots.nodes_by_depth(alone).legends
    assert words(plots.nodes_by_depth(alone, "Nodes grow with depth")) == ["alpha-beta"]


def test_one_depth_is_not_drawn_between_fractions_of_plies(searches):
    axes = plots.nodes_by_depth(searches[:1]).axes[0]
    low, high = axes.get_xlim()
    assert [tick for tick in axes.get_xticks() if low <= tick <= high] == [1]


@pytest.mark.parametrize("factor", [0.9, 0.03, 0.001, 1e7, 1e12])
def test_a_log_scale_has_a_few_numbers_that_do_not_overlap(table, factor):
    changed = table["nodes"].where(table["setting"] == table["setting"].iloc[0], table["nodes"] * factor)
    figure = plots.paired(table.assign(nodes=changed))
    figure.draw_without_rendering()
    low, high = figure.axes[0].get_xlim()
    labels = [label for label in figure.axes[0].get_xticklabels() if low <= label.get_position()[0] <= high]
    boxes = [label.get_window_extent() for label in labels]
    assert len(boxes) > 1 and all(one.x1 < after.x0 for one, after in pairwise(boxes))


def test_a_narrow_log_scale_has_round_numbers():
    _, axes = new_figure("", 3, "ratio")
    axes.plot([0.44, 0.95, 1], [1, 2, 3])
    log_scale(axes, "x")
    assert {0.6, 0.8, 1} <= set(axes.get_xticks().round(9))


def test_the_interval_of_no_median_is_refused():
    for values in ([], [1, float("nan")]):
        with pytest.raises(plots.BadPlot, match="needs numbers, one or more"):
            plots.median_interval(values)


def test_of_many_positions_the_median_and_the_middle_half_are_drawn(table):
    axes = plots.nodes_by_depth(table).axes[0]
    lines = drawn(axes)
    for setting, band in zip(lines, axes.collections, strict=True):
        corners = {tuple(point) for point in band.get_paths()[0].vertices.tolist()}
        for depth in (1, 2, 3):
            low, middle, high = quantiles(nodes(table, setting, depth), n=4, method="inclusive")
            assert (depth, middle) in lines[setting] and {(depth, low), (depth, high)} <= corners
    assert "median and middle half" in axes.get_ylabel()


def test_ratios_are_of_searches_of_the_same_position_and_depth(table):
    found = plots.ratios(table, "minimax")
    assert len(found) == len(table) * 2 / 3 and set(found["setting"]) == {"alpha-beta", "alpha-beta, best-gain"}
    for row in found.itertuples():
        board = Board.from_text(row.board)
        order = "best-gain" if row.setting.endswith("best-gain") else "row-major"
        ratio = alphabeta(board, row.depth, order=order).nodes / minimax(board, row.depth).nodes
        assert row.ratio == pytest.approx(ratio)


def test_ratios_tell_heuristics_and_playouts_apart_and_not_seeds():
    boards = [Board().play(0), Board().play(4)]
    settings = grid(["minimax", "alphabeta"], heuristic=[None, open_lines])
    by_setting = plots.ratios(sweep(boards, settings, depths=2))
    assert len(by_setting) == 4 and set(by_setting["heuristic"]) == {"none", "open-lines"}
    by_heuristic = plots.ratios(sweep(boards, settings, depths=2), "none", by="heuristic")
    assert len(by_heuristic) == 4 and set(by_heuristic["method"]) == {"minimax", "alphabeta"}
    chance = sweep(boards, grid("mcts", playouts=[10, 40], seed=[1, 2, 3]))
    assert len(plots.ratios(chance)) == 2 and all(plots.ratios(chance)["ratio"] > 1)


def test_ratios_of_what_cannot_be_compared_are_refused(table):
    with pytest.raises(plots.BadPlot, match="no setting 'negamax' to compare with, but 'minimax', 'alpha-beta'"):
        plots.paired(table, "negamax")
    with pytest.raises(plots.BadPlot, match="at least two kinds of search; here is only 'minimax'"):
        plots.paired(table[table["setting"] == "minimax"])
    with pytest.raises(plots.BadPlot, match="No position was searched to one depth both with 'a' and with"):
        plots.paired({"a": minimax(Board(), 1), "b": minimax(Board(), 2)})
    with pytest.raises(plots.BadPlot, match="the cutoffs of 'minimax' are 0"):
        plots.paired(table, "minimax", y="cutoffs")


def test_each_position_counts_once_at_its_greatest_depth(table):
    figure = plots.paired(table, "minimax")
    ratios = plots.ratios(table, "minimax")
    deep = ratios.sort_values("depth").drop_duplicates(["board", "setting"], keep="last").sort_index()
    assert len(deep) == 2 * 30
    for dots, (_, rows) in zip(figure.axes[0].lines[::3], deep.groupby("setting", sort=False), strict=False):
        assert sorted(dots.get_xdata()) == pytest.approx(sorted(rows["ratio"]))
    (dots, *_) = plots.distribution(table).axes[0].lines
    assert len(dots.get_xdata()) == 30 and set(nodes(table, "minimax", 3)) < set(dots.get_xdata())


def test_a_position_counts_once_however_many_heuristics_and_seeds_it_was_searched_with():
    boards = random_positions(Board(), 12, seed=9)
    found = sweep(boards, grid(["minimax", "alphabeta"], heuristic=[None, open_lines]), depths=2)
    assert "(12 positions, " in plots.paired(found).words
    chance = sweep(boards, grid("mcts", playouts=5, seed=[1, 2, 3]))
    (dots, *_) = plots.distribution(chance).axes[0].lines
    middles = [middle_of(rows["nodes"].tolist()) for _, rows in chance.groupby("board")]
    assert sorted(dots.get_xdata()) == sorted(middles)


def test_costs_of_zero_are_drawn_without_a_log_scale(table):
    axes = plots.distribution(table, y="cutoffs").axes[0]
    assert axes.get_xscale() == "linear" and "log" not in axes.get_xlabel()
    assert plots.distribution(table).axes[0].get_xscale() == "log"


def test_what_was_not_measured_is_told(table):
    for plot in (plots.distribution, plots.paired):
        for column in ("seconds", "board"):
            with pytest.raises(plots.BadPlot, match=f"The column '{column}' has no numbers"):
                plot(table, y=column)
    with pytest.raises(plots.BadPlot, match="The column 'playouts' is empty"):
        plots.paired(table, by="playouts")


def test_the_baseline_is_the_first_setting_that_was_measured(table):
    timed = table.assign(seconds=table["nodes"] / 1000)
    timed.loc[timed["setting"] == "minimax", "seconds"] = float("nan")
    assert " × the seconds of alpha-beta (30 positions" in plots.paired(timed, y="seconds").words


def test_switches_can_be_compared():
    board = Board((4, 4))
    found = sweep(board, grid("alphabeta", order="best-gain", table=[False, True]), depths=4)
    ratio = alphabeta(board, 4, order="best-gain", table=True).nodes / alphabeta(board, 4, order="best-gain").nodes
    told = f"table needs {ratio:.2g} × the nodes of no table"
    assert told in plots.paired(found, False, by="table").words
    assert plots.nodes_by_depth(found, by="table").words.startswith(f"At depth 4, {told}.")


def test_of_very_many_positions_some_dots_are_drawn_and_all_count():
    boards = random_positions(Board(), 300, seed=1)
    figure = plots.distribution([minimax(board, 2) for board in boards])
    (dots, _, median) = figure.axes[0].lines
    assert len(dots.get_xdata()) == 150
    assert median.get_xdata() == middle_of([minimax(board, 2).nodes for board in boards])


def test_the_interval_of_a_median_agrees_with_the_one_from_order_statistics():
    """Of 101 values, the 41st and the 61st enclose the median with 95 per cent, by the binomial distribution."""
    rng = Random(5)
    values = sorted(rng.lognormvariate(0, 1) for _ in range(101))
    low, high = plots.median_interval(values)
    assert values[38] <= low <= values[42] and values[58] <= high <= values[62]
    assert plots.median_interval(values) == (low, high) != plots.median_interval(values, seed=1)


def test_the_interval_of_a_median_holds_it_as_often_as_it_says():
    rng = Random(6)
    samples = [[rng.gauss(0, 1) for _ in range(40)] for _ in range(100)]
    held = sum(low <= 0 <= high for low, high in map(plots.median_interval, samples))
    assert 88 <= held <= 99


def test_a_few_positions_have_a_median_and_no_interval(table):
    few = table[table["board"].isin(table["board"].unique()[:9])]
    assert (
        "9 positions)" in plots.paired(few, "minimax").words and "to" not in plots.paired(few, "minimax").get_suptitle()
    )
    assert "positions, 95 % interval " in plots.paired(table, "minimax").words


def test_nodes_are_drawn_by_how_good_the_order_was():
    boards = random_positions(Board(), 12, seed=2)
    found = {order: [alphabeta(board, 4, order=order) for board in boards] for order in ("row-major", "best-gain")}
    figure = plots.nodes_by_order(found)
    for label, line in zip(found, figure.axes[0].lines[::2], strict=True):
        points = []
        for n, one in enumerate(found[label]):
            if one.cutoffs:
                fewest = min(others[n].nodes for others in found.values())
                points.append((100 * one.cutoffs_by_move[0] / one.cutoffs, one.nodes / fewest))
        for found_point, point in zip(sorted(map(tuple, line.get_xydata())), sorted(points), strict=True):
            assert found_point == pytest.approx(point)
    assert "The more often the first move cuts off, the fewer the nodes (rank correlation −0." in figure.words
    with pytest.raises(plots.BadPlot, match="two kinds or more that cut off"):
        plots.nodes_by_order(minimax(Board(), 2))


# ------------------------------------------------------------------------------------------- playouts


def test_the_error_of_playouts_is_the_distance_to_minimax():
    boards = random_positions(
        Board(),
        8,
        seed=4,
    )
    found = [mcts(board, playouts, rng=Random(seed)) for board in boards for playouts in (5, 50) for seed in (1, 2)]
    truths = [minimax(board) for board in boards]
    for truth in (None, truths):
        points = drawn(plots.playout_error(found, truth).axes[0])["mcts"]
        for playouts, error in points:
            errors = [
                abs(one.value - next(truth.value for truth in truths if truth.board == one.board))
                for one in found
                if one.playouts == playouts
            ]
            assert error == pytest.approx(middle_of(errors))


def test_the_moves_of_playouts_are_compared_with_all_best_moves():
    boards = random_positions(Board(), 10, seed=8)
    found = [mcts(board, 3, rng=Random(seed)) for board in boards for seed in range(3)]
    truths = {board: minimax(board) for board in boards}
    right = [one.move in truths[one.board].best_moves for one in found]
    low, high = wilson(sum(right) / len(right), len(right))
    for truth in (None, list(truths.values())):
        figure = plots.playout_error(found, truth, measure="move")
        assert drawn(figure.axes[0])["mcts"] == [(3, pytest.approx(100 * sum(right) / len(right)))]
        heights = figure.axes[0].collections[0].get_paths()[0].vertices[:, 1]
        assert (min(heights), max(heights)) == (pytest.approx(100 * low), pytest.approx(100 * high))


def test_an_error_without_a_truth_is_refused():
    cube = mcts(Board((4, 4, 4)), 2, rng=Random(1))
    with pytest.raises(plots.BadPlot, match="64 free cells, too many to find the truth here"):
        plots.playout_error(cube)
    with pytest.raises(plots.BadPlot, match="The truth has no search of /---/---/---"):
        plots.playout_error(mcts(Board(), 2), minimax(Board().play(0)))
    with pytest.raises(plots.BadPlot, match=r"needs searches by playouts, such as mcts\(board, 1000\)"):
        plots.playout_error(minimax(Board(), 2))
    with pytest.raises(plots.BadPlot, match="The measure is 'value' or 'move', not 'error'"):
        plots.playout_error(cube, measure="error")


# ------------------------------------------------------------------------------------------- any columns


def test_any_column_is_drawn_by_any_other(table):
    lines = drawn(plots.lines(table, "marks", "leaves", by="method").axes[0])
    assert set(lines) == {"minimax", "alphabeta"}
    for marks, leaves in lines["minimax"]:
        rows = table[(table["method"] == "minimax") & (table["marks"] == marks)]
        assert leaves == middle_of(rows["leaves"].tolist())


def test_what_is_no_number_stands_side_by_side_without_a_line(table):
    figure = plots.lines(table[table["method"] == "alphabeta"], "order", by="depth")
    axes = figure.axes[0]
    assert {tick.get_text() for tick in axes.get_xticklabels()} == {"row-major", "best-gain"}
    assert words(figure) == ["depth 1", "depth 2", "depth 3"]
    assert {line.get_linestyle() for line in axes.lines} == {"None"}


def test_switches_are_told_apart_and_so_are_searches_that_have_none():
    found = sweep(Board().play(0), [*grid("minimax"), *grid("alphabeta", table=[False, True])], depths=2)
    assert words(plots.lines(found, by="table")) == ["other", "no table", "table"]


def test_only_the_rows_asked_for_are_drawn(table):
    asked = plots.lines(table, "depth", by="method", where={"marks": [0, 1], "method": "alphabeta"})
    kept = table[table["marks"].isin([0, 1]) & (table["method"] == "alphabeta")]
    assert 0 < len(kept) < len(table) and asked.words == plots.lines(kept, "depth", by="method").words
    mixed = sweep(Board(), grid(["alphabeta", "minimax"], table=[False, True]), depths=[2])
    assert words(plots.lines(mixed, "depth", where={"table": [True, None]})) == ["alpha-beta, table", "minimax"]
    with pytest.raises(plots.BadPlot, match="No search is left"):
        plots.lines(table, where={"marks": 17})
    with pytest.raises(plots.BadPlot, match="no column 'mark'"):
        plots.lines(table, where={"mark": 1})


def test_without_a_column_for_it_all_searches_make_one_line(table):
    (line,) = drawn(plots.lines(table, "marks", by="").axes[0]).values()
    medians = table.groupby("marks")["nodes"].median()
    assert line == list(medians.items())


def test_searches_without_an_x_are_left_out_and_told_if_there_are_no_others():
    found = sweep(Board(), grid(["mcts", "minimax"], playouts=5), depths=[2])
    assert words(plots.lines(found, "playouts")) == ["mcts, 5 playouts"]
    with pytest.raises(plots.BadPlot, match="both seed and cutoffs"):
        plots.lines(found[found["method"] == "minimax"], "seed", "cutoffs")


def test_many_places_are_dots_and_zero_has_a_place_among_them():
    axes = plots.lines(sweep(random_positions(Board(), 45, seed=2), grid()), "cutoffs", by="").axes[0]
    (line,) = axes.lines
    assert line.get_linestyle() == "None" and min(line.get_xdata()) == 0 and len(line.get_xdata()) > 20
    assert axes.get_xscale() == "linear"


def test_ratios_are_drawn_on_a_log_scale_around_one(table):
    axes = plots.lines(plots.ratios(table, "minimax"), "depth", "ratio").axes[0]
    assert axes.get_yscale() == "log" and any(set(line.get_ydata()) == {1} for line in axes.lines)


# ------------------------------------------------------------------------------------------- titles


def test_titles_say_what_was_found_unless_they_are_given(table):
    corner = Board().play(0)
    pair = {"row-major": alphabeta(corner, 5), "best-gain": alphabeta(corner, 5, order="best-gain")}
    ratio = pair["best-gain"].nodes / pair["row-major"].nodes
    assert ratio < 1
    title = f"At depth 5, best-gain needs {ratio:.2g} × the nodes of row-major"
    assert plots.nodes_by_depth(pair).get_suptitle() == title
    assert plots.paired(pair).get_suptitle() == f"best-gain needs {ratio:.2g} × the nodes of row-major (1 position)"
    reverse = dict(reversed(pair.items()))
    assert f"row-major needs {1 / ratio:.2g} × the nodes of best-gain" in plots.paired(reverse).words
    assert plots.nodes_by_depth(pair, "Mine").get_suptitle() == "Mine"
    first = [one.cutoffs_by_move[0] / one.cutoffs for one in pair.values()]
    told = f"The first move tried makes {first[1]:.0%} of the cutoffs with best-gain; {first[0]:.0%} with row-major"
    assert plots.cutoffs_by_move(pair).words.startswith(told.replace("%", " %"))
    full = minimax(corner)
    most = max(range(9), key=lambda ply: full.nodes_per_ply[ply])
    assert f"Ply {most} has the most nodes of minimax" in plots.shares_by_ply(full).words
    learned = mcts(corner, 2000, rng=Random(1))
    assert plots.learned(learned, full).get_suptitle() == "After 2,000 playouts it plays 4, which is best"


def test_a_title_says_which_line_ends_lowest_only_if_all_lines_end_there():
    rows = sweep(every_position(Board.from_text("XO- --- ---")), grid())
    ends = rows.groupby("value")["marks"].max()
    assert ends.nunique() > 1
    assert plots.lines(rows, "marks", by="value").get_suptitle() == "Nodes by marks on the board"
    together = rows[rows["marks"] <= ends.min()]
    assert "ends lowest, at" in plots.lines(together, "marks", by="value").get_suptitle()


def test_a_long_title_is_broken_into_lines_and_read_as_one():
    figure = plots.columns({"one": 1}, "word " * 40, "x", "y")
    assert all(len(line) <= 68 for line in figure.get_suptitle().splitlines()) and "\n" in figure.get_suptitle()
    assert "word word word" in figure.words and "\n" not in figure.words


# ------------------------------------------------------------------------------------------------- in words


def test_words_give_the_numbers_of_lines_and_where_they_are(searches):
    told = plots.nodes_by_depth(searches[::3], "Is it less?", b=9).words
    nodes = [minimax(Board(), 1, open_lines).nodes, *(one.nodes for one in searches[3::3])]
    line = ", ".join(f"{count} at {depth}" for depth, count in enumerate(nodes, 1))
    assert told.startswith("Is it less? Across: depth (plies). Upwards: nodes (log scale). ")
    assert f"alpha-beta: {line}." in told and "9^d: 9 at 1, 81 at 2, 729 at 3, 6,561 at 4." in told
    assert "9^(d/2): 3 at 1," in told


def test_words_give_the_ends_of_a_line_of_many_points():
    results = Result("a", "b", 0.5, 0.25, 0.25)
    told = plots.convergence(Match("a", "b", (Game("a", "b", (0, 3, 1, 4, 2)),) * 500), results, "title").words
    assert "X wins: 100 at 1, 100 at 500. draws: 0 at 1, 0 at 500." in told


def test_words_name_bars_and_give_the_intervals_of_ratings():
    told = plots.outcomes([Result("a", "b", 0.5, 0.25, 0.25), Result("b", "a", 1, 0, 0)], "title").words
    assert "X wins: X a O b = 50, X b O a = 100. draws: X a O b = 25, X b O a = 0." in told
    assert plots.columns({"one": 1, "two": 54321}, "title", "x", "y").words.endswith("one = 1, two = 54,321.")
    found = [Rating("a", 100, 20, 0.7), Rating("b", -100, 10, 0.3)]
    (low, high) = found[0].interval
    assert f"b = -100 ± {1.96 * 10:.0f}, a = 100 ± {(high - low) / 2:.0f}." in plots.ratings(found, "title").words


def test_words_read_a_table_cell_by_cell():
    table = plots.crosstable([Result("a", "b", 0.5, 0.25, 0.25), Result("b", "a", 1, 0, 0)], "title").words
    assert table.endswith("Across: plays O. Downwards: plays X. a against b: 0.62. b against a: 1.00.")


def test_a_notebook_shows_the_picture_with_its_words_and_only_once(searches):
    shell = InteractiveShell.instance()
    with capture_output() as shown:
        shell.run_cell("from ttt import plots\nplots.columns({'<a>': 1}, 'Is 1 < 2?', 'x', 'y')")
    (picture,) = shown.outputs
    assert set(picture.data) == {"text/html", "text/plain"}
    words = re.search('alt="(.*?)"', picture.data["text/html"])[1]
    assert unescape(words) == picture.data["text/plain"] and "&lt;a&gt; = 1" in words
    assert drawing(picture.data["text/html"]).get("aria-label") == unescape(words)


# ------------------------------------------------------------------------------------------------- on a page


def test_a_drawing_touches_nothing_else_on_its_page(searches):
    root = drawing(plots.nodes_by_depth(searches, "title", b=9).html)
    assert root.get("role") == "img" and root.get("fill") == "currentColor"
    names = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert "path" in names and "text" in names and not names & {"style", "metadata", "script", "title"}


def test_black_takes_the_colour_of_the_page_and_other_colours_stay(searches):
    text = ElementTree.tostring(drawing(plots.nodes_by_depth(searches, "title").html)).decode()
    assert "#000000" not in text and "stroke: currentColor" in text
    assert all(colour.lower() in text for colour in plots.COLOURS[: len(PIECES)])
    for colour in re.findall(r"#[0-9a-f]{6}", text):
        assert colour in ("#ffffff", "#010101") or contrast(colour, "#fff") >= 3 <= contrast(colour, "#111"), colour


def test_numbers_on_bright_squares_stay_black_on_a_dark_page():
    text = ElementTree.tostring(drawing(plots.crosstable([Result("a", "b", 0.5, 0, 0.5)], "title").html)).decode()
    assert re.search("fill: #010101[^>]*>0.50<", text)


def test_the_same_plot_is_stored_as_the_same_drawing():
    plot = [plots.columns({"one": 1}, "title", "x", "y").html for _ in range(2)]
    assert plot[0] == plot[1]


def test_a_saved_plot_is_black_on_white(tmp_path):
    plots.columns({"one": 1}, "title", "x", "y").savefig(tmp_path / "plot.png")
    pixels = imread(tmp_path / "plot.png")
    assert pixels[0, 0].tolist() == [1, 1, 1, 1] and pixels[..., :3].min() == 0


@pytest.mark.browser
def test_a_plot_has_the_colours_of_a_trusted_page_and_is_grey_elsewhere(opened):
    """The second cell's output is stored in a notebook that nobody has trusted; the first cell is run."""
    source = "from ttt import plots\nplots.columns({'one': 1}, 'One', 'x', 'y')"
    stored = new_output("display_data", {"text/html": plots.columns({"two": 2}, "Two", "x", "y").html})
    with opened("plot.ipynb", [source, new_code_cell("2", outputs=[stored])]) as page:
        page.keyboard.press("Shift+Enter")
        inlined, image = page.locator("svg[aria-label^=One]"), page.get_by_role("img", name="Two")
        title = inlined.locator("text").filter(has_text="One").first
        for theme, colour in (("JupyterLab Dark", "rgb(255, 255, 255)"), ("JupyterLab Light", "rgba(0, 0, 0, 0.87)")):
            wear(page, theme)
            expect(title).to_have_css("fill", colour)
            expect(inlined).to_have_css("background-color", "rgba(0, 0, 0, 0)")
            assert image.evaluate("image => image.tagName + (image.naturalWidth > 500)") == "IMGtrue"
        stored = b64decode(image.get_attribute("src").split(",")[1])
        assert b"color:#757575" in stored and b"background" not in stored
