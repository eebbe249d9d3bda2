"""What is known of every plan from the things of a task, in a form that encoders can state layer by layer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..models.task import Operator


@dataclass(frozen=True, slots=True)
class PotentialHeuristic:
    """The sum of the `weights` (F) of a state's true facts, plus `constant`, is at most a number of steps."""

    weights: tuple[int, ...]
    constant: int

    def value(self, facts: tuple[int, ...]) -> int:
        """The bound in a state given by its true facts."""
        return self.constant + sum(self.weights[f] for f in facts)


@dataclass(frozen=True, slots=True)
class Invariants:
    """`to_goal`: bounds on the steps from a state to the goal; `from_start`: on those from the initial state.

    `dead`: sets of two to four facts (in order) from which the goal is out of reach. `parity`: if known, the number of
    steps of every plan modulo 2. `colour`: for facts that are true in turns only, the parity of the steps after which
    they can be.
    """

    to_goal: tuple[PotentialHeuristic, ...] = ()
    from_start: tuple[PotentialHeuristic, ...] = ()
    dead: tuple[tuple[int, ...], ...] = ()
    parity: int | None = None
    colour: dict[int, int] | None = None

    def lower_bound(self, init: tuple[int, ...]) -> int:
        """The least number of steps that a plan can have."""
        bound = max((linear.value(init) for linear in self.to_goal), default=0)
        return self.next_length(max(0, bound))

    def progress(self, operators: Iterable[Operator]) -> list[int]:
        """By how much each operator changes the first of the bounds on the steps that are left."""
        if not self.to_goal:
            return [0 for _ in operators]
        bound = self.to_goal[0]
        return [bound.value(op.add) - bound.value(op.delete) for op in operators]

    def if_informative(self, init: tuple[int, ...], bound: int) -> Invariants:
        """Without linear bounds that are far below another `bound` in the initial state: they would exclude nothing."""
        if 2 * self.lower_bound(init) >= bound:
            return self
        return replace(self, to_goal=(), from_start=())

    def next_length(self, steps: int) -> int:
        """The least number of steps, not less than `steps`, that a plan can have by its parity."""
        return steps if self.parity is None else steps + (steps - self.parity) % 2


NOTHING_KNOWN = Invariants()
"""The invariants of a task of which nothing is known."""
