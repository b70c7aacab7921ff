"""Where the names that a wrong function uses come from; also runs in the sandbox, where little of the lab is.

A name is the student's own (a function, a class, a constant), the lab's, Python's, or a variable that other cells have
left over. What is found is data, so that the grader can take it from a submission: only `told` makes sentences of it.
"""

from __future__ import annotations

import ast
import builtins
import dis
import linecache
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from inspect import signature
from itertools import groupby
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import ttt
from lab.checks.calling import globals_read, instructions, used_by
from ttt.board import Board
from ttt.heuristics import LineWeights

DEFINES = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^[ \t]*(\w+)[ \t]*=(?!=)", re.MULTILINE)
MEASURED = re.compile(r"\s*%%(?:time|timeit|capture|prun)\b.*")  # a cell magic above ordinary code
TIMED = re.compile(r"^([ \t]*)%time[ \t]+(?!-)", re.MULTILINE)  # a line magic before a statement
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # raised by Python for unreadable source text
IMPORTS = (ast.Import, ast.ImportFrom)
SCOPES = (  # their variables are their own
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
MATHS = {name: getattr(math, name) for name in ("inf", "sqrt", "log")}  # what the lab's notebooks import of it
SEARCHES = ("ttt.search", "ttt.players", "ttt.arena", "lab.")  # modules that do a student's work
MAX_TOLD, MAX_NAME = 5, 60  # remarks, and characters of a name or line
RESTART = "then choose Kernel → Restart Kernel and Run All Cells."
MIXED = (
    "Your function keeps something from one call to the next: asked about a board for one player and then for the"
    " other, it gave the second player the value for the first."
)
SENTENCES = {  # {place} is where a cell binds the name
    "order": "The check calls `{call}`, but your function has `{name}` in another place. Write the parameters in this"
    " order.",
    "taken": "Line {line}{of} needs your own `{name}`, but `{name}` is something else now{place}. Give one of the two"
    f" another name, or take that line away; {RESTART}",
    "redefined": "There are two `{name}`; the last one counts{place}. If line {line}{of} needs the other one, rename"
    f" one of them; {RESTART}",
    "rebound": "Line {line}{of} needs {whose} `{name}`, but `{name}` is something else now{place}. Use another name"
    f" there; {RESTART}",
    "rebound inside": "`{name}` is a variable of your own in line {line}{of}, so it can't be called as Python's"
    " `{name}` there. Give the variable another name.",
    "left over": "Line {line}{of} reads `{name}`, a variable of this notebook{place}. {meant}",
    "kept": "{names} {are} outside your function, so {keep} what earlier calls have stored. Begin the function"
    " with {new}.",
    "kept for one player": "{names} {are} outside your function. " + MIXED,
    "kept by all": "{names} {are} outside your function, so {keep} what earlier calls have stored. Let each call"
    " return what it has found, and combine what the calls inside it return.",
    "kept in a table": "{names} {are} outside your function, so {keep} what earlier calls have stored. The key must"
    " hold everything that a value depends on, or another call finds the wrong one.",
    "the lab's": "Line {line}{of} uses `{name}`, which comes from `ttt`{place}.",
}
SINGLE = {"are": "is", "keep": "it keeps", "new": "a new one"}
SEVERAL = {"are": "are", "keep": "they keep", "new": "new ones"}
TAKEN = ("rebound", "taken")  # by a cell that doesn't mean the function: costs no points
REPLACED = (*TAKEN, "redefined")  # told only if a function does better with what these names meant before


class Place(NamedTuple):
    """Where a cell binds a name."""

    cell: int  # number
    line: int
    how: str  # "def", "import", "loop" or "value"


class Use(NamedTuple):
    """The first place where a function reads a global name."""

    name: str
    line: int
    function: Any  # that reads it


class Remark(NamedTuple):
    """Something about a name that a function uses."""

    kind: str  # of `SENTENCES`
    name: str
    line: int = 0  # where it is used
    of: str = ""  # the function that uses it, if it isn't the one asked
    cell: int = 0  # the cell that binds the name, and the line there; 0 if nobody knows
    at: int = 0
    parameter: str = ""  # that may be meant instead


# ------------------------------------------------------------------------------------------- what cells do with names


def as_python(cell: str) -> str:
    """Translate a cell to Python as IPython does, on the same lines; unreadable text stays as it is."""
    while measured := MEASURED.match(cell):
        cell = "\n" * measured[0].count("\n") + cell[measured.end() :]
    try:
        ast.parse(cell)
    except UNREADABLE:
        from IPython.core.inputtransformer2 import TransformerManager  # missing in the sandbox

        above = cell[: len(cell) - len(cell.lstrip("\n"))]
        with suppress(*UNREADABLE):
            transformer: Any = TransformerManager()  # type: ignore[no-untyped-call]
            return above + str(transformer.transform_cell(TIMED.sub(r"\1", cell))).removesuffix("\n")
    return cell


def separate(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements, with an import of several names split into one per name."""
    for statement in statements:
        if isinstance(statement, IMPORTS):
            yield from (type(statement)(**{**vars(statement), "names": [alias]}) for alias in statement.names)
        else:
            yield statement


def bound(cells: Iterable[str], such: Callable[[ast.stmt], bool] = lambda _: True) -> dict[str, list[Place]]:
    """The names that such statements of cells bind outside functions, each with its places in order; "*" is one."""
    found: dict[str, list[Place]] = {}
    for number, cell in enumerate(cells):
        with suppress(*UNREADABLE):
            for statement in filter(such, separate(ast.parse(cell).body)):
                for name, how, line in _binds(statement):
                    found.setdefault(name, []).append(Place(number, line, how))
    return found


def _binds(node: ast.AST, loop: bool = False) -> Iterator[tuple[str, str, int]]:
    """The names that code binds, how and in which line."""
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name, "def", node.lineno
        case ast.Assign([ast.Name(name)], ast.Lambda()):
            yield name, "def", node.lineno
        case ast.alias(name, other):
            yield (other or name).partition(".")[0], "import", node.lineno
        case ast.Name(name, ast.Store()):
            yield name, "loop" if loop else "value", node.lineno
        case ast.For():
            yield from _binds(node.target, loop=True)
            for below in (*node.body, *node.orelse):
                yield from _binds(below)
        case _ if not isinstance(node, SCOPES):
            for part in ast.iter_child_nodes(node):
                yield from _binds(part, loop)


# ------------------------------------------------------------------------------------------ what functions do with them


def uses(function: Callable[..., Any]) -> list[Use]:
    """The global names that a function and the student's own code behind it read, each once for each function."""
    found: dict[tuple[str, str], Use] = {}
    for one in behind(function):
        for step in instructions(one.__code__):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in one.__globals__:
                use = Use(step.argval, _line(step), one)
                found.setdefault((use.name, one.__name__), use)
    return [*found.values()]


def behind(function: Any) -> list[FunctionType]:
    """The function, and the functions of the student's own code that it can reach: also in classes and closures."""
    return [one for one in used_by(function) if isinstance(one, FunctionType)]


def _line(step: dis.Instruction) -> int:
    return (step.positions and step.positions.lineno) or 0


# ----------------------------------------------------------------------------------------------------- what is remarked


def remarks(
    function: Callable[..., Any],
    takes: Sequence[str],
    places: Mapping[str, Sequence[Place]],
    given: Mapping[str, Collection[Place]] = {},
    changed: Collection[str] = (),
) -> list[Remark]:
    """What may be odd about a wrong function's names, most telling first.

    `places` says where cells bind names, `given` which of these places are in statements as handed out, and `changed`
    which outside data have changed from call to call.
    """
    found = [*_order(function, takes)]
    for use in uses(function):
        there = places.get(use.name, ())
        own = [place for place in there if place not in given.get(use.name, ())]
        star = places.get("*", ()) if callable(use.function.__globals__[use.name]) else ()
        known = own or there or star or [Place(0, 0, "value")]
        kind = _kind(use, takes, known, bool(there) and not own, changed)
        if kind:
            last = known[-1]
            at = last if kind in ("taken", "redefined") else next(one for one in known if one.cell == last.cell)
            of = _helper(use.function, function)
            meant = _meant(use, takes) if kind == "left over" and not of else ""
            found.append(Remark(kind, use.name, use.line, of, at.cell, at.line, meant))
    found += _inside(function)
    first_of = {(one.kind, one.name): one for one in reversed(found)}
    return sorted(first_of.values(), key=lambda one: ([*SENTENCES].index(one.kind), found.index(one)))


def _kind(use: Use, takes: Sequence[str], places: Sequence[Place], given: bool, changed: Collection[str]) -> str:
    """What may be odd about a global name; "" for nothing."""
    value, last = use.function.__globals__[use.name], places[-1]
    if any(place.how == "def" for place in places[:-1]):
        return "redefined" if last.how == "def" else "taken"
    if last.how != "def" and _differs(value, usual(use.name)):
        return "rebound"
    if use.name in changed:
        calls_itself = use.function.__name__ in globals_read(use.function.__code__)
        if not calls_itself:
            return "kept"
        return "kept in a table" if isinstance(value, dict) else "kept by all"
    if not (callable(value) or last.how == "import" or use.name.isupper() or use.name.startswith("__")):
        ignored = isinstance(value, Board) and not _reads(use.function, _meant(use, takes))
        return "left over" if use.name in takes or last.how == "loop" or given or ignored else ""
    return "the lab's" if _module(value).startswith(SEARCHES) or value is LineWeights else ""


def usual(name: str) -> Any:
    """What Python or the lab's notebooks mean by a name; None if nothing."""
    if name in MATHS:
        return MATHS[name]
    return getattr(builtins, name, None) or (getattr(ttt, name, None) if name in ttt.__all__ else None)


def _differs(value: object, other: object) -> bool:
    """Whether a name has another value than usual; two infinities are the same."""
    return other is not None and value is not other and not (isinstance(other, float) and repr(value) == repr(other))


def _module(value: object) -> str:
    found = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return found if isinstance(found, str) else ""


def _meant(use: Use, takes: Sequence[str]) -> str:
    """The function's own parameter that a left-over variable may stand for; "" if none."""
    code = use.function.__code__
    name = "board" if use.name not in takes and isinstance(use.function.__globals__[use.name], Board) else use.name
    mine = [parameter for parameter in code.co_varnames[: code.co_argcount] if parameter != "self"]
    return str(dict(zip(takes, mine, strict=False)).get(name, ""))


def _reads(function: FunctionType, parameter: str) -> bool:
    """Whether a function reads its parameter anywhere, or has none."""
    return not parameter or any(_about(step, parameter, "LOAD") for step in instructions(function.__code__))


def _about(step: dis.Instruction, name: str, does: str) -> bool:
    """Whether an instruction loads or stores this variable; newer Pythons put two of them into one."""
    return does in step.opname and (step.argval == name or (isinstance(step.argval, tuple) and name in step.argval))


def _helper(one: Callable[..., Any], function: Callable[..., Any]) -> str:
    """A function's name, if it isn't the one asked."""
    name = one.__name__
    return "" if name == getattr(function, "__name__", name) or name.startswith("<") else name


def _order(function: Callable[..., Any], takes: Sequence[str]) -> Iterator[Remark]:
    """A parameter that has the name of another one of the task's."""
    with suppress(TypeError, ValueError):  # no signature
        mine = zip(takes, signature(function).parameters, strict=False)
        yield from [Remark("order", name) for wanted, name in mine if name in takes and name != wanted][:1]


def _inside(function: Callable[..., Any]) -> Iterator[Remark]:
    """Variables of the function, or of one behind it, that hide something of Python."""
    for one in behind(function):
        for name in one.__code__.co_varnames[one.__code__.co_argcount :]:
            stores = [_line(step) for step in dis.get_instructions(one.__code__) if _about(step, name, "STORE")]
            if callable(getattr(builtins, name, None)) and stores:
                yield Remark("rebound inside", name, stores[0], _helper(one, function))


# ----------------------------------------------------------------------------------- what a name meant before, as proof


@contextmanager
def as_before(function: Any, found: Iterable[Remark], cells: Sequence[str]) -> Iterator[None]:
    """Give these names what they meant before they were replaced: something of Python, or the student's function."""
    replaced = {one.name for one in found}
    names: dict[str, Any] = behind(function)[0].__globals__ if replaced else {}
    before = {name: names[name] for name in replaced & names.keys()}
    for name in before:
        made = earlier(name, cells, names)
        names[name] = usual(name) if made is None else made
    try:
        yield
    finally:
        names |= before


def earlier(name: str, cells: Sequence[str], names: Mapping[str, Any]) -> Any:
    """What the last definition of a name made before the name was bound again; None if there was none."""
    places = [place for place in bound(cells).get(name, ())[:-1] if place.how == "def"]
    if not places:
        return None
    cell, line, _ = places[-1]
    statement = next(one for one in ast.parse(cells[cell]).body if line <= (one.end_lineno or 0))
    title, scope = f"cell {cell}, before", dict(names)
    linecache.cache[title] = len(cells[cell]), None, cells[cell].splitlines(keepends=True), title
    with suppress(Exception):  # of the student's
        exec(compile(ast.Module([statement], []), title, "exec"), scope)
        return scope.get(name)


# ------------------------------------------------------------------------------------------------------ what is told


def fitting(
    found: Iterable[Remark], stops: str, changes: str, refused: bool, helps: Callable[[str], bool]
) -> list[Remark]:
    """The remarks that matter for a wrong function.

    `stops` is its error, if it ends with one, `changes` what is said if its answers change, and `refused` whether it
    calls what it may not. `helps` tries whether it does better if the names with remarks of a kind mean what they did
    before.
    """
    tried = cache(helps)
    tests: dict[str, Callable[[Remark], bool]] = {
        "rebound inside": lambda one: f"{one.name}(" in stops and ("not callable" in stops or f"'{one.name}'" in stops),
        "redefined": lambda one: f"{one.name}() " in stops and tried(one.kind),  # takes other arguments
        "rebound": lambda one: tried(one.kind),
        "taken": lambda one: tried(one.kind),
        "kept": lambda one: changes != "",
        "kept for one player": lambda one: changes == MIXED,
        "kept by all": lambda one: changes != "",
        "kept in a table": lambda one: changes != "",
        "the lab's": lambda one: refused,
    }
    if changes == MIXED:
        found = [one._replace(kind="kept for one player") if one.kind == "kept" else one for one in found]
    return [one for one in found if one.kind not in tests or tests[one.kind](one)]


def told(found: Iterable[Remark], call: str, cells: Sequence[str], named: str) -> list[str]:
    """Sentences for the student, one for all names that keep something; cells are called `named`, such as "In [{}]"."""
    sentences = []
    for kind, some in groupby(found, lambda one: one.kind):
        placed = [(one, _place(one, cells, named)) for one in some]
        if kind.startswith("kept"):
            *others, last = (f"`{one.name}`{place}" for one, place in placed[:MAX_TOLD])
            names = f"{', '.join(others)} and {last}" if others else last
            sentences.append(SENTENCES[kind].format(names=names, **(SEVERAL if others else SINGLE)))
            continue
        for one, place in placed:
            meant = f"Your parameter is `{one.parameter}`." if one.parameter else "The function gives it no value."
            if one.of:
                meant = f"Pass it to `{one.of}` as a parameter."
            whose = "Python's" if hasattr(builtins, one.name) else "the notebook's"
            of = f" of `{one.of}`" if one.of else ""
            words = {**one._asdict(), "of": of, "place": place, "meant": meant, "whose": whose, "call": call}
            sentences.append(SENTENCES[kind].format(**words))
    return sentences[:MAX_TOLD]


def _place(one: Remark, cells: Sequence[str], named: str) -> str:
    """Where a cell binds the name, with the line, in brackets; "" if nobody knows."""
    lines = cells[one.cell].splitlines() if one.cell < len(cells) else []
    if not 0 < one.at <= len(lines):
        return ""
    line = " ".join(lines[one.at - 1].split()).replace("`", "'")[:MAX_NAME]
    return f" ({named.format(one.cell)}, line {one.at}: `{line}`)"
