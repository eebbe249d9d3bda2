"""The packing plan: in which order boxes are parked, and which cells are out of plan then.

An entry is a box that has to stand on a cell: from the start on (`initial`), or brought there in its turn, and until
a later entry moves it on. A position is *packed* as far as the longest prefix of the plan that it does not contradict.
After step i, with the boxes parked for good by then as walls, a cell from which no box can be pushed to any cell of the
later entries is *out of plan*: boxes have to leave it before it closes. (Shoham and Schaeffer, *The FESS Algorithm*,
IEEE CoG 2020.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...runtime.arrays import Bytes, Ints
from ...runtime.kernel_calls import njit
from .board import FAR, Board, BoardScratch, pulls_from

# `until` of a box that stays to the end.
STAYS = 1 << 20


@dataclass(frozen=True, slots=True)
class PackingEntry:
    """A box that stands on the cell `to`, until the entry of number `until`; `initial`: from the start on."""

    to: int
    until: int
    initial: bool


class PackingPlan(NamedTuple):
    """A plan as arrays, for E entries, the initial ones first; without entries, the boxes on goals count as packed.

    `to`, `until` (E); `initial`: how many are; `zone` (E+1, F+1): whether a cell is out of plan while e entries
    are packed; `depth` (E+1, F+1): the pushes from the nearest cell of that zone.
    """

    to: Ints
    until: Ints
    initial: int
    zone: Bytes
    depth: Ints


def entries(pulls: Sequence[tuple[int, int, bool]], remaining: Sequence[int]) -> list[PackingEntry]:
    """The plan that a packing search makes: its pulls (from, to, whether the box vanished there), and the boxes left.

    The pulls are reversed: a box that was pulled from a to b comes from b to a. Two pulls of one box in a row are one.
    """
    steps: list[tuple[int, int]] = []  # (from: -1 for the sink, to)
    for start, end, vanished in reversed(pulls):
        source = -1 if vanished else end
        if steps and steps[-1][1] == source:
            source = steps.pop()[0]
        if source != start:
            steps.append((source, start))
    chain = [(-2, cell) for cell in remaining] + steps
    return [
        PackingEntry(to, next((k for k in range(i + 1, len(chain)) if chain[k][0] == to), STAYS), source == -2)
        for i, (source, to) in enumerate(chain)
    ]


def packing_plan(listed: Sequence[PackingEntry], neighbour: Ints, live: Bytes) -> PackingPlan:
    """The arrays of a plan, with the zones of all its steps."""
    count, cells = len(listed), len(live) - 1
    after = np.zeros((count + 1, cells + 1), np.uint8)
    wall = np.zeros(cells + 1, np.uint8)
    wall[cells] = 1
    for i, entry in enumerate(listed[:-1]):
        if entry.until == STAYS:
            wall[entry.to] = 1
        after[i + 1] = out_of_plan(neighbour, live, wall, [e.to for e in listed[i + 1 :]])
    # A zone is in force from the change before it on: boxes must have left by the time that it closes.
    zone = np.zeros_like(after)
    coming = after[max(count - 1, 0)]
    for i in range(count - 1, -1, -1):
        zone[i] = coming
        if i and (after[i] != after[i - 1]).any():
            coming = after[i]
    pushes = {key: _pushes_from(neighbour, row) for key, row in {row.tobytes(): row for row in zone}.items()}
    return PackingPlan(
        to=np.array([entry.to for entry in listed], np.int32),
        until=np.array([entry.until for entry in listed], np.int32),
        initial=sum(entry.initial for entry in listed),
        zone=zone,
        depth=np.array([pushes[row.tobytes()] for row in zone], np.int32),
    )


def no_plan(board: Board) -> PackingPlan:
    """The plan without entries."""
    return packing_plan([], board.neighbour, board.live)


def out_of_plan(neighbour: Ints, live: Bytes, wall: Bytes, targets: Sequence[int]) -> Bytes:
    """(F+1): whether a cell is live and no wall, and a lone box on it can be pushed to none of the targets."""
    zone, outside = live & (1 - wall), np.zeros(len(live), np.uint8)
    stack = np.zeros(len(live), np.int32)
    for target in targets:
        if not wall[target]:
            _leave_reached(neighbour, wall, target, zone, outside, stack)
    return zone


@njit(_nrt=False, effort=1)
def _leave_reached(neighbour: Ints, wall: Bytes, target: int, zone: Bytes, found: Bytes, stack: Ints) -> None:
    """Take the cells out of a zone from which a lone box can be pushed to a target."""
    pulls_from(neighbour, wall, target, found, stack)
    for c in range(len(zone)):
        zone[c] = zone[c] and not found[c]


def _pushes_from(neighbour: Ints, zone: Bytes) -> list[int]:
    """(F+1): the pushes that take a lone box from the nearest cell of a zone to each, walks left aside."""
    cells = len(zone) - 1
    steps = [0 if inside else FAR for inside in zone.tolist()]
    queue, beside = [cell for cell, step in enumerate(steps) if step == 0], neighbour.tolist()
    for cell in queue:
        for d in range(4):
            other = beside[cell][d]
            if other < cells and steps[other] == FAR and beside[cell][d ^ 1] < cells:
                steps[other] = steps[cell] + 1
                queue.append(other)
    return steps


@njit(inner=True)
def packed_steps(plan: PackingPlan, board: Board, s: BoardScratch) -> int:
    """How many entries of the plan are fulfilled; without a plan, how many boxes stand on goals."""
    count = len(plan.to)
    if count == 0:
        packed = 0
        for i in range(len(s.box)):
            packed += s.box[i] >= 0 and board.goal[s.box[i]]
        return packed
    # 1. As long as a box that has to stay from the start on is away, only such boxes count.
    present, away = 0, False
    for i in range(plan.initial):
        if s.occupied[plan.to[i]]:
            present += 1
        elif plan.until[i] >= count:
            away = True
    if away:
        return present
    # 2. An entry without its box is not fulfilled, unless the box has been moved on by a later one that is.
    packed = count
    for i in range(count - 1, plan.initial - 1, -1):
        if not s.occupied[plan.to[i]] and plan.until[i] >= packed:
            packed = i
    result = packed
    for i in range(plan.initial):
        if not s.occupied[plan.to[i]] and plan.until[i] >= packed:
            result -= 1
    return result
