"""Invariants of a problem: pairs of values that are never reached together, by h^2 (Haslum, Geffner 2000), as clauses.

What is reached is found by the checker's `ReachedPairs`. The pairs that are never reached never occur together. That is
inductive: before an action only reached pairs occur, so after it, too; and unit propagation, by which the checker looks
at invariants, concludes as much.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ...proofs.core.limits import Limits
from ...proofs.core.problem import Literals, Problem
from ...proofs.state_classes import ReachedPairs, numbers_in


class PairInvariants:
    """The invariants that exclude pairs of values. `possible`: for each variable the values that are ever reached."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits, self.reached = problem, limits, ReachedPairs(problem, limits)
        self.possible = [
            sum(1 << i for i in range(len(domain)) if self.reached.beside[first + i])
            for first, domain in zip(self.reached.first, problem.domains, strict=True)
        ]

    def clauses(self) -> list[Literals]:
        """Clauses that exclude all pairs that are not reached, several at once where that is possible."""
        result = self._possible()
        for x, y in self._variables():
            for some, others in set(self._blocks(x, y)):
                # Values that never occur go with both: the checker does not look at every clause of one literal.
                for mask, other in product(self._but(x, some), self._but(y, others)):
                    result[(x, mask), (y, other)] = None
        return sorted(result)

    def pairs(self) -> list[Literals]:
        """The invariants that two things never hold together, each pair as a clause of its own."""
        result, full = self._possible(), self.problem.full
        for x, y in self._variables():
            for i, excluded in enumerate(self._excluded(x, y)):
                for j in numbers_in(excluded):
                    result[(x, full(x) & ~(1 << i)), (y, full(y) & ~(1 << j))] = None
        return sorted(result)

    def _possible(self) -> dict[Literals, None]:
        """For each variable some of whose values are never reached, the clause that excludes them."""
        full = self.problem.full
        return {((x, mask),): None for x, mask in enumerate(self.possible) if mask != full(x)}

    def _variables(self) -> Iterator[tuple[int, int]]:
        for y in range(len(self.possible)):
            for x in range(y):
                self.limits.tick(len(self.problem.domains[x]))
                yield x, y

    def _excluded(self, x: int, y: int) -> list[int]:
        """For each value of x the values of y that are reached, but never with it; of a value that is never reached
        itself none."""
        first = self.reached.first
        rows = [self.reached.beside[first[x] + i] >> first[y] for i in range(len(self.problem.domains[x]))]
        return [self.possible[y] & ~row if self.possible[x] >> i & 1 else 0 for i, row in enumerate(rows)]

    def _blocks(self, x: int, y: int) -> Iterator[tuple[int, int]]:
        """Values of x and values of y of which no two occur together, as large as possible: for each value of x those
        that go with all values of y that it excludes, and the other way round."""
        out = self._excluded(x, y)
        for others in out:
            if others:
                yield sum(1 << i for i, mask in enumerate(out) if not others & ~mask), others
        for j in range(len(self.problem.domains[y])):
            some = sum(1 << i for i, mask in enumerate(out) if mask >> j & 1)
            if some:
                others = self.possible[y]
                for i in numbers_in(some):
                    others &= out[i]
                yield some, others

    def _but(self, x: int, excluded: int) -> list[int]:
        """The values of a variable but those that are excluded; of each alone, if these are all that ever occur."""
        others = self.possible[x] & ~excluded
        return [others] if others else [self.problem.full(x) & ~(1 << i) for i in numbers_in(excluded)]
