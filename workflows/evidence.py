"""The evidence for a lower bound, in the checker's own terms: parity, exhaustion or a refutation, which is cheapest.

Nothing tells beforehand whether a puzzle has few states or a short proof. So exhaustion is tried for a moment; if that
is not enough, it begins again beside a solver, which refutes the clauses of the checker in a process of its own, and
what is done first is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from ..engines.common.refutation import TRIMMING, Make, Refine, Refutation, Refuting, refute
from ..engines.preparation import prepare_within
from ..models.errors import DisagreementError
from ..proofs import manifest
from ..proofs.check import dimacs, exhausted, formula_of, has_formula, said
from ..proofs.core.claim import EXHAUSTION, PROOF, REFUTATION
from ..proofs.core.formula import Clause
from ..proofs.core.limits import Limits, Stopped, Unsupported
from ..proofs.formula_parallel import COUNTS
from ..proofs.layers import Layers, digest
from ..proofs.manifest import AREAS, PARALLEL, PARITY
from ..proofs.parity import never_solved
from ..proofs.pieces import PiecePuzzle, Places
from ..proofs.puzzles import Puzzle
from ..proofs.reading import Cost
from ..proofs.rules_sokoban import Level
from ..runtime.budget import Budget
from .areas import AreasNeeded

Found = TypeVar("Found")

KINDS = ("auto", REFUTATION, EXHAUSTION)
"""The kinds of evidence that a caller may choose."""

MOMENT = 1.0
"""Seconds for which exhaustion is tried alone before a solver is started beside it."""

MANY, ROOM = 20, 10
"""From so many pieces and free cells on, the formula has parallel steps. Processor seconds of CP-SAT without a proof,
single and parallel steps: `uva-9x9` (24 vehicles, 21 slides) 1.1 and 0.4; `uva-12x12` (44, 24) not in 90, and 5.7; a
12x12 board (40, 14) 14.5 and 0.7. But `servais-93` (13, 48) 1.2 and 12, `level-30` (12, 44) 0.9 and 3."""

Evidence = tuple[dict[str, Any], dict[str, bytes]]
"""The entries of the manifest for the lower bound, and the files that belong to them."""


def limits_of(budget: Budget, seconds: float | None = None) -> Limits:
    """The time left of a budget (at most `seconds`), its memory, and Ctrl-C, as limits of the checker."""
    left = budget.seconds_left if seconds is None else min(seconds, budget.remaining)
    return Limits(left, budget.memory_mib, budget.stopped)


def lower_bound(read: Puzzle, metric: str, claim: Cost | None, budget: Budget, asked: str) -> Evidence:
    """Evidence that nothing is cheaper than the claim (None: that there is no plan).

    Raises `Unsupported`, and `DisagreementError` where there is a cheaper plan.
    """
    if claim is None and asked == "auto" and isinstance(read, PiecePuzzle) and never_solved(read):
        return {"kind": PARITY}, {}
    if asked == REFUTATION:
        make = _making(read, metric, claim, limits_of(budget))
        prepare_within([TRIMMING], budget)
        return _refuted(make, refute(make, budget, make.refine()), budget)
    if asked == EXHAUSTION or claim in (None, (0,)) or not has_formula(read, metric):
        return _exhausted(read, metric, claim, limits_of(budget))
    with suppress(Stopped):
        return _exhausted(read, metric, claim, limits_of(budget, MOMENT))
    try:
        make = _making(read, metric, claim, limits_of(budget))
    except Unsupported:
        return _exhausted(read, metric, claim, limits_of(budget))
    found = first_of(make, make.refine(), partial(_exhausted, read, metric, claim), budget)
    return _refuted(make, found, budget) if isinstance(found, Refutation) else found


@dataclass(frozen=True, slots=True)
class Making:
    """Makes the checker's clauses for plans that cost at most `at_most`; `form` is what the manifest says of them."""

    read: Puzzle
    metric: str
    at_most: int
    form: dict[str, Any]

    def formula(self, limits: Limits) -> Layers:
        """The checker's formula; its clauses are made only when they are read. Raises `Unsupported`."""
        return formula_of(self.read, self.metric, self.at_most, limits, self.form)

    def __call__(self) -> tuple[int, list[Clause]]:
        formula = self.formula(Limits(None, None))
        return formula.variables, list(formula.clauses())

    def refine(self) -> Refine | None:
        """For Sokoban, a function that finds the areas that a refutation needs; else None."""
        return AreasNeeded(self.read, self.at_most) if isinstance(self.read, Level) else None


