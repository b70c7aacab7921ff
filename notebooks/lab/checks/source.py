"""Finds the line of a student's function that explains its wrong answers, by trying small repairs of its source.

A repair that makes all answers right proves where the mistake is. Nothing is said about a line otherwise.
"""

import ast
import linecache
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import partial
from inspect import getclosurevars, getsource, getsourcefile, unwrap
from textwrap import dedent
from time import process_time
from types import FunctionType
from typing import Any
from warnings import catch_warnings

from lab.checks import calling
from lab.checks.calling import Answer, Function
from lab.checks.exercise import Case, Exercise
from lab.timeouts import Clock

MAX_REPAIR_SECONDS = 2.0  # of CPU time for all repairs
MAX_TRIAL_CALLS = 40  # made to most repaired functions at most, before all questions are asked
Repair = tuple[ast.AST, str, Callable[[], object]]  # where, what is wrong there, and what changes it
LOOK = "It goes wrong"  # how the sentence begins that knows a line and no cause
LOOPS = ast.For | ast.While
CHANGING = ("sort", "reverse", "append", "extend", "insert", "remove")  # methods that change a list and return None
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv)


def own_source(function: Function) -> tuple[ast.Module, dict[str, Any]]:
    """The functions in the source of a function and of the student's functions it calls, with the names they use.

    Each node has `line`, its place and text. Raises an `OSError` or a `TypeError` if the source can't be read.
    """
    body: list[ast.stmt] = []
    names: dict[str, Any] = {}
    left, seen = [unwrap(function)], set[str]()
    while left:
        one = left.pop()
        tree = ast.parse(dedent(getsource(one)))
        ast.increment_lineno(tree, one.__code__.co_firstlineno - 1)
        for node in ast.walk(tree):
            text = linecache.getline(getsourcefile(one) or "", getattr(node, "lineno", 0)).strip()
            node.line = f"in line {getattr(node, 'lineno', 0)}: `{text}`"  # type: ignore[attr-defined]
        names |= one.__globals__ | getclosurevars(one).nonlocals
        seen.add(one.__name__)
        used = [unwrap(value) for name in one.__code__.co_names if callable(value := names.get(name))]
        mine = [other for other in used if isinstance(other, FunctionType) and other.__module__ == one.__module__]
        left += [other for other in mine if other.__name__ not in seen]
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


def used_objects(function: Function) -> list[object]:
    """The objects that the names in a function's source stand for; those of a module, too."""
    found: list[object] = []
    with suppress(OSError, TypeError, SyntaxError):
        tree, names = own_source(function)
        for node in ast.walk(tree):
            match node:
                case ast.Name(name):
                    found.append(names.get(name))
                case ast.Attribute(ast.Name(name), part):
                    found.append(getattr(names.get(name), part, None))
    return found


def call_without_bounds(function: Function) -> str:
    """Where a search calls itself and leaves out `alpha` and `beta`, in a sentence; "" if it never does."""
    with suppress(OSError, TypeError, SyntaxError):
        tree, _ = own_source(function)
        takes = {one.name: len(one.args.args) for one in tree.body if isinstance(one, ast.FunctionDef)}
        cuts = any(isinstance(node, ast.Name) and node.id == "alpha" for node in ast.walk(tree))
        for node in ast.walk(tree) if cuts else ():
            match node:
                case ast.Call(ast.Name(name), given, words) if len(given) + len(words) < takes.get(name, 0):
                    told = f"Your function does not pass its bounds on {node.line}."  # type: ignore[attr-defined]
                    return f"{told} Give `alpha` and `beta` to that call, too."
    return ""


