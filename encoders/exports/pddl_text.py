"""PDDL as text: what the domains and problems of all tasks have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...models.moves import Cost

FIRST_WEIGHT = 100_000
"""Weight of the first cost component: plans are ordered lexicographically while the second one is below this number."""


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
