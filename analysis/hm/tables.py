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

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import Self

import numpy as np

from ...models.task import Operator, OperatorTask
from ...runtime import budget
from ...runtime.arrays import Bytes, Flags, Ints, Longs, Shorts, Words, bit_rows
from ..symmetries import symmetries_of
from ..transformed_tasks import to_strips
from .fixpoint import fixpoint
from .tuples import NEVER, Numbering, Rows, Values, all_sets, backwards, forwards, lift, numbers_of, values_of

# h^m within a limit: what no plan of at most L steps has.
#
# Let a plan of L + 1 steps be known. Then only plans of at most L steps are of interest, and a set S of facts is on
# such a plan only if
#
#     h(S) + rest(S) <= L          rest(S): a lower bound on the steps from a state that contains S to the goal.
#
# In the fixpoint of `fixpoint.py` a set S that would get a value above L - rest(S) is *too late*: it is not reached.
# As it is missing, other sets get larger values, or are not reached either. `rest` is backward h^m of the round
# before, or of smaller sets; then the directions change places, again and again. If the goal is not reached, no plan
# has at most L steps.
#
# Each value is a lower bound for the plans of at most L steps. Proof: let s be the state of such a plan after t
# steps. Then rest(S) <= L - t for all S ⊆ s. By induction over t, each S ⊆ s of up to m facts is reached with a value
# of at most t; and t + rest(S) <= L, so it is not too late.
#
# Klotski's classic opening, 116 steps, of which a plan is known: within 115 steps h⁵ does not reach the goal, so 116
# is proven; without a limit it proves 109. Sets of five that are reached: 1.6 million forward and then 0.5 million
# backward, instead of 2.9 and 2.9.


def too_late(rest: Values, limit: int) -> Values:
    """(sets): the least value with which a set is on no plan of at most `limit` steps, by its `rest`; 0 or more."""
    most = np.int16(min(limit + 1, NEVER))
    values: Values = np.minimum(rest, most)
    return np.subtract(most, values, out=values)


# Collections of sets of facts as rows of bits (see `tuples`), made and combined in NumPy.


def from_pairs(numbering: Numbering, pairs: Flags) -> Rows:
    """The collection, for m = 2, of the pairs that are true in a matrix (F, F), and of the facts on its diagonal."""
    # Row 0 is that of {}, the single facts; row 1 + p that of {p}. Columns are filled up to whole words.
    padded = np.zeros((numbering.fact_count + 1, 64 * numbering.words), np.bool_)
    padded[0, : numbering.fact_count] = pairs.diagonal()
    padded[1:, : numbering.fact_count] = pairs
    np.fill_diagonal(padded[1:], False)
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


def subsets_of(numbering: Numbering, facts: Iterable[int]) -> Rows:
    """The collection of all sets of up to m of these facts: in the row of each smaller set of them, all the others."""
    chosen = np.array(sorted(facts), np.int32)
    rows = np.zeros((numbering.rows, numbering.words), np.uint64)
    whole = bit_rows([chosen.tolist()], numbering.words)[0]
    for size in range(numbering.order):
        sets = chosen[all_sets(len(chosen), size)]
        row = numbering.row_of[size + 1] + numbers_of(numbering, sets)
        # In the row of R all facts have their bits, but those of R.
        rows[row] = whole
        for i in range(size):
            rows[row, sets[:, i] >> 6] ^= _bit(sets[:, i])
    return rows


def lifted(numbering: Numbering, rows: Rows, values: Values) -> tuple[Rows, Values]:
    """A collection of sets of up to m - 1 facts, and all sets of m facts whose smaller sets are in it; with values, of
    a set of m facts the largest of a part.
    """
    larger = np.resize(rows, (numbering.rows, numbering.words))  # what it puts behind `rows` is written over
    lifted_values = np.full(numbering.sets, NEVER, np.int16)
    lifted_values[: len(values)] = values
    lift(numbering, larger, lifted_values, np.empty(numbering.order, np.int32))
    return larger, lifted_values


