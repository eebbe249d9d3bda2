"""Certificates of lower bounds alone: no plan costs less than N, whatever the optimum is.

An engine looks first, for a part of the time: it may find a plan that costs less, and what it proves is what can be
said where no evidence is found in time. The evidence owes nothing to it.
"""

from __future__ import annotations

from pathlib import Path

from ..engines.table import DEFAULT_ENGINE
from ..models.errors import UsageError
from ..models.moves import Cost
from ..models.text import counted
from ..proofs.core.problem import LARGEST
from ..runtime.budget import Budget
from ..runtime.events import Progress, silent
from ..runtime.outcome import BoundsSoFar, StoppedError
from .certifying import Certified, NotCertified, certify_statement, check_evidence, offer
from .evidence import AUTO, CheaperPlanError
from .jobs import Job, RunLimits, run_all
from .problem_certificate import Statement
from .solving import Solution

LOOK = 0.25
"""The share of the time for which an engine looks before evidence is sought."""


def certify_bound(
    statement: Statement,
    folder: Path,
    budget: Budget | None = None,
    progress: Progress = silent,
    *,
    known: Solution | None = None,
    evidence: str = AUTO,
    cnf: bool = False,
    scratch: str | None = None,
) -> Certified:
    """Write the certificate of a lower bound to a folder, and check it. `known`: what is known of the puzzle; without
    it an engine looks first. The other arguments are those of `certifying.certify`.

    Raises `NotCertified`: with `cheaper` if there is a plan that costs less, with `stopped` at a limit; and
    `UsageError` for a bound that the metric cannot have.
    """
    check_evidence(evidence)
    least = check_bound(statement)
    budget = budget or Budget()
    if known is None:
        known = _look(statement, least, budget, progress, LOOK)
    _refuse_cheaper(known, least)
    proven = known.outcome.lower_bound
    try:
        return certify_statement(statement, folder, budget, progress, evidence=evidence, cnf=cnf, scratch=scratch)
    except NotCertified as refusal:
        if not refusal.stopped or proven is None or proven >= least:
            raise
        raise NotCertified(f"{refusal}{offer(known)}", stopped=True) from None
    except CheaperPlanError as found:
        if proven is not None and proven >= least:
            raise  # an engine has proven that there is none
        _refuse_cheaper(_look(statement, least, budget, progress), least)
        reason = f"no certificate for {statement.puzzle.header.name}: {found}; no engine found one in time"
        raise NotCertified(reason, stopped=True) from None


def bound_apart(
    statement: Statement, folder: Path, evidence: str, cnf: bool, scratch: str, budget: Budget, progress: Progress
) -> Certified:
    """`certify_bound` in a process that may be killed; the caller removes what it leaves in the folder `scratch`."""
    return certify_bound(statement, folder, budget, progress, evidence=evidence, cnf=cnf, scratch=scratch)


def check_bound(statement: Statement) -> Cost:
    """The lower bound that a statement says. Raises `UsageError` for one that its metric cannot have, or that
    certificates cannot say.
    """
    least, parts = statement.cost or (), statement.metric.count(",") + 1
    if len(least) != parts:
        raise UsageError(f"the metric {statement.metric} needs a lower bound of {counted(parts, 'number')}")
    if not all(0 <= part < LARGEST for part in least):
        raise UsageError(f"a lower bound is a number from 0 on that is below {LARGEST:,}")
    return least


def _look(statement: Statement, least: Cost, budget: Budget, progress: Progress, share: float = 1.0) -> Solution:
    """What the default engine finds of a puzzle in a share of the time, until it proves the bound or finds a plan that
    costs less.
    """
    puzzle, metric = statement.puzzle, statement.metric
    part = budget if budget.seconds is None else budget.part(share * budget.remaining)

    def enough(_job: Job, bounds: BoundsSoFar) -> bool:
        low, high = bounds.lower_bound, bounds.upper_bound
        return (low is not None and low >= least) or (high is not None and high < least)

    job = Job(puzzle, DEFAULT_ENGINE, metric)
    limits = RunLimits(None, budget.memory_mib, whole=part, enough=enough)
    for _, run in run_all([job], limits, interrupted=budget.interrupted, on_event=lambda _job, event: progress(event)):
        if run.error is not None:
            error, reason = run.error
            raise error(reason)
        return Solution(puzzle, DEFAULT_ENGINE, metric, run.outcome, run.replay)
    raise StoppedError("interrupted")


def _refuse_cheaper(known: Solution, least: Cost) -> None:
    """Raises `NotCertified` if a plan is known that costs less."""
    high = known.outcome.upper_bound
    if known.replay is None or high is None or high >= least:
        return
    unit = known.puzzle.metric(known.metric)
    name, less, wanted = known.puzzle.header.name, unit.counted(high), unit.counted(least)
    reason = f"no certificate for {name}: a plan of {less} exists, which is less than {wanted}"
    raise NotCertified(reason, cheaper=known)
