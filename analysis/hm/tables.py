"""Tables of h^m values of a task: what cannot be true before which step, and how far from the goal it is.

h^m forward from the initial state says, of each set of up to m facts, its *earliest layer*: no state in an earlier
layer (after fewer steps) contains it. h^m backward from the goal, with the operators reversed, says its *steps to the
goal*: from no state that contains it are fewer enough (Alcázar and Torralba, *A reminder about the importance of
computing and exploiting invariants in planning*, ICAPS 2015). What has no finite value in one direction is in no state
on a plan; so the two directions prune each other until nothing changes. Sets of two facts come first, and larger ones,
up to five (h² to h⁵), where they are affordable.

Values count the first component of the cost: steps, where every step costs one. What a walker walks between steps
weighs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import NamedTuple

import numpy as np

from ...models.task import Task
from ...runtime.arrays import Bytes, Flags, Ints, Shorts
from ..transforms.strips import to_strips
from .fixpoint import fixpoint
from .operator_arrays import NEVER, backwards, forwards
from .packed_sets import from_pairs, lifted, subsets_of, with_clauses
from .tuples import Numbering, Rows, Values, all_sets, values_of
from .within import lifted_values, too_late

# By m: how often the two directions, forward and backward, may prune each other. Pairs and triples are quick, and the
# third and fourth time they seldom find more. Sets of four and five take a minute or two for one time.
ROUNDS = {2: 4, 3: 4, 4: 1, 5: 1}

# The same as `ROUNDS`, for tables within a limit and every m, as long as each round is worth it.
ROUNDS_WITHIN = 8

# One more round is worth it within a limit if the last one left at most this part of the sets. Klotski's opening
# within 90 steps, h⁴: 0.55 after one round, 0 after two.
WORTH_A_ROUND = 0.9

# By m: sets of m facts are looked at where operators times sets of m - 1 facts are at most this number: that took a
# minute or two at most.
MAX_WORK = {3: 2_000_000_000, 4: 4_000_000_000, 5: 1_000_000_000}

# Factor on the expected work if some operators cost nothing (a walker's, for example): every value is gone through
# again and again.
FREE_STEPS = 8

# As `MAX_WORK`, for triples where they have to be quick: they took half a second or less.
QUICK_WORK = 20_000_000

# By m: sets of m facts are looked at if there are at most this many, for the memory: each has two values of two
# bytes, and the rows of bits.
MAX_SETS = {3: 60_000_000, 4: 60_000_000, 5: 80_000_000}

# The number of collections of sets that have to fit into memory. The fixpoint holds six at once; the same again is
# reserved for the solver beside it.
COPIES = 12

# The most choices of facts that meet some goal clauses, looked at for the goal's bound: a second.
GOAL_CHOICES = 100_000

# Lists of facts whose values are found in one step: many, so that NumPy is quick, and not too many, as the memory for
# them is in proportion.
LISTS_AT_ONCE = 64

SYMBOLS = {2: "h²", 3: "h³", 4: "h⁴", 5: "h⁵"}


@dataclass(frozen=True, slots=True)
class HmTables:
    """The h^m values of a task with F facts and N operators, over sets of up to `order` (m) facts.

    `forward[p, q]` (F, F): no state in a layer before `forward[p, q]` contains p and q; `backward[p, q]`: from a state
    that contains both, the goal needs at least this many steps; `NEVER` in either: no state on a plan contains both.
    The diagonals are the single facts. `forward_sets`, `backward_sets`: the same for all sets, by `numbering`.

    `earliest_layer` (N): the first layer in which an operator may be applied: the forward value of all that it
    requires. `steps_to_goal` (N): how many steps the goal needs at least *after* an operator: the backward value of all
    that is then true. Both include the walker's cell, or the object that a compound move has in hand (the compound move
    is paid for before its operators are applied).

    `lower_bound`: no plan has fewer steps; None: no plan exists. `limit`: all of this is said of plans of at most so
    many steps (None: of all plans); if there are none, `lower_bound` is one more. `name`: which relaxation this is.
    """

    forward: Shorts
    backward: Shorts
    forward_sets: Values
    backward_sets: Values
    numbering: Numbering
    earliest_layer: Ints
    steps_to_goal: Ints
    lower_bound: int | None
    limit: int | None = None

    @property
    def order(self) -> int:
        return self.numbering.order

    @property
    def name(self) -> str:
        return SYMBOLS[self.order] + ("" if self.limit is None else f" within {self.limit}")

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be found out: there is no plan, or none within the limit."""
        return self.lower_bound is None or (self.limit is not None and self.lower_bound > self.limit)

    def steps_from(self, facts: Iterable[int]) -> int:
        """How many steps the goal needs at least from a state with these facts; `NEVER` or more if it is lost."""
        return int(_values(self.numbering, self.backward_sets, [facts])[0])

    def earliest_beside(self, lists: Sequence[Iterable[int]], count: int) -> Shorts:
        """(len(lists), count): the first layer that may have a list of facts and one of the first `count` facts."""
        return _values_beside(self.numbering, self.forward_sets, lists, count)

    def steps_beside(self, lists: Sequence[Iterable[int]], count: int) -> Shorts:
        """(len(lists), count): the least number of steps to the goal from a state with a list of facts and one of the
        first `count` facts.
        """
        return _values_beside(self.numbering, self.backward_sets, lists, count)

    def excluded_pairs(self, t: int, horizon: int) -> Flags:
        """(F, F): the pairs that no plan of `horizon` steps has in layer `t`."""
        excluded: Flags = (self.forward > t) | (self.backward > horizon - t)
        return excluded

    def excluded_triples(self, t: int, horizon: int, pairs: Flags) -> Ints:
        """(n, 3): triples p > q > r that no plan of `horizon` steps has in layer `t`, though their `pairs` stand."""
        if self.order < 3:
            return np.zeros((0, 3), np.int32)
        start = self.numbering.value_of[3]
        those = slice(start, start + comb(len(pairs), 3))
        excluded = (self.forward_sets[those] > t) | (self.backward_sets[those] > horizon - t)
        p, q, r = _triples(len(pairs))
        excluded &= pairs[p, q] & pairs[p, r] & pairs[q, r]
        return np.stack([p[excluded], q[excluded], r[excluded]], axis=1)


