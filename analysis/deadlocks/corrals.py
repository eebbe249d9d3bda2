"""Corral pruning: things that fence the walker out must be pushed sooner or later, so push them now.

A *PI-corral* (Brian Damgaard's, described on the Sokoban wiki's page "Solver", Corral pruning) is a part of the board
that things fence off, all of which can only be pushed inwards, and now. Here it is found as a stubborn set
(Valmari, *Stubborn sets for reduced state space generation*, 1991), so that the proof covers combined corrals too.

Let C be a set of things and R the cells that the walker could reach if only C, and what cannot move before one of C
does, stood on the board. Suppose that each useful push of a member of C (1) is barred by another member or by what
cannot move before one, or (2) must be made from outside R, or (3) can be made now and leads to a cell outside R. Until
a member moves, (1) and (2) stay as they are, and no other push uses or fills a cell outside R. So if a plan has to
move C at all, its first push of a member is one of (3), and making it at once instead gives a plan of the same
pushes, in another order, which leaves the same state. It is enough to expand the pushes (3). If there are none, the
state is a dead end. That needs a walker that walks for nothing.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ...models.task import Task
from ...runtime.kernel_cache import njit
from ..movable_objects import MovableObjects

MAX_ROUNDS = 12
"""How often a set may grow before it is given up."""


def pushes_only(task: Task, things: MovableObjects) -> bool:
    """Whether all operators are pushes along one cell by a walker that walks for nothing, as the proof assumes."""
    walker = task.walker
    if walker is None or any(walker.cost) or len(set(walker.free)) < len(walker.free) or not len(things.fact):
        return False
    first, covers = things.covers_first.tolist(), things.covers.tolist()
    if any(after - before != 1 for before, after in pairwise(first)):
        return False
    for op, (before, after) in zip(task.operators, things.moves.tolist(), strict=True):
        if before < 0 or op.walk is None:
            return False
        here, there, behind = covers[before], covers[after], op.walk[0]
        thing, moved = int(things.fact[before]), int(things.fact[after])
        pushes = (
            op.walk[1] == here
            and here in walker.neighbours[behind]
            and there in walker.neighbours[here]
            and set(op.delete) == {thing, walker.free[there]}
            and set(op.add) == {moved, walker.free[here]}
            and set(op.pre) == {thing, walker.free[there], walker.free[behind]}
        )
        if not pushes:
            return False
    return True


@njit(cache=True)
def _label(task: Any, things: Any, at: Any, occupied: Any, reached: Any, label: Any, stack: Any) -> int:
    """Number the parts of the board that the walker cannot reach, 1, 2, ... in `label` (K); how many."""
    label[:] = 0
    for place in at:
        label[things.covers[things.covers_first[place]]] = -1
    parts = 0
    for cell in range(len(label)):
        if label[cell] or reached[cell] or not things.walkable[cell]:
            continue
        parts += 1
        label[cell] = parts
        stack[0] = cell
        height = 1
        while height > 0:
            height -= 1
            here = stack[height]
            for i in range(task.near_first[here], task.near_first[here + 1]):
                other = task.near[i]
                if label[other] == 0 and not reached[other] and things.walkable[other]:
                    label[other] = parts
                    stack[height] = other
                    height += 1
    return parts


@njit(cache=True)
def _join(task: Any, things: Any, at: Any, part: int, label: Any, corral: Any) -> int:
    """Add to a corral (1 in `corral`, P) the things next to a part; how many are new."""
    new = 0
    for place in at:
        cell = things.covers[things.covers_first[place]]
        if corral[place] == 1:
            continue
        for i in range(task.near_first[cell], task.near_first[cell + 1]):
            if label[task.near[i]] == part:
                corral[place] = 1
                new += 1
                break
    return new


@njit(cache=True)
def _range(task: Any, things: Any, at: Any, start: int, corral: Any, region: Any, stack: Any) -> None:
    """Mark in `region` (K) what a walker reaches from `start` if only the things in `corral` stand on the board."""
    region[:] = 0
    for place in at:
        if corral[place]:
            region[things.covers[things.covers_first[place]]] = 2
    region[start] = 1
    stack[0] = start
    height = 1
    while height > 0:
        height -= 1
        cell = stack[height]
        for i in range(task.near_first[cell], task.near_first[cell + 1]):
            other = task.near[i]
            if region[other] == 0 and things.walkable[other]:
                region[other] = 1
                stack[height] = other
                height += 1


@njit(cache=True)
def _inert(task: Any, things: Any, useful: Any, at: Any, region: Any, corral: Any) -> None:
    """Mark in `corral` (as 2) the things that cannot move before a member does."""
    for place in at:
        if corral[place] != 1:
            corral[place] = 2
    changed = True
    while changed:
        changed = False
        for place in at:
            if corral[place] != 2:
                continue
            for i in range(things.leaving_first[place], things.leaving_first[place + 1]):
                o = things.leaving[i]
                if not useful[o] or region[task.walk[o, 0]] != 1:
                    continue
                free = True
                for j in range(things.bars_first[o], things.bars_first[o + 1]):
                    if corral[things.bars[j]]:
                        free = False
                        break
                if free:
                    corral[place] = 0
                    changed = True
                    break


@njit(cache=True)
def _grow(task: Any, things: Any, useful: Any, at: Any, occupied: Any, reached: Any, label: Any, corral: Any,
          region: Any) -> int:  # fmt: skip
    """Look at all pushes of members: how many can be made now; -1: no such corral; -2: things were added."""
    pushes, added = 0, 0
    for place in at:
        if corral[place] != 1:
            continue
        for i in range(things.leaving_first[place], things.leaving_first[place + 1]):
            o = things.leaving[i]
            if not useful[o] or region[task.walk[o, 0]] != 1:
                continue
            inner, outer = False, -1
            for j in range(things.bars_first[o], things.bars_first[o + 1]):
                other = things.bars[j]
                if corral[other]:
                    inner = True
                elif occupied[other]:
                    outer = other
            if inner:
                continue
            if outer >= 0:
                corral[outer] = 1
                added += 1
            elif reached[task.walk[o, 0]]:
                after = things.moves[o, 1]
                if region[things.covers[things.covers_first[after]]] == 1:
                    return -1
                pushes += 1
            else:
                new = _join(task, things, at, label[task.walk[o, 0]], label, corral)
                if new == 0:
                    return -1
                added += new
    return -2 if added else pushes


@njit(cache=True)
def _must_open(things: Any, at: Any, occupied: Any, region: Any, corral: Any) -> bool:
    """Whether every plan moves a member: one, or what waits for one, is misplaced, or a goal place is fenced off."""
    for place in at:
        if corral[place] and not things.target[place]:
            return True
    fenced, targets = 0, 0
    for place in range(len(things.fact)):
        if things.target[place]:
            targets += 1
            if not occupied[place] and region[things.covers[things.covers_first[place]]] == 0:
                fenced += 1
    return fenced > 0 and targets == len(at)  # then every target must be filled


@njit(cache=True)
def find_corral(task: Any, things: Any, useful: Any, at: Any, occupied: Any, start: int, reached: Any, label: Any,
                region: Any, stack: Any, corral: Any, best: Any) -> int:  # fmt: skip
    """The corral with the fewest pushes: how many; -1: none was found; 0: a dead end.

    `at`: the places of the things, `occupied` (P) the same; `reached` (K): what the walker reaches from `start`.
    The members are marked (1) in `best` (P); `label`, `region` (K), `stack`, `corral` (P) are scratch.
    """
    parts = _label(task, things, at, occupied, reached, label, stack)
    fewest = -1
    for part in range(1, parts + 1):
        corral[:] = 0
        _join(task, things, at, part, label, corral)
        pushes = -2
        for _ in range(MAX_ROUNDS):
            for place in range(len(corral)):
                corral[place] = corral[place] == 1
            _range(task, things, at, start, corral, region, stack)
            _inert(task, things, useful, at, region, corral)
            _range(task, things, at, start, corral, region, stack)
            pushes = _grow(task, things, useful, at, occupied, reached, label, corral, region)
            if pushes != -2:
                break
        if pushes >= 0 and (fewest < 0 or pushes < fewest) and _must_open(things, at, occupied, region, corral):
            fewest = pushes
            for place in range(len(best)):
                best[place] = corral[place] == 1
            if pushes == 0:
                return 0
    return fewest
