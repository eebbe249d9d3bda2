"""Random small problems of Unified Planning, and the least cost of their plans by that library's own simulator."""

from __future__ import annotations

import heapq
import itertools
import random
from fractions import Fraction
from typing import Any

from unified_planning.engines import UPSequentialSimulator
from unified_planning.environment import get_environment
from unified_planning.exceptions import UPInvalidActionError
from unified_planning.model import Fluent, InstantaneousAction, Object, Problem, Variable
from unified_planning.model.metrics import MinimizeActionCosts, MinimizeSequentialPlanLength

MOST_STATES = 400


class RandomProblem:
    """Makes one problem: every feature that is read, in any combination, under names that PDDL cannot have.

    Several things have the same name: the environment's `error_used_name` must be off.
    """

    def __init__(self, seed: int) -> None:
        self.random, self.env = random.Random(seed), get_environment()
        self.em, types = self.env.expression_manager, self.env.type_manager
        self.place, self.thing = types.UserType("Place"), types.UserType("thing")
        self.heavy = types.UserType("Heavy Thing", self.thing) if seed % 2 else None
        self.kinds = [kind for kind in (self.place, self.thing, self.heavy) if kind]
        self.fresh = itertools.count()
        self.problem = Problem(self.random.choice([None, "a problem", "x"]), self.env)
        signatures: dict[str, dict[str, Any]] = {
            "Ready": {},
            "lit": {"x": self.thing},
            "at": {"x": self.thing, "p": self.place},
            "near": {"p": self.place, "q": self.place},
        }
        self.fluents = {
            name: Fluent(name, types.BoolType(), environment=self.env, **signature)
            for name, signature in signatures.items()
        }
        for name, fluent in self.fluents.items():
            self.problem.add_fluent(fluent, default_initial_value=name == "near" or self.random.random() < 0.2)
        number = self.random.choice([types.IntType(), types.RealType(), types.IntType(0, 9)])
        self.price = Fluent("total-cost", number, environment=self.env, p=self.place)
        self.problem.add_fluent(self.price, default_initial_value=1)
        names = [("a b", self.place), ("A-B", self.place), ("and", self.thing), ("object", self.heavy)]
        self.objects = [Object(name, kind, self.env) for name, kind in names if kind]
        self.problem.add_objects(self.objects)
        for one in self.objects:
            if one.type is self.place:
                self.problem.set_initial_value(self.price(one), self.random.randint(0, 3))
            elif self.random.random() < 0.4:
                self.problem.set_initial_value(self.fluents["lit"](one), self.random.random() < 0.5)

    def term(self, kind: Any, names: list[tuple[Any, Any]]) -> Any:
        """An object or a variable of a type."""
        known = [(self.em.ObjectExp(one), one.type) for one in self.objects] + names * 3
        return self.random.choice([term for term, own in known if own is kind or own.father is kind])

    def atom(self, names: list[tuple[Any, Any]], most: int = 4) -> Any:
        fluent = [*self.fluents.values()][self.random.randrange(most)]
        return fluent(*[self.term(parameter.type, names) for parameter in fluent.signature])

    def condition(self, names: list[tuple[Any, Any]], depth: int) -> Any:
        em, kind = self.em, self.random.random()
        if depth == 0 or kind < 0.35:
            atom = self.atom(names)
            return em.Not(atom) if self.random.random() < 0.4 else atom
        if kind < 0.72:
            made = self.random.choice([em.And, em.And, em.Or, em.Or, em.Implies, em.Iff])
            return made(self.condition(names, depth - 1), self.condition(names, depth - 1))
        if kind < 0.78:
            return em.Equals(self.term(self.place, names), self.term(self.place, names))
        if kind < 0.8:
            return self.random.choice([em.TRUE(), em.FALSE()])
        of = self.random.choice(self.kinds)
        variable = Variable(self.random.choice(["x", "p", f"v{next(self.fresh)}"]), of, self.env)
        made = self.random.choice([em.Exists, em.Forall])
        return made(self.condition([*names, (em.VariableExp(variable), of)], depth - 1), variable)

    def action(self, number: int) -> InstantaneousAction:
        kinds = {f"x{n}": self.random.choice(self.kinds) for n in range(self.random.randint(0, 2))}
        name = self.random.choice(["Go", "go", "and", "move it", "at"]) + "_" * number
        action = InstantaneousAction(name, _env=self.env, **kinds)
        names = [(self.em.ParameterExp(one), one.type) for one in action.parameters]
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            action.add_precondition(self.condition(names, 2))
        for _ in range(self.random.randint(0, 3)):
            bound, forall = names, []
            if self.random.random() < 0.25:
                of = self.random.choice([self.place, self.thing])
                forall = [Variable(f"w{next(self.fresh)}", of, self.env)]
                bound = [*names, (self.em.VariableExp(forall[0]), of)]
            kind = self.random.random()
            value = kind < 0.45 or (False if kind < 0.75 else self.condition(bound, 1))
            when = self.condition(bound, 1) if self.random.random() < 0.4 else True
            action.add_effect(self.atom(bound, 3), value, when, forall=forall)
        return action

    def made(self) -> Problem:
        """The problem: most often with a goal that a few changes make true."""
        for number in range(self.random.randint(2, 5)):
            self.problem.add_action(self.action(number))
        for _ in range(self.random.randint(1, 2)):
            atom = self.atom([], 3)
            wanted = self.em.Not(atom) if self.problem.initial_value(atom).is_true() else atom
            self.problem.add_goal(self.condition([], 2) if self.random.random() < 0.25 else wanted)
        kind = self.random.random()
        if kind < 0.3:
            self.problem.add_quality_metric(MinimizeSequentialPlanLength(self.env))
        elif kind < 0.85:
            costs = {action: self.cost(action) for action in self.problem.actions if self.random.random() < 0.9}
            self.problem.add_quality_metric(MinimizeActionCosts(costs, 2, self.env))
        return self.problem

    def cost(self, action: InstantaneousAction) -> Any:
        number = self.random.randint(0, 4)
        if self.random.random() < 0.5:
            return self.random.choice([self.em.Int(number), self.em.Real(Fraction(number))])
        return self.price(self.term(self.place, [(self.em.ParameterExp(one), one.type) for one in action.parameters]))


