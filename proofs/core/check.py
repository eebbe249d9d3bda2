"""Checking a certificate: its problem, its plan, and its lower bound."""

from __future__ import annotations

from collections.abc import Mapping

from .claim import EXHAUSTION, FILE, OPTIMUM, PLAN, PROOF, REFUTATION, Claim, check_tables, read_claim
from .exhaustion import exhaust, replay
from .formula import Formula
from .limits import Invalid, Limits, Unsupported
from .lrat import check, lines_of, unpacked
from .pairs import ReachedPairs
from .problem import FILE as PROBLEM
from .problem import read

Layers = Mapping[str, type[Formula]]


def checked(files: Mapping[str, bytes], limits: Limits, layers: Layers | None = None) -> Claim:
    """The claim of the certificate that some files (by name) make up, if it is shown. `layers`: the formulas that
    are not in the core, by their word in the claim. Raises `Invalid` or `Unsupported`.
    """
    problem = read(text_of(files, PROBLEM, limits), limits)
    claim = read_claim(problem, text_of(files, FILE, limits), limits)
    check_plan(claim, files, limits)
    numbers = claim.numbers
    if claim.kind == REFUTATION:
        formula = formula_of(claim, limits, layers)
        clauses = list(formula.clauses())
        numbers, proof = (formula.variables, len(clauses)), lines_of(files.get(PROOF, b""), limits, PROOF)
        claim.steps = check(clauses, proof, formula.variables, limits, PROOF)
    elif claim.kind == EXHAUSTION:
        check_tables(problem, claim.tables, limits)
        states, found = exhaust(problem, claim.below, claim.tables, limits)
        if found is not None:
            raise Invalid(f"the claim is wrong: there is a plan that costs {found}", FILE)
        numbers = (states,)
    elif not ReachedPairs(problem, limits).exclude(problem.goal):
        raise Invalid("pairs of values do not show that the goal is out of reach", FILE)
    if numbers != claim.numbers:
        raise Invalid(f"other numbers are claimed than this checker finds: {' '.join(map(str, numbers))}", FILE)
    return claim


def check_plan(claim: Claim, files: Mapping[str, bytes], limits: Limits) -> None:
    """Check that there is a plan of the claimed cost if an optimum is claimed, else none. Raises `Invalid`."""
    if claim.says == OPTIMUM:
        *plan, last = text_of(files, PLAN, limits).split("\n")
        cost = replay(claim.problem, plan, PLAN, limits)
        if cost != claim.below or last:
            raise Invalid(f"the plan costs {cost}, and another number is claimed, or its last line has no end", PLAN)
    elif PLAN in files:
        raise Invalid("a plan, and no claim that there is one", PLAN)


def text_of(files: Mapping[str, bytes], name: str, limits: Limits) -> str:
    """A file as text; a long one may be packed: `problem.txt.xz`. Raises `Invalid`, and `Stopped` at a limit."""
    data, packed = files.get(name), f"{name}.xz"
    if data is None and packed in files:
        data = b"".join(unpacked(files[packed], limits, packed))
    if data is None or not data.isascii() or (name in files and packed in files):
        raise Invalid("the file is missing, not ASCII text, or there twice, once packed", name)
    return data.decode("ascii")


def formula_of(claim: Claim, limits: Limits, layers: Layers | None = None) -> Formula:
    """The clauses that a refutation is about. Raises `Unsupported`, and `Invalid` where tables are wrong."""
    form = (layers or {}).get(claim.form) if claim.form else Formula
    if form is None:
        raise Unsupported(f"{FILE}: the formula of `{claim.form}` is not in the core of the checker")
    return form(claim, limits)
