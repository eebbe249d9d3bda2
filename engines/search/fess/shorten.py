"""A plan made shorter: by changing a few macro moves at a time, and by searches in windows (`windows`).

The changes, for a move k of a box and the next move l of the same box:

    a -> x ... x -> z      becomes   ... a -> z     (k is left out: the box goes later)
                           or        a -> z ...     (l is left out: the box goes at once)
                           or        a -> y ... y -> z, for cells y that are on a shorter way
    a -> x ... b -> y      becomes   a -> y ... b -> x, for the last moves of two boxes: they exchange their goals

A change is kept if the moves can still be made, lead to a goal, and take fewer pushes. Rounds of all changes are made
until none is kept; then windows slide over the single pushes, longer ones after shorter ones, and the changes are tried
on what comes out. (Compare Nakhost and Müller, *Action elimination and plan neighborhood graph search*, 2010.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ....runtime.arrays import Shorts
from .board import FAR
from .pushes import Macro, Push, Replayer
from .scratch import scratch_for
from .windows import LONGEST, shorter_way, window_search_for

ANY = -1
"""Where the player has to be able to stand after a move: anywhere."""

NEAR = 8
"""Cells that are tried in place of one where a box is put down for a while."""

LENGTHS = (12, 25, 50, 100, 200)
"""Pushes of the windows, one length after the other."""


def shorten(replayer: Replayer, macros: Sequence[Macro], stopped: Callable[[], bool]) -> list[Push]:
    """The pushes of macro moves made shorter: as many or fewer."""
    pushes = replayer.unfold(by_changes(replayer, macros, stopped))
    windows = Windows(replayer)
    while True:
        before = len(pushes)
        for length in LENGTHS:
            pushes = windows.slide(pushes, length, stopped)
            changed = replayer.unfold(by_changes(replayer, joined(replayer, pushes), stopped))
            pushes = min(changed, pushes, key=len)
        if len(pushes) == before or stopped():
            return pushes


def joined(replayer: Replayer, pushes: Sequence[Push]) -> list[Macro]:
    """Pushes as macro moves: those of one box in a row are one."""
    macros: list[Macro] = []
    for cell, d in pushes:
        start = macros.pop()[0] if macros and macros[-1][1] == cell else cell
        macros.append((start, int(replayer.board.neighbour[cell, d]), cell))
    return macros


class Windows:
    """Searches in windows of plans of one level."""

    def __init__(self, replayer: Replayer) -> None:
        cells, boxes = len(replayer.board.goal) - 1, len(replayer.boxes)
        self.board, self.boxes, self.player = replayer.board, replayer.boxes, replayer.player
        self.search = window_search_for(scratch_for(cells, boxes, 0))
        self.found = np.zeros((LONGEST + 1, 2), np.int64)

    def slide(self, pushes: Sequence[Push], length: int, stopped: Callable[[], bool]) -> list[Push]:
        """Search in windows of a length, each half a length after the one before."""
        result, at = list(pushes), 0
        while at < len(result) and not stopped():
            end = min(at + length, len(result))
            first, player = self._position(result, at)
            last, stand = self._position(result, end)
            made = shorter_way(self.board, self.search, first, player, last, stand, end - at, self.found)
            if made >= 0:
                result[at:end] = [(int(cell), int(d)) for cell, d in self.found[:made]]
            at += max(length // 2, 1)
        return result

    def _position(self, pushes: Sequence[Push], end: int) -> tuple[Shorts, int]:
        """Where the boxes and the player are after so many pushes."""
        boxes, player = set(self.boxes), self.player
        for cell, d in pushes[:end]:
            boxes.remove(cell)
            boxes.add(int(self.board.neighbour[cell, d]))
            player = cell
        return np.array(sorted(boxes), np.int16), player


def by_changes(replayer: Replayer, macros: Sequence[Macro], stopped: Callable[[], bool]) -> list[Macro]:
    """Macro moves that take as many pushes or fewer."""
    best = list(macros)
    least = replayer.pushes(best)
    if least is None:
        raise ValueError("these macro moves do not lead to a goal")
    improved = True
    while improved:
        improved = False
        position = 0
        while position < len(best):
            for changed in _changes(replayer, best, position):
                if stopped():
                    return best
                pushes = replayer.pushes(changed)
                if pushes is not None and pushes < least:
                    best, least, improved = changed, pushes, True
                    break
            else:
                position += 1
    return best


def _changes(replayer: Replayer, moves: list[Macro], k: int) -> Iterator[list[Macro]]:
    """Other plans that differ in move k and one more."""
    start, middle, stand = moves[k]
    if stand != ANY:
        yield [*moves[:k], (start, middle, ANY), *moves[k + 1 :]]
    later = next((i for i in range(k + 1, len(moves)) if moves[i][0] == middle), None)
    if later is None:
        yield from _exchanges(moves, k)
        return
    _, end, last = moves[later]
    between, after = moves[k + 1 : later], moves[later + 1 :]
    if start == end:
        yield [*moves[:k], *between, *after]
        return
    for there in (last, ANY):
        yield [*moves[:k], *between, (start, end, there), *after]
        yield [*moves[:k], (start, end, there), *between, *after]
    pushes = replayer.board.pushes
    now = int(pushes[start, middle]) + int(pushes[middle, end])
    through = [
        (int(pushes[start, cell]) + int(pushes[cell, end]), cell)
        for cell in range(len(pushes))
        if cell not in (start, middle, end) and pushes[start, cell] < FAR and pushes[cell, end] < FAR
    ]
    for length, cell in sorted(through)[:NEAR]:
        if length < now:
            yield [*moves[:k], (start, cell, ANY), *between, (cell, end, last), *after]


def _exchanges(moves: list[Macro], k: int) -> Iterator[list[Macro]]:
    """The last move of one box and that of another, with their goals exchanged."""
    start, end, _ = moves[k]
    for i in range(k + 1, len(moves)):
        other, goal, _ = moves[i]
        if all(move[0] != goal for move in moves[i + 1 :]):
            yield [*moves[:k], (start, goal, ANY), *moves[k + 1 : i], (other, end, ANY), *moves[i + 1 :]]
