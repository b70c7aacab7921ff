"""What plots draw and say, which is approved in `said/plots.txt`, and how a page shows them."""

import io
import re
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from approved import approved, read
from conftest import naming
from games import Four
from lab import plots
from lab.plots import searches
from lab.plots.figure import Plot, log_scale, styles
from lab.statistics import compare, random_positions, sweep, tabulate
from matplotlib import pyplot
from matplotlib.colors import to_rgb
from scenes import told

from ttt import Board, exact, match, open_lines, svg
from ttt.arena import Result
from ttt.search import alphabeta, minimax

SAID = Path(__file__).parent / "said/plots.txt"
ORDERS = ["row-major", "most-lines", "best-gain"]
TWO = ["row-major", "best-gain"]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@cache
def few(*orders, depths=(1, 2)):
    """A dozen positions, searched in a few orders."""
    boards = random_positions(Board(), 12, seed=2, free=3)
    return sweep(boards, depths, order=[*(orders or TWO)], heuristic=open_lines)


def deep(*orders):
    return few(*orders).query("depth == 2")


@cache
def killers():
    return sweep(random_positions(Board(), 12, seed=2, free=3), 3, order=TWO, killer=[False, True])


def compared(y=None, **columns):
    return compare(few().assign(**columns), "order", "row-major", y)


def cheap(board, depth, heuristic, factor=1):
    return factor


@cache
def factors():
    return sweep(random_positions(Board(), 9, seed=1), 1, method=cheap, factor=[0.0006123, 1, 4321])


NODES = np.array([1.0, 10, 100, 1000, 0])
COSTS = pd.DataFrame({"nodes": NODES, "seconds": 3e-6 * NODES**1.25, "kind": [*"aabba"]})
WIDE = pd.DataFrame({"playouts": [3, 10, 30, 100], "y": [-5.0, 2, 3, 4]})
KINDS = pd.DataFrame({"kind": [*"zza"], "nodes": [1, 2, 3]})
NAMES = ("random", "rules")


def results():
    return [exact(x, o) for x in NAMES for o in ("random", "perfect")]


def level():
    """A plot with each kind of line for comparison."""
    ax = plots.curves(few(), "depth", "nodes")
    plots.reference(ax, [1, 2, 4], "doubled")
    plots.reference(ax, {1: 3, 3: 9}, "tripled")
    return plots.reference(ax, 70_000, "level")


def scaled(high):
    """A plot up to a number, which has a log scale."""
    ax = plots.axes("", "", "")
    ax.plot([1, high], [1, high])
    for side in "xy":
        log_scale(ax, side)
    return ax


def sized(count):
    return pd.DataFrame({"k": [1, 2] * count, "nodes": range(1, 2 * count + 1)})


def uneven():
    """Searches whose depths have other positions."""
    return few(depths=(1, 2, 3)).query("depth < 3 or marks < 4")


def halves():
    """Searches to depth 1 of some positions, and to depth 2 of others."""
    boards = few()["board"].unique()
    return few()[few()["board"].isin(boards[:8]) & (few()["board"].isin(boards[:4]) == (few()["depth"] == 1))]


def crossed():
    """Searches whose depths have all positions, while no order has."""
    rows = few()
    return rows[((rows["depth"] == 1) == (rows["order"] == "best-gain")) != (rows["marks"] < 4)]


def note(ax):
    return ax.figure.get_supxlabel()


def played(games):
    return match("random", "random", games, rng=Random(1)), exact("random", "random")


