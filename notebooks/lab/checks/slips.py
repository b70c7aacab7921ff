"""Slips that show in the source of a function, each with the repair that proves it: only then is it said.

Those that can be written as a pattern are in `repairs.toml`.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

Repair = tuple[ast.AST, str, partial[Any]]  # where, what is wrong, and what changes it
_read = tomllib.loads(Path(__file__).with_name("slips.toml").read_text(encoding="utf-8"))
TOLD: dict[str, str] = _read["slips"]
TEXTS: dict[str, str] = _read["texts"]
ADVICE = re.compile(
    r"([.?:,]) (?:and )?((?:[Uu]se|[Ww]rite|[Aa]sk|[Cc]ompare|[Pp]ass|[Bb]egin with|[Ll]eave it only if)"
    r" (?:`[^`]*`|[^.?`])*[.?])"
)
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
MEMBERSHIPS = (ast.In, ast.NotIn, ast.Is, ast.IsNot)
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv)
SIDE = ("player", "mark", "side", "me", "us")  # usual names of a side


def say(key: str, **found: str) -> str:
    """The sentence about a slip, with what was found; the line is filled in where it is told."""
    told = TOLD[key]
    for name, what in found.items():
        told = told.replace(f"{{{name}}}", what)
    return told


def slips(tree: ast.Module, cuts: bool) -> Iterator[Repair]:
    """All slips that may be in some functions; where there are `cuts`, a `return` in a loop may be right."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            yield from _of_conditions(function)
            yield from _of_cuts(function)
            yield from () if cuts else _of_stops(function)
            yield from _of_pairs(function)
            yield from _of_parameters(function)
            yield from _of_defaults(function)
            yield from _of_quotes(function)
            yield from _of_results(function)
            yield from _of_equals(function)
            yield from _of_loop_names(function)
            yield from _of_ends(function)
    for node, put in places(tree):
        for told, better in _of_tests(node):
            yield node, told.replace("{new}", ast.unparse(better)), partial(put, better)
    for block in blocks(tree):
        for place, statement in enumerate(block):
            if isinstance(statement, ast.If) and [*map(type, statement.orelse)] == [ast.If]:
                yield statement, say("skipped"), partial(move, statement.orelse, 0, 1, block, place + 1)
            if isinstance(statement, ast.For):
                yield from _of_a_loop(block, place, statement, cuts)


def _of_conditions(function: ast.FunctionDef) -> Iterator[Repair]:
    """A second `if` that is inside the first, or that should be an `elif` of it; in a search, it may be a cut."""
    for block in () if _searches(function) else blocks(function):
        for place, outer in enumerate(block):
            if not isinstance(outer, ast.If):
                continue
            for n, inner in enumerate(outer.body):
                for end in {n + 1, len(outer.body)} if n and isinstance(inner, ast.If) else ():
                    yield inner, say("inside"), partial(move, outer.body, n, end, block, place + 1)
            after = block[place + 1] if place + 1 < len(block) else None
            if isinstance(after, ast.If) and after.orelse and not outer.orelse:
                yield after, say("elif"), partial(move, block, place + 1, place + 2, outer.orelse, 0)


def _of_cuts(function: ast.FunctionDef) -> Iterator[Repair]:
    """A test for a cut that comes before the lines that move a bound, or that keep the best value."""
    returned = {ast.unparse(node.value) for node in ast.walk(function) if isinstance(node, ast.Return) and node.value}
    given = {*_given(function)}
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
    for block in (block for loop in loops for block in blocks(loop)) if _searches(function) else ():
        for n, test in enumerate(block):
            if isinstance(test, ast.If) and isinstance(test.body[-1], ast.Break | ast.Return):
                compared = _names(node for node in ast.walk(test.test) if isinstance(node, ast.Compare))
                later = {*_stored(block[n + 1 :])}
                cut = isinstance(test.body[-1], ast.Break)
                if cut and {*_different(compared)} & later:
                    for end in {n + 2, len(block)}:
                        yield test, say("late"), partial(move, block, n, n + 1, block, end)
                elif returned & later and (cut or ast.unparse(test.body[-1]).removeprefix("return ") in later - given):
                    yield test, say("lost"), partial(move, block, n, n + 1, block, len(block))


