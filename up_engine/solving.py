"""Solving a problem of Unified Planning: its plans as they are found, and the answer at the end."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

from unified_planning.engines import LogLevel, LogMessage, PlanGenerationResult, PlanGenerationResultStatus
from unified_planning.exceptions import UPUsageError
from unified_planning.model import AbstractProblem, Problem

from ..models.errors import BudgeError, PuzzleError, ReplayError, UsageError
from ..models.plan import cost_in
from ..runtime.budget import Budget
from ..runtime.events import PlanFound, Progress, silent
from ..runtime.processes import UnguardedError
from ..views.progress import PlainLines
from ..workflows.solving import Solution
from ..workflows.streaming import Solving
from .answers import NAME, failed, final, intermediate, refused, without_plan
from .kinds import unsupported
from .translation import Translation, UnsupportedProblemError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to solve. `seconds`: the time limit; None for none. `memory`: MiB. `certificate`: the folder to which the
    certificate of a proven answer is written; None for none.
    """

    engine: str
    seconds: float | None
    memory: int | None
    certificate: str | None = None
    options: dict[str, Any] = field(default_factory=dict)


def answers(
    problem: AbstractProblem, settings: Settings, stream: TextIO | None = None, *, any_plan: bool = False
) -> Iterator[PlanGenerationResult]:
    """Every plan that is found, cheaper than those before it, and then the answer.

    With `any_plan` the first plan is the answer if the problem has no metric, unless a certificate is asked for. To
    leave the iterator ends the work.
    """
    until = None if settings.seconds is None else time.monotonic() + settings.seconds
    missing = unsupported(problem.kind)
    if missing or not isinstance(problem, Problem):
        yield refused(f"the problem has what is not read: {', '.join(missing) or type(problem).__name__}")
        return
    try:
        translation = Translation(problem)
    except (UnsupportedProblemError, PuzzleError) as error:
        yield refused(str(error))
        return
    left = None if until is None else until - time.monotonic()
    if left is not None and left <= 0:
        reason = "the time was over when the problem had been written as PDDL"
        yield without_plan(PlanGenerationResultStatus.TIMEOUT, LogLevel.WARNING, [reason])
        return
    first = any_plan and translation.quality is None and settings.certificate is None
    try:
        solution = yield from _solved(translation, replace(settings, seconds=left), stream, first)
        answer = final(solution, translation)
    except UnguardedError as error:
        raise UPUsageError(f"{NAME}: {error}") from None
    except UsageError as error:  # above all: too large to be grounded
        yield refused(str(error))
    except BudgeError as error:
        yield failed(str(error), *filter(None, [getattr(error, "details", "")]))
    else:
        yield _certified(answer, solution, settings, until)


def _solved(
    translation: Translation, settings: Settings, stream: TextIO | None, first: bool
) -> Generator[PlanGenerationResult, None, Solution]:
    """Solve in a process of its own; the plans are the items, the solution is the value. `first`: stop at a plan."""
    puzzle, metric = translation.puzzle, translation.metric
    budget, report = Budget(settings.seconds, settings.memory), _reporter(translation, stream)
    with Solving(puzzle, settings.engine, metric, budget, settings.options, warm_up=False) as run:
        for event in run:
            report(event)
            if isinstance(event, PlanFound):
                replay = puzzle.replay(event.plan)
                if not replay.solved:
                    raise ReplayError("a plan does not reach the goal")
                cost = cost_in(replay, metric)
                yield intermediate(translation.plan(event.plan), cost, run.known.lower_bound, event.engine)
                if first:
                    run.stop()
        return run.solution


def _reporter(translation: Translation, stream: TextIO | None) -> Progress:
    """What writes events as lines to the stream of the library, which may be a pair: for output, and for errors."""
    if stream is None:
        return silent
    out = stream[0] if isinstance(stream, tuple) else stream
    return PlainLines(out, translation.puzzle.metric(translation.metric))


def _certified(
    answer: PlanGenerationResult, solution: Solution, settings: Settings, until: float | None
) -> PlanGenerationResult:
    """The answer, with the folder of its certificate if one was asked for and could be written."""
    if settings.certificate is None or not solution.status.proven:
        return answer
    from ..api import certify

    left = None if until is None else max(1.0, until - time.monotonic())
    try:
        written = certify(solution, settings.certificate, time_limit=left, memory_limit=settings.memory)
    except UsageError as error:
        answer.log_messages.append(LogMessage(LogLevel.WARNING, f"no certificate: {error}"))
        return answer
    except BudgeError as error:  # the checker contradicts the answer
        return failed(str(error))
    answer.metrics["certificate"] = str(written.folder)
    answer.log_messages.append(LogMessage(LogLevel.INFO, f"certificate, checked: {written.verdict.shown}"))
    return answer
