"""Additive pattern databases, or the distances of single objects, for tasks without a walker (`pattern_databases`)."""

from __future__ import annotations

from ...runtime.kernel_calls import njit
from ..heuristic import Estimate, Heuristic, InitialBound, Preparation, Role, Successor, Survey
from ..pattern_databases import Patterns, additive_patterns, no_patterns, patterns_value
from ..transition_graphs import root_value

# The most entries of a table in A*, a byte each.
MOST_ENTRIES = 1_000_000


def _prepare(given: Preparation) -> Patterns:
    if given.task.walker is not None:
        return no_patterns(given.task)
    return additive_patterns(given.task, MOST_ENTRIES, given.budget)


@njit(inner=True)
def _after(patterns: Patterns, _estimate: Estimate, _survey: Survey, child: Successor) -> int:
    value: int = patterns_value(patterns, child.row)
    return value


def _words(patterns: Patterns) -> str:
    if len(patterns.masks):
        return "additive patterns"
    return "single distances" if patterns.single_mask.any() else ""


HEURISTIC = Heuristic(
    sentence="exact costs of disjoint sets of objects, all others left out, added up (Korf and Felner 2002)",
    role=Role.BOUND,
    rank=30,
    prepare=_prepare,
    empty=lambda task, _packed: no_patterns(task),
    words=_words,
    after=_after,
    root=InitialBound("single objects, each at its distance alone", root_value),
)