def with_clauses(numbering: Numbering, rows: Rows, clauses: Iterable[Iterable[int]]) -> Rows:
    """The sets S of a collection that can be true together with some fact c of each clause, one clause at a time, as
    far as the collection tells: every set of up to m facts in S ∪ {c} is in it.
    """
    kept = rows.copy()
    for size in range(numbering.order):
        # The sets S = R ∪ {s} with |R| = size; R by R, all s at once.
        sets = all_sets(numbering.fact_count, size)
        first = int(numbering.row_of[size + 1])
        own = rows[first : first + len(sets)]
        for clause in clauses:
            met = np.zeros_like(own)
            for c in clause:
                # R has c: then S ∪ {c} is S. R has not: then S and c have to go together, and s may be c itself.
                among = (sets == c).any(axis=1)
                met[among] |= own[among]
                apart = np.flatnonzero(_has(own, np.int32(c)) & ~among)
                met[apart] |= _beside(numbering, rows, sets[apart], c) | bit_rows([[c]], numbering.words)[0]
            kept[first : first + len(sets)] &= met
    return kept


def _beside(numbering: Numbering, rows: Rows, sets: Ints, fact: int) -> Words:
    """(sets, W): for each set R, without `fact`, the s such that all sets of up to m facts in R ∪ {s, fact} that have s
    and `fact`, or are R ∪ {s}, are in the collection.
    """
    size = sets.shape[1]
    beside: Words = rows[numbering.row_of[size + 1] + numbers_of(numbering, sets)]
    # R ∪ {s, c} is small enough to be in the collection, or all its parts of m facts with s and c have to be.
    if size + 2 <= numbering.order:
        beside &= rows[numbering.row_of[size + 2] + _numbers_with(numbering, sets, fact)]
        return beside
    for i in range(size):
        smaller = _numbers_with(numbering, np.delete(sets, i, axis=1), fact)
        beside &= rows[numbering.row_of[size + 1] + smaller]
    return beside


def _numbers_with(numbering: Numbering, sets: Ints, fact: int) -> Longs:
    """(sets): the numbers of sets (sets, k), each without `fact`, after `fact` has been put into each."""
    size, choose = sets.shape[1], numbering.choose
    place = (sets > fact).sum(axis=1)
    numbers: Longs = choose[size + 1 - place, fact]
    # The larger facts, in front of it, count by a binomial of one more than before; the smaller ones as before.
    for i in range(size):
        numbers += choose[size + 1 - i - (i >= place), sets[:, i]]
    return numbers


def _bit(facts: Ints) -> Words:
    bits: Words = np.uint64(1) << (facts & 63).astype(np.uint64)
    return bits


def _has(rows: Rows, facts: Ints | np.int32) -> Flags:
    """(n): whether row i has the bit of `facts[i]`, or of one fact given for all rows."""
    words = rows[np.arange(len(rows)), facts >> 6]
    has_bit: Flags = (words >> (facts & 63).astype(np.uint64)) & np.uint64(1) != 0
    return has_bit


# By m: how often the two directions, forward and backward, may prune each other. Pairs and triples are quick, and the
# third and fourth time they seldom find more. Sets of four and five take a minute or two for one time.
ROUNDS = {2: 4, 3: 4, 4: 1, 5: 1}

# The same as `ROUNDS`, for tables within a limit and every m, as long as each round is worth it.
ROUNDS_WITHIN = 8

# One more round is worth it within a limit if the last one left at most this part of the sets; of four and more facts,
# if that is so of its way backward alone. Klotski's opening within 90 steps, h⁴: 0.55 after one round, 0 after two;
# within 80 moves, where the way backward leaves 0.97, a second round took 1.2 s and left 0.99.
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


def hm_tables(task: OperatorTask, order: int = 3, limit: int | None = None) -> HmTables:
    """The tables of a task, without its walker and compound moves (`to_strips`), over sets of up to `order` facts (2 to
    5) where affordable, of plans of at most `limit` steps.
    """
    *_, tables = rising_tables(task, order, limit=lambda: limit)
    return tables


