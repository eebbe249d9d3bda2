"""The facts that an operator keeps, chosen one after the other, in relaxed reachability over sets of m facts.

Beside the facts chosen is what may be the last fact of a set that the operator makes true: see `reachability`. Of the
m - 2 facts that are chosen in the end, only those matter that have something new since the operator was looked at
before: a fact newly beside all of them but one, or a row of them and a precondition that has grown.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..kernel_cache import njit
from .fact_sets import has_bit, members, number2, number3, number4
from .found_sets import emit, enlarged, restrict


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
    reached, wanted, choose, grown = state.reached, state.wanted, state.choose, state.grown
    pre, add, given, words = look.pre, look.add, look.given, len(room.new)
    first = state.row_of[3]
    fresh = np.uint64(0)
    for w in range(words):
        delta[w] = beside[w] & ~seen[0, w]
        fresh |= delta[w]
        seen[0, w] = beside[w]
        grew[w] = np.uint64(0) if len(pre) else ~np.uint64(0)
    for x in range(len(pre)):
        p = pre[x]
        for w in range(words):
            grew[w] |= grown[0, p, w] | grown[1, p, w]
    for w in range(words):
        grew[w] &= ~given[w]
        new[w] = beside[w] if fresh else beside[w] & grew[w]
    found = members(new, 64 * words, near)
    waiting = enlarged(waiting, state, found * 64 * words * len(add))
    for i in range(found):
        r = near[i]
        look.chosen[0] = r
        plain = (given[r >> 6] >> np.uint64(r & 63)) & np.uint64(1) == 0
        own = (grew[r >> 6] >> np.uint64(r & 63)) & np.uint64(1) != 0
        some = np.uint64(0)
        for w in range(words):
            new[w] = beside[w] if own else delta[w]
        for x in range(len(add)):
            a = add[x]
            if a != r:
                row = first + number2(choose, a, r)
                for w in range(words):
                    some |= new[w] & wanted[row, w]
        if not some:
            continue
        if plain:
            if len(pre) == 0:
                restrict(state, look, np.int64(1), new)
            for x in range(len(pre)):
                p = pre[x]
                row = first + number2(choose, p, r)
                for w in range(words):
                    new[w] &= reached[row, w] | given[w]
        emit(state, look, waiting, np.int64(1), new)
    return waiting


@njit(cache=True, nogil=True)
def by_two(state: Any, look: Any, room: Any, ones: Any, waiting: Any, seen: Any) -> Any:
    """Sets of four: two facts chosen, and what is beside them."""
    beside, delta, newly, new, grew, both = (ones.beside, ones.delta, room.newly, room.new, room.grew, room.both)
    reached, wanted, choose, grown = state.reached, state.wanted, state.choose, state.grown
    pre, add, given, words = look.pre, look.add, look.given, len(room.new)
    near0, near1 = room.near0, room.near1
    first = state.row_of[4]
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
            newly[r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    for i in range(found):
        r = near0[i]
        look.chosen[0] = r
        waiting = enlarged(waiting, state, found * found * len(add))
        plain = (given[r >> 6] >> np.uint64(r & 63)) & np.uint64(1) == 0
        for w in range(words):
            grew[w] = np.uint64(0) if len(pre) else ~np.uint64(0)
        if plain:
            for x in range(len(pre)):
                p = pre[x]
                row = number2(choose, p, r)
                for w in range(words):
                    grew[w] |= grown[0, row, w] | grown[1, row, w]
        every = (newly[r >> 6] >> np.uint64(r & 63)) & np.uint64(1) != 0
        for w in range(words):
            grew[w] = grew[w] & ~given[w] if plain else np.uint64(0)
            new[w] = beside[r, w] if every else beside[r, w] & (newly[w] | grew[w])
        for j in range(members(new, r, near1)):
            s = near1[j]
            own = (grew[s >> 6] >> np.uint64(s & 63)) & np.uint64(1) != 0
            some = np.uint64(0)
            for w in range(words):
                both[w] = beside[r, w] & beside[s, w]
                if not own:
                    both[w] &= delta[r, w] | delta[s, w]
                some |= both[w]
            if not some:
                continue
            some = np.uint64(0)
            for x in range(len(add)):
                a = add[x]
                if a != r and a != s:
                    row = first + number3(choose, a, r, s)
                    for w in range(words):
                        some |= both[w] & wanted[row, w]
            if not some:
                continue
            look.chosen[1] = s
            if plain and (given[s >> 6] >> np.uint64(s & 63)) & np.uint64(1) == 0:
                if len(pre) == 0:
                    restrict(state, look, np.int64(2), both)
                for x in range(len(pre)):
                    p = pre[x]
                    row = first + number3(choose, p, r, s)
                    for w in range(words):
                        both[w] &= reached[row, w] | given[w]
            emit(state, look, waiting, np.int64(2), both)
    return waiting


@njit(cache=True, nogil=True)
def by_three(state: Any, look: Any, room: Any, ones: Any, twos: Any, waiting: Any, seen: Any) -> Any:
    """Sets of five: three facts chosen, and what is beside them."""
    beside, delta, newly, new, grew, both = (twos.beside, twos.delta, twos.newly, room.new, room.grew, room.both)
    reached, wanted, choose, grown = state.reached, state.wanted, state.choose, state.grown
    pre, add, given, words, beside1 = look.pre, look.add, look.given, len(room.new), ones.beside
    near0, near1, near2, queue = room.near0, room.near1, room.near2, state.queue
    first, smaller = state.row_of[5], state.row_of[4]
    parts, size, count = look.parts, look.part_size[2], look.part_count[2]
    below = state.row_of[size + 3]
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
                for k in range(count):
                    if size == 2:
                        row = number4(choose, parts[2, k, 0], parts[2, k, 1], r, s)
                    elif size == 1:
                        row = number3(choose, parts[2, k, 0], r, s)
                    else:
                        row = number2(choose, r, s)
                    for w in range(words):
                        both[w] &= reached[below + row, w] | given[w]
            pair = number2(choose, r, s)
            some = np.uint64(0)
            for w in range(words):
                beside[r, s, w] = both[w]
                delta[r, s, w] = both[w] & ~seen[pair, w]
                some |= delta[r, s, w]
                seen[pair, w] = both[w]
            if some:
                newly[r, s >> 6] |= np.uint64(1) << np.uint64(s & 63)
                newly[s, r >> 6] |= np.uint64(1) << np.uint64(r & 63)
            some = np.uint64(0)
            for x in range(len(add)):
                a = add[x]
                if a != r and a != s:
                    row = smaller + number3(choose, a, r, s)
                    for w in range(words):
                        some |= both[w] & wanted[row, w]
            if some:
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
            for w in range(words):
                grew[w] = np.uint64(0) if len(pre) else ~np.uint64(0)
            if plain:
                for x in range(len(pre)):
                    p = pre[x]
                    row = number3(choose, p, r, s)
                    for w in range(words):
                        grew[w] |= grown[0, row, w] | grown[1, row, w]
            every = (newly[r, s >> 6] >> np.uint64(s & 63)) & np.uint64(1) != 0
            for w in range(words):
                grew[w] = grew[w] & ~given[w] if plain else np.uint64(0)
                new[w] = beside[r, s, w]
                if not every:
                    new[w] &= newly[r, w] | newly[s, w] | grew[w]
            for k in range(members(new, s, near2)):
                t = near2[k]
                own = (grew[t >> 6] >> np.uint64(t & 63)) & np.uint64(1) != 0
                some = np.uint64(0)
                for w in range(words):
                    both[w] = beside[r, s, w] & beside[r, t, w] & beside[s, t, w]
                    if not own:
                        both[w] &= delta[r, s, w] | delta[r, t, w] | delta[s, t, w]
                    some |= both[w]
                if not some:
                    continue
                some = np.uint64(0)
                for x in range(len(add)):
                    a = add[x]
                    if a != r and a != s and a != t:
                        row = first + number4(choose, a, r, s, t)
                        for w in range(words):
                            some |= both[w] & wanted[row, w]
                if not some:
                    continue
                look.chosen[2] = t
                if plain and (given[t >> 6] >> np.uint64(t & 63)) & np.uint64(1) == 0:
                    if len(pre) == 0:
                        restrict(state, look, np.int64(3), both)
                    for x in range(len(pre)):
                        p = pre[x]
                        row = first + number4(choose, p, r, s, t)
                        for w in range(words):
                            both[w] &= reached[row, w] | given[w]
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
