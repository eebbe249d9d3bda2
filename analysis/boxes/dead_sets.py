"""Positions that a search proves dead, shrunk to the boxes that matter, so that others are known by them.

A core, a corral or a room that is dead has boxes of which some do not matter. They are left out, one by one, as long
as what is left is still found dead; the rest is a dead set (`analysis.deadlocks.learned`), dead for a player in the
region in which he is then:

    ########      The box on the right can be left out: the other two are dead without it. A later position with boxes
    # $$ $ #      on these two cells and the player in their region is dead, wherever its other boxes are.
    #  ## @#
    ########

Dead sets are looked up for every move that is listed, and for every push of a later search of a core, which so reaches
farther with as many positions. (Compare the pattern search of Junghanns and Schaeffer, 2001; the program Festival
learns such sets from subtrees that are stuck.)
"""

from __future__ import annotations

from ...runtime.arrays import Ints
from ...runtime.bitops import long
from ...runtime.kernel_cache import njit
from ..deadlocks.learned import holds_learned, learn
from .board import Board, label_regions
from .core_deadlocks import LAST_CORE, CoreSearch, fill_row, has_dead_core
from .corral_deadlocks import LAST_CORRAL, CorralSearch, has_dead_corral
from .room_deadlocks import has_dead_room
from .scratch import BoardScratch, clear_board


@njit(inner=True)
def is_dead(board: Board, s: BoardScratch, corrals: CorralSearch, cores: CoreSearch, root: int) -> bool:
    """Whether the position in `s`, the player in region `root`, holds a dead set or is found dead.

    In the second case a set is learned. Where it is dead, `s` is not what it was.
    """
    # 1. A set that is known.
    fill_row(cores.row, s.box)
    for i in range(len(s.box)):
        if s.box[i] >= 0 and holds_learned(cores.learned, cores.row, s.box[i], root):
            return True
    # 2. A dead corral, room or core: its boxes are put on the board alone.
    if (
        label_regions(board.neighbour, s.occupied, s.label, s.stack) > 1 and has_dead_corral(board, s, corrals, root)
    ) or has_dead_room(board, s, corrals, root):
        put_boxes(s, corrals.answer_box[corrals.number[LAST_CORRAL]])
    elif has_dead_core(board, s, cores, root):
        put_boxes(s, cores.answer_box[cores.number[LAST_CORE]])
    else:
        return False
    # 3. Without boxes that do not matter.
    for i in range(len(s.box)):
        c = s.box[i]
        if c < 0:
            continue
        s.box[i], s.occupied[c] = -1, 0
        regions = label_regions(board.neighbour, s.occupied, s.label, s.stack)
        inside = long(s.label[root])
        dead = regions > 1 and has_dead_corral(board, s, corrals, inside)
        dead = dead or has_dead_room(board, s, corrals, inside)
        if not dead and not has_dead_core(board, s, cores, inside):
            s.box[i], s.occupied[c] = c, 1
    count = 0
    for i in range(len(s.box)):
        if s.box[i] >= 0:
            cores.at[count] = s.box[i]
            count += 1
    label_regions(board.neighbour, s.occupied, s.label, s.stack)
    learn(cores.learned, cores.cells, cores.at, count, s.label, s.label[root])
    return True


@njit(inner=True)
def put_boxes(s: BoardScratch, boxes: Ints) -> None:
    """Put these boxes on the board in `s`, and no others; -1 is no box."""
    clear_board(s.occupied)
    for i in range(len(s.box)):
        s.box[i] = boxes[i] if i < len(boxes) else -1
        if s.box[i] >= 0:
            s.occupied[s.box[i]] = 1
