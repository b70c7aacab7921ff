"""What plots draw, compared with the numbers: lines, bands, bars and intervals; and how a page shows them."""

import re
import warnings
from itertools import combinations
from random import Random
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from conftest import naming
from games import Four
from lab import plots
from lab.plots.figure import Plot, log_scale
from lab.plots.results import SHARES
from lab.statistics import compare, random_positions, summary, sweep, tabulate
from matplotlib import pyplot
from matplotlib.colors import to_hex

from ttt import Board, exact, match, open_lines
from ttt.search import alphabeta, minimax

ORDERS = ["row-major", "most-lines", "best-gain"]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def frame():
    return sweep(random_positions(Board(), 45, seed=2, free=3), [1, 2, 3], order=ORDERS, heuristic=open_lines)


def labelled(ax):
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def heights_at(x, path):
    return [y for across, y in path.vertices if across == x]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_curves_go_through_the_medians_with_the_middle_half_as_bands_or_thin_lines_or_not_at_all(frame, count):
    orders = ORDERS[:count]
    rows = pd.concat([frame[frame["order"] == order].astype({"order": str}) for order in orders])
    if count == 4:
        rows = pd.concat([frame.assign(order=order) for order in "abcd"])
    ax = plots.curves(rows, "depth", "nodes", "order")
    for n, (order, some) in enumerate(rows.astype({"nodes": float}).groupby("order", sort=False)):
        for depth, nodes in some.groupby("depth")["nodes"]:
            low, middle, high = np.percentile(nodes, (25, 50, 75))
            line = labelled(ax)[order]
            assert line.get_ydata()[list(line.get_xdata()).index(depth)] == middle
            if count < 3:
                at = heights_at(depth, ax.collections[n].get_paths()[0])
                assert np.allclose((min(at), max(at)), (low, high))
            if count == 3:
                edges = ax.lines[3 * n + 1 : 3 * n + 3]
                assert np.allclose([edge.get_ydata()[depth - 1] for edge in edges], (low, high))
    assert len(ax.lines) == {3: 9}.get(count, count) and len(ax.collections) in (0, count)
    assert ax.get_yscale() == "linear"
    assert ("middle half" in ax.get_xlabel()) == (count < 4) and ax.get_xlabel().startswith("depth (plies)")


def test_a_column_of_true_and_false_is_a_share_with_its_interval(frame):
    rows = frame.assign(early=frame["cutoffs"] > 3)
    ax = plots.curves(rows, "depth", "early")
    assert naming("per cent", "early").search(ax.get_ylabel()) and naming("95 % interval").search(ax.get_xlabel())
    for depth, some in rows.groupby("depth"):
        share = 100 * some["early"].mean()
        assert np.isclose(ax.lines[0].get_ydata()[depth - 1], share)
        at = heights_at(depth, ax.collections[0].get_paths()[0])
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
    drawn = {label.get_text(): row.lines[3 * n].get_color() for n, label in enumerate(row.get_yticklabels())}
    assert drawn == {order: every[order].get_color() for order in ORDERS[1:]}


def test_a_wide_range_has_a_log_scale_and_negative_values_are_visible():
    rows = pd.DataFrame({"playouts": [3, 10, 30, 100], "y": [-5.0, 2, 3, 4]})
    ax = plots.curves(rows, "playouts", "y")
    assert ax.get_xscale() == "log" and (ax.get_xlabel(), ax.get_ylabel()) == ("playouts", "y")
    assert ax.get_ylim()[0] < -5 and ax.get_ylim()[1] > 4 and plots.curves(rows.abs(), "y", "y").get_ylim()[0] == 0
    assert "median and middle half" in plots.curves(pd.concat([rows, rows]), "playouts", "y").get_xlabel()
    with pytest.raises(ValueError, match=naming("no row", "'playouts' and 'y'")):
        plots.curves(rows.assign(y=np.nan), "playouts", "y")


