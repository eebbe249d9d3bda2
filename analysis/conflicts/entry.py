"""Conflicts towards the entries of the goal zone, of four and five objects: sets for which whole boards are too large.

The *goal zone* is a set Z of places that holds all goals. The conflict of a set of objects outside it is the least
excess of pushes (`conflicts`) with which each of them comes into Z, where it is taken off the board.

    ##########     Boxes can come to a goal from eight places, three of which are the goals. With these as Z there are
    #     ####     ten sets of three of the other five, in place of 56. Each box has to come to r3c7 and be pushed on;
    # $$$  ..#     which goal it takes, and what stands on the goals by then, no longer matters.
    #     #.##
    ##########

It is at most the conflict towards goals, so it adds to the matching in the same way, and to others of disjoint sets:
in a plan each object of the set ends on a goal, so it comes into Z at some time. Of its pushes take those until it does
so first. Without all other objects and without those that have been taken off, they are a way of the set into Z, as
objects only get in the way; so their excess is at least the set's conflict, and the excess of the pushes left out is at
least 0. A set that has no way into Z has none to the goals.

An intermediate goal for several objects is as in Pereira, Ritt and Buriol, *Optimal Sokoban solving using pattern
databases with specific domain knowledge*, Artificial Intelligence 2015. There Z lies behind one place and distances to
it are what adds up; here Z may be any set, since excess adds up.

Places are numbered from the farthest from all goals on. A table has the first m, as many as are affordable, but no
goal. It is filled from that of sets with one object less: one of the set's objects is pushed into Z, the others remain.
"""

from __future__ import annotations

from math import comb

import numpy as np

from ...runtime.arrays import Bytes, Int, Longs, to_csr
from ...runtime.bitops import long
from ...runtime.budget import Budget
from ...runtime.kernel_cache import njit
from ..bitset_task import BitsetTask
from ..deadlocks.freeze import Boards
from ..deadlocks.tables import Pulls, Sweep, flood, pulls, rank_of, unrank
from ..object_arrays import INFINITE, MovableObjects
from ..tunables import TUNABLES
from .conflicts import LOST, MOST, Conflicts, Waiting, conflicts_in, excess, fill, no_conflicts, unit_of, wait


def entry_places(task: BitsetTask, objects: MovableObjects, boards: Boards, size: int) -> Longs:
    """The places outside the goal zone in a table for sets of `size` objects; empty if the table is not worth its work.

    From the farthest on; places from which no goal can be reached are left out.
    """
    nothing = np.zeros(0, np.int64)
    if not unit_of(objects) or size > objects.count or comb(objects.count, size) > TUNABLES.conflict_lookups:
        return nothing
    nodes = len(objects.fact) * objects.sides
    least = boards.dist[0, :nodes].min(axis=1)
    least[least >= INFINITE] = -1  # on this side only, or on every side
    first = np.array([min((d for d in row if d >= 0), default=0) for row in least.reshape(-1, objects.sides).tolist()])
    places = np.argsort(-first, kind="stable")[: int((first > 0).sum())]
    most = len(places)
    while comb(most, size) * len(task.free_bit) > TUNABLES.entry_entries:
        most -= 1
    return places[:most] if most >= size else nothing


def entry_patience(task: BitsetTask, places: Longs, size: int) -> int:
    """The expansions after which such a table is worth its search: it takes about as long as they.

    So no search takes more than twice as long as without it (as one buys skis when their hire has cost as much).
    """
    return comb(len(places), size) * len(task.free_bit) // TUNABLES.conflict_patience


