"""A board of boxes as arrays, and the regions that its boxes leave to the player.

The floor has F cells, numbered in reading order; number F stands for every wall. `neighbour[c, d]` is the cell next to
c in direction d (up, down, left, right: d ^ 1 is the opposite), so that kernels need no check for the edge:

    ####      neighbour of 0 (the cell at row 1, column 1), with F = 3:  [3, 2, 3, 1]
    #01#
    #2##      `occupied` has F + 1 entries; that of the wall is always 1.
    ####
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...models.cells import DIRECTIONS, Cell, flood, parts_of, shift
from ...runtime.arrays import Bytes, Ints, Longs, Shorts, Words, zeros
from ...runtime.kernel_calls import njit
from ..bitset_kernels import ONE
from .box_board import BoxBoard

# The position that is being looked at, and what is computed of it.


class BoardScratch(NamedTuple):
    """A position and scratch arrays, for F cells and B boxes.

    `occupied` (F+1): a wall or a box; `box` (B): where the boxes are, -1 for one that is no longer on the board;
    `label` (F+1): the region of each free cell. `seen` (F+1, 4), `queue` (16F, 3: cell, player, the entry that it came
    from): of the macro moves of one box. `reached` (F+1, 4): the sides of boxes that the player could push from in the
    parent. `mark` (F+1), `intact` (R): see `broken_edges`. `frozen` (F+1): see `freeze`. `region` (F+1), `tried` (F+1)
    and `movable` (B, whether a box may be pushed next): see `pi_corrals`. `elimination` (F+1): bases where a box
    vanishes, of the packing search; `link` (B, B): which of them can be pushed to each other. `at`: numbers, see
    `AT_...`.
    """

    occupied: Bytes
    box: Ints
    label: Ints
    stack: Ints
    seen: Bytes
    queue: Ints
    reached: Bytes
    mark: Ints
    intact: Words
    frozen: Bytes
    region: Bytes
    elimination: Bytes
    tried: Bytes
    movable: Bytes
    link: Bytes
    at: Longs


# Entries of `at`: of the queue; the cell of the box, the player's region and the number of regions at this stop; the
# slot of a position that was met from the other side.
AT_HEAD, AT_TAIL, AT_CELL, AT_ROOT, AT_REGIONS, AT_MEETING, AT_COUNT = range(7)


def scratch_for(cells: int, boxes: int, rooms: int) -> BoardScratch:
    """Empty scratch arrays for a board of n cells, boxes and rooms."""
    occupied = np.zeros(cells + 1, np.uint8)
    occupied[cells] = 1
    sides, none = (cells + 1, 4), np.full(boxes, -1, np.int32)
    return zeros(
        BoardScratch,
        cells + 1,
        occupied=occupied,
        box=none,
        seen=sides,
        queue=(16 * cells + 8, 3),
        reached=sides,
        intact=rooms,
        movable=np.ones(boxes, np.uint8),
        link=(boxes, boxes),
        at=AT_COUNT,
    )


@njit(inner=True)
def clear(array: Bytes) -> None:
    """Make all entries 0. (A loop: numba compiles `array[:] = 0` in a tenth of a second for each type.)"""
    for i in range(len(array)):
        array[i] = 0


@njit(inner=True)
def clear_board(occupied: Bytes) -> None:
    """Clear the position: no boxes, only the wall is occupied."""
    clear(occupied)
    occupied[len(occupied) - 1] = 1


@njit(inner=True)
def clear_sides(sides: Bytes) -> None:
    """Make all entries 0, for each cell and side."""
    for c in range(len(sides)):
        for d in range(4):
            sides[c, d] = 0


# Rooms of a board, and how well the boxes leave them connected.
#
# A *room* is a set of cells made of overlapping 2x2 blocks of floor, at least two of them (so 2x3 is the smallest
# room); all other cells are *corridors*. Two rooms are joined by an edge if a walk leads from one to the other
# through corridors only, with no boxes on the board:
#
#     ########     0 0 0 - 1 1 1      one edge; a box on the corridor breaks it
#     #000#11#     0 0 0   1 1 1
#     #000-11#
#     #####11#
#
# *Room connectivity* counts the edges that the boxes break: an edge between rooms i and k is intact if from every
# part of i that the boxes leave, the player could walk to k, and the other way round. 0 is best. (Shoham and
# Schaeffer, *The FESS Algorithm: A Feature Based Approach to Single-Agent Search*, IEEE CoG 2020.)

# The room number of cells that belong to no room: those of corridors.
NO_ROOM = -1

# Most rooms, one for each bit of a word. A board with more is treated as if it had no rooms.
MOST_ROOMS = 64


def find_rooms(cells: tuple[Cell, ...]) -> tuple[Ints, Words]:
    """(F+1): the room of each cell of a floor, numbered in reading order, or `NO_ROOM`; (R): the rooms joined to each,
    as bits of a word.
    """
    floor = set(cells)
    blocks = sorted((r, c) for r, c in cells if {(r, c + 1), (r + 1, c), (r + 1, c + 1)} <= floor)
    parts = [part for part in parts_of(blocks) if len(part) > 1]
    number = {block: i for i, part in enumerate(parts) for block in part} if len(parts) <= MOST_ROOMS else {}
    room = np.full(len(cells) + 1, NO_ROOM, np.int32)
    for i, (r, c) in enumerate(cells):
        covering = {number[block] for block in ((r, c), (r, c - 1), (r - 1, c), (r - 1, c - 1)) if block in number}
        if len(covering) == 1:  # where two rooms touch at a corner, the cell belongs to neither
            room[i] = covering.pop()
    room_of = dict(zip(cells, room.tolist(), strict=False))
    joined = [_joined(i, room_of) for i in range(len(set(number.values())))]
    return room, np.array([sum(1 << k for k in others) for others in joined], np.uint64)


def _joined(first: int, room_of: dict[Cell, int]) -> set[int]:
    """The rooms that a walk from a room meets first, on a board without boxes."""
    through = (first, NO_ROOM)
    starts = [cell for cell, room in room_of.items() if room == first]
    reached = flood(starts, lambda cell, way: room_of.get(shift(cell, way)) in through)
    return {room_of.get(shift(cell, way), NO_ROOM) for cell in reached for way in DIRECTIONS} - {*through}


@njit(inner=True)
def broken_edges(
    neighbour: Ints, room: Ints, edges: Words, occupied: Bytes, mark: Ints, stack: Ints, intact: Words
) -> int:
    """How many edges between rooms the boxes break.

    `mark` (F+1) and `stack` (F+1) are scratch arrays; `intact` (R) holds for each room the rooms that are seen from
    every part of it, as bits.
    """
    rooms, cells = len(edges), len(room) - 1
    if rooms < 2:
        return 0
    for c in range(cells):
        mark[c] = -1
    for i in range(rooms):
        intact[i] = edges[i]
    # 1. A flood for each part of a room: through its free cells and free corridors; other rooms are seen at their edge.
    # Bit k of edges[i]: rooms i and k are joined on the empty board; bit k of intact[i]: each part of room i flooded so
    # far has met room k. `mark` holds the first cell of the last flood that came by, so it is cleared once, not for
    # each.
    used = np.uint64(0)
    for first in range(cells):
        own = room[first]
        if own < 0 or occupied[first] or mark[first] >= 0:
            continue
        seen = np.uint64(0)
        used |= ONE << np.uint64(own)
        mark[first] = first
        stack[0] = first
        top = 1
        while top > 0:
            top -= 1
            c = stack[top]
            for d in range(4):
                other = neighbour[c, d]
                if occupied[other] or mark[other] == first:
                    continue
                if room[other] >= 0 and room[other] != own:
                    seen |= ONE << np.uint64(room[other])
                else:
                    mark[other] = first
                    stack[top] = other
                    top += 1
        intact[own] &= seen
    # 2. An edge must be intact from both ends. A room full of boxes has no part that sees anything.
    broken = 0
    for i in range(rooms):
        if not (used >> np.uint64(i)) & ONE:
            intact[i] = np.uint64(0)
    for i in range(rooms):
        for k in range(i + 1, rooms):
            if (edges[i] >> np.uint64(k)) & ONE:
                broken += not ((intact[i] >> np.uint64(k)) & (intact[k] >> np.uint64(i)) & ONE)
    return broken


# Hotspots: boxes that stand in the way of others.
#
# Cell q *blocks* cell p if a box on p could be pushed to fewer goals if q were a wall. A box is a *hotspot* if it
# blocks another box; their number is a feature, to be made small. Pairs where p or q is a goal or a dead square do
# not count. Pushes are judged without the player's walk: from a cell to the next, if the cell on the other side is
# floor.

# Cells between two checks of the time limit while tables are filled.
CELLS_A_LOOK = 16


def blocked_targets(neighbour: Ints, goal: Bytes, live: Bytes, stopped: Callable[[], bool]) -> Bytes:
    """(F, F): `blocks[q, p]`, whether a box on p loses a goal to a wall on q.

    Where time is up before the table is done, cells that were not looked at block nothing.
    """
    cells = len(goal) - 1
    blocks, marks = np.zeros((cells, cells), np.uint8), np.zeros((2, cells + 1), np.uint8)
    marks[0, cells] = 1
    work = np.zeros((3, cells + 1), np.int32)
    for step in range(0, cells + 1, CELLS_A_LOOK):
        if stopped():
            break
        _fill_blocks(neighbour, goal, live, blocks, marks, work, step)
    return blocks


@njit(_nrt=False, effort=1)
def _fill_blocks(
    neighbour: Ints, goal: Bytes, live: Bytes, blocks: Bytes, marks: Bytes, work: Ints, first: int
) -> None:
    """Fill rows of `blocks`, in `CELLS_A_LOOK` steps from step `first` on.

    Step 0 is the board as it is: row 1 of `work` counts the goals for each cell. Step k has a wall on cell q = F - k.
    Rows of `marks` (2, F+1): the wall alone, and scratch; rows 0 and 2 of `work` (3, F+1) are scratch.
    """
    cells, wall, found = len(goal) - 1, marks[0], marks[1]
    for step in range(first, min(first + CELLS_A_LOOK, cells + 1)):
        q = cells - step
        if q < cells and (goal[q] or not live[q]):
            continue
        wall[q] = 1
        for p in range(cells):
            work[2, p] = 0
        for target in range(cells):
            if goal[target]:
                pulls_from(neighbour, wall, target, found, work[0])
                for p in range(cells):
                    work[2, p] += found[p]
        for p in range(cells):
            if q == cells:
                work[1, p] = work[2, p]
            elif p != q and work[2, p] < work[1, p] and live[p] and not goal[p]:
                blocks[q, p] = 1
        if q < cells:
            wall[q] = 0


@njit(inner=True)
def pulls_from(neighbour: Ints, wall: Bytes, target: int, found: Bytes, stack: Ints) -> None:
    """Mark in `found` every cell from which a lone box could be pushed to the target, walks left aside."""
    clear(found)
    found[target] = 1
    stack[0] = target
    top = 1
    while top > 0:
        top -= 1
        c = stack[top]
        for d in range(4):
            other = neighbour[c, d]
            if not wall[other] and not found[other] and not wall[neighbour[other, d]]:
                found[other] = 1
                stack[top] = other
                top += 1


# The distance of two cells between which there is no way, in pushes or steps: more than any real distance.
FAR = 32_000

# Seed of the Zobrist keys; the value does not matter.
SEED = 20_200_824


class Board(NamedTuple):
    """What never changes while a level is solved, for F cells.

    `neighbour` (F+1, 4): see the module. `goal`, `live` (F+1): whether a box is wanted there, and whether one may be
    there at all (forward: it can be pushed to a goal from there; backward: pushed to there from where one starts).
    `box_key`, `player_key`, `base_key` (F+1): Zobrist keys. `room` (F+1) and `edges` (R): see `rooms`. `pushes`,
    `walks` (F, F): pushes that take a lone box, and steps that take a player alone, from a cell to another, or `FAR`.
    `blocks` (F, F): see `hotspots`. `away` (F+1): how far a box is from the goals.
    """

    neighbour: Ints
    goal: Bytes
    live: Bytes
    box_key: Words
    player_key: Words
    base_key: Words
    room: Ints
    edges: Words
    pushes: Shorts
    walks: Shorts
    blocks: Bytes
    away: Ints


def board_arrays(view: BoxBoard, stopped: Callable[[], bool] = lambda: False) -> tuple[Board, Board]:
    """The board for pushing forward, and the one for pulling backward: they differ in `live` and `away`.

    `stopped`: whether time is up; then tables that are not needed are left as they are.
    """
    bare = bare_board(view, stopped)
    goals, boxes = list(view.goals), list(view.boxes)
    room, edges = find_rooms(view.cells)
    blocks = blocked_targets(bare.neighbour, bare.goal, bare.live, stopped)
    board = bare._replace(room=room, edges=edges, blocks=blocks)
    backward, mean = np.zeros_like(bare.live), np.zeros_like(bare.away)
    backward[:-1] = (bare.pushes[boxes] < FAR).any(axis=0)
    mean[:-1] = np.minimum(bare.pushes[:, goals], 255).astype(np.int32).sum(axis=1) // max(len(goals), 1)
    return board, board._replace(live=backward, away=mean)


def bare_board(view: BoxBoard, stopped: Callable[[], bool] = lambda: False) -> Board:
    """The board for pushing, without rooms and without the table of which cell blocks which."""
    neighbour, cells, goals = view.neighbour, len(view.cells), list(view.goals)
    pushes, walks = lone_distances(neighbour, stopped)
    keys = np.random.default_rng(SEED).integers(1, 1 << 63, (3, cells + 1)).astype(np.uint64)
    goal, live = np.zeros(cells + 1, np.uint8), np.zeros(cells + 1, np.uint8)
    goal[goals] = 1
    live[:cells] = (view.box >= 0) & (pushes[:, goals] < FAR).any(axis=1)
    nearest = np.zeros(cells + 1, np.int32)
    nearest[:cells] = np.minimum(pushes[:, goals], 255).min(axis=1, initial=255)
    return Board(
        neighbour=neighbour,
        goal=goal,
        live=live,
        box_key=keys[0],
        player_key=keys[1],
        base_key=keys[2],
        room=np.zeros(cells + 1, np.int32),
        edges=np.zeros(0, np.uint64),
        pushes=pushes,
        walks=walks,
        blocks=np.zeros((0, 0), np.uint8),
        away=nearest,
    )


@njit(inner=True)
def label_regions(neighbour: Ints, occupied: Bytes, label: Ints, stack: Ints) -> int:
    """Label every free cell with the smallest cell of its region, occupied cells with -1; the number of regions.

    #######      cells 0 1 2 / 3 4 5, boxes on 1 and 4:
    # $ #        label 0 -1 2 / 0 -1 2, two regions
    # $ #
    #####
    """
    cells = len(label) - 1
    for c in range(cells + 1):
        label[c] = -1
    regions = 0
    for first in range(cells):
        if occupied[first] or label[first] >= 0:
            continue
        regions += 1
        label[first] = first
        stack[0] = first
        top = 1
        while top > 0:
            top -= 1
            c = stack[top]
            for d in range(4):
                other = neighbour[c, d]
                if not occupied[other] and label[other] < 0:
                    label[other] = first
                    stack[top] = other
                    top += 1
    return regions


@njit(inner=True)
def position_key(board: Board, box: Ints, count: int, root: int) -> np.uint64:
    """The Zobrist key of a position: of the first `count` boxes, -1 for one that is gone, and the player's region."""
    key: np.uint64 = board.player_key[root]
    for i in range(count):
        if box[i] >= 0:
            key ^= board.box_key[box[i]]
    return key