@pytest.mark.parametrize("high", [50, 5e3, 9e5, 3e7, 8e9])
def test_the_numbers_on_a_log_scale_have_one_format(high):
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
    by_effect = pairs.groupby("order", observed=True)["ratio"].median().sort_values().index
    assert [label.get_text() for label in ax.get_yticklabels()] == [*by_effect]
    rows = [pairs.query(f"order == '{order}'") for order in by_effect]
    for n, some in enumerate(rows):
        dots, bar, diamond = ax.lines[3 * n : 3 * n + 3]
        assert sorted(dots.get_xdata()) == sorted(some["ratio"])
        assert diamond.get_xdata()[0] == np.median(some["ratio"]) and diamond.get_ydata()[0] == n
        _, middle, low, high = summary(some, "order", "ratio").iloc[0]
        assert tuple(bar.get_xdata()) == (low, high)
        assert ax.texts[n].get_text() == f"{middle:#.3g}× ({low:#.3g}–{high:#.3g}), {len(some)} positions"
    assert naming("nodes at depth 3", "ratio to row-major", "median", "95 % interval").search(ax.get_xlabel())
    few = plots.paired(deep.head(15), "order", "row-major")
    assert len(few.lines) == 2 * 2 + 1  # dots and medians without intervals, and the line at 1
    with pytest.raises(ValueError, match=naming("depths 1, 2, 3", "frame.query('depth == 3')")):
        plots.paired(frame, "order", "row-major")


def test_the_plot_and_a_warning_say_if_depths_have_different_positions(frame):
    assert "middle half, 45 positions" in plots.curves(frame, hue="order").get_xlabel()
    rows = frame[(frame["depth"] < 3) | (frame["marks"] < 4)]
    deep = rows.query("depth == 3")["board"].nunique()
    counts = f"by depth: 45 at 1, 45 at 2, {deep} at 3"
    with pytest.warns(UserWarning, match=naming(counts, "random_positions", "free=...")) as warned:
        ax = plots.curves(rows, hue="order")
    assert {warning.filename for warning in warned} == {__file__}  # the reader's cell, not the lab
    assert naming("different positions", counts).search(ax.get_xlabel())
    fewer = frame[(frame["order"] == "row-major") | (frame["marks"] < 4)]
    with pytest.warns(UserWarning, match=naming(f"45 at row-major, {deep} at most-lines")):
        plots.curves(fewer.query("depth == 2"), "marks", hue="order")
    crossed = frame[((frame["depth"] == 1) == (frame["order"] == "best-gain")) != (frame["marks"] < 4)]
    with pytest.warns(UserWarning, match=naming(f"{deep} or {45 - deep} at 1")):
        plots.curves(crossed, hue="order")  # each depth has all positions, no line has
    boards = frame["board"].unique()
    halves = frame[frame["board"].isin(boards[:40]) & (frame["board"].isin(boards[:20]) == (frame["depth"] == 1))]
    with pytest.warns(UserWarning, match=naming("by depth: 20 at 1, 20 at 2, 20 at 3")):  # equally many, but others
        plots.curves(halves)


def test_a_ratio_has_a_log_scale_and_a_line_at_1(frame):
    ax = plots.curves(compare(frame, "order", "row-major"), y="ratio", hue="order")
    assert ax.get_yscale() == "log" and [set(ax.lines[-1].get_ydata())] == [{1}] and len(labelled(ax)) == 2


def test_small_multiples_have_one_scale_and_one_legend_and_all_searches(frame):
    first = plots.curves(frame, "marks", hue="depth", col="order", title="Three")
    axes = first.figure.axes
    assert [ax.get_title("left") for ax in axes] == ORDERS and len(first.figure.legends) == 1
    assert not any(ax.get_legend() for ax in axes) and len({ax.get_ylim() for ax in axes}) == 1
    for order, ax in zip(ORDERS, axes, strict=True):
        alone = plots.curves(frame[frame["order"] == order], "marks", hue="depth")
        assert [line.get_xydata().tolist() for line in ax.lines] == [line.get_xydata().tolist() for line in alone.lines]
    assert first.figure.words.startswith("Three. Across: marks on the board, median and middle half, 45 positions.")
    assert all(f"{order}, depth 2: 0 = " in first.figure.words for order in ORDERS)
    lacking = frame[(frame["order"] != "row-major") | (frame["depth"] < 3)].query("marks < 7")
    legend = plots.curves(lacking, "marks", hue="depth", col="order").figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["depth 1", "depth 2", "depth 3"]
    with pytest.raises(ValueError, match=naming("`ax`", "`col`", "not both")):
        plots.curves(frame, col="order", ax=first)


