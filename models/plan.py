"""Plans, and playing them by the rules of a family."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

from .cells import Cell, Rows
from .cost import Cost
from .errors import ReplayError
from .moves import Move, compound
from .task import Operator
from .text import counted, cut

M = TypeVar("M", bound=Move)

SHOWN = 3
"""Moves in the `repr` of a plan."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a replayed plan: its notation for people, the board after it, and the move."""

    notation: str
    board: Rows
    move: Move | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Replay:
    """A plan played by the rules of its family.

    `costs` counts the plan in every unit of the family's metrics in which all of its moves have a cost. The boards are
    rows of text, as the author would write them.
    """

    steps: tuple[Step, ...]
    costs: dict[str, int]
    solved: bool

    def __repr__(self) -> str:
        return f"Replay({counted(len(self.steps), 'step')}, {'solved' if self.solved else 'not solved'})"

    @property
    def notation(self) -> list[str]:
        return [step.notation for step in self.steps]


@dataclass(frozen=True, slots=True)
class Plan:
    """The moves that an engine found, in order."""

    moves: tuple[Move, ...]

    def __repr__(self) -> str:
        """How many moves there are, and the first of them: plans are long."""
        shown = ", ".join(map(str, self.moves[:SHOWN])) + (", ..." if len(self.moves) > SHOWN else "")
        return f"Plan({counted(len(self.moves), 'move')}{': ' if shown else ''}{cut(shown, 150)})"

    def __len__(self) -> int:
        return len(self.moves)

    def __iter__(self) -> Iterator[Move]:
        return iter(self.moves)

    def __bool__(self) -> bool:
        """Always true, even for a plan without moves: that no plan is known is written as None."""
        return True

    @staticmethod
    def of(operators: Iterable[Operator]) -> Plan:
        """The moves of operators; operators that do nothing visible are left out."""
        return Plan(tuple(move for op in operators if op.move is not None for move in op.move.singles))

    @staticmethod
    def of_compound_moves(chains: Iterable[Sequence[Operator]]) -> Plan:
        """The moves of a plan of compound moves, each given as its operators."""
        moves = (compound(op.move for op in chain) for chain in chains)
        return Plan(tuple(move for move in moves if move is not None))


class Simulator(ABC, Generic[M]):
    """A puzzle while it is played: a position, and what came about so far.

    Written from the definition of the puzzle, so that it can judge the plans of engines: it sees moves, and nothing
    of the grounded task.
    """

    costs: dict[str, int]
    """The cost of the moves played so far, in each unit of the family's metrics in which all of them have one."""

    @abstractmethod
    def play(self, move: M) -> str:
        """Make a move; gives its notation. Raises `ReplayError` with the reason if the rules forbid it."""

    def moves(self, of: Cell | None = None) -> Iterable[M] | None:
        """The moves that the rules allow here, each as short as the rules have it (one cell, one action); `of`: only
        those of what stands on a cell. None if the family does not list them: then its puzzles cannot be played by
        hand.
        """
        return None

    def near_moves(self) -> Iterable[M] | None:
        """`moves` without a player's walks of more than one cell; None for puzzles in which no player walks."""
        return None

    def walk_to(self, cell: Cell) -> M | None:
        """The move by which a player walks to a cell; None if no walk leads there, or the puzzle has no walking
        player.
        """
        return None

    @property
    def position(self) -> Hashable | None:
        """What tells this position from all others; None if the family does not say."""
        return None

    def fork(self) -> Self:
        """A game of its own from the same position: what is played in one does not change the other.

        Values that a simulator changes in place are its own dicts, sets and lists.
        """
        twin = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | set | list):
                setattr(twin, name, value.copy())
        return twin

    @abstractmethod
    def board(self) -> Rows:
        """The position as rows of text, in the author's own letters."""

    @property
    @abstractmethod
    def solved(self) -> bool:
        """Whether the position is a goal."""


def play(plan: Plan, simulator: Simulator[M], kind: type[M], *, drawn: bool = True) -> Replay:
    """Play a plan from the start; `kind` is the kind of moves that the simulator knows. If it is not to be `drawn`, no
    step has a board.

    Raises `ReplayError`, with the number of the move and the board before it, for a move that the rules forbid.
    """
    steps: list[Step] = []
    board = simulator.board() if drawn else ()
    for number, move in enumerate(plan.moves, 1):
        if not isinstance(move, kind):
            raise ReplayError(f"`{move}` is no move of this family", number, None, board)
        try:
            notation = simulator.play(move)
        except ReplayError as error:
            raise error.at(number, board) from None
        board = simulator.board() if drawn else ()
        steps.append(Step(notation, board, move))
    return Replay(tuple(steps), simulator.costs, simulator.solved)


def apply(state: frozenset[int], op: Operator) -> frozenset[int]:
    """The successor of a state, by the definition of STRIPS. Raises `ValueError` if `op` is not applicable."""
    if not state.issuperset(op.pre):
        raise ValueError(f"{op.name} is not applicable")
    return (state - set(op.delete)) | set(op.add)


def cost_in(replay: Replay, metric: str) -> Cost:
    """A replayed plan's cost in a metric, lexicographic ones included. Raises `ReplayError` where a move has none."""
    for part in metric.split(","):
        if part not in replay.costs:
            raise ReplayError(f"a move of the plan has no cost in {part}, or one below 0")
    return tuple(replay.costs[part] for part in metric.split(","))
