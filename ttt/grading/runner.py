"""What runs inside the jail: the submission's code, and the answers that it gives.

It reads all that it will be told (a line with the source, one with the questions) before any of the submission's code
runs, and writes a JSON line for each answer. It knows no right answer. Nobody trusts what it says: it is the
submission's own process, and the judge outside checks every line.
"""

import ast
import io
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any, TextIO

STATEMENT_SECONDS = 0.5  # for each statement outside of functions
MOST = 10**15  # no heuristic comes near it
LONGEST = 200  # characters told of an answer that is no number
CELL_END = "\f"  # between the cells of a notebook


class Notice(io.TextIOBase):
    """A standard output that only notes that something was printed."""

    printed = False

    def write(self, text: str) -> int:
        self.printed = True
        return len(text)


class TooLong(BaseException):
    """A statement outside of functions took too long."""


def main() -> None:
    from ttt.board import geometry, position

    order = json.loads(sys.stdin.buffer.readline())
    questions = json.loads(sys.stdin.buffer.readline() or "[]")
    answers = private_output()
    sys.stdout = sys.stderr = notice = Notice()
    dumps, lines = json.dumps, geometry(tuple(order["shape"]), order["k"])
    function, problem = defined(order["source"], order["function"])
    answers.write(dumps({"problem": problem}) + "\n")
    answers.flush()
    notice.printed = False
    for number, (x, o, winner, player) in enumerate(questions if function else ()):
        answers.write(answered(number, function, position(lines, x, o, winner), player, dumps))
    answers.write(dumps({"printed": notice.printed}) + "\n")
    answers.flush()
    os._exit(0)


def private_output() -> TextIO:
    """The pipe to the judge on a descriptor of its own, with the usual ones leading nowhere."""
    pipe = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    return pipe


def defined(source: str, name: str) -> tuple[Any, str]:
    """The function of that name once all of the source has been run, or None and what is wrong."""
    names: dict[str, Any] = {"__name__": "submission", "__builtins__": __builtins__}
    problem = ""
    for cell in source.split(CELL_END):
        try:
            statements = ast.parse(without_magics(cell), "submission").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            if f"def {name}" in cell:
                problem = f"the code can't be read: {told(error)}"
            continue
        for statement in statements:
            for part in split(statement):
                failure = executed(part, names)
                if failure and getattr(part, "name", "") == name:
                    problem = failure
    function = names.get(name)
    if callable(function):
        return function, ""
    return None, problem or f"there is no function {name}"


def without_magics(cell: str) -> str:
    """The cell without the lines that are a notebook's and not Python's."""
    if cell.lstrip().startswith("%%"):
        first, _, rest = cell.lstrip().partition("\n")
        return rest if first.split()[0] in ("%%time", "%%timeit", "%%capture") else ""
    lines = cell.split("\n")
    return "\n".join("pass" if line[:1] in "%!?" and line else line for line in lines)


def split(statement: ast.stmt) -> Iterator[ast.stmt]:
    """A `from m import a, b` as one import for each name, so that a missing one does not lose the others."""
    if isinstance(statement, ast.ImportFrom) and len(statement.names) > 1:
        for alias in statement.names:
            yield ast.copy_location(ast.ImportFrom(statement.module, [alias], statement.level), statement)
    else:
        yield statement


def executed(statement: ast.stmt, names: dict[str, Any]) -> str:
    """Run one statement, not for long; what went wrong in a sentence, or ""."""

    def late(_signal: int, _frame: object) -> None:
        raise TooLong

    try:
        code = compile(ast.Module([statement], []), "submission", "exec")
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, STATEMENT_SECONDS)
        exec(code, names)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        return told(error)
    return ""


def answered(number: int, function: Any, board: Any, player: str, dumps: Callable[[Any], str]) -> str:
    """The line that tells what the function says: its number, or in words what came instead."""
    try:
        value = function(board, player)
        exact = value if type(value) is int and -MOST < value < MOST else exactly(value)
        return f"[{number},{exact}]\n" if exact is not None else dumps([number, "odd", described(value)]) + "\n"
    except NotImplementedError:
        return dumps([number, "stub", ""]) + "\n"
    except BaseException as error:
        return dumps([number, "odd", told(error)]) + "\n"


def exactly(value: Any) -> int | float | None:
    """An exact int or float for every kind of number; None for what is none."""
    kind = type(value)
    if kind is int:
        return value if -MOST < value < MOST else None
    if kind is float:
        return value if value - value == 0 else None
    if kind in (bool, str, bytes, tuple, list, dict, set, type(None), complex):
        return None
    if kind.__module__ in ("numpy", "fractions", "decimal") and kind.__name__ not in ("bool", "bool_", "ndarray"):
        exact = float(value)
        return exactly(int(exact) if exact == int(exact) else exact)
    return None


def described(value: object) -> str:
    """An answer that is no number, in words."""
    if value is None:
        return "None"
    kinds = {str: "the text ", tuple: "a tuple ", list: "a list ", bool: "", float: "", int: "the number "}
    start = kinds.get(type(value), f"a {type(value).__name__} ")
    try:
        return (start + repr(value))[:LONGEST]
    except BaseException:
        return f"{start}that can't be written out"


def told(error: BaseException) -> str:
    """An exception in one line, with the line of the submission that it came from."""
    try:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "submission"]
        line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else frames and frames[-1].lineno
        return f"{type(error).__name__}: {error}"[:LONGEST] + (f" (line {line})" if line else "")
    except BaseException:
        return "an error that can't be told"


if __name__ == "__main__":
    main()
