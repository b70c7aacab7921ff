"""Slips that show in the source of a function, each with the repair that proves it: only then is it said.

Those that can be written as a pattern are in `repairs.toml`.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

Repair = tuple[ast.AST, str, partial[Any]]  # where, what is wrong, and what changes it
_read = tomllib.loads(Path(__file__).with_name("slips.toml").read_text(encoding="utf-8"))
TOLD: dict[str, str] = _read["slips"]
TEXTS: dict[str, str] = _read["texts"]


def say(key: str, **found: str) -> str:
    """The sentence about a slip, with what was found; the line is filled in where it is told."""
    told = TOLD[key]
    for name, what in found.items():
        told = told.replace(f"{{{name}}}", what)
    return told


def slips(tree: ast.Module, cuts: bool) -> Iterator[Repair]:
    """All slips that may be in some functions; where there are `cuts`, a loop may be left early."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            yield from _of_parameters(function)
            yield from _of_quotes(function)
    for node, put in places(tree):
        for told, better in _of_tests(node):
            yield node, told.replace("{new}", ast.unparse(better)), partial(put, better)
        if isinstance(node, ast.Break) and not cuts:
            yield node, say("left"), partial(put, ast.Continue())
    for block in blocks(tree):
        for place, statement in enumerate(block):
            if isinstance(statement, ast.If):
                yield from _of_branches(block, place, statement, cuts)
            if isinstance(statement, ast.For):
                yield from _of_a_loop(block, place, statement, cuts)


def _of_branches(block: list[ast.stmt], place: int, outer: ast.If, cuts: bool) -> Iterator[Repair]:
    """An `elif` that should be an `if`, or the other way round; or an `if` in another one that should stand below."""
    if [*map(type, outer.orelse)] == [ast.If]:
        yield outer, say("skipped"), partial(move, outer.orelse, 0, 1, block, place + 1)
    for after in block[place + 1 : place + 2]:
        if isinstance(after, ast.If) and after.orelse and not outer.orelse:
            yield after, say("elif"), partial(move, block, place + 1, place + 2, outer.orelse, 0)
    for n, inner in enumerate(outer.body):
        if n and isinstance(inner, ast.If) and not cuts:
            for end in {n + 1, len(outer.body)}:
                yield inner, say("inside"), partial(move, outer.body, n, end, block, place + 1)


def _of_parameters(function: ast.FunctionDef) -> Iterator[Repair]:
    """A parameter that gets a new value, which later lines and rounds use."""
    given = _given(function)
    for block in blocks(function):
        for n, statement in enumerate(block):
            match statement:
                case ast.Assign(_, ast.Call(ast.Name("max" | "min" | "cache") | ast.Attribute(_, "play"))):
                    continue  # as alpha and beta must; the board after a move is another matter
                case ast.Assign([ast.Name(name) as target]) if name in given:
                    told = say("parameter", name=name)
                    yield statement, told, partial(rename, [target, *_names(block[n + 1 :])], name, f"{name}_2")
                    yield statement, told, partial(block.__setitem__, n, ast.Pass())


def _of_quotes(function: ast.FunctionDef) -> Iterator[Repair]:
    """The name of a variable in quotes."""
    known = _given(function) + _stored([function])
    for node, put in places(function):
        if isinstance(node, ast.Constant) and node.value in known:
            yield node, say("quotes", name=str(node.value)), partial(put, code(str(node.value)))


def _of_a_loop(block: list[ast.stmt], place: int, loop: ast.For, cuts: bool) -> Iterator[Repair]:
    """A loop that changes its list, ends too early, or begins afresh in each round."""
    for node in ast.walk(loop):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "remove" | "pop")) if name in ast.unparse(loop.iter):
                copied = code(ast.unparse(loop.iter).replace(name, f"[*{name}]"))
                yield node, say("skips", name=name), partial(setattr, loop, "iter", copied)
    for inner in blocks(loop):
        for n, statement in enumerate(inner):
            if isinstance(statement, ast.Return) and not (cuts and inner is not loop.body):
                yield statement, say("returns"), partial(move, inner, n, n + 1, block, place + 1)
    for end in range(place + 2, len(block) + 1):
        yield block[place + 1], say("after"), partial(move, block, place + 1, end, loop.body, len(loop.body))
    for n, statement in enumerate(loop.body):
        if isinstance(statement, ast.Assign):
            yield statement, say("afresh"), partial(move, loop.body, n, n + 1, block, place)
    for n, statement in enumerate(block[:place]):
        if isinstance(statement, ast.Assign):
            told = say("once", name=ast.unparse(statement.targets[0]))
            yield statement, told, partial(move, block, n, n + 1, loop.body, 0)