def cause(function: Function, exercise: Exercise, answers: Sequence[Answer], closely: bool) -> str:
    """What is wrong in the function's source, in a sentence; "" if no repair makes its answers right.

    If asked to look closely, it also tries to change each sign, number and name, and says only which line to look at.
    """
    wrong, end = exercise.wrong(answers), process_time() + MAX_REPAIR_SECONDS
    others = [*range(0, len(answers), 1 + len(answers) // MAX_TRIAL_CALLS)]
    some = [exercise.asked[place] for place in (*wrong[:: 1 + len(wrong) // MAX_TRIAL_CALLS], *others)]
    with suppress(OSError, TypeError, SyntaxError):
        tree, names = own_source(function)
        told = [sentence for _, sentence, _ in _repairs(tree, exercise, closely)]
        alike = [[n for n, other in enumerate(told) if other == one] for one in dict.fromkeys(told)]
        for numbers in [[n] for n in range(len(told))] + [group for group in alike if len(group) > 1]:
            repaired = deepcopy(tree)
            found = [*_repairs(repaired, exercise, closely)]
            where = found[numbers[0]][0]
            with suppress(Exception), catch_warnings(action="ignore"):  # of what students' code looks like
                for number in numbers:
                    found[number][2]()
                again = {**names}
                exec(compile(ast.fix_missing_locations(repaired), "<repaired>", "exec"), again)
                asked = exercise.through(again[unwrap(function).__name__])
                if _is_right(asked, some) and _is_right(asked, exercise.cases):
                    return told[numbers[0]].replace("{line}", where.line)  # type: ignore[attr-defined]
            if process_time() > end:
                break
    return ""


def _is_right(function: Function, cases: Sequence[Case]) -> bool:
    """Whether a function answers all these questions rightly, as far as time allows."""
    coming = calling.answers(function, [case.question for case in cases], Clock(MAX_REPAIR_SECONDS / 2, 0.5))
    given = ((answer.value, answer.fault, answer.asked) for answer in coming)
    return all(yours == (case.value, "", case.asked) for yours, case in zip(given, cases, strict=False))


def _repairs(tree: ast.Module, exercise: Exercise, closely: bool) -> Iterator[Repair]:
    """All repairs, first those that say most."""
    for block in _blocks(tree):
        for place, statement in enumerate(block):
            yield from _of_a_statement(block, place, statement)
            if isinstance(statement, LOOPS):
                yield from _of_a_loop(block, place, statement)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            yield from _of_names(function)
    for node, put in _places(tree):
        yield from _of_an_expression(node, put, exercise)
    for node, put in _places(tree) if closely else ():
        for other in _others(node, tree):
            yield (
                node,
                f"{LOOK} {{line}}. Compare that line with what it should do.",
                partial(put, other),
            )


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of statements."""
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, ())
            if isinstance(block, list) and not isinstance(node, ast.Module):
                yield block


def _places(tree: ast.AST) -> Iterator[tuple[ast.AST, Callable[[ast.AST], object]]]:
    """Each part of the tree that has a line, with a function that puts another in its place."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if isinstance(value, ast.AST):
                yield value, partial(setattr, parent, name)
            elif isinstance(value, list):
                yield from ((part, partial(value.__setitem__, n)) for n, part in enumerate(value))


def _code(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _assign(name: str, text: str) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], _code(text))


def _rename(parts: Iterable[ast.AST], old: str, new: str) -> None:
    """Use another name in these parts."""
    for node in (node for part in parts for node in ast.walk(part)):
        if isinstance(node, ast.Name) and node.id == old:
            node.id = new


def _of_a_statement(block: list[ast.stmt], place: int, statement: ast.stmt) -> Iterator[Repair]:
    """Repairs of a statement that does nothing, or replaces what it should add to."""

    def become(other: ast.stmt) -> Callable[[], object]:
        return partial(block.__setitem__, place, other)

    match statement:
        case ast.Expr(ast.Compare(ast.Name(name), [ast.Eq()], [value])):
            told = "Your function compares {line}, where it should store: write one `=`, not `==`."
            yield statement, told, become(_assign(name, ast.unparse(value)))
        case ast.Expr(ast.BinOp(ast.Name() | ast.Attribute() as kept, operator, value)):
            told = "Your function works out a number {line}, but does not keep it. Write `+=` or `-=`."
            stored = _code(ast.unparse(kept))
            stored.ctx = ast.Store()  # type: ignore[attr-defined]
            yield statement, told, become(ast.AugAssign(stored, operator, value))  # type: ignore[arg-type]
        case ast.Expr(ast.Constant()):
            return
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(board), "play"), [move])):

            def store() -> None:
                block[place] = _assign("_after", f"{board}.play({ast.unparse(move)})")
                _rename(block[place + 1 :], board, "_after")

            told = f"Your function does nothing with the new board {{line}}. `{board}` itself never changes: write"
            yield statement, f"{told} `after = {ast.unparse(statement)}`, and look at `after`.", store
        case ast.Return(ast.Call(ast.Attribute(ast.Name(kept), method)) as call) if method in CHANGING:

            def change_first() -> None:
                statement.value = ast.Name(kept, ast.Load())
                block.insert(place, ast.Expr(call))

            told = f"Your function returns `None` {{line}}, because `{kept}.{method}` only changes the list. Write it"
            yield statement, f"{told} on a line of its own, and then `return {kept}`.", change_first
        case ast.If(orelse=[ast.If() as second]):

            def separate() -> None:
                statement.orelse = []
                block.insert(place + 1, second)

            told = "Your function tests this only if the test above it fails, {line}. Write `if` instead of `elif`."
            yield second, told, separate
        case ast.Assign([ast.Name() as name], ast.UnaryOp(ast.UAdd(), value) | value):
            told = "Your function replaces `" + name.id + "` {line}, instead of adding to it. Write `+=`."
            yield statement, told, become(ast.AugAssign(name, ast.Add(), value))
            told = (
                "Your function starts with the wrong value {line}. Begin with `-inf` where you take the highest value,"
            )
            told += " and with `inf` where you take the lowest."
            for start in (
                ("-inf", "inf", "-inf if board.turn == 'X' else inf") if isinstance(value, ast.Constant) else ()
            ):
                yield statement, told, become(_assign(name.id, start))
    if isinstance(statement, ast.Expr):
        told = "Your function does nothing with what it works out {line}. Is a `return` missing there?"
        yield statement, told, become(ast.Return(statement.value))


def _of_a_loop(block: list[ast.stmt], place: int, loop: ast.For | ast.While) -> Iterator[Repair]:
    """Repairs of a loop that ends too early, begins afresh in each round, or leaves out the lines below it."""
    after = block[place + 1 :]
    for node in ast.walk(loop) if isinstance(loop, ast.For) else ():
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "remove" | "pop")) if name in ast.unparse(loop.iter):
                told = (
                    f"Your function changes `{name}` while it loops over it {{line}}, so the loop skips the next part."
                )
                copied = partial(setattr, loop, "iter", _code(ast.unparse(loop.iter).replace(name, f"[*{name}]")))
                yield node, f"{told} Put what you want to keep into a new list.", copied
    for inner in _blocks(loop):
        for n, statement in enumerate(inner):
            if not isinstance(statement, ast.Return):
                continue

            def end_later(inner: list[ast.stmt] = inner, n: int = n) -> None:
                last, inner[n] = inner[n], ast.Pass()
                block[place + 1 :] = [last, *after]

            def collect(inner: list[ast.stmt] = inner, n: int = n) -> None:
                cells = ast.unparse(inner[n]).removeprefix("return ")
                add = f"_found.extend({cells} if isinstance({cells}, (list, tuple, set)) else [{cells}])"
                inner[n] = ast.Expr(_code(add))
                block[place:] = [_assign("_found", "[]"), loop, ast.Return(_code("_found"))]

            told = "Your function returns inside its loop, {line}, so it never comes to the later rounds."
            yield statement, f"{told} Put one `return` after the loop.", end_later
            told = "Your function returns inside its loop, {line}, so it gives only the first cell. Collect the cells"
            yield statement, f"{told} in a list, and `return` the list once, after the loop.", collect
    for n, statement in enumerate(loop.body):
        if isinstance(statement, ast.Assign | ast.AugAssign):

            def begin_once(n: int = n) -> None:
                block.insert(place, loop.body.pop(n))

            yield statement, "Your function does this in every round, {line}. Move the line above the loop.", begin_once
    for number in range(1, len(after) + 1):

        def take_in(number: int = number) -> None:
            loop.body += block[place + 1 : place + 1 + number]
            del block[place + 1 : place + 1 + number]

        told = "Your function runs this only once, after its loop, {line}. Indent it, so that it runs in every round."
        yield after[0], told, take_in


