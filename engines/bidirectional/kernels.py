"""Compiled kernels of the search from both ends: where the sides meet, and its layers over actions as programs."""

from __future__ import annotations

from ...analysis.bitset_kernels import find
from ...analysis.inverse_programs import digits_of
from ...runtime.arrays import Ints, Words
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from ..common.programs.walk import Trail, Walk, next_step, step
from ..common.state_arrays import Nodes
from ..common.successors import copy_row


@njit(cache=True)
def first_common(states: Words, start: int, end: int, others: Words, table: Ints) -> tuple[int, int]:
    """The first of states[start:end] that is one of `others`, which `table` holds: (its index, the other's) or -1."""
    for i in range(start, end):
        other = long(table[find(others, table, states[i])])
        if other >= 0:
            return i, other
    return -1, -1


@njit(cache=True)
def expand_side(walk: Walk, nodes: Nodes, count: int, cursor: int, end: int) -> tuple[int, int]:
    """Expand states[cursor:end] breadth-first, or as many as there is room for; `count` states are met.

    Returns (count, cursor).
    """
    states, parent, table, digits = nodes.states, nodes.parent, nodes.table, walk.digits
    actions, after = len(walk.tables.entry), walk.scratch.row
    while cursor < end:
        if count + actions > len(states) or 2 * (count + actions) > len(table):
            break
        digits_of(walk.tables, states[cursor], digits)
        for action in range(actions):
            if step(walk, states[cursor], digits, action, after):
                slot = find(states, table, after)
                if table[slot] < 0:
                    copy_row(states[count], after)
                    parent[count], table[slot] = cursor, count
                    count += 1
        cursor += 1
    return count, cursor


@njit(cache=True)
def look_ahead(
    walk: Walk, nodes: Nodes, others: Nodes, limit: int, cursor: int, end: int, trail: Trail
) -> tuple[int, int]:
    """Depth-first: from each of states[cursor:end] all ways of n steps, up to one that leads to one of the other side's
    first `limit` states. Nothing is stored.

    Returns the state where that way begins and the other side's, or `end` and -1. The way is in `trail`.
    """
    states, rows, digits, chosen = nodes.states, trail.rows, trail.digits, trail.chosen
    depth = len(rows) - 1
    while cursor < end:
        copy_row(rows[0], states[cursor])
        digits_of(walk.tables, rows[0], digits[0])
        level = 0
        chosen[0] = -1
        while level >= 0:
            if not next_step(walk, trail, level):
                level -= 1
            elif level + 1 == depth:
                other = long(others.table[find(others.states, others.table, rows[depth])])
                if 0 <= other < limit:
                    return cursor, other
            else:
                level += 1
                digits_of(walk.tables, rows[level], digits[level])
                chosen[level] = -1
        cursor += 1
    return end, -1
