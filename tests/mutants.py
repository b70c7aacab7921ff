"""One-token mutants of a source, as slips of the keyboard or of thought: another operator, number, name or keyword."""

import ast
import io
import keyword
import tokenize

OPERATORS = {
    **{"+": ["-"], "-": ["+"], "*": ["+"], "/": ["//"], "+=": ["-=", "="], "-=": ["+=", "="]},
    **{"==": ["!=", ">="], "!=": ["=="], "<": ["<="], "<=": ["<", "=="], ">": [">="], ">=": [">", "=="]},
}
KEYWORDS = {
    **{"and": ["or"], "or": ["and"], "True": ["False"], "False": ["True"], "is": ["is not"], "not": [""]},
    **{"in": ["not in"], "break": ["continue", "return", "pass"], "continue": ["break"], "return": ["", "print"]},
    **{"if": ["if not"], "None": ["0"]},
}
PAIRS = [("max", "min"), ("any", "all"), ("alpha", "beta"), ("player", "other"), ("mine", "theirs"), ("X", "O")]


def mutants(source):
    """Yield each mutant that is Python and not the same code, as its name and the changed source."""
    tokens = [*tokenize.generate_tokens(io.StringIO(source).readline)]
    local = sorted(_names(source))
    right, seen = ast.dump(ast.parse(source)), set()
    for token in tokens:
        for text in _others(token, local):
            changed = _with(source, token, text)
            try:
                compile(changed, "<mutant>", "exec")
            except SyntaxError:
                continue
            tree = ast.dump(ast.parse(changed))
            if tree != right and tree not in seen:
                seen.add(tree)
                yield f"{token.start[0]}:{token.start[1]} {token.string} -> {text or 'nothing'}", changed


def _names(source):
    """The names that a source binds, which a slip may confuse."""
    nodes = [*ast.walk(ast.parse(source))]
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return bound | {node.arg for node in nodes if isinstance(node, ast.arg)}


def _others(token, local):
    """What might stand in the place of a token."""
    text = token.string
    if token.type == tokenize.OP:
        yield from OPERATORS.get(text, ())
    elif token.type == tokenize.NUMBER:
        yield from (str(int(text.replace("_", "")) + off) for off in (1, -1) if text.replace("_", "").isdecimal())
    elif token.type == tokenize.STRING and text.strip("\"'") in ("X", "O", "-"):
        yield from (f'"{mark}"' for mark in "XO-" if mark != text.strip("\"'"))
    elif keyword.iskeyword(text):
        yield from KEYWORDS.get(text, ())
    elif token.type == tokenize.NAME:
        yield from (other for pair in PAIRS for one, other in (pair, pair[::-1]) if one == text)
        if text in local and len(local) > 1:  # the next one of the alphabet stands for all
            yield local[(local.index(text) + 1) % len(local)]


def _with(source, token, text):
    """The source with another text in a token's place."""
    lines = source.splitlines(keepends=True)
    (row, start), (_, end) = token.start, token.end
    lines[row - 1] = lines[row - 1][:start] + text + lines[row - 1][end:]
    return "".join(lines)
