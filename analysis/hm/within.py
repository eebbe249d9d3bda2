"""h^m within a limit: what no plan of at most L steps has.

Let a plan of L + 1 steps be known. Then only plans of at most L steps are of interest, and a set S of facts is on such
a plan only if

    h(S) + rest(S) <= L          rest(S): a lower bound on the steps from a state that contains S to the goal.

In the fixpoint of `fixpoint.py` a set S that would get a value above L - rest(S) is *too late*: it is not reached. As
it is missing, other sets get larger values, or are not reached either. `rest` is backward h^m of the round before, or
of smaller sets; then the directions change places, again and again. If the goal is not reached, no plan has at most L
steps.

Each value is a lower bound for the plans of at most L steps. Proof: let s be the state of such a plan after t steps.
Then rest(S) <= L - t for all S ⊆ s. By induction over t, each S ⊆ s of up to m facts is reached with a value of at most
t; and t + rest(S) <= L, so it is not too late.

Klotski's classic opening, 116 steps, of which a plan is known: within 115 steps h⁵ does not reach the goal, so 116 is
proven; without a limit it proves 109. Sets of five that are reached: 1.6 million forward and then 0.5 million
backward, instead of 2.9 and 2.9.
"""

from __future__ import annotations

import numpy as np

from ...runtime.arrays import Int, Ints, Longs
from ...runtime.kernel_cache import njit
from .operator_arrays import NEVER
from .tuples import Numbering, Values


def too_late(rest: Values, limit: int) -> Values:
    """(sets): the least value with which a set is on no plan of at most `limit` steps, by its `rest`; 0 or more."""
    most = np.int16(min(limit + 1, NEVER))
    values: Values = most - np.minimum(rest, most)
    return values


def lifted_values(numbering: Numbering, values: Values) -> Values:
    """(sets): the values of sets of up to m facts, from those of up to m - 1: of m facts the largest of a part."""
    lifted = np.empty(numbering.sets, np.int16)
    lifted[: len(values)] = values
    size = numbering.order - 1
    _lift(numbering, lifted, np.arange(size, dtype=np.int32)[::-1].copy(), np.empty(size, np.int64))
    return lifted


@njit(cache=True, nogil=True, _nrt=False, effort=1)
def _lift(numbering: Numbering, values: Values, facts: Ints, parts: Longs) -> None:
    """Write the values of all sets of m facts. `facts` (m - 1): {m - 2, ..., 1, 0}; `parts` (m - 1): room.

    The sets are R ∪ {s}, s below all facts of R, R by R in the order of their numbers. The parts of R ∪ {s} are R, and
    for each fact r of R the set R without r and with s, whose number is a number that depends on R and r, plus s.
    """
    choose, size = numbering.choose, len(facts)
    smaller, first = numbering.value_of[size], numbering.value_of[size + 1]
    for number in range(choose[size, numbering.fact_count]):
        # 1. The numbers of the parts and of the set, each without s.
        start = first
        for i in range(size):
            start += choose[size + 1 - i, facts[i]]
            parts[i] = smaller
            for j in range(size):
                if j != i:
                    parts[i] += choose[size - j + (j > i), facts[j]]
        # 2. The largest value, for all s below the smallest fact of R.
        own = values[smaller + number]
        for s in range(facts[size - 1]):
            largest = own
            for i in range(size):
                value = values[parts[i] + s]
                largest = value if value > largest else largest
            values[start + s] = largest
        # 3. The next R: the last fact that has room below the one before goes up, those behind it start anew.
        k: Int = np.int64(size - 1)
        while k > 0 and facts[k] + 1 == facts[k - 1]:
            k -= 1
        facts[k] += 1
        for j in range(k + 1, size):
            facts[j] = size - 1 - j
