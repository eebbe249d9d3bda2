"""Clauses that count how many of some variables are true, half by half (a totalizer: Bailleux and Boufkhad 2003)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .core.formula import Clause
from .core.limits import Limits


class Totals:
    """Says that at most `most` of some variables are true; they come in groups, which are halved before the groups are.

    For each set that is halved there are new variables, from `first` on, for "at least 1, 2, ... of the set are true",
    up to `most` + 1. `last`: the last of them. `many`: how many variables the groups have in all.
    """

    def __init__(self, groups: Iterable[Iterable[int]], many: int, most: int, first: int, limits: Limits) -> None:
        self.most, self.last, self.limits = most, first - 1, limits
        limits.hold(80 * many * many.bit_length())  # before the first group is read
        self.sums: list[tuple[list[int], list[int], list[int]]] = []
        self.total = self._sum([self._sum([[x] for x in group]) for group in groups])

    def _sum(self, parts: list[list[int]]) -> list[int]:
        """The variables "at least 1, 2, ... of the set are true". Its `parts` have theirs: of one variable, itself."""
        if len(parts) < 2:
            return parts[0] if parts else []
        half = len(parts) // 2
        one, two = self._sum(parts[:half]), self._sum(parts[half:])
        size = min(self.most + 1, len(one) + len(two))
        both = list(range(self.last + 1, self.last + 1 + size))
        self.last += size
        self.limits.tick(size)
        self.sums.append((one, two, both))
        return both

    def clauses(self) -> Iterator[Clause]:
        """At least i of one half and at least j of the other are at least i + j of both; never `most` + 1 of all."""
        for one, two, both in self.sums:
            for i in range(len(one) + 1):
                for j in range(max(0, 1 - i), min(len(two), len(both) - i) + 1):
                    yield (*(-x for x in one[:i][-1:]), *(-x for x in two[:j][-1:]), both[i + j - 1])
        for x in self.total[self.most :]:
            yield (-x,)
