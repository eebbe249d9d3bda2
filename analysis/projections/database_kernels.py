"""Compiled kernels that fill the databases of patterns (`databases`)."""

from __future__ import annotations

from typing import NamedTuple

from ...runtime.arrays import Bytes, Longs
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from .tables import NOWHERE


class Inverses(NamedTuple):
    """What undoes each action (A) in a pattern of P variables with at most S values each.

    A state before has the number `sum(terms[action, i, digit of variable source[action, i]])`; a term of -1: there is
    none. `sizes` (P): the numbers of values. `digits` (P): scratch.
    """

    terms: Longs
    source: Longs
    sizes: Longs
    digits: Longs


@njit(cache=True)
def fill_layer(inverses: Inverses, distance: Bytes, depth: int, begin: int, end: int) -> int:
    """Of the abstract states `begin` to `end` - 1, take those at a distance and give those before them the next
    distance, if they have none; returns how many these are.
    """
    terms, source, sizes, digits = inverses.terms, inverses.source, inverses.sizes, inverses.digits
    actions, number = len(terms), 0
    for state in range(begin, end):
        if distance[state] != depth:
            continue
        left = state
        for i in range(len(sizes)):
            digits[i] = left % sizes[i]
            left //= sizes[i]
        for action in range(actions):
            before = 0
            for i in range(len(sizes)):
                term = long(terms[action, i, digits[source[action, i]]])
                if term < 0:
                    before = -1
                    break
                before += term
            if before >= 0 and distance[before] == NOWHERE:
                distance[before] = depth + 1
                number += 1
    return number
