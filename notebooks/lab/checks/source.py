"""Finds the line of a student's function that explains its wrong answers, by trying small repairs of its source.

A repair that makes all answers right proves where the mistake is. Nothing is said about a line otherwise.
"""

import ast
import linecache
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import partial
from inspect import getclosurevars, getsource, getsourcefile, unwrap
from itertools import product
from pathlib import Path
from textwrap import dedent
from time import process_time
from typing import Any
from warnings import catch_warnings

from lab.checks import calling
from lab.checks.calling import Answer, Function
from lab.checks.exercise import Case, Exercise, each_way
from lab.checks.names import behind
from lab.checks.slips import Repair, blocks, certainly, changed, code, move, places, rename, shown, slips
from lab.page import told_by_page
from lab.timeouts import Clock

MAX_REPAIR_SECONDS = 2.0  # of CPU time for all repairs
MAX_PROOF_SECONDS = 4.0  # of CPU time for all questions to a repaired function that is right so far
MAX_TRIAL_CALLS = 40  # made to most repaired functions at most, before all questions are asked
EDITED = "You have edited the cell of `{}` since its last run. Run that cell, then this one."
LOOK = "It goes wrong"  # how the sentence begins that knows a line and no cause
LETTERS: dict[str, Callable[[ast.AST], bool]] = {  # in rules
    **dict.fromkeys("ABC", lambda part: isinstance(part, ast.expr)),
    "K": lambda part: isinstance(part, ast.Constant),
    "N": lambda part: isinstance(part, ast.Name),
    "S": lambda part: isinstance(part, ast.expr) and not _is_no_summand(part),
    "T": lambda part: isinstance(part, ast.Constant) and isinstance(part.value, str),
}
CHANGING = ("append", "extend", "insert", "remove", "reverse", "sort")  # methods that change a list and return None
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
MEMBERSHIPS = (ast.In, ast.NotIn, ast.Is, ast.IsNot)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv)


