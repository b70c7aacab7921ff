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
from lab.plots.figure import COLOURS, Plot, log_scale, styles
from lab.statistics import compare, random_positions, summary, sweep, tabulate
from matplotlib import pyplot, rcParams
from matplotlib.colors import to_hex, to_rgb

from ttt import Board, exact, match, open_lines, svg
from ttt.arena import Result, wilson
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


def names_of_rows(ax):
    return [text.get_text().partition(": ")[0] for text in ax.texts]


def heights_at(x, path):
    return [y for across, y in path.vertices if across == x]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_curves_go_through_the_medians_and_one_or_two_have_the_middle_half_as_bands(frame, count):
    rows = pd.concat([frame[frame["order"] == order].astype({"order": str}) for order in ORDERS[:count]])
    ax = plots.curves(rows, "depth", "nodes", "order")
    for n, (order, some) in enumerate(rows.astype({"nodes": float}).groupby("order", sort=False)):
        for depth, nodes in some.groupby("depth")["nodes"]:
            low, middle, high = np.percentile(nodes, (25, 50, 75))
            line = labelled(ax)[order]
            assert line.get_ydata()[list(line.get_xdata()).index(depth)] == middle
            if count < 3:
                at = heights_at(depth, ax.collections[n].get_paths()[0])
                assert np.allclose((min(at), max(at)), (low, high))
    assert len(ax.lines) == count and len(ax.collections) == (count if count < 3 else 0)
    assert ax.get_yscale() == "log"
    assert ("middle half" in ax.get_xlabel()) == (count < 3) and ax.get_xlabel().startswith("depth (plies)")


@pytest.mark.parametrize(("given", "level"), [({}, 0.95), ({"level": 0.99}, 0.99)])
def test_a_column_of_true_and_false_is_a_share_with_its_interval(frame, given, level):
    rows = frame.assign(early=frame["cutoffs"] > 3)
    ax = plots.curves(rows, "depth", "early", **given)
    assert naming("per cent", "early").search(ax.get_ylabel())
    assert naming(f"{100 * level:.0f} % interval").search(ax.get_xlabel())
    for depth, some in rows.groupby("depth"):
        share = some["early"].mean()
        assert np.isclose(ax.lines[0].get_ydata()[depth - 1], 100 * share)
        at = heights_at(depth, ax.collections[0].get_paths()[0])
        assert np.allclose((min(at), max(at)), 100 * np.array(wilson(share, some["board"].nunique(), level)))


def test_a_setting_keeps_its_colour_and_marker_when_rows_are_left_out(frame):
    every = labelled(plots.curves(frame, "depth", "nodes", "order"))
    some = labelled(plots.curves(frame.query("order != 'row-major'"), "depth", "nodes", "order"))
    assert list(every) == ORDERS and list(some) == ORDERS[1:]
    for order, line in some.items():
        assert (line.get_color(), line.get_marker()) == (every[order].get_color(), every[order].get_marker())
    row = plots.paired(frame.query("depth == 2"), "order", "row-major")
    drawn = {name: row.lines[3 * n].get_color() for n, name in enumerate(names_of_rows(row))}
    assert drawn == {order: every[order].get_color() for order in ORDERS[1:]}


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
    assert names_of_rows(ax) == [*by_effect] and ax.yaxis_inverted()  # the lowest median is on top
    rows = [pairs.query(f"order == '{order}'") for order in by_effect]
    for n, some in enumerate(rows):
        dots, bar, diamond = ax.lines[3 * n : 3 * n + 3]
        assert sorted(dots.get_xdata()) == sorted(some["ratio"])
        assert diamond.get_xdata()[0] == np.median(some["ratio"]) and diamond.get_ydata()[0] == n
        assert diamond.get_color() == bar.get_color() == to_hex(rcParams["text.color"])
        middle, low, high = summary(some, "order", "ratio")[["middle", "low", "high"]].iloc[0]
        assert tuple(bar.get_xdata()) == (low, high)
        assert ax.texts[n].get_text() == f"{by_effect[n]}: {middle:#.3g}× ({low:#.3g} to {high:#.3g})"
    scored = sweep(random_positions(Board(), 12, free=2), 2, heuristic=[None, open_lines])
    for baseline, name in ((None, "ratio to none"), (open_lines, "ratio to open_lines")):
        assert f"{name}\n" in plots.paired(scored, "heuristic", baseline).get_xlabel()
    few = plots.paired(deep.head(15), "order", "row-major")
    assert len(few.lines) == 2 * 2  # dots and medians without intervals
    with pytest.raises(ValueError, match=naming("depths 1, 2, 3", "frame.query('depth == 3')")):
        plots.paired(frame, "order", "row-major")


