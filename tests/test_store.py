"""What long jobs keep: it outlives kill -9, tables come out whole and sorted, and files are never half written."""

import csv
import re
import signal
import subprocess
import sys

import pytest

from ttt.store import Store, StoreError, Table, escape_formula, unescape_formula, written_whole

COLUMNS = ("name", "n", "said")


def test_results_are_kept_by_kind_key_and_version(tmp_path):
    with Store(tmp_path / "rows.db", "words") as words, Store(tmp_path / "rows.db", "numbers") as numbers:
        words.keep("a", {"b": [1, None]}, "1")
        words.keep("c", "d")
        numbers.keep("a", 7)
        assert (words.kept("a", "1"), words.kept("a", "2"), words.kept("x")) == ({"b": [1, None]}, None, None)
        words.keep("a", "e", "2")
        assert words.kept("a", "1") is None and words.results("2") == {"a": "e"}
        words.forget()
        assert not words.results() and numbers.results() == {"a": 7}


def test_what_was_kept_outlives_kill_9(tmp_path):
    script = (
        "import os, pathlib; from ttt.store import Store\n"
        f"store = Store(pathlib.Path({str(tmp_path / 'rows.db')!r}), 'words')\n"
        "[store.keep(str(n), n) for n in range(100)]\n"
        f"os.kill(os.getpid(), {signal.SIGKILL})"
    )
    assert subprocess.run([sys.executable, "-c", script]).returncode == -signal.SIGKILL
    with Store(tmp_path / "rows.db", "words") as store:
        assert len(store.results()) == 100


def test_a_file_that_is_not_a_store_is_refused(tmp_path):
    (tmp_path / "rows.db").write_text("text " * 1000)
    for path in (tmp_path / "rows.db", tmp_path / "none" / "rows.db"):
        with pytest.raises(StoreError, match=r"rows\.db can't be used"):
            Store(path, "words")


def test_a_damaged_store_is_named_whatever_is_asked_of_it(tmp_path):
    path = tmp_path / "rows.db"
    with Store(path, "words") as store:
        for n in range(500):
            store.keep(str(n), "text " * 20)
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"?" * (len(content) - 8192))  # the first pages are whole, so it opens
    for ask in (Store.results, Store.forget, lambda store: store.keep("250", 1), lambda store: store.kept("250")):
        with Store(path, "words") as store, pytest.raises(StoreError, match=r"rows\.db can't be used"):
            ask(store)


def rows():
    return [{"name": "b", "n": "10", "said": 'a "b", c'}, {"name": "b", "n": "9", "said": "=1+1"}]


def in_file(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_table_is_a_sorted_csv_file_without_formulas_even_after_an_interrupt(tmp_path):
    path = tmp_path / "deeper" / "rows.csv"
    with pytest.raises(KeyboardInterrupt), Table(path, COLUMNS, ("name", "n"), ("said",)) as table:
        for row in rows():
            table.keep(row)
        raise KeyboardInterrupt
    assert [row["n"] for row in in_file(path)] == ["9", "10"] and in_file(path)[0]["said"] == "'=1+1"
    assert {file.name for file in path.parent.iterdir()} == {"rows.csv", "rows.db"}
    with Table(path, COLUMNS, ("name", "n"), ("said",)) as table:
        assert sorted(table.rows.values(), key=str) == sorted(rows(), key=str)


def test_rows_are_sorted_with_numbers_as_numbers_and_keep_what_the_file_has_no_column_for(tmp_path):
    path = tmp_path / "rows.csv"
    keys = [("10", "b"), ("9", "b"), ("9", "a"), ("", "a"), ("x", "a")]
    with Table(path, ("n", "name"), ("n", "name")) as table:
        for n, name in keys:
            table.keep({"n": n, "name": name, "version": "1"})
    assert [(row["n"], row["name"]) for row in in_file(path)] == [keys[2], keys[1], keys[0], keys[3], keys[4]]
    with Table(path, ("n", "name"), ("n", "name")) as table:
        assert {row["version"] for row in table.rows.values()} == {"1"}


def test_a_row_that_is_forgotten_is_in_neither_the_file_nor_the_store(tmp_path):
    path = tmp_path / "rows.csv"
    for expected in (["10"], ["10"]):
        with Table(path, COLUMNS, ("name", "n")) as table:
            for row in rows() if not table.rows else []:
                table.keep(row)
            table.forget([key for key in table.rows if key == ("b", "9")])
        assert [row["n"] for row in in_file(path)] == expected


def test_a_table_without_a_file_is_kept_in_memory():
    with Table(None, COLUMNS, ("name", "n")) as table:
        table.keep(rows()[0])
    assert list(table.rows) == [("b", "10")]


def test_a_table_comes_from_its_store_whatever_was_done_to_the_file(tmp_path):
    path = tmp_path / "rows.csv"
    with Table(path, COLUMNS, ("name", "n")) as table:
        table.keep(rows()[0])
    whole = path.read_bytes()
    for length in (0, len(b"name,n,said\n"), len(whole) - 3):
        path.write_bytes(whole[:length])
        with Table(path, COLUMNS, ("name", "n")):
            pass
        assert path.read_bytes() == whole


@pytest.mark.parametrize("text", ["name,marks\nann,3\n", "no line end", "n,name\n1,a\n"])
def test_a_file_with_other_columns_is_left_alone(text, tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text(text)
    with pytest.raises(StoreError, match=r"mine\.csv has other columns"):
        Table(path, COLUMNS, ("name", "n"))
    assert path.read_text() == text and list(tmp_path.iterdir()) == [path]


def test_a_csv_file_cannot_have_the_name_of_its_store(tmp_path):
    with pytest.raises(StoreError, match=r"rows\.db"):
        Table(tmp_path / "rows.db", COLUMNS, ("name", "n"))


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "file"
    path.write_text("before")
    with pytest.raises(ValueError), written_whole(path) as part:
        part.write_text("half")
        raise ValueError
    assert path.read_text() == "before"
    with written_whole(path) as part:
        part.write_text("after")
    assert path.read_text() == "after" and list(tmp_path.iterdir()) == [path]
    for impossible in (tmp_path, tmp_path / "file" / "below"):
        with pytest.raises(OSError) as told, written_whole(impossible):
            raise AssertionError
        assert told.value.filename == str(impossible)


@pytest.mark.parametrize("text", ["=1+1", "'=1+1", " ＝x", "@SUM(1)", "-3", "plain", "'quoted'", "", "\n=1", "a;b"])
def test_escaped_formulas_come_back_as_they_were(text):
    assert unescape_formula(escape_formula(text)) == text
    assert not escape_formula(text).lstrip().startswith(tuple("=+-@＝＋－＠"))


@pytest.mark.parametrize("text", ["a;=1+1", "a; @SUM(1)", 'a;"=1', ";;=1", "a\n=1", "a;'=1", "=1;=2\r\n-3"])
def test_a_spreadsheet_that_parts_cells_at_semicolons_finds_no_formula(text):
    escaped = escape_formula(text)
    assert unescape_formula(escaped) == text
    for cell in re.split("[;\r\n]", escaped):
        assert not cell.lstrip(' "').startswith(tuple("=+-@＝＋－＠"))
