"""The features of a position, and the score in which they are compared.

A score is one number: the first feature in which two positions differ decides, and less is better.

    forward    55 ... 48    40        32            24           16        0
               not packed | regions | broken edges | out of plan | hotspots | 65535 - distance
    backward   boxes left | regions | on goals     | broken edges |         | 65535 - distance

*Regions* is the connectivity: the number of parts into which boxes and walls divide the free cells. *Distance* is the
sum of what the boxes have to go (`Board.away`): boxes that are not needed yet should rather keep away. The cell of the
feature space is made of some of them: forward packed, regions, out of plan; backward all but the distance. (Shoham and
Schaeffer 2020 have packed, connectivity, rooms and out of plan.)
"""

from __future__ import annotations

from ...analysis.boxes.board import Board, broken_edges
from ...analysis.boxes.packing_plan import PackingPlan, packed_steps
from ...analysis.boxes.scratch import BoardScratch
from ...runtime.kernel_cache import njit

FIRST, REGIONS, THIRD, FOURTH, FIFTH = 48, 40, 32, 24, 16
"""The lowest bit of each feature in a score. `FIRST`: boxes not packed, or boxes left."""

MOST = 255
"""The largest value that a feature of a score has; more counts as that."""

FARTHEST = 65_535


@njit(inner=True)
def feature(score: int, place: int) -> int:
    """Read one feature from a score."""
    return score >> FIRST if place == FIRST else (score >> place) & MOST


@njit(inner=True)
def cell_key(score: int, pull: bool) -> int:
    """The cell of the feature space, as one number."""
    if pull:
        return score >> FIFTH
    return (score >> REGIONS) << 8 | feature(score, FOURTH)


@njit(inner=True)
def hotspots(board: Board, s: BoardScratch) -> int:
    """How many boxes block another one."""
    count, hot = len(s.box), 0
    for i in range(count):
        if s.box[i] < 0:
            continue
        row = board.blocks[s.box[i]]
        for k in range(count):
            if s.box[k] >= 0 and row[s.box[k]]:
                hot += 1
                break
    return hot


@njit(inner=True)
def score_of(board: Board, plan: PackingPlan, s: BoardScratch, regions: int, pull: bool) -> int:
    """The score of the position in `s`, whose free cells form `regions` regions."""
    count, boxes, on_goal, away = len(s.box), 0, 0, 0
    for i in range(count):
        c = s.box[i]
        if c >= 0:
            boxes += 1
            on_goal += board.goal[c]
            away += board.away[c]
    broken = broken_edges(board.neighbour, board.room, board.edges, s.occupied, s.mark, s.stack, s.intact)
    near = FARTHEST - min(away, FARTHEST)
    regions, broken = min(regions, MOST), min(broken, MOST)
    if pull:
        return boxes << FIRST | regions << REGIONS | min(on_goal, MOST) << THIRD | broken << FOURTH | near
    packed = packed_steps(plan, board, s)
    zone, out = plan.zone[min(packed, len(plan.to))], 0  # without a plan one row, whatever is packed
    for i in range(count):
        out += s.box[i] >= 0 and zone[s.box[i]]
    missing = max(len(plan.to), count) - packed
    return (
        missing << FIRST
        | regions << REGIONS
        | broken << THIRD
        | min(out, MOST) << FOURTH
        | min(hotspots(board, s), MOST) << FIFTH
        | near
    )
