"""Traps: values of some variables that no action ends, and with which the goal does not hold.

    ####      Two boxes side by side at a wall: pushing either along the wall needs the other's cell to be free, and
    #$$ #     nothing pushes them off it. A table says `-` where both are there.

The largest set of a state's values that is closed in this sense is a fixpoint: as long as an action that may be made
where they hold ends one of them, that one goes. If the goal contradicts what is left, values are left out, one by one,
as long as that stays so.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import inf, prod

from ...proofs.core.claim import Table
from ...proofs.core.exhaustion import PackedProblem
from ...proofs.core.limits import Limits
from ...proofs.core.problem import Problem

LARGEST = 1024
"""Numbers that the table of a trap may have."""


class Traps:
    """Finds traps of a problem. States and sets of facts are integers, as in `core/exhaustion.py`."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        self.bits = bits = PackedProblem(problem, limits)
        self.wholes = [problem.full(x) << first for x, first in enumerate(bits.first[:-1])]
        # For each fact the ways in which it ends: masks that all have to meet a state for that.
        self.ends: dict[int, list[list[int]]] = {}
        for _, needs, effects in map(bits.action, problem.actions):
            for when, gone, come in effects:
                for fact in facts(gone & ~come):
                    self.ends.setdefault(fact, []).append(needs + when)

    def table(self, state: int) -> Table | None:
        """The table of a trap that a state is in; None if it is in none, or in too large a one."""
        trap = self._closed(state & (1 << self.bits.first[-1]) - 1)
        if not self._dead(trap):
            return None
        for fact in sorted(facts(trap), key=lambda fact: -self._free(fact)):
            if trap & fact and self._dead(fewer := self._closed(trap & ~fact)):
                trap = fewer
        variables = tuple(x for x, whole in enumerate(self.wholes) if trap & whole)
        values = [range(len(self.problem.domains[x])) for x in variables]
        if prod(map(len, values)) > LARGEST:
            return None
        numbers: dict[tuple[int, ...], float] = dict.fromkeys(product(*values), 0)
        numbers[tuple(self.bits.value(trap, x) for x in variables)] = inf
        return variables, numbers

    def _free(self, fact: int) -> int:
        """In how many ways a fact ends: those that end in many are left out first."""
        return len(self.ends.get(fact, ()))

    def _possible(self, some: int) -> int:
        """The facts that are possible beside some: all of those variables that they say nothing of."""
        possible = some
        for whole in self.wholes:
            if not whole & some:
                possible |= whole
        return possible

    def _closed(self, some: int) -> int:
        before = 0
        while some != before:
            before = some
            possible = self._possible(some)
            for fact in facts(some):
                self.limits.tick()
                for needs in self.ends.get(fact, ()):
                    if all(mask & possible for mask in needs):
                        some ^= fact
                        break
        return some

    def _dead(self, some: int) -> bool:
        possible = self._possible(some)
        return bool(some) and not all(mask & possible for mask in self.bits.goal)


def facts(some: int) -> Iterator[int]:
    """The single bits of a mask."""
    while some:
        fact = some & -some
        yield fact
        some ^= fact
