"""What Budge's answers are called in Unified Planning: statuses, metrics and messages of results."""

from __future__ import annotations

from collections.abc import Iterable

from unified_planning.engines import LogLevel, LogMessage, PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.plans import SequentialPlan

from ..models.moves import Cost, show_cost
from ..runtime.outcome import Status
from ..workflows.solving import Solution
from .translation import Translation

NAME = "budge"
"""The name of the engine."""


def refused(*reasons: str) -> PlanGenerationResult:
    """The answer to a problem that is not read."""
    return without_plan(PlanGenerationResultStatus.UNSUPPORTED_PROBLEM, LogLevel.ERROR, reasons)


def failed(*reasons: str) -> PlanGenerationResult:
    """The answer if Budge has failed."""
    return without_plan(PlanGenerationResultStatus.INTERNAL_ERROR, LogLevel.ERROR, reasons)


def without_plan(status: PlanGenerationResultStatus, level: LogLevel, reasons: Iterable[str]) -> PlanGenerationResult:
    """An answer that is only a status, with its reasons."""
    return PlanGenerationResult(status, None, NAME, {}, [LogMessage(level, reason) for reason in reasons])


def intermediate(plan: SequentialPlan, cost: Cost, lower_bound: Cost | None, by: str) -> PlanGenerationResult:
    """A plan that may not be the last one."""
    metrics = _bounds(lower_bound, cost) | ({"engine": by} if by else {})
    return PlanGenerationResult(PlanGenerationResultStatus.INTERMEDIATE, plan, NAME, metrics, [])


def final(solution: Solution, translation: Translation) -> PlanGenerationResult:
    """The answer of a run that has ended."""
    outcome, plan = solution.outcome, solution.plan
    metrics = {
        **_bounds(outcome.lower_bound, outcome.upper_bound),
        **({"lower_bound_by": outcome.lower_bound_by} if outcome.lower_bound_by else {}),
        "engine": solution.engine,
        "seconds": f"{solution.seconds:.3f}",
        "engine_internal_time": f"{solution.seconds:.3f}",  # the library's own name for it
    }
    ended = (
        outcome.status.sentence if outcome.status is not Status.INTERRUPTED else "a plan: without a metric any will do"
    )
    messages = [LogMessage(LogLevel.INFO, f"{ended}; {solution.bounds}")]
    if outcome.lower_bound_by:
        messages.append(LogMessage(LogLevel.INFO, f"proven: {outcome.lower_bound_by}"))
    if outcome.stopped_by not in (None, "interrupted"):
        messages.append(LogMessage(LogLevel.WARNING, f"stopped by the {outcome.stopped_by}"))
    made = None if plan is None else translation.plan(plan)
    return PlanGenerationResult(_status(solution, translation), made, NAME, metrics, messages)


def _status(solution: Solution, translation: Translation) -> PlanGenerationResultStatus:
    """A plan is optimal only in a metric of the problem: without one, all plans are as good."""
    outcome = solution.outcome
    if outcome.status is Status.UNSOLVABLE:
        return PlanGenerationResultStatus.UNSOLVABLE_PROVEN
    if outcome.plan is not None:
        optimal = outcome.status is Status.OPTIMAL and translation.quality is not None
        status = PlanGenerationResultStatus
        return status.SOLVED_OPTIMALLY if optimal else status.SOLVED_SATISFICING
    return {
        "time limit": PlanGenerationResultStatus.TIMEOUT,
        "memory limit": PlanGenerationResultStatus.MEMOUT,
    }.get(outcome.stopped_by or "", PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY)


def _bounds(lower: Cost | None, upper: Cost | None) -> dict[str, str]:
    """The bounds that are known, as texts."""
    named = {"lower_bound": lower, "upper_bound": upper}
    return {name: show_cost(bound) for name, bound in named.items() if bound is not None}
