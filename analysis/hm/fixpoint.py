"""Relaxed reachability h^m (Haslum and Geffner, *Admissible heuristics for optimal planning*, AIPS 2000), m = 2 to 5.

The value h(S) of a set of facts is a lower bound on the steps before a state that contains it. For |S| <= m it is

    h(S) = 0                                      if S is true at the start,
           min of cost(o) + h(pre(o) ∪ (S - add(o)))
               over the operators o that add a fact of S and delete none        otherwise;

for more facts, and that is the relaxation, it is

    h(S) = max of h(T) over the subsets T of S with |T| = m.

Sets that cannot be built up from the start by operators, and sets that are not allowed, have the value `NEVER`. Larger
m give larger values: on the classic Klotski opening pairs prove 7 of 116 steps, triples 52, sets of four 82 and sets
of five 109.

`relax` finds the values in their order, so that one that is found is final (as Dijkstra's algorithm does): it visits
the operators round after round, until nothing more is reached at the present value, and goes on to the next. How the
sets that one operator achieves are found without looking at each of them: `kept_facts`. How they are stored: `tuples`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Int, Ints
from ...runtime.intrinsics import on_stack
from ...runtime.kernel_cache import njit
from ..bitset_kernels import ONE, has_bit
from .achieved_sets import (
    CLOCK,
    FULL,
    OPERATOR,
    REACHED,
    VALUE,
    WAITING,
    Batch,
    HmState,
    Visit,
    emit,
    next_value,
    note,
    reach_waiting,
    restrict,
)
from .kept_facts import Beside, compare, extend
from .operator_arrays import NEVER, OperatorArrays
from .tuples import Numbering, Rows, Values, add_bit, start_values

# Room, at first, for sets that wait to be reached: 0.3 MB for m = 5, enough for most boards of 6x6.
FIRST_WAITING = 1 << 14

# The factor by which `FIRST_WAITING` grows when it is used up; then the visit of one operator is made again.
MORE_WAITING = 4


class Visits(NamedTuple):
    """What is kept of the visits to N operators, and room for one.

    `at` (N): when each operator was last visited; -1: never. `seen` (N, sets of m - 3 facts, W): beside[.] then (see
    `kept_facts`). `parts` (rows, m), `begin` (P + 1, m + 2): the subsets of up to m of n places, for each number n of
    preconditions that occurs, P at most; those of q places at `parts[begin[n, q] : begin[n, q + 1], :q]`.
    `given` (W), `kept` (m): see `Visit`.
    """

    at: Ints
    seen: Rows
    parts: Ints
    begin: Ints
    given: Rows
    kept: Ints


def fixpoint(
    numbering: Numbering,
    start: Rows,
    allowed: Rows,
    operators: OperatorArrays,
    stop: Bytes,
    too_late: Values | None = None,
) -> tuple[Rows, Values]:
    """The sets that are reached from those of `start` within those `allowed`, and the value of every set.

    Sets that are not reached have the value `NEVER`. `too_late`: a set is not reached with this value or a larger one
    (see `within`; None: all values will do); no set has less of it than a larger set. Another thread may set `stop` (1)
    to end the computation; then the values are too large to be bounds.
    """
    # The kernel allocates nothing. Where its room does not do, it returns, and goes on with more.
    state = _state(numbering, start, allowed, too_late)
    if len(operators.costs):
        beside, batch, visits = _beside(numbering), _batch(numbering), _visits(numbering, operators)
        while relax(operators, state, visits, beside, batch, stop):
            waiting = state.waiting
            room = np.empty((MORE_WAITING * len(waiting), numbering.order), np.int32)
            room[: len(waiting)] = waiting
            state.counters[FULL] = 0
            state = state._replace(waiting=room)
    if too_late is not None:
        state.values[state.values >= too_late] = NEVER
    return state.reached, state.values


def _state(numbering: Numbering, start: Rows, allowed: Rows, too_late: Values | None) -> HmState:
    """The state of the fixpoint before the first visit. A value above the limit means no value yet: any smaller one
    replaces it.
    """
    n, order = numbering, numbering.order
    reached = start & allowed
    values = np.full(n.sets, NEVER, np.int16) if too_late is None else too_late.copy()
    start_values(reached, n, values, np.empty(order, np.int32))
    return HmState(
        numbering=n,
        reached=reached,
        wanted=allowed & ~reached,
        values=values,
        grown=np.zeros((2, int(n.row_of[order] - n.row_of[order - 1]), n.words), np.uint64),
        touched=np.zeros(n.fact_count, np.int32),
        waiting=np.empty((FIRST_WAITING, order), np.int32),
        counters=np.zeros(6, np.int64),
        scratch=np.empty((3, order + 1), np.int32),
    )


def _beside(numbering: Numbering) -> Beside:
    n, order = numbering, numbering.order
    kept = int(n.row_of[max(2, order - 1)])  # rows of sets of up to m - 3 facts
    sets = max(n.fact_count, int(n.choose[max(0, order - 3), n.fact_count]))  # of a size up to m - 3
    return Beside(
        rows=np.zeros((kept, n.words), np.uint64),
        new=np.zeros((kept, n.words), np.uint64),
        partners=np.zeros((1 + n.fact_count if order == 5 else 1, n.words), np.uint64),
        sets=np.empty((2, sets, order), np.int32),
        facts=np.empty(max(n.fact_count, order), np.int32),
        candidates=np.zeros(n.words, np.uint64),
        grew=np.zeros(n.words, np.uint64),
        last=np.zeros(n.words, np.uint64),
    )


def _batch(numbering: Numbering) -> Batch:
    n, most = numbering, 1 + int(numbering.row_of[numbering.order])
    return Batch(
        kept=np.empty((most, n.order), np.int32),
        sizes=np.empty(most, np.int32),
        rows=np.empty((most, n.words), np.uint64),
        noted=np.zeros(1, np.int64),
    )


def _visits(numbering: Numbering, operators: OperatorArrays) -> Visits:
    order, count = numbering.order, len(operators.costs)
    remembered = int(numbering.choose[order - 3, numbering.fact_count]) if order > 2 else 1
    parts, begin = _parts(operators.lengths, order)
    return Visits(
        at=np.full(count, -1, np.int32),
        seen=np.zeros((count, remembered, numbering.words), np.uint64),
        parts=parts,
        begin=begin,
        given=np.zeros(numbering.words, np.uint64),
        kept=np.empty(order, np.int32),
    )


@lru_cache(maxsize=4)
def _parts(lengths: tuple[int, ...], order: int) -> tuple[Ints, Ints]:
    """The subsets of up to `order` of n places, for each n in `lengths`: see `Visits`."""
    parts: list[tuple[int, ...]] = []
    begin = np.zeros((max(lengths) + 1, order + 2), np.int32)
    for n in lengths:
        for q in range(order + 1):
            begin[n, q] = len(parts)
            parts += [(*places, *[0] * (order - q)) for places in combinations(range(n), q)]
        begin[n, order + 1] = len(parts)
    return np.array(parts, np.int32), begin


@njit(cache=True, nogil=True, _nrt=False, effort=1)
def relax(operators: OperatorArrays, state: HmState, visits: Visits, beside: Beside, batch: Batch, stop: Bytes) -> bool:
    """Reach what can be reached. `state` and `visits` are changed in place; to be called again if it returns True,
    with more room for waiting sets.

    Invariant: whatever an operator achieves from the sets that were reached when it was visited is reached or waits.
    """
    counters, costs, count = state.counters, operators.costs, len(operators.costs)
    # Where all operators cost the same, what waits has its final value. Sets that the cheapest ones achieve are final
    # in any case: nothing that comes later is cheaper.
    least = largest = costs[0]
    for op in range(count):
        least = costs[op] if costs[op] < least else least
        largest = costs[op] if costs[op] > largest else largest
    while True:
        op, began, level = counters[OPERATOR], counters[WAITING], counters[VALUE]
        counters[OPERATOR] += 1
        if op < count:
            # 1. Visit the next operator, if that can achieve anything.
            if not _worth_a_visit(operators, state, visits, op):
                continue
            if stop[0]:
                return False
            visits.at[op] = counters[CLOCK]
            counters[CLOCK] += 1
            _visit(operators, state, visits, beside, batch, op, costs[op] == 0 or costs[op] == least)
            if counters[FULL]:  # once more from the beginning, with more room
                visits.at[op] = -1
                for row in range(visits.seen.shape[1]):
                    for w in range(visits.seen.shape[2]):
                        visits.seen[op, row, w] = 0
                counters[OPERATOR] = op
            if costs[op]:
                if counters[FULL]:
                    return True
                continue
        else:
            # 2. The next round; at the next value, if nothing was reached in this one.
            counters[OPERATOR] = 0
            # What has grown for an operator since its last visit has grown in this round or in the one before;
            # otherwise it would have been visited in between. So two generations of `grown` do, and the older one is
            # forgotten now.
            for row in range(state.grown.shape[1]):
                for w in range(state.grown.shape[2]):
                    state.grown[1, row, w] = state.grown[0, row, w]
                    state.grown[0, row, w] = 0
            if counters[REACHED]:
                counters[REACHED] = 0
                continue
            level = next_value(state, least == largest)
            if level >= NEVER:
                return False
            counters[CLOCK] += 1
            counters[VALUE] = level
            began = 0
        # 3. Reach sets: of the next value, all that wait; of the present one, if the operator cost nothing, those that
        #    came in this visit; then one more round at this value is due (`REACHED`).
        reach_waiting(state, began, level, least == largest)
        counters[REACHED] &= op < count
        if counters[FULL]:
            return True


@njit(inner=True, forceinline=True)
def _worth_a_visit(operators: OperatorArrays, state: HmState, visits: Visits, op: Int) -> bool:
    """Whether a precondition was touched since the visit before, and all of them can be true together."""
    numbering, facts, last = state.numbering, operators.facts, visits.at[op]
    first, end = operators.offsets[3 * op], operators.offsets[3 * op + 1]
    touched = last < 0 or first == end
    for i in range(first, end):
        touched |= state.touched[facts[i]] > last
    if not touched or last >= 0:
        return bool(touched)
    # Before the first visit: whether all sets of up to m preconditions are reached.
    # A set is one bit: that of its last (smallest) fact, in the row that the facts before it number.
    n = end - first
    size = numbering.order if numbering.order < n else n
    for k in range(visits.begin[n, size], visits.begin[n, size + 1] if size else 0):
        row = numbering.row_of[size]
        for i in range(size - 1):
            row += numbering.choose[size - 1 - i, facts[first + visits.parts[k, i]]]
        if not has_bit(state.reached[row], facts[first + visits.parts[k, size - 1]]):
            return False
    return True


@njit(inner=True, forceinline=True)
def _visit(
    operators: OperatorArrays, state: HmState, visits: Visits, beside: Beside, batch: Batch, op: Int, final: bool
) -> None:
    """Visit an operator: achieve the sets that it makes true now."""
    order, offsets, facts = state.numbering.order, operators.offsets, operators.facts
    pre = facts[offsets[3 * op] : offsets[3 * op + 1]]
    add = facts[offsets[3 * op + 1] : offsets[3 * op + 2]]
    given, row, added = visits.given, beside.rows[0], batch.rows[0]
    visit = Visit(
        pre=pre,
        add=add,
        given=given,
        parts=visits.parts,
        begin=visits.begin[len(pre)],
        kept=visits.kept,
        value=state.counters[VALUE] + operators.costs[op],
        final=final,
    )
    visit = on_stack(visit)
    # 1. What may be kept, beside[{}]: reached, with all sets of up to m - 1 preconditions, or given, and not deleted.
    for w in range(len(given)):
        given[w] = added[w] = 0
        row[w] = state.reached[0, w]
    if len(pre):
        restrict(state, visit, np.int64(0), row)
    for p in pre:
        add_bit(given, p)
    for i in range(offsets[3 * op + 2], offsets[3 * op + 3]):
        deleted = ~(ONE << np.uint64(facts[i] & 63))
        given[facts[i] >> 6] &= deleted
        row[facts[i] >> 6] &= deleted
    for a in add:
        add_bit(given, a)
        add_bit(added, a)
    for w in range(len(given)):
        row[w] |= given[w]
    # 2. Note the sets {a}, then {a} ∪ {s}, then those with more kept facts, R.
    batch.sizes[0] = -1
    batch.noted[0] = 1
    note(batch, visit.kept, np.int64(0), row)
    sets: Int = np.int64(1)  # R of the size looked at; the first one is {}
    for size in range(1, order - 1):
        if size == order - 2:
            compare(state, beside, sets, visits.seen[op])
        sets = extend(state, visit, beside, batch, size, sets)
    # 3. Achieve those that are wanted.
    emit(state, visit, batch)
