"""Corral pruning: movable objects that fence the walker out must be pushed sooner or later, so push them now.

A *corral* is a part of the board that objects fence off from the walker (Junghanns and Schaeffer 2001). A *PI-corral*
(Brian Damgaard's, described on the Sokoban wiki's page "Solver", Corral pruning) is one whose objects can all be pushed
inwards only, and now. Here it is found as a stubborn set (Valmari, *Stubborn sets for reduced state space generation*,
1991), so that the proof covers combined corrals too.

    ########     The box fences off two cells on the left. It can be pushed there, now, and nowhere else before that:
    #. $@  #     the push to the left is the only one that is expanded. The pushes of the other box wait: none of them
    ###  $.#     can change what the first box needs.
    ########

Let C be a set of objects and R the cells that the walker could reach if only C, and what cannot move before one of C
does, stood on the board. Suppose that each useful push of a member of C (1) is barred by another member or by what
cannot move before one, or leaves a state that would be dead if only these stood there, or (2) must be made from outside
R, or (3) can be made now and leads to a cell outside R. Until a member moves, (1) and (2) stay as they are, and no
other push uses or fills a cell outside R. So if a plan has to move C at all, its first push of a member is one of (3),
and making it at once instead gives a plan of the same pushes, in another order, which leaves the same state. It is
enough to expand the pushes (3). If there are none, the state is a dead end. That needs a walker that walks for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ...models.task import Task
from ...runtime.arrays import Bytes, Int, Ints, Longs
from ...runtime.kernel_calls import njit
from ..bitset_task import BitsetTask
from ..movable_objects import MovableObjects, find_movable_objects
from .freeze import barred, freeze
from .tables import DeadSets, lost

# How often a set of objects may grow before it is given up as a corral.
ROUNDS = 12

# What is looked for (0: nothing): corrals that grow from one part, by (1) what bars pushes alone; or also from two
# parts, and by what is dead.
PLAIN, STRONG = 1, 2

# Marks of objects in `Corral.role`: in C; cannot move before a member of C does. 0: neither.
MEMBER, INERT = 1, 2

# Marks of cells in `Corral.region`: in R; a member or an inert object stands there. 0: neither.
INSIDE, OBJECT = 1, 2

# Answers of `_grow` that are no number of pushes: objects were added to C; no set with these objects will do.
GROWN, NONE = -2, -1


def pushes_only(task: Task, objects: MovableObjects) -> bool:
    """Whether all operators are pushes along one cell by a walker that walks for nothing, as the proof assumes."""
    walker = task.walker
    if walker is None or any(walker.cost) or len(set(walker.free)) < len(walker.free) or not len(objects.fact):
        return False
    first, covers = objects.covers_first.tolist(), objects.covers.tolist()
    if any(after - before != 1 for before, after in pairwise(first)):
        return False
    for op, (before, after) in zip(task.operators, objects.moves.tolist(), strict=True):
        if before < 0 or op.walk is None:
            return False
        here, there, behind = covers[before], covers[after], op.walk[0]
        pushed, moved = int(objects.fact[before]), int(objects.fact[after])
        pushes = (
            op.walk[1] == here
            and here in walker.neighbours[behind]
            and there in walker.neighbours[here]
            and set(op.delete) == {pushed, walker.free[there]}
            and set(op.add) == {moved, walker.free[here]}
            and set(op.pre) == {pushed, walker.free[there], walker.free[behind]}
        )
        if not pushes:
            return False
    return True


class Corral(NamedTuple):
    """A state in which a corral is looked for, and scratch.

    `at`: the places of the objects, `occupied` (P) the same; `reached` (K): what the walker reaches. `label` (K): the
    number of the part that a cell outside is in; `role` (P): see `MEMBER`; `region` (K): see `INSIDE`; `stack` (K).
    `best` (P): the members (1) of the best corral so far. `some` (count), `standing` (P), `picked`: scratch of
    `_is_deadly`.
    """

    at: Longs
    occupied: Bytes
    reached: Bytes
    label: Ints
    role: Bytes
    region: Bytes
    stack: Ints
    best: Bytes
    some: Longs
    standing: Bytes
    picked: Longs


class Pushes(NamedTuple):
    """What the search for a corral reads of a task and its objects. `cell` (P): the cell of a place."""

    objects: MovableObjects
    dead: DeadSets

    near_first: Ints
    near: Ints
    walkable: Bytes
    cell: Ints
    walk: Ints
    moves: Ints
    useful: Bytes
    leaving_first: Ints
    leaving: Ints
    bars_first: Ints
    bars: Ints
    target: Bytes
    strength: int


@njit(inner=True)
def _label(pushes: Pushes, corral: Corral) -> int:
    """Number the parts of the board that the walker cannot reach, 1, 2, ... in `label`, -1 for objects; how many."""
    near_first, near, walkable = pushes.near_first, pushes.near, pushes.walkable
    reached, label, stack = corral.reached, corral.label, corral.stack
    for cell in range(len(label)):
        label[cell] = 0
    for place in corral.at:
        label[pushes.cell[place]] = -1
    parts = 0
    for cell in range(len(label)):
        if label[cell] or reached[cell] or not walkable[cell]:
            continue
        parts += 1
        label[cell] = parts
        stack[0] = cell
        height = 1
        while height > 0:
            height -= 1
            here = stack[height]
            for i in range(near_first[here], near_first[here + 1]):
                other = near[i]
                if label[other] == 0 and not reached[other] and walkable[other]:
                    label[other] = parts
                    stack[height] = other
                    height += 1
    return parts


@njit(inner=True)
def _join(pushes: Pushes, corral: Corral, part: Int) -> int:
    """Make the objects next to a part of the board members; gives the number of new members."""
    near_first, near, label, role = pushes.near_first, pushes.near, corral.label, corral.role
    new = 0
    for place in corral.at:
        if role[place] == MEMBER:
            continue
        cell = pushes.cell[place]
        for i in range(near_first[cell], near_first[cell + 1]):
            if label[near[i]] == part:
                role[place] = MEMBER
                new += 1
                break
    return new


@njit(inner=True)
def _range(pushes: Pushes, corral: Corral, start: Int) -> None:
    """Mark in `region` the cells that a walker reaches from `start` if only the members and the inert objects are on
    the board.
    """
    near_first, near, walkable = pushes.near_first, pushes.near, pushes.walkable
    region, stack, role = corral.region, corral.stack, corral.role
    for cell in range(len(region)):
        region[cell] = 0
    for place in corral.at:
        if role[place]:
            region[pushes.cell[place]] = OBJECT
    region[start] = INSIDE
    stack[0] = start
    height = 1
    while height > 0:
        height -= 1
        cell = stack[height]
        for i in range(near_first[cell], near_first[cell + 1]):
            other = near[i]
            if region[other] == 0 and walkable[other]:
                region[other] = INSIDE
                stack[height] = other
                height += 1


@njit(inner=True)
def _inert(pushes: Pushes, corral: Corral) -> None:
    """Mark the inert objects: mark all that are not members, then unmark those that could move before a member does."""
    useful, walk, bars = pushes.useful, pushes.walk, pushes.bars
    leaving_first, leaving, bars_first = pushes.leaving_first, pushes.leaving, pushes.bars_first
    at, region, role = corral.at, corral.region, corral.role
    for place in at:
        if role[place] != MEMBER:
            role[place] = INERT
    changed = True
    while changed:
        changed = False
        for place in at:
            if role[place] != INERT:
                continue
            for i in range(leaving_first[place], leaving_first[place + 1]):
                o = leaving[i]
                if not useful[o] or region[walk[o, 0]] != INSIDE:
                    continue
                free = True
                for j in range(bars_first[o], bars_first[o + 1]):
                    if role[bars[j]]:
                        free = False
                        break
                if free:
                    role[place] = 0
                    changed = True
                    break


@njit(inner=True)
def _is_deadly(pushes: Pushes, corral: Corral, place: int, o: int) -> bool:
    """Whether push `o` of the object at a place leads to a state that is dead with the members and inert
    objects alone.
    """
    objects, useful, role, some, standing = pushes.objects, pushes.useful, corral.role, corral.some, corral.standing
    after = pushes.moves[o, 1]
    for other in range(len(standing)):
        standing[other] = role[other] > 0
    standing[place], standing[after] = 0, 1
    some[0], count = after, 1
    for other in corral.at:
        if role[other] and other != place:
            some[count] = other
            count += 1
    if count >= pushes.dead.size and lost(pushes.dead, some[:count], 0, pushes.cell[place], corral.picked):
        return True
    return barred(objects, useful, standing, after) and not freeze(objects, useful, some[:count], standing)


@njit(inner=True)
def _grow(pushes: Pushes, corral: Corral) -> int:
    """Look at all pushes of members: the number that can be made now, or one of the answers `NONE` and `GROWN`."""
    useful, walk, bars, bars_first = pushes.useful, pushes.walk, pushes.bars, pushes.bars_first
    region, role, occupied, reached = corral.region, corral.role, corral.occupied, corral.reached
    made, added = 0, 0
    for place in corral.at:
        if role[place] != MEMBER:
            continue
        for i in range(pushes.leaving_first[place], pushes.leaving_first[place + 1]):
            o = pushes.leaving[i]
            behind = walk[o, 0]
            if not useful[o] or region[behind] != INSIDE:
                continue  # (2), or never part of a plan
            inner, outer = False, -1
            for j in range(bars_first[o], bars_first[o + 1]):
                if role[bars[j]]:
                    inner = True
                elif occupied[bars[j]]:
                    outer = bars[j]
            if inner or (pushes.strength == STRONG and _is_deadly(pushes, corral, place, o)):
                continue  # (1)
            if outer >= 0:  # barred by an object that may move first: a member too, then
                role[outer] = MEMBER
                added += 1
            elif reached[behind]:
                if region[pushes.cell[pushes.moves[o, 1]]] == INSIDE:
                    return NONE  # a push that leads outwards, or within R
                made += 1  # (3)
            else:  # the walker is fenced out of the cell behind by others: members too
                new = _join(pushes, corral, corral.label[behind])
                if new == 0:
                    return NONE
                added += new
    return GROWN if added else made


@njit(inner=True)
def _must_open(pushes: Pushes, corral: Corral) -> bool:
    """Whether every plan moves a member: one, or what waits for one, is misplaced, or a goal place is fenced off."""
    target, role, at = pushes.target, corral.role, corral.at
    for place in at:
        if role[place] and not target[place]:
            return True
    fenced, targets = 0, 0
    for place in range(len(target)):
        if target[place]:
            targets += 1
            if not corral.occupied[place] and corral.region[pushes.cell[place]] == 0:
                fenced += 1
    return fenced > 0 and targets == len(at)  # then every target must be filled


@njit(inner=True)
def find_corral(
    task: BitsetTask, objects: MovableObjects, useful: Bytes, dead: DeadSets, strength: int, start: Int, corral: Corral
) -> int:
    """The corral with the fewest pushes: how many; -1: none was found; 0: a dead end. Its members are in `best`.

    The walker is in cell `start`; `useful` as in `freeze.Boards`.
    """
    pushes = Pushes(
        objects=objects,
        dead=dead,
        near_first=task.near_first,
        near=task.near,
        walkable=objects.walkable,
        cell=objects.covers,
        walk=task.walk,
        moves=objects.moves,
        useful=useful,
        leaving_first=objects.leaving_first,
        leaving=objects.leaving,
        bars_first=objects.bars_first,
        bars=objects.bars,
        target=objects.target,
        strength=strength,
    )
    # 1. Parts of the board that the walker does not reach: each may become a corral.
    parts = _label(pushes, corral)
    fewest = NONE
    for part in range(1, parts + 1):
        fewest = _better(pushes, corral, start, part, part, fewest)
        if fewest == 0:
            return 0
    # 2. Or two that an object lies between.
    if fewest < 0 and strength == STRONG:
        for part in range(1, parts):
            for other in range(part + 1, parts + 1):
                if _touch(pushes, corral, part, other):
                    fewest = _better(pushes, corral, start, part, other, fewest)
                    if fewest == 0:
                        return 0
    return fewest


@njit(inner=True)
def _touch(pushes: Pushes, corral: Corral, part: int, other: int) -> bool:
    """Whether an object is next to both parts."""
    near_first, near, label = pushes.near_first, pushes.near, corral.label
    for place in corral.at:
        cell = pushes.cell[place]
        one, two = False, False
        for i in range(near_first[cell], near_first[cell + 1]):
            one = one or label[near[i]] == part
            two = two or label[near[i]] == other
        if one and two:
            return True
    return False


@njit(inner=True)
def _better(pushes: Pushes, corral: Corral, start: Int, part: int, other: int, fewest: int) -> int:
    """The pushes of the corral that grows from two parts, if it is one and has fewer than `fewest`; else `fewest`."""
    role, best = corral.role, corral.best
    # 1. C: the objects around the parts, and what their pushes ask for, until nothing is added.
    for place in range(len(role)):
        role[place] = 0
    _join(pushes, corral, part)
    if other != part:
        _join(pushes, corral, other)
    made = GROWN
    for _ in range(ROUNDS):
        for place in range(len(role)):
            role[place] = role[place] == MEMBER
        # R depends on the inert objects, and they on R: first R for the members alone, the largest.
        _range(pushes, corral, start)
        _inert(pushes, corral)
        _range(pushes, corral, start)
        made = _grow(pushes, corral)
        if made != GROWN:
            break
    # 2. The best one so far, if the plan has to open it.
    if made < 0 or (fewest >= 0 and made >= fewest) or not _must_open(pushes, corral):
        return fewest
    for place in range(len(best)):
        best[place] = role[place] == MEMBER
    return made


# Doors: a box that stands in one is pushed on at once.
#
# A *door* is a cell that is no goal and has two neighbours, opposite each other: without the door, no way leads from
# one to the other.
#
#     #########    The box stands in a door, between the cells a and b. The player gets to a. Whatever else could be
#     #   #   #    pushed now, the box in the door comes first, to b. (Were a closed off by another box, that one would
#     # @a$b. #    have to be pushed first.)
#     #   #   #
#     #########
#
# Let S be a state with an object in a door, and let the walker get to a. On every plan from S the object leaves the
# door at some time, as it is no goal; the first push that moves it is made from a, since until then nobody gets to
# the other side. Let X be the pushes before that one. They are all of objects on the walker's side: none of them
# enters the door, nor the other side. So b is as free in S as it is after X, and the push to b can be made first.
# After it, X can be made from the door and the walker's side, where only more is free than before; then the walker,
# who in the plan came to a last, is in the same region as after the push from a. So some plan of the same length
# begins with that push, and by induction on the length there is one in which this is so in every state.
#
# Objects may stand in several doors with the walker at them: then one of these pushes comes first, that of the door
# with the smallest number, and the others stay possible. (That is the smallest case of PI-corral pruning, see
# `deadlocks.corrals`, in which nothing depends on where other objects are; so a model can state it as a clause.)


@dataclass(frozen=True, slots=True)
class DoorPush:
    """If fact `box` is true, an object stands in the door, and the walker gets to `cell`, beside it, then operator
    `push` is next, or one of `before`: the pushes from doors with smaller numbers.
    """

    box: int
    cell: int
    push: int
    before: tuple[int, ...]


def find_doors(task: Task) -> tuple[DoorPush, ...]:
    """The pushes from doors, of a task of pushes along one cell by a walker who walks for nothing; else none."""
    if task.walker is None:
        return ()
    objects = find_movable_objects(task)
    if not pushes_only(task, objects):
        return ()
    near = [{other for other in cells if objects.walkable[other]} for cells in task.walker.neighbours]
    leaving: dict[int, list[int]] = {}
    for op, (before, _) in enumerate(objects.moves.tolist()):
        leaving.setdefault(before, []).append(op)
    pushes: list[DoorPush] = []
    earlier: tuple[int, ...] = ()
    for place, cell in enumerate(objects.covers.tolist()):
        if objects.target[place] or not _separates(near, cell):
            continue
        for op in leaving.get(place, ()):
            walk = task.operators[op].walk
            assert walk is not None
            pushes.append(DoorPush(int(objects.fact[place]), walk[0], op, earlier))
        earlier += tuple(leaving.get(place, ()))
    return tuple(pushes)


def _separates(near: list[set[int]], cell: int) -> bool:
    """Whether a cell has two neighbours, and every way from one to the other goes through it."""
    if len(near[cell]) != 2:
        return False
    start, end = near[cell]
    seen, queue = {cell, start}, [start]
    for here in queue:
        new = near[here] - seen
        seen |= new
        queue += new
    return end not in seen
