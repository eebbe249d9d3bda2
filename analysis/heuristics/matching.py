"""The matching of movable objects to goal places, on the board with frozen objects as walls (`analysis.matching`)."""

from __future__ import annotations

from typing import NamedTuple

from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from ..heuristic import Estimate, Heuristic, Role, Successor, Survey
from ..matching import aim, rematch


class Matched(NamedTuple):
    """`rows`: the objects, and the spare rows, that are assigned; 0: there is no matching."""

    rows: int


@njit(inner=True)
def _after(matched: Matched, estimate: Estimate, survey: Survey, child: Successor) -> int:
    """Let M(b) be the matching on board b, and C what the additions add, which are those of the empty board, 0. M(0) +
    C is a lower bound on every board, as frozen objects only take operators away; M(b) is one on b. The larger counts.
    """
    value = long(0)
    if matched.rows == 0:
        return value
    objects, boards, after, now = estimate.objects, estimate.boards, survey.after, child.now
    if now and child.extra:
        before = survey.empty if child.board else survey.before
        aim(objects, boards.side[0], survey.at, child.cell, after.where)
        value = rematch(boards.dist[0], before, after, True) + child.extra
        if value < child.extra:
            return long(-1)
    # On the parent's board from the parent's matching.
    aim(objects, boards.side[now], survey.at, child.cell, after.where)
    found = rematch(boards.dist[now], survey.before, after, now == child.board)
    if found < 0:
        return found
    return max(value, found if now else found + child.extra)


HEURISTIC = Heuristic(
    sentence="each object gets a goal place of its own, as cheaply as possible (Junghanns and Schaeffer 2001)",
    role=Role.BOUND,
    rank=10,
    prepare=lambda given: Matched(given.objects.rows),
    empty=lambda _task, _packed: Matched(0),
    words=lambda matched: "minimum-cost matching" if matched.rows else "",
    after=_after,
)