def _of_stops(function: ast.FunctionDef) -> Iterator[Repair]:
    """A loop that ends where a value reaches a number, such as the best for one side, whoever is to move."""
    board = next((argument.arg for argument in function.args.args), "")
    own = {node.name for node in ast.walk(function) if isinstance(node, ast.FunctionDef)}
    loops = [node for node in ast.walk(function) if isinstance(node, ast.For | ast.While)]
    loops = [loop for loop in loops if own & {*_different(_names([loop]))}]  # that search on
    for block in (block for loop in loops for block in blocks(loop)) if _searches(function) else ():
        for n, test in enumerate(block):
            match test:
                case ast.If(asked, [ast.Break() | ast.Return()], []) if _has_number(asked):
                    for side in "XO":
                        only = ast.BoolOp(ast.And(), [code(f"{board}.turn == '{side}'"), asked])
                        yield test, say("stopped", side=side), partial(setattr, test, "test", only)
                    yield test, say("stopped early"), partial(block.__setitem__, n, ast.Pass())


def _has_number(test: ast.expr) -> bool:
    """Whether something is compared with a number, not one bound with another, as for a cut."""
    return any(isinstance(part, ast.Constant) and type(part.value) is int for part in ast.walk(test))


def _of_pairs(function: ast.FunctionDef) -> Iterator[Repair]:
    """A loop inside another through the same things, so that each meets itself."""
    for outer in ast.walk(function):
        loops: list[Any] = [*getattr(outer, "generators", ())]
        if isinstance(outer, ast.For):
            loops = [outer, *(node for node in ast.walk(outer) if isinstance(node, ast.For) and node is not outer)]
        for inner in loops[1:]:
            where = inner if isinstance(inner, ast.For) else outer
            first, second, same = loops[0].target, inner.target, ast.unparse(loops[0].iter) == ast.unparse(inner.iter)
            match inner.iter:
                case ast.Call(ast.Name("range"), [ast.Name(name), *_] as ends) if name == ast.unparse(first):
                    yield where, say("paired"), partial(ends.__setitem__, 0, code(f"{name} + 1"))
                case ast.Subscript(_, ast.Slice(ast.Name(name)) as part) if name in _different(_names([first])):
                    yield where, say("paired"), partial(setattr, part, "lower", code(f"{name} + 1"))
            for told, sign in (("paired", "=="), ("paired twice", "<=")) if same else ():
                meets = f"{ast.unparse(second)} {sign} {ast.unparse(first)}"
                if isinstance(inner, ast.For):
                    skips = ast.If(code(meets), [ast.Continue()], [])
                    yield where, say(told), partial(inner.body.insert, 0, skips)
                else:
                    yield where, say(told), partial(inner.ifs.insert, 0, code(f"not {meets}"))


def _searches(function: ast.FunctionDef) -> bool:
    """Whether a function makes moves."""
    return any(isinstance(node, ast.Attribute) and node.attr == "play" for node in ast.walk(function))


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


def _of_defaults(function: ast.FunctionDef) -> Iterator[Repair]:
    """A parameter that says whose turn it is, and has a default value, which is then used for every board."""
    board, *more = [argument.arg for argument in function.args.args] or [""]
    for name, default in zip(reversed(more), reversed(function.args.defaults), strict=False):
        turns = {
            "True": f'{board}.turn == "X"',
            "False": f'{board}.turn == "O"',
            **dict.fromkeys(("1", "-1"), f'1 if {board}.turn == "X" else -1'),
            **dict.fromkeys(("'X'", "'O'"), f"{board}.turn"),
        }
        turn = turns.get(ast.unparse(default), "")
        for node, put in places(function) if turn else ():
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                yield node, say("default", name=name), partial(put, code(turn))


def _of_quotes(function: ast.FunctionDef) -> Iterator[Repair]:
    """The name of a variable in quotes, or a number."""
    known = _given(function) + _stored([function])
    for node, put in places(function):
        match node:
            case ast.Constant(str(text)) if text in known:
                yield node, say("quotes", name=text), partial(put, ast.Name(text, ast.Load()))
            case ast.Constant(str(text)) if text.isdecimal():
                yield node, say("digits", name=text), partial(put, ast.Constant(int(text)))