@njit(inner=True)
def is_solved(board: Board, box: Ints, pull: bool) -> bool:
    """Whether every box that is left stands on a goal; backward, whether none is left."""
    solved = True
    for i in range(len(box)):
        solved = solved and (box[i] < 0 or (not pull and board.goal[box[i]] == 1))
    return solved


def lone_distances(neighbour: Ints, stopped: Callable[[], bool] = lambda: False) -> tuple[Shorts, Shorts]:
    """`pushes` and `walks` of `Board`, (F, F) each; not complete if time is up before."""
    cells = len(neighbour) - 1
    pushes, walks = np.full((cells, cells), FAR, np.int16), np.full((cells, cells), FAR, np.int16)
    wall = np.zeros(cells + 1, np.uint8)
    wall[cells] = 1
    ints = [np.zeros(size, np.int32) for size in (cells + 1, 4 * cells + 4, 4 * cells + 4)]
    sides = np.full((cells + 1, 4), -1, np.int32)
    parts = [(first, min(first + CELLS_A_LOOK, cells)) for first in range(0, cells, CELLS_A_LOOK)]
    for first, last in parts:
        if not stopped():
            _fill_sides(neighbour, wall, ints[0], ints[1], sides, first, last)
    for first, last in parts:
        if not stopped():
            _fill_distances(neighbour, pushes, walks, ints[1], ints[2], sides, first, last)
    return pushes, walks


