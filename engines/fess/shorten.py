"""A plan made shorter: by changing a few macro moves at a time, and by searches in windows (`windows`).

The changes, for a move k of a box and the next move l of the same box:

    a -> x ... x -> z      becomes   ... a -> z     (k is left out: the box goes later)
                           or        a -> z ...     (l is left out: the box goes at once)
                           or        a -> y ... y -> z, for cells y that are on a shorter way
    a -> x ... b -> y      becomes   a -> y ... b -> x, for the last moves of two boxes: they exchange their goals
    a -> x ...             becomes   ... a -> x, or the other way round: a move that goes round a box is made later or
                                     earlier

Only changes are tried after which the changed moves could take fewer pushes, each with its box alone on the board. A
change is kept if the moves can still be made, lead to a goal, and take fewer pushes. Rounds of all changes are made
until none is kept; then windows slide over the single pushes, longer ones after shorter ones, and the changes are tried
on what comes out. (Compare Nakhost and Müller, *Action elimination and plan neighborhood graph search*, 2010.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from ...analysis.boxes.board import FAR
from ...analysis.boxes.scratch import scratch_for
from ...runtime.arrays import Shorts
from .pushes import Macro, Push, Replayer
from .windows import FAILED, LONGEST, WAITS, Window, shorter_way, window_search_for

ANY = -1
"""Where the player has to be able to stand after a move: anywhere."""

NEAR = 8
"""Cells that are tried in place of one where a box is put down for a while."""

QUICK = ((12, 4_000), (25, 4_000), (50, 4_000))
DEEP = ((40, 30_000), (80, 30_000), (160, 30_000), (60, 100_000), (120, 100_000), (100, 300_000), (200, 300_000))
"""(pushes of the windows, positions of a search at most), one after the other."""

PART = 200
"""Positions of a window between two looks at the clock."""


class Shortener:
    """Makes plans of one level shorter, until `stopped` says that time is up."""

    def __init__(self, replayer: Replayer, stopped: Callable[[], bool]) -> None:
        self.replayer, self.stopped = replayer, stopped
        self.windows = Windows(replayer, stopped)

    def quickly(self, macros: Sequence[Macro]) -> list[Push]:
        """The pushes of macro moves made shorter."""
        pushes = self.replayer.unfold(by_changes(self.replayer, macros, self.stopped))
        while True:
            before = len(pushes)
            for length, most in QUICK:
                pushes = self._once(pushes, length, most)
            if len(pushes) == before or self.stopped():
                return pushes

    def thoroughly(self, pushes: list[Push]) -> list[Push]:
        """Pushes made shorter with larger windows; after each that helps, with the smaller ones once more."""
        turn = 0
        while turn < len(DEEP) and not self.stopped():
            shorter = self._once(pushes, *DEEP[turn])
            turn = 0 if len(shorter) < len(pushes) and turn > 2 else turn + 1
            pushes = shorter
        return pushes

    def _once(self, pushes: list[Push], length: int, most: int) -> list[Push]:
        slid = self.windows.slide(pushes, length, most)
        if len(slid) == len(pushes):
            return pushes
        macros = joined(self.replayer, slid)
        if self.replayer.pushes(macros) is None:
            # A box that goes round in a circle, with the player where it was before: no macro move, and no use.
            macros = [macro for macro in macros if macro[0] != macro[1]]
            if self.replayer.pushes(macros) is None:
                return slid
        changed = self.replayer.unfold(by_changes(self.replayer, macros, self.stopped))
        return min(changed, slid, key=len)


def joined(replayer: Replayer, pushes: Sequence[Push]) -> list[Macro]:
    """Pushes as macro moves: those of one box in a row are one."""
    macros: list[Macro] = []
    for cell, d in pushes:
        start = macros.pop()[0] if macros and macros[-1][1] == cell else cell
        macros.append((start, int(replayer.board.neighbour[cell, d]), cell))
    return macros


class Windows:
    """Searches in windows of plans of one level."""

    def __init__(self, replayer: Replayer, stopped: Callable[[], bool]) -> None:
        cells, boxes = len(replayer.board.goal) - 1, len(replayer.boxes)
        self.board, self.boxes, self.player = replayer.board, replayer.boxes, replayer.player
        self.search, self.stopped = window_search_for(scratch_for(cells, boxes, 0)), stopped
        self.found = np.zeros((LONGEST + 1, 2), np.int64)

    def slide(self, pushes: Sequence[Push], length: int, most: int) -> list[Push]:
        """Replace windows of `length` pushes by shorter ways; each begins half a length after the one before."""
        result, at = list(pushes), 0
        while at < len(result) and not self.stopped():
            end = min(at + length, len(result))
            between = self._between(self._position(result, at), self._position(result, end), end - at, most)
            if between is not None:
                result[at:end] = between
            at += max(length // 2, 1)
        return result

    def _between(self, first: tuple[Shorts, int], last: tuple[Shorts, int], below: int, most: int) -> list[Push] | None:
        """Fewer pushes than `below` between two positions; None if none are found."""
        window, made, begin = Window(*first, *last, below, most), WAITS, True
        while made == WAITS:
            if self.stopped():
                return None
            made = shorter_way(self.board, self.search, window, PART, begin, self.found)
            begin = False
        return None if made == FAILED else [(int(cell), int(d)) for cell, d in self.found[:made]]

    def _position(self, pushes: Sequence[Push], end: int) -> tuple[Shorts, int]:
        """Where the boxes and the player are after the first `end` pushes."""
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
        lengths = [len(way) - 1 for way in replayer.ways(best)]
        while position < len(best):
            for changed in _changes(replayer, best, lengths, position):
                if stopped():
                    return best
                pushes = replayer.pushes(changed)
                if pushes is not None and pushes < least:
                    best, least, improved = changed, pushes, True
                    lengths = [len(way) - 1 for way in replayer.ways(best)]
                    break
            else:
                position += 1
    return best


def _changes(replayer: Replayer, moves: list[Macro], lengths: list[int], k: int) -> Iterator[list[Macro]]:
    """Other plans that differ in move k and one more, if lone boxes would take fewer pushes for these; `lengths`: how
    many the moves take.
    """
    alone = replayer.board.pushes
    start, middle, stand = moves[k]
    detour = lengths[k] > alone[start, middle]
    if stand != ANY and detour:
        yield [*moves[:k], (start, middle, ANY), *moves[k + 1 :]]
    later = next((i for i in range(k + 1, len(moves)) if moves[i][0] == middle), None)
    if detour:
        yield from _elsewhere(moves, k)
    if later is None:
        yield from _exchanges(moves, lengths, alone, k)
        return
    _, end, last = moves[later]
    between, after = moves[k + 1 : later], moves[later + 1 :]
    if start == end:
        yield [*moves[:k], *between, *after]
        return
    now = lengths[k] + lengths[later]
    if alone[start, end] < now:
        for there in (last, ANY):
            yield [*moves[:k], *between, (start, end, there), *after]
            yield [*moves[:k], (start, end, there), *between, *after]
    through = [
        (int(alone[start, cell]) + int(alone[cell, end]), cell)
        for cell in range(len(alone))
        if cell not in (start, middle, end) and alone[start, cell] < FAR and alone[cell, end] < FAR
    ]
    for length, cell in sorted(through)[:NEAR]:
        if length < now:
            yield [*moves[:k], (start, cell, ANY), *between, (cell, end, last), *after]


def _elsewhere(moves: list[Macro], k: int) -> Iterator[list[Macro]]:
    """Move k made later or earlier, where the boxes that it has to go round may be gone, or not there yet."""
    start, end, _ = moves[k]
    move = (start, end, ANY)
    rest = [*moves[:k], *moves[k + 1 :]]
    for i in range(k + 1, len(moves)):
        if moves[i][0] == end or moves[i][1] == start:
            break
        yield [*rest[:i], move, *rest[i:]]
    for i in range(k - 1, -1, -1):
        if moves[i][1] == start or moves[i][0] == end:
            break
        yield [*rest[:i], move, *rest[i:]]


def _exchanges(moves: list[Macro], lengths: list[int], alone: Shorts, k: int) -> Iterator[list[Macro]]:
    """The last move of one box and that of another, with their goals exchanged."""
    start, end, _ = moves[k]
    for i in range(k + 1, len(moves)):
        other, goal, _ = moves[i]
        if all(move[0] != goal for move in moves[i + 1 :]):
            if int(alone[start, goal]) + int(alone[other, end]) >= lengths[k] + lengths[i]:
                continue
            yield [*moves[:k], (start, goal, ANY), *moves[k + 1 : i], (other, end, ANY), *moves[i + 1 :]]
