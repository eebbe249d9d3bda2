"""Checking a certificate: whichever its form is, what was shown, by what, trusting what; and its formula for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from .by_rules import checked_by_rules, endings_in, is_by_rules
from .core.check import checked, formula_of, text_of
from .core.claim import EXHAUSTION, INVARIANTS, OPTIMUM, PUZZLE, Claim, read_claim
from .core.claim import FILE as CLAIM
from .core.formula import Formula
from .core.limits import Limits, Unsupported
from .core.problem import FILE as PROBLEM
from .core.problem import read
from .folder import files_of
from .one_variable_formula import LAYERS
from .puzzles import text_in
from .same_problem import Comparison, compared
from .searching import checked_by_search, is_by_search
from .verdict import FOR_PROBLEM, VALID, CertificateVerdict, guarded, in_words, printable, said

# Checking a certificate that has a problem text: by the core and its layers, and whether the text is the puzzle.


def checked_problem(files: Mapping[str, bytes], limits: Limits, other: str | None = None) -> CertificateVerdict:
    """The verdict about the files, by name, of a certificate with a problem.txt. `other`: the text of the puzzle,
    in the form of certificates, that it has to be about. Raises `Rejected`.
    """
    claim = checked_by_search(files, limits) if is_by_search(files) else checked(files, limits, LAYERS)
    metric = ",".join(claim.problem.counts)
    if PUZZLE not in files:
        if other is not None:
            raise Unsupported("the certificate has no puzzle.yaml: it is about problem.txt alone")
        text = ""
        same = Comparison("there is no puzzle.yaml with which problem.txt could be compared", "of no puzzle", ())
    else:
        text = text_in(files)
        same = compared(text, metric, claim.problem, limits, other)
    what, by, trust = _shown(claim, is_by_search(files))
    trust = f"Python, what the lines of problem.txt mean, {trust}"
    trust += "" if same.open else ", the rules of the puzzle in `proofs/`"
    board, status = tuple(map(printable, same.rows)), FOR_PROBLEM if same.open else VALID
    return CertificateVerdict(status, what, (*by, same.how), trust, "", board, text, metric, same.open)


def _shown(claim: Claim, searched: bool) -> tuple[str, tuple[str, ...], str]:
    """What a claim that was checked says, what has shown each part of it, and what has to be trusted for that;
    `searched`: by `proofs/searching.py`.
    """
    counts, by, cost = claim.problem.counts, [], ""
    what, few = in_words(claim.says, claim.below or (), counts)
    if claim.says == OPTIMUM and claim.below is not None:
        cost = said(claim.below, counts)
        by.append(f"the plan replays and has {cost}")
    if claim.kind == INVARIANTS:
        by.append(f"{few}: {len(claim.invariants)} invariants contradict the goal")
        trust = "the check of invariants"
    elif claim.kind == EXHAUSTION:
        states = claim.numbers[0]
        none = f"none of the {states:,} states that can be on such a plan is a goal"
        by.append(f"{few}: recomputed here, {none if states else 'the tables give this bound at the start already'}")
        trust = "the search of `proofs/searching.py` and `grouped_states.py`" if searched else "the search"
        trust += ", the check of tables" if searched or claim.tables else ""
    else:
        clauses = f"{claim.numbers[1]:,} clauses, each true of every such plan"
        by.append(f"{few}: {clauses}, are refuted by {claim.steps:,} steps of unit propagation")
        form = {"changes": ", those of changes", "parallel": ", those of changes and parallel steps"}.get(claim.form)
        trust = f"the sentences behind the clauses{f'{form} among them' if form else ''}, the loop that checks proofs"
    return what, tuple(by), trust


def formula_in(files: Mapping[str, bytes], limits: Limits) -> Formula:
    """The formula that the refutation among the files is about. Raises `Rejected`."""
    problem = read(text_of(files, PROBLEM, limits), limits)
    return formula_of(read_claim(problem, text_of(files, CLAIM, limits), limits), limits, LAYERS)


def check_folder(folder: Path, limits: Limits | None = None, *, puzzle: str | None = None) -> CertificateVerdict:
    """Check the certificate in a folder. Never raises, whatever the files hold, but `KeyboardInterrupt`.

    `puzzle`: the text of a puzzle file, in the form that certificates have, that the certificate has to be about.
    """
    limits = limits or Limits()
    return guarded(lambda: _checked(folder, limits, puzzle))


def _checked(folder: Path, limits: Limits, puzzle: str | None) -> CertificateVerdict:
    files = files_of(folder, limits)
    return (checked_by_rules if is_by_rules(files) else checked_problem)(files, limits, puzzle)


def dimacs_of(folder: Path, limits: Limits) -> Iterator[str]:
    """The lines of the formula that a refutation in a folder is about, as a CNF file. Raises `Rejected`."""
    files = files_of(folder, limits)
    if is_by_rules(files):
        made = endings_in(files, limits)
        variables, clauses = made.variables, made.clauses
    else:
        formula = formula_in(files, limits)
        variables, clauses = formula.variables, list(formula.clauses())
    yield f"p cnf {variables} {len(clauses)}\n"
    for clause in clauses:
        limits.tick()
        yield " ".join(map(str, clause)) + " 0\n"
