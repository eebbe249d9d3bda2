"""The evidence for a lower bound of a problem: exhaustion or a refutation, whichever is cheaper.

Nothing tells beforehand whether a problem has few states or a short proof. So exhaustion is tried for a moment; if that
is not enough, it begins again beside a solver, which refutes the clauses of the checker in a process of its own, and
what is done first is taken.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from ..engines.common.refutation import TRIMMING, Refutation, Refuting, refute
from ..engines.preparation import prepare_within
from ..models.errors import DisagreementError
from ..proofs.core.bounds import check_tables
from ..proofs.core.check import formula_of
from ..proofs.core.claim import EXHAUSTION, HEAD, OPTIMUM, REFUTATION, Claim, read_claim
from ..proofs.core.exhaustion import exhaust
from ..proofs.core.formula import Clause, Formula
from ..proofs.core.limits import Limits, Stopped, Unsupported
from ..proofs.core.problem import Cost, Problem, read
from ..proofs.problem_folder import FORMS
from ..runtime.budget import Budget
from .evidence import MOMENT, limits_of


@dataclass(frozen=True, slots=True)
class Found:
    """Evidence. `numbers`: those of the line `by`; `lines`: what follows it in claim.txt; `proof`: of a refutation."""

    kind: str
    numbers: tuple[int, ...]
    lines: tuple[str, ...] = ()
    proof: bytes | None = None


@dataclass(frozen=True, slots=True)
class Making:
    """Makes the clauses for plans of a problem that cost less than a claim, in the process that refutes them."""

    text: str
    claim: Cost
    lines: tuple[str, ...] = ()

    def formula(self, limits: Limits) -> Formula:
        """The checker's formula; its clauses are made only when they are read. Raises `Rejected`."""
        problem, claim = read(self.text, limits), ",".join(map(str, self.claim))
        told = [HEAD, f"{OPTIMUM} {claim}", f"by {REFUTATION} 0 0", *self.lines, ""]
        said: Claim = read_claim(problem, "\n".join(told), limits)
        return formula_of(problem, said, check_tables(problem, said.tables, limits), limits, FORMS)

    def __call__(self) -> tuple[int, list[Clause]]:
        formula = self.formula(Limits(None, None))
        return formula.variables, list(formula.clauses())


def find_evidence(text: str, claim: Cost | None, budget: Budget, kind: str = "auto") -> Found:
    """Evidence that no plan of a problem costs less than a claim (None: that there is no plan); `kind` as `certify` has
    it. Raises `DisagreementError` if there is such a plan, `Stopped` at a limit, and `Unsupported` if evidence of the
    kind cannot show the claim.
    """
    problem = read(text, limits_of(budget))
    if kind == EXHAUSTION:
        return _exhausted(problem, claim, limits_of(budget))
    if kind == REFUTATION:
        prepare_within([TRIMMING], budget)
        make = _making(text, claim, limits_of(budget))
        return _refuted(make, refute(make, budget), budget)
    with suppress(Stopped):
        return _exhausted(problem, claim, limits_of(budget, MOMENT))
    try:
        make = _making(text, claim, limits_of(budget))
    except Unsupported:
        return _exhausted(problem, claim, limits_of(budget))
    return _first(problem, make, budget)


def _first(problem: Problem, make: Making, budget: Budget) -> Found:
    """Try exhaustion here and refutation in a child, each with half of the memory; what is ready first counts."""
    prepare_within([TRIMMING], budget)
    half = None if budget.memory_mib is None else budget.memory_mib // 2
    with Refuting(make, budget, half) as solver:

        def done() -> str | None:
            answer = solver.answer()
            return "the clauses are refuted" if answer and answer.proof else limits_of(budget).stopped()

        limits = limits_of(budget)
        limits.mebibytes, limits.stopped = half, done
        with suppress(Stopped):
            return _exhausted(problem, make.claim, limits)
        while (answer := solver.answer(0.1)) is None:  # too many states; the solver's limits end this
            pass
    return _refuted(make, answer, budget)


def _exhausted(problem: Problem, claim: Cost | None, limits: Limits) -> Found:
    found = exhaust(problem, claim, [], limits)
    if found.plan is not None:
        raise DisagreementError(f"the checker of certificates finds a plan of {found.plan}")
    return Found(EXHAUSTION, (found.states,))


def _making(text: str, claim: Cost | None, limits: Limits) -> Making:
    """The clauses. Raises `Unsupported` if clauses cannot show the claim."""
    if claim is None or len(claim) > 1 or not claim[0]:
        raise Unsupported("clauses exclude plans below a cost of one count; they cannot show that there is none")
    make = Making(text, claim)
    make.formula(limits)
    return make


def _refuted(make: Making, found: Refutation, budget: Budget) -> Found:
    if found.satisfiable:
        raise DisagreementError(f"a plan that costs less than {make.claim[0]} satisfies the clauses of the checker")
    if found.proof is None:
        raise Stopped(f"the clauses were not refuted: {found.stopped_by}")
    formula = make.formula(limits_of(budget))
    return Found(REFUTATION, (formula.variables, sum(1 for _ in formula.clauses())), make.lines, found.proof)