def test_the_plot_and_a_warning_say_if_depths_have_different_positions(frame):
    assert "median, 45 positions" in plots.curves(frame, hue="order").get_xlabel()
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


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ("ratio", ["ratio of leaves, best-gain", "to row-major"]),
        ("difference", ["difference of leaves, best-gain", "from row-major"]),
        ("baseline", ["leaves, row-major"]),
    ],
)
def test_a_comparison_says_what_is_compared_with_what(frame, y, words):
    pairs = compare(frame[frame["order"] != "most-lines"], "order", "row-major", "leaves").query("marks < 8")
    for ax in (plots.curves(pairs, y=y), plots.spread(pairs, "depth", y)):
        assert naming(*words).search(" ".join(ax.get_ylabel().split()))
    several = compare(frame, "order", "row-major")
    assert plots.curves(several, y="ratio", hue="order").get_ylabel() == "ratio of nodes to\nrow-major"
    assert plots.curves(several.assign(rows=1), y="rows").get_ylabel() == "rows"
    shares = compare(frame.assign(few=frame["nodes"] < 20), "order", "row-major", "few")
    assert plots.curves(shares.query("depth == 3"), "marks", "better").get_ylabel() == "per cent better than\nrow-major"


def test_small_multiples_have_one_scale_and_one_legend_and_all_searches(frame):
    first = plots.curves(frame, "marks", hue="depth", col="order", title="Three")
    axes = first.figure.axes
    assert [ax.get_title("left") for ax in axes] == ORDERS and len(first.figure.legends) == 1
    assert not any(ax.get_legend() for ax in axes) and len({ax.get_ylim() for ax in axes}) == 1
    for order, ax in zip(ORDERS, axes, strict=True):
        alone = plots.curves(frame[frame["order"] == order], "marks", hue="depth")
        assert [line.get_xydata().tolist() for line in ax.lines] == [line.get_xydata().tolist() for line in alone.lines]
    assert first.figure.words.startswith("Three. Across: marks on the board, median, 45 positions (")
    assert all(f"{order}, depth 2: 0 = " in first.figure.words for order in ORDERS)
    lacking = frame[(frame["order"] != "row-major") | (frame["depth"] < 3)].query("marks < 7")
    legend = plots.curves(lacking, "marks", hue="depth", col="order").figure.legends[0]
    assert [text.get_text() for text in legend.get_texts()] == ["depth 1", "depth 2", "depth 3"]
    plots.reference(first, 20, "twenty")
    [legend], label, last = first.figure.legends, first.figure._supxlabel, axes[-1]
    assert [text.get_text() for text in legend.get_texts()] == ["depth 1", "depth 2", "depth 3", "twenty"]
    first.figure.set_size_inches(4.6, 2.6)  # where all words have room
    inside_of(first.figure, [*axes, legend, label])
    assert label.get_tightbbox().y1 <= last.get_tightbbox().y0 and last.get_tightbbox().x1 <= legend.get_tightbbox().x0
    assert not overlapping([first.figure._suptitle, *(ax._left_title for ax in axes), *legend.get_texts()])


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
    assert len(names_of_rows(ax)) == 47 and not overlapping(ax.texts)
    across = plots.curves(settings, x="setting", y="nodes")
    assert len(across.get_xticklabels()) == 48 and not overlapping(across.get_xticklabels())


def test_panels_wrap_and_each_warns_of_its_own_positions(frame):
    first = plots.curves(frame, hue="order", col="marks", title="By marks")
    figure = first.figure
    assert {ax.get_subplotspec().get_gridspec().ncols for ax in figure.axes} == {4} and len(figure.axes) == 7
    assert not overlapping([figure._suptitle, *(ax._left_title for ax in figure.axes)])
    assert not overlapping([text for ax in figure.axes[-4:] for text in ax.get_xticklabels()])
    shapes = [frame.query("depth < 3"), sweep(random_positions(Board((3, 4), 3), 20, seed=1, free=3), [1, 2, 3])]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # each panel has the same positions at all depths
        ax = plots.curves(pd.concat(shapes), col="shape")
    assert "45 positions, 20 positions" in ax.figure.get_supxlabel()
    fewer = [shapes[0], shapes[1].query("depth < 3 or marks < 4")]
    with pytest.warns(UserWarning, match=naming("differ by depth in 3x4: 20 at 1, 20 at 2")):
        plots.curves(pd.concat(fewer), col="shape")


def test_up_to_fifty_lines_differ_in_colour_or_marker():
    rows = pd.DataFrame({"kind": [f"kind {n}" for n in range(50)]})
    assert len({(style.colour, style.marker) for style in styles(rows, "kind")}) == 50


def cheap(board, depth, heuristic, factor=1):
    return factor


