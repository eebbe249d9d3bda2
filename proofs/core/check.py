"""Checking a certificate: its problem, its plan, and its lower bound. `proofs.check` says what came of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .bounds import FILE, check_invariants, check_tables, contradict_goal
from .claim import AT_LEAST, EXHAUSTION, INVARIANTS, OPTIMUM, PLAN, PROOF, Claim, read_claim
from .exhaustion import exhaust
from .formula import Formula
from .limits import Invalid, Limits, Unsupported
from .lrat import check, lines_of
from .problem import FILE as PROBLEM
from .problem import Cost, Problem, read, replay

Forms = Mapping[bool, type[Formula]]
"""The class of formulas for each value of `Claim.parallel`."""

PLAIN: Forms = {False: Formula}
"""The core has no parallel steps."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a certificate has shown of a problem. `what`: in words; `by`: each part of it; `trust`: what one still has
    to believe.
    """

    problem: Problem
    plan: tuple[str, ...]
    what: str
    by: tuple[str, ...]
    trust: str


def checked(files: Mapping[str, bytes], limits: Limits, forms: Forms = PLAIN) -> Shown:
    """Check the certificate that some files (by name) make up. Raises `Invalid` or `Unsupported`."""
    problem = read(text_of(files, PROBLEM), limits)
    claim = read_claim(problem, text_of(files, FILE), limits)
    plan: list[str] = []
    by = []
    if claim.says == OPTIMUM:
        *plan, last = text_of(files, PLAN).split("\n")
        if last:
            raise Invalid("the last line has no end", PLAN)
        cost = replay(problem, plan, PLAN, limits)
        if cost != claim.below:
            raise Invalid(f"the plan has {said(cost, problem.counts)}, and the claim is another number", PLAN)
        by.append(f"the plan replays and has {said(cost, problem.counts)}")
    elif PLAN in files:
        raise Invalid("a plan, and no claim that there is one", PLAN)
    how, trust = lower_bound(problem, claim, files, limits, forms)
    if claim.below is None:
        what = "there is no plan"
    elif claim.says == AT_LEAST:
        what = f"every plan has at least {said(claim.below, problem.counts)}"
    else:
        what = f"{said(claim.below, problem.counts)} is the optimum"
    return Shown(problem, tuple(plan), what, (*by, how), trust)


def text_of(files: Mapping[str, bytes], name: str) -> str:
    """A file as text. Raises `Invalid`."""
    if name not in files:
        raise Invalid("the file is missing", name)
    if not files[name].isascii():
        raise Invalid("the file is not ASCII text", name)
    return files[name].decode("ascii")


def said(cost: Cost, counts: Sequence[str]) -> str:
    """A cost in words: `24 slides`, `8 pushes and 33 moves`."""
    return " and ".join(f"{number} {unit}" for number, unit in zip(cost, counts, strict=True))


def lower_bound(
    problem: Problem, claim: Claim, files: Mapping[str, bytes], limits: Limits, forms: Forms
) -> tuple[str, str]:
    """Check the evidence: what it shows, and what has to be trusted for that, in words. Raises `Rejected`."""
    check_invariants(problem, claim.invariants, limits)
    spare = check_tables(problem, claim.tables, limits)
    few = "there is no plan" if claim.below is None else f"no plan has less than {said(claim.below, problem.counts)}"
    if claim.kind == INVARIANTS:
        if not contradict_goal(problem, claim.invariants, limits):
            raise Invalid("the invariants do not contradict the goal", FILE)
        return f"{few}: {len(claim.invariants)} invariants contradict the goal", "the check of invariants"
    if claim.kind == EXHAUSTION:
        found = exhaust(problem, claim.below, claim.tables, limits)
        if found.plan is not None:
            raise Invalid(f"the claim is wrong: there is a plan of {said(found.plan, problem.counts)}", FILE)
        if (found.states,) != claim.numbers:
            raise Invalid(f"this checker visits {found.states} states, and another number is claimed", FILE)
        how = f"{few}: recomputed here, none of the {found.states:,} states that can be on such a plan is a goal"
        return how, "the search" + (", the check of tables" if claim.tables else "")
    formula = formula_of(problem, claim, spare, limits, forms)
    clauses = list(formula.clauses())
    if (formula.variables, len(clauses)) != claim.numbers:
        numbers = f"{formula.variables} variables and {len(clauses)} clauses"
        raise Invalid(f"this checker makes {numbers}, and other numbers are claimed", FILE)
    if PROOF not in files:
        raise Invalid("the file is missing", PROOF)
    steps = check(clauses, lines_of(files[PROOF], limits, PROOF), formula.variables, limits, PROOF).steps
    made = f"{len(clauses):,} clauses, each true of every such plan, are refuted"
    return f"{few}: {made} by {steps:,} steps of unit propagation", formula.TRUST


def formula_of(problem: Problem, claim: Claim, spare: list[int], limits: Limits, forms: Forms = PLAIN) -> Formula:
    """The clauses that a refutation is about; `spare` as `check_tables` gives it. Raises `Unsupported`, `Invalid`."""
    if claim.below is None or len(claim.below) > 1:
        raise Unsupported(f"{FILE}: clauses exclude plans below a cost of one count")
    if claim.parallel not in forms:
        raise Unsupported(f"{FILE}: parallel steps are not in the core of the checker")
    return forms[claim.parallel](problem, claim.below[0] - 1, claim.evidence, spare, limits)
