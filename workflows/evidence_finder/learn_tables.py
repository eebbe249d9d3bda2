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
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import inf, prod

import numpy as np

from ...encoders.exports.problem_writing import State
from ...proofs.core.claim import Table, bound, check_tables, entries, values_after
from ...proofs.core.exhaustion import PackedProblem
from ...proofs.core.limits import TICKS, Invalid, Limits
from ...proofs.core.problem import LARGEST, PAIR_BYTES, Action, Cost, Literals, Problem
from ...proofs.grouped_states import kept_apart
from ...proofs.searching import Search, Searched

# Tables of a few variables: how much a plan costs at least that asks for these alone.
#
#     go:red:north 1    step 0    step 0    stop-at-wall 0        as PDDL has a move of ricochet robots
#
# Alone, the variable `at.red` says nothing: each step changes it for nothing. With the variable that says who is
# moving where, it says how often red still has to go. The number of some values is the least cost from there to where
# the goal may hold, if actions need and change nothing else, and `-` if none leads there: a *pattern database*
# (Culberson and Schaeffer 1998; for planning, Edelkamp 2001). How patterns are chosen is below, after Haslum et
# al. 2007.

Pattern = tuple[int, ...]
"""Variables, in increasing order."""

Array = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

EXACT = 1 << 53
"""Costs from here on are rounded by arrays of numbers with a point."""

LARGEST_PATTERN = 350_000
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
        patterns = [tuple(sorted((*some, y))) for y in others]
        return sorted(filter(self._small, patterns), key=lambda pattern: (-self.size(pattern), pattern))

    def pairs(self) -> list[Pattern]:
        """The patterns of a variable of the goal and one more, the largest first."""
        goals = {x for part in self.problem.goal for x, _ in part if x != self.without}
        patterns = {pair for x in goals for pair in self.wider((x,))}
        return sorted(patterns, key=lambda pattern: (-self.size(pattern), pattern))

    def size(self, some: Pattern) -> int:
        """How many numbers its table has."""
        return prod(len(self.problem.domains[x]) for x in some)

    def _small(self, some: Pattern) -> bool:
        return self.size(some) <= LARGEST_PATTERN

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
        values = (int(number) if number < inf else inf for number in numbers.tolist())
        return some, dict(zip(product(*map(range, shape)), values, strict=True))

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
        outcomes = [
            [step * i for i in sorted(values_after(action, x, at, self.limits))]
            for at in entries(self.problem, (inside, {}), (), self.limits)
        ]
        narrow = [size if y in inside else 1 for y, size in zip(some, shape, strict=True)]
        most = max(map(len, outcomes))
        return [np.array([row[min(i, len(row) - 1)] for row in outcomes]).reshape(narrow) for i in range(most)]


def _along(k: int, values: list[int], shape: list[int]) -> Array:
    """Values of the k-th variable, to be combined with those of others."""
    return np.array(values).reshape([size if i == k else 1 for i, size in enumerate(shape)])


# Tables of single variables whose sum is a lower bound, as large as possible at the start.
#
# Potential heuristics (Pommerening, Helmert, Roeger, Seipp 2015): a linear program with a variable for each fact. Its
# conditions are those that the checker looks at: no action lowers the sum by more than it costs, and at goals each
# number is at most 0. Of all solutions that are best at the start, one with large numbers elsewhere is taken: then
# waste is seen where it occurs.

MOST = 100_000
"""Conditions of the program from which on none is made."""

NEARLY = 1e-6
"""Numbers that differ by less count as the same."""


def potentials(problem: Problem, claim: int, limits: Limits, seconds: float) -> list[Table]:
    """A table for each variable that adds to the bound; none if the bound of the start would be 0.

    `claim`: the cost that is to be shown; no number is larger than that by more than 1.
    """
    for whole in (False, True):
        program = Program(problem, claim + 1, seconds, limits, whole)
        tables = program.tables(problem.start, everywhere=True) if program.small else []
        if tables:
            break
    return tables if bound(tables, problem.start.__getitem__) > 0 else []


