"""Sets of up to m facts, numbered and packed, for relaxed reachability over them.

Facts of a set are in descending order. The sets of k facts a > b > c ... are numbered C(a, k) + C(b, k - 1) + ... (the
combinatorial number system; Knuth, *The Art of Computer Programming*, 7.2.1.3), so that the sets of the first n facts
come first. Which sets are in a collection is kept as rows of bits: the row of a set of k - 1 facts has a bit for each
fact that makes it a set of k in the collection. So every set of k has a bit in k rows, and what may stand beside
several sets is an intersection of rows, 64 facts at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...runtime.bitops import leading_zeros, trailing_zeros
from ...runtime.kernel_cache import njit

LEAF = njit(cache=True, nogil=True, _nrt=False)
INLINE = njit(cache=True, nogil=True, _nrt=False, forceinline=True)
"""For functions that allocate nothing: without counting references, which took a third of the time."""

Rows = NDArray[np.uint64]
"""A collection: (rows, words)."""

Values = NDArray[np.int16]
"""A value for each set of one fact, then of two, and so on."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The numbers of the sets of up to `order` of `count` facts.

    `choose` (order + 1, count + 1): binomial coefficients, [k, n]; `row_of` (order + 1): where the rows of sets that
    grow to k facts begin; `value_of` (order + 1): where the values of sets of k facts begin.
    """

    count: int
    order: int
    choose: NDArray[np.int64]
    row_of: NDArray[np.int64]
    value_of: NDArray[np.int64]

    @classmethod
    def of(cls, count: int, order: int) -> Numbering:
        choose = np.array([[comb(n, k) for n in range(count + 1)] for k in range(order + 1)], np.int64)
        sizes = [comb(count, k) for k in range(order + 1)]
        return cls(
            count,
            order,
            choose,
            np.array([0, *np.cumsum([0, *sizes[:-1]])], np.int64)[: order + 1],
            np.array([0, *np.cumsum([0, *sizes[1:]])], np.int64)[: order + 1],
        )

    @property
    def rows(self) -> int:
        return sum(comb(self.count, k) for k in range(self.order))

    @property
    def words(self) -> int:
        return (self.count + 63) // 64

    @property
    def sets(self) -> int:
        return sum(comb(self.count, k) for k in range(1, self.order + 1))


@INLINE
def number_of(choose: Any, facts: Any, size: int) -> Any:
    """The number of a set of `size` facts in descending order."""
    number = np.int64(0)
    for i in range(size):
        number += choose[size - i, facts[i]]
    return number


@INLINE
def with_fact(choose: Any, facts: Any, size: int, fact: int, union: Any) -> Any:
    """Write the set of `size` facts and one more to `union`; its number, or -1 if the fact is among them."""
    number = np.int64(0)
    shift = 0
    for i in range(size):
        other = facts[i]
        if shift == 0 and other <= fact:
            if other == fact:
                return np.int64(-1)
            union[i] = fact
            number += choose[size + 1 - i, fact]
            shift = 1
        union[i + shift] = other
        number += choose[size + 1 - i - shift, other]
    if shift == 0:
        union[size] = fact
        number += choose[1, fact]
    return number


@INLINE
def number2(choose: Any, a: int, b: int) -> Any:
    """The number of a set of two facts, in any order."""
    return choose[2, max(a, b)] + min(a, b)


@INLINE
def number3(choose: Any, a: int, b: int, c: int) -> Any:
    """The number of a set of three facts, in any order."""
    first, last = max(a, b, c), min(a, b, c)
    return choose[3, first] + choose[2, a + b + c - first - last] + last


@INLINE
def number4(choose: Any, a: int, b: int, c: int, d: int) -> Any:
    """The number of a set of four facts, in any order."""
    high, low = max(a, b), min(a, b)
    high2, low2 = max(c, d), min(c, d)
    first, last = max(high, high2), min(low, low2)
    one, other = min(high, high2), max(low, low2)
    return choose[4, first] + choose[3, max(one, other)] + choose[2, min(one, other)] + last


@INLINE
def union_number(choose: Any, one: Any, size: int, other: Any, more: int) -> Any:
    """The number of the union of two sets that share no fact: of at most four facts together, or one of them empty."""
    if more == 0:
        return number_of(choose, one, size)
    if more == 1:
        if size == 0:
            return np.int64(other[0])
        if size == 1:
            return number2(choose, one[0], other[0])
        if size == 2:
            return number3(choose, one[0], one[1], other[0])
        return number4(choose, one[0], one[1], one[2], other[0])
    if more == 2:
        if size == 0:
            return number2(choose, other[0], other[1])
        if size == 1:
            return number3(choose, one[0], other[0], other[1])
        return number4(choose, one[0], one[1], other[0], other[1])
    if size == 0:
        return number3(choose, other[0], other[1], other[2])
    return number4(choose, one[0], other[0], other[1], other[2])


@INLINE
def has_bit(row: Any, fact: int) -> Any:
    """Whether a row has the bit of a fact."""
    return (row[fact >> 6] >> np.uint64(fact & 63)) & np.uint64(1) != 0


@INLINE
def add_bit(row: Any, fact: int) -> None:
    """Set the bit of a fact in a row."""
    row[fact >> 6] |= np.uint64(1) << np.uint64(fact & 63)


@INLINE
def members(row: Any, below: int, facts: Any) -> Any:
    """Write the facts of a row that are less than `below` to `facts`, in descending order; how many there are."""
    found = 0
    for w in range((below + 63) // 64 - 1, -1, -1):
        bits = row[w]
        if below < 64 * (w + 1):
            bits &= (np.uint64(1) << np.uint64(below & 63)) - np.uint64(1)
        while bits:
            high = 63 - np.int64(leading_zeros(bits))
            bits ^= np.uint64(1) << np.uint64(high)
            facts[found] = (w << 6) + high
            found += 1
    return found


@njit(cache=True, nogil=True)
def subsets(facts: Any, size: int, found: Any) -> Any:
    """Write all subsets of `size` of the facts to the rows of `found`; how many there are."""
    count = len(facts)
    at = np.arange(size)
    written = 0
    while True:
        for i in range(size):
            found[written, i] = facts[at[i]]
        written += 1
        i = size - 1
        while i >= 0 and at[i] == count - size + i:
            i -= 1
        if i < 0:
            return written
        at[i] += 1
        for j in range(i + 1, size):
            at[j] = at[j - 1] + 1


@LEAF
def next_set(facts: Any, size: int) -> None:
    """The set that is numbered next, in place."""
    i = size - 1
    while i > 0 and facts[i] + 1 == facts[i - 1]:
        i -= 1
    if size:
        facts[i] += 1
        for j in range(i + 1, size):
            facts[j] = size - 1 - j


@INLINE
def row_without(choose: Any, facts: Any, size: int, skipped: int) -> Any:
    """The number of a set of `size` facts (in descending order) less one of them."""
    row = np.int64(0)
    for i in range(skipped):
        row += choose[size - 1 - i, facts[i]]
    for i in range(skipped + 1, size):
        row += choose[size - i, facts[i]]
    return row


@INLINE
def put(rows: Any, first: int, choose: Any, facts: Any, size: int, present: bool) -> None:
    """Put a set into a collection, or take it out: a bit in each of its rows. `first`: where rows of its size begin."""
    for skipped in range(size):
        row = first + row_without(choose, facts, size, skipped)
        fact = facts[skipped]
        bit = np.uint64(1) << np.uint64(fact & 63)
        if present:
            rows[row, fact >> 6] |= bit
        else:
            rows[row, fact >> 6] &= ~bit


@njit(cache=True, nogil=True)
def put_subsets(rows: Any, row_of: Any, choose: Any, facts: Any, size: int) -> None:
    """Put all subsets of `size` of the facts (descending) into a collection."""
    found = np.empty((choose[size, len(facts)], size), np.int32)
    for i in range(subsets(facts, size, found)):
        put(rows, row_of[size], choose, found[i], size, True)


@njit(cache=True, nogil=True)
def lift(rows: Any, row_of: Any, choose: Any, order: int) -> None:
    """Fill the last rows of a collection: with the sets of `order` facts all of whose smaller sets are in it."""
    words = rows.shape[1]
    facts = np.arange(order - 2, -1, -1).astype(np.int32)
    last = row_of[order]
    for row in range(last, len(rows)):
        inside = True
        for skipped in range(order - 1):
            smaller = row_of[order - 1] + row_without(choose, facts, order - 1, skipped)
            if not has_bit(rows[smaller], facts[skipped]):
                inside = False
                break
            for w in range(words):
                rows[row, w] = rows[smaller, w] if skipped == 0 else rows[row, w] & rows[smaller, w]
        if not inside:
            for w in range(words):
                rows[row, w] = 0
        next_set(facts, order - 1)


@njit(cache=True, nogil=True)
def with_clause(rows: Any, row_of: Any, choose: Any, order: int, clause: Any) -> Any:
    """The sets of a collection that may stand beside some fact of a clause, as far as the collection tells."""
    words = rows.shape[1]
    met = np.zeros_like(rows)
    beside = np.empty(words, np.uint64)
    union = np.empty(order, np.int32)
    smaller = np.empty(order, np.int32)
    for size in range(order):
        facts = np.arange(size - 1, -1, -1).astype(np.int32)
        first = row_of[size + 1]
        for row in range(first, first + choose[size, choose.shape[1] - 1]):
            for fact in clause:
                word, bit = fact >> 6, np.uint64(1) << np.uint64(fact & 63)
                inside = False
                for i in range(size):
                    inside = inside or facts[i] == fact
                if inside:
                    for w in range(words):
                        met[row, w] |= rows[row, w]
                    continue
                if not rows[row, word] & bit:
                    continue
                for w in range(words):
                    beside[w] = rows[row, w]
                if size + 2 <= order:  # the set, the fact and one more are a set that is numbered
                    other = row_of[size + 2] + with_fact(choose, facts, size, fact, union)
                    for w in range(words):
                        beside[w] &= rows[other, w]
                else:
                    for skipped in range(size):
                        for i in range(size - 1):
                            smaller[i] = facts[i + (i >= skipped)]
                        other = row_of[size + 1] + with_fact(choose, smaller, size - 1, fact, union)
                        for w in range(words):
                            beside[w] &= rows[other, w]
                beside[word] |= bit
                for w in range(words):
                    met[row, w] |= beside[w]
            next_set(facts, size)
    return met


@njit(cache=True, nogil=True)
def values_of(rows: Any, row_of: Any, value_of: Any, choose: Any, order: int, values: Any) -> None:
    """Give every set of a collection the value 0."""
    words = rows.shape[1]
    for size in range(1, order + 1):
        facts = np.arange(size - 2, -1, -1).astype(np.int32)
        first = row_of[size]
        for row in range(first, first + choose[size - 1, choose.shape[1] - 1]):
            start = value_of[size]
            for i in range(size - 1):
                start += choose[size - i, facts[i]]
            below = facts[size - 2] if size > 1 else 64 * words
            for w in range(words):
                bits = rows[row, w]
                while bits:
                    fact = (w << 6) + np.int64(trailing_zeros(bits))
                    bits &= bits - np.uint64(1)
                    if fact < below:
                        values[start + fact] = 0
            next_set(facts, size - 1)


@njit(cache=True, nogil=True)
def largest(values: Any, value_of: Any, choose: Any, order: int, facts: Any) -> Any:
    """The largest value of a set of up to `order` of the facts (in descending order); 0 if there are none."""
    size = min(order, len(facts))
    value = np.int64(0)
    if size:
        found = np.empty((choose[size, len(facts)], size), np.int32)
        for i in range(subsets(facts, size, found)):
            value = max(value, np.int64(values[value_of[size] + number_of(choose, found[i], size)]))
    return value


@njit(cache=True, nogil=True)
def largest_beside(values: Any, value_of: Any, choose: Any, order: int, facts: Any, count: int) -> Any:
    """(count): for each of the first facts, the largest value of a set of up to `order` of it and the facts given."""
    found = np.empty(count, np.int16)
    union = np.empty(len(facts) + 1, np.int32)
    for fact in range(count):
        size, larger = 0, True  # facts may be more than `order`, so that the union has no number
        for other in facts:
            if larger and other <= fact:
                larger = False
                if other < fact:
                    union[size] = fact
                    size += 1
            union[size] = other
            size += 1
        if larger:
            union[size] = fact
            size += 1
        found[fact] = largest(values, value_of, choose, order, union[:size])
    return found


@njit(cache=True, nogil=True)
def all_sets(count: int, size: int) -> Any:
    """(sets, size): all sets of `size` of the first `count` facts, in the order of their numbers."""
    facts = np.arange(size - 1, -1, -1).astype(np.int32)
    total = 1
    for i in range(size):
        total = total * (count - i) // (i + 1)
    found = np.empty((total, size), np.int32)
    for i in range(total):
        found[i] = facts
        next_set(facts, size)
    return found


def put_pairs(numbering: Numbering, pairs: NDArray[np.bool_]) -> Rows:
    """The collection of the pairs that are true in a matrix (F, F), and of the facts that are true on its diagonal."""
    padded = np.zeros((numbering.count + 1, 64 * numbering.words), np.bool_)
    padded[0, : numbering.count] = pairs.diagonal()
    padded[1:, : numbering.count] = pairs
    np.fill_diagonal(padded[1:], False)
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)
