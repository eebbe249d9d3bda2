"""The engine of Unified Planning: solving, what its answers are called there, one class for its three operation modes,
and the judging of plans.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

from unified_planning.engines import (
    AnytimeGuarantee,
    Credits,
    Engine,
    FailedValidationReason,
    LogLevel,
    LogMessage,
    OptimalityGuarantee,
    PlanGenerationResult,
    PlanGenerationResultStatus,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.engines.mixins import AnytimePlannerMixin, OneshotPlannerMixin, PlanValidatorMixin
from unified_planning.exceptions import UPUsageError
from unified_planning.model import AbstractProblem, ProblemKind
from unified_planning.plans import ActionInstance, Plan, PlanKind, SequentialPlan

from ..engines.table import DEFAULT_ENGINE, find
from ..models.errors import BudgeError, ReplayError, UsageError
from ..models.moves import Cost, show_cost
from ..models.plan import Plan as Moves
from ..models.plan import cost_in
from ..runtime.budget import DEFAULT_MEMORY_LIMIT, Budget, mebibytes, seconds
from ..runtime.events import PlanFound, Progress, silent
from ..runtime.outcome import Status
from ..runtime.processes import UnguardedError
from ..views.progress import PlainLines
from ..workflows.jobs import Solving
from ..workflows.solving import Solution
from .translation import Translation, UnsupportedProblemError, supported_kind, unsupported

# Solving a problem of Unified Planning: its plans as they are found, and the answer at the end.


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
    try:
        translation = Translation(problem)
    except UnsupportedProblemError as error:
        yield refused(str(error))
        return
    rest = None if until is None else until - time.monotonic()
    if rest is not None and rest <= 0:
        reason = "the time was over when the problem had been written as PDDL"
        yield without_plan(PlanGenerationResultStatus.TIMEOUT, LogLevel.WARNING, [reason])
        return
    first = any_plan and translation.quality is None and settings.certificate is None
    try:
        solution = yield from _solved(translation, replace(settings, seconds=rest), stream, first)
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

    rest = None if until is None else max(1.0, until - time.monotonic())
    try:
        written = certify(solution, settings.certificate, time_limit=rest, memory_limit=settings.memory)
    except UsageError as error:
        answer.log_messages.append(LogMessage(LogLevel.WARNING, f"no certificate: {error}"))
        return answer
    except BudgeError as error:  # the checker contradicts the answer
        return failed(str(error))
    answer.metrics["certificate"] = str(written.folder)
    answer.log_messages.append(LogMessage(LogLevel.INFO, f"certificate, checked: {written.verdict.shown}"))
    return answer


# What Budge's answers are called in Unified Planning: statuses, metrics and messages of results.

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


class BudgePlanner(Engine, OneshotPlannerMixin, AnytimePlannerMixin, PlanValidatorMixin):  # type: ignore[misc]
    """Optimal planner, anytime planner and plan validator for classical problems.

    up.OneshotPlanner(name="budge", params={"engine": "astar", "timeout": "2m", "certificate": "proof"})
    """

    def __init__(
        self,
        engine: str = DEFAULT_ENGINE,
        timeout: float | str | None = None,
        memory_limit: float | str | None = DEFAULT_MEMORY_LIMIT,
        certificate: str | None = None,
        **options: Any,
    ) -> None:
        """`engine`: one of Budge (docs/engines.md), and its `options`. `timeout`: seconds, for calls that name none.
        `memory_limit` in MiB. `certificate`: a folder for the certificate of an answer that is proven.

        Raises `UPUsageError` for what does not exist or is of the wrong type.
        """
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        try:
            self._promises = find(engine).promises_optimum
            self._settings = Settings(
                engine=engine,
                seconds=None if timeout is None else seconds(timeout),
                memory=None if memory_limit is None else mebibytes(memory_limit),
                certificate=certificate,
                options=find(engine).checked(options),
            )
        except (UsageError, ValueError, TypeError) as error:
            raise UPUsageError(f"budge: {error}") from None

    @property
    def name(self) -> str:
        return NAME

    @staticmethod
    def supported_kind() -> ProblemKind:
        """Every feature that is read."""
        return supported_kind()

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Whether all features of a kind are read."""
        return not unsupported(problem_kind)

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Whether plans of a kind are judged: those that are sequences."""
        return plan_kind is PlanKind.SEQUENTIAL_PLAN

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Whether plans have a guarantee. They are optimal, and so as good as any guarantee asks for."""
        return optimality_guarantee in (OptimalityGuarantee.SOLVED_OPTIMALLY, OptimalityGuarantee.SATISFICING)

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Whether plans of `get_solutions` have a guarantee: each is cheaper than those before."""
        return anytime_guarantee is AnytimeGuarantee.INCREASING_QUALITY

    @staticmethod
    def get_credits(**_params: Any) -> Credits:
        """What the library prints when the engine is used."""
        return Credits(
            name="Budge",
            author="The Budge authors",
            contact="",
            website="",
            license="MIT",
            short_description="Plans proven optimal, by search and CP-SAT, with certificates.",
            long_description="Plans proven optimal, by search and CP-SAT side by side, each replayed by the rules of "
            "PDDL; on demand with certificates that a small program checks without Budge's engines.",
        )

    # Planning

    def _solve(self, problem: AbstractProblem, *asked: Any, **named: Any) -> PlanGenerationResult:
        return self._solve_with_params(problem, *asked, **named)

    def _solve_with_params(
        self,
        problem: AbstractProblem,
        heuristic: Callable[[Any], float | None] | None = None,
        timeout: float | None = None,
        output_stream: TextIO | None = None,
        warm_start_plan: Plan | None = None,
        **params: Any,
    ) -> PlanGenerationResult:
        self._ignores(heuristic=heuristic, warm_start_plan=warm_start_plan, **params)
        settings = self._within(timeout, self.optimality_metric_required)
        *_, answer = answers(problem, settings, output_stream, any_plan=True)
        return answer

    def _get_solutions(self, problem: AbstractProblem, *asked: Any, **named: Any) -> Iterator[PlanGenerationResult]:
        return self._get_solutions_with_params(problem, *asked, **named)

    def _get_solutions_with_params(
        self,
        problem: AbstractProblem,
        timeout: float | None = None,
        output_stream: TextIO | None = None,
        warm_start_plan: Plan | None = None,
        **params: Any,
    ) -> Iterator[PlanGenerationResult]:
        self._ignores(warm_start_plan=warm_start_plan, **params)
        return answers(problem, self._within(timeout), output_stream)

    def _within(self, timeout: float | None, optimal: bool = False) -> Settings:
        """The settings of a call. Raises `UPUsageError` for a time limit that is none, and if the plan must be
        optimal, and the engine does not promise that.
        """
        if optimal and not self._promises:
            raise UPUsageError(f"budge: the engine `{self._settings.engine}` does not promise an optimal plan")
        try:
            return self._settings if timeout is None else replace(self._settings, seconds=seconds(timeout))
        except (ValueError, TypeError) as error:
            raise UPUsageError(f"budge: `timeout` {error}") from None

    @staticmethod
    def _ignores(**given: Any) -> None:
        """Warn of what was given and is not used."""
        for name in (name for name, value in given.items() if value is not None):
            warnings.warn(f"budge makes no use of `{name}`", stacklevel=5)

    # Validating

    def _validate(self, problem: AbstractProblem, plan: Plan) -> ValidationResult:
        return validated(problem, plan)


# Judging a plan of Unified Planning by Budge's rules of PDDL, an interpreter apart from grounding and engines.


def validated(problem: AbstractProblem, plan: Plan) -> ValidationResult:
    """Whether a plan is one, and what it is in the problem's metric; or the action that is not possible, and why.

    What cannot be read, of problem or plan, is `UNKNOWN`.
    """
    if not isinstance(plan, SequentialPlan):
        return _unknown(f"plans are judged that are sequences of actions, and this is a {type(plan).__name__}")
    try:
        translation = Translation(problem)
    except UnsupportedProblemError as error:
        return _unknown(str(error))
    acts = list(map(translation.act, plan.actions))
    # A mistake before the first action that the problem does not have is the first mistake.
    number = acts.index(None) if None in acts else len(acts)
    try:
        replay = translation.puzzle.replay(Moves(tuple(act for act in acts[:number] if act)))
    except ReplayError as error:
        wrong = (error.move_number or 1) - 1
        return _inapplicable(wrong, plan.actions[wrong], error.reason)
    if number < len(acts):
        return _inapplicable(number, plan.actions[number], "no such action is ever possible in this problem")
    if not replay.solved:
        message = "the plan ends where the goal does not hold"
        return ValidationResult(
            ValidationResultStatus.INVALID, NAME, _said(message), reason=FailedValidationReason.UNSATISFIED_GOALS
        )
    values = None if translation.quality is None else {translation.quality: replay.costs[translation.metric]}
    return ValidationResult(ValidationResultStatus.VALID, NAME, [], metric_evaluations=values)


def _inapplicable(number: int, instance: ActionInstance, why: str) -> ValidationResult:
    return ValidationResult(
        ValidationResultStatus.INVALID,
        NAME,
        _said(f"action {number + 1}, `{instance}`: {why}"),
        reason=FailedValidationReason.INAPPLICABLE_ACTION,
        inapplicable_action=instance,
    )


def _unknown(why: str) -> ValidationResult:
    return ValidationResult(ValidationResultStatus.UNKNOWN, NAME, [LogMessage(LogLevel.ERROR, why)])


def _said(message: str) -> list[LogMessage]:
    return [LogMessage(LogLevel.INFO, message)]