def test_a_ratio_has_three_significant_digits_whatever_its_size():
    frame = sweep(random_positions(Board(), 9, seed=1), 1, method=cheap, factor=[0.0006123, 1, 4321])
    ax = plots.paired(frame, "factor", 1, "value")
    assert [re.findall(": (.*)×", text.get_text()) for text in ax.texts] == [["0.000612"], ["4,321"]]


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
    told = "Across: nodes, 4 searches. Upwards: seconds."
    assert ax.figure.words == f"{told} nodes^1.25: seconds at 1 nodes = 3e−06, seconds at 1,000 nodes = 0.01687."
    assert plots.scatter(rows, hue="kind").figure.words == (
        f"{told} a: nodes^1.25: seconds at 1 nodes = 3e−06, seconds at 10 nodes = 5.335e−05. "
        "b: nodes^1.25: seconds at 100 nodes = 0.0009487, seconds at 1,000 nodes = 0.01687."
    )
    with pytest.raises(ValueError, match=naming("'nodes' and 'seconds'", "`times=1`")):
        plots.scatter(rows.assign(seconds=np.nan))


def test_searches_of_other_games_are_drawn():
    boards = random_positions(Four(), 30, seed=1)
    frame = sweep(boards, [1, 2], method=["alphabeta", "minimax"])
    assert "30 positions" in plots.curves(frame, hue="method").get_xlabel()
    assert "60 searches" in plots.spread(frame.query("depth == 2"), "method").get_xlabel()
    failed = frame.query("depth == 2").reset_index(drop=True)
    failed["nodes"] = failed["nodes"].mask(failed.index < 13)  # what isn't drawn isn't counted
    assert "47 searches" in plots.spread(failed, "method", "nodes").get_xlabel()
    ax = plots.paired(frame.query("depth == 2"), "method", "minimax")
    assert "30 positions" in ax.get_xlabel()
    table = tabulate([search(board, 2) for board in boards for search in (alphabeta, minimax)])
    assert (
        plots.paired(table[table["depth"] == 2], "setting", "minimax").texts[0].get_text().startswith("alpha-beta: 0.")
    )


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
        plots.spread(frame, name)
    with pytest.raises(KeyError, match=naming("no column", name)):
        plots.paired(frame.query("depth == 2"), "order", "row-major", hue=name)


def test_sweeps_joined_by_concat_give_the_same_picture(frame):
    parts = [frame[frame["order"] == order] for order in ORDERS]
    for part in parts:
        part["order"] = part["order"].cat.remove_unused_categories()
    joined = pd.concat(parts)
    assert joined["order"].dtype != frame["order"].dtype
    assert plots.curves(joined, hue="order").figure.svg == plots.curves(frame, hue="order").figure.svg
    for draw in (
        lambda rows: plots.paired(rows.query("depth == 3"), "order", "row-major"),
        lambda rows: plots.spread(rows, "order"),
    ):
        assert draw(joined).figure.words == draw(frame).figure.words


@pytest.mark.parametrize(
    "draw",
    [
        lambda frame, **title: plots.curves(frame, hue="order", **title),
        lambda frame, **title: plots.curves(frame, "marks", hue=["order", "killer"], **title),
        lambda frame, **title: plots.curves(compare(frame, "order", "row-major"), y="ratio", **title),
        lambda frame, **title: plots.paired(frame.query("depth == 3"), "setting", frame["setting"][0], **title),
        lambda frame, **title: plots.spread(frame.assign(setting=frame["setting"].astype(str) + ", killer"), **title),
        lambda frame, **title: plots.scatter(frame.assign(rate=1 / frame["nodes"]), "nodes", "rate", "order", **title),
    ],
)
def test_every_word_fits_in_the_column_of_a_page(frame, draw, recwarn):
    ax = draw(frame, title="Nodes by depth, order and the number of marks")
    ax.figure.set_size_inches(3.4, 2.6)
    ax.figure.canvas.draw()
    legend, caption, title = ax.get_legend(), ax.xaxis.label, ax.figure._suptitle
    inside_of(ax.figure, [ax, title, *ax.texts, *(legend.get_texts() if legend else [])])
    assert not overlapping([title, ax.yaxis.label, *ax.get_xticklabels(), *(legend.get_texts() if legend else [])])
    assert caption.get_window_extent().x0 >= ax.bbox.x0 - 1 and caption.get_window_extent().x1 <= ax.bbox.x1 + 8
    assert ax.get_position().width > 0.6 and ax.get_position().height > 0.15 and not recwarn.list


def inside_of(figure, artists):
    """Check that nothing of these, as drawn, is outside a figure."""
    figure.canvas.draw()
    for box in (artist.get_tightbbox() for artist in artists):
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height


def test_bands_lines_and_dots_are_light_on_a_dark_style(frame):
    with pyplot.style.context("dark_background"):
        ax = plots.curves(frame, "depth", "nodes", "order")
        assert all(sum(to_rgb(line.get_color())) > 1.4 for line in ax.lines)
        band = plots.curves(frame, "depth", "nodes").collections[0]
        assert band.get_alpha() * max(to_rgb(band.get_facecolor()[0])) > 0.25  # on black
        boxes = plots.spread(frame, "order", "nodes").patches
        assert all(box.get_facecolor()[3] * max(box.get_facecolor()[:3]) > 0.25 for box in boxes)


