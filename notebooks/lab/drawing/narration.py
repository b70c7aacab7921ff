"""Game trees in words: names of nodes and moves, what a step of alpha-beta does, and its line of code."""

from collections.abc import Sequence

from lab.drawing.own_positions import move_told
from lab.drawing.trees import GameNode, Look, SearchTree, Step
from ttt.notation import signed
from ttt.words import count_phrase

# Alpha-beta as in the lesson, each line with the step it takes.
WORTH = (
    ("visit", "def worth(board, alpha, beta):"),
    ("", "    if board.over:"),
    ("leaf", '        return {"X": 1, "O": -1, None: 0}[board.winner]'),
    ("", '    best = -inf if board.turn == "X" else inf'),
    ("", "    for move in in_order(board):"),
    ("", "        value = worth(board.play(move), alpha, beta)"),
    ("", '        if board.turn == "X":'),
    ("", "            best = max(best, value)"),
    ("value MAX", "            alpha = max(alpha, best)"),
    ("", "        else:"),
    ("", "            best = min(best, value)"),
    ("value MIN", "            beta = min(beta, best)"),
    ("", "        if alpha >= beta:"),
    ("cut", "            break"),
    ("end", "    return best"),
)


def edge_name(node: GameNode) -> str:
    """An edge's name: the move that led to a node, worded so that it can't be mistaken for a value."""
    return move_told(node.mover, node.names[-1], node.board) if node.path else ""


def node_name(node: GameNode) -> str:
    """A node's name: the move that leads to it."""
    if not node.path:
        return "the root"
    before = f" (after {', '.join(node.names[:-1])})" if node.ply > 1 else ""
    return f"{node.mover}'s move {node.names[-1]}{before}"


def described(node: GameNode, look: Look) -> str:
    """What a screen reader says about a node."""
    side = f", {node.side}" if node.children else ""
    state = {"new": "not visited yet", "cut": "cut off"}.get(look.state, look.label)
    return f"{node_name(node)}{side}: {state}"


def level_name(nodes: Sequence[GameNode]) -> tuple[str, ...]:
    """A level's name and who moves there, in lines; at the bottom, the game is over or the depth limit is reached."""
    inner = next((node for node in nodes if node.children), None)
    if inner is None:
        return ("the end",) if all(node.board.over for node in nodes) else ("depth", "limit")
    return f"{'▲' if inner.is_max else '▼'} {inner.side}", f"{inner.board.turn} moves"


def line_at_work(step: Step) -> str:
    """Which line of code a step runs."""
    return f"value {step.node.side}" if step.kind == "value" else step.kind


def saving_in_words(tree: SearchTree) -> str:
    """What alpha-beta saves here, in a sentence of at most 110 characters."""
    return f"Alpha-beta visits {tree.visited} of {len(tree.nodes)} nodes: {_result(tree.steps[-1])}."


def _result(end: Step) -> str:
    best = end.alpha if end.node.is_max else end.beta
    return f"{edge_name(best.node)}, worth {signed(best.value)} to X"


def explain_step(tree: SearchTree, step: Step) -> str:
    """Explain what a step does, and why."""
    node = step.node
    if step.kind == "cut":
        return _cut(step)
    if step.kind == "value":
        return _value(step)
    if step.kind == "leaf":
        return _leaf(node)
    if step.kind == "end":
        visits = f"Alpha-beta visited {tree.visited} nodes, minimax {len(tree.nodes)}."
        return f"The search is over: {_result(step)}. {visits}"
    if not node.path:
        return f"{node.board.turn} is to move. X looks for the highest value (MAX), O for the lowest (MIN)."
    moves = count_phrase(len(node.children), "move")
    return f"{edge_name(node)}. Now {node.board.turn} has {moves}."


def _leaf(node: GameNode) -> str:
    end = "the game is a draw"
    if not node.board.over:
        end = "here the search stops"
    elif node.board.winner:
        end = f"{node.board.winner} wins"
    return f"{edge_name(node)}, and {end}: {signed(node.worth)} for X."


def _value(step: Step) -> str:
    """A move's worth, and what it changes in alpha or beta."""
    bound, before, now = "alpha", step.child.window[0], step.alpha.value
    if not step.node.is_max:
        bound, before, now = "beta", step.child.window[1], step.beta.value
    change = f"stays {signed(before)}" if before == now else f"changes from {signed(before)} to {signed(now)}"
    worth = step.child.label.replace("≥", "at least").replace("≤", "at most")
    return f"Move {step.child.names[-1]} is worth {worth} to X: {bound} {change}."


def _cut(step: Step) -> str:
    """Why the rest of a node's moves can be skipped."""
    here = f"X can get at least {signed(step.alpha.value)} with {node_name(step.alpha.node)}"
    elsewhere = f"O can hold X to at most {signed(step.beta.value)} with {node_name(step.beta.node)}"
    above = "O"
    if not step.node.is_max:
        here, elsewhere, above = elsewhere, here, "X"
    verb = "is" if len(step.rest) == 1 else "are"
    nodes = count_phrase(sum(node.size for node in step.rest), "node")
    cut = f"{count_phrase(len(step.rest), 'move')} {verb} cut off ({nodes})"
    return f"Elsewhere {elsewhere}. Here {here}, so {above} has no reason to come here: {cut}."
