"""The facts that an operator keeps, chosen one after the other, in relaxed reachability over sets of m facts.

Beside the facts chosen is what may be the last fact of a set that the operator makes true: see `reachability`. Of the
m - 2 facts that are chosen in the end, only those matter that have something new since the operator was looked at
before: a fact newly beside all of them but one, or a row of them and a precondition that has grown.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...runtime.kernel_cache import njit
from .achieved_sets import emit, enlarged, grown_beside, is_wanted, narrow, restrict
from .tuples import add_bit, has_bit, members, number2


class Room(NamedTuple):
    """Beside no fact chosen: what is, and what of it is new (W). Lists of facts (F) and words (W) to work with."""

    beside: Any
    delta: Any
    newly: Any
    near0: Any
    near1: Any
    near2: Any
    new: Any
    grew: Any
    both: Any


class Ones(NamedTuple):
    """Beside one fact chosen: what is, and what of it is new (F, W)."""

    beside: Any
    delta: Any


class Twos(NamedTuple):
    """Beside two facts chosen: what is, and what of it is new (F, F, W); with which facts (F, W)."""

    beside: Any
    delta: Any
    newly: Any


@njit(cache=True, nogil=True)
def by_one(state: Any, look: Any, room: Any, waiting: Any, seen: Any) -> Any:
    """Sets of three: one fact chosen, and what is beside it."""
    beside, delta, new, grew, near = room.beside, room.delta, room.new, room.grew, room.near0
    add, given, words = look.add, look.given, len(room.new)
    fresh = np.uint64(0)
    for w in range(words):
        delta[w] = beside[w] & ~seen[0, w]
        fresh |= delta[w]
        seen[0, w] = beside[w]
    grown_beside(state, look, np.int64(0), grew)
    for w in range(words):
        grew[w] &= ~given[w]
        new[w] = beside[w] if fresh else beside[w] & grew[w]
    found = members(new, 64 * words, near)
    waiting = enlarged(waiting, state, found * 64 * words * len(add))
    for i in range(found):
        r = near[i]
        look.chosen[0] = r
        own = has_bit(grew, r)
        for w in range(words):
            new[w] = beside[w] if own else delta[w]
        if is_wanted(state, look, np.int64(1), new):
            if not has_bit(given, r):
                narrow(state, look, np.int64(1), new)
            emit(state, look, waiting, np.int64(1), new)
    return waiting


@njit(cache=True, nogil=True)
def by_two(state: Any, look: Any, room: Any, ones: Any, waiting: Any, seen: Any) -> Any:
    """Sets of four: two facts chosen, and what is beside them."""
    beside, delta, newly, new, grew, both = (ones.beside, ones.delta, room.newly, room.new, room.grew, room.both)
    add, given, words = look.add, look.given, len(room.new)
    near0, near1 = room.near0, room.near1
    found, waiting = _first(state, look, room, ones.beside, waiting)
    newly[:] = 0
    for i in range(found):
        r = near0[i]
        some = np.uint64(0)
        for w in range(words):
            delta[r, w] = beside[r, w] & ~seen[r, w]
            some |= delta[r, w]
            seen[r, w] = beside[r, w]
        if some:
            add_bit(newly, r)
    for i in range(found):
        r = near0[i]
        look.chosen[0] = r
        waiting = enlarged(waiting, state, found * found * len(add))
        plain = not has_bit(given, r)
        if plain:
            grown_beside(state, look, np.int64(1), grew)
        every = has_bit(newly, r)
        for w in range(words):
            grew[w] = grew[w] & ~given[w] if plain else np.uint64(0)
            new[w] = beside[r, w] if every else beside[r, w] & (newly[w] | grew[w])
        for j in range(members(new, r, near1)):
            s = near1[j]
            own = has_bit(grew, s)
            some = np.uint64(0)
            for w in range(words):
                both[w] = beside[r, w] & beside[s, w]
                if not own:
                    both[w] &= delta[r, w] | delta[s, w]
                some |= both[w]
            look.chosen[1] = s
            if some and is_wanted(state, look, np.int64(2), both):
                if plain and not has_bit(given, s):
                    narrow(state, look, np.int64(2), both)
                emit(state, look, waiting, np.int64(2), both)
    return waiting


@njit(cache=True, nogil=True)
def by_three(state: Any, look: Any, room: Any, ones: Any, twos: Any, waiting: Any, seen: Any) -> Any:
    """Sets of five: three facts chosen, and what is beside them."""
    beside, delta, newly, new, grew, both = (twos.beside, twos.delta, twos.newly, room.new, room.grew, room.both)
    add, given, words, beside1 = look.add, look.given, len(room.new), ones.beside
    near0, near1, near2, queue = room.near0, room.near1, room.near2, state.queue
    found, waiting = _first(state, look, room, ones.beside, waiting)
    for i in range(found):
        for w in range(words):
            newly[near0[i], w] = 0
    for i in range(found):
        r = near0[i]
        look.chosen[0] = r
        for w in range(words):
            new[w] = beside1[r, w]
        for j in range(members(new, r, near1)):
            s = near1[j]
            look.chosen[1] = s
            for w in range(words):
                both[w] = beside1[r, w] & beside1[s, w]
            if not (has_bit(given, r) or has_bit(given, s)):
                restrict(state, look, np.int64(2), both)
            pair = number2(state.choose, r, s)
            some = np.uint64(0)
            for w in range(words):
                beside[r, s, w] = both[w]
                delta[r, s, w] = both[w] & ~seen[pair, w]
                some |= delta[r, s, w]
                seen[pair, w] = both[w]
            if some:
                add_bit(newly[r], s)
                add_bit(newly[s], r)
            if is_wanted(state, look, np.int64(2), both):
                waiting = enlarged(waiting, state, found * len(add))
                emit(state, look, waiting, np.int64(2), both)
    for i in range(found):
        r = near0[i]
        look.chosen[0] = r
        for w in range(words):
            new[w] = beside1[r, w]
        for j in range(members(new, r, near1)):
            s = near1[j]
            look.chosen[1] = s
            if queue[0] + found * 64 * words * len(add) > len(waiting):
                waiting = enlarged(waiting, state, found * 64 * words * len(add))
            plain = not (has_bit(given, r) or has_bit(given, s))
            if plain:
                grown_beside(state, look, np.int64(2), grew)
            every = has_bit(newly[r], s)
            for w in range(words):
                grew[w] = grew[w] & ~given[w] if plain else np.uint64(0)
                new[w] = beside[r, s, w]
                if not every:
                    new[w] &= newly[r, w] | newly[s, w] | grew[w]
            for k in range(members(new, s, near2)):
                t = near2[k]
                own = has_bit(grew, t)
                some = np.uint64(0)
                for w in range(words):
                    both[w] = beside[r, s, w] & beside[r, t, w] & beside[s, t, w]
                    if not own:
                        both[w] &= delta[r, s, w] | delta[r, t, w] | delta[s, t, w]
                    some |= both[w]
                look.chosen[2] = t
                if some and is_wanted(state, look, np.int64(3), both):
                    if plain and not has_bit(given, t):
                        narrow(state, look, np.int64(3), both)
                    emit(state, look, waiting, np.int64(3), both)
    return waiting


@njit(cache=True, nogil=True)
def _first(state: Any, look: Any, room: Any, beside1: Any, waiting: Any) -> Any:
    """Choose one fact in each way: what is beside it. Gives the number of facts, which are in `room.near0`."""
    found = members(room.beside, 64 * len(room.beside), room.near0)
    for i in range(found):
        r = room.near0[i]
        look.chosen[0] = r
        room.new[:] = room.beside
        if not has_bit(look.given, r):
            restrict(state, look, np.int64(1), room.new)
        beside1[r] = room.new
        waiting = enlarged(waiting, state, found * len(look.add))
        emit(state, look, waiting, np.int64(1), room.new)
    return found, waiting