def own_source(function: Function) -> tuple[ast.Module, dict[str, Any]]:
    """The functions in the source of a function and of the student's functions it calls, with the names they use.

    Each node has `line`, its place and text. Raises an `OSError` or a `TypeError` if the source can't be read.
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
            text = linecache.getline(getsourcefile(one) or "", getattr(node, "lineno", 0)).strip()
            node.line = f"in line {getattr(node, 'lineno', 0)}: `{text}`"  # type: ignore[attr-defined]
        names |= one.__globals__ | getclosurevars(one).nonlocals
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


def certain(function: Function) -> str:
    """What is wrong in the source whatever else is, in a sentence; "" if nothing is known to be."""
    with suppress(OSError, TypeError, SyntaxError):
        for node, told in certainly(own_source(function)[0]):
            return told.replace("{line}", node.line)  # type: ignore[attr-defined]
    return ""


def shown_in(function: Function, sentence: str) -> str:
    """A sentence without what it says of the function's text, if its source can be read and doesn't have that."""
    with suppress(OSError, TypeError, SyntaxError):
        return shown(sentence, own_source(function)[0], unwrap(function).__name__)
    return sentence


def repair(function: Function, exercise: Exercise, closely: bool, accepts: Callable[[Function], bool]) -> str:
    """What is wrong in the function's source, in a sentence; "" if no repaired function is accepted.

    Where a search has bounds, one line can make up for another: a line without a cause is named only if it is alone.
    """
    end, lines, first = process_time() + MAX_REPAIR_SECONDS, set[int](), ""
    with suppress(OSError, TypeError, SyntaxError):
        tree, names = own_source(function)
        alike: dict[str, list[Repair]] = {}
        for one in _repairs(tree, exercise, closely):
            alike.setdefault(one[1], []).append(one)
        for group in alike.values():  # each alone, and all together
            for some in [*([one] for one in group), *([group] if len(group) > 1 else [])]:
                again = {**names}
                with suppress(Exception), catch_warnings(action="ignore"), changed([change for _, _, change in some]):
                    exec(compile(ast.fix_missing_locations(tree), "<repaired>", "exec"), again)
                    if accepts(exercise.through(again[unwrap(function).__name__])):
                        where, told, _ = some[0]
                        told = told.replace("{line}", where.line)  # type: ignore[attr-defined]
                        if not told.startswith(LOOK) or not {"alpha", "heuristic"} & {*exercise.takes}:
                            return told
                        lines.add(where.lineno)  # type: ignore[attr-defined]
                        first = first or told
                if process_time() > end or len(lines) > 1:
                    return first if len(lines) == 1 else ""
    return first if len(lines) == 1 else ""


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
    yield from slips(tree)
    for block in blocks(tree):
        for place, statement in enumerate(block):
            if isinstance(statement, ast.If) and [*map(type, statement.orelse)] == [ast.If]:
                told = "Where the condition holds {line}, your function skips the `elif` below. Write `if` there, too."
                yield statement, told, partial(move, statement.orelse, 0, 1, block, place + 1)
            if isinstance(statement, ast.For):
                yield from _of_a_loop(block, place, statement, cuts=bool({"alpha", "heuristic"} & {*exercise.takes}))
    flags = _flags(tree)
    for node, put in places(tree):
        match node:
            case ast.If(ast.Name(name)) | ast.Assign([ast.Name(name)]) if name in flags:
                continue
        for told, better in _instead_of(node, exercise):
            yield node, told, partial(put, better)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            yield from _of_names(function)
    for node, put in places(tree) if closely else ():
        for other in _others(node, tree):
            told = f" With `{ast.unparse(other)}` instead of `{ast.unparse(node)}` it would be right."
            graded = not exercise.function  # then the line is named, and no more
            yield node, f"{LOOK} {{line}}.{'' if graded else told}", partial(put, other)


def _of_a_loop(block: list[ast.stmt], place: int, loop: ast.For, cuts: bool) -> Iterator[Repair]:
    """Repairs of a loop that changes its list, ends too early, or begins afresh in each round."""
    for node in ast.walk(loop):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "remove" | "pop")) if name in ast.unparse(loop.iter):
                told = f"Your function changes `{name}` while it loops over it {{line}}, so the loop skips an element."
                copied = partial(setattr, loop, "iter", code(ast.unparse(loop.iter).replace(name, f"[*{name}]")))
                yield node, f"{told} Put what you want to keep into a new list.", copied
    for n, statement in enumerate(loop.body):
        match statement:
            case ast.Assign([ast.Name(name) as first], ast.Call(ast.Attribute(ast.Name(same), "play"))) if name == same:
                told = f"Your function replaces `{name}` in every round, {{line}}, so the next move is made on another"
                later = [node for part in loop.body[n + 1 :] for node in ast.walk(part) if isinstance(node, ast.Name)]
                apart = partial(rename, [first, *later], name, "after")
                yield statement, f"{told} board. Give the board after the move a name of its own.", apart
    for inner in blocks(loop):
        for n, statement in enumerate(inner):
            if isinstance(statement, ast.Return) and not (cuts and inner is not loop.body):
                told = "Your function returns inside its loop, {line}, so it never comes to the later rounds. Put one"
                yield statement, f"{told} `return` after the loop.", partial(move, inner, n, n + 1, block, place + 1)
    for end in range(place + 2, len(block) + 1):
        told = "Your function does this only once, after its loop, {line}. Indent it, so that it runs in every round."
        yield block[place + 1], told, partial(move, block, place + 1, end, loop.body, len(loop.body))
    for n, statement in enumerate(loop.body):
        if isinstance(statement, ast.Assign | ast.AugAssign):
            target = ast.unparse(statement.targets[0] if isinstance(statement, ast.Assign) else statement.target)
            again = isinstance(statement, ast.AugAssign) or target in ast.unparse(statement.value)
            told = f"changes `{target}` again" if again else "starts afresh"
            told = f"Your function {told} in every round, {{line}}. Move that line above the loop."
            yield statement, told, partial(move, loop.body, n, n + 1, block, place)


def _of_names(function: ast.FunctionDef) -> Iterator[Repair]:
    """Repairs of a function that never gives a name its first value, never uses one, or returns nothing."""
    nodes = [*ast.walk(function)]
    names = [node for node in nodes if isinstance(node, ast.Name)]
    changed: list[ast.expr] = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
    changed += [node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr == "append"]
    changed += [node.left for node in nodes if isinstance(node, ast.BinOp)]
    used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    stored = {node.id: node for node in reversed(names) if isinstance(node.ctx, ast.Store)}
    given = {argument.arg for argument in function.args.args}
    unset = [*dict.fromkeys(node.id for node in changed if isinstance(node, ast.Name) and node.id not in given)]
    for some, start in product([*map(list, zip(unset)), unset], ("0", "[]")):
        named, first = " and ".join(f"`{name}`" for name in some), " and ".join(f"`{name} = {start}`" for name in some)
        begun = ast.parse("\n".join(f"{name} = {start}" for name in some)).body
        told = f"Your function never gives {named} a first value. Write {first} above the loop."
        yield function, told, partial(function.body.__setitem__, slice(0, 0), begun)
    for name in (*stored, "0"):
        told = f"Your function ends without a `return`. Write `return {name}` at its end."
        yield function, told, partial(function.body.append, ast.Return(code(name)))
        for node in nodes:
            if isinstance(node, ast.Return) and not node.value:
                told = f"Your function returns nothing {{line}}. Write `return {name}`."
                yield node, told, partial(setattr, node, "value", code(name))
    for node in nodes:
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
            for name in (name for name in (*stored, *given) if name != node.value.id):
                told = f"Your function returns `{node.value.id}` {{line}}. What it should return is in `{name}`."
                yield node, told, partial(setattr, node, "value", code(name))
    plain = {id(target) for node in nodes if isinstance(node, ast.Assign) for target in node.targets}
    for unused in sorted(stored.keys() - used):
        at = stored[unused]
        later = [node for node in names if node.lineno > at.lineno]
        for other in sorted({node.id for node in later} & used):
            told = f"Your function stores `{unused}` {{line}}, but never uses it. `{other}` stands where it should."
            yield at, told, partial(rename, later, other, unused)
        for other in () if id(at) not in plain else get_close_matches(unused, sorted(used | given)):
            told = f"Your function stores `{unused}` {{line}}, but nothing reads it. Write `{other}`."
            yield at, told, partial(rename, names, unused, other)


def _instead_of(node: ast.AST, exercise: Exercise) -> Iterator[tuple[str, ast.AST]]:
    """What may be wrong with a part of a line, each with what should stand in its place."""
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    for told, pattern, better in () if is_docstring else RULES:
        found: dict[str, str] = {}
        if type(node) is type(pattern) and _fits(node, pattern, found):
            new = _piece(re.sub(r"\b[ABCKNST]\b", lambda letter, found=found: found[letter[0]], better))  # type: ignore[misc]
            if "{old}" in told or "{new}" in told:  # unparsing takes time
                told = told.replace("{old}", ast.unparse(node)).replace("{new}", ast.unparse(new))
            yield told, new
    match node:
        case ast.If(ast.Name() as test, body, orelse):
            told = "Your function takes cell 0 or an empty list for nothing {line}. Write `is not None`."
            yield told, ast.If(ast.Compare(test, [ast.IsNot()], [ast.Constant(None)]), body, orelse)
        case ast.Call(ast.Attribute(ast.Name(changed), method)) if method in CHANGING:
            told = f"Your function uses what `{changed}.{method}` returns {{line}}, but that is `None`: it only changes"
            told = f"{told} the list. Call it on a line of its own, and use `{changed}` after that."
            yield told, code(f"[{ast.unparse(node)}, {changed}][1]")
        case ast.Call(ast.Name(called), [first, *more], words):
            name, others = exercise.function or exercise.name, exercise.takes[1:]
            if called == "range":
                told = "Your function goes through the first cells only {line}. A larger board has more: `board.moves`"
                yield f"{told} has all that are free.", code("range(len(board))")
            if called != name:
                told = f"Your function calls `{called}` {{line}}. It should call itself: write `{name}`."
                yield told, ast.Call(ast.Name(name, ast.Load()), [first, *map(code, others)], [])
            else:
                given = ["depth - 1" if part == "depth" else part for part in others]
                whole = ast.Call(node.func, [first, *map(code, given)], [])
                told = "leaves out an argument" if len(more) + len(words) < len(given) else "passes the wrong arguments"
                yield f"Your function {told} {{line}}. Write `{ast.unparse(whole)}`.", whole


def _is_no_summand(part: ast.AST) -> bool:
    """Whether nobody would add this to a number: a truth value, `None`, or the better of two."""
    match part:
        case ast.Constant(True | False | None) | ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
            return True
        case ast.Call(ast.Name("max" | "min")):
            return True
    return False


def _flags(tree: ast.AST) -> set[str]:
    """The variables that are true or false: set to such a value, or only tested."""
    nodes = [*ast.walk(tree)]
    tests = [node.operand for node in nodes if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)]
    tests += [node.test for node in nodes if isinstance(node, ast.If | ast.While | ast.IfExp)]
    tests += [value for node in nodes if isinstance(node, ast.BoolOp) for value in node.values]
    tested = {id(node) for node in tests}
    read = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    only_tested = {node.id for node in read} - {node.id for node in read if id(node) not in tested}
    given = {argument.arg for node in nodes if isinstance(node, ast.arguments) for argument in node.args}
    return (only_tested - given) | {
        node.targets[0].id
        for node in nodes
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


def _others(node: ast.AST, tree: ast.AST) -> Iterator[ast.AST]:
    """What might stand in the place of a sign, a number, a mark or a name."""
    match node:
        case ast.Compare(left, [test], right):
            signs = COMPARISONS if isinstance(test, COMPARISONS) else MEMBERSHIPS
            yield from (ast.Compare(left, [other()], right) for other in signs if not isinstance(test, other))
        case ast.BinOp(left, operator, right):
            yield from (left, right)
            yield from (ast.BinOp(left, other(), right) for other in OPERATORS if not isinstance(operator, other))
        case ast.Call(called, [*before, one, other], words):
            yield from ([*before, one][0], ast.Call(called, [*before, other, one], words))
        case ast.Call(ast.Name(), [value]):
            yield value
        case ast.BoolOp(operator, values):
            yield from values
            yield ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)
        case ast.UnaryOp(ast.Not(), value):
            yield value
        case ast.IfExp(test, first, second):
            yield ast.IfExp(test, second, first)
        case ast.Constant(int(number)):
            yield from (ast.Constant(number + 1), ast.Constant(number - 1), ast.Constant(-number))
        case ast.Constant("X" | "O" | "-" as mark):
            yield from (ast.Constant(other) for other in "XO-" if other != mark)
        case ast.Name(name, ast.Load()):
            known = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)} | {"max", "min", "sum"}
            yield from (ast.Name(other, ast.Load()) for other in sorted(known - {name}))
