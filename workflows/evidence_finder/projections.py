"""Tables of a few variables: how much a plan costs at least that asks for these alone.

    go:red:north 1    step 0    step 0    stop-at-wall 0        as PDDL has a move of ricochet robots

Alone, the variable `at.red` says nothing: each step changes it for nothing. With the variable that says who is moving
where, it says how often red still has to go. The number of some values is the least cost from there to where the goal
may hold, if actions need and change nothing else, and `-` if none leads there: a *pattern database* (Culberson and
Schaeffer 1998; for planning, Edelkamp 2001). How patterns are chosen: `learning.py`, after Haslum et al. 2007.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from math import inf, prod

import numpy as np

from ...proofs.core.claim import Table, entries, values_after
from ...proofs.core.limits import TICKS, Limits
from ...proofs.core.problem import PAIR_BYTES, Action, Literals, Problem

Pattern = tuple[int, ...]
"""Variables, in increasing order."""

Array = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

EXACT = 1 << 53
"""Costs from here on are rounded by arrays of numbers with a point."""

LARGEST = 350_000
"""Numbers that a table may have. Four pieces of a cube have 24^4; the line of a larger one is too long for the core."""

MOST_MOVES = 6_000_000
"""A pattern with more moves between combinations of its values has no table. (`x := y`, where y is not in the pattern,
leads to every value of x.)"""


class Patterns:
    """The patterns of a problem. `near`: for each variable those that actions ask for that change it. `without`: a
    variable that is in none. A walker or hand is: if no table asks for it, states that differ in it alone are one for
    the search (`proofs/grouped_states.py`)."""

    def __init__(self, problem: Problem, limits: Limits, without: int | None = None) -> None:
        self.problem, self.limits, self.without = problem, limits, without
        self.near = defaultdict[int, set[int]](set)
        for action in problem.actions:
            limits.tick(action.size())
            asked = {*action.effects, *(x for part in action.needs for x, _ in part)}
            for x in action.effects:
                self.near[x] |= asked

    def wider(self, some: Pattern) -> list[Pattern]:
        """Patterns with one variable more, which those of this one are near to, the largest first."""
        others = set[int]().union(*(self.near[x] for x in some)).difference(some, (self.without,))
        found = [tuple(sorted((*some, y))) for y in others]
        return sorted(filter(self._small, found), key=lambda one: (-self.size(one), one))

    def pairs(self) -> list[Pattern]:
        """The patterns of a variable of the goal and one more, the largest first."""
        goals = {x for part in self.problem.goal for x, _ in part if x != self.without}
        found = {pair for x in goals for pair in self.wider((x,))}
        return sorted(found, key=lambda one: (-self.size(one), one))

    def size(self, some: Pattern) -> int:
        """How many numbers its table has."""
        return prod(len(self.problem.domains[x]) for x in some)

    def _small(self, some: Pattern) -> bool:
        return self.size(some) <= LARGEST

    def table(self, some: Pattern) -> Table | None:
        """The table of a pattern; None if its moves are too many. Raises `Stopped`."""
        shape = [len(self.problem.domains[x]) for x in some]
        moves, many = [], 0
        for action in self._different(some):
            for move in self._moves(action, some, shape):
                self.limits.tick(1 + len(move[0]) // 64)
                many += 1 + len(move[0])
                if many > MOST_MOVES:
                    return None
                moves.append(move)
        before, after, cost = (np.concatenate(parts) for parts in zip(*moves, strict=True))
        self.limits.hold(32 * len(before))
        numbers = np.where(self._where(self.problem.goal, some, shape), 0.0, inf).ravel()
        while True:
            self.limits.tick(TICKS)
            lower = numbers.copy()
            np.minimum.at(lower, before, numbers[after] + cost)
            if (lower == numbers).all():
                break
            numbers = lower
        if numbers[numbers < inf].max(initial=0) >= EXACT:
            return None
        self.limits.hold(2 * PAIR_BYTES * len(numbers) - 32 * len(before))
        found = (int(number) if number < inf else inf for number in numbers.tolist())
        return some, dict(zip(product(*map(range, shape)), found, strict=True))

    def _different(self, some: Pattern) -> Iterator[Action]:
        """The actions that change a pattern's variables, one of those that are alike for it: where red stops is all the
        same to a pattern without red's cell."""
        seen = set[object]()
        for action in self.problem.actions:
            self.limits.tick()
            if action.effects.keys() & some:
                needs = tuple(part for part in action.needs if all(x in some for x, _ in part))
                key = action.cost[0], needs, tuple(action.effects.get(x, ()) for x in some)
                if key not in seen:
                    seen.add(key)
                    yield action

    def _where(self, clauses: Iterable[Literals], some: Pattern, shape: list[int]) -> np.ndarray:
        """For each combination of values (an array) whether the clauses hold that name no other variable."""
        holds = np.ones(shape, bool)
        for part in clauses:
            if all(x in some for x, _ in part):
                met = [
                    _along(some.index(x), [mask >> i & 1 for i in range(shape[some.index(x)])], shape)
                    for x, mask in part
                ]
                holds &= sum(met[1:], start=met[0]) > 0
        return holds

    def _moves(self, action: Action, some: Pattern, shape: list[int]) -> Iterator[tuple[Array, Array, Array]]:
        """The combinations of values where an action is possible, by number, those that it leads to, and its cost. Each
        outcome is a move, where variables outside decide."""
        before = np.flatnonzero(self._where(action.needs, some, shape))
        ways = [self._values(action, k, some, shape) for k in range(len(some))]
        for chosen in product(*ways):
            after = np.broadcast_to(sum(chosen[1:], start=chosen[0]), shape).ravel()[before]
            yield before, after, np.full(len(before), action.cost[0])

    def _values(self, action: Action, k: int, some: Pattern, shape: list[int]) -> list[Array]:
        """What the k-th variable adds to the number of the combination after an action, an array for each possible
        outcome: 7 * 3 if it becomes value 7, and the variables behind it have 3 combinations."""
        x, step = some[k], prod(shape[k + 1 :])
        if x not in action.effects:
            return [_along(k, [step * i for i in range(shape[k])], shape)]
        asked = {y for when, _ in action.effects[x] for y, _ in when}.union([x])
        inside = tuple(y for y in some if y in asked)
        found = [
            [step * i for i in sorted(values_after(action, x, at, self.limits))]
            for at in entries(self.problem, (inside, {}), (), self.limits)
        ]
        narrow = [size if y in inside else 1 for y, size in zip(some, shape, strict=True)]
        most = max(map(len, found))
        return [np.array([one[min(i, len(one) - 1)] for one in found]).reshape(narrow) for i in range(most)]


def _along(k: int, values: list[int], shape: list[int]) -> Array:
    """Values of the k-th variable, to be combined with those of others."""
    return np.array(values).reshape([size if i == k else 1 for i, size in enumerate(shape)])