def first_of(
    make: Make, refine: Refine | None, exhausted: Callable[[Limits], Found], budget: Budget
) -> Found | Refutation:
    """Try exhaustion here and refutation in a child, each with half of the memory: what is ready first. (A refutation
    may have failed: then exhaustion has reached its limits before.)
    """
    prepare_within([TRIMMING], budget)
    half = None if budget.memory_mib is None else budget.memory_mib // 2
    with Refuting(make, budget, half, refine) as solver:

        def done() -> str | None:
            answer = solver.answer()
            return "the clauses are refuted" if answer and answer.proof else limits_of(budget).stopped()

        limits = limits_of(budget)
        limits.mebibytes, limits.stopped = half, done
        with suppress(Stopped):
            return exhausted(limits)
        while (answer := solver.answer(0.1)) is None:  # too many states; the solver's limits end this
            pass
    return answer


def _exhausted(read: Puzzle, metric: str, claim: Cost | None, limits: Limits) -> Evidence:
    at_most = None if claim is None else manifest.less(claim)
    found = exhausted(read, metric, at_most, limits)
    if found.goal is not None:
        raise DisagreementError(f"the checker of certificates finds a plan of {said(found.goal, metric)}")
    told = None if at_most is None else manifest.plain(at_most)
    return {"kind": EXHAUSTION, "at_most": told, "states": found.states, "layers": list(found.layers)}, {}


def _making(read: Puzzle, metric: str, claim: Cost | None, limits: Limits) -> Making:
    """The clauses for plans that cost one less than the claim. Raises `Unsupported` if clauses cannot show the
    claim.
    """
    if claim is None or len(claim) > 1 or not claim[0]:
        raise Unsupported("clauses exclude plans of a length; they cannot show that there is none")
    make = Making(read, metric, claim[0] - 1, _form(read, metric, limits))
    if not all(make.formula(limits).goal()):
        raise Unsupported("what is wanted is out of reach without a search: exhaustion shows it at once")
    return make


def _form(read: Puzzle, metric: str, limits: Limits) -> dict[str, Any]:
    """The entry of the manifest that chooses the form of clauses which is expected to be refuted sooner."""
    if not isinstance(read, PiecePuzzle) or read.counted(metric) not in COUNTS:
        return {}
    places = Places(read, limits)
    free = len(places.all_cells) - sum(len(places.cells[place]) for place in places.start)
    alike = any(len(kind.start) > 1 for kind in places.kinds)
    return {} if alike or len(places.kinds) < MANY or free < ROOM else {PARALLEL: True}


def _refuted(make: Making, found: Refutation, budget: Budget) -> Evidence:
    if found.satisfiable:
        few = f"at most {make.at_most} {make.metric}"
        raise DisagreementError(f"a plan of {few} satisfies the clauses of the checker")
    if found.proof is None:
        raise Stopped(f"the clauses were not refuted: {found.stopped_by}")
    if isinstance(found.refined, AreasNeeded):
        make = replace(make, form={AREAS: found.refined.areas})
    limits = limits_of(budget)
    formula = make.formula(limits)
    clauses = list(formula.clauses())
    lower: dict[str, Any] = {
        "kind": REFUTATION,
        "at_most": formula.at_most,
        "variables": formula.variables,
        "clauses": len(clauses),
        "dimacs_sha256": digest(dimacs(formula.variables, clauses, limits)),
        **make.form,
    }
    return lower, {PROOF: found.proof}
