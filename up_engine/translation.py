"""A problem of Unified Planning as a PDDL puzzle, and plans in both directions.

The library's `PDDLWriter` writes the two texts and keeps which name stands for what. What it writes wrongly, or not at
all, is put into another form before, in a copy of the problem:

    goals `true`, `false`                   none, and a fluent that no action makes true
    value `not true`, which it writes true  `false`
    action with a cost and without effects  one that makes a fluent false which is false anyway: else its cost is lost
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any

from unified_planning.exceptions import UPException
from unified_planning.io import PDDLWriter
from unified_planning.model import AbstractProblem, Fluent, InstantaneousAction, Problem, ProblemKind
from unified_planning.model.fluent import get_all_fluent_exp
from unified_planning.model.metrics import MinimizeActionCosts
from unified_planning.plans import ActionInstance, SequentialPlan

from ..models.documents.fields import Header
from ..models.errors import PuzzleError
from ..models.families import find_family
from ..models.families.custom.puzzle import Act
from ..models.families.pddl.problem import Pddl
from ..models.families.pddl.reading import read_pddl
from ..models.plan import Plan
from ..models.puzzle import Puzzle

# Which kinds of problems of Unified Planning are read: those that Budge's PDDL can say, and no others.

VERSION = 2
"""The version of the library's kinds in which `FEATURES` are meant: the library translates to its own version."""

FEATURES = (
    "ACTION_BASED",
    "FLAT_TYPING",
    "HIERARCHICAL_TYPING",
    "NEGATIVE_CONDITIONS",
    "DISJUNCTIVE_CONDITIONS",
    "EQUALITIES",
    "EXISTENTIAL_CONDITIONS",
    "UNIVERSAL_CONDITIONS",
    "CONDITIONAL_EFFECTS",
    "FORALL_EFFECTS",
    # `x := y and z`: the writer makes it two conditional effects.
    "STATIC_FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "FLUENTS_IN_BOOLEAN_ASSIGNMENTS",
    "PLAN_LENGTH",
    "ACTIONS_COST",
    "INT_NUMBERS_IN_ACTIONS_COST",
    # Numbers that are read from PDDL are real to the library, also whole ones. Others are refused by their values.
    "REAL_NUMBERS_IN_ACTIONS_COST",
    "STATIC_FLUENTS_IN_ACTIONS_COST",
    # Of numeric fluents only those in costs remain, as the others have a feature of their own, INT_FLUENTS or
    # REAL_FLUENTS. Those in costs may be bounded, and have no value for objects that no action can take.
    "BOUNDED_TYPES",
    "UNDEFINED_INITIAL_NUMERIC",
)
"""Every feature that a problem may have. A new feature of the library is unknown here, and refused."""


def supported_kind() -> ProblemKind:
    """The kind that has every feature of `FEATURES`."""
    return ProblemKind(FEATURES, version=VERSION)


def unsupported(kind: ProblemKind) -> list[str]:
    """The features of a kind that are not read, in order; none if it is supported."""
    supported = supported_kind()
    if kind <= supported:
        return []
    return sorted(feature for feature in kind.features if not ProblemKind([feature], version=kind.version) <= supported)


FAMILY = "pddl"

RESERVED = frozenset(("total-cost", "assign", "decrease", "change", "oneof", "probabilistic", "preference"))
"""Words with a meaning of their own in Budge's PDDL that the writer would let stand as names."""


class UnsupportedProblemError(Exception):
    """A problem of a supported kind that cannot be read all the same: why, and what its author can do."""


