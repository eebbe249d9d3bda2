"""The nodes of a search as arrays: the states that it has met, as kernels take them."""

from __future__ import annotations

from typing import NamedTuple

from ...runtime.arrays import Ints, Longs, Words


class Nodes(NamedTuple):
    """The states met and the heap of the open ones. Arrays are longer than what is used of them; their owner grows
    them.

    `states` (S, row words); `parent` (S): the state from which each was reached, -1 for a root; `table`:
    open addressing, the index of the state in each slot, or -1. Where states have costs, `cost` (S) and, in A*,
    `estimate` (S), a lower bound on the cost of the rest; `heap_key`, `heap`: a binary heap of states, the least key
    first. Otherwise these are empty.
    """

    states: Words
    parent: Ints
    table: Ints
    cost: Longs
    estimate: Longs
    heap_key: Longs
    heap: Ints
