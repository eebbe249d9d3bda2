"""Sets of up to m facts: how they are numbered, and how a collection of them is packed.

*Numbers.* The facts of a set are in descending order, a > b > c > ... The sets of k facts are numbered

    number({a, b, c, ...}) = C(a, k) + C(b, k - 1) + C(c, k - 2) + ...

(the combinatorial number system; Knuth, *The Art of Computer Programming*, 7.2.1.3). So the sets of the first n facts
have the first C(n, k) numbers, whatever the number of facts. For k = 2:

    {1,0} 0    {2,0} 1    {2,1} 2    {3,0} 3    {3,1} 4    {3,2} 5    ...

*Collections.* Which sets are in a collection is kept as rows of bits (`Rows`). The row of a set S of k - 1 facts has a
bit for each fact s that makes S ∪ {s} a set of k facts in the collection. With the facts 0 to 3, the collection
{0}, {2}, {3}, {0,2}, {2,3} is, for m = 2:

    row of      fact 3 2 1 0
    0  {}            1 1 0 1     {3}, {2}, {0}
    1  {0}           0 1 0 0     {0,2}
    2  {1}           0 0 0 0
    3  {2}           1 0 0 1     {2,3} and {0,2}
    4  {3}           0 1 0 0     {2,3}

So a set of k facts has a bit in k rows (above, {0,2} in rows 1 and 3). That costs memory, but which facts s complete
each of several sets is the AND of their rows, 64 facts at a time: this is what makes h^m fast here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from ...models.task import Operator
from ...runtime.arrays import Int, Ints, Longs, Shorts, Words, to_csr
from ...runtime.bitops import leading_zeros, trailing_zeros
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE, has_bit

# (rows, W): a collection of sets, as above.
Rows = Words

# (sets): a value for each set of one fact, then of two, and so on, each size in the order of the numbers.
Values = Shorts


class Numbering(NamedTuple):
    """The numbers of the sets of up to `order` (m) of `fact_count` (F) facts.

    `choose` (m + 1, F + 1): binomial coefficients, `choose[k, n]` = C(n, k). `row_of` (m + 1): the row of the set S is
    `row_of[|S| + 1] + number(S)`; so `row_of[k]` is where the rows of sets begin that one fact makes a set of k.
    `value_of` (m + 1): the value of S stands at `value_of[|S|] + number(S)`.
    """

    fact_count: int
    order: int
    choose: Longs
    row_of: Longs
    value_of: Longs

    @classmethod
    def of(cls, count: int, order: int) -> Numbering:
        choose = np.array([[comb(n, k) for n in range(count + 1)] for k in range(order + 1)], np.int64)
        sizes = [comb(count, k) for k in range(order + 1)]
        return cls(
            fact_count=count,
            order=order,
            choose=choose,
            row_of=np.array([0, *np.cumsum([0, *sizes[:-1]])], np.int64)[: order + 1],
            value_of=np.array([0, *np.cumsum([0, *sizes[1:]])], np.int64)[: order + 1],
        )

    @property
    def rows(self) -> int:
        """How many rows a collection has."""
        return sum(comb(self.fact_count, k) for k in range(self.order))

    @property
    def words(self) -> int:
        """W, the words of a row."""
        return (self.fact_count + 63) // 64

    @property
    def sets(self) -> int:
        """How many sets have a value."""
        return sum(comb(self.fact_count, k) for k in range(1, self.order + 1))


# Numbers, in kernels. All of these are so small that they belong into the code of their callers.


@njit(inner=True, forceinline=True)
def number_of(choose: Longs, facts: Ints, size: Int) -> Int:
    """The number of a set of `size` facts in descending order."""
    # Combinatorial number system: a > b > c have the number C(a, 3) + C(b, 2) + C(c, 1), so {5, 2, 0} has 10 + 1 + 0 =
    # 11. Sets of one size are numbered from 0 without gaps.
    number = np.int64(0)
    for i in range(size):
        number += choose[size - i, facts[i]]
    return number


@njit(inner=True, forceinline=True)
def number_of_any(choose: Longs, facts: Ints, size: Int) -> Int:
    """The number of a set of at most four facts in any order.

    The largest and the smallest fact are found by comparing, the others are what remains of the sum.
    """
    if size == 0:
        return np.int64(0)
    a = np.int64(facts[0])
    if size == 1:
        return a
    b = np.int64(facts[1])
    high, low = (a, b) if a > b else (b, a)
    if size == 2:
        return np.int64(choose[2, high] + low)
    c = np.int64(facts[2])
    if size == 3:
        first = high if high > c else c
        last = low if low < c else c
        return np.int64(choose[3, first] + choose[2, a + b + c - first - last] + last)
    d = np.int64(facts[3])
    # Four facts: two pairs are ordered, then the two larger and the two smaller ones meet (a sorting network of five
    # comparisons).
    high2, low2 = (c, d) if c > d else (d, c)
    first, one = (high, high2) if high > high2 else (high2, high)
    last, other = (low, low2) if low < low2 else (low2, low)
    second, third = (one, other) if one > other else (other, one)
    return np.int64(choose[4, first] + choose[3, second] + choose[2, third] + last)


@njit(inner=True, forceinline=True)
def insert(facts: Ints, size: Int, fact: Int, union: Ints) -> None:
    """Write a set of `size` facts (descending) and one more to `union`, descending."""
    i = size
    while i > 0 and facts[i - 1] < fact:
        union[i] = facts[i - 1]
        i -= 1
    union[i] = fact
    for j in range(i):
        union[j] = facts[j]


# Rows of bits, in kernels.


@njit(inner=True, forceinline=True)
def add_bit(row: Words, fact: Int) -> None:
    """Set the bit of a fact in a row."""
    row[fact >> 6] |= ONE << np.uint64(fact & 63)


@njit(inner=True, forceinline=True)
def members(row: Words, below: Int, facts: Ints) -> Int:
    """Write the facts of a row that are less than `below` to `facts`, in descending order; how many there are."""
    found = 0
    for w in range((below + 63) // 64 - 1, -1, -1):
        # Words from the highest down, and in each the highest bit first: its number is 63 less the zeros above it. Of
        # the word in which `below` lies, the bits from there on are cut off.
        bits = row[w]
        if below < 64 * (w + 1):
            bits &= (ONE << np.uint64(below & 63)) - ONE
        while bits:
            high = 63 - np.int64(leading_zeros(bits))
            bits ^= ONE << np.uint64(high)
            facts[found] = (w << 6) + high
            found += 1
    return found


@njit(inner=True, forceinline=True)
def put(rows: Rows, first: Int, choose: Longs, facts: Ints, size: Int, present: bool) -> None:
    """Put a set of `size` facts (descending) into a collection, or take it out: a bit in each of its `size` rows.

    `first`: where the rows of sets of `size` - 1 facts begin. Without the fact at place i, those in front of it stand
    as they did one place nearer to the end: C(a, k) becomes C(a, k - 1).
    """
    behind = np.int64(0)  # what the facts behind place i contribute: the same in the whole set and without fact i
    for i in range(size):
        behind += choose[size - i, facts[i]]
    ahead = np.int64(0)  # what the facts in front of it contribute, where it is left out
    for i in range(size):
        fact = facts[i]
        behind -= choose[size - i, fact]
        row = first + ahead + behind
        if present:
            rows[row, fact >> 6] |= ONE << np.uint64(fact & 63)
        else:
            rows[row, fact >> 6] &= ~(ONE << np.uint64(fact & 63))
        ahead += choose[size - 1 - i, fact]


@njit(nogil=True, _nrt=False, effort=1)
def start_values(rows: Rows, numbering: Numbering, values: Values, facts: Ints) -> None:
    """Give every set of a collection the value 0. `facts` (m): room for a set."""
    choose = numbering.choose
    for size in range(1, numbering.order + 1):
        # All sets of size - 1 facts, in the order of their rows; from the first one, {size - 2, ..., 1, 0}, on.
        rest = size - 1
        for i in range(rest):
            facts[i] = rest - 1 - i
        first = numbering.row_of[size]
        for row in range(first, first + choose[rest, numbering.fact_count]):
            start = numbering.value_of[size]
            for i in range(rest):
                start += choose[size - i, facts[i]]
            below = facts[rest - 1] if rest else numbering.fact_count  # each set once: by its smallest fact
            for w in range(rows.shape[1]):
                bits = rows[row, w]
                while bits:
                    fact = (w << 6) + np.int64(trailing_zeros(bits))
                    bits &= bits - ONE
                    if fact < below:
                        values[start + fact] = 0
            next_set(facts, rest)


@njit(inner=True)
def next_set(facts: Ints, size: Int) -> None:
    """Make `size` facts (descending) the set with the next number: the last fact that has room below the one before
    goes up, those behind it start anew.
    """
    i = size - 1
    while i > 0 and facts[i] + 1 == facts[i - 1]:
        i -= 1
    if size:
        facts[i] += 1
        for j in range(i + 1, size):
            facts[j] = size - 1 - j


@njit(nogil=True, _nrt=False, effort=1)
def lift(numbering: Numbering, rows: Rows, values: Values, facts: Ints) -> None:
    """Fill in the sets of m facts of a collection, those whose smaller sets are all in it, and their values, each the
    largest of a part; `NEVER` is there before. `facts` (m): room for a set.
    """
    choose, size, first = numbering.choose, numbering.order - 1, numbering.row_of[numbering.order - 1]
    for i in range(size):
        facts[i] = size - 1 - i
    for number in range(choose[size, numbering.fact_count]):
        # S ∪ {s}, S of m - 1 facts, is in the collection if S is, and s in the row of S without x, for each x of S.
        row = rows[numbering.row_of[numbering.order] + number]
        for w in range(len(row)):
            row[w] = ~np.uint64(0)
        start = numbering.value_of[numbering.order]
        ahead, behind, inside = np.int64(0), np.int64(number), True  # see `put`
        for i in range(size):
            start += choose[size + 1 - i, facts[i]]
            behind -= choose[size - i, facts[i]]
            other = rows[first + ahead + behind]
            ahead += choose[size - 1 - i, facts[i]]
            inside &= has_bit(other, facts[i])
            for w in range(len(row)):
                row[w] &= other[w]
        for w in range(len(row)):
            row[w] &= ~np.uint64(0) if inside else np.uint64(0)
        # Values, of all s below the facts of S at once: S ∪ {s} stands s behind S ∪ {0}, and so do its parts with s. In
        # a part without x, the facts in front of x are numbered as in S, and those behind it as in S ∪ {s}.
        below = facts[size - 1] if inside else np.int32(0)
        for s in range(below):
            values[start + s] = values[numbering.value_of[size] + number]
        part = numbering.value_of[size] + start - numbering.value_of[numbering.order]
        for i in range(size):
            part -= choose[size + 1 - i, facts[i]]
            for s in range(below):
                if values[part + s] > values[start + s]:
                    values[start + s] = values[part + s]
            part += choose[size - i, facts[i]]
        next_set(facts, size)


# Many sets at once, in NumPy.


def all_sets(count: int, size: int) -> Ints:
    """(sets, size): all sets of `size` of the first `count` facts, descending, in the order of their numbers."""
    sets = np.zeros((1, 0), np.int32)
    for k in range(1, size + 1):
        # Behind the largest fact a stand the sets of k - 1 facts below a: the first C(a, k - 1) ones.
        behind = [comb(a, k - 1) for a in range(count)]
        largest = np.repeat(np.arange(count, dtype=np.int32), behind)
        rest = np.concatenate([np.arange(n) for n in behind]) if count else np.zeros(0, np.int64)
        sets = np.concatenate([largest[:, None], sets[rest]], axis=1)
    return sets


def numbers_of(numbering: Numbering, sets: Ints) -> Longs:
    """(...): the numbers of sets (..., k), each with its facts in descending order."""
    size = sets.shape[-1]
    numbers = np.zeros(sets.shape[:-1], np.int64)
    for i in range(size):
        numbers += numbering.choose[size - i, sets[..., i]]
    return numbers


def values_of(numbering: Numbering, values: Values, facts: Ints) -> Values:
    """(...): the values of sets (..., n) of any number of facts, each descending: the largest of a part of up to m
    facts; 0 for no facts.
    """
    n = facts.shape[-1]
    size = min(numbering.order, n)
    largest = np.zeros(facts.shape[:-1], np.int16)
    if size:
        parts = np.array(list(combinations(range(n), size)), np.int32)
        _largest(numbering, values, np.ascontiguousarray(facts.reshape(-1, n)), parts, largest.reshape(-1))
    return largest


@njit(nogil=True, _nrt=False, effort=1)
def _largest(numbering: Numbering, values: Values, facts: Ints, parts: Ints, found: Values) -> None:
    """The largest value of a part of each set. `parts` (parts, size): the places of their facts in the set."""
    size = parts.shape[1]
    first = numbering.value_of[size]
    for i in range(len(facts)):
        for k in range(len(parts)):
            number = first
            for j in range(size):
                number += numbering.choose[size - j, facts[i, parts[k, j]]]
            if values[number] > found[i]:
                found[i] = values[number]


# Operators as flat arrays for the kernels of relaxed reachability.

# The value of a set that can never be true. It fits into 16 bits, and a cost can be added to it.
NEVER = 30_000


class OperatorArrays(NamedTuple):
    """N operators: operator i has its preconditions at `facts[offsets[3 * i] : offsets[3 * i + 1]]`, then what it adds,
    then what it deletes, each in descending order. `offsets` (3 N + 1), `costs` (N): steps, the first component.
    """

    offsets: Ints
    facts: Ints
    costs: Shorts

    @property
    def lengths(self) -> tuple[int, ...]:
        """The different numbers of preconditions that operators have."""
        return tuple(np.unique(self.offsets[1::3] - self.offsets[:-1:3]).tolist())


def forwards(operators: Sequence[Operator]) -> OperatorArrays:
    """The arrays of the operators in forward direction."""
    return _arrays(operators, [(op.pre, op.add, op.delete) for op in operators])


def backwards(operators: Sequence[Operator]) -> OperatorArrays:
    """The operators reversed: what is true after one is required, and it gives back what it deleted."""
    return _arrays(operators, [(op.after, op.delete, op.add) for op in operators])


def _arrays(
    operators: Sequence[Operator], parts: Sequence[tuple[Iterable[int], Iterable[int], Iterable[int]]]
) -> OperatorArrays:
    offsets, facts = to_csr([sorted(part, reverse=True) for op in parts for part in op])
    return OperatorArrays(offsets, facts, np.array([op.cost[0] for op in operators], np.int16))