def _of_results(function: ast.FunctionDef) -> Iterator[Repair]:
    """A result that is dropped inside a loop, where it should be added."""
    stored = _stored([function])
    for loop in ast.walk(function):
        for block in blocks(loop) if isinstance(loop, ast.For | ast.While) else ():
            for n, statement in enumerate(block):
                if isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant):
                    for name in stored:
                        added = ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), statement.value)
                        yield statement, say("dropped", name=name), partial(block.__setitem__, n, added)


def _of_equals(function: ast.FunctionDef) -> Iterator[Repair]:
    """Two variables that get the same value, one after the other: what is different in what the second should get."""
    for block in blocks(function):
        before: dict[str, ast.AST] = {}
        for statement in block:
            for target, value in _assigned(statement):
                text = ast.unparse(value)
                first = before.setdefault(text, target)
                if first is target or isinstance(value, ast.Constant | ast.List | ast.Dict | ast.Name):
                    continue
                told = say("equal", first=ast.unparse(first), second=ast.unparse(target))
                for part, put in places(value):
                    for better in others(part, function):
                        yield statement, told, partial(put, better)


def _assigned(statement: ast.stmt) -> list[tuple[ast.expr, ast.expr]]:
    """The targets of an assignment, each with its value."""
    match statement:
        case ast.Assign([ast.Tuple(targets)], ast.Tuple(values)) if len(targets) == len(values):
            return [*zip(targets, values, strict=True)]
        case ast.Assign(targets, value):
            return [(target, value) for target in targets if isinstance(target, ast.Name)]
    return []


def others(node: ast.AST, tree: ast.AST) -> Iterator[ast.AST]:
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
            yield from [code(f"opponent({name})")] if name in SIDE else []
            known = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name)} | {"max", "min", "sum"}
            yield from (ast.Name(other, ast.Load()) for other in sorted(known - {name}))


def _of_loop_names(function: ast.FunctionDef) -> Iterator[Repair]:
    """A loop whose variable has another name than the one that is read in it, which the function never sets."""
    known = _given(function) + _stored([function])
    unset = [name for name in _different(_names([function])) if name not in known]
    for loop in ast.walk(function):
        if isinstance(loop, ast.For | ast.comprehension) and isinstance(loop.target, ast.Name):
            for name in unset:
                told = say("loop", name=name, other=loop.target.id)
                yield loop.target, told, partial(setattr, loop.target, "id", name)


def _of_ends(function: ast.FunctionDef) -> Iterator[Repair]:
    """A loop that is left, where only a round should end; in a search, a `break` is a cut."""
    if not _searches(function):
        for node, put in places(function):
            if isinstance(node, ast.Break):
                yield node, say("left"), partial(put, ast.Continue())


def _of_a_loop(block: list[ast.stmt], place: int, loop: ast.For, cuts: bool) -> Iterator[Repair]:
    """A loop that changes its list, ends too early, begins afresh in each round, or stores one thing over another."""
    one = ast.unparse(loop.target)
    for node in ast.walk(loop):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "remove" | "pop")) if name in ast.unparse(loop.iter):
                copied = code(ast.unparse(loop.iter).replace(name, f"[*{name}]"))
                yield node, say("skips", name=name), partial(setattr, loop, "iter", copied)
    for n, statement in enumerate(loop.body):
        match statement:
            case ast.Assign([ast.Subscript(_, key) as at], kept) if ast.unparse(kept).strip("[]") == one:
                both = ast.Tuple([key, code(one)], ast.Load())
                yield statement, say("overwritten", name=one), partial(setattr, at, "slice", both)
            case ast.Assign([ast.Name(name) as first], ast.Call(ast.Attribute(ast.Name(same), "play"))) if name == same:
                later = [first, *_names(loop.body[n + 1 :])]
                yield statement, say("replaced", name=name), partial(rename, later, name, "after")
    for inner in blocks(loop):
        for n, statement in enumerate(inner):
            if isinstance(statement, ast.Return) and not (cuts and inner is not loop.body):
                yield statement, say("returns"), partial(move, inner, n, n + 1, block, place + 1)
    for end in range(place + 2, len(block) + 1):
        if isinstance(block[end - 1], ast.Return):  # then only the first round would run
            break
        yield block[place + 1], say("after"), partial(move, block, place + 1, end, loop.body, len(loop.body))
    for n, statement in enumerate(loop.body):
        if isinstance(statement, ast.Assign):
            yield statement, say("afresh"), partial(move, loop.body, n, n + 1, block, place)
    for n, statement in enumerate(block[:place]):
        if isinstance(statement, ast.Assign) and [*map(type, statement.targets)] == [ast.Name]:
            name = ast.unparse(statement.targets[0])
            if not _tells_later_rounds(loop, name, statement.value):
                yield statement, say("once", name=name), partial(move, block, n, n + 1, loop.body, 0)
    yield from _begun_once(block, place, loop)