def overlapping(texts):
    """The texts that hide parts of one another, as drawn."""
    texts = [text for text in texts if text.get_text() and text.get_visible()]
    texts[0].figure.canvas.draw()
    boxes = [text.get_window_extent() for text in texts]
    pairs = combinations(range(len(texts)), 2)
    return [(texts[one].get_text(), texts[two].get_text()) for one, two in pairs if boxes[one].overlaps(boxes[two])]


@pytest.fixture(scope="module")
def settings():
    """Every setting of alpha-beta that needs no heuristic, on a few boards."""
    switches = {name: [False, True] for name in ("killer", "table", "symmetry", "deepening")}
    return sweep(random_positions(Board(), 3, seed=4, free=4), 3, order=ORDERS, heuristic=open_lines, **switches)


def test_dozens_of_settings_are_drawn_without_overlaps(settings):
    ax = plots.paired(settings, "setting", "alphabeta, row-major")
    assert len(ax.get_yticklabels()) == 47 and not overlapping([*ax.get_yticklabels(), *ax.texts])
    across = plots.curves(settings, x="setting", y="nodes")
    assert 12 <= len(across.get_xticklabels()) <= 32 and not overlapping(across.get_xticklabels())
    short = plots.curves(settings, x="order", y="nodes")
    assert len(short.get_xticklabels()) == 3 and short.get_xticklabels()[0].get_rotation() == 0


def test_panels_wrap_and_each_warns_of_its_own_positions(frame):
    first = plots.curves(frame, hue="order", col="marks", col_wrap=3, title="By marks")
    figure = first.figure
    assert {ax.get_subplotspec().get_gridspec().ncols for ax in figure.axes} == {3} and len(figure.axes) == 7
    assert not overlapping([figure._suptitle, *(ax._left_title for ax in figure.axes)])
    assert not overlapping([text for ax in figure.axes[-3:] for text in ax.get_xticklabels()])
    shapes = [frame.query("depth < 3"), sweep(random_positions(Board((3, 4), 3), 20, seed=1, free=3), [1, 2, 3])]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # each panel has the same positions at all depths
        ax = plots.curves(pd.concat(shapes), col="shape")
    assert "45 positions, 20 positions" in ax.figure.get_supxlabel()
    fewer = [shapes[0], shapes[1].query("depth < 3 or marks < 4")]
    with pytest.warns(UserWarning, match=naming("differ by depth in 3x4: 20 at 1, 20 at 2")):
        plots.curves(pd.concat(fewer), col="shape")


def test_up_to_fifty_lines_differ_in_colour_or_marker_and_bars_in_colour_or_hatch():
    rows = pd.DataFrame({"depth": [1, 2] * 50, "nodes": range(100), "kind": [f"kind {n // 2}" for n in range(100)]})
    lines = labelled(plots.curves(rows, hue="kind")).values()
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 50
    cuts = pd.DataFrame({"kind": [*"abcdefghij"], "cutoffs_by_move": [[3, 1]] * 10})
    bars = [bars[0] for bars in plots.cutoffs(cuts, "kind").containers]
    assert len({(bar.get_facecolor(), bar.get_hatch()) for bar in bars}) == 10


def cheap(board, depth, heuristic, factor=1):
    return factor


def test_a_ratio_has_three_significant_digits_whatever_its_size():
    frame = sweep(random_positions(Board(), 9, seed=1), 1, method=cheap, factor=[0.0006123, 1, 4321])
    ax = plots.paired(frame, "factor", 1, "value")
    assert [text.get_text().split("×")[0] for text in ax.texts] == ["0.000612", "4,321"]


def test_a_search_without_nodes_is_drawn_by_its_seconds():
    timed = sweep(random_positions(Board(), 12, seed=1, free=2), [1, 2], method=[cheap, "alphabeta"], times=1)
    assert plots.curves(timed, hue="method").get_ylabel() == "seconds"
    assert "seconds at depth 2" in plots.paired(timed.query("depth == 2"), "method", "cheap").get_xlabel()


