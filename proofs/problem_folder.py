"""Checking a certificate that has a problem text: by the core and its layers, and whether the text is the puzzle."""

from __future__ import annotations

from pathlib import Path

from .by_rules import checked_by_rules, is_by_rules
from .core.bounds import FILE as CLAIM
from .core.bounds import check_tables
from .core.check import Forms, checked, formula_of, text_of
from .core.claim import PUZZLE, read_claim
from .core.formula import Formula
from .core.limits import Limits, Unsupported, printable
from .core.problem import FILE as PROBLEM
from .core.problem import read
from .folder import files_of
from .parallel import ParallelFormula
from .puzzles import text_in
from .same_problem import Comparison, compared
from .searching import checked_by_search, is_by_search
from .verdict import VALID, CertificateVerdict

FORMS: Forms = {False: Formula, True: ParallelFormula}


def checked_problem(folder: Path, limits: Limits, other: str | None = None) -> CertificateVerdict:
    """The verdict about a certificate with a problem.txt. `other`: the text of the puzzle, in the form of certificates,
    that it has to be about. Raises `Rejected`.
    """
    files = files_of(folder, limits)
    if is_by_rules(files):
        return checked_by_rules(files, limits, other)
    shown = checked_by_search(files, limits) if is_by_search(files) else checked(files, limits, FORMS)
    metric = ",".join(shown.problem.counts)
    if PUZZLE not in files:
        if other is not None:
            raise Unsupported("the certificate has no puzzle.yaml: it is about problem.txt alone")
        same = Comparison("of problem.txt; whether that is a certain puzzle is not said: there is no puzzle.yaml")
    else:
        same = compared(text_in(files), metric, shown, limits, other)
    # A puzzle that was not compared is not shown: it could be another one. No more is the drawing in board.txt.
    text = "" if same.rows is None else text_in(files)
    trust = f"Python, what the lines of problem.txt mean, {shown.trust}{same.trust}"
    board = tuple(map(printable, same.rows or ()))
    return CertificateVerdict(VALID, shown.what, (*shown.by, same.how), trust, "", board, text, metric)


def formula_in(folder: Path, limits: Limits) -> Formula:
    """The formula that the refutation in a folder is about. Raises `Rejected`."""
    files = files_of(folder, limits)
    problem = read(text_of(files, PROBLEM), limits)
    claim = read_claim(problem, text_of(files, CLAIM), limits)
    return formula_of(problem, claim, check_tables(problem, claim.tables, limits), limits, FORMS)