def _of_names(function: ast.FunctionDef) -> Iterator[Repair]:
    """Repairs of a function that never gives a name its first value, never uses one, or has no return at its end."""
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    changed: list[ast.expr] = [node.target for node in ast.walk(function) if isinstance(node, ast.AugAssign)]
    changed += [node.value for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.attr == "append"]
    used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    stored = {node.id: node for node in reversed(names) if isinstance(node.ctx, ast.Store)}
    for name in dict.fromkeys(node.id for node in changed if isinstance(node, ast.Name)):
        for start in ("0", "[]"):
            begin = partial(function.body.insert, 0, _assign(name, start))
            yield (
                function,
                f"Your function never gives `{name}` its first value. Write `{name} = {start}` above the loop.",
                begin,
            )
    for name in stored:
        told = f"Your function ends without a `return`. Write `return {name}` at its end."
        yield function, told, partial(function.body.append, ast.Return(ast.Name(name, ast.Load())))
    for unused in stored.keys() - used:
        for other in used:
            later = [node for node in names if node.lineno > stored[unused].lineno]
            told = f"Your function stores `{unused}` {{line}}, but never uses it. `{other}` stands where it should."
            yield stored[unused], told, partial(_rename, later, other, unused)


def _of_an_expression(node: ast.AST, put: Callable[[ast.AST], object], exercise: Exercise) -> Iterator[Repair]:
    """Repairs of a part of a line."""
    name = exercise.function or exercise.name
    match node:
        case ast.Compare(left, [ast.Is() | ast.IsNot() as test], [right]):
            equal = ast.Eq() if isinstance(test, ast.Is) else ast.NotEq()
            told = "Your function compares with `is` {line}. Write `==` instead (or `!=` for `is not`)."
            yield node, told, partial(put, ast.Compare(left, [equal], [right]))
        case ast.Constant("player" | "n" | "how" as parameter):
            told = f'Your function uses the text `"{parameter}"` {{line}}. Take the quotes away: `{parameter}`.'
            yield node, told, partial(put, _code(parameter))
        case ast.Compare(ast.Attribute(_, "winner") as winner, operators, [ast.Constant(str(text))]):
            told = f'Your function looks for `"{text}"` {{line}}. In a draw, `board.winner` is `None`.'
            yield node, told, partial(put, ast.Compare(winner, operators, [ast.Constant(None)]))
        case ast.Constant(str(text)) if text in ("x", "o"):
            told = f'Your function looks for `"{text}"` {{line}}. The marks are the capital letters `"X"` and `"O"`.'
            yield node, told, partial(put, ast.Constant(text.upper()))
        case ast.Constant("" | " " | "_" | "." | "empty" | "free" | None as text):
            told = f'Your function looks for `{text!r}` {{line}}. A free cell contains `"-"`.'
            yield node, told, partial(put, ast.Constant("-"))
        case ast.Attribute(value, "lines" | "line_cells" as lines):
            other = {"lines": "line_cells", "line_cells": "lines"}[lines]
            told = (
                f"Your function uses `{lines}` {{line}}. `board.lines` has the marks of each line, `board.line_cells`"
            )
            yield (
                node,
                f"{told} its cells: here you need `{other}`.",
                partial(put, ast.Attribute(value, other, ast.Load())),
            )
        case ast.Call(ast.Name(called), [first, *_]) if called != name:
            arguments = [first, *(ast.Name(part, ast.Load()) for part in exercise.takes[1:])]
            told = f"Your function calls `{called}` {{line}}, where it should call itself, `{name}`."
            yield node, told, partial(put, ast.Call(ast.Name(name, ast.Load()), arguments, []))
            if called == "range":
                told = "Your function does not go through every cell {line}. A board has cells 0 to 8, and larger ones"
                yield (
                    node,
                    f"{told} more: `board.moves` has all that are free.",
                    partial(put, _code("range(len(board))")),
                )
        case ast.BoolOp(ast.Or(), [ast.Compare(left, [ast.Eq()], [one]), ast.Constant() as two]):
            told = "Your function's `or` is always true {line}. Write the comparison again after `or`."
            yield node, told, partial(put, ast.Compare(left, [ast.In()], [ast.Tuple([one, two], ast.Load())]))
        case ast.Subscript(value, ast.Slice()):
            told = "Your function leaves out a part {line}. Go through all of it."
            yield node, told, partial(put, value)
        case ast.If(ast.Name() as test):
            told = "Your function takes cell 0 for no cell {line}, because 0 counts as false. Write `is not None`."
            yield node, told, partial(setattr, node, "test", ast.Compare(test, [ast.IsNot()], [ast.Constant(None)]))


def _others(node: ast.AST, tree: ast.AST) -> Iterator[ast.AST]:
    """What might stand in the place of a sign, a number, a mark or a name."""
    match node:
        case ast.Compare(left, [test], right):
            yield from (ast.Compare(left, [other()], right) for other in COMPARISONS if not isinstance(test, other))
        case ast.BinOp(left, operator, right):
            yield from (ast.BinOp(left, other(), right) for other in OPERATORS if not isinstance(operator, other))
        case ast.Call(called, [*before, one, other], words):
            yield ast.Call(called, [*before, other, one], words)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)
        case ast.Constant(int(number)):
            yield from (ast.Constant(number + 1), ast.Constant(number - 1), ast.Constant(-number))
        case ast.Constant("X" | "O" | "-" as mark):
            yield from (ast.Constant(other) for other in "XO-" if other != mark)
        case ast.Name(name, ast.Load()):
            known = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)} | {"max", "min"}
            yield from (ast.Name(other, ast.Load()) for other in sorted(known - {name}))
