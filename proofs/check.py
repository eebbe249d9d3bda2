"""Checking a certificate: the puzzle, the plan, the lower bound; and what was shown, by what, trusting what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import manifest, rules_sokoban
from .acting import ActingGame, ActionPuzzle
from .boxes import BoxGame
from .core.claim import EXHAUSTION, PLAN, PROOF, PUZZLE, REFUTATION
from .core.formula import Clause, Formula
from .core.limits import Invalid, Limits, Unsupported
from .core.lrat import check, lines_of
from .exhaustion import Exhausted, exhaust, exhaust_by_cost
from .folder import MANIFEST
from .formula import SequentialFormula
from .formula_parallel import ParallelFormula
from .formula_paths import PathFormula
from .formula_pushes import PushFormula
from .layers import Layers, digest
from .manifest import AREAS, PARALLEL, PARITY, Certificate
from .parity import never_solved
from .pieces import PiecePuzzle
from .problem_folder import checked_problem, formula_in
from .puzzles import Puzzle, puzzle_about, puzzle_of
from .reading import Cost
from .sliding import SlidingGame
from .verdict import VALID, CertificateVerdict, guarded, printable
from .verdict import said as in_words


def check_folder(folder: Path, limits: Limits | None = None, *, puzzle: str | None = None) -> CertificateVerdict:
    """Check the certificate in a folder. Never raises, whatever the files hold, but `KeyboardInterrupt`.

    `puzzle`: the text of a puzzle file, in the form that certificates have, that the certificate has to be about.
    """
    limits = limits or Limits()
    if not (folder / MANIFEST).exists():
        return guarded(lambda: checked_problem(folder, limits, puzzle))
    return guarded(lambda: _checked(manifest.read(folder), limits, puzzle))


def exhausted(puzzle: Puzzle, metric: str, at_most: Cost | None, limits: Limits) -> Exhausted:
    """Visit every position that can be on a plan of at most a given cost. Raises `Unsupported`."""
    count = puzzle.counted(metric)
    if count is None:
        raise Unsupported(f"this checker cannot count `{metric[:40]}` of this family")
    if isinstance(puzzle, ActionPuzzle):
        return exhaust_by_cost(ActingGame(puzzle, count, limits), at_most, limits)
    if isinstance(puzzle, PiecePuzzle):
        return exhaust(SlidingGame(puzzle, count, limits), at_most[0] if at_most else None, limits)
    game = BoxGame(puzzle, count, limits)
    if "," in count:
        return exhaust_by_cost(game, at_most, limits)
    return exhaust(game, at_most[0] if at_most else None, limits)


def said(cost: Cost, metric: str) -> str:
    """A cost in words: `24 slides`, `8 pushes and 33 moves`."""
    return in_words(cost, metric.split(","))


def formula_of(
    puzzle: Puzzle, metric: str, at_most: int, limits: Limits, lower: Mapping[str, Any] | None = None
) -> Layers:
    """The clauses that say "there is a plan of at most H". Raises `Rejected`.

    `lower`: what the manifest says of the evidence; of Sokoban it may list areas, of boards of pieces it says whether
    steps are parallel.
    """
    lower = lower or {}
    count = puzzle.counted(metric)
    if not has_formula(puzzle, metric) or count is None or isinstance(puzzle, ActionPuzzle):
        raise Unsupported(f"this checker has no clauses for `{metric[:40]}` of this family")
    if isinstance(puzzle, rules_sokoban.Level):
        if PARALLEL in lower:
            raise Invalid("`parallel` is for boards of pieces", MANIFEST)
        return PushFormula(puzzle, at_most, lower.get(AREAS, ()), limits)
    if AREAS in lower:
        raise Invalid("`areas` are for Sokoban", MANIFEST)
    single = PathFormula if count == "moves" else SequentialFormula
    return (ParallelFormula if PARALLEL in lower else single)(puzzle, count, at_most, limits)


def has_formula(puzzle: Puzzle, metric: str) -> bool:
    """Whether there are clauses for a puzzle in a metric: for boards of pieces in all metrics, for Sokoban in
    pushes.
    """
    return puzzle.counted(metric) is not None if isinstance(puzzle, PiecePuzzle) else metric == "pushes"


def _checked(certificate: Certificate, limits: Limits, other: str | None) -> CertificateVerdict:
    text = certificate.text(PUZZLE)
    puzzle = puzzle_about(text, other, limits)
    metric, claim = certificate.metric, certificate.claim
    if puzzle.counted(metric) is None:
        raise Unsupported(f"this checker cannot count `{metric[:40]}` of this family")
    by = []
    if claim is not None:
        if len(claim) != metric.count(",") + 1:
            raise Invalid(f"`claim` has not as many numbers as `{metric[:40]}` counts", MANIFEST)
        cost = puzzle.cost(certificate.text(PLAN), metric, PLAN, limits)
        if cost != claim:
            raise Invalid(f"the plan has {said(cost, metric)}, not the claimed {said(claim, metric)}", PLAN)
        by.append(f"the plan replays and has {said(cost, metric)}")
    shown = "the puzzle has no plan" if claim is None else f"{said(claim, metric)} is the optimum"
    evidence = {REFUTATION: _refutation, EXHAUSTION: _exhaustion, PARITY: _parity}[certificate.lower["kind"]]
    how, trust = evidence(puzzle, certificate, limits)
    rules = "the interpreter of custom puzzles" if isinstance(puzzle, ActionPuzzle) else "the rules of the family"
    trusted = f"Python and PyYAML, {rules} in `proofs/`, {trust}"
    return CertificateVerdict(VALID, shown, (*by, how), trusted, "", tuple(map(printable, puzzle.rows)), text, metric)


Shown = tuple[str, str]
"""The evidence in words: what it has shown, and what has to be trusted for that."""


def _refutation(puzzle: Puzzle, certificate: Certificate, limits: Limits) -> Shown:
    lower = certificate.lower
    formula = formula_of(puzzle, certificate.metric, lower["at_most"], limits, lower)
    clauses: list[Clause] = list(formula.clauses())
    if (formula.variables, len(clauses)) != (lower["variables"], lower["clauses"]):
        raise Invalid("this checker makes another formula: the numbers of variables or clauses differ", MANIFEST)
    if digest(dimacs(formula.variables, clauses, limits)) != lower["dimacs_sha256"]:
        raise Invalid("this checker makes another formula: its digest differs", MANIFEST)
    lines = lines_of(certificate.files[PROOF], limits, PROOF)
    steps = check(clauses, lines, formula.variables, limits, PROOF)
    how = (
        f"no plan has at most {lower['at_most']} {certificate.metric}: {len(clauses):,} clauses, each true of every "
        f"legal play, are refuted by {steps:,} steps of unit propagation"
    )
    return how, "the sentences behind the clauses, the loop that checks proofs"


def dimacs_of(folder: Path, limits: Limits) -> Iterator[str]:
    """The lines of the formula that a refutation in a folder is about, as a CNF file. Raises `Rejected`."""
    if (folder / MANIFEST).exists():
        certificate = manifest.read(folder)
        read, lower = puzzle_of(certificate.text(PUZZLE)), certificate.lower
        formula: Layers | Formula = formula_of(read, certificate.metric, lower["at_most"], limits, lower)
    else:
        formula = formula_in(folder, limits)
    yield from dimacs(formula.variables, list(formula.clauses()), limits)


def dimacs(variables: int, clauses: list[Clause], limits: Limits) -> Iterator[str]:
    """The lines of a formula as a CNF file."""
    yield f"p cnf {variables} {len(clauses)}\n"
    for clause in clauses:
        limits.tick()
        yield " ".join(map(str, clause)) + " 0\n"


def _exhaustion(puzzle: Puzzle, certificate: Certificate, limits: Limits) -> Shown:
    lower, claim, metric = certificate.lower, certificate.claim, certificate.metric
    at_most = None if claim is None else manifest.less(claim)
    found = exhausted(puzzle, metric, at_most, limits)
    if found.goal is not None:
        raise Invalid(f"the claim is wrong: there is a plan of {said(found.goal, metric)}", MANIFEST)
    if (found.states, list(found.layers)) != (lower["states"], lower["layers"]):
        raise Invalid(f"this checker meets other states: {found.states:,}, not {lower['states']:,}", MANIFEST)
    what, where = "there is no plan", "that can be reached"
    if at_most is not None and claim is not None:
        few = f"at most {said(at_most, metric)}" if len(claim) == 1 else f"less than {said(claim, metric)}"
        what, where = f"no plan has {few}", "that can be on such a plan"
    how = f"{what}: recomputed here, none of the {found.states:,} states {where} is a goal"
    return how, "the search and its bound"


def _parity(puzzle: Puzzle, _certificate: Certificate, _limits: Limits) -> Shown:
    if not isinstance(puzzle, PiecePuzzle) or not never_solved(puzzle):
        raise Invalid("parity does not show that this puzzle has no plan", MANIFEST)
    return "there is no plan: start and goal differ by a permutation of the wrong parity", "the theorem about parity"