def test_texts_are_points_with_bars_in_the_order_of_the_sweep(frame):
    ax = plots.curves(frame, "order", "nodes", "depth")
    assert [(text.get_text(), text.get_rotation()) for text in ax.get_xticklabels()] == [(order, 0) for order in ORDERS]
    for n, depth in enumerate((1, 2, 3)):
        points, _, [bars] = ax.containers[n]
        assert points.get_linestyle() == "None" and ax.containers[n].get_label() == f"depth {depth}"
        assert [round(x) for x in points.get_xdata()] == [0, 1, 2]
        for place, order in enumerate(ORDERS):
            nodes = frame[(frame["order"] == order) & (frame["depth"] == depth)]["nodes"].astype(float)
            low, middle, high = np.percentile(nodes, (25, 50, 75))
            assert points.get_ydata()[place] == middle and np.allclose(bars.get_segments()[place][:, 1], (low, high))
    assert len({points.get_xdata()[0] for points, *_ in ax.containers}) == 3  # side by side
    given = pd.DataFrame({"kind": [*"zza"], "nodes": [1, 2, 3]})
    assert [text.get_text() for text in plots.curves(given, "kind").get_xticklabels()] == ["z", "a"]
    switches = plots.curves(frame.assign(early=frame["depth"] < 2), "early", "nodes")
    assert [text.get_text() for text in switches.get_xticklabels()] == ["no early", "early"]


def test_scales_depend_on_what_is_drawn_and_can_be_chosen(frame):
    wide = pd.DataFrame({"playouts": [3, 10, 30, 100], "y": [-5.0, 2, 3, 4]})
    own, pairs = frame.assign(hits=frame["nodes"] ** 3), compare(frame, "order", "row-major")
    below_0, ratios = plots.curves(wide, "playouts", "y"), plots.curves(pairs, y="ratio", hue="order")
    for ax, *scales in (
        (below_0, "log", "linear"),
        (ratios, "linear", "log"),
        (plots.curves(frame.query("depth == 1"), "marks", "nodes"), "linear", "log"),
        (plots.curves(frame, "depth", "nodes", yscale="linear"), "linear", "linear"),
        (plots.curves(frame, "depth", "cutoffs"), "linear", "linear"),  # some are 0
        (plots.curves(own, y="hits"), "linear", "linear"),
        (plots.curves(own, y="hits", yscale="log"), "linear", "log"),
    ):
        assert [ax.get_xscale(), ax.get_yscale()] == scales
    assert below_0.get_ylim()[0] < -5 and below_0.get_ylim()[1] > 4
    assert (below_0.get_xlabel(), below_0.get_ylabel()) == ("playouts", "y")
    assert set(ratios.lines[-1].get_ydata()) == {1} and len(labelled(ratios)) == 2
    for arguments, words in (({"yscale": "cubic"}, "'cubic'"), ({"y": "cutoffs", "yscale": "log"}, "above 0")):
        with pytest.raises(ValueError, match=naming("`yscale`", words)):
            plots.curves(frame, **arguments)
    with pytest.raises(ValueError, match=naming("no row", "'playouts' and 'y'")):
        plots.curves(wide.assign(y=np.nan), "playouts", "y")


def test_an_axis_from_0_has_room_above_the_highest_mark_also_for_later_drawings():
    ax = plots.curves(pd.DataFrame({"depth": [1, 2, 3], "share": [50.0, 99.0, 100.0]}), y="share")
    assert ax.get_ylim()[0] == 0 and ax.get_ylim()[1] >= 104
    plots.reference(ax, 150, "more")
    assert ax.get_ylim()[0] == 0 and ax.get_ylim()[1] >= 155


def test_whole_numbers_have_whole_ticks_and_up_to_eight_have_a_tick_each():
    for values in ([2, 3, 4], [2, 3, 4, 8, 9, 11, 15, 16], range(20)):
        ticks = plots.curves(pd.DataFrame({"k": values, "nodes": values}), "k").get_xticks().tolist()
        assert ticks == [*values] if len(values) < 9 else all(tick == round(tick) for tick in ticks)


def test_the_caption_says_how_many_positions_are_behind_each_point(frame):
    ax = plots.curves(frame, "marks")
    assert "45 positions (1 to " in ax.get_xlabel()
    assert len(re.findall(r"\(1 to \d+ a point\)<", ax.figure.svg)) == 2  # whole, also where it is narrow
    some = frame[frame["board"].isin(frame["board"].unique()[:30])].assign(half=lambda rows: rows["marks"] < 9)
    assert "(" not in plots.curves(some, "order").get_xlabel()
    halves = some.assign(half=(some.groupby("board", sort=False).ngroup() % 2).map({0: "one", 1: "other"}))
    assert "30 positions (15 a point)" in plots.curves(halves, "half").get_xlabel()


