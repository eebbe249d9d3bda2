"""Checking a certificate: whichever its form is, what was shown, by what, trusting what; and its formula for others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .by_rules import checked_by_rules, endings_in, is_by_rules
from .core.limits import Limits
from .folder import files_of, refuse_first_form
from .problem_folder import checked_problem, formula_in
from .verdict import CertificateVerdict, guarded


def check_folder(folder: Path, limits: Limits | None = None, *, puzzle: str | None = None) -> CertificateVerdict:
    """Check the certificate in a folder. Never raises, whatever the files hold, but `KeyboardInterrupt`.

    `puzzle`: the text of a puzzle file, in the form that certificates have, that the certificate has to be about.
    """
    limits = limits or Limits()
    return guarded(lambda: _checked(folder, limits, puzzle))


def _checked(folder: Path, limits: Limits, puzzle: str | None) -> CertificateVerdict:
    refuse_first_form(folder)
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
