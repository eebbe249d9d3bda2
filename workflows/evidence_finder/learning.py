"""Tables for a search (`proofs/searching.py`), learned from states that it does not cut: several bounds, and traps.

The search is made with what is known, up to some number of states. From those that it still has to visit a sample is
drawn. A state in a trap gives a table with `-`; any other one the sum of tables that is largest there (a linear
program). Of these sums, and of the tables of pairs of variables, those are taken that add most to the bounds of the
sample (before the first search: to that of the start). And again, with twice as many states,
until the search ends or nothing more is learned: then it is made to its end. Learning takes at most about as long as
the search before it: a linear program of 29,000 actions takes longer than 10,000 states.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf

from ...encoders.exports.problem_writing import State
from ...proofs.at_once import kept_apart
from ...proofs.core.claim import Table, bound, check_tables
from ...proofs.core.limits import TICKS, Invalid, Limits
from ...proofs.core.problem import LARGEST, Cost, Problem
from ...proofs.searching import Search, Searched
from .projections import Patterns
from .tables import Program
from .traps import Traps

FIRST = 20_000
"""States of the first search."""

SAMPLE = 80
"""States of a sample."""

MOST_SUMS = 16
MOST_TRAPS = 100
MOST_PAIRS = 20
MOST_NUMBERS = 1_500_000
"""When the tables of several variables have this many numbers together, none of them grows any more."""

TRIED = 4
"""A pattern grows by one variable: the best of this many, drawn by chance."""

GROWTH = 1.05
"""A variable is added to a pattern if the sum of a sample's bounds becomes this many times as large, or more."""

LEAST_GAIN = 0.01
"""The least share of what the bounds of a sample lack that another sum has to add."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The sums of tables, and the search with them."""

    sums: list[list[Table]]
    searched: Searched


def search(problem: Problem, below: Cost | None, tables: list[Table], limits: Limits, seconds: float) -> Learned:
    """Search for a plan cheaper than `below` (None: for any plan), with tables that are learned on the way. `seconds`:
    for one linear program. Raises `Stopped`.
    """
    return _Learner(problem, below, tables, limits, seconds).search()


