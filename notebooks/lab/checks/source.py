"""Finds the line of a student's function that explains its wrong answers, by trying small repairs of its source.

A repair that makes all answers right proves where the mistake is. Nothing is said about a line otherwise.
"""

import ast
import linecache
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from inspect import getclosurevars, getsource, getsourcefile, unwrap
from pathlib import Path
from textwrap import dedent
from time import process_time
from typing import Any
from warnings import catch_warnings

from lab.checks import calling
from lab.checks.calling import Answer, Function
from lab.checks.exercise import Case, Exercise, each_way
from lab.checks.names import behind
from lab.checks.slips import (
    Repair,
    certainly,
    changed,
    code,
    covered,
    others,
    places,
    say,
    shown,
    slips,
    slips_of_names,
)
from lab.page import told_by_page
from lab.timeouts import Clock

MAX_REPAIR_SECONDS = 2.0  # of CPU time for all repairs
MAX_PROOF_SECONDS = 4.0  # of CPU time for all questions to a repaired function that is right so far
MAX_TRIAL_CALLS = 40  # made to most repaired functions at most, before all questions are asked
EDITED = "You have edited the cell of `{}` since its last run. Run that cell, then this one."
LOOK = "It goes wrong"  # how the sentence begins that knows a line and no cause
LETTERS: dict[str, Callable[[ast.AST], bool]] = {  # in rules
    **dict.fromkeys("ABC", lambda part: isinstance(part, ast.expr) and not isinstance(part, ast.Slice)),
    "D": lambda part: isinstance(part, ast.Constant) and isinstance(part.value, int | float),
    "K": lambda part: isinstance(part, ast.Constant),
    "N": lambda part: isinstance(part, ast.Name),
    "S": lambda part: isinstance(part, ast.expr) and not _is_no_summand(part),
    "T": lambda part: isinstance(part, ast.Constant) and isinstance(part.value, str),
}