SCENES = {
    "lines": [
        lambda: plots.curves(few(), hue="order", title="Costs"),
        lambda: plots.curves(few(*ORDERS), hue="order"),
        lambda: plots.curves(few(*ORDERS).query("order != 'row-major'"), hue="order"),  # in the same colours
        lambda: plots.curves(few(*ORDERS), "marks", hue=["order", "depth"]),
        *(lambda count=count: plots.curves(sized(count), "k", "nodes") for count in (1, 3, 4)),
    ],
    "points": [
        lambda: plots.curves(few(), "order", title="How many?"),
        lambda: plots.curves(few(), "order", hue="depth"),
        lambda: plots.curves(KINDS, "kind"),
        lambda: plots.curves(few().assign(early=few()["depth"] < 2), "early"),
    ],
    "shares": [
        lambda: plots.curves(few().assign(early=few()["cutoffs"] > 3), "depth", "early"),
        lambda: plots.curves(few().assign(early=few()["cutoffs"] > 3), "depth", "early", level=0.99),
        lambda: plots.curves(few(), level=95),
    ],
    "panels": [
        lambda: plots.curves(few().query("marks < 3 and depth == 2"), "marks", col="order"),
        lambda: plots.reference(plots.curves(few(), "marks", hue="depth", col="order", title="Two"), 20, "twenty"),
        lambda: plots.curves(few().query("order != 'row-major' or depth < 2"), "marks", hue="depth", col="order"),
    ],
    "comparisons": [
        lambda: plots.curves(compared(), y="ratio"),
        lambda: plots.curves(compared("leaves"), y="difference"),
        lambda: plots.curves(compared("leaves"), y="baseline"),
        lambda: plots.curves(compared().assign(rows=1), y="rows"),
        lambda: plots.curves(compare(few(*ORDERS), "order", "row-major"), y="ratio", hue="order"),
        lambda: plots.curves(compared("few", few=few()["nodes"] < 20).query("depth == 2"), "marks", "better"),
        lambda: plots.spread(compared("leaves"), "depth", "ratio"),
    ],
    "rows of ratios": [
        lambda: plots.paired(deep(*ORDERS), "order", "row-major"),
        lambda: plots.paired(deep(*ORDERS), "order", "row-major", "leaves", level=0.5, title="Half"),
        lambda: plots.paired(few().query("marks < 4 and depth == 2"), "order", "row-major"),
        lambda: plots.paired(killers(), "killer", False, hue="order"),
        lambda: plots.paired(factors(), "factor", 1, "value"),
        lambda: plots.paired(sweep(Board(), 2, heuristic=[None, open_lines]), "heuristic", None),
        lambda: plots.paired(sweep(Board(), 2, heuristic=[None, open_lines]), "heuristic", open_lines),
        lambda: plots.paired(few(), "order", "row-major"),
        lambda: plots.paired(deep().assign(cutoffs=0), "order", "row-major", "cutoffs"),
        lambda: plots.paired(deep(), "order", "row-major", hue="kind"),
    ],
    "boxes": [
        lambda: plots.spread(deep(), "order"),
        lambda: plots.spread(deep(), "order", yscale="linear", title="Boxes"),
        lambda: plots.spread(deep(), "ordr"),
        lambda: plots.spread(deep().assign(nodes=deep()["nodes"].mask(deep()["marks"] < 3)), "order", "nodes"),
    ],
    "dots": [
        lambda: plots.scatter(COSTS),
        lambda: plots.scatter(COSTS, hue="kind", title="Dots"),
        lambda: plots.scatter(COSTS.assign(seconds=np.nan)),
        lambda: plots.scatter(COSTS, "node"),
    ],
    "lines for comparison": [level],
    "scales": [
        *(lambda high=high: scaled(high) for high in (7, 8, 50, 5e3, 9e5, 3e7)),
        lambda: plots.curves(WIDE, "playouts", "y"),
        lambda: plots.curves(WIDE.query("playouts > 9"), "playouts", "y"),
        lambda: plots.curves(WIDE.query("playouts > 10"), "playouts", "y"),
        lambda: plots.curves(few(), yscale="linear"),
        lambda: plots.curves(few(), y="cutoffs"),
        lambda: plots.curves(few().assign(hits=few()["nodes"]), y="hits", yscale="log"),
        lambda: plots.curves(pd.DataFrame({"depth": [1, 2, 3], "share": [50.0, 99.0, 100.0]}), y="share"),
        *(lambda n=n: plots.curves(pd.DataFrame({"k": range(3, 3 + n), "y": range(n)}), "k", "y") for n in (8, 9)),
        lambda: plots.curves(few(), yscale="cubic"),
        lambda: plots.curves(few(), y="cutoffs", yscale="log"),
        lambda: plots.curves(WIDE.assign(y=np.nan), "playouts", "y"),
        lambda: plots.axes("Title", "x", "y").plot([0, 1])[0],
    ],
    "different positions": [
        lambda: note(plots.curves(uneven(), hue="order")),
        lambda: note(plots.curves(uneven(), hue="order", col="shape")),
        lambda: note(plots.curves(uneven(), hue="order", col="order")),
        lambda: note(plots.curves(deep().query("order == 'row-major' or marks < 4"), "marks", hue="order")),
        lambda: note(plots.curves(crossed(), hue="order")),
        lambda: note(plots.curves(halves())),
        lambda: note(plots.curves(few(), "marks")),
        lambda: note(plots.curves(few().assign(half=few()["marks"] % 2 == 0).astype({"half": str}), "half")),
    ],
    "unknown columns": [
        *(lambda some=some: plots.curves(few(), **some) for some in ({"hue": "ordr"}, {"x": "dept"}, {"y": "node"})),
        lambda: plots.curves(few(), col="killr"),
    ],
    "games": [
        lambda: plots.convergence(*played(6), "Six games"),
        lambda: plots.convergence(*played(1)).figure.words,
        lambda: plots.crosstable([*results(), Result("random", "perfect", 1, 0, 0)], "Table"),  # the last one counts
        lambda: plots.crosstable([]),
        lambda: plots.heat(Board().play(0), minimax(Board().play(0)).values, "Worth").text,
        lambda: plots.heat(Board(), {0: 1.5, 1: np.nan, 2: -np.inf, 4: 4}, "Lines", "lines through the cell").text,
        lambda: plots.heat("X", {}, ""),
        lambda: elements(plots.heat(Board.from_text("XOX OXO ---"), {6: 1.5, 7: -np.inf, 8: np.nan}, "Worth")),
    ],
    "bars": [
        lambda: elements(plots.outcomes(results()[:2], "How often & how well does it play?")),
        lambda: elements(plots.outcomes(Result("a", "<b>", 0.003, 0.0004, 0.9966))),
        lambda: elements(plots.outcomes(Result("a", "b", 0.1199, 0.12, 0.7601))),
    ],
    "other games": [
        lambda: plots.curves(fours(), "marks", hue="method"),
        lambda: plots.spread(fours().query("depth == 2"), "method"),
        lambda: plots.paired(tabulated(), "setting", "minimax"),
        lambda: plots.curves(timed(), hue="method").get_ylabel(),
        lambda: plots.paired(timed().query("depth == 2"), "method", "cheap").get_xlabel(),
    ],
}


