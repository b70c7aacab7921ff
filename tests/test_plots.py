"""What plots draw, against the numbers: lines, bands, bars and intervals by their places; and how a page shows them."""

import re
from random import Random
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from ttt import Board, exact, match, open_lines, plots
from ttt.drawing.ink import image
from ttt.plots.figure import Plot, log_scale
from ttt.search import alphabeta, minimax
from ttt.statistics import compare, interval, random_positions, sweep

ORDERS = ["row-major", "most-lines", "best-gain"]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def frame():
    return sweep(random_positions(Board(), 45, seed=2), [1, 2, 3], order=ORDERS, heuristic=open_lines)


def labelled(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def test_up_to_three_curves_go_through_the_medians_in_bands_over_the_middle_half(frame):
    ax = plots.curves(frame, "depth", "nodes", "order")
    parts = frame.astype({"nodes": float}).groupby("order", observed=True)
    for (order, rows), band in zip(parts, ax.collections, strict=True):
        for depth, nodes in rows.groupby("depth")["nodes"]:
            low, middle, high = np.percentile(nodes, (25, 50, 75))
            line = labelled(ax)[order]
            assert line.get_ydata()[list(line.get_xdata()).index(depth)] == middle
            at = [y for x, y in band.get_paths()[0].vertices if x == depth]
            assert (min(at), max(at)) == (low, high)
    assert ax.get_yscale() == "linear" and ax.get_xlabel() == "depth (plies)"
    four = pd.concat([frame.assign(order=name) for name in "abcd"])
    ax = plots.curves(four, "depth", "nodes", "order")
    assert len(ax.lines) == 4 and not ax.collections and "middle half" not in ax.get_ylabel()


def test_a_column_of_true_and_false_is_a_share_with_its_interval(frame):
    rows = frame.assign(early=frame["cutoffs"] > 3)
    ax = plots.curves(rows, "depth", "early")
    for depth, some in rows.groupby("depth"):
        share = 100 * some["early"].mean()
        assert np.isclose(ax.lines[0].get_ydata()[depth - 1], share)
        at = [y for x, y in ax.collections[0].get_paths()[0].vertices if x == depth]
        per_position = some.assign(early=some["early"].astype(float)).groupby("board")["early"].mean()
        spread = 196 * per_position.std() / np.sqrt(len(per_position))
        assert min(at) <= share <= max(at) and abs(max(at) - min(at) - 2 * spread) <= 0.4 * spread + 1e-9


def test_a_setting_keeps_its_colour_and_marker_when_rows_are_left_out(frame):
    every = labelled(plots.curves(frame, "depth", "nodes", "order"))
    some = labelled(plots.curves(frame.query("order != 'row-major'"), "depth", "nodes", "order"))
    assert list(every) == ORDERS and list(some) == ORDERS[1:]
    for order, line in some.items():
        assert (line.get_color(), line.get_marker()) == (every[order].get_color(), every[order].get_marker())
    row = plots.paired(frame.query("depth == 2"), "order", "row-major")
    assert row.lines[0].get_color() == every["most-lines"].get_color()


def test_places_far_apart_are_on_a_log_scale_and_single_rows_have_no_median():
    rows = pd.DataFrame({"playouts": [3, 10, 30, 100], "right": [60.0, 70, 80, 90]})
    ax = plots.curves(rows, "playouts", "right")
    assert ax.get_xscale() == "log" and ax.get_ylabel() == "right"
    assert "median and middle half" in plots.curves(pd.concat([rows, rows]), "playouts", "right").get_ylabel()


def test_negative_values_and_words_for_places_are_in_sight():
    rows = pd.DataFrame({"x": [1, 2, 3], "y": [-5.0, 2, 4], "who": ["a", "b", "c"]})
    low, high = plots.curves(rows, "x", "y").get_ylim()
    assert low < -5 and high > 4 and plots.curves(rows[["x", "y"]].abs(), "x", "y").get_ylim()[0] == 0
    last_first = plots.curves(rows.assign(z=["q", "p", "q"]), "who", "y", "z")
    assert [text.get_text() for text in last_first.get_xticklabels()] == ["a", "b", "c"]
    with pytest.raises(ValueError, match="No row has both 'x' and 'y'"):
        plots.curves(rows.assign(y=np.nan), "x", "y")


@pytest.mark.parametrize("high", [50, 5e3, 9e5, 3e7, 8e9])
def test_the_numbers_on_a_log_scale_are_of_one_kind(high):
    ax = pyplot.figure().add_subplot()
    ax.plot([0, 1], [1, high])
    log_scale(ax, "y")
    ax.figure.canvas.draw()
    texts = [text.get_text() for text in ax.get_yticklabels() if text.get_text()]
    assert len(texts) >= 2 and len({"10^" in text for text in texts}) == 1


def test_a_row_of_ratios_has_its_dots_its_median_and_a_95_per_cent_interval(frame):
    deep = frame.query("depth == 3")
    ax = plots.paired(deep, "order", "row-major")
    pairs = compare(deep, "order", "row-major")
    rows = [pairs.query(f"order == '{order}'") for order in ORDERS[1:]]
    for n, some in enumerate(rows):
        dots, bar, diamond = ax.lines[3 * n : 3 * n + 3]
        assert sorted(dots.get_xdata()) == sorted(some["ratio"])
        assert diamond.get_xdata()[0] == np.median(some["ratio"]) and diamond.get_ydata()[0] == n
        assert tuple(bar.get_xdata()) == interval(some, "ratio")
    assert f"{len(rows[0])} positions" in ax.texts[0].get_text() and "at depth 3" in ax.get_xlabel()
    few = plots.paired(deep.head(15), "order", "row-major")
    assert len(few.lines) == 2 * 2 + 1  # dots and medians without intervals, and the line at 1


def test_cutoffs_and_plies_are_shares_of_all(frame):
    ax = plots.cutoffs(frame, "order")
    for order, bars in zip(ORDERS, ax.containers, strict=True):
        lists = frame.query(f"order == '{order}'")["cutoffs_by_move"]
        counts = np.sum([np.pad(one, (0, 9 - len(one))) for one in lists], axis=0)
        expected = [*counts[:5], counts[5:].sum()]
        assert np.allclose([bar.get_height() for bar in bars], 100 * np.array(expected) / counts.sum())
    assert len({bar.get_hatch() for bars in ax.containers for bar in bars}) == 3
    found = minimax(Board(), 4)
    line = plots.shares_by_ply(pd.DataFrame([found])).lines[0]
    assert np.allclose(line.get_ydata(), 100 * np.array(found.nodes_per_ply) / found.nodes)
    with pytest.raises(ValueError, match="cut nothing off"):
        plots.cutoffs(pd.DataFrame([alphabeta(Board(), 1)]))


def test_a_reference_is_a_grey_line_of_its_own(frame):
    ax = plots.curves(frame, "depth", "nodes")
    plots.reference(ax, [1, 2, 4], "doubled")
    plots.reference(ax, {1: 3, 3: 9}, "tripled")
    plots.reference(ax, 7, "level")
    one, two, three = ax.lines[1:]
    assert one.get_xydata().tolist() == [[0, 1], [1, 2], [2, 4]] and two.get_xydata().tolist() == [[1, 3], [3, 9]]
    assert set(three.get_ydata()) == {7} and len({line.get_linestyle() for line in (one, two, three)}) == 3
    (legend,) = ax.figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["doubled", "tripled", "level"]


def test_the_bars_of_outcomes_are_stacked_to_100_per_cent():
    results = [exact("random", o) for o in ("random", "open-lines", "perfect")]
    ax = plots.outcomes(results, "Three players")
    for n, result in enumerate(results):
        wins, draws, losses = (bars[n] for bars in ax.containers)
        shares = [100 * share for share in (result.x_wins, result.draws, result.o_wins)]
        assert np.allclose([bar.get_width() for bar in (wins, draws, losses)], shares)
        assert np.allclose([bar.get_x() for bar in (wins, draws, losses)], [0, shares[0], shares[0] + shares[1]])
    assert ax.get_xlim() == (0, 100) and len({bars[0].get_hatch() for bars in ax.containers}) == 3


def test_a_sample_comes_to_lie_beside_the_exact_shares():
    played, truth = match("random", "random", games=500, rng=Random(1)), exact("random", "random")
    ax = plots.convergence(played, truth)
    shares = {"X": truth.x_wins, None: truth.draws, "O": truth.o_wins}
    for (end, share), line, level in zip(shares.items(), ax.lines[::2], ax.lines[1::2], strict=True):
        for games in (10, 500):
            so_far = 100 * sum(winner == end for winner in played.winners[:games]) / games
            assert tuple(line.get_xydata()[games - 1]) == pytest.approx((games, so_far))
        assert np.isclose(level.get_ydata()[0], 100 * share)


@pytest.mark.parametrize(("value", "strongest"), [(1, "green"), (-1, "blue")])
def test_good_moves_are_green_and_bad_ones_purple(value, strongest):
    colours = [set(re.findall("#[0-9a-f]{6}", str(plots.heat(Board(), moves, "Worth")))) for moves in ({4: value}, {})]
    [colour] = colours[0] - colours[1]
    light = dict(zip(("red", "green", "blue"), bytes.fromhex(colour[1:]), strict=True))
    assert max(light, key=light.get) == strongest


def test_a_column_a_table_and_a_board_show_their_numbers():
    ax = plots.columns({"one": 10, "two": 2500}, "Two", "what", "how many")
    assert [bar.get_height() for bar in ax.patches] == [10, 2500] and ax.texts[1].get_text() == "2,500"
    results = [exact(x, o) for x in ("random", "rules") for o in ("random", "perfect")]
    table = plots.crosstable(results)
    assert [text.get_text() for text in table.texts] == [f"{result.points:.2f}" for result in results]
    assert np.allclose(np.ma.getdata(table.collections[0].get_array()).ravel(), [one.points for one in results])
    drawn = plots.heat(Board().play(0), minimax(Board().play(0)).values, "Worth")
    assert str(drawn).count("−1") >= 7


def test_a_drawing_takes_the_ink_of_the_page_and_says_what_it_shows(frame):
    ax = plots.curves(frame, "depth", "nodes", "order", title="Costs $ <money>")
    figure = ax.figure
    root = ElementTree.fromstring(figure.svg)
    assert root.get("role") == "img" and root.get("aria-label") == figure.words
    assert "#000000" not in figure.svg and "<style" not in figure.svg and figure.svg.isascii()
    assert figure.words.startswith("Costs $ <money>. Across: depth (plies). Upwards: nodes")
    for line in ax.lines:
        assert all(f" {y:,.4g} (" in figure.words for y in line.get_ydata() if y < 1000)
    assert re.search(r'alt="[^"]*Costs', image(figure.svg, figure.words)) and figure.svg == figure.svg


def test_axes_of_ones_own_are_drawn_on(frame):
    _, (left, right) = pyplot.subplots(1, 2)
    assert plots.curves(frame, "depth", "nodes", "order", ax=left) is left and left.get_legend()
    assert plots.paired(frame.query("depth == 2"), "order", "row-major", ax=right) is right


def test_a_notebook_shows_a_plot_once_whether_or_not_it_is_the_last_value(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    ax = plots.columns({1: 2}, "One")
    assert isinstance(ax.figure, Plot) and pyplot.fignum_exists(ax.figure.number)
    ax._ipython_display_()
    assert len(shown) == 1 and set(shown[0]) == {"text/html", "text/plain"}
    assert not pyplot.get_fignums()  # so the end of the cell doesn't show it again


@pytest.fixture
def line_for(monkeypatch, capsys):
    """The line of code that the view prints for choices."""

    def line(frame, *choices):
        shows = []
        monkeypatch.setattr("ipywidgets.interact", lambda show, **menus: shows.append(show))
        plots.view(frame)
        shows[0](*choices)
        return capsys.readouterr().out

    return line


def test_the_view_prints_the_line_that_makes_its_plot(frame, line_for, capsys):
    plots.view(frame)
    assert "plots.curves(frame, 'depth', 'nodes', 'setting', estimator='median')" in capsys.readouterr().out
    line = line_for(frame, "depth", "nodes", "order", "marks > 2", "mean")
    rows = frame.query("marks > 2 and order == 'best-gain' and depth == 2")
    assert np.isclose(labelled(eval(line))["best-gain"].get_ydata()[1], rows["nodes"].mean())


def test_the_line_for_true_or_false_makes_the_median_that_was_chosen(frame, line_for):
    frame = frame.assign(many=frame["nodes"] > frame["nodes"].quantile(0.4))
    ax = eval(line_for(frame, "depth", "many", None, "", "median"))
    assert ax.lines[0].get_ydata().tolist() == (100 * frame.groupby("depth")["many"].median()).tolist()