def test_a_slope_has_its_interval_over_positions():
    chance = np.random.default_rng(3)
    nodes = np.repeat([10.0, 100, 1000], 40)
    noise = np.tile(chance.normal(0, 0.3, 40), 3)  # of each position, the same at every size
    rows = pd.DataFrame({"board": [*range(40)] * 3, "nodes": nodes, "seconds": nodes**1.5 * np.exp(noise)})
    rows["other"] = rows["seconds"] * np.exp(chance.normal(0, 0.3, 120))
    [line] = labelled(plots.scatter(rows))
    assert line == "nodes^1.50 (1.50 to 1.50)"  # all noise is between positions, none in a slope
    [line] = labelled(plots.scatter(rows, y="other"))
    low, high = map(float, re.search(r"\((.*) to (.*)\)", line).groups())
    x, y = np.log(rows["nodes"]), np.log(rows["other"])
    slope, height = np.polyfit(x, y, 1)
    within = y - height - slope * x
    spread = (
        1.96 * within.groupby(rows["board"]).transform(lambda some: some - some.mean()).std() / (x.std() * 120**0.5)
    )
    assert low < slope < high and abs((high - low) / 2 - spread) < 0.4 * spread
    for n, interval in ((9, ""), (10, " (1.50 to 1.50)")):
        few = plots.scatter(rows[rows["board"] < n])
        assert [*labelled(few)] == [f"nodes^1.50{interval}"]


def test_thousands_of_dots_are_an_image_in_the_drawing():
    many = pd.DataFrame({"nodes": np.arange(1.0, 6001), "board": "one"})  # so without an interval, which takes long
    for count, images in ((5000, 0), (5001, 1)):
        drawing = plots.scatter(many.head(count), y="nodes").figure.svg  # for a wide and for a narrow page
        assert drawing.count("<image") == 2 * images and (not images or len(drawing) < 200_000)


def test_a_box_shows_the_median_the_middle_half_and_what_lies_beyond(frame):
    ax = plots.spread(frame, "order", "nodes")
    assert ax.get_yscale() == "log" and [text.get_text() for text in ax.get_xticklabels()] == ORDERS
    for n, order in enumerate(ORDERS):
        nodes = frame.query(f"order == '{order}'")["nodes"].to_numpy(float)
        corners = ax.patches[n].get_path().vertices
        assert np.allclose((corners[:, 1].min(), corners[:, 1].max()), np.percentile(nodes, (25, 75)))
        numbers = [f"{value:,.4g}" for value in np.percentile(nodes, (5, 25, 50, 75, 95, 100))]
        assert all(f"= {number}" in ax.figure.words for number in numbers)
        dots = ax.lines[6 * n + 5].get_ydata()
        assert len(dots) < 0.1 * len(nodes) + 1 and nodes.max() in dots


def test_empty_axes_draw_in_the_labs_colours():
    ax = plots.axes("Title", "x", "y")
    assert [ax.plot([0, 1])[0].get_color() for _ in range(7)] == [*COLOURS]


def test_each_reference_is_a_grey_line_with_its_own_dashes(frame):
    ax = plots.curves(frame, "depth", "nodes")
    plots.reference(ax, [1, 2, 4], "doubled")
    plots.reference(ax, {1: 3, 3: 9}, "tripled")
    plots.reference(ax, 7, "level")
    assert ax.figure.words.endswith("doubled: 0 = 1, 1 = 2, 2 = 4. tripled: 1 = 3, 3 = 9. level: everywhere = 7.")
    one, two, three = ax.lines[1:]
    assert one.get_xydata().tolist() == [[0, 1], [1, 2], [2, 4]] and two.get_xydata().tolist() == [[1, 3], [3, 9]]
    assert set(three.get_ydata()) == {7} and len({line.get_linestyle() for line in (one, two, three)}) == 3
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["nodes", "doubled", "tripled", "level"]


@pytest.mark.parametrize(("ends", "named"), [((20, 40, 80), True), ((20, 21, 80), False)])
def test_lines_are_named_at_their_ends_if_these_are_far_enough_apart_and_in_a_legend_otherwise(ends, named):
    rows = pd.DataFrame([(kind, k, k * end) for kind, end in zip("abc", ends, strict=True) for k in (0, 1)])
    ax = plots.curves(rows.set_axis(["kind", "k", "share"], axis=1), "k", "share", "kind")
    for inches in (6.4, 2.9):
        ax.figure.set_size_inches(inches, 3.6)
        ax.figure.canvas.draw()
        assert ax.get_legend().get_visible() != named
        assert {text.get_text(): text.xy[1] for text in ax.texts} == (
            dict(zip("abc", ends, strict=True)) if named else {}
        )
        inside_of(ax.figure, [ax])  # with its texts
        assert all(text.get_window_extent().x0 >= ax.bbox.x1 for text in ax.texts)
    plots.reference(ax, 60, "a name that is far too long for the end of a line")
    ax.figure.canvas.draw()
    assert ax.get_legend().get_visible() and not ax.texts