def own_source(function: Function) -> tuple[ast.Module, dict[str, Any]]:
    """The functions in the source of a function and of the student's functions it calls, with the names they use.

    Each node has the `text` of its line. Raises an `OSError` or a `TypeError` if the source can't be read.
    """
    body: list[ast.stmt] = []
    names: dict[str, Any] = {}
    asked = unwrap(function)
    for one in behind(asked):
        if "." in one.__qualname__ and one is not asked:  # inside another function or a class
            continue
        tree = ast.parse(dedent(getsource(one)))
        ast.increment_lineno(tree, one.__code__.co_firstlineno - 1)
        for node in ast.walk(tree):
            text = linecache.getline(getsourcefile(one) or "", getattr(node, "lineno", 0))
            node.text = text.rstrip()  # type: ignore[attr-defined]
        names |= {**one.__globals__, **getclosurevars(one).nonlocals}
        lambdas: list[ast.stmt] = [ast.Expr(node) for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
        body += [node for node in tree.body if isinstance(node, ast.FunctionDef)] or lambdas
    return ast.Module(body, []), names


def is_out_of_date(function: Function) -> bool:
    """Whether the last cell run that should define the function failed, so that an older cell's function is left."""
    code = getattr(unwrap(function), "__code__", None)
    if code is None:
        return False
    defines = re.compile(rf"^def {re.escape(code.co_name)}\b", re.MULTILINE)
    runs = [cell for cell in unwrap(function).__globals__.get("In", ()) if defines.search(cell)]
    return bool(runs) and runs[-1].strip() != "".join(linecache.getlines(code.co_filename)).strip()


def is_edited(thing: object) -> bool:
    """Whether a cell that defines a function or class was edited and not run since, as far as the page tells."""
    name = getattr(thing, "__name__", "")
    defines = re.compile(rf"^(def|class) {re.escape(name)}\b", re.MULTILINE)
    return bool(name) and any(map(defines.search, told_by_page("ttt_edited") or ()))


def cause(function: Function, exercise: Exercise, answers: Sequence[Answer], closely: bool) -> str:
    """What is wrong in the function's source, in a sentence; "" if no repair makes its answers right.

    If asked to look closely, it also tries to change each sign, number and name, and says what would be right there.
    """
    wrong = exercise.wrong(answers)
    others = [*range(0, len(answers), 1 + len(answers) // MAX_TRIAL_CALLS)]
    some = [exercise.asked[place] for place in (*wrong[:: 1 + len(wrong) // MAX_TRIAL_CALLS], *others)]
    return repair(function, exercise, closely, lambda asked: is_right(asked, some) and is_right(asked, exercise.cases))


def tree_of(function: Function) -> ast.Module:
    """The functions in the source of a function and of those it calls; empty if the source can't be read."""
    with suppress(OSError, TypeError, SyntaxError):
        return own_source(function)[0]
    return ast.Module([], [])


def certain(function: Function) -> str:
    """What is wrong in the source whatever else is, in a sentence; "" if nothing is known to be."""
    return next((_placed(told, node) for node, told in certainly(tree_of(function))), "")


def never_reached(function: Function) -> str:
    """Which branch an earlier one leaves nothing, in a sentence; "" if there is none."""
    for first, second in covered(tree_of(function)):
        return _placed(say("covered", first=ast.unparse(first.test), second=ast.unparse(second.test)), second)
    return ""


def shown_in(function: Function, sentence: str) -> str:
    """A sentence without what it says of the function's text, if its source can be read and doesn't have that."""
    tree = tree_of(function)
    return shown(sentence, tree, unwrap(function).__name__) if tree.body else sentence


def _placed(told: str, node: ast.AST) -> str:
    """A sentence with the line of a node."""
    return told.replace("{line}", f"in line {node.lineno}: `{node.text.strip()}`")  # type: ignore[attr-defined]


def repair(function: Function, exercise: Exercise, closely: bool, accepts: Callable[[Function], bool]) -> str:
    """What is wrong in the function's source, in a sentence; "" if no repaired function is accepted.

    Where a search has bounds, one line can make up for another: a line without a cause is named only if it is alone.
    A repair that only makes a test always true, or always false, is none.
    """

    def works(changes: Sequence[partial[Any]]) -> bool:
        again = {**names}
        with suppress(Exception), catch_warnings(action="ignore"), changed(changes):
            exec(compile(ast.fix_missing_locations(tree), "<repaired>", "exec"), again)
            return accepts(exercise.through(again[unwrap(function).__name__]))
        return False

    end, lines, first = process_time() + MAX_REPAIR_SECONDS, set[int](), ""
    with suppress(OSError, TypeError, SyntaxError):
        tree, names = own_source(function)
        alike: dict[str, list[Repair]] = {}
        asked = [part for part in tree.body if getattr(part, "name", "") == unwrap(function).__name__]
        known = {id(node) for part in asked for node in ast.walk(part)}
        for where, told, change in _repairs(tree, exercise, closely):
            loose = exercise.returns == "order" or (exercise.returns == "truth" and told.startswith(LOOK))
            if loose and id(where) not in known:
                continue  # many other answers would do, so this proves nothing about what a helper is for
            if isinstance(where, ast.FunctionDef) or getattr(where, "text", "") not in exercise.given:
                alike.setdefault(told, []).append((where, told, change))
        for group in alike.values():  # each alone, and all together
            for some in [*([one] for one in group), *([group] if len(group) > 1 else [])]:
                where, told, _ = some[0]
                off = ([switch] for switch in _switches(tree, where, "alpha" in exercise.takes))
                if works([change for _, _, change in some]) and not any(map(works, off)):
                    told = _placed(told, where)
                    if not told.startswith(LOOK) or not {"alpha", "heuristic"} & {*exercise.takes}:
                        return told
                    lines.add(where.lineno)  # type: ignore[attr-defined]
                    first = first or told
                if process_time() > end or len(lines) > 1:
                    return first if len(lines) == 1 else ""
    return first if len(lines) == 1 else ""


def _switches(tree: ast.Module, part: ast.AST, bounds: bool) -> Iterator[partial[Any]]:
    """What makes the test that has this part plainly true, or false; with bounds, not of a cut: no value needs one."""
    for node in ast.walk(tree):
        ends = isinstance(node, ast.If) and any(isinstance(line, ast.Break | ast.Return) for line in node.body)
        if isinstance(node, ast.If | ast.While | ast.IfExp) and part in [*ast.walk(node.test)]:
            yield from (partial(setattr, node, "test", ast.Constant(n)) for n in (True, False) if not (ends and bounds))


def is_right(function: Function, cases: Sequence[Case]) -> bool:
    """Whether a function answers all these questions rightly, in time."""
    coming = calling.answers(function, [case.question for case in cases], Clock(MAX_PROOF_SECONDS, 0.5))
    right = 0
    for case, answer in zip(cases, coming, strict=False):
        if not case.answered_by(answer):
            return False
        right += 1
    return right == len(cases)


def _repairs(tree: ast.Module, exercise: Exercise, closely: bool) -> Iterator[Repair]:
    """All repairs, first those that say most."""
    yield from slips(tree, cuts=bool({"alpha", "heuristic"} & {*exercise.takes}))
    flags = _flags(tree)
    lists = exercise.returns == "cells" or "return [" in ast.unparse(tree)
    for node, put in places(tree):
        match node:
            case ast.If(ast.Name(name)) | ast.Assign([ast.Name(name)]) if name in flags:
                continue
        for told, better in _instead_of(node, exercise, lists):
            yield node, told, partial(put, better)
    yield from slips_of_names(tree)
    for node, put in places(tree) if closely else ():
        for other in others(node, tree):
            told = f" With `{ast.unparse(other)}` instead of `{ast.unparse(node)}` it would be right."
            there = re.findall(rf"(?<!\w){re.escape(ast.unparse(node))}(?!\w)", getattr(node, "text", ""))
            # In a graded exercise, or where it isn't clear which part of the line is meant, only the line is named.
            bare = not exercise.function or len(there) > 1
            yield node, f"{LOOK} {{line}}.{'' if bare else told}", partial(put, other)


def _instead_of(node: ast.AST, exercise: Exercise, lists: bool) -> Iterator[tuple[str, ast.AST]]:
    """What may be wrong with a part of a line, each with what should stand in its place."""
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    for told, pattern, better in () if is_docstring else RULES:
        found: dict[str, str] = {}
        if type(node) is type(pattern) and _fits(node, pattern, found):
            new = _piece(re.sub(r"\b[ABCDKNST]\b", lambda letter, found=found: found[letter[0]], better))  # type: ignore[misc]
            if "{old}" in told or "{new}" in told:  # unparsing takes time
                told = told.replace("{old}", ast.unparse(node)).replace("{new}", ast.unparse(new))
            yield told, new
    match node:
        case ast.If(ast.Name() as test, body, orelse):
            told = say("nothing", empty="an empty list" if lists else "0")
            yield told, ast.If(ast.Compare(test, [ast.IsNot()], [ast.Constant(None)]), body, orelse)
        case ast.Call(ast.Name(called), [first, *more], words) if called == (exercise.function or exercise.name):
            given = ["depth - 1" if part == "depth" else part for part in exercise.takes[1:]]
            whole = ast.Call(ast.Name(called, ast.Load()), [first, *map(code, given)], [])
            few = "argument" if len(more) + len(words) < len(given) else "arguments"
            if (right := ast.unparse(whole)) != ast.unparse(node):
                yield say(few, new=right), whole


def _is_no_summand(part: ast.AST) -> bool:
    """Whether nobody would add this to a number: a truth value, `None`, or the better of two."""
    match part:
        case ast.Constant(True | False | None) | ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
            return True
        case ast.Call(ast.Name("max" | "min")):
            return True
    return False


def _flags(tree: ast.AST) -> set[str]:
    """The variables that are set to a truth value."""
    return {
        node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and _is_no_summand(node.value)
        if not isinstance(node.value, ast.Call)
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
    }


def _piece(text: str) -> ast.AST:
    """A piece of code: an expression, or a statement, which any text is that ends with a semicolon."""
    [node] = ast.parse(text).body
    return node.value if isinstance(node, ast.Expr) and not text.endswith(";") else node


def _fits(part: object, pattern: object, found: dict[str, str]) -> bool:
    """Whether code is like a pattern, whose letters stand for what is then `found` there."""
    if isinstance(pattern, ast.Name) and pattern.id in LETTERS:
        text = f"({ast.unparse(part)})" if isinstance(part, ast.AST) and LETTERS[pattern.id](part) else ""
        return found.setdefault(pattern.id, text) == text != ""
    if isinstance(pattern, ast.AST):
        fields = ((getattr(part, name, None), value) for name, value in ast.iter_fields(pattern) if name != "ctx")
        return type(part) is type(pattern) and all(_fits(one, other, found) for one, other in fields)
    if isinstance(pattern, list) and isinstance(part, list):
        return len(part) == len(pattern) and all(_fits(*both, found) for both in zip(part, pattern, strict=True))
    return type(part) is type(pattern) and part == pattern


_read = tomllib.loads(Path(__file__).with_name("repairs.toml").read_text(encoding="utf-8"))
RULES = [(told, _piece(old), new) for told, ways in _read.items() for old, new in each_way(ways)]