def test_a_scatter_has_a_dot_for_each_search_and_the_power_that_fits():
    nodes = np.array([1.0, 10, 100, 1000, 0])
    rows = pd.DataFrame({"nodes": nodes, "seconds": 3e-6 * nodes**1.25, "kind": [*"aabba"]})
    ax = plots.scatter(rows)
    dots, line = ax.lines
    assert [*dots.get_xdata()] == [1, 10, 100, 1000] and line.get_label() == "nodes^1.25"
    assert np.allclose(line.get_ydata(), [3e-6, 3e-6 * 1000**1.25]) and ax.get_xscale() == ax.get_yscale() == "log"
    assert "4 searches" in ax.get_xlabel() and "nodes^1.25: seconds at 1 nodes = 3e-06" in ax.figure.words
    assert [*labelled(plots.scatter(rows, hue="kind"))] == ["a: nodes^1.25", "b: nodes^1.25"]
    with pytest.raises(ValueError, match=naming("'nodes' and 'seconds'", "`times=1`")):
        plots.scatter(rows.assign(seconds=np.nan))


def test_searches_of_other_games_are_drawn():
    boards = random_positions(Four(), 30, seed=1)
    frame = sweep(boards, [1, 2], method=["alphabeta", "minimax"])
    assert "30 positions" in plots.curves(frame, hue="method").get_xlabel()
    assert "30 positions" in plots.cutoffs(frame.query("depth == 2 and method == 'alphabeta'")).get_xlabel()
    ax = plots.paired(frame.query("depth == 2"), "method", "minimax")
    assert "30 positions" in ax.texts[0].get_text()
    table = tabulate([search(board, 2) for board in boards for search in (alphabeta, minimax)])
    assert plots.paired(table[table["depth"] == 2], "setting", "minimax").texts[0].get_text().startswith("0.")


def test_several_columns_as_hue_give_each_combination_a_line(frame):
    ax = plots.curves(frame, "marks", hue=["order", "depth"])
    assert [*labelled(ax)] == [f"{order}, depth {depth}" for order in ORDERS for depth in (1, 2, 3)]
    some = frame.query("order == 'best-gain' and depth == 2").astype({"nodes": float})
    medians = some.groupby("marks")["nodes"].median()
    assert labelled(ax)["best-gain, depth 2"].get_ydata().tolist() == medians.tolist()


@pytest.mark.parametrize("arguments", [{"hue": "ordr"}, {"x": "dept"}, {"y": "node"}, {"col": "killr"}])
def test_an_unknown_column_is_named_with_the_columns_of_the_table(frame, arguments):
    name = next(iter(arguments.values()))
    unknown = naming("no column", name, "shape, k, board", "nodes, interior, leaves, cutoffs,")
    with pytest.raises(KeyError, match=unknown):
        plots.curves(frame, **arguments)
    with pytest.raises(KeyError, match=unknown):
        plots.cutoffs(frame, hue=name)
    with pytest.raises(KeyError, match=naming("no column", name)):
        plots.paired(frame.query("depth == 2"), "order", "row-major", hue=name)


def test_an_estimator_is_the_median_or_the_mean(frame):
    mean = plots.curves(frame, estimator="mean").lines[0].get_ydata()
    assert np.allclose(mean, frame.groupby("depth")["nodes"].mean().astype(float))
    with pytest.raises(ValueError, match=naming("`estimator`", "'median' or 'mean'", "'max'")):
        plots.curves(frame, estimator="max")


def test_sweeps_joined_by_concat_give_the_same_picture(frame):
    parts = [frame[frame["order"] == order] for order in ORDERS]
    for part in parts:
        part["order"] = part["order"].cat.remove_unused_categories()
    joined = pd.concat(parts)
    assert joined["order"].dtype != frame["order"].dtype
    for draw in (
        lambda rows: plots.curves(rows, hue="order"),
        lambda rows: plots.paired(rows.query("depth == 3"), "order", "row-major"),
        lambda rows: plots.cutoffs(rows, "order"),
    ):
        assert draw(joined).figure.svg == draw(frame).figure.svg


def test_there_is_room_above_the_highest_mark_also_for_later_drawings():
    rows = pd.DataFrame({"depth": [1, 2, 3], "share": [50.0, 99.0, 100.0]})
    ax = plots.curves(rows, y="share")
    assert ax.get_ylim()[0] == 0 and ax.get_ylim()[1] >= 104
    plots.reference(ax, 150, "more")
    assert ax.get_ylim()[0] == 0 and ax.get_ylim()[1] >= 155


def test_log_axes_that_share_y_cause_no_warning(frame, recwarn):
    _, axes = pyplot.subplots(1, 3, sharey=True)
    for ax, rows in zip(axes, (frame, frame.assign(nodes=frame["nodes"] * 10 ** frame["depth"]), frame), strict=True):
        plots.curves(rows, ax=ax)
    axes[0].figure.canvas.draw()
    assert axes[0].get_yscale() == "log" and not recwarn.list


