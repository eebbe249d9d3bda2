"""Boards of sliding rectangles: what one move of them is, and all states around one, visited by compiled kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..analysis.bitset_kernels import ONE
from ..runtime.arrays import Bytes, Ints, Longs, Shorts, Words
from ..runtime.bitops import HASH_SEED, hash_word, long
from ..runtime.kernel_calls import laid_out, njit

STEPS, SLIDES, MOVES = range(3)
"""The metrics: what counts as one is a step of one cell, a straight slide, or any path of one piece."""

METRICS = {"steps": STEPS, "slides": SLIDES, "moves": MOVES}

FREE, HORIZONTAL, VERTICAL = range(3)
"""The axis along which a piece may move."""

ANYWHERE = (-1, -1)
"""The goal of a piece whose final place does not matter."""

Cell = tuple[int, int]


class Rectangle(NamedTuple):
    """A rectangle: its top left cell, its size, its axis. Pieces of one class, from 0 on, are interchangeable.

    `goal`: the top left cell that it has to reach, or `ANYWHERE`.
    """

    row: int
    column: int
    height: int
    width: int
    axis: int = FREE
    klass: int = 0
    goal: Cell = ANYWHERE

    def cells(self) -> set[Cell]:
        """The cells that it covers."""
        return {(self.row + r, self.column + c) for r in range(self.height) for c in range(self.width)}


# Boards of sliding rectangles, and the component of states around one.
#
# A state is one word: the position of each piece in some bits, pieces of one class (interchangeable) in rising order.
# A piece on an axis (a vehicle) has the number of its row or column as its position, another one that of its top left
# cell:
#
#     . . B        A on a horizontal axis at column 0, B on a vertical axis at row 0
#     A A B        key = 0 | 0 << 2
#     . . .        A one to the right is not possible; B one down neither; A's goal is position 1

MOST_CELLS = 64
KEY_BITS = 62


class Blocks(NamedTuple):
    """A board as kernels take it: n pieces, P positions of each, sorted by their class.

    `mask` (n, P): the cells that a piece covers at a position; `step` (n, P, 4): its position after one cell up, down,
    left, right, -1 off the board or into a wall; `shift` (n): where its position stands in a key; `first`, `last`
    (n): the pieces of its class; `goal` (n): its goal, -1 for none.
    """

    mask: Words
    step: Ints
    shift: Longs
    first: Longs
    last: Longs
    goal: Longs


def lay_out(height: int, width: int, walls: frozenset[Cell], pieces: list[Rectangle]) -> tuple[Blocks, Longs] | None:
    """The board for kernels, of pieces sorted by class, and their positions; None if a key is too short for it."""
    n, positions = len(pieces), height * width
    bits = [_bits(piece, height, width) for piece in pieces]
    if positions > MOST_CELLS or sum(bits) > KEY_BITS:
        return None
    blocked = sum(1 << (r * width + c) for r, c in walls)
    mask, step = np.zeros((n, positions), np.uint64), np.full((n, positions, 4), -1, np.int32)
    start, goal = np.zeros(n, np.int64), np.full(n, -1, np.int64)
    for p, piece in enumerate(pieces):
        rows = [piece.row] if piece.axis == HORIZONTAL else range(height - piece.height + 1)
        columns = [piece.column] if piece.axis == VERTICAL else range(width - piece.width + 1)
        base = sum(((1 << piece.width) - 1) << (r * width) for r in range(piece.height))
        covers = {(r, c): base << (r * width + c) for r in rows for c in columns}
        open_at = {at: _position(piece, at, width) for at, cells in covers.items() if not cells & blocked}
        for (r, c), position in open_at.items():
            mask[p, position] = covers[r, c]
            for way, beside in enumerate(((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))):
                step[p, position, way] = open_at.get(beside, -1)
        start[p] = open_at[piece.row, piece.column]
        if piece.goal != ANYWHERE:
            goal[p] = open_at.get(piece.goal, positions)  # a position that no piece has: it is never reached
    classes = [piece.klass for piece in pieces]
    first = np.array([classes.index(klass) for klass in classes], np.int64)
    last = np.array([n - 1 - classes[::-1].index(klass) for klass in classes], np.int64)
    shift = np.cumsum([0, *bits[:-1]]).astype(np.int64)
    return Blocks(mask, step, shift, first, last, goal), start


def _bits(piece: Rectangle, height: int, width: int) -> int:
    """Bits of a position."""
    positions = {FREE: height * width, HORIZONTAL: width - piece.width + 1, VERTICAL: height - piece.height + 1}
    return max(1, (positions[piece.axis] - 1).bit_length())


def _position(piece: Rectangle, at: Cell, width: int) -> int:
    return {FREE: at[0] * width + at[1], HORIZONTAL: at[1], VERTICAL: at[0]}[piece.axis]


def place_of(piece: Rectangle, position: int, width: int) -> Cell:
    """The top left cell of a piece at a position."""
    if piece.axis == HORIZONTAL:
        return piece.row, position
    return (position, piece.column) if piece.axis == VERTICAL else divmod(position, width)


# Compiled kernels: the component of a board, and the distance of each of its states to the goal.

EMPTY, FULL, NEAR = -1, -2, -3
"""An empty slot of the table; the answers where there are more states than room, and where a goal is too near."""


class States(NamedTuple):
    """Room for `len(states)` states: their keys, a word and (in Sokoban) the player's cell, the hash table of them (a
    power of two), their slots in it, their distances, and a queue. `table` is EMPTY wherever no state is: whoever uses
    it leaves it so (`hardest`).
    """

    states: Words
    player: Bytes
    table: Ints
    slot: Ints
    distance: Shorts
    queue: Ints


class BlockScratch(NamedTuple):
    """Small arrays for one state: positions of pieces, keys of its successors, and a stack of positions."""

    at: Longs
    other: Longs
    keys: Words
    stack: Longs


@njit(inner=True)
def find(space: States, key: np.uint64, player: int) -> int:
    """The slot of a state in the table, or the empty one where it belongs (linear probing)."""
    table, states = space.table, space.states
    last = len(table) - 1
    at = long(hash_word(HASH_SEED, key ^ (np.uint64(player) << np.uint64(57)))) & last
    while table[at] != EMPTY and (states[table[at]] != key or space.player[table[at]] != player):
        at = (at + 1) & last
    return at


@njit(inner=True)
def enter(space: States, key: np.uint64, player: int, count: int) -> int:
    """Number of a state: `count` if it is new and is stored now; -1 if there is no room for it."""
    at = find(space, key, player)
    if space.table[at] == EMPTY:
        if count == len(space.states):
            return -1
        space.states[count], space.player[count], space.slot[count], space.table[at] = key, player, at, count
    return long(space.table[at])


@njit(inner=True)
def hardest(space: States, count: int, tail: int) -> int:
    """The state farthest away: of the last ones in the queue, at the same distance, the one of the least key, so that
    it does not matter where a search began. Then the table is emptied: only the slots that were used, as it is made
    once for many small components.
    """
    states, player, queue = space.states, space.player, space.queue
    best = long(queue[tail - 1]) if tail > 0 else 0
    farthest = space.distance[best]
    for i in range(tail - 1, -1, -1):
        here = long(queue[i])
        if space.distance[here] < farthest:
            break
        if states[here] < states[best] or (states[here] == states[best] and player[here] < player[best]):
            best = here
    for i in range(count):
        space.table[space.slot[i]] = EMPTY
    return best


@njit(inner=True)
def key_after(blocks: Blocks, scratch: BlockScratch, key: np.uint64, p: int, to: int) -> np.uint64:
    """The key when piece p goes to a position: the positions of its class are sorted again.

    Class at 2, 5, 9 in a key; 5 goes to 11: 2, 9, 11. The pieces from p on are moved one place down until the new
    position fits; a piece that goes back moves the others up.
    """
    shift, at = blocks.shift, scratch.at
    changed = key
    q = p
    while q < blocks.last[p] and at[q + 1] < to:
        changed ^= np.uint64(at[q] ^ at[q + 1]) << np.uint64(shift[q])
        q += 1
    while q > blocks.first[p] and at[q - 1] > to:
        changed ^= np.uint64(at[q] ^ at[q - 1]) << np.uint64(shift[q])
        q -= 1
    return changed ^ (np.uint64(at[q] ^ to) << np.uint64(shift[q]))


@njit(inner=True)
def successors(blocks: Blocks, scratch: BlockScratch, key: np.uint64, metric: int) -> int:
    """Write the keys of all successors of a state to `scratch.keys`; gives their number."""
    mask, step, at, keys, stack = blocks.mask, blocks.step, scratch.at, scratch.keys, scratch.stack
    n, count = len(at), 0
    # 1. The positions of the pieces, and the cells that they cover.
    taken = np.uint64(0)
    for p in range(n):
        bits = (blocks.shift[p + 1] if p + 1 < n else 63) - blocks.shift[p]
        at[p] = long((key >> np.uint64(blocks.shift[p])) & ((ONE << np.uint64(bits)) - ONE))
        taken |= mask[p, at[p]]
    for p in range(n):
        others = taken & ~mask[p, at[p]]
        if metric <= SLIDES:
            # 2. Straight lines: as far as it goes, or one cell.
            for way in range(4):
                to = step[p, at[p], way]
                while to >= 0 and not mask[p, to] & others:
                    keys[count] = key_after(blocks, scratch, key, p, to)
                    count += 1
                    to = -1 if metric == STEPS else step[p, to, way]
            continue
        # 3. Any path: all positions that it gets to, depth-first; `seen` has a bit for each.
        seen, height = ONE << np.uint64(at[p]), 1
        stack[0] = at[p]
        while height > 0:
            height -= 1
            here = stack[height]
            for way in range(4):
                to = step[p, here, way]
                if to >= 0 and not mask[p, to] & others and not (seen >> np.uint64(to)) & ONE:
                    seen |= ONE << np.uint64(to)
                    stack[height] = to
                    height += 1
                    keys[count] = key_after(blocks, scratch, key, p, to)
                    count += 1
    return count


@njit(inner=True)
def at_goal(blocks: Blocks, scratch: BlockScratch) -> bool:
    """Whether the state whose successors were listed last is a goal: `successors` leaves its positions."""
    reached = True
    for p in range(len(scratch.at)):
        reached = reached and (blocks.goal[p] < 0 or blocks.goal[p] == scratch.at[p])
    return reached


@njit()
def component(
    blocks: Blocks, scratch: BlockScratch, start: np.uint64, metric: int, least: int, space: States
) -> tuple[int, int, int]:
    """Visit all states that can be reached from one, and measure their distances to the nearest goal (-1: none).

    Moves can be undone, so the distance forward to a goal is the one backward from it. Gives the number of states, the
    largest distance (-1 without a goal), and the state that has it, the one of the least key if they are several: so
    every state of a component leads to the same. (FULL, 0, 0) if there are more states than room, (NEAR, 0, 0) if a
    goal is fewer than `least` steps from the start. By definition the same as `reachable.explore`;
    `tests/lab/test_components.py` holds the two against each other.
    """
    states, table, distance, queue = space.states, space.table, space.distance, space.queue
    # 1. Breadth-first over all states; a state is stored under its number in the table. States before `end` are at most
    #    `depth` steps from the start.
    enter(space, start, 0, 0)
    count, head, tail, failed = 1, 0, 0, 0
    depth, end = 0, 1
    while head < count and not failed:
        if head == end:
            depth, end = depth + 1, count
        for i in range(successors(blocks, scratch, states[head], metric)):
            number = enter(space, scratch.keys[i], 0, count)
            if number < 0:
                failed = FULL
                break
            count = max(count, number + 1)
        # 2. Goals are where the second search begins.
        goal = at_goal(blocks, scratch)
        distance[head] = 0 if goal else -1
        if goal:
            queue[tail] = head
            tail += 1
            if depth < least:
                failed = NEAR
        head += 1
    # 3. Backward from all goals at once.
    head = 0
    while head < tail and not failed:
        here = queue[head]
        head += 1
        for i in range(successors(blocks, scratch, states[here], metric)):
            other = table[find(space, scratch.keys[i], 0)]
            if distance[other] < 0:
                distance[other] = distance[here] + 1
                queue[tail] = other
                tail += 1
    # 4. The farthest are the last of the queue.
    best = hardest(space, count, tail)
    if failed:
        return failed, 0, 0
    return count, long(distance[best]) if tail > 0 else -1, best


# What is found out about the component of a board of sliding rectangles.

SUCCESSORS = 4096
"""Room for the successors of one state: 62 positions at most, for each of at most 62 pieces."""


@dataclass(frozen=True, slots=True)
class Component:
    """The states around a board: its walls, the number of states, how far the board is from a goal, the largest
    distance of any state (both None if no goal can be reached), and the pieces at the state that has it, by class.
    """

    walls: frozenset[Cell]
    states: int
    distance: int | None
    farthest: int | None
    pieces: tuple[Rectangle, ...]


@cache
def room_for(states: int) -> Any:
    """Room for so many states, laid out for kernels: made once in a process."""
    return laid_out(
        States(
            states=np.empty(states, np.uint64),
            player=np.empty(states, np.uint8),
            table=np.full(1 << (2 * states - 1).bit_length(), EMPTY, np.int32),
            slot=np.empty(states, np.int32),
            distance=np.empty(states, np.int16),
            queue=np.empty(states, np.int32),
        )
    )


def explored(
    height: int,
    width: int,
    walls: frozenset[Cell],
    pieces: list[Rectangle],
    metric: int,
    most: int,
    least: int = 0,
) -> Component | None:
    """The component of a board; None if it has more than `most` states, or a goal fewer than `least` steps away."""
    pieces = sorted(pieces, key=lambda piece: (piece.klass, piece.row, piece.column))
    laid = lay_out(height, width, walls, pieces)
    if laid is None:
        return None
    blocks, start = laid
    shifts, space, n = blocks.shift.tolist(), room_for(most), len(start)
    scratch = BlockScratch(
        np.empty(n, np.int64), np.empty(n, np.int64), np.empty(SUCCESSORS, np.uint64), np.empty(64, np.int64)
    )
    first = sum(at << shift for at, shift in zip(start.tolist(), shifts, strict=True))
    count, farthest, best = component(blocks, scratch, np.uint64(first), metric, least, space)
    if count < 0:
        return None
    if farthest < 0:
        return Component(walls, count, None, None, tuple(pieces))
    key, placed = int(space.value.states[best]), []
    for piece, shift, end in zip(pieces, shifts, [*shifts[1:], 64], strict=True):
        row, column = place_of(piece, key >> shift & ((1 << (end - shift)) - 1), width)
        placed.append(piece._replace(row=row, column=column))
    return Component(walls, count, int(space.value.distance[0]), farthest, tuple(placed))
