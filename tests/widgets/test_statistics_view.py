"""The view of search statistics, without a browser: what can be chosen, and that its code gives its plot."""

from itertools import cycle
from types import SimpleNamespace

import pytest

from ttt import Board, StatisticsView, plots
from ttt.plots import BadPlot
from ttt.search import alphabeta, minimax
from ttt.statistics import grid, sweep

METHODS = grid(["alphabeta", "minimax", "mcts"], table=[False, True], playouts=[5, 10], seed=[1, 2])


@pytest.fixture(scope="module")
def rows():
    """Searches of several methods, so that many fields are empty."""
    return sweep([Board(), Board().play(4)], METHODS, depths=[3, 4, 5])


def run(code, **names):
    """What the last line of the code gives."""
    *lines, last = code.rpartition("\n\n")
    exec("".join(lines), names)
    return eval(last, names)


def ask(view, **choice):
    """Choose as the page does."""
    view._handle_custom_msg({"change": choice}, [])


def test_the_code_gives_the_plot_that_is_shown_for_every_column_on_every_axis(rows):
    view = StatisticsView(rows)
    columns = view.data["columns"]
    assert {"marks", "method", "table", "playouts", "nodes"} <= set(columns["x"])
    most = max(map(len, columns.values()))
    turns = zip(range(most), *(cycle(columns[name]) for name in ("x", "y", "by")), strict=False)
    for _, x, y, by in turns:
        ask(view, x=x, y=y, by=by)
        assert view.status["tone"] == "", (x, y, by, view.status)
        assert [view.data[name] for name in ("x", "y", "by")] == [x, y, by]
        assert run(view.code, rows=rows).svg == view.data["picture"], (x, y, by)


def test_the_code_keeps_the_rows_that_are_shown(rows):
    view = StatisticsView(rows, x="depth", by="table")
    ask(view, where={"table": [True, None], "depth": [3, 4], "marks": [0]})
    assert run(view.code, rows=rows).svg == view.data["picture"]
    kept = rows[(rows["marks"] == 0) & rows["depth"].isin([3, 4]) & (rows["table"].isna() | rows["table"])]
    assert plots.lines(kept, "depth", "nodes", by="table").words == view.plot.words
    assert view.status["text"] == f"{len(kept)} of {len(rows)} searches are drawn."
    view.change(x="playouts", where={})
    assert view.status["text"] == f"{rows['playouts'].count()} of {len(rows)} searches are drawn."
    view.change(x="depth", where={"table": True})
    assert view.data["where"] == {"table": [True]} and view.code.endswith('where={"table": True})')
    view.change(where=None)
    assert view.status["text"] == f"{len(rows)} of {len(rows)} searches are drawn."


def test_only_what_differs_is_offered_and_lists_and_costs_choose_no_rows(rows):
    view = StatisticsView(rows)
    for name in ("x", "by"):
        assert not {"shape", "k", "killer", "board", "best_moves"} & set(view.data["columns"][name])
    assert set(view.data["columns"]["y"]) == {"value", "nodes", "interior", "leaves", "cutoffs"}
    filters = {one["name"]: one["values"] for one in view.data["filters"]}
    assert filters["table"] == [False, True, None] and filters["playouts"] == [5, 10, None]
    assert "alpha-beta, table" in filters["setting"] and not {"nodes", "value", "order"} & set(filters)


def test_a_column_of_ones_own_can_be_chosen(rows):
    own = rows.assign(share=rows["leaves"] / rows["nodes"], early=rows["marks"] == 0, cells=[[0, 4]] * len(rows))
    view = StatisticsView(own, x="early", y="share")
    assert "early" in view.data["columns"]["by"] and "share" in view.data["columns"]["y"]
    assert run(view.code, rows=own).svg == view.data["picture"]


def test_what_is_plotted_first_is_what_differs():
    searches = {"minimax": minimax(Board(), 3), "alpha-beta": alphabeta(Board(), 3)}
    assert {name: StatisticsView(searches).data[name] for name in ("x", "y", "by")} == {
        "x": "setting",
        "y": "nodes",
        "by": "",
    }
    assert StatisticsView(sweep(Board(), METHODS[-4:])).data["x"] == "playouts"
    growth = [minimax(Board(), depth) for depth in (1, 2, 3)]
    assert StatisticsView(growth).code.endswith('plots.lines(rows, x="depth", y="nodes", by="")')


def test_a_choice_that_cannot_be_drawn_changes_nothing_and_is_told(rows):
    view = StatisticsView(rows)
    before = dict(view.data)
    for choice in ({"x": "colour"}, {"y": "setting"}, {"where": {"marks": []}}, {"where": {"mark": [1]}}):
        with pytest.raises(BadPlot):
            view.change(**choice)
        ask(view, **choice)
        assert view.status["tone"] == "error" and view.data == before
    with pytest.raises(BadPlot):
        StatisticsView([])


def test_the_code_names_the_data_as_the_notebook_does(rows, tmp_path, monkeypatch):
    assert "plots.lines(rows, " in StatisticsView(rows).code

    shell = SimpleNamespace(user_ns={"_": rows, "other": [], "mine": rows})
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    view = StatisticsView(rows)
    assert "plots.lines(mine, " in view.code and run(view.code, mine=rows).svg == view.data["picture"]
    file = tmp_path / "my sweep.csv"
    sweep(Board(), METHODS, depths=[2, 3], out=file)
    view = StatisticsView(file)
    assert "my sweep.csv" in view.code and run(view.code).svg == view.data["picture"]


def test_code_that_is_long_has_a_line_for_each_argument(rows):
    view = StatisticsView(rows, where={"setting": ["alpha-beta", "alpha-beta, table"], "depth": [3, 4]})
    assert max(map(len, view.code.splitlines())) <= 88 and '    x="depth",\n' in view.code
    assert run(view.code, rows=rows).svg == view.data["picture"]


def test_its_text_is_the_plot_in_words_and_the_code(rows):
    view = StatisticsView(rows)
    assert repr(view) == f"{view.plot.words}\n{view.code}"