def find_entry_conflicts(
    task: BitsetTask, objects: MovableObjects, boards: Boards, size: int, places: Longs, budget: Budget
) -> Conflicts:
    """The conflicts towards the entries of sets of `size` objects at `places`, all others being the goal zone.

    None, if there is no memory for them, or if the budget ends meanwhile.
    """
    if not budget.fits(3 * comb(len(places), size) * len(task.free_bit)):
        return no_conflicts()
    number = np.full(len(objects.fact), -1, np.int64)
    number[places] = np.arange(len(places))
    moves, entering = _outside(task, objects, boards, number, size)
    unit = unit_of(objects)
    weight = excess(task, objects, boards, unit)
    extra = np.zeros((1, moves.cells), np.uint8)  # of no object
    for members in range(1, size + 1):
        fewer, extra = extra, np.full((comb(len(places), members), moves.cells), LOST, np.uint8)
        rest = np.zeros(members - 1, np.int64)

        def enter(
            done: int,
            waiting: Waiting,
            room: int,
            scratch: Sweep,
            fewer: Bytes = fewer,
            extra: Bytes = extra,
            rest: Longs = rest,
        ) -> int:
            return int(_enter_last(moves, entering, weight, fewer, done, extra, waiting, room, rest, scratch))

        if not fill(moves, weight, extra, members, (len(fewer), len(entering), enter), budget):
            return no_conflicts()
    return conflicts_in(size, number, extra, moves.choose, unit, fewer)


def _outside(
    task: BitsetTask, objects: MovableObjects, boards: Boards, number: Longs, size: int
) -> tuple[Pulls, Longs]:
    """The moves between places outside the zone, all by their `number` (P), and the operators that enter the zone."""
    count = int(number.max()) + 1
    arriving: list[list[int]] = [[] for _ in range(count)]
    moves = np.where(objects.moves >= 0, number[objects.moves], -1).astype(np.int32)
    entering = []
    for o, (before, after) in enumerate(moves.tolist()):
        if before >= 0 and boards.useful[o]:
            if after >= 0:
                arriving[after].append(o)
            else:
                entering.append(o)
    arriving_first, arriving_there = to_csr(arriving)
    bars_first, bars = to_csr(
        [
            [p for p in number[objects.bars[first:end]].tolist() if p >= 0]
            for first, end in zip(objects.bars_first[:-1], objects.bars_first[1:], strict=True)
        ]
    )
    covers_first, covers = to_csr(
        [
            objects.covers[objects.covers_first[p] : objects.covers_first[p + 1]].tolist()
            for p in np.argsort(number, kind="stable")[len(number) - count :].tolist()
        ]
    )
    outside = pulls(task, objects, boards.useful)._replace(
        moves=moves,
        arriving_first=arriving_first,
        arriving=arriving_there,
        bars_first=bars_first,
        bars=bars,
        covers_first=covers_first,
        covers=covers,
        choose=np.array([[comb(p, i) for i in range(size + 1)] for p in range(count + 1)], np.int64),
    )
    return outside, np.array(entering, np.int64)


@njit(cache=True)
def _enter_last(  # noqa: PLR0913  (tables of one sweep)
    moves: Pulls,
    entering: Longs,
    weight: Longs,
    fewer: Bytes,
    done: int,
    extra: Bytes,
    waiting: Waiting,
    room: Int,
    rest: Longs,
    scratch: Sweep,
) -> int:
    """From sets of one object less, from number `done` on: sets of which one more object is pushed into the zone.

    `fewer`: the conflicts of those sets; `rest`: scratch for one. Gives the first set for which there is no room.
    """
    walk, before, bars, n = moves.walk, scratch.before, moves.bars, len(rest)
    while done < len(fewer) and waiting.used[0] + room <= len(waiting.entry):
        unrank(moves.choose, done, rest)
        for o in entering:
            # 1. The others do not stand where it is or bar it, and come into the zone from where the walker is then.
            least, start, free = long(fewer[done, walk[o, 1]]), moves.moves[o, 0], True
            for i in range(n):
                before[i] = rest[i]
                free = free and rest[i] != start
                for b in range(moves.bars_first[o], moves.bars_first[o + 1]):
                    free = free and bars[b] != rest[i]
            if least == LOST or not free:
                continue
            # 2. The set with it, from the region of the walker that pushes it.
            before[n] = start
            number, there = rank_of(moves.choose, before), long(walk[o, 0])
            least = min(least + weight[o], long(MOST))
            if extra[number, there] <= least:
                continue
            count = flood(moves, before, there, scratch.reached, scratch.stack)
            for c in range(count):
                extra[number, scratch.stack[c]] = least
            if count:
                wait(waiting, number, there, least)
        done += 1
    return done