def _begun_once(block: list[ast.stmt], place: int, loop: ast.For) -> Iterator[Repair]:
    """Counters, flags and lists of one round that get their first values above the loop, several at a time."""
    after, filled = _different(_names(block[place + 1 :])), _filled(loop)
    begun, names = list[ast.stmt](), list[str]()
    first: ast.stmt = loop
    for statement in reversed(block[:place]):
        for target, value in reversed(_assigned(statement)):
            starts = isinstance(value, ast.Constant | ast.List | ast.Dict | ast.Set)
            if not starts or not isinstance(target, ast.Name) or _tells_later_rounds(loop, target.id, value):
                continue
            if target.id in filled and target.id not in after:
                begun.insert(0, ast.Assign([ast.Name(target.id, ast.Store())], value))
                names.insert(0, f"`{target.id}`")
                first = statement
    if begun:
        yield first, say("once each", name=" and ".join(names)), partial(loop.body.__setitem__, slice(0, 0), begun)


def _tells_later_rounds(loop: ast.For, name: str, value: ast.expr) -> bool:
    """Whether a flag is read in each round before it is set, so that it says what earlier rounds did."""
    found = [node for node in _names(loop.body) if node.id == name]
    is_flag = isinstance(value, ast.Constant) and isinstance(value.value, bool)
    first = min(found, key=lambda node: (node.lineno, node.col_offset), default=None)
    return is_flag and first is not None and isinstance(first.ctx, ast.Load)


def _filled(loop: ast.For) -> set[str]:
    """The variables that a loop changes or adds something to."""
    found = {*_stored(loop.body)}
    for node in ast.walk(loop):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "append" | "add" | "extend")):
                found.add(name)
            case ast.Subscript(ast.Name(name), _, ast.Store()):
                found.add(name)
    return found


def slips_of_names(tree: ast.Module) -> Iterator[Repair]:
    """Names that never get a first value, or are never used, and functions that return nothing."""
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            yield from _of_first_values(function)
            yield from _of_returns(function)
            yield from _of_unused(function)


def _of_first_values(function: ast.FunctionDef) -> Iterator[Repair]:
    nodes = [*ast.walk(function)]
    changed: list[ast.expr] = [node.target for node in nodes if isinstance(node, ast.AugAssign)]
    changed += [node.value for node in nodes if isinstance(node, ast.Attribute) and node.attr == "append"]
    changed += [node.left for node in nodes if isinstance(node, ast.BinOp)]
    unset = _different(node for node in changed if isinstance(node, ast.Name) and node.id not in _given(function))
    for some, start in product([*map(list, zip(unset)), unset], ("0", "[]")):
        named, first = " and ".join(f"`{name}`" for name in some), " and ".join(f"`{name} = {start}`" for name in some)
        begun = ast.parse("\n".join(f"{name} = {start}" for name in some)).body
        yield function, say("unset", name=named, new=first), partial(function.body.__setitem__, slice(0, 0), begun)


def _of_returns(function: ast.FunctionDef) -> Iterator[Repair]:
    """A missing `return`, or one of nothing or of another variable."""
    stored = _stored([function])
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    for name in (*stored, "0"):
        yield function, say("no return", name=name), partial(function.body.append, ast.Return(code(name)))
        for node in returns:
            if not node.value:
                yield node, say("bare return", name=name), partial(setattr, node, "value", code(name))
    for node in returns:
        for name in stored if isinstance(node.value, ast.Name) else ():
            if name != node.value.id:  # type: ignore[union-attr]
                told = say("other returned", name=node.value.id, other=name)  # type: ignore[union-attr]
                yield node, told, partial(setattr, node, "value", code(name))


