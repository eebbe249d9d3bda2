"""Moves: what one step of a plan does to a puzzle, in terms of the puzzle.

A move is all that passes from an engine to the rules that replay its plan. A family that is not about sliding defines
a move of its own, a frozen dataclass of numbers, texts and tuples of them:

    @dataclass(frozen=True, slots=True)
    class Pour(Move):
        kind: ClassVar[str] = "pour"
        source: str
        target: str
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from .cells import Cell
from .errors import UsageError
from .text import being, counted

# Costs and metrics: what a plan costs, what the numbers count, and how both are written.

Cost = tuple[int, ...]
"""A cost, one number for each component of the metric; compared lexicographically."""

MOST_OF_A_STEP = 10**9
"""The most that a step can cost in a file, and the largest number that one can hold where nothing else is said."""

MOST_OF_A_PLAN = 1 << 62
"""The largest cost of a plan that can be claimed or expected: searches add costs in 64 bits, and less than this is
right. Four thousand million steps of `MOST_OF_A_STEP` stay below it."""

MOST_COMPONENTS = 2
"""Searches pack the cost of a state into 64 bits, 32 for each component."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a component of a cost counts, as words for one and for several: `push`, `pushes`."""

    one: str
    many: str

    def counted(self, count: int) -> str:
        """`1 push`, `1,024 pushes`; `weight 92` of what has no plural: a plan has it, and at least it is needed."""
        return counted(count, self.one, self.many) if self.many.endswith("s") else f"{self.many} {count:,}"


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: the units in which a plan is counted, the most important first.

    `Metric((PUSH,))` is `pushes`. `Metric((PUSH, MOVE))` is `pushes,moves`: fewest pushes, and of these fewest moves.
    Raises `UsageError` for no unit or more than `MOST_COMPONENTS`.
    """

    units: tuple[Unit, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.units) <= MOST_COMPONENTS:
            raise UsageError(
                f"a metric has at least one component and at most {MOST_COMPONENTS}, not {len(self.units)}"
                + (f": `{self.name}`" if self.units else "")
            )

    @property
    def name(self) -> str:
        """The name in files and on the command line: `pushes,moves`."""
        return ",".join(self.components)

    @property
    def components(self) -> tuple[str, ...]:
        """The names of the components, as in `OperatorTask.metric` and `Replay.costs`."""
        return tuple(unit.many for unit in self.units)

    def counted(self, cost: Cost) -> str:
        """`10 slides`; `8 pushes, 33 moves`."""
        return ", ".join(unit.counted(count) for unit, count in zip(self.units, cost, strict=True))


PlainCost = int | Any | None
"""A cost as people expect it: a number where the metric has one component, else a tuple; None if it is not known.

(`Any` and not the exact union, so that a type checker lets people count with the number when they know that it is one.)
"""


def plain_cost(cost: Cost | None) -> PlainCost:
    """A cost as people expect it."""
    return cost[0] if cost is not None and len(cost) == 1 else cost


def full_cost(cost: PlainCost) -> Cost:
    """A cost that is known, one number for each component: the inverse of `plain_cost`."""
    return (cost,) if isinstance(cost, int) else tuple(cost or ())


def show_cost(cost: Cost) -> str:
    return ", ".join(str(part) for part in cost)


def at_least(low: Cost, said: Callable[[Cost], str] = show_cost) -> str:
    """A lower bound as a clause: `at least 25 slides are needed`. `said`: writes the cost."""
    return f"at least {being(said(low))} needed"


def canonical_metric(text: str) -> str:
    """The name of a metric in one form: `[pushes, moves]`, `pushes, moves` and `pushes,moves` are the same."""
    return ",".join(part.strip() for part in text.split(","))


@dataclass(frozen=True, slots=True)
class Move:
    """The base of all moves. Moves are values: hashable, equal if their fields are, and writable as JSON."""

    kind: ClassVar[str]
    """The name of this kind of move in JSON."""

    @property
    def where(self) -> Cell | None:
        """The cell that a person would point at to make the move, if there is one."""
        return None

    @property
    def what(self) -> tuple[str, ...]:
        """The names of the things that the move is about, where it names them."""
        return ()

    def then(self, after: Move) -> Move:
        """This move and the one `after` it as one move: how the parts of a compound move are joined.

        Raises `TypeError` for a kind of move that cannot be a part of a compound move.
        """
        raise TypeError(f"moves of the kind `{self.kind}` are not joined into compound moves")

    @property
    def singles(self) -> tuple[Move, ...]:
        """The single moves of a `Chain`, in order; any other move is its own only one."""
        return (self,)

    def as_json(self) -> dict[str, Any]:
        """The kind and the fields, for `json.dumps`."""
        return {"kind": self.kind, **{field.name: getattr(self, field.name) for field in fields(self)}}


@dataclass(frozen=True, slots=True)
class Slide(Move):
    """The object that stands on `cell` moves along `path` (letters U, D, L, R, one a cell).

    `cell` is the object's first cell in reading order (a piece), or where it stands (a box, a player).
    """

    kind: ClassVar[str] = "slide"
    cell: Cell
    path: str

    @property
    def where(self) -> Cell:
        return self.cell

    @property
    def end(self) -> Cell:
        """Where the path leads to."""
        row, column = self.cell
        up, down, left = map(self.path.count, "UDL")
        return row + down - up, column + len(self.path) - up - down - 2 * left

    def then(self, after: Move) -> Slide:
        """The path of both: `after` starts where this one ends."""
        if not isinstance(after, Slide):
            raise TypeError(f"a slide is not joined with a move of the kind `{after.kind}`")
        return Slide(self.cell, self.path + after.path)


@dataclass(frozen=True, slots=True)
class Chain(Move):
    """Several moves in a row, which an engine makes as one; plans have them one by one."""

    kind: ClassVar[str] = "chain"
    moves: tuple[Move, ...]

    @property
    def singles(self) -> tuple[Move, ...]:
        return self.moves


def chained(moves: Iterable[Move | None]) -> Move | None:
    """Moves in a row as one; None if none of them is visible."""
    visible = tuple(single for move in moves if move is not None for single in move.singles)
    return visible[0] if len(visible) == 1 else Chain(visible) if visible else None


def alike(move: object, other: object) -> bool:
    """Whether two moves do the same: equal ones, and slides of one object to one cell by different paths."""
    if isinstance(move, Slide) and isinstance(other, Slide):
        return (move.cell, move.end) == (other.cell, other.end)
    return move == other


def compound(moves: Iterable[Move | None]) -> Move | None:
    """The moves of a compound move as one; None if none of its parts is visible."""
    whole: Move | None = None
    for move in moves:
        if move is not None:
            whole = move if whole is None else whole.then(move)
    return whole