def rising_tables(
    task: OperatorTask,
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
        tables, allowed = _both_ways(task, numbering, allowed, rest, most, stop)
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
        allowed, rest = lifted(numbering, allowed, rest)


def quick_order(task: OperatorTask) -> int:
    """The size of the sets that can be looked at in about a second or less: 3 or 2."""
    strips = to_strips(task)
    return 3 if _affordable(strips, 3) and _work(strips, 3) <= QUICK_WORK else 2


def _affordable(strips: OperatorTask, order: int) -> bool:
    few = comb(len(strips.facts), order) <= MAX_SETS[order]
    return few and _work(strips, order) <= MAX_WORK[order]


def _work(strips: OperatorTask, order: int) -> int:
    """What sets of `order` facts cost: operators times sets of one fact less; more where steps cost nothing."""
    again = 1 if all(op.cost[0] for op in strips.operators) else FREE_STEPS
    return again * len(strips.operators) * comb(len(strips.facts), order - 1)


def _both_ways(
    task: OperatorTask, numbering: Numbering, allowed: Rows, rest: Values, limit: int | None, stop: Bytes
) -> tuple[HmTables, Rows]:
    """The tables over the allowed sets, and the sets that are in states on some plan as far as they tell. `rest`: lower
    bounds on the steps from a set to the goal; `limit`: of the plans that are of interest, if there is one.
    """
    strips = to_strips(task)
    operators, mirror = mirrored(strips) if numbering.order > 3 else (strips.operators, None)
    ahead, back = forwards(operators), backwards(operators)
    start = subsets_of(numbering, strips.init)

    def late(values: Values) -> Values | None:
        return None if limit is None else too_late(values, limit)

    # Each direction leaves out the sets that the other one does not reach, or not early enough.
    for _ in range(ROUNDS[numbering.order] if limit is None else ROUNDS_WITHIN):
        before = rest
        reached, forward = fixpoint(numbering, start, allowed, ahead, stop, late(rest), mirror)
        goal = with_clauses(numbering, reached, strips.goal)
        allowed, rest = fixpoint(numbering, goal, reached, back, stop, late(forward), mirror)
        lost = int(_values(numbering, rest, [strips.init])[0]) >= NEVER
        if stop[0] or lost or (allowed == reached).all():
            break
        compared = before if numbering.order < 4 else forward
        if limit is not None and (rest < NEVER).sum() > WORTH_A_ROUND * (compared < NEVER).sum():
            break
    return _tables(task, strips, numbering, forward, rest, limit), allowed


def mirrored(strips: OperatorTask) -> tuple[Sequence[Operator], Ints | None]:
    """A symmetry that is its own inverse and maps the start to itself, if there is one; of each operator and its image
    one. A set and its image have the same value, in both directions, so h^m visits half of the operators.
    """
    init = set(strips.init)
    for image in symmetries_of(strips).fact:
        to = image.tolist()
        if (image[image] == np.arange(len(to))).all() and {to[f] for f in init} == init:
            kept = {}
            for op in strips.operators:
                parts = [(frozenset(part), frozenset(to[f] for f in part)) for part in (op.pre, op.add, op.delete)]
                kept[frozenset(zip(*parts, strict=True)), op.cost] = op
            return tuple(kept.values()), image
    return strips.operators, None


def _tables(
    task: OperatorTask, strips: OperatorTask, numbering: Numbering, forward: Values, backward: Values, limit: int | None
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


def _possible(task: OperatorTask, numbering: Numbering) -> Rows:
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


# What cannot be true where a walker stands, and where an operator is applied.
#
# A bounded model has no facts for the walker's cell, so two kinds of exclusion are not among its pairs of facts: a
# fact excludes that the walker gets to a cell, and a fact excludes that an operator is applied. h^m knows both, since
# its sets can contain the walker's cell:
#
#     earliest_layer[o, f] = h^m forward of  pre(o) ∪ {walker's cell before o} ∪ {f}
#     steps_to_goal[o, f]  = 1 + h^m backward of  after(o) ∪ {walker's cell after o} ∪ {f}
#
# where the 1 is the operator's own step. (Operator and fact are then mutually exclusive, as in the planning graph of
# Blum and Furst, *Fast planning through planning graph analysis*, AIJ 1997, but by h² to h⁵.)


@dataclass(frozen=True, slots=True)
class WalkerPairs:
    """K conditions (an operator is applied in this layer, or the walker can reach a region) beside each of F facts.

    `earliest_layer[k, f]` (K, F): the earliest layer in which condition k and fact f can hold together.
    `steps_to_goal[k, f]` (K, F): how many steps the goal then needs at least from that layer on.
    """

    earliest_layer: Shorts
    steps_to_goal: Shorts

    def excluded(self, t: int, horizon: int) -> Flags:
        """(K, F): true where condition k and fact f cannot both hold in layer `t` of a plan of `horizon` steps."""
        excluded: Flags = (self.earliest_layer > t) | (self.steps_to_goal > horizon - t)
        return excluded


def operator_pairs(task: OperatorTask, tables: HmTables) -> WalkerPairs:
    """Each operator (K = N), in the layer in which it is applied, beside each fact."""
    count = len(task.facts)
    operators = to_strips(task).operators[: len(task.operators)]
    earliest = tables.earliest_beside([op.pre for op in operators], count)
    to_goal = 1 + tables.steps_beside([op.after for op in operators], count)
    for number, op in enumerate(operators):
        to_goal[number, [f for f in op.delete if f < count]] = 0  # true before it, and not after
    return WalkerPairs(earliest, to_goal)


def cell_pairs(task: OperatorTask, tables: HmTables, regions: Iterable[Iterable[int]]) -> WalkerPairs:
    """The walker in each of K regions beside each fact. It can reach all cells of a region if it can reach one."""
    count = len(task.facts)
    standing = to_strips(task).groups[len(task.groups)].facts  # by cell
    cells = [[(standing[cell],) for cell in region] for region in regions]
    return WalkerPairs(
        earliest_layer=np.array([tables.earliest_beside(region, count).max(axis=0) for region in cells]),
        steps_to_goal=np.array([tables.steps_beside(region, count).max(axis=0) for region in cells]),
    )


# h^m for larger and larger m on the second core, while a solver works with the tables that are ready on the first.

# Seconds between two looks at whether tables are ready.
POLL = 0.005


class BackgroundHm:
    """Computes the tables of a task over larger and larger sets, up to `order` (m) facts, in a thread of its own (the
    kernels release Python's lock).

    With the sets of more than `at_once` facts it begins `pause` seconds after it was made, so that what is solved
    quickly costs nothing more. `limit`: plans of more steps are of no interest any longer; None: all plans are.
    """

    def __init__(
        self, task: OperatorTask, order: int, pause: float, fits: Callable[[int], bool], at_once: int = 3
    ) -> None:
        """`fits(n)`: whether n bytes more may be used."""
        self.task, self.order, self.fits, self.at_once = task, order, fits, at_once
        self.tables: HmTables | None = None
        self.limit: int | None = None
        self.order_ready = 0
        """The largest m for which tables were made; they may have been taken already."""
        self._lock = threading.Lock()
        self._begins = time.monotonic() + pause
        self._error: BaseException | None = None
        self._stopped, self._news = threading.Event(), threading.Event()
        self._stop = np.zeros(1, np.uint8)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def wait(self, order: int, patience: float, stopped: Callable[[], object]) -> None:
        """Until there are tables over sets of `order` facts, or no larger ones will come: at most `patience` seconds,
        and until `stopped`, which is asked again and again, says so.
        """
        until = time.monotonic() + patience
        while self._thread.is_alive() and self.order_ready < order and time.monotonic() < until and not stopped():
            if self._news.wait(POLL):
                self._news.clear()

    def take(self) -> HmTables | None:
        """Hand out the tables for the largest m that is ready, each once. If the computation failed, raises its
        exception.
        """
        if self._error:
            raise self._error
        with self._lock:
            tables, self.tables = self.tables, None
        return tables

    @property
    def ended(self) -> bool:
        """Whether no tables for a larger m will come."""
        return not self._thread.is_alive()

    def stop(self) -> None:
        """End the computation, at the next operator that it looks at (if it is not just being compiled)."""
        self._stop[0] = 1
        self._stopped.set()
        self._thread.join(budget.THREAD)
        self.tables = None

    def _run(self) -> None:
        try:
            for tables in rising_tables(self.task, self.order, self._stop, self.fits, lambda: self.limit):
                if self._stop[0]:
                    return
                with self._lock:
                    self.tables, self.order_ready = tables, tables.order
                self._news.set()
                if tables.order == self.at_once and self._stopped.wait(max(0.0, self._begins - time.monotonic())):
                    return
        except MemoryError:  # then there are no more tables
            pass
        except BaseException as error:  # for the thread that waits for the tables
            self._error = error
