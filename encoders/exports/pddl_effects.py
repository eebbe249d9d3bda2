"""Conditional effects -> PDDL: a domain and a problem for planners that know `:conditional-effects` (ADL).

A fact `(is VARIABLE VALUE)` for each value of each variable; exactly one is true of each variable. A case of an action
is an action:

    (:action right-1                                        row 1 of Loopover shifts to the right
      :precondition (and )
      :effect (and (when (and (is at-t5 r1c1)) (and (is at-t5 r1c2) (not (is at-t5 r1c1)))) ...

"One of these values" is `or` where these are few, and "none of the others" where those are fewer.
"""

from __future__ import annotations

from ...analysis.effects.conditional import Condition, ConditionalEffects
from .names import PddlEffectNames
from .pddl_text import PddlText, conjunction, weight


def effects_to_pddl(view: ConditionalEffects) -> tuple[str, str]:
    """The domain and the problem. Names are made from those of variables, values and actions."""
    return _EffectsWriter(view).write()


class _EffectsWriter:
    def __init__(self, view: ConditionalEffects) -> None:
        self.view, self.task = view, view.task
        self.names = PddlEffectNames.of(view)
        self.requirements = {":strips": None}

    def write(self) -> tuple[str, str]:
        names, view = self.names, self.view
        costs = [weight(deed.action.cost) for deed in view.actions]
        text = PddlText(
            name=names.domain,
            task=self.task.name,
            metric=self.task.metric,
            requirements=[],
            constants=names.constants,
            predicates="(is ?variable ?value)",
            goals=names.goals,
            with_costs=bool(names.goals) or any(cost != 1 for cost in costs),
        )
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
        return f"(is {self.names.variables[variable]} {self.names.values[variable][place]})"

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