def elements(picture):
    return f"{picture}".replace("><", ">\n<")


@cache
def fours():
    return sweep(random_positions(Four(), 8, seed=1), [1, 2], method=["alphabeta", "minimax"])


def tabulated():
    boards = random_positions(Four(), 8, seed=1)
    return tabulate([search(board, 2) for board in boards for search in (alphabeta, minimax)])


@cache
def timed():
    return sweep(random_positions(Board(), 3, seed=1, free=2), [1, 2], method=[cheap, "alphabeta"], times=1)


@pytest.mark.parametrize("name", SCENES)
def test_what_a_plot_draws_and_says_is_approved(name):
    assert approved(SAID, name, told(*SCENES[name])) and {*read(SAID)} <= {*SCENES}


# ------------------------------------------------------------------------------ compared with numpy, and where they fit


@pytest.mark.parametrize("count", [1, 2])
def test_curves_go_through_the_medians_in_bands_of_the_middle_half(count):
    rows = few(*ORDERS[:count])
    ax = plots.curves(rows, "depth", "nodes", "order")
    for n, order in enumerate(ORDERS[:count]):
        for depth in (1, 2):
            nodes = rows[(rows["order"] == order) & (rows["depth"] == depth)]["nodes"].astype(float)
            low, middle, high = np.percentile(nodes, (25, 50, 75))
            assert ax.lines[n].get_ydata()[depth - 1] == middle and ax.lines[n].get_label() == order
            [around] = ax.collections[n].get_paths()
            heights = [y for x, y in around.vertices if x == depth]
            assert np.allclose((min(heights), max(heights)), (low, high))


