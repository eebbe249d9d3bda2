"""Refuting whole plans (`proofs/whole.py`) where no action need be made twice, with the cuts that this needs.

The list of cuts begins empty. While a solver finds actions that satisfy the clauses, those are made that can be, again
and again, as if nothing were ever taken away. Each of those that are left waits for what others of them give: values
that wait for each other are a cut. If none is left, clauses with steps are refuted in place of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from ...encoders.exports.problem_writing import clause_text
from ...proofs.core.formula import Clause
from ...proofs.core.limits import Limits, Stopped
from ...proofs.core.problem import Literals
from ...proofs.whole import WHOLE, WholeFormula
from .refuting import Make, Refine, Search

PATIENCE = 5.0
"""Seconds within which the clauses about whole plans have to be made; else there are none."""


@dataclass(slots=True)
class Cutting:
    """The clauses of a search, and those that forbid a solution of them. `formula`: of whole plans, while it is tried;
    `otherwise`: the lines of claim.txt for the clauses with steps."""

    search: Search
    formula: WholeFormula | None = None
    otherwise: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Callable[..., Cutting], tuple[Search]]:
        return Cutting, (self.search,)

    def made(self) -> tuple[int, list[Clause]]:
        """The clauses that are refuted first."""
        search = self.search
        with suppress(Stopped):
            formula, _ = replace(search, lines=[WHOLE]).formula(search.problem(), Limits(PATIENCE, None))
            if isinstance(formula, WholeFormula) and formula.bounds_all():
                self.formula, self.otherwise, search.lines = formula, tuple(search.lines), [WHOLE]
                formula.limits = Limits(None, None)
                return formula.variables, formula.all
        return Make(search)()

    def __call__(self, true: set[int]) -> tuple[int, list[Clause]] | None:
        """The clauses with cuts against a solution, given by its true literals; those with steps if no cut is found."""
        formula, search = self.formula, self.search
        if formula is None:
            return Refine(search)(true)
        cuts = list(_cuts(formula, true))
        for cut in cuts:
            formula.cut(cut)
        search.lines += [f"cut {clause_text(formula.problem, cut)}" for cut in cuts]
        if cuts:
            return formula.variables, formula.all
        self.formula, search.lines = None, [*self.otherwise]
        return Make(search)()


def _cuts(formula: WholeFormula, true: set[int]) -> Iterator[Literals]:
    reached = [1 << value for value in formula.problem.start]
    waiting = [kind for made, kind in formula.kinds.items() if made in true]
    while ready := [one for one in waiting if all(any(reached[x] & mask for x, mask in part) for part in one.needs)]:
        waiting = [kind for kind in waiting if kind not in ready]
        for x, to in ((x, to) for kind in ready for x, some in kind.effects.items() for _, to in some):
            reached[x] |= 1 << to
    failing = [[part for part in one.needs if not any(reached[x] & mask for x, mask in part)] for one in waiting]
    wanted = [{x for part in needs for x, _ in part} for needs in failing]
    every = set().union(*wanted)
    for part in joined(some | every.intersection(kind.effects) for some, kind in zip(wanted, waiting, strict=True)):
        yield tuple((x, formula.problem.full(x) & ~reached[x]) for x in sorted(part))


def joined(sets: Iterable[set[int]]) -> list[set[int]]:
    """Unite sets that have a member in common, until none have: {1, 2}, {2, 3}, {4} become {1, 2, 3}, {4}."""
    parts: list[set[int]] = []
    for one in sets:
        touching = [part for part in parts if not part.isdisjoint(one)]
        parts = [part for part in parts if part not in touching] + [one.union(*touching)]
    return parts
