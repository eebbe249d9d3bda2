"""Judging a plan of Unified Planning by Budge's rules of PDDL, an interpreter apart from grounding and engines."""

from __future__ import annotations

from unified_planning.engines import (
    FailedValidationReason,
    LogLevel,
    LogMessage,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.model import AbstractProblem, Problem
from unified_planning.plans import ActionInstance, Plan, SequentialPlan

from ..models.errors import PuzzleError, ReplayError
from ..models.plan import Plan as Moves
from .answers import NAME
from .kinds import unsupported
from .translation import Translation, UnsupportedProblemError


def validated(problem: AbstractProblem, plan: Plan) -> ValidationResult:
    """Whether a plan is one, and what it is in the problem's metric; or the action that is not possible, and why.

    What cannot be read, of problem or plan, is `UNKNOWN`.
    """
    missing = unsupported(problem.kind)
    if missing or not isinstance(problem, Problem):
        return _unknown(f"the problem has what is not read: {', '.join(missing) or type(problem).__name__}")
    if not isinstance(plan, SequentialPlan):
        return _unknown(f"plans are judged that are sequences of actions, and this is a {type(plan).__name__}")
    try:
        translation = Translation(problem)
    except (UnsupportedProblemError, PuzzleError) as error:
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
