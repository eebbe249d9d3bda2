"""Costs and metrics: what a plan costs, what the numbers count, and how both are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .errors import UsageError
from .text import counted

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
        """The names of the components, as in `Task.metric` and `Replay.costs`."""
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


def canonical_metric(text: str) -> str:
    """The name of a metric in one form: `[pushes, moves]`, `pushes, moves` and `pushes,moves` are the same."""
    return ",".join(part.strip() for part in text.split(","))
