"""A state of A* as a position of feature space search, whose boards and deadlock tests A* uses too."""

from __future__ import annotations

from ...analysis.bitset_kernels import ONE
from ...analysis.boxes.scratch import BoardScratch, clear_board
from ...analysis.movable_objects import MovableObjects
from ...runtime.arrays import Words
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_cache import njit


@njit(inner=True)
def put_state(objects: MovableObjects, s: BoardScratch, row: Words) -> int:
    """Put the boxes of a state on the board, in the order of their facts; gives the number of boxes."""
    mask, place, covers = objects.mask, objects.place, objects.covers
    clear_board(s.occupied)
    count = 0
    for w in range(len(mask)):
        bits = row[w] & mask[w]
        while bits:
            cell = covers[place[(w << 6) + long(trailing_zeros(bits))]]
            bits &= bits - ONE
            s.box[count], s.occupied[cell] = cell, 1
            count += 1
    return long(count)