def _of_unused(function: ast.FunctionDef) -> Iterator[Repair]:
    names = _names([function])
    used = {node.id for node in names if isinstance(node.ctx, ast.Load)}
    stored = {node.id: node for node in reversed(names) if isinstance(node.ctx, ast.Store)}
    assigned = [node.targets for node in ast.walk(function) if isinstance(node, ast.Assign)]
    for name in sorted(stored.keys() - used):
        at = stored[name]
        later = [node for node in names if node.lineno > at.lineno]
        for other in sorted({node.id for node in later} & used):
            yield at, say("unused", name=name, other=other), partial(rename, later, other, name)
        for other in get_close_matches(name, sorted(used.union(_given(function)))) if [at] in assigned else ():
            yield at, say("misspelt", name=name, other=other), partial(rename, names, name, other)


def _of_tests(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """A comparison with several things, of which only one is compared; a test always true; a key for several."""
    match node:
        case ast.BoolOp(ast.Or() | ast.And(), [ast.Compare(left, [ast.Eq() | ast.NotEq() as sign], [one]), *more]) if (
            all(isinstance(other, ast.Constant | ast.Name) for other in more)
        ):
            choice = ast.Tuple([one, *more], ast.Load())
            yield _each(node), ast.Compare(left, [ast.In() if isinstance(sign, ast.Eq) else ast.NotIn()], [choice])
        case ast.BoolOp(_, [*more, ast.Compare(one, [ast.In() | ast.NotIn() as sign], [where])]) if all(
            isinstance(other, ast.Constant | ast.Name) for other in more
        ):
            both: list[ast.expr] = [ast.Compare(part, [sign], [where]) for part in (*more, one)]
            yield from ((_each(node), ast.BoolOp(joined, both)) for joined in (ast.Or(), ast.And()))
        case ast.DictComp(key, ast.Name(name) as kept, [ast.comprehension(ast.Name(one))] as loops) if name == one:
            yield say("overwritten", name=name), ast.DictComp(ast.Tuple([key, kept], ast.Load()), kept, loops)
        case ast.BoolOp(ast.Or(), [ast.Compare(_, [ast.NotEq()]), ast.Compare(_, [ast.NotEq()])] as both):
            yield say("always"), ast.BoolOp(ast.And(), both)


def certainly(tree: ast.Module) -> Iterator[tuple[ast.AST, str]]:
    """What is a mistake wherever it occurs: a parameter's name in quotes, compared; a part of an `or` that is true."""
    given, sides = _given(tree), _sides(tree)
    for node in ast.walk(tree):
        texts: list[ast.expr] = []
        match node:
            case ast.FunctionDef():
                yield from _never_read(node)
            case ast.Compare(left, _, right):
                texts = [left, *right]
            case ast.Call(ast.Attribute(_, "count" | "index") | ast.Name("opponent"), texts):
                pass
            case ast.BoolOp(ast.Or(), [*parts, last]) if any(isinstance(part, ast.Compare) for part in ast.walk(node)):
                known = sides if any(isinstance(sign, ast.In | ast.NotIn) for sign in ast.walk(last)) else ()
                true = [part for part in (*parts, last) if _is_true(part) or getattr(part, "id", "") in known]
                yield from ((node, say("true", part=ast.unparse(part))) for part in true)
        for part in texts:
            if isinstance(part, ast.Constant) and part.value in given:
                yield part, say("quotes", name=part.value)


def _sides(tree: ast.Module) -> set[str]:
    """The variables for a side: parameters with such a name, and what only `opponent` gives."""
    rivals = [
        target
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("opponent(")
        for target in node.targets
    ]
    others = {node.id for node in _names([tree]) if isinstance(node.ctx, ast.Store) and node not in rivals}
    return {*SIDE, *_stored([tree])} - others


def _never_read(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, str]]:
    """The parameters whose first value nothing reads, since a loop or a line gives them another one before."""
    for n, statement in enumerate(function.body):
        match statement:
            case ast.For(ast.Name(name)):
                before, others = [*function.body[:n], statement.iter], [*function.body[n + 1 :], *statement.orelse]
            case ast.Assign([ast.Name(name)], value):
                before, others = [*function.body[:n], value], []
            case _:
                continue
        own = [argument.arg for argument in function.args.args]
        if name in own and name not in _different(_names([*before, *others])):
            yield statement, say("unread", name=name)