@lru_cache(maxsize=1)
def _triples(count: int) -> Ints:
    """(3, triples): all triples of `count` facts; the same for every layer of a model."""
    return np.ascontiguousarray(all_sets(count, 3).T)


# Making them


def hm_tables(task: Task, order: int = 3, limit: int | None = None) -> HmTables:
    """The tables of a task, without its walker and compound moves (`to_strips`), over sets of up to `order` facts (2 to
    5) where affordable, of plans of at most `limit` steps.
    """
    *_, tables = rising_tables(task, order, limit=lambda: limit)
    return tables


def rising_tables(
    task: Task,
    order: int,
    stop: Bytes | None = None,
    fits: Callable[[int], bool] = lambda _size: True,
    limit: Callable[[], int | None] = lambda: None,
) -> Iterator[HmTables]:
    """The tables over sets of two facts, then of three, ... up to `order` while affordable, or until there is no plan.

    Another thread may set `stop` (1) to end a computation early; what is given then is of no use. `fits`: whether so
    many bytes more may be used; asked before sets of three and more. `limit`: of how many steps plans are of interest,
    at most; asked before each computation. When it has become less, the tables of one size are made once more.
    """
    strips = to_strips(task)
    stop = np.zeros(1, np.uint8) if stop is None else stop
    numbering = Numbering.of(len(strips.facts), 2)
    rest = np.zeros(numbering.sets, np.int16)
    allowed = _possible(strips, numbering)
    while True:
        most = limit()
        tables, allowed = _both_ways(task, strips, _Sets(numbering, allowed, rest, most), stop)
        yield tables
        if tables.complete:
            return
        rest, most = tables.backward_sets, limit()
        if most is not None and (tables.limit is None or most < tables.limit):
            continue
        if numbering.order == order or not _affordable(strips, numbering.order + 1):
            return
        numbering = Numbering.of(numbering.fact_count, numbering.order + 1)
        if not fits(COPIES * 8 * numbering.rows * numbering.words + 12 * numbering.sets):
            return
        allowed, rest = lifted(numbering, allowed), lifted_values(numbering, rest)