def test_titles_are_bold_and_on_the_left_and_legends_are_matplotlibs_own(frame):
    ax = plots.curves(frame, hue="order", title="Costs")
    title = ax._left_title
    assert title.get_text() == "Costs" and title.get_fontweight() == "bold" and not ax.get_title("center")
    assert title.get_fontsize() > ax.xaxis.label.get_fontsize() > 8
    ax.legend(["one", "two", "three"])
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert not ax.figure.legends and texts == ["one", "two", "three"]


@pytest.mark.parametrize(
    "draw",
    [
        lambda frame, **at: plots.curves(frame, hue="order", **at),
        lambda frame, **at: plots.paired(frame.query("depth == 3"), "order", "row-major", **at),
        lambda frame, **at: plots.cutoffs(frame, "order", **at),
        lambda frame, **at: plots.scatter(frame, "nodes", "leaves", "order", **at),
        lambda frame, **at: plots.outcomes([exact("random", "perfect")], **at),
    ],
)
def test_every_word_fits_in_the_column_of_a_page(frame, draw):
    figure, ax = pyplot.subplots(figsize=(3.4, 2.4), layout="constrained")
    assert draw(frame, title="Nodes by depth", ax=ax) is ax
    figure.canvas.draw()
    drawn = figure.get_tightbbox(figure.canvas.get_renderer())  # in inches
    assert drawn.x0 >= 0 and drawn.y0 >= 0 and drawn.x1 <= 3.4 and drawn.y1 <= 2.4
    assert ax.get_position().width > 0.45 and ax.get_position().height > 0.35


def test_cutoffs_are_shares_of_all_cutoffs(frame):
    ax = plots.cutoffs(frame, "order")
    for order, bars in zip(ORDERS, ax.containers, strict=True):
        lists = frame.query(f"order == '{order}'")["cutoffs_by_move"]
        counts = np.sum([np.pad(cuts, (0, 9 - len(cuts))) for cuts in lists], axis=0)
        expected = [*counts[:5], counts[5:].sum()]
        assert np.allclose([bar.get_height() for bar in bars], 100 * np.array(expected) / counts.sum())
    assert len({bar.get_hatch() for bars in ax.containers for bar in bars}) == 3
    with pytest.raises(ValueError, match=naming("table", "no cutoffs", "other rows")):
        plots.cutoffs(tabulate([alphabeta(Board(), 1)]))


def test_each_reference_is_a_grey_line_with_its_own_dashes(frame):
    ax = plots.curves(frame, "depth", "nodes")
    plots.reference(ax, [1, 2, 4], "doubled")
    plots.reference(ax, {1: 3, 3: 9}, "tripled")
    plots.reference(ax, 7, "level")
    one, two, three = ax.lines[1:]
    assert one.get_xydata().tolist() == [[0, 1], [1, 2], [2, 4]] and two.get_xydata().tolist() == [[1, 3], [3, 9]]
    assert set(three.get_ydata()) == {7} and len({line.get_linestyle() for line in (one, two, three)}) == 3
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["nodes", "doubled", "tripled", "level"]


def test_the_bars_of_outcomes_are_stacked_to_100_per_cent():
    results = [exact("random", o) for o in ("random", "open-lines", "perfect")]
    ax = plots.outcomes(results, "Three players")
    for n, result in enumerate(results):
        wins, draws, losses = (bars[n] for bars in ax.containers)
        shares = [100 * share for share in (result.x_wins, result.draws, result.o_wins)]
        assert np.allclose([bar.get_width() for bar in (wins, draws, losses)], shares)
        assert np.allclose([bar.get_x() for bar in (wins, draws, losses)], [0, shares[0], shares[0] + shares[1]])
    assert ax.get_xlim() == (0, 100) and not ax.get_xticks().size  # the numbers are in the bars


def test_the_bars_of_outcomes_are_plain_with_their_numbers_inside():
    ax = plots.outcomes(exact("random", "random"))
    ax.figure.canvas.draw()
    for (_, _, colour, on_it, _), bars, number in zip(SHARES.values(), ax.containers, ax.texts[:3], strict=True):
        [bar] = bars
        assert to_hex(bar.get_facecolor()) == colour.lower() and not bar.get_hatch()
        assert number.get_text() == f"{bar.get_width():.1f}" and number.get_color() == on_it
        inside, around = number.get_window_extent(), bar.get_window_extent()
        assert around.x0 < inside.x0 and inside.x1 < around.x1
        assert (inside.x0 + inside.x1) / 2 == pytest.approx((around.x0 + around.x1) / 2, abs=2)