def _of_tests(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """A comparison with several things, of which only one is compared."""
    if not isinstance(node, ast.BoolOp):
        return
    told = say("or", sign="or" if isinstance(node.op, ast.Or) else "and")
    match node.values:
        case [ast.Compare(left, [ast.Eq() | ast.NotEq() as sign], [one]), *more] if _plain(more):
            choice = ast.Tuple([one, *more], ast.Load())
            yield told, ast.Compare(left, [ast.In() if isinstance(sign, ast.Eq) else ast.NotIn()], [choice])
        case [*more, ast.Compare(one, [ast.In() | ast.NotIn() as sign], [where])] if _plain(more):
            both: list[ast.expr] = [ast.Compare(part, [sign], [where]) for part in (*more, one)]
            yield from ((told, ast.BoolOp(joined, both)) for joined in (ast.Or(), ast.And()))


def _plain(parts: list[ast.expr]) -> bool:
    """Whether these are only names, numbers and texts."""
    return all(isinstance(part, ast.Constant | ast.Name) for part in parts)


def shown(sentence: str, tree: ast.Module, name: str) -> str:
    """A known mistake's sentence up to where it says something of the text that the source doesn't show."""
    text = "\n".join(ast.unparse(statement) for part in tree.body for statement in getattr(part, "body", [part]))
    for said, pattern in TEXTS.items():
        if found := re.search(said, sentence):
            needed = pattern.removeprefix("!").replace("{name}", name)
            for n, part in enumerate(found.groups()):
                needed = needed.replace(f"{{{n}}}", part or "")
            if bool(re.search(needed, text)) == pattern.startswith("!"):
                sentence = sentence[: found.start()].rstrip(" ,")
                if sentence and sentence[-1] not in ".?":
                    sentence += "?" if re.search(r"(^|[.?] )(And )?(Does|Do|Is)\b[^.?]*$", sentence) else "."
    return sentence


# --------------------------------------------------------------------------------------------------- parts of a source


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    """The blocks of statements."""
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, ())
            if isinstance(block, list) and not isinstance(node, ast.Module):
                yield block


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, partial[Any]]]:
    """Each part of the tree that has a line, with a function that puts another in its place."""
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if isinstance(value, ast.AST):
                yield value, partial(setattr, parent, name)
            elif isinstance(value, list):
                yield from ((part, partial(value.__setitem__, n)) for n, part in enumerate(value))


def code(text: str) -> ast.expr:
    """An expression."""
    return ast.parse(text, mode="eval").body


@contextmanager
def changed(changes: Iterable[partial[Any]]) -> Iterator[None]:
    """Make these changes, and take them back afterwards."""
    parts = [part for change in changes for part in (getattr(change.func, "__self__", None), *change.args)]
    parts += [inner for part in parts if isinstance(part, list) for inner in part]
    before = [(part, [*part]) for part in parts if isinstance(part, list)]
    fields = [(part, {**vars(part)}) for part in parts if isinstance(part, ast.AST)]
    try:
        for change in reversed([*changes]):  # from the end, so that the places of the others stay
            change()
        yield
    finally:
        for block, was in before:
            block[:] = was
        for node, had in fields:
            vars(node).update(had)


def move(block: list[ast.stmt], first: int, end: int, other: list[ast.stmt], place: int) -> None:
    """Move statements to a place in another block."""
    moved, block[first:end] = block[first:end], [ast.Pass()]
    other[place:place] = moved


def rename(names: Iterable[ast.Name], old: str, new: str) -> None:
    """Use another name in these places."""
    for name in names:
        if name.id == old:
            name.id = new


def _names(parts: Iterable[ast.AST]) -> list[ast.Name]:
    return [node for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)]


def _different(names: Iterable[ast.Name]) -> list[str]:
    """The names, each once."""
    return [*dict.fromkeys(name.id for name in names)]


def _stored(parts: Iterable[ast.AST]) -> list[str]:
    """The names that get a value."""
    return _different(name for name in _names(parts) if isinstance(name.ctx, ast.Store))


def _given(tree: ast.AST) -> list[str]:
    """The parameters of a function, and of those inside it."""
    return [one.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for one in node.args]
