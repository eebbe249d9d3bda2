"""Plans, and what a replay says of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .cost import Cost
from .task import Move, Operator, Task


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a replayed plan: its notation for people and the board after it."""

    notation: str
    board: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Replay:
    """A plan played by the rules of its family.

    `costs` counts the plan in every metric of the family. The boards are rows of text, as the author would
    write them.
    """

    steps: tuple[Step, ...]
    costs: dict[str, int]
    solved: bool

    @property
    def notation(self) -> list[str]:
        return [step.notation for step in self.steps]


@dataclass(frozen=True, slots=True)
class Plan:
    """The moves that an engine found, in order."""

    moves: tuple[Move, ...]

    @staticmethod
    def of(operators: Iterable[Operator]) -> Plan:
        """The moves of operators; operators that move nothing are left out."""
        return Plan(tuple(op.move for op in operators if op.move.path))

    @staticmethod
    def of_compound_moves(carries: Iterable[Sequence[Operator]]) -> Plan:
        """A move for each carry: from where its first operator starts, along the paths of all."""
        return Plan(tuple(Move(ops[0].move.cell, "".join(op.move.path for op in ops)) for ops in carries))


def apply(task: Task, state: frozenset[int], op: Operator) -> frozenset[int]:
    """The successor of a state, by the definition of STRIPS. Raises `ValueError` if `op` is not applicable."""
    if not state.issuperset(op.pre):
        raise ValueError(f"{op.name} is not applicable")
    return (state - set(op.delete)) | set(op.add)


def cost_in(replay: Replay, metric: str) -> Cost:
    """A replayed plan's cost in a metric, lexicographic ones included."""
    return tuple(replay.costs[part] for part in metric.split(","))