def test_a_log_scale_ends_at_a_tick_above_all_marks_also_of_later_drawings():
    ax = plots.curves(pd.DataFrame({"depth": [1, 2, 3], "nodes": [60, 900, 18_336]}))
    for highest in (18_336, 70_000):
        plots.reference(ax, highest, f"{highest}")
        low, high = ax.get_ylim()
        ticks = [tick for tick in ax.get_yticks() if low <= tick <= high * 1.001]
        assert ticks[-1] == pytest.approx(high) and highest < high < 4 * highest and len(ticks) > 4


def test_the_middle_half_is_drawn_and_named_from_four_searches_on():
    for count in (2, 3, 4, 5):
        rows = pd.DataFrame({"k": [1, 2] * count, "nodes": range(1, 2 * count + 1)})
        ax = plots.curves(rows, "k", "nodes")
        assert bool(ax.collections) == (count > 3) == ("middle half" in ax.get_xlabel()) and "median" in ax.get_xlabel()


def test_a_plot_is_also_drawn_for_a_narrow_page_but_panels_are_not(frame):
    figure = plots.curves(frame, hue="order", title="How many nodes the three orders need at each depth").figure
    root = ElementTree.fromstring(figure.svg)
    wide, narrow = root.findall("{*}svg")
    boxes = [[float(number) for number in each.get("viewBox").split()] for each in (wide, narrow)]
    assert root.get("width") == "100%" and boxes[0][2] == 6.4 * 72 and boxes[1][2] < 290 * 0.75
    assert boxes[0][3] == boxes[1][3] == pytest.approx(0.75 * float(root.get("height")))
    assert [*figure.get_size_inches()] == [6.4, 3.6]
    words = {" ".join("".join(text.itertext()) for text in each.iter("{*}text")) for each in (wide, narrow)}
    assert len({"".join(sorted(some.replace(" ", ""))) for some in words}) == 1  # the same, in other lines
    panels = ElementTree.fromstring(plots.curves(frame, col="order").figure.svg)
    assert len(panels.findall("{*}svg")) == 1 and panels.get("width") != "100%"


def luminance(colour):
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return float(np.dot(parts, (0.2126, 0.7152, 0.0722)))


def test_grey_lines_stand_out_from_either_page_and_rules_do_not():
    played, truth = match("random", "random", games=50, rng=Random(1)), exact("random", "random")
    drawing = plots.convergence(played, truth).figure.svg
    for name, least, most in (("text", 4, 9), ("rule", 1, 2.6)):
        light, dark = (
            re.search(rf"var\(--ttt-{name},(#\w+)\)", drawing)[1],
            re.search(rf"--ttt-{name}:(#\w+)", drawing)[1],
        )
        assert least < 1.05 / (luminance(light) + 0.05) < most
        assert least < (luminance(dark) + 0.05) / (luminance("#111111") + 0.05) < most


def drawn(picture, kind):
    """The elements of one kind in a drawing of outcomes."""
    return list(ElementTree.fromstring(str(picture)).iter("{http://www.w3.org/2000/svg}" + kind))


def rows_of(picture):
    """Of each bar of a drawing of outcomes: its name, its parts as (start, width), the numbers in them and above."""
    fills = [square.get("fill") for square in drawn(picture, "rect")[:3]]
    label, rows, texts = dict(zip(fills, ("X wins", "draws", "O wins"), strict=True)), [], drawn(picture, "text")
    bars = [bar for bar in drawn(picture, "rect") if bar.get("width").endswith("%")]
    for name in [text for text in texts if re.match("X .*, O ", text.text or "")]:
        top = float(name.get("y")) + 6  # a bar is just below its name
        own = [bar for bar in bars if float(bar.get("y")) == top]
        parts = {label[bar.get("fill")]: [float(bar.get(way).rstrip("%")) for way in ("x", "width")] for bar in own}
        inside = [text for text in texts if text.get("font-weight") == "700" and float(text.get("y")) == top + 18]
        middles = {text.text: float(text.get("x").rstrip("%")) for text in inside}
        beside = [text for text in texts if text.get("text-anchor") == "end" and text.get("y") == name.get("y")]
        above = {label[square.get("fill")]: square.tail.strip() for text in (name, *beside) for square in text}
        nearer = {label[square.get("fill")] for square in name}
        assert all((sum(parts[mark]) - parts[mark][1] / 2 <= 50) == (mark in nearer) for mark in above)
        rows.append((name.text, parts, middles, above))
    return rows


SMALL = Result("a", "b", 0.003, 0.0004, 0.9966), Result("a", "b", 0.1199, 0.12, 0.7601)