def quick_order(task: Task) -> int:
    """The size of the sets that can be looked at in about a second or less: 3 or 2."""
    strips = to_strips(task)
    return 3 if _affordable(strips, 3) and _work(strips, 3) <= QUICK_WORK else 2


def _affordable(strips: Task, order: int) -> bool:
    few = comb(len(strips.facts), order) <= MAX_SETS[order]
    return few and _work(strips, order) <= MAX_WORK[order]


def _work(strips: Task, order: int) -> int:
    """What sets of `order` facts cost: operators times sets of one fact less; more where steps cost nothing."""
    again = 1 if all(op.cost[0] for op in strips.operators) else FREE_STEPS
    return again * len(strips.operators) * comb(len(strips.facts), order - 1)


class _Sets(NamedTuple):
    """What is known of sets of up to m facts before their values are found: those `allowed`, lower bounds on the steps
    from them to the goal (`rest`), and the `limit` of the plans that are of interest, if there is one.
    """

    numbering: Numbering
    allowed: Rows
    rest: Values
    limit: int | None


def _both_ways(task: Task, strips: Task, sets: _Sets, stop: Bytes) -> tuple[HmTables, Rows]:
    """The tables over the allowed sets, and the sets that are in states on some plan as far as they tell."""
    numbering, allowed, rest, limit = sets
    ahead, back = forwards(strips.operators), backwards(strips.operators)
    start = subsets_of(numbering, strips.init)

    def late(values: Values) -> Values | None:
        return None if limit is None else too_late(values, limit)

    # Each direction leaves out the sets that the other one does not reach, or not early enough.
    for _ in range(ROUNDS[numbering.order] if limit is None else ROUNDS_WITHIN):
        before = rest
        reached, forward = fixpoint(numbering, start, allowed, ahead, stop, late(rest))
        goal = with_clauses(numbering, reached, strips.goal)
        allowed, rest = fixpoint(numbering, goal, reached, back, stop, late(forward))
        lost = int(_values(numbering, rest, [strips.init])[0]) >= NEVER
        if stop[0] or lost or (allowed == reached).all():
            break
        if limit is not None and _finite(rest) > WORTH_A_ROUND * _finite(before):
            break
    return _tables(task, strips, numbering, forward, rest, limit), allowed


def _finite(values: Values) -> int:
    """The number of sets with a finite value, that is, that can be reached."""
    return int(np.count_nonzero(values < NEVER))


def _tables(
    task: Task, strips: Task, numbering: Numbering, forward: Values, backward: Values, limit: int | None
) -> HmTables:
    """The tables of `task` from the values of its STRIPS form."""
    own = strips.operators[: len(task.operators)]
    from_start = int(_values(numbering, backward, [strips.init])[0])
    bound = max(from_start, _goal_value(numbering, forward, strips.goal))
    if limit is not None:  # what is on no plan within the limit may be on a longer one
        bound = min(bound, limit + 1)
    return HmTables(
        forward=_pairs(len(task.facts), numbering, forward),
        backward=_pairs(len(task.facts), numbering, backward),
        forward_sets=forward,
        backward_sets=backward,
        numbering=numbering,
        earliest_layer=_values(numbering, forward, [op.pre for op in own]).astype(np.int32),
        steps_to_goal=_values(numbering, backward, [op.after for op in own]).astype(np.int32),
        lower_bound=None if bound >= NEVER else bound,
        limit=limit,
    )