def test_every_outcome_that_is_not_zero_has_its_number():
    for result in (exact("perfect", "random"), exact("random", "flash-clever"), exact("perfect", "perfect")):
        told = [line for text in plots.outcomes(result).texts for line in text.get_text().split("\n")]
        for label, share in {"X wins": result.x_wins, "draws": result.draws, "O wins": result.o_wins}.items():
            number = f"{100 * share:.1f}"
            assert (number in told or f"{label} {number}" in told) == (share > 0)


def test_a_samples_shares_are_drawn_with_the_exact_shares():
    played, truth = match("random", "random", games=500, rng=Random(1)), exact("random", "random")
    ax = plots.convergence(played, truth)
    shares = {"X": truth.x_wins, None: truth.draws, "O": truth.o_wins}
    for (end, share), line, level in zip(shares.items(), ax.lines[::2], ax.lines[1::2], strict=True):
        for games in (10, 500):
            so_far = 100 * sum(winner == end for winner in played.winners[:games]) / games
            assert tuple(line.get_xydata()[games - 1]) == pytest.approx((games, so_far))
        assert np.isclose(level.get_ydata()[0], 100 * share)
    assert naming("after 500 games", "exactly").search(ax.figure.words)
    one = plots.convergence(match("random", "random", games=1, rng=Random(1)), truth)
    assert naming("after 1 game ").search(one.figure.words)


@pytest.mark.parametrize(("value", "strongest"), [(1, "green"), (-1, "blue")])
def test_good_moves_are_green_and_bad_ones_purple(value, strongest):
    colours = [set(re.findall("#[0-9a-f]{6}", str(plots.heat(Board(), moves, "Worth")))) for moves in ({4: value}, {})]
    [colour] = colours[0] - colours[1]
    light = dict(zip(("red", "green", "blue"), bytes.fromhex(colour[1:]), strict=True))
    assert max(light, key=light.get) == strongest


def test_a_table_and_a_board_show_their_numbers():
    results = [exact(x, o) for x in ("random", "rules") for o in ("random", "perfect")]
    table = plots.crosstable(results)
    assert [text.get_text() for text in table.texts] == [f"{result.points:.2f}" for result in results]
    assert np.allclose(np.ma.getdata(table.collections[0].get_array()).ravel(), [one.points for one in results])
    drawn = plots.heat(Board().play(0), minimax(Board().play(0)).values, "Worth")
    assert str(drawn).count("−1") >= 7
    some = str(plots.heat(Board(), {0: 1.5, 1: np.nan, 2: -np.inf}, "Worth"))
    assert "1.5" in some and "nan" not in some
    with pytest.raises(ValueError, match=naming("`crosstable()`", "one result")):
        plots.crosstable([])


def test_a_plot_takes_the_ink_of_the_page_and_says_what_it_shows(frame):
    ax = plots.curves(frame, "depth", "nodes", "order", title="Costs $ <money>")
    figure = ax.figure
    root = ElementTree.fromstring(figure.svg)
    title, text = (root.findtext(f"{{*}}{name}") for name in ("title", "desc"))
    assert root.get("role") == "img" and title == "Costs $ <money>." and f"{title} {text}" == figure.words
    assert "#000000" not in figure.svg and figure.svg.count("<style") == 1 and figure.svg.isascii()
    assert figure.words.startswith("Costs $ <money>. Across: depth (plies), median")
    for line in labelled(ax).values():
        assert all(f" {y:,.4g} (" in figure.words for y in line.get_ydata() if y < 1000)
    assert figure.svg == figure.svg


def test_a_notebook_shows_a_plot_once_whether_or_not_it_is_the_last_value(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    ax = plots.outcomes(exact("random", "random"))
    assert isinstance(ax.figure, Plot) and pyplot.fignum_exists(ax.figure.number)
    ax._ipython_display_()
    assert len(shown) == 1 and set(shown[0]) == {"image/svg+xml", "image/png", "text/plain"}
    assert not pyplot.get_fignums()  # so the end of the cell doesn't show it again
