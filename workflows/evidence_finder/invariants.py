"""Invariants of a problem: pairs of values that never occur together, by h^2 (Haslum, Geffner 2000), as clauses.

A pair counts as *reached* if it occurs at the start, or after an action whose needs, with what has been reached so far,
allow it. The pairs that are never reached never occur together. That is inductive: before an action only reached pairs
occur, so after it, too. What the checker needs is that unit propagation sees it, so this works by the same means: the
values that are left for each variable, narrowed until each of them has a reached partner in every other variable.

A fact is a variable with a value; sets of facts are integers, a bit for each fact, the values of a variable in a row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, product

from ...proofs.core.limits import Limits
from ...proofs.core.problem import Action, Literals, Problem

Masks = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """One way in which a variable has a value after an action. `fact`: its bit; `left`: the facts before that allow it;
    `clauses`: sets of facts that have to be met as well; `near`: the facts of the variables that this speaks of."""

    fact: int
    left: int
    clauses: tuple[Masks, ...]
    near: int


@dataclass(frozen=True, slots=True)
class Change:
    """An action: the facts that its needs leave, clauses of several literals, the facts of the variables in both, and
    the causes by changed variable. `kept`: the facts of variables that it does not change."""

    left: int
    clauses: tuple[Masks, ...]
    near: int
    causes: dict[int, tuple[Cause, ...]]
    kept: int


class Reached:
    """The pairs of facts of a problem that h^2 cannot exclude: `rows[f]` has the facts that may occur beside fact f."""

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self.problem, self.limits = problem, limits
        self.first = list(accumulate(map(len, problem.domains), initial=0))
        self.wholes = [problem.full(x) << first for x, first in enumerate(self.first[:-1])]
        self.every = (1 << self.first[-1]) - 1
        self.rows = [0] * self.first[-1]
        limits.hold(len(self.rows) * (40 + len(self.rows) // 7))
        start = sum(1 << first + i for first, i in zip(self.first, problem.start, strict=False))
        for fact in _places(start):
            self.rows[fact] = start
        self._until_nothing_comes()
        self.possible = [
            sum(1 << i for i in range(len(domain)) if self.rows[self.first[x] + i])
            for x, domain in enumerate(problem.domains)
        ]

    def _until_nothing_comes(self) -> None:
        changes = [self._change(action) for action in self.problem.actions]
        # What an action leads to depends on the facts left before it. If these are the same as the last time, and
        # nothing was excluded by what comes later than they do, it leads to nothing new.
        done: list[int | None] = [None] * len(changes)
        growing = True
        while growing:
            growing = False
            for a, change in enumerate(changes):
                self.limits.tick(32)
                before = self.narrowed(change.left, change.clauses, change.near)
                if before and before != done[a]:
                    came, whole = self._reach(change, before)
                    done[a] = before if whole else None
                    growing |= came

    def literal(self, x: int, mask: int) -> int:
        """Bit mask of the (variable, value) facts that make a literal true."""
        return mask << self.first[x]

    def without(self, x: int, mask: int) -> int:
        """All facts but those that a literal excludes."""
        return self.every & ~(self.wholes[x] & ~self.literal(x, mask))

    def _change(self, action: Action) -> Change:
        left, clauses, near = self.every, [], 0
        for part in action.needs:
            near |= self._wholes(part)
            if len(part) == 1:
                left &= self.without(*part[0])
            else:
                clauses.append(tuple(self.literal(*literal) for literal in part))
        causes, kept = {}, self.every
        for x, effects in action.effects.items():
            causes[x] = tuple(self._causes(x, effects))
            kept &= ~self.wholes[x]
        return Change(left, tuple(clauses), near, causes, kept)

    def _causes(self, x: int, effects: tuple[tuple[Literals, int], ...]) -> Iterator[Cause]:
        full, near = self.problem.full, self.wholes[x]
        for when, _ in effects:
            near |= self._wholes(when)
        for when, i in effects:
            left = self.every
            for literal in when:
                left &= self.without(*literal)
            yield Cause(1 << self.first[x] + i, left, (), near)
        if not effects[0][0]:
            return
        for i in range(len(self.problem.domains[x])):  # it had the value, and no effect gave it another one
            left, clauses = self.without(x, 1 << i), []
            for when, value in effects:
                if value == i:
                    continue
                if len(when) == 1:
                    y, mask = when[0]
                    left &= self.without(y, full(y) & ~mask)
                else:
                    clauses.append(tuple(self.literal(y, full(y) & ~mask) for y, mask in when))
            yield Cause(1 << self.first[x] + i, left, tuple(clauses), near)

    def _wholes(self, literals: Literals) -> int:
        whole = 0
        for x, _ in literals:
            whole |= self.wholes[x]
        return whole

    def narrowed(self, left: int, clauses: tuple[Masks, ...], near: int) -> int:
        """The facts that stay of those left, when each of them must have a partner of each variable; 0 if a variable
        has none. Of two variables one has to be near: the checker does not look at others."""
        rows, seen = self.rows, [-1] * len(self.wholes)
        while True:
            before = left
            for x, whole in enumerate(self.wholes):
                part = left & whole
                if part == seen[x]:
                    continue
                if not part:
                    return 0
                seen[x] = part
                if part == whole:
                    continue
                partners = 0 if whole & near else ~near
                while part:
                    low = part & -part
                    partners |= rows[low.bit_length() - 1]
                    part ^= low
                left &= partners
            for clause in clauses:
                open_ = [mask for mask in clause if left & mask]
                if not open_:
                    return 0
                if len(open_) == 1:
                    whole = next(whole for whole in self.wholes if whole & open_[0])
                    left &= ~whole | open_[0]
            if left == before:
                return left

    def _reach(self, change: Change, before: int) -> tuple[bool, bool]:
        """Add the pairs after an action. Whether there were any; and whether nothing was excluded on the way."""
        came, whole, rows = False, True, self.rows
        ways: list[tuple[int, Cause, int]] = []
        for x, causes in change.causes.items():
            for cause in causes:
                wide = left = before & cause.left
                if left != before or cause.clauses or cause.near & ~change.near:
                    left = self.narrowed(left, change.clauses + cause.clauses, change.near | cause.near)
                whole = whole and left == wide
                if left:
                    ways.append((x, cause, left))
        for n, (x, cause, left) in enumerate(ways):
            self.limits.tick()
            e = cause.fact.bit_length() - 1
            if not rows[e] & cause.fact:
                rows[e], came = rows[e] | cause.fact, True
            for f in _places(left & change.kept & ~rows[e]):
                self.limits.tick(8)
                y = self._variable(f)
                near = change.near | cause.near | self.wholes[y]
                if self.narrowed(left & (1 << f | ~self.wholes[y]), change.clauses + cause.clauses, near):
                    rows[e], rows[f], came = rows[e] | 1 << f, rows[f] | cause.fact, True
                else:
                    whole = False
            for y, other, _ in ways[:n]:
                if y == x or rows[e] & other.fact:
                    continue
                both = change.clauses + cause.clauses + other.clauses
                if self.narrowed(left & other.left, both, change.near | cause.near | other.near):
                    f = other.fact.bit_length() - 1
                    rows[e], rows[f], came = rows[e] | other.fact, rows[f] | cause.fact, True
                else:
                    whole = False
        return came, whole

    def _variable(self, fact: int) -> int:
        return next(x for x, whole in enumerate(self.wholes) if whole >> fact & 1)

    def clauses(self) -> list[Literals]:
        """Clauses that exclude all pairs that are not reached, several at once where that is possible."""
        result, possible = self._possible(), self.possible
        for x, y in self._variables():
            for some, others in set(self._blocks(x, y, possible)):
                # Values that never occur go with both: the checker does not look at every clause of one literal.
                for mask, other in product(self._but(x, some), self._but(y, others)):
                    result[(x, mask), (y, other)] = None
        return sorted(result)

    def _but(self, x: int, excluded: int) -> list[int]:
        """The values of a variable but those that are excluded; of each alone, if these are all that ever occur."""
        others = self.possible[x] & ~excluded
        return [others] if others else [self.problem.full(x) & ~(1 << i) for i in _places(excluded)]

    def pairs(self) -> list[Literals]:
        """The invariants that two things never hold together, each pair as a clause of its own."""
        result, full, possible = self._possible(), self.problem.full, self.possible
        for x, y in self._variables():
            for i in _places(possible[x]):
                excluded = possible[y] & ~(self.rows[self.first[x] + i] >> self.first[y])
                for j in _places(excluded):
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

    def _blocks(self, x: int, y: int, possible: list[int]) -> Iterator[tuple[int, int]]:
        """Values of x and values of y of which no two occur together, as large as possible: for each value of x those
        that go with all values of y that it excludes, and the other way round."""
        out = [
            possible[y] & ~(self.rows[self.first[x] + i] >> self.first[y]) if possible[x] >> i & 1 else 0
            for i in range(len(self.problem.domains[x]))
        ]
        for others in out:
            if others:
                yield sum(1 << i for i, mask in enumerate(out) if not others & ~mask), others
        for j in range(len(self.problem.domains[y])):
            some = sum(1 << i for i, mask in enumerate(out) if mask >> j & 1)
            if some:
                others = possible[y]
                for i in _places(some):
                    others &= out[i]
                yield some, others


def _places(mask: int) -> Iterator[int]:
    """The places of the bits of a mask."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