@njit(_nrt=False, effort=1)
def _fill_sides(neighbour: Ints, occupied: Bytes, label: Ints, stack: Ints, sides: Ints, first: int, last: int) -> None:
    """`sides` (F+1, 4): with a box on a cell alone, the region of each of its four sides; -1 for a wall."""
    for cell in range(first, last):
        mark_sides(neighbour, occupied, label, stack, sides, cell)


@njit(inner=True)
def mark_sides(neighbour: Ints, occupied: Bytes, label: Ints, stack: Ints, sides: Ints, cell: int) -> None:
    """Write to `sides[cell]` the regions of the four sides of a box that is put on a cell, -1 for what is occupied."""
    occupied[cell] = 1
    label_regions(neighbour, occupied, label, stack)
    occupied[cell] = 0
    for d in range(4):
        sides[cell, d] = label[neighbour[cell, d]]


@njit(_nrt=False, effort=1)
def _fill_distances(
    neighbour: Ints, pushes: Shorts, walks: Shorts, stack: Ints, steps: Ints, sides: Ints, first: int, last: int
) -> None:
    """Fill the distances of `lone_distances` for a range of cells: the walks from each and the pushes to each. Both
    arrays are `FAR` there, `stack` and `steps` are scratch.
    """
    cells = len(neighbour) - 1
    for target in range(first, last):
        walks[target, target] = 0
        stack[0], head, tail = target, 0, 1
        while head < tail:
            cell = stack[head]
            head += 1
            for d in range(4):
                other = neighbour[cell, d]
                if other < cells and walks[target, other] == FAR:
                    walks[target, other] = walks[target, cell] + 1
                    stack[tail] = other
                    tail += 1
        count_pushes(neighbour, sides, target, steps, stack)
        for cell in range(cells):
            for d in range(4):
                if 0 <= steps[4 * cell + d] < pushes[cell, target]:
                    pushes[cell, target] = steps[4 * cell + d]