def test_a_slope_has_its_interval_over_positions():
    chance = np.random.default_rng(3)
    nodes = np.repeat([10.0, 100, 1000], 40)
    noise = np.tile(chance.normal(0, 0.3, 40), 3)  # of each position, the same at every size
    rows = pd.DataFrame({"board": [*range(40)] * 3, "nodes": nodes, "seconds": nodes**1.5 * np.exp(noise)})
    rows["other"] = rows["seconds"] * np.exp(chance.normal(0, 0.3, 120))
    slopes = {n: plots.scatter(rows[rows["board"] < n]).lines[1].get_label() for n in (9, 10, 40)}
    all_between = "nodes^1.50 (1.50 to 1.50)"  # all noise is between positions, none in a slope
    assert slopes == {9: "nodes^1.50", 10: all_between, 40: all_between}
    narrow, wide = (slope_of(plots.scatter(rows, y="other", level=level)) for level in (0.5, 0.95))
    x, y = np.log(rows["nodes"]), np.log(rows["other"])
    slope, height = np.polyfit(x, y, 1)
    within = (y - height - slope * x).groupby(rows["board"]).transform(lambda some: some - some.mean())
    spread = within.std() / (x.std() * 120**0.5)
    for (low, high), errors in ((narrow, 0.674), (wide, 1.96)):
        assert low < slope < high and abs((high - low) / 2 - errors * spread) < 0.4 * errors * spread


def slope_of(ax):
    """The interval in the name of a line of fit."""
    return [*map(float, re.search(r"\((.*) to (.*)\)", ax.lines[1].get_label()).groups())]


def overlapping(texts):
    """The texts that hide parts of one another, as drawn."""
    texts = [text for text in texts if text.get_text() and text.get_visible()]
    texts[0].figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in texts]
    pairs = combinations(range(len(texts)), 2)
    return [(texts[one].get_text(), texts[two].get_text()) for one, two in pairs if boxes[one].overlaps(boxes[two])]


def inside_of(figure, artists):
    """Check that nothing of these, as drawn, is outside a figure."""
    figure.draw_without_rendering()
    for box in (artist.get_tightbbox() for artist in artists):
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height


@cache
def settings():
    """A dozen settings of alpha-beta."""
    switches = {name: [False, True] for name in ("killer", "table")}
    return sweep(random_positions(Board(), 3, seed=4, free=4), 3, order=ORDERS, heuristic=open_lines, **switches)


LONG = "Nodes by depth, order and the number of marks"
IN_A_COLUMN = {
    "lines": lambda: plots.curves(few(*ORDERS), hue="order", title=LONG),
    "many lines": lambda: plots.curves(few(*ORDERS), "marks", hue=["order", "killer"], title=LONG),
    "ratios": lambda: plots.curves(compared(), y="ratio", title=LONG),
    "rows": lambda: plots.paired(deep(*ORDERS), "setting", "alphabeta, row-major", title=LONG),
    "boxes": lambda: plots.spread(few().assign(setting=few()["setting"].astype(str) + ", killer"), title=LONG),
    "dots": lambda: plots.scatter(few().assign(rate=1 / few()["nodes"]), "nodes", "rate", "order", title=LONG),
}


@pytest.mark.parametrize("name", IN_A_COLUMN)
def test_every_word_fits_in_the_column_of_a_page(name, recwarn, monkeypatch):
    monkeypatch.setattr(searches, "RESAMPLES", 20)
    ax = IN_A_COLUMN[name]()
    ax.figure.set_size_inches(3.4, 2.6)
    ax.figure.draw_without_rendering()
    legend, caption, title = ax.get_legend(), ax.xaxis.label, ax.figure._suptitle
    assert title.get_window_extent().x0 == pytest.approx(0.04 * ax.figure.dpi, abs=2)
    inside_of(ax.figure, [ax, title, *ax.texts, *(legend.get_texts() if legend else [])])
    assert not overlapping([title, ax.yaxis.label, *ax.get_xticklabels(), *(legend.get_texts() if legend else [])])
    assert caption.get_window_extent().x0 >= ax.bbox.x0 - 1 and caption.get_window_extent().x1 <= ax.bbox.x1 + 8
    assert ax.get_position().width > 0.6 and ax.get_position().height > 0.15 and not recwarn.list


