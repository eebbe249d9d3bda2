"""Symmetric states: of a state and its images under the task's symmetries, A* keeps one.

A goal-stable symmetry σ (`analysis.symmetries`) maps plans from a state s to plans from σ(s), of the same cost. So all
images of a state share one entry of the table, that of the *canonical* image, which is the least as a number: first the
kept facts, then the walker's cell. (Orbit space search: Pochter, Zohar and Rosenschein, AAAI 2011; Domshlak, Katz and
Shleyfman, *Enhanced symmetry breaking in cost-optimal planning as forward search*, ICAPS 2012.) Of a larger
group than `analysis.symmetries.MOST_SYMMETRIES`, two images of a state may be kept: that costs time, and no more.

So a stored state c may be no successor of its parent p: it is σ(s) for a successor s. The number of σ is kept with it
(`PackedStates.turned`). As σ maps pushes to pushes, c is a successor of σ(p):

    p    --push-->  s             what asks which box was pushed to reach c compares c with σ(p) (`unpack_before`);
    |σ              |σ            a plan needs s and not c, so `EstimatedStore.path_to` maps the states of a path back
    σ(p) --push-->  c = σ(s)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.bitset_kernels import ONE
from ...analysis.symmetries import Symmetries
from ...runtime.arrays import Bytes, Ints, Words, bit_rows
from ...runtime.bitops import long, trailing_zeros
from ...runtime.kernel_cache import njit
from .packed_states import PackedStates, Packing, unpack


class Images(NamedTuple):
    """What G symmetries map to what: `fact` (G, F); `cell` (G, K); `number` (G, F): the number of the image among the
    kept facts, or -1. `sources` (W): the bits of the facts that are kept or have a kept image.
    """

    fact: Ints
    cell: Ints
    number: Ints
    sources: Words

    def __bool__(self) -> bool:
        return len(self.fact) > 0


def images_for(symmetries: Symmetries, packing: Packing) -> Images:
    """The images under the symmetries that map at least half of the kept facts to others.

    The others save little: a state with nothing on the few places that change is its own image. And they cost: a
    packing plan (`plan_progress`) goes for one state of two that are alike, and the other may be the one that is kept
    (XSokoban 48, where two pairs of places can be swapped: 1,003 states expanded without, not solved in 20 s with it).
    """
    number = packing.number[symmetries.fact]
    kept = (packing.number[: symmetries.fact.shape[1]] >= 0) | (number >= 0).any(axis=0)
    changed = (number[:, packing.fact] != np.arange(len(packing.fact))).sum(axis=1)
    useful = (changed > 0) & (2 * changed >= len(packing.fact))
    sources = bit_rows([np.flatnonzero(kept).tolist()], len(packing.kept))[0]
    return Images(symmetries.fact[useful], symmetries.cell[useful], np.ascontiguousarray(number[useful]), sources)


@njit(inner=True)
def to_canonical(packing: Packing, images: Images, row: Words, region: Bytes, key: Words, image: Words) -> int:
    """Replace the packed state `key` of a row by its canonical image: the number of the symmetry, counted from 1, or 0
    if the state is canonical itself. `region` (K): the cells of the walker, of which the state has the first; `image`:
    scratch.
    """
    cells, shift = images.cell, np.uint64(packing.shift)
    turned, cell = long(0), long(row[len(packing.kept)]) if packing.cell_word >= 0 else long(0)
    for g in range(len(cells)):
        _pack_image(images, g, row, image)
        order = _compared(packing, image, key)
        if order > 0 or (order == 0 and packing.cell_word < 0):
            continue
        first = long(0)
        if packing.cell_word >= 0:
            first = long(len(region))
            for c in range(len(region)):
                if region[c]:
                    first = min(first, long(cells[g, c]))
        if order < 0 or first < cell:
            turned, cell = long(g + 1), first
            for w in range(len(key)):
                key[w] = image[w]
            if packing.cell_word >= 0:
                key[packing.cell_word] |= np.uint64(cell) << shift
    return turned


@njit(inner=True, inline="always")
def _compared(packing: Packing, image: Words, key: Words) -> int:
    """-1, 0 or 1: whether the kept facts of `image` are less than, equal to or more than those of the state `key`."""
    for w in range(len(image)):
        word = key[w]
        if w == packing.cell_word:
            word &= (ONE << np.uint64(packing.shift)) - ONE
        if image[w] != word:
            return -1 if image[w] < word else 1
    return 0


@njit(inner=True)
def unpack_before(packing: Packing, nodes: PackedStates, images: Images, index: int, row: Words, image: Words) -> bool:
    """Write the facts of the state from which one operator leads to state `index`: of its parent, or of the parent's
    image. False if it is the initial state. The walker's cell is not written where it is an image. `image`: scratch.
    """
    parent = long(nodes.parent[index])
    if parent < 0:
        return False
    unpack(packing, nodes.rows[parent], row)
    turned = long(nodes.turned[index]) if len(nodes.turned) else long(0)
    if turned:
        _pack_image(images, turned - 1, row, image)
        unpack(packing, image, row)
    return True


@njit(inner=True)
def _pack_image(images: Images, g: int, row: Words, image: Words) -> None:
    """Write the packed facts of the image of a row under symmetry g; 0 for the walker's cell."""
    number, sources = images.number, images.sources
    for w in range(len(image)):
        image[w] = np.uint64(0)
    for w in range(len(sources)):
        bits = row[w] & sources[w]
        while bits:
            # number[g, f]: the packed bit of the fact to which symmetry g takes f; -1 if that one is left out.
            n = number[g, (w << 6) + long(trailing_zeros(bits))]
            bits &= bits - ONE
            if n >= 0:
                image[n >> 6] |= ONE << np.uint64(n & 63)