@njit(inner=True)
def count_pushes(neighbour: Ints, sides: Ints, target: int, steps: Ints, queue: Ints) -> None:
    """Write to `steps` (4F + 4) how many pushes bring a lone box to the target: entry 4 * cell + d is a box on the cell
    with the player on its side d; -1 if it cannot be brought there.

    The player has to walk around the box. So the search goes backward over (cell of the box, side of the player), where
    sides that the player can walk between are one: `sides`, as of `mark_sides`, with -1 for walls.
    """
    for entry in range(len(steps)):
        steps[entry] = -1
    head, tail = 0, 0
    for d in range(4):
        if sides[target, d] >= 0:
            steps[4 * target + d] = 0
            queue[tail] = 4 * target + d
            tail += 1
    while head < tail:
        entry = queue[head]
        head += 1
        cell, region = entry >> 2, sides[entry >> 2, entry & 3]
        for d in range(4):
            # The box came by a push in direction d (d ^ 1 is the opposite one): the player stands where it was, and
            # stood behind that.
            before = neighbour[cell, d ^ 1]
            if sides[cell, d ^ 1] != region or sides[before, d ^ 1] < 0 or steps[4 * before + (d ^ 1)] >= 0:
                continue
            # All sides that he could walk between before get the number at once; one stands for them in the queue.
            for side in range(4):
                if sides[before, side] == sides[before, d ^ 1]:
                    steps[4 * before + side] = steps[entry] + 1
            queue[tail] = 4 * before + (d ^ 1)
            tail += 1