def drawn_labels(ax):
    ax.figure.draw_without_rendering()
    return ax.get_xticklabels()


def test_a_dozen_settings_are_drawn_without_overlaps():
    ax = plots.paired(settings(), "setting", "alphabeta, row-major")
    assert len(ax.texts) == 11 + 2 and not overlapping(ax.texts)  # with the words at the foot
    across = plots.curves(settings(), x="setting", y="nodes")
    labels = across.get_xticklabels()
    for inches, turned in ((6.4, 0), (2.2, 90)):
        narrower = plots.curves(few(*ORDERS), "order")
        narrower.figure.set_size_inches(inches, 2.6)
        some = drawn_labels(narrower)
        assert {label.get_rotation() for label in some} == {turned} and not overlapping(some)
    assert len(labels) == 12 and not overlapping(labels) and {label.get_rotation() for label in labels} == {90}


def test_panels_wrap_and_have_one_scale_and_one_legend_and_no_word_hides_another():
    first = plots.curves(few().query("marks < 5"), hue="order", col="marks", title="By marks")
    plots.reference(first, 20, "twenty")
    figure, [legend] = first.figure, first.figure.legends
    titles = [ax._left_title for ax in figure.axes]
    assert {ax.get_subplotspec().get_gridspec().ncols for ax in figure.axes} == {4} and len(figure.axes) == 5
    assert not overlapping([figure._suptitle, *titles, *legend.get_texts()])
    assert not overlapping([text for ax in figure.axes[1:] for text in ax.get_xticklabels()])
    inside_of(figure, [*figure.axes, legend, figure._supxlabel])
    assert figure._supxlabel.get_tightbbox().y1 <= figure.axes[-1].get_tightbbox().y0
    assert max(ax.get_tightbbox().x1 for ax in figure.axes) <= legend.get_tightbbox().x0


@pytest.mark.parametrize(("ends", "named"), [((20, 40, 80), True), ((20, 21, 80), False)])
def test_lines_are_named_at_their_ends_if_these_are_far_enough_apart_and_in_a_legend_otherwise(ends, named):
    rows = pd.DataFrame([(kind, k, k * end) for kind, end in zip("abc", ends, strict=True) for k in (0, 1)])
    ax = plots.curves(rows.set_axis(["kind", "k", "share"], axis=1), "k", "share", "kind")
    for inches in (6.4, 2.9):
        ax.figure.set_size_inches(inches, 3.6)
        ax.figure.draw_without_rendering()
        assert ax.get_legend().get_visible() != named
        assert {text.get_text(): text.xy[1] for text in ax.texts} == (
            dict(zip("abc", ends, strict=True)) if named else {}
        )
        inside_of(ax.figure, [ax])  # with its texts
        assert all(text.get_window_extent().x0 >= ax.bbox.x1 for text in ax.texts)
    plots.reference(ax, 110, "a line for comparison")  # too long a name for a narrow page
    for inches in (6.4, 2.9):
        ax.figure.set_size_inches(inches, 3.6)
        ax.figure.draw_without_rendering()
        assert len(ax.texts) == (4 if named and inches > 3 else 0) and ax.get_legend().get_visible() != bool(ax.texts)


def test_a_legend_is_near_the_title_and_above_the_grid_in_a_narrow_drawing_and_then_in_a_wide_one():
    ax = plots.curves(few(*ORDERS), "marks", hue=["order", "depth"], title="Costs")
    title, pixels = ax.figure._suptitle, ax.figure.dpi / 72
    for inches in (2.9, 6.4):
        ax.figure.set_size_inches(inches, 3.6)
        ax.figure.savefig(io.BytesIO(), format="svg")
        legend = ax.get_legend().get_window_extent()
        assert 3 * pixels < title.get_window_extent().y0 - legend.y1 < 9 * pixels
        assert legend.y0 - ax.bbox.y1 > 3 * pixels and legend.x1 <= ax.bbox.x1