class _Learner:
    def __init__(
        self, problem: Problem, below: Cost | None, tables: list[Table], limits: Limits, seconds: float
    ) -> None:
        self.problem, self.below, self.limits = problem, below, limits
        self.wanted = below[0] if below else LARGEST  # a state with such a bound is not visited
        self.sums = [tables]
        self.traps: list[Table] = []
        self.random = random.Random(0)
        self.seconds = seconds
        self.patterns = Patterns(problem, limits, kept_apart(problem, [tables])[0])
        pairs = self.patterns.pairs()
        self.pairs = sorted(self.random.sample(pairs, len(pairs)), key=self.patterns.size)
        self.projections: list[Table] = []
        self.grown = set[int]()  # variables of patterns that have grown
        self.until = time.monotonic() + seconds  # when to end learning, by the clock

    @cached_property
    def finder(self) -> Traps:
        return Traps(self.problem, self.limits)

    @cached_property
    def program(self) -> Program | None:
        below = self.below and self.below[0]
        return Program(self.problem, below + 1, self.seconds, self.limits) if below else None

    def search(self) -> Learned:
        most = FIRST
        start = [(self.wanted, self.problem.start)]
        self._project_pairs()
        self._add_sums(start, self._projected())
        while True:
            sums = [[*self.sums[0], *self.traps], *self.sums[1:]]
            before, began = self.limits.held, time.monotonic()
            search = Search(self.problem, self.below, sums, self.limits)
            found = search.run(most)
            self.until, taken = 2 * time.monotonic() - began, self.limits.held - before
            if not found.open or not self._learn(found):
                return Learned(sums, search.run() if found.open else found)
            self.limits.hold(-taken)
            most *= 2

    def _learn(self, found: Searched) -> bool:
        """Learn from the open states of a search. Whether anything was learned."""
        before = len(self.sums) + len(self.traps)
        sample: list[tuple[int, State]] = []  # what the bound of a state would have to be, and the state
        for cost, state in self.random.sample(found.open, min(SAMPLE, len(found.open))):
            self.limits.tick(TICKS)
            if time.monotonic() > self.until:
                break
            values = tuple(self.finder.bits.value(state, x) for x in range(len(self.problem.names)))
            if bound(self.traps, values.__getitem__) == inf:
                continue
            trap = self.finder.table(state) if len(self.traps) < MOST_TRAPS else None
            if trap is not None and trap not in self.traps and self._holds(trap):
                self.traps.append(trap)
            else:
                sample.append((self.wanted - cost[0], values))
        self._project_pairs()
        self._grow(sample)
        self._add_sums(sample, [*self._projected(), *self._largest(sample)])
        return len(self.sums) + len(self.traps) > before

    def _holds(self, trap: Table) -> bool:
        try:
            check_tables(self.problem, [trap], self.limits)
        except Invalid:
            return False
        return True

    def _add_sums(self, sample: list[tuple[int, State]], sums: Iterable[list[Table]]) -> None:
        """Add those sums that raise most the bounds of a sample of states, each with the bound that is wanted there."""
        best = [max(0.0, *numbers) for numbers in zip(*(_bounds(one, sample) for one in self.sums), strict=True)]
        candidates = [(one, _bounds(one, sample)) for one in sums]
        while candidates and len(self.sums) < MOST_SUMS:
            gains = [
                sum(max(0, more - here) for here, more in zip(best, numbers, strict=True)) for _, numbers in candidates
            ]
            most = max(gains)
            if most <= LEAST_GAIN * sum(wanted - here for (wanted, _), here in zip(sample, best, strict=True)):
                return
            tables, numbers = candidates[gains.index(most)]
            self.sums.append(tables)
            best = list(map(max, best, numbers))

    def _project_pairs(self) -> None:
        """Make tables of pairs, up to `MOST_PAIRS` that say something, as long as there is time."""
        while self.pairs and len(self.projections) < MOST_PAIRS and time.monotonic() < self.until:
            table = self.patterns.table(self.pairs.pop())
            if table is not None and any(table[1].values()):
                self.projections.append(table)

    def _projected(self) -> list[list[Table]]:
        """The tables of several variables, each as a sum of its own."""
        return [[one] for one in self.projections]

    def _grow(self, sample: list[tuple[int, State]]) -> None:
        """Let the best of the tables that share no variable with a grown one grow, by one variable after the other."""

        def worth(table: Table) -> float:
            return sum(_bounds([table], sample))

        while time.monotonic() < self.until and sum(len(one[1]) for one in self.projections) < MOST_NUMBERS:
            apart = [one for one in self.projections if self.grown.isdisjoint(one[0])]
            first = best = max(apart, key=worth, default=None)
            while best is not None and time.monotonic() < self.until:
                wider = self.patterns.wider(best[0])
                tried = self.random.sample(wider, min(TRIED, len(wider)))
                better = max(filter(None, map(self.patterns.table, tried)), key=worth, default=None)
                if better is None or worth(better) < GROWTH * worth(best):
                    break
                best = better
            if best is None:
                return
            self.grown.update(best[0])
            if best is not first:
                self.projections.append(best)

    def _largest(self, sample: list[tuple[int, State]]) -> Iterator[list[Table]]:
        """For each state of a sample the sum that is largest there, as long as there is time."""
        for _, state in sample:
            self.limits.tick(TICKS)
            if self.program is None or not self.program.small or time.monotonic() > self.until:
                break
            if tables := self.program.tables(state):
                yield tables


def _bounds(tables: list[Table], sample: list[tuple[int, State]]) -> list[float]:
    """The bounds of a sample's states, none larger than it would have to be."""
    return [min(wanted, bound(tables, state.__getitem__)) for wanted, state in sample]
