"""Custom puzzles as keys of a file, from any position: the keys as the author wrote them, and the position as `start`.

    start:
      at: {wolf: left, goat: right, cabbage: left}
      boat: right
      lit: [r1c1, r2c3]

A drawing may leave out a part of the state, so a position is given by the plan that leads to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ....documents.document import Node, Scalar, Sequence
from ....documents.write import quoted
from ....family import Keys
from ....plan import Plan, play
from ..language.expressions import Value, text_of
from ..puzzle import Custom, ValueTable
from ..rules import CustomSimulator
from .notation import Act

Values = Mapping[tuple[Value, ...], Value]


def write_after(puzzle: Custom, plan: Plan) -> Keys:
    """The keys of the puzzle that starts where a plan ends. Raises `ReplayError` if the rules forbid the plan."""
    simulator = CustomSimulator(puzzle)
    for step in play(plan, partial(CustomSimulator, puzzle), Act).steps:
        assert isinstance(step.move, Act)
        simulator.play(step.move)
    if simulator.state == puzzle.start():
        return dict(puzzle.texts)
    lines = [""]
    for table in puzzle.state.values():
        values = {args: simulator.state[table.name, args] for args in table.values}
        lines.append(f"  {table.name}: {_written(table, values)}")
    return {**puzzle.texts, "start": "\n".join(lines)}


def _written(table: ValueTable, values: Values, before: tuple[Value, ...] = ()) -> str:
    """The values of a table below some arguments, in one line.

    One value as it is; of truth values, the arguments for which they are true; a list in the order of numbers; else a
    mapping from arguments to values.
    """
    left = table.of[len(before) :]
    if not left:
        return _word(values[before])
    first = left[0]
    names_truth = {"true", "false"} & set(map(text_of, first.values))
    if len(left) == 1 and table.domain.kind == "truth" and not names_truth:
        return f"[{', '.join(_word(arg) for arg in first.values if values[*before, arg])}]"
    parts = {arg: _written(table, values, (*before, arg)) for arg in first.values}
    if first.kind == "number" and table.domain.kind != "truth":
        return f"[{', '.join(parts.values())}]"
    if table.domain.kind == "truth":  # what is not named is false
        parts = {arg: text for arg, text in parts.items() if text != "[]"}
    return f"{{{', '.join(f'{_word(arg)}: {text}' for arg, text in parts.items())}}}"


def written(node: Node) -> str:
    """A value of a file as YAML in one line."""
    if isinstance(node, Scalar):
        return quoted(node.text) if isinstance(node.value, str) else node.text
    if isinstance(node, Sequence):
        return f"[{', '.join(map(written, node.items))}]"
    return f"{{{', '.join(f'{written(entry.key)}: {written(entry.value)}' for entry in node.entries)}}}"


def _word(value: Value) -> str:
    return quoted(value) if isinstance(value, str) else text_of(value)