def _pairs(count: int, numbering: Numbering, values: Values) -> Shorts:
    """(F, F): the values of pairs, on the diagonal those of single facts."""
    pairs = np.zeros((count, count), np.int16)
    start = numbering.value_of[2]
    # The numbers of pairs p > q go through the lower triangle row by row, and those of the first facts come first.
    pairs[np.tril_indices(count, -1)] = values[start : start + comb(count, 2)]
    pairs += pairs.T
    np.fill_diagonal(pairs, values[:count])
    return pairs


def _possible(task: Task, numbering: Numbering) -> Rows:
    """The pairs that the task's mutex groups do not exclude."""
    possible = np.ones((len(task.facts), len(task.facts)), np.bool_)
    for group in task.groups:
        members = np.array(group.facts, np.int64)
        if group.count <= 1:
            possible[np.ix_(members, members)] = False
            possible[members, members] = group.count == 1
    return from_pairs(numbering, possible)


def _goal_value(numbering: Numbering, forward: Values, goal: tuple[tuple[int, ...], ...]) -> int:
    """The h^m value of a goal in clauses: the largest, over any k of the clauses, of the least value of a choice of
    facts that meets them; k at most m, and less where there are more than `GOAL_CHOICES` choices.
    """
    most = max(map(len, goal), default=1)
    sizes = range(2, numbering.order + 1)
    size = max([1, *(k for k in sizes if comb(len(goal), k) * most**k <= GOAL_CHOICES)])

    def least(clauses: tuple[tuple[int, ...], ...]) -> int:
        choices = [set(facts) for facts in product(*clauses)]
        return int(_values(numbering, forward, choices).min(initial=NEVER))

    return max((least(chosen) for chosen in combinations(goal, min(size, len(goal)))), default=0)


# Values of many facts


def _values(numbering: Numbering, values: Values, lists: Sequence[Iterable[int]]) -> Shorts:
    """(len(lists)): the value of each list of facts, of any lengths."""
    largest = np.zeros(len(lists), np.int16)
    for places, facts in _by_length(lists):
        largest[places] = values_of(numbering, values, facts)
    return largest


def _values_beside(numbering: Numbering, values: Values, lists: Sequence[Iterable[int]], count: int) -> Shorts:
    """(len(lists), count): the value of each list of facts and each of the first `count` facts."""
    largest = np.empty((len(lists), count), np.int16)
    every = np.arange(count, dtype=np.int32)
    for places, facts in _by_length(lists):
        n = facts.shape[1]
        alone = values_of(numbering, values, facts)
        for begin in range(0, len(places), LISTS_AT_ONCE):
            some = slice(begin, begin + LISTS_AT_ONCE)
            own = facts[some]
            union = np.empty((len(own), count, n + 1), np.int32)
            union[:, :, :n] = own[:, None, :]
            union[:, :, n] = every
            union[:, :, ::-1].sort(axis=2)
            # Beside a fact that is in the list, the list is all there is; else it has one fact more.
            apart = (own[:, None, :] != every[:, None]).all(axis=2)
            value = np.repeat(alone[some, None], count, axis=1)
            value[apart] = values_of(numbering, values, union[apart])
            largest[places[some]] = value
    return largest


def _by_length(lists: Sequence[Iterable[int]]) -> Iterator[tuple[Ints, Ints]]:
    """Lists of facts, those of one length together: their places in `lists`, and their facts (lists, n), descending."""
    ordered = [sorted(facts, reverse=True) for facts in lists]
    lengths = np.array([len(facts) for facts in ordered], np.int32)
    for length in np.unique(lengths).tolist():
        places = np.flatnonzero(lengths == length).astype(np.int32)
        yield places, np.array([ordered[i] for i in places.tolist()], np.int32).reshape(len(places), length)