def test_outcomes_are_stacked_bars_below_their_players_with_each_number_in_its_part_or_above_by_its_colour():
    pairs = [("random", "random"), ("random", "open-lines"), ("perfect", "random"), ("random", "random")]
    pairs += [("random", "flash-clever"), ("perfect", "perfect")]
    results = [*(exact(*pair) for pair in pairs), *SMALL]
    picture = plots.outcomes(results, "Eight")
    for (name, parts, middles, above), result in zip(rows_of(picture), results, strict=True):
        assert name == f"X {result.x}, O {result.o}"
        start, shares = 0, {"X wins": result.x_wins, "draws": result.draws, "O wins": result.o_wins}
        numbers = {mark: f"{100 * share:.1f}" for mark, share in shares.items() if share}
        assert [*parts] == [*numbers] and {**dict.fromkeys(above), **parts} == parts
        for mark, (at, width) in parts.items():
            assert (at, width) == pytest.approx((start, 100 * shares[mark]), abs=0.01)
            start += 100 * shares[mark]
            if shares[mark] >= 0.12:
                assert middles[numbers[mark]] == pytest.approx(at + width / 2, abs=0.02) and mark not in above
            elif result is not SMALL[0]:
                assert above[mark] == numbers[mark]
    (_, _, few, above), (_, _, wide, beside) = rows_of(picture)[-2:]
    assert ([*few], above) == (["99.7"], {"X wins": "0.3", "draws": "0.04"})
    assert ([*wide], beside) == (["12.0", "76.0"], {"X wins": "12.0"})
    bars = plots.outcomes([exact("random", "flash-clever"), exact("perfect", "random")], "Two")
    assert (bars.title, bars.text) == (
        "Two",
        "Across: per cent of the games.\nX random, O flash-clever: X wins 1.3, draws 17.2, O wins 81.5.\n"
        "X perfect, O random: X wins 96.8, draws 3.2, O wins 0.0.",
    )


def test_a_samples_shares_are_drawn_with_the_exact_shares():
    played, truth = match("random", "random", games=500, rng=Random(1)), exact("random", "random")
    ax = plots.convergence(played, truth)
    shares = {"X": truth.x_wins, None: truth.draws, "O": truth.o_wins}
    for (end, share), line, level in zip(shares.items(), ax.lines[::2], ax.lines[1::2], strict=True):
        for games in (10, 500):
            so_far = 100 * sum(winner == end for winner in played.winners[:games]) / games
            assert tuple(line.get_xydata()[games - 1]) == pytest.approx((games, so_far))
        assert np.isclose(level.get_ydata()[0], 100 * share)
    one = plots.convergence(match("random", "random", games=1, rng=Random(1)), truth)
    assert naming("after 1 game ").search(one.figure.words)


def centre(values):
    """Red, green and blue of the centre of a board on which moves have these values."""
    return [*bytes.fromhex(re.search(r'd="M5[^"]*" fill="#(\w{6})"', str(plots.heat(Board(), values, "Worth")))[1])]


def test_good_moves_are_green_bad_ones_purple_and_those_that_are_worth_nothing_grey():
    (_, green, _), (_, _, blue) = good, bad = centre({4: 1}), centre({4: -1})
    assert green == max(good) > min(good) + 20 and blue == max(bad) > min(bad) + 20
    grey = centre({4: 0})
    assert grey == centre({4: 0, 0: 1, 8: -2}) and max(grey) - min(grey) < 3


def test_a_table_and_a_board_show_their_numbers():
    results = [exact(x, o) for x in ("random", "rules") for o in ("random", "perfect")]
    table = plots.crosstable(results)
    texts = {text.get_position(): text.get_text() for text in table.texts}  # across: O; down: X
    assert texts == {(0.5, 0.5): "0.65", (1.5, 0.5): "0.11", (0.5, 1.5): "0.98", (1.5, 1.5): "0.50"}
    assert np.allclose(np.ma.getdata(table.collections[0].get_array()).ravel(), [one.points for one in results])
    some = str(plots.heat(Board(), {0: 1.5, 1: np.nan, 2: -np.inf}, "Worth"))
    assert "1.5" in some and "nan" not in some
    twice = plots.crosstable([*results, Result("random", "perfect", 1, 0, 0)])  # of a pair, the last result counts
    assert [text.get_text() for text in twice.texts] == ["0.65", "1.00", "0.98", "0.50"]
    with pytest.raises(ValueError, match=naming("`crosstable()`", "one result")):
        plots.crosstable([])


@pytest.fixture(scope="module")
def few():
    boards = random_positions(Board(), 12, seed=2, free=3)
    return sweep(boards, [1, 2], order=["row-major", "best-gain"], heuristic=open_lines)


