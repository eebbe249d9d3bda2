"""Conflicts of pairs: what two objects cost more together than their matching says (`analysis.box_conflicts`)."""

from __future__ import annotations

from math import comb

from ...runtime.bitops import long
from ...runtime.kernel_calls import njit
from ..box_conflicts import Conflicts, conflicts_of, find_conflicts, no_conflicts, only_lost
from ..heuristic import Estimate, Heuristic, Preparation, Role, Successor, Survey
from ..walk_potentials import WalkPotentials

# Lost sets of three and four objects are looked up in every successor where their table has at most so many entries,
# and a state so many of them.
MOST_ENTRIES, MOST_LOOKUPS = 30_000_000, 250


def _prepare(given: Preparation) -> Conflicts:
    """The conflicts of pairs. They count pushes alone: where a potential of walks is known, or no matching to which
    they add, lost sets of up to four objects are looked up instead.
    """
    walks = given.knows(WalkPotentials)
    if not given.boards.freezes:
        return no_conflicts()
    adds = "matching" not in given.without and (walks is None or not walks.unit)
    size = 2 if adds else next((size for size in (4, 3) if _are_few(given, size)), 2)
    table = find_conflicts(given.packed, given.objects, given.boards, size, given.budget)
    return table if adds else only_lost(table)


def _are_few(given: Preparation, size: int) -> bool:
    """Whether sets of `size` objects can be looked up: 10 objects form 210 sets of four, and the table is small."""
    places, count = len(given.objects.fact), given.objects.count
    entries = comb(places, size) * len(given.packed.free_bit)
    return size <= count and entries <= MOST_ENTRIES and comb(count, size) <= MOST_LOOKUPS


@njit(inner=True)
def _after(conflicts: Conflicts, _estimate: Estimate, survey: Survey, child: Successor) -> int:
    if not conflicts.size:
        return long(0)
    extra: int = conflicts_of((conflicts,), survey.at, child.cell, survey.choice)
    return extra * conflicts.unit if extra > 0 else extra


HEURISTIC = Heuristic(
    sentence="what pairs of objects cost more together than their distances say: exact linear conflicts",
    role=Role.ADDITION,
    rank=10,
    prepare=_prepare,
    empty=lambda _task, _packed: no_conflicts(),
    words=lambda conflicts: (
        "conflicts of pairs" if conflicts.unit else f"lost sets of {conflicts.size}" if conflicts.size else ""
    ),
    after=_after,
)