class Translation:
    """A problem, the puzzle that it has become, and the names of the one in the other.

    `puzzle` and `metric` (`cost` or `actions`) are what engines of Budge are asked for. Raises
    `UnsupportedProblemError`, also for what Budge's reader refuses.
    """

    def __init__(self, problem: AbstractProblem) -> None:
        missing = unsupported(problem.kind)
        if missing or not isinstance(problem, Problem):
            what = ", ".join(missing) or type(problem).__name__
            raise UnsupportedProblemError(f"the problem has what is not read: {what}")
        self.problem = problem
        if len(problem.quality_metrics) > 1:
            raise UnsupportedProblemError("the problem has more than one quality metric; leave one")
        self.quality = problem.quality_metrics[0] if problem.quality_metrics else None
        """The metric of the problem; None if any plan will do."""
        self.metric = "cost" if self.quality is not None and self.quality.is_minimize_action_costs() else "actions"
        if self.metric == "cost":
            _check_costs(problem)
        try:
            self._written, self._writer = _written(problem)
            # The first time, the writer finds out which objects stand in costs; the second time, it declares them.
            self._writer.get_domain()
            domain, task = self._writer.get_domain(), self._writer.get_problem()
            _check_types(problem, self._writer)
        except (UPException, NotImplementedError) as error:
            raise UnsupportedProblemError(f"the problem cannot be written as PDDL: {error}") from None
        try:
            self.value: Pddl = read_pddl(domain, "domain.pddl", task, "problem.pddl")
        except PuzzleError as error:
            raise UnsupportedProblemError(str(error)) from None
        header = Header(file="problem.pddl", name=problem.name or "problem", metric=self.metric)
        self.puzzle = Puzzle(find_family(FAMILY), header, self.value, self.value.metrics)

    @cached_property
    def _objects(self) -> dict[str, Any]:
        """The objects of the problem, as the parameters of an action, by their names in PDDL."""
        manager = self.problem.environment.expression_manager
        return {name: manager.ObjectExp(self._writer.get_item_named(name)) for name in self.value.objects}

    def plan(self, plan: Plan) -> SequentialPlan:
        """A plan of Budge as one of the problem."""
        instances = []
        for act in plan.moves:
            assert isinstance(act, Act)
            action = self.problem.action(self._writer.get_item_named(act.action).name)
            instances.append(ActionInstance(action, tuple(self._objects[name] for name in act.args)))
        return SequentialPlan(instances, self.problem.environment)

    def act(self, instance: ActionInstance) -> Act | None:
        """An action of a plan of the problem as PDDL names it; None for one that the problem does not have, or that
        is never possible, which the writer leaves out.
        """
        try:
            if self.problem.action(instance.action.name) != instance.action:
                return None
            name = self._writer.get_pddl_name(self._written.action(instance.action.name))
            args = [self._writer.get_pddl_name(parameter.object()) for parameter in instance.actual_parameters]
        except (UPException, AssertionError):
            return None
        return Act(name, tuple(args))


def _written(problem: Problem) -> tuple[Problem, PDDLWriter]:
    """A copy of a problem that the writer writes as it is meant, and the writer of the copy."""
    copy = problem.clone()
    never = Fluent(_fresh(problem, "never"), environment=problem.environment)
    goals = [goal.simplify() for goal in copy.goals]
    idle = [action for action in copy.actions if not action.effects]
    if idle or any(goal.is_false() for goal in goals):
        copy.add_fluent(never, default_initial_value=False)
    copy.clear_goals()
    for goal in goals:
        copy.add_goal(never if goal.is_false() else goal)  # those that are true are not added
    for action in copy.actions:
        assert isinstance(action, InstantaneousAction)
        for effect in action.effects:
            effect.set_value(effect.value.simplify())
    for action in idle:
        action.add_effect(never, False)
    for metric in problem.quality_metrics:
        if metric.is_minimize_action_costs():  # it knows the actions by what they were
            copy.clear_quality_metrics()
            costs = {copy.action(action.name): metric.get_action_cost(action) for action in problem.actions}
            copy.add_quality_metric(MinimizeActionCosts(costs, environment=problem.environment))
    writer = PDDLWriter(copy, rewrite_bool_assignments=True)
    writer.pddl_keywords = writer.pddl_keywords | RESERVED
    return copy, writer


def _fresh(problem: Problem, name: str) -> str:
    """A name that nothing in a problem has."""
    while problem.has_name(name):
        name += "_"
    return name


def _check_costs(problem: Problem) -> None:
    """Raise `UnsupportedProblemError` for an action without a cost, and for numbers in costs that are negative or no
    whole numbers.
    """
    (metric,) = problem.quality_metrics
    functions = set()
    finder = problem.environment.free_vars_extractor
    for action in problem.actions:
        cost = metric.get_action_cost(action)
        if cost is None:
            raise UnsupportedProblemError(
                f"the action `{action.name}` has no cost; give it one, or the metric a default"
            )
        cost = cost.simplify()
        if cost.is_constant():
            _check_number(cost.constant_value(), f"the cost of `{action.name}`")
        functions |= {expression.fluent() for expression in finder.get(cost)}
    for function in functions:
        for expression in get_all_fluent_exp(problem, function):
            value = problem.initial_value(expression)
            if value is not None:
                _check_number(value.constant_value(), f"`{expression}`, a number in costs,")


def _check_number(value: Any, what: str) -> None:
    number = Fraction(value)
    if number < 0:
        raise UnsupportedProblemError(f"{what} is {number}, and costs cannot be negative")
    if number.denominator != 1:
        raise UnsupportedProblemError(
            f"{what} is {number}, and costs are whole numbers; multiply all costs by the same number"
        )


def _check_types(problem: Problem, writer: PDDLWriter) -> None:
    """Raise `UnsupportedProblemError` for a type that PDDL would take for that of all objects, and the problem not."""
    if problem.kind.has_hierarchical_typing() or len(problem.user_types) < 2:
        return
    for kind in problem.user_types:
        if writer.get_pddl_name(kind) == "object":
            raise UnsupportedProblemError(f"the type `{kind}` has the name that PDDL gives to all objects; rename it")