def optimum(problem: Problem) -> int | str | None:
    """The least cost of a plan, None if there is none; `large` for too many states. Actions count one where the problem
    has no costs.
    """
    simulator = UPSequentialSimulator(problem)
    metric = problem.quality_metrics[0] if problem.quality_metrics else None
    atoms = [fluent for fluent in problem.clone().initial_values if fluent.type.is_bool_type()]
    instances = [
        (action, arguments)
        for action in problem.actions
        for arguments in itertools.product(*[[*problem.objects(one.type)] for one in action.parameters])
    ]
    numbers = itertools.count()
    queue = [(0, next(numbers), simulator.get_initial_state())]
    seen = set()
    while queue:
        cost, _, state = heapq.heappop(queue)
        key = tuple(state.get_value(atom).is_true() for atom in atoms)
        if key in seen:
            continue
        seen.add(key)
        if len(seen) > MOST_STATES:
            return "large"
        if simulator.is_goal(state):
            return cost
        for action, arguments in instances:
            try:
                after = simulator.apply(state, action, arguments)
            except UPInvalidActionError:  # its conditions are false in every state
                continue
            if after is None:
                continue
            price = 1
            if metric is not None and metric.is_minimize_action_costs():
                named = dict(zip(action.parameters, arguments, strict=True))
                formula = metric.get_action_cost(action).substitute(named)
                price = (state.get_value(formula) if formula.is_fluent_exp() else formula).constant_value()
            heapq.heappush(queue, (cost + int(price), next(numbers), after))
    return None
