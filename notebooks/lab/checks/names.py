"""Where the names that a student's function uses come from; also runs in the sandbox, so it needs nothing of the lab.

A name is the student's own (a function, a class, a constant), the lab's, Python's, or a variable that other cells have
left over. What is found is data, so that the grader can take it from a submission: only `told` makes sentences of it.
"""

from __future__ import annotations

import ast
import builtins
import dis
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from inspect import signature, unwrap
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import ttt
from ttt.board import Board

UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)  # raised by Python for unreadable source text
SCOPES = (  # their variables are their own
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
MATHS = {name: getattr(math, name) for name in ("inf", "sqrt", "log")}  # what the lab's notebooks import of it
MOST, LONGEST = 5, 60  # remarks from a sandbox, and characters of a name, at most
SENTENCES = {
    "order": "The check calls `{call}`, but your function has `{name}` in another place. Write the parameters in this"
    " order.",
    "taken": "`{name}` is no longer yours{since}: it replaces your `{name}`, which line {line}{of} calls. Give yours"
    " another name, or take that line away; then choose Kernel → Restart Kernel and Run All Cells.",
    "rebound": "`{name}` has lost its meaning{since}, and line {line}{of} needs it. Use another name there, then"
    " choose Kernel → Restart Kernel and Run All Cells.",
    "rebound inside": "`{name}` is a variable of your own in line {at}{of}, so line {line} can't call Python's"
    " `{name}`. Give the variable another name.",
    "redefined": "There are two `{name}`; the last one counts{since}. If line {line}{of} needs the other one, rename"
    " one of them.",
    "left over": "Line {line}{of} reads `{name}`, a variable of this notebook{since}.",
    "kept": "`{name}` is outside your function{since}, so it keeps what earlier calls have stored. Begin the function"
    " with a new one.",
}


class Place(NamedTuple):
    """Where a cell binds a name."""

    cell: int  # number
    line: int
    how: str  # "def", "import", "loop" or "value"


class Remark(NamedTuple):
    """Something about a name that a function uses."""

    kind: str  # of `SENTENCES`
    name: str
    line: int = 0  # where it is used
    of: str = ""  # the function that uses it, if it isn't the one asked
    cell: int = 0  # the cell that binds the name, and the line there; 0 if nobody knows
    at: int = 0
    parameter: str = ""  # that may be meant instead


class Use(NamedTuple):
    """The first place where a function reads a global name."""

    name: str
    line: int
    calls: bool
    function: Any  # that reads it


# ------------------------------------------------------------------------------------------- what cells do with names


def bound(cells: Iterable[str]) -> dict[str, list[Place]]:
    """The names that cells bind outside functions, each with its places in order."""
    found: dict[str, list[Place]] = {}
    for number, cell in enumerate(cells):
        with suppress(*UNREADABLE):
            for name, how, line in (one for statement in ast.parse(cell).body for one in _binds(statement)):
                found.setdefault(name, []).append(Place(number, line, how))
    return found


def places_in(statement: ast.stmt) -> Iterator[tuple[int, str]]:
    """The lines in which a statement binds names, and how."""
    yield from ((line, how) for _, how, line in _binds(statement))


def _binds(node: ast.AST, loop: bool = False) -> Iterator[tuple[str, str, int]]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name, "def", node.lineno
        case ast.alias(name, other):
            yield (other or name).partition(".")[0], "import", node.lineno
        case ast.Name(name, ast.Store()):
            yield name, "loop" if loop else "value", node.lineno
        case ast.Assign([ast.Name(name)], ast.Lambda()):
            yield name, "def", node.lineno
            return
    if isinstance(node, ast.For):
        yield from _binds(node.target, loop=True)
    if not isinstance(node, SCOPES):
        for part in ast.iter_child_nodes(node):
            if not (isinstance(node, ast.For) and part is node.target):
                yield from _binds(part, loop)


# ------------------------------------------------------------------------------------------ what functions do with them


def uses(function: Callable[..., Any]) -> list[Use]:
    """The global names that a function and the student's own code behind it read, each once for each function."""
    found: dict[tuple[str, str], Use] = {}
    for one in behind(function):
        for code in _codes(one.__code__):
            for step in dis.get_instructions(code):
                if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                    line = (step.positions and step.positions.lineno) or code.co_firstlineno
                    calls = step.opname == "LOAD_GLOBAL" and bool((step.arg or 0) & 1)
                    use = found.get((step.argval, one.__name__), Use(step.argval, line, False, one))
                    found[step.argval, one.__name__] = use._replace(calls=use.calls or calls)
    return [*found.values()]


def behind(function: Any) -> list[FunctionType]:
    """The function, and the functions of the student's own code that it can reach: also in classes and closures."""
    found: list[FunctionType] = []
    left: list[Any] = [function]
    seen, home = set[int](), _home(function)
    while left:
        one = left.pop(0)
        if id(one) in seen or isinstance(one, ModuleType | BuiltinFunctionType):
            continue
        seen.add(id(one))
        match one:
            case partial():
                left.append(one.func)
            case MethodType():
                left += [one.__func__, one.__self__]
            case staticmethod() | classmethod() | property():
                left.append(getattr(one, "fget", None) or getattr(one, "__func__", None))
            case FunctionType():
                if one.__module__ == home and one.__module__ != "ttt":
                    found.append(one)
                    names = one.__globals__
                    left += [names[name] for code in _codes(one.__code__) for name in code.co_names if name in names]
                for cell in one.__closure__ or ():
                    with suppress(ValueError):  # empty
                        left.append(cell.cell_contents)
                left.append(getattr(one, "__wrapped__", None))
            case type() if one.__module__ == home:
                left += [*vars(one).values(), *one.__bases__]
            case _ if type(one).__module__ == home:
                left.append(type(one))
            case _ if callable(getattr(one, "__wrapped__", None)):
                left.append(one.__wrapped__)
    return found


def _home(function: Any) -> str:
    """The module of the student's own code."""
    inner = unwrap(getattr(function, "func", function))
    return getattr(inner, "__module__", None) or type(inner).__module__


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code with the functions and comprehensions inside it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _codes(part)


# ----------------------------------------------------------------------------------------------------- what is remarked


def remarks(
    function: Callable[..., Any],
    takes: Sequence[str],
    places: Mapping[str, Sequence[Place]],
    given: Collection[Place] = (),
    changed: Collection[str] = (),
) -> list[Remark]:
    """What is odd about a wrong function's names, most telling first.

    `places` says where cells bind names, `given` which of these places are in statements as handed out, and `changed`
    which outside data have changed from call to call.
    """
    found = [*_order(function, takes)]
    for use in uses(function):
        names = use.function.__globals__
        remark = _of_a_use(use, names, takes, places.get(use.name, ()), given, changed)
        if remark:
            of = use.function.__name__
            if of == getattr(function, "__name__", of) or of.startswith("<"):
                found.append(remark._replace(line=use.line))
            else:  # a helper, whose parameters are its own
                found.append(remark._replace(line=use.line, of=of, parameter=""))
    found += _inside(function)
    first: dict[tuple[str, str], Remark] = {}
    for one in found:
        first.setdefault((one.kind, one.name), one)
    return sorted(first.values(), key=lambda one: [*SENTENCES].index(one.kind))


def _of_a_use(
    use: Use,
    names: Mapping[str, Any],
    takes: Sequence[str],
    places: Sequence[Place],
    given: Collection[Place],
    changed: Collection[str],
) -> Remark | None:
    """What is odd about a global name, so far without the place of its use."""
    if use.name not in names:
        return None
    places = [place for place in places if place not in given] or places
    value, last = names[use.name], places[-1] if places else Place(0, 0, "value")
    first = next((place for place in places if place.cell == last.cell), last)
    at = Remark("", use.name, cell=first.cell, at=first.line)
    mine = [place for place in places if place.how == "def"]
    replaces = last.how == "import" if _is_the_labs(value) else use.calls and not callable(value)
    if mine and mine[-1] < last and replaces:
        return at._replace(kind="taken", at=last.line)
    if last.how == "def" and len(mine) > 1:
        return at._replace(kind="redefined", cell=last.cell, at=last.line)
    if _lost(use, value):
        return at._replace(kind="rebound")
    if use.name in changed:
        return at._replace(kind="kept")
    if callable(value) or last.how == "import" or use.name.isupper() or use.name.startswith("__"):
        return None
    parameters = use.function.__code__.co_varnames[: use.function.__code__.co_argcount]
    meant = dict(zip(takes, parameters, strict=False)).get(use.name, "")
    if isinstance(value, Board) and not meant:
        meant = next((own for task, own in zip(takes, parameters, strict=False) if task == "board"), "")
    if use.name in takes or isinstance(value, Board) or last.how == "loop" or (places and last in given):
        return at._replace(kind="left over", parameter=meant)
    return None


def _is_the_labs(value: object) -> bool:
    """Whether this is a function or class of the engine or the lab, or one of their modules."""
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    return module.partition(".")[0] in ("ttt", "lab")


def _lost(use: Use, value: object) -> bool:
    """Whether a name of Python or the lab now stands for something that can't be used in its place."""
    usual = getattr(builtins, use.name, MATHS.get(use.name))
    if usual is None and use.name in ttt.__all__:
        usual = getattr(ttt, use.name, None)
    if isinstance(usual, float):
        return isinstance(value, int | float) and value != usual
    return callable(usual) and use.calls and not callable(value)


def _order(function: Callable[..., Any], takes: Sequence[str]) -> Iterator[Remark]:
    """A parameter that has the name of another one of the task's."""
    with suppress(TypeError, ValueError):  # no signature
        mine = [*signature(function).parameters]
        for place, name in enumerate(mine):
            if name in takes and place < len(takes) and takes[place] != name:
                yield Remark("order", name)
                return


def _inside(function: Callable[..., Any]) -> Iterator[Remark]:
    """Variables of the function that hide something of Python that the same function calls."""
    for one in behind(function):
        code = one.__code__
        for name in code.co_varnames[code.co_argcount :]:
            if not isinstance(getattr(builtins, name, None), type | BuiltinFunctionType):
                continue
            steps = [step for step in dis.get_instructions(code) if step.argval == name and step.positions]
            stores = [step.positions.lineno for step in steps if step.opname == "STORE_FAST" and step.positions]
            loads = [step.positions.lineno for step in steps if step.opname.startswith("LOAD_FAST") and step.positions]
            if stores and loads:
                of = "" if one.__name__ == getattr(function, "__name__", "") else one.__name__
                yield Remark("rebound inside", name, loads[-1] or 0, of, 0, stores[0] or 0)


# ------------------------------------------------------------------------------------------------------ what is told


def fitting(found: Iterable[Remark], stops: str, changes: bool) -> list[Remark]:
    """The remarks that matter for a wrong function: `stops` is its error, if it ends with one."""
    some = []
    for one in found:
        if one.kind == "rebound inside":
            fits = "not callable" in stops or ("UnboundLocalError" in stops and f"'{one.name}'" in stops)
        elif one.kind == "redefined":
            fits = f"{one.name}() " in stops  # takes other arguments
        elif one.kind == "kept":
            fits = changes
        else:
            fits = True
        some += [one] if fits else []
    return some


def told(found: Iterable[Remark], call: str, cells: Sequence[str], named: str) -> list[str]:
    """Sentences for the student; the cells are called `named`, such as "In [{}]"."""
    sentences = []
    for one in found:
        since = ""
        lines = cells[one.cell].splitlines() if 0 <= one.cell < len(cells) else []
        if 0 < one.at <= len(lines) and one.kind != "rebound inside":
            line = lines[one.at - 1].strip().replace("`", "'")[:LONGEST]
            where = named.format(one.cell)
            since = f" ({where}, line {one.at}: `{line}`)"
            if one.kind in ("taken", "rebound"):
                since = f" since {where}, line {one.at}: `{line}`"
        of = f" of `{one.of}`" if one.of else ""
        text = SENTENCES[one.kind].format(name=one.name, line=one.line, of=of, at=one.at, since=since, call=call)
        if one.kind == "left over":
            meant = f"Pass it to `{one.of}` as a parameter." if one.of else "The function gives it no value."
            text = f"{text} Your parameter is `{one.parameter}`." if one.parameter else f"{text} {meant}"
        sentences.append(text)
    return sentences[:MOST]


def taken_over(data: object) -> list[Remark]:
    """Remarks from a sandbox, which are not trusted: what makes no sense is left out."""
    found = []
    for row in data[:MOST] if isinstance(data, list) else ():
        match row:
            case [str(kind), str(name), int(line), str(of), int(cell), int(at), str(parameter)]:
                words = all(one.isidentifier() and len(one) <= LONGEST for one in (name, of or "_", parameter or "_"))
                if kind in SENTENCES and words and all(0 <= number < 10**6 for number in (line, cell, at)):
                    found.append(Remark(kind, name, line, of, cell, at, parameter))
    return found
