"""OperatorTask -> PDDL: a domain and a problem that any classical planner reads.

Grounded STRIPS: actions have no parameters, facts are `(is GROUP FACT)` where a group of one true fact has them to
itself (where an object is), and `(holds FACT)` elsewhere. So planners find those groups at once as invariants
(Helmert, *Concise finite-domain representations for PDDL planning tasks*, AIJ 2009); with a predicate for each fact
Fast Downward looked for them for 15 seconds on a Rush Hour board.

Walking, picking up and putting down are actions of their own (`analysis.transformed_tasks`). Costs are `:action-costs`
where they differ (International Planning Competition 2008).

A goal clause of several facts becomes one fact, which actions of cost 0 add, one for each fact of the clause; they
end the play, so that all clauses hold at once. (Planners turn disjunctive goals into axioms, which many of
their heuristics do not allow.) Of a cost with two components the first counts `FIRST_WEIGHT` times as much.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...analysis.conditional_effects import Condition, ConditionalEffects
from ...analysis.transformed_tasks import to_strips
from ...models.moves import Cost
from ...models.task import OperatorTask, Task
from .names import PddlNames

# PDDL as text: what the domains and problems of all tasks have in common.

# Weight of the first cost component: plans are ordered lexicographically while the second one is below this number.
FIRST_WEIGHT = 100_000


@dataclass(slots=True)
class PddlText:
    """A domain and its problem, as they are written action by action.

    A goal clause that is a disjunction becomes one fact, `(reached goal-1)`, which an action of cost 0 adds
    for each way to meet it. These end the play, so that all clauses hold at once.
    """

    name: str
    task: str
    metric: Sequence[str]
    requirements: Sequence[str]
    constants: Sequence[str]
    predicates: str
    goals: Sequence[str]
    with_costs: bool
    actions: list[str] = field(default_factory=list)

    @property
    def reached(self) -> list[str]:
        """The facts that say that a clause is met."""
        return [f"(reached {goal})" for goal in self.goals]

    @property
    def playing(self) -> list[str]:
        """The condition of all actions of the puzzle."""
        return ["(playing)"] if self.goals else []

    def action(self, name: str, conditions: Sequence[str], effects: Sequence[str], cost: int) -> None:
        """Write an action of the puzzle."""
        self._action(name, [*conditions, *self.playing], effects, cost)

    def meet(self, name: str, conditions: Sequence[str], goal: str) -> None:
        """Write an action that meets a goal clause."""
        self._action(name, conditions, [f"(reached {goal})", "(not (playing))"], 0)

    def _action(self, name: str, conditions: Sequence[str], effects: Sequence[str], cost: int) -> None:
        if self.with_costs:
            effects = [*effects, f"(increase (total-cost) {cost})"]
        self.actions += [
            f"  (:action {name}",
            "    :parameters ()",
            f"    :precondition {conjunction(conditions)}",
            f"    :effect {conjunction(effects)}",
            "  )",
        ]

    def domain(self) -> str:
        lines = [
            f"; {self.task}: domain written by Budge. Metric: {', then '.join(self.metric)}.",
            f"(define (domain {self.name})",
            f"  (:requirements {' '.join([*self.requirements, *([':action-costs'] if self.with_costs else [])])})",
            "  (:constants",
            *(f"    {constant}" for constant in (*self.constants, *self.goals)),
            "  )",
            f"  (:predicates {self.predicates}" + (" (playing) (reached ?goal))" if self.goals else ")"),
        ]
        if self.with_costs:
            lines.append("  (:functions (total-cost) - number)")
        return "\n".join([*lines, *self.actions, ")\n"])

    def problem(self, init: Iterable[str], wanted: Iterable[str]) -> str:
        """The problem; `wanted`: the facts of the goal beside those of `goals`."""
        lines = [
            f"; {self.task}: problem written by Budge.",
            f"(define (problem {self.name}-problem)",
            f"  (:domain {self.name})",
            "  (:init",
            *(f"    {atom}" for atom in [*init, *self.playing]),
            *(["    (= (total-cost) 0)"] if self.with_costs else []),
            "  )",
            f"  (:goal {conjunction([*wanted, *self.reached])})",
            *(["  (:metric minimize (total-cost))"] if self.with_costs else []),
            ")\n",
        ]
        return "\n".join(lines)


def weight(cost: Cost) -> int:
    """A cost as one number that orders as its components do, the first before the second."""
    total = 0
    for part in cost:
        total = total * FIRST_WEIGHT + part
    return total


def conjunction(parts: Iterable[str]) -> str:
    return f"(and {' '.join(parts)})"


def _begun(task: Task, names: PddlNames, predicates: str, costs: Sequence[int]) -> PddlText:
    """The text of a task without its actions. Costs are written if they differ from 1, or if clauses are met for 0."""
    return PddlText(
        name=names.domain,
        task=task.name,
        metric=task.metric,
        requirements=[":strips"],
        constants=names.constants,
        predicates=predicates,
        goals=names.goals,
        with_costs=bool(names.goals) or any(cost != 1 for cost in costs),
    )


def to_pddl(task: OperatorTask) -> tuple[str, str]:
    """The domain and the problem. Names are made from those of facts and operators."""
    task = to_strips(task)
    names = PddlNames.of(task)
    atoms = [f"({atom})" for atom in names.atoms[0]]
    costs = [weight(op.cost) for op in task.operators]
    text = _begun(task, names, "(is ?group ?fact) (holds ?fact)", costs)
    for (action,), op, cost in zip(names.cases, task.operators, costs, strict=True):
        effects = [atoms[f] for f in op.add] + [f"(not {atoms[f]})" for f in op.delete]
        text.action(action, [atoms[f] for f in op.pre], effects, cost)
    for clause, ways, goal in zip(names.clauses, names.ways, names.goals, strict=True):
        for f, action in zip(clause, ways, strict=True):
            text.meet(action, [atoms[f]], goal)
    wanted = [atoms[clause[0]] for clause in task.goal if len(clause) == 1]
    return text.domain(), text.problem([atoms[f] for f in task.init], wanted)


# Conditional effects -> PDDL: a domain and a problem for planners that know `:conditional-effects` (ADL).
#
# A fact `(is VARIABLE VALUE)` for each value of each variable; exactly one is true of each variable. A case of an
# action is an action:
#
#     (:action right-1                                        row 1 of Loopover shifts to the right
#       :precondition (and )
#       :effect (and (when (and (is at-t5 r1c1)) (and (is at-t5 r1c2) (not (is at-t5 r1c1)))) ...
#
# "One of these values" is `or` where these are few, and "none of the others" where those are fewer.


def effects_to_pddl(view: ConditionalEffects) -> tuple[str, str]:
    """The domain and the problem. Names are made from those of variables, values and actions."""
    return _EffectsWriter(view).write()


class _EffectsWriter:
    def __init__(self, view: ConditionalEffects) -> None:
        self.view, self.task = view, view.task
        self.names = PddlNames.of_effects(view)
        self.requirements = {":strips": None}

    def write(self) -> tuple[str, str]:
        names, view = self.names, self.view
        costs = [weight(deed.action.cost) for deed in view.actions]
        text = _begun(self.task, names, "(is ?variable ?value)", costs)
        for deed, actions, cost in zip(view.actions, names.cases, costs, strict=True):
            for case, name in zip(deed.cases, actions, strict=True):
                effects: list[str] = []
                for effect in case.effects:
                    what = [self._atom(*gain) for gain in effect.gains]
                    what += [f"(not {self._atom(*loss)})" for loss in effect.losses]
                    effects += [self._when(effect.condition, what)] if effect.condition else what
                text.action(name, self._literals(case.condition), effects, cost)
        for clause, ways, goal in zip(names.clauses, names.ways, names.goals, strict=True):
            for condition, name in zip(clause, ways, strict=True):
                text.meet(name, self._literals(condition), goal)
        certain = [clause[0] for clause in view.goal if clause not in names.clauses]
        wanted = [literal for condition in certain for literal in self._literals(condition)]
        text.requirements = list(self.requirements)
        init = [
            self._atom(number, variable.values.index(value))
            for number, (variable, value) in enumerate(zip(self.task.variables, self.task.init, strict=True))
        ]
        return text.domain(), text.problem(init, wanted)

    def _atom(self, variable: int, place: int) -> str:
        return f"({self.names.atoms[variable][place]})"

    def _when(self, condition: Condition, effects: list[str]) -> str:
        self.requirements[":conditional-effects"] = None
        return f"(when {conjunction(self._literals(condition))} {conjunction(effects)})"

    def _literals(self, condition: Condition) -> list[str]:
        """A condition as a conjunction."""
        literals = []
        for variable, places in condition:
            others = [place for place in range(len(self.task.variables[variable].values)) if place not in places]
            if len(places) == 1:
                literals.append(self._atom(variable, *places))
            elif len(places) <= len(others):
                self.requirements[":disjunctive-preconditions"] = None
                literals.append(f"(or {' '.join(self._atom(variable, place) for place in sorted(places))})")
            else:
                self.requirements[":negative-preconditions"] = None
                literals += [f"(not {self._atom(variable, place)})" for place in others]
        return literals