NAMES = ("random", "rules")
WORDS = {  # a plot of a few rows, and the same in words
    "lines": (
        lambda few: plots.curves(few, hue="order", title="Costs"),
        "Costs. Across: depth (plies), median and middle half, 12 positions. Upwards: nodes. "
        "row-major: 1 = 7.5 (6 to 9), 2 = 25 (14.5 to 31.25). best-gain: 1 = 7.5 (6 to 9), 2 = 18.5 (14.75 to 23).",
    ),
    "points": (
        lambda few: plots.curves(few, "order", title="How many?"),
        "How many? Across: order, median and middle half, 12 positions. Upwards: nodes. "
        "nodes: row-major = 9.5 (7.75 to 23), best-gain = 9.5 (7.75 to 17.75).",
    ),
    "shares": (
        lambda few: plots.curves(few.assign(early=few["cutoffs"] > 3), "depth", "early"),
        "Across: depth (plies), share and 95 % interval, 12 positions. Upwards: per cent early. "
        "early: 1 = 0 (0 to 24.25), 2 = 79.17 (50.88 to 93.31).",
    ),
    "panels": (
        lambda few: plots.curves(few.query("marks < 3 and depth == 2"), "marks", col="order"),
        "Across: marks on the board, median, 6 positions (1 to 3 a point). Upwards: nodes. "
        "row-major, nodes: 0 = 36, 1 = 32 (31.5 to 34), 2 = 30 (29.5 to 30.5). "
        "best-gain, nodes: 0 = 26, 1 = 23, 2 = 20.",
    ),
    "ratios": (
        lambda few: plots.curves(compare(few, "order", "row-major"), y="ratio"),
        "Across: depth (plies), median and middle half, 12 positions. "
        "Upwards: ratio of nodes, best-gain to row-major. ratio: 1 = 1, 2 = 0.7556 (0.7115 to 1).",
    ),
    "rows of ratios": (
        lambda few: plots.paired(few.query("depth == 2"), "order", "row-major"),
        "Across: nodes at depth 2, ratio to row-major, median and 95 % interval, 12 positions. "
        "best-gain on 12 positions: median = 0.756× (0.704 to 1.00).",
    ),
    "boxes": (
        lambda few: plots.spread(few.query("depth == 2"), "order"),
        "Across: order, median, half and 90 % of 24 searches. Upwards: nodes. "
        "row-major: 5 % = 9.65, 25 % = 14.5, median = 25, 75 % = 31.25, 95 % = 36, most = 36. "
        "best-gain: 5 % = 9.1, 25 % = 14.75, median = 18.5, 75 % = 23, 95 % = 24.35, most = 26.",
    ),
    "crosstable": (
        lambda few: plots.crosstable([exact(x, o) for x in NAMES for o in ("random", "perfect")]),
        "Across: plays O. Upwards: plays X. random: against random = 0.65. random: against perfect = 0.11. "
        "rules: against random = 0.98. rules: against perfect = 0.50.",
    ),
    "convergence": (
        lambda few: plots.convergence(match("random", "random", 50, rng=Random(1)), exact("random", "random")),
        "Across: games played, thin lines: the exact shares. Upwards: per cent of the games. "
        "X wins: after 50 games = 54, exactly = 58.49. "
        "draws: after 50 games = 16, exactly = 12.7. O wins: after 50 games = 30, exactly = 28.81.",
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_a_plot_says_what_it_shows(few, name):
    draw, words = WORDS[name]
    assert draw(few).figure.words == words


def test_a_board_shows_what_its_moves_are_worth_or_counts_of_that():
    worth = plots.heat(Board().play(0), minimax(Board().play(0)).values, "Worth")
    assert worth.text == " X −1 −1\n−1  0 −1\n−1 −1 −1\nWorth: value for O, the side to move"
    lines = plots.heat(Board(), {0: 3, 4: 4}, "Lines", "lines through the cell")
    assert lines.text == "3 - -\n- 4 -\n- - -\nLines: lines through the cell" and 'class="best"' not in str(lines)


def test_a_plot_takes_the_ink_of_the_page_and_the_colours_of_its_marks(frame):
    figure = plots.curves(frame, "depth", "nodes", "order", title="Costs $ <money>").figure
    drawing, again = figure.svg, figure.svg
    root = ElementTree.fromstring(drawing)
    title, text = (root.findtext(f"{{*}}{name}") for name in ("title", "desc"))
    assert root.get("role") == "img" and title == "Costs $ <money>." and f"{title} {text}" == figure.words
    assert "#000000" not in drawing and drawing.count("<style") == 1 and drawing.isascii()
    assert all(svg.ink(mark) in drawing and svg.INK[mark].lower() not in drawing for mark in "XO")
    assert drawing == again


def test_a_notebook_shows_a_plot_once_whether_or_not_it_is_the_last_value(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    ax = plots.convergence(match("random", "random", games=9, rng=Random(1)), exact("random", "random"))
    assert isinstance(ax.figure, Plot) and pyplot.fignum_exists(ax.figure.number)
    ax._ipython_display_()
    assert len(shown) == 1 and set(shown[0]) == {"image/svg+xml", "image/png", "text/plain"}
    assert not pyplot.get_fignums()  # so the end of the cell doesn't show it again
