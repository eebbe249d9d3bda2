"""Checking certificates: by the checker of `proofs/`, in a process that can be ended, and against Budge's own reading.

The checker looks at its clock, and holds its tables against its limit of memory. A process ends it whatever it does.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from ..models.puzzle import Puzzle
from ..proofs.check import INVALID, UNSUPPORTED, VALID, Verdict, check_folder
from ..proofs.limits import Limits, Rejected, Unsupported
from ..proofs.manifest import PUZZLE
from ..runtime.budget import Budget
from ..runtime.child_main import Orders, Work
from ..runtime.events import Progress
from ..runtime.processes import Child, wait
from .same_puzzle import difference

GRACE = 0.2
"""Seconds after a limit, or after Ctrl-C, in which the checker may still say something."""


def checking(folder: Path, puzzle: Puzzle | None = None, metric: str | None = None) -> Work:
    """Check a certificate; gives a `Verdict`. `puzzle`, `metric`: what it has to be about."""
    return partial(_check, folder, puzzle, metric)


def check_within(budget: Budget, folder: Path, puzzle: Puzzle | None = None, metric: str | None = None) -> Verdict:
    """The verdict on a certificate, from a child process that is ended at the limits and when the budget is."""
    child = Child(Orders(checking(folder, puzzle, metric), budget.seconds_left, budget.memory_mib), grace=GRACE)
    try:
        while not child.ended:
            wait([child])
            if budget.interrupted.is_set():
                child.stop("interrupted")
    finally:
        child.kill()
    if isinstance(child.result, Verdict):
        return child.result
    why = child.error[1] if child.error else child.ended or ""
    return Verdict(UNSUPPORTED, problem=f"not decided{' within the ' if why.endswith(' limit') else ': '}{why}")


def _check(folder: Path, puzzle: Puzzle | None, metric: str | None, budget: Budget, progress: Progress) -> Verdict:
    limits = Limits(budget.seconds_left, budget.memory_mib, budget.stopped)
    verdict = check_folder(folder, limits)
    if verdict.status != VALID:
        return verdict
    if metric is not None and metric != verdict.metric:
        return Verdict(INVALID, problem=f"the certificate counts {verdict.metric}, not {metric}")
    try:
        problem = difference(verdict.puzzle, limits, puzzle)
    except Unsupported as reason:
        return Verdict(UNSUPPORTED, problem=str(reason))
    except Rejected as reason:
        return Verdict(INVALID, problem=str(reason))
    return verdict if problem is None else Verdict(INVALID, problem=f"{PUZZLE}: {problem}")