class Program:
    """The linear program. A number is at most 0 where the goal may hold, so each table is at most 0 at goals. `whole`:
    ask for integers. `small`: it has no more than `MOST` conditions; else it is not made."""

    def __init__(self, problem: Problem, most: int, seconds: float, limits: Limits, whole: bool = False) -> None:
        from ortools.linear_solver import pywraplp  # type: ignore[attr-defined,unused-ignore]

        self.problem, self.limits, self.whole = problem, limits, whole
        # For each action and each variable that it changes, the pairs of a value and a value after it.
        drops = [
            (action.cost[0], [(x, sorted(set(_pairs(problem, action, x, limits)))) for x in action.effects])
            for action in problem.actions
        ]
        self.small = sum(len(pairs) for _, changed in drops for _, pairs in changed) <= MOST
        if not self.small:
            return
        self.solver = solver = pywraplp.Solver.CreateSolver("SCIP" if whole else "GLOP")
        solver.SetTimeLimit(int(1000 * seconds))
        self.solved = (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE)
        number = solver.IntVar if whole else solver.NumVar
        goal = [problem.allowed(problem.goal, x) for x in range(len(problem.names))]
        self.rows = rows = [
            [number(-most, 0 if goal[x] >> i & 1 else most, "") for i in range(len(domain))]
            for x, domain in enumerate(problem.domains)
        ]
        for cost, changed in drops:
            total = []
            for x, pairs in changed:
                if len(pairs) == 1:
                    (i, j) = pairs[0]
                    total.append(rows[x][i] - rows[x][j])
                elif pairs:
                    drop = solver.NumVar(-2 * most, 2 * most, "")
                    for i, j in pairs:
                        solver.Add(drop >= rows[x][i] - rows[x][j])
                    total.append(drop)
            if total:
                solver.Add(sum(total) <= cost)

    def tables(self, state: State, everywhere: bool = False) -> list[Table]:
        """Tables whose sum is as large as possible in a state; none if none are found in time, or they are no integers.
        `everywhere`: of those, tables with large numbers elsewhere, too. Only once, as it changes the program.
        """
        solver = self.solver
        here = sum(row[i] for row, i in zip(self.rows, state, strict=True))
        solver.Maximize(here)
        if solver.Solve() != self.solved[0] or (best := solver.Objective().Value()) < 1 - NEARLY:
            return []
        if everywhere:
            solver.Add(here >= (int(best + NEARLY) if self.whole else best - NEARLY))
            solver.Maximize(sum(number * (1 / len(row)) for row in self.rows for number in row))
            if solver.Solve() not in self.solved:
                return []
        values = [[number.solution_value() for number in row] for row in self.rows]
        if any(abs(value - round(value)) > 100 * NEARLY for row in values for value in row):
            return []
        rounded = ((x, list(map(round, row))) for x, row in enumerate(values))
        tables: list[Table] = [((x,), {(i,): number for i, number in enumerate(row)}) for x, row in rounded if any(row)]
        try:
            check_tables(self.problem, tables, self.limits)
        except Invalid:  # rounding
            return []
        return tables


def _pairs(problem: Problem, action: Action, x: int, limits: Limits) -> Iterator[tuple[int, int]]:
    """The values of a variable before and after an action, as far as they can be told from this variable."""
    before = problem.allowed(action.needs, x)
    for i in range(len(problem.domains[x])):
        if before >> i & 1:
            yield from ((i, j) for j in values_after(action, x, {x: i}, limits))


# Traps: values of some variables that no action ends, and with which the goal does not hold.
#
#     ####      Two boxes side by side at a wall: pushing either along the wall needs the other's cell to be free, and
#     #$$ #     nothing pushes them off it. A table says `-` where both are there.
#
# The largest set of a state's values that is closed in this sense is a fixpoint: as long as an action that may be
# made where they hold ends one of them, that one goes. If the goal contradicts what is left, values are left out, one
# by one, as long as that stays so.

LARGEST_TRAP = 1024
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
        if prod(map(len, values)) > LARGEST_TRAP:
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
            searched = search.run(most)
            self.until, taken = 2 * time.monotonic() - began, self.limits.held - before
            if not searched.open or not self._learn(searched):
                return Learned(sums, search.run() if searched.open else searched)
            self.limits.hold(-taken)
            most *= 2

    def _learn(self, searched: Searched) -> bool:
        """Learn from the open states of a search. Whether anything was learned."""
        before = len(self.sums) + len(self.traps)
        sample: list[tuple[int, State]] = []  # what the bound of a state would have to be, and the state
        for cost, state in self.random.sample(searched.open, min(SAMPLE, len(searched.open))):
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
        best = [max(0.0, *numbers) for numbers in zip(*(_bounds(terms, sample) for terms in self.sums), strict=True)]
        candidates = [(terms, _bounds(terms, sample)) for terms in sums]
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
        return [[table] for table in self.projections]

    def _grow(self, sample: list[tuple[int, State]]) -> None:
        """Let the best of the tables that share no variable with a grown one grow, by one variable after the other."""

        def worth(table: Table) -> float:
            return sum(_bounds([table], sample))

        while time.monotonic() < self.until and sum(len(table[1]) for table in self.projections) < MOST_NUMBERS:
            apart = [table for table in self.projections if self.grown.isdisjoint(table[0])]
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