def _is_true(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and bool(part.value)


def _each(node: ast.BoolOp) -> str:
    return say("or", sign="or" if isinstance(node.op, ast.Or) else "and")


def covered(tree: ast.Module) -> Iterator[tuple[ast.If, ast.If]]:
    """Branches of one `if`, the second of which is never reached: the first takes all that it would."""
    for block in blocks(tree):
        for n, first in enumerate(block):
            if isinstance(first, ast.If):
                yield from ((first, later) for later in _later(block, n) if _takes_all(first.test, later.test))


def _later(block: list[ast.stmt], n: int) -> Iterator[ast.If]:
    """The branches that are tried after that of a block's n-th statement, where it is not taken."""
    match block[n], block[n + 1 : n + 2]:
        case ast.If(_, _, [ast.If() as other] as below), _:
            yield other
            yield from _later(below, 0)
        case ast.If(_, [*_, ast.Return() | ast.Continue() | ast.Break()], []), [ast.If() as other]:
            yield other
            yield from _later(block, n + 1)


def _takes_all(first: ast.expr, second: ast.expr) -> bool:
    """Whether a comparison of something with numbers holds wherever another one of the same thing does."""
    match first, second:
        case ast.Compare(left), ast.Compare(other) if ast.dump(left) == ast.dump(other):
            one, two = _numbers(first), _numbers(second)
            near = [n + step for n in (*one, *two) for step in (-1, -0.5, 0, 0.5, 1) if one and two]
            held = [n for n in near if _holds(second, n)]
            return bool(held) and all(_holds(first, n) for n in held)
    return False


def _numbers(test: ast.Compare) -> list[float]:
    """The numbers that something is compared with; none, if it is compared with anything else."""
    match test:
        case ast.Compare(_, [ast.In() | ast.NotIn()], [ast.Tuple(parts) | ast.List(parts) | ast.Set(parts)]):
            pass
        case ast.Compare(_, [ast.Eq() | ast.NotEq() | ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], [one]):
            parts = [one]
        case _:
            return []
    values = [part.value for part in parts if isinstance(part, ast.Constant) and type(part.value) is int]
    return values if len(values) == len(parts) else []  # type: ignore[return-value]


def _holds(test: ast.Compare, number: float) -> bool:
    """Whether a comparison holds for this number."""
    asked = ast.Compare(ast.Constant(number), test.ops, test.comparators)
    return bool(eval(compile(ast.fix_missing_locations(ast.Expression(asked)), "<test>", "eval")))


def shown(sentence: str, tree: ast.Module, name: str) -> str:
    """A known mistake's sentence up to where it says something of the text that the source doesn't show."""
    text = "\n".join(ast.unparse(statement) for part in tree.body for statement in getattr(part, "body", [part]))
    for said, pattern in TEXTS.items():
        if found := re.search(said, sentence):
            needed = pattern.removeprefix("!").replace("{name}", name)
            for n, part in enumerate(found.groups()):
                needed = needed.replace(f"{{{n}}}", part or "")
            if bool(re.search(needed, text)) == pattern.startswith("!"):
                rest = sentence[found.end() :] if found[0][-1] in ".?" else ""  # a whole sentence
                sentence = sentence[: found.start()].rstrip(" ,") + rest
                if sentence and sentence[-1] not in ".?":
                    sentence += "?" if re.search(r"(^|[.?] )(And )?(Does|Do|Is)\b[^.?]*$", sentence) else "."
    for advice in [*ADVICE.finditer(sentence)]:
        where = re.search(r" (first|where|every)\b", advice[2])  # it may stand elsewhere
        if not where and _written(advice[2], tree):
            sentence = sentence.replace(advice[0], advice[1] if advice[1] in ".?" else ".")
    return sentence


def _written(advice: str, tree: ast.Module) -> bool:
    """Whether a source has all the code that it is advised to have; a bare name is in every source."""
    parts = re.findall(r"`([^`]+)`", advice.partition(" instead of ")[0])
    if advice[1:].startswith("ompare"):
        parts = [" == ".join(parts)]
    with suppress(SyntaxError):
        asked = [
            re.sub(r"^board\.(\w+)$", r".\1", ast.unparse(code(part))) for part in parts if not part.isidentifier()
        ]
        bodies = [statement for part in tree.body for statement in getattr(part, "body", [part])]
        nodes = [node for statement in bodies for node in ast.walk(statement)]
        there = {ast.unparse(node) for node in nodes if isinstance(node, ast.expr)}
        there |= {f".{node.attr}" for node in nodes if isinstance(node, ast.Attribute)}
        return bool(asked) and {*asked} <= there
    return False


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