def test_the_baseline_of_pairs_is_below_their_names_and_has_its_two_sides_next_to_it():
    ax = plots.paired(few(*ORDERS).query("depth == 2"), "order", "row-major")
    for inches in (6.4, 2.9):
        ax.figure.set_size_inches(inches, 2.6)
        ax.figure.draw_without_rendering()
        *names, fewer, more = ax.texts
        parts = [ax.transData.transform(part) for part in ax.collections[0].get_segments()]
        for name, part in zip(names, parts, strict=True):
            assert part[:, 1].max() <= name.get_window_extent().y0
        assert fewer.get_window_extent().x1 < parts[0][0, 0] < more.get_window_extent().x0
        inside_of(ax.figure, [ax])  # with its texts


def test_scales_have_room_for_later_drawings():
    ax = plots.curves(pd.DataFrame({"depth": [1, 2, 3], "share": [50.0, 99.0, 100.0]}), y="share")
    plots.reference(ax, 150, "more")
    assert ax.get_ylim()[0] == 0 and ax.get_ylim()[1] >= 155
    ax = plots.curves(pd.DataFrame({"depth": [1, 2, 3], "nodes": [60, 900, 18_336]}))
    for highest in (18_336, 70_000):
        plots.reference(ax, highest, f"{highest}")
        low, high = ax.get_ylim()
        ticks = [tick for tick in ax.get_yticks() if low <= tick <= high * 1.001]
        assert ticks[-1] == pytest.approx(high) and highest < high < 4 * highest and len(ticks) > 4


# --------------------------------------------------------------------------------------------------- looks, and pages


def test_up_to_fifty_lines_differ_in_colour_or_marker():
    rows = pd.DataFrame({"kind": [f"kind {n}" for n in range(50)]})
    assert len({(style.colour, style.marker) for style in styles(rows, "kind")}) == 50


@pytest.mark.parametrize("inches", [2.9, 6.4])
def test_a_legend_of_any_length_is_below_the_title_and_inside_the_figure(inches):
    rows = few(*TWO)
    for letters in range(20, 45):
        orders = rows["order"].map(dict(zip(TWO, ("i" * letters, "another"), strict=True)))
        figure = plots.curves(rows.assign(order=orders), "depth", "nodes", "order", title="Nodes").figure
        figure.set_size_inches(inches, 3.6)
        figure.savefig(io.BytesIO(), format="svg")
        legend = figure.axes[0].get_legend()
        place = legend.get_window_extent()
        # Letters are a little wider in this resolution than in the file's.
        under = place.y1 < figure._suptitle.get_window_extent().y0 and place.x1 <= figure.bbox.x1 + 3
        assert under or not legend.get_visible()
        pyplot.close(figure)


def test_searches_that_lack_a_setting_have_no_line():
    rows = pd.concat([sweep(Board(), 1, method="minimax"), few()], ignore_index=True)
    for hue in ("killer", ["order", "killer"]):
        assert sum(len(style.rows) for style in styles(rows, hue)) == len(few())


def test_bands_lines_and_dots_are_light_on_a_dark_style():
    with pyplot.style.context("dark_background"):
        ax = plots.curves(few(*ORDERS), "depth", "nodes", "order")
        assert all(sum(to_rgb(line.get_color())) > 1.4 for line in ax.lines)
        band = plots.curves(few(), "depth", "nodes").collections[0]
        assert band.get_alpha() * max(to_rgb(band.get_facecolor()[0])) > 0.25  # on black
        boxes = plots.spread(few(), "order", "nodes").patches
        assert all(box.get_facecolor()[3] * max(box.get_facecolor()[:3]) > 0.25 for box in boxes)


def luminance(colour):
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return float(np.dot(parts, (0.2126, 0.7152, 0.0722)))


