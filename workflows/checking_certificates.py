"""Checking certificates: by the checker of `proofs/`, in a process that can be ended, and against Budge's own reading.

The checker looks at its clock, and holds its tables against its limit of memory. A process ends it whatever it does.

Where its rules compare problem.txt with puzzle.yaml only in part, a text could be forged that is the same so far. So
Budge writes the text of puzzle.yaml again: if that is not problem.txt, nothing is said of the puzzle.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from ..models.errors import BudgeError
from ..models.library import load_text
from ..models.puzzle import Puzzle
from ..proofs.check import check_folder
from ..proofs.core.claim import PUZZLE
from ..proofs.core.limits import Limits, Rejected, Unsupported
from ..proofs.core.problem import FILE as PROBLEM
from ..proofs.folder import problem_in
from ..proofs.same_problem import PARTLY
from ..proofs.verdict import INVALID, UNSUPPORTED, VALID, CertificateVerdict
from ..runtime.budget import Budget
from ..runtime.child_main import Work
from ..runtime.events import Progress
from .exporting import problem_of
from .same_puzzle import difference


def checking(folder: Path, puzzle: Puzzle | None = None, metric: str | None = None) -> Work:
    """Check a certificate; gives a `CertificateVerdict`. `puzzle`, `metric`: what it has to be about."""
    return partial(_check, folder, puzzle, metric)


def _check(
    folder: Path, puzzle: Puzzle | None, metric: str | None, budget: Budget, _progress: Progress
) -> CertificateVerdict:
    limits = Limits(budget.seconds_left, budget.memory_mib, budget.stopped)
    verdict = check_folder(folder, limits)
    if verdict.status != VALID:
        return verdict
    if metric is not None and metric != verdict.metric:
        return CertificateVerdict(INVALID, problem=f"the certificate counts {verdict.metric}, not {metric}")
    if not verdict.puzzle:
        reason = "the certificate is about problem.txt alone: that is not compared with a puzzle.yaml"
        return verdict if puzzle is None else CertificateVerdict(UNSUPPORTED, problem=reason)
    try:
        problem = difference(verdict.puzzle, limits, puzzle)
        if problem is None and verdict.trust.endswith(PARTLY):
            return _written_again(folder, verdict, limits)
    except Unsupported as reason:
        return CertificateVerdict(UNSUPPORTED, problem=str(reason))
    except Rejected as reason:
        return CertificateVerdict(INVALID, problem=str(reason))
    return verdict if problem is None else CertificateVerdict(INVALID, problem=f"{PUZZLE}: {problem}")


def _written_again(folder: Path, verdict: CertificateVerdict, limits: Limits) -> CertificateVerdict:
    """The verdict, if problem.txt is what Budge writes of puzzle.yaml. Raises `Rejected`."""
    try:
        text = problem_of(load_text(verdict.puzzle), verdict.metric).text
    except BudgeError as error:
        raise Unsupported(f"{PROBLEM} cannot be written again: {error}") from None
    if text != problem_in(folder, limits):
        raise Unsupported(
            f"{PROBLEM} is the same as {PUZZLE} as far as the rules in `proofs/` compare them, but not what this "
            "version of Budge writes of it: whether it is the same further on is not known"
        )
    trust = f"{verdict.trust.removesuffix(PARTLY)}, that Budge writes in {PROBLEM} what {PUZZLE} says"
    return replace(verdict, by=(*verdict.by, f"{PROBLEM} is what Budge writes of {PUZZLE}"), trust=trust)
