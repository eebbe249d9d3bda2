"""Macro moves: one box, pushed or pulled from a cell to any other that it can get to while the other boxes stay.

Breadth first over (cell of the box, region of the player): the same cell with the player in two different regions is
two macro moves. Sides of the box that the player can walk between are one.

    first_stop(...)                     the box is off the board
    while next_stop(...):               the box stands on `AT_CELL`, the player is in the region `AT_ROOT`,
        ...                             `label` holds all regions
    # the box is off the board again
"""

from __future__ import annotations

from ...runtime.arrays import Bytes, Ints
from ...runtime.kernel_calls import njit
from .board import AT_CELL, AT_HEAD, AT_REGIONS, AT_ROOT, AT_TAIL, BoardScratch, clear_sides, label_regions


@njit(inner=True)
def first_stop(s: BoardScratch, box: int, player: int) -> None:
    """Begin the search for the macro moves of a box, the player being in a region; the box's own cell is the first
    stop.
    """
    clear_sides(s.seen)
    s.occupied[box] = 0
    s.queue[0, 0], s.queue[0, 1], s.queue[0, 2] = box, player, -1
    s.at[AT_HEAD], s.at[AT_TAIL] = 0, 1
    s.at[AT_CELL] = -1


@njit(inner=True)
def next_stop(neighbour: Ints, live: Bytes, s: BoardScratch, pull: bool) -> bool:
    """Push or pull on from the present stop, then take the next stop from the queue; False if the queue is empty."""
    tail = s.at[AT_TAIL]
    cell = s.at[AT_CELL]
    # 1. Where the box can go from here, by one push or pull.
    if cell >= 0:
        root = s.at[AT_ROOT]
        for d in range(4):
            # A push: the player stands behind the box and ends where it was. A pull: the player stands where the box
            # goes to, with a free cell to step back to, and ends there.
            ahead = neighbour[cell, d]
            if s.occupied[ahead] or not live[ahead]:
                continue
            if pull:
                player, side = neighbour[ahead, d], d
                free = s.label[ahead] == root and not s.occupied[player]
            else:
                player, side = cell, d ^ 1
                free = s.label[neighbour[cell, d ^ 1]] == root
            if free and not s.seen[ahead, side]:
                s.queue[tail, 0], s.queue[tail, 1], s.queue[tail, 2] = ahead, player, s.at[AT_HEAD] - 1
                tail += 1
        s.occupied[cell] = 0
    # 2. The next stop that has not been made.
    s.at[AT_TAIL] = tail
    head = s.at[AT_HEAD]
    while head < tail:
        cell, player = s.queue[head, 0], s.queue[head, 1]
        head += 1
        side = 0
        while side < 4 and neighbour[cell, side] != player:
            side += 1
        if side < 4 and s.seen[cell, side]:
            continue
        s.occupied[cell] = 1
        s.at[AT_REGIONS] = label_regions(neighbour, s.occupied, s.label, s.stack)
        root = s.label[player]
        for d in range(4):
            if s.label[neighbour[cell, d]] == root:
                s.seen[cell, d] = 1
        s.at[AT_HEAD], s.at[AT_CELL], s.at[AT_ROOT] = head, cell, root
        return True
    s.at[AT_HEAD], s.at[AT_CELL] = head, -1
    return False


@njit(_nrt=False, effort=1)
def make(
    neighbour: Ints, live: Bytes, s: BoardScratch, start: int, end: int, player: int, stand: int, way: Ints
) -> int:
    """Make a macro move on the board in `s`, after which the player can get to the cell `stand` (-1: or anywhere).

    Writes the cells that the box is pushed along, both ends included, into `way`; returns how many they are, 0 if there
    is no such move. Of all ways it is one of the shortest. `player`: a cell of the player's region.
    """
    first_stop(s, start, player)
    while next_stop(neighbour, live, s, False):
        if s.at[AT_CELL] == end and s.at[AT_HEAD] > 1 and (stand < 0 or s.label[stand] == s.at[AT_ROOT]):
            count, entry = 0, s.at[AT_HEAD] - 1
            while entry >= 0:  # from the end back to the start
                way[count] = s.queue[entry, 0]
                count += 1
                entry = s.queue[entry, 2]
            for i in range(count // 2):
                way[i], way[count - 1 - i] = way[count - 1 - i], way[i]
            return count
    s.occupied[start] = 1
    return 0