def test_a_plot_takes_the_ink_of_the_page_and_is_also_drawn_for_a_narrow_one():
    figure = plots.convergence(*played(50), title="Costs $ <money>, and how many nodes the orders need").figure
    drawing, again = figure.svg, figure.svg
    root = ElementTree.fromstring(drawing)
    title, text = (root.findtext(f"{{*}}{name}") for name in ("title", "desc"))
    assert root.get("role") == "img" and f"{title} {text}" == figure.words and drawing == again
    assert "#000000" not in drawing and drawing.count("<style") == 1 and drawing.isascii()
    assert all(svg.ink(mark) in drawing and svg.INK[mark].lower() not in drawing for mark in "XO")
    for name, least, most in (("text", 4, 9), ("rule", 1, 2.6)):  # grey lines stand out from either page, rules do not
        light = re.search(rf"var\(--ttt-{name},(#\w+)\)", drawing)[1]
        dark = re.search(rf"--ttt-{name}:(#\w+)", drawing)[1]
        assert least < 1.05 / (luminance(light) + 0.05) < most
        assert least < (luminance(dark) + 0.05) / (luminance("#111111") + 0.05) < most
    wide, narrow = root.findall("{*}svg")
    boxes = [[float(number) for number in each.get("viewBox").split()] for each in (wide, narrow)]
    assert root.get("width") == "100%" and boxes[0][2] == 6.4 * 72 and boxes[1][2] < 290 * 0.75
    assert boxes[0][3] == boxes[1][3] == pytest.approx(0.75 * float(root.get("height")))
    assert [*figure.get_size_inches()] == [6.4, 3.6]
    letters = {"".join(sorted("".join(each.itertext()).replace(" ", "").replace("\n", ""))) for each in (wide, narrow)}
    assert len(letters) == 1  # the same words, in other lines
    panels = ElementTree.fromstring(plots.curves(few(), col="order").figure.svg)
    assert len(panels.findall("{*}svg")) == 1 and panels.get("width") != "100%"


def test_thousands_of_dots_are_an_image_in_the_drawing():
    many = pd.DataFrame({"nodes": np.arange(1.0, 6001), "board": "one"})  # so without an interval, which takes long
    for count, images in ((5000, 0), (5001, 1)):
        drawing = plots.scatter(many.head(count), y="nodes").figure.svg  # for a wide and for a narrow page
        assert drawing.count("<image") == 2 * images and (not images or len(drawing) < 200_000)


def test_a_notebook_shows_a_plot_once_whether_or_not_it_is_the_last_value(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
    ax = plots.convergence(*played(9))
    assert isinstance(ax.figure, Plot) and pyplot.fignum_exists(ax.figure.number)
    ax._ipython_display_()
    assert len(shown) == 1 and set(shown[0]) == {"image/svg+xml", "image/png", "text/plain"}
    assert not pyplot.get_fignums()  # so the end of the cell doesn't show it again


def test_a_warning_of_different_positions_is_of_the_readers_own_line():
    with pytest.warns(UserWarning, match=naming("random_positions", "free=...")) as warned:
        plots.curves(uneven(), hue="order", col="order")
    assert {warning.filename for warning in warned} == {__file__} and len(warned) == 2


def test_sweeps_joined_by_concat_give_the_same_picture():
    parts = [few().query(f"order == '{order}'") for order in TWO]
    joined = pd.concat(part.assign(order=part["order"].cat.remove_unused_categories()) for part in parts)
    assert joined["order"].dtype != few()["order"].dtype
    for draw in (
        lambda rows: plots.curves(rows, hue="order"),
        lambda rows: plots.paired(rows.query("depth == 2"), "order", "row-major"),
        lambda rows: plots.spread(rows, "order"),
    ):
        assert told(lambda draw=draw: draw(joined)) == told(lambda draw=draw: draw(few()))


def centre(values):
    """Red, green and blue of the centre of a board on which moves have these values."""
    return [*bytes.fromhex(re.search(r'd="M5[^"]*" fill="#(\w{6})\w\w"', str(plots.heat(Board(), values, "Worth")))[1])]


def test_good_moves_are_green_bad_ones_purple_and_those_that_are_worth_nothing_grey():
    (_, green, _), (_, _, blue) = good, bad = centre({4: 1}), centre({4: -1})
    assert green == max(good) > min(good) + 20 and blue == max(bad) > min(bad) + 20
    grey = centre({4: 0})
    assert grey == centre({4: 0, 0: 1, 8: -2}) and max(grey) - min(grey) < 3
    counts = str(plots.heat(Board(), {0: 3, 4: 4}, "Lines", "lines through the cell"))
    assert re.findall(r'fill="#1f9d4d(\w\w)"', counts) == ["1f", "a6"]  # on any page, more has more colour
    assert 'class="best"' not in counts and 'class="best"' in str(plots.heat(Board(), {0: 3, 4: 4}, "Worth"))
