"""Sets of facts that no plan has together in a layer, or only at a price, as clauses, in bulk."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, groupby

import numpy as np
from numpy.typing import NDArray

from ..analysis.plan_invariants import ConflictSet
from .formula import FALSE, Formula, Literals

# Terms of a weighted sum: (literal, weight).
Weighted = list[tuple[int, int]]


def by_value(conflicts: Iterable[ConflictSet]) -> list[tuple[int, NDArray[np.int64]]]:
    """The conflicts grouped by value and size, the lowest value first: each group is (value, array of sets)."""
    ordered = sorted(conflicts, key=_value_and_size)
    return [
        (value, np.array([conflict.facts for conflict in same], np.int64))
        for (value, _), same in groupby(ordered, key=_value_and_size)
    ]


def _value_and_size(conflict: ConflictSet) -> tuple[int, int]:
    return conflict.extra, len(conflict.facts)


def conflict_literals(
    formula: Formula, literals: Literals, excluded: NDArray[np.bool_], by_value: list[tuple[int, NDArray[np.int64]]]
) -> Weighted:
    """Literals z_v of a layer, for v in ascending order: true if a set of objects is there whose conflict is v or more;
    and by how much v is more than the one before.
    """
    weighted: Weighted = []
    last = 0
    # Ascending, so that z_v of a higher value implies the one before: what is violated is paid once, in parts.
    for value, sets in by_value:
        if value > last:
            weighted.append((formula.variable(), value - last))
            if last:
                formula.implies(weighted[-1][0], [weighted[-2][0]])
            last = value
        not_all(formula, literals, sets, excluded, weighted[-1][0])
    return weighted


def not_all(
    formula: Formula, literals: Literals, sets: NDArray[np.int64], excluded: NDArray[np.bool_], unless: int = FALSE
) -> None:
    """Not all facts of a set (of `sets`, a set a row) are true in a layer, `unless` a literal is; in bulk.

    Sets with a fact, or a pair, that is excluded there anyway are left out.
    """
    # A set with a FALSE fact is excluded by that; the same for a pair that other clauses exclude: a clause less each.
    standing = (literals != FALSE)[sets].all(axis=1)
    for i, j in combinations(range(sets.shape[1]), 2):
        standing &= ~excluded[sets[:, i], sets[:, j]]
    negated = ~literals[sets[standing]]
    # One literal more in each row; where it is FALSE, `all_clauses` drops it.
    clauses = np.hstack([negated, np.full((len(negated), 1), unless, np.int32)])
    formula.all_clauses(clauses.ravel(), np.full(len(negated), sets.shape[1] + 1))


def exclude(formula: Formula, causes: Literals, others: Literals, excluded: NDArray[np.bool_]) -> None:
    """causes[i] -> not others[j] wherever `excluded[i, j]` (causes, others), in bulk."""
    # `nonzero` goes row by row, so the columns are the effects of one cause after the other.
    formula.all_imply(causes, ~others[np.nonzero(excluded)[1]], excluded.sum(axis=1))
