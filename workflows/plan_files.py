"""Plans from text, whoever wrote it: in the family's notation, as JSON of Budge, or by an outside planner or solver."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

from ..analysis.conditional_effects import ConditionalEffects, conditional_effects
from ..encoders.exports.dimacs import VariableMap, read_variable_map
from ..encoders.exports.outside_plans import (
    NamedPlan,
    is_model,
    is_of_actions,
    plan_of_actions,
    plan_of_cases,
    plan_of_model,
)
from ..models.errors import GroundingError, ReplayError, UnreadableError
from ..models.puzzle import Puzzle
from ..models.task import OperatorTask
from .solving import for_planners, metric_of, operators_of


def plan_text(text: str) -> str:
    """The family's notation in a text: the `plan` of Budge's JSON (of JSON lines the last), a JSON list, or the text.

    Raises `UnreadableError` for JSON that holds no plan.
    """
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        values = [json.loads(text)]
    except (ValueError, RecursionError):
        try:
            values = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError) as error:
            raise UnreadableError(f"the plan looks like JSON, but is not: {error}") from None
    plans = [value.get("plan") if isinstance(value, dict) else value for value in values]
    plan = next((plan for plan in reversed(plans) if plan is not None), None)
    if isinstance(plan, str):
        return plan
    if not isinstance(plan, list) or not all(isinstance(word, str) for word in plan):
        raise UnreadableError(
            "this JSON holds no plan; it needs a list of steps under `plan`, as in `budge solve --json`"
        )
    return " ".join(plan)


def read_plan(puzzle: Puzzle, text: str, metric: str, variables: VariableMap | None = None) -> NamedPlan:
    """The plan that a text holds, in the form that it shows.

    Actions of a planner are looked up in the export of `metric`, else in those of the other metrics; `variables` say
    what a SAT solver's model means. Raises `ReplayError` for a text that is no plan of the puzzle, and
    `UnreadableError` where it cannot be read, or not without more.
    """
    if is_model(text):
        if variables is None:
            raise UnreadableError(
                "the model of a SAT solver needs the map of its variables, FILE.cnf.map.json, which "
                "`budge export --to dimacs --out FILE.cnf` writes: name it with --map"
            )
        task = operators_of(puzzle, metric_of(puzzle, variables.metric), "the model of a SAT solver")
        return plan_of_model(task, text, variables)
    if is_of_actions(text):
        return _actions(puzzle, text, metric)
    text = plan_text(text)
    return NamedPlan(puzzle.parse_plan(text), tuple(text.replace(",", " ").split()))


def _actions(puzzle: Puzzle, text: str, metric: str) -> NamedPlan:
    """A planner's plan as moves: in the first metric whose exported task has all its actions, beginning with
    `metric`; as conditional effects where the export has these, else as operators.
    """
    wrong: ReplayError | None = None
    for name in dict.fromkeys((metric, *puzzle.metrics)):
        for read in _exported(puzzle, name):
            try:
                return plan_of_actions(read, text) if isinstance(read, OperatorTask) else plan_of_cases(read, text)
            except ReplayError as error:
                wrong = wrong or error
    assert wrong is not None
    raise wrong


def _exported(puzzle: Puzzle, metric: str) -> Iterator[OperatorTask | ConditionalEffects]:
    """The forms in which a task is exported: as `budge export` has it, and as operators where they can be
    enumerated.
    """
    first = for_planners(puzzle, metric, "the plan of a planner", conditional_effects)
    yield first
    if not isinstance(first, OperatorTask):
        with contextlib.suppress(GroundingError):
            yield puzzle.task(metric)


__all__ = ["NamedPlan", "VariableMap", "is_model", "plan_text", "read_plan", "read_variable_map"]
