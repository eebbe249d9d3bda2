"""The bounded-horizon model: all plans of a task with a given number of steps, as a formula.

One variable for each fact and layer 0..H, one for each operator and step. Exactly one operator a step;
explanatory frame axioms (Haas 1987; Kautz and Selman, *Pushing the envelope*, AAAI 1996); the task's groups
in every layer; what the reachability layers exclude is left out or forbidden; redundant successions of
operators are forbidden; Sokoban's walk is a path of free cells inside the step. With `idle`, steps at the end
may do nothing, so that the model covers all plans of at most H steps and the number of steps can be minimised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..bounds.invariants import NOTHING_KNOWN, Invariants
from ..bounds.layers import Layers
from ..bounds.succession import Succession
from ..models.carrying import Carrying
from ..models.plan import Plan
from ..models.task import Task
from .carry import CarryStep, add_carry, add_order, carried
from .collector import collector_paused
from .formula import FALSE, TRUE, Formula
from .walk import add_walk

LONG_LIST = 12
"""Up to so many forbidden predecessors of one class are listed; more become one clause on the allowed ones."""


class EncodingStopped(Exception):
    """The budget ended before the model was complete."""


@dataclass(frozen=True, slots=True)
class HorizonModel:
    """A formula and what its variables mean.

    `fact[t][f]` (H + 1, F) and `chosen[t][n]` (H, N) are literals, maybe constant; `idle[t]` (H), all `FALSE`
    without idle steps. `arcs`: the cells that a walker walks, all steps together. `carries[t]`: the
    carry of step t (empty unless the task carries).
    """

    formula: Formula
    horizon: int
    fact: list[list[int]]
    chosen: list[list[int]]
    idle: list[int]
    arcs: list[int]
    carries: list[CarryStep]

    def plan(self, task: Task, values: NDArray[np.bool_]) -> Plan:
        """The plan of a solution; `values` holds one truth value for each variable."""

        def true(literal: int) -> bool:
            return literal == TRUE or (literal != FALSE and bool(values[literal]))

        steps = [[task.operators[n] for n, literal in enumerate(row) if true(literal)] for row in self.chosen]
        if not task.carries:
            return Plan.of([op for step in steps for op in step])
        held = [{f for f, literal in enumerate(layer) if true(literal)} for layer in self.fact]
        return Plan.of_carries(
            [carried(step, *held[t : t + 2]) for t, step in enumerate(steps) if held[t] != held[t + 1]]
        )


class HorizonEncoder:
    """Encodes one task at any horizon; what does not depend on the horizon is computed once."""

    def __init__(
        self,
        task: Task,
        layers: Layers,
        succession: Succession | None,
        invariants: Invariants = NOTHING_KNOWN,
    ) -> None:
        self.task, self.layers, self.succession = task, layers, succession
        self.invariants = invariants
        operators = task.operators
        # The operators of a carry are reached within the step that pays for it.
        self.first = layers.first - 1 if task.carries else layers.first
        self.left = layers.left
        self.adders = _index(task, [op.add for op in operators])
        self.deleters = _index(task, [op.delete for op in operators])
        grouped = np.zeros((len(task.facts), len(task.facts)), np.bool_)
        for group in task.groups:
            if group.count == 1:
                grouped[np.ix_(group.facts, group.facts)] = True
        self.dead = [
            np.array([facts for facts in invariants.dead if len(facts) == size], np.int64).reshape(-1, size)
            for size in (2, 3, 4)
        ]
        self.apart = ~grouped & np.tri(len(task.facts), k=-1, dtype=np.bool_)
        self.before = _forbidden_lists(succession) if succession else None
        self.carrying = Carrying.of(task) if task.carries else None

    def encode(
        self,
        horizon: int,
        *,
        idle: bool = False,
        shortest: bool = False,
        least: int = 0,
        stop: Callable[[], bool] = lambda: False,
    ) -> HorizonModel:
        """The model of all plans with `horizon` steps (at most so many, with `idle`; and as few as possible, with
        `shortest`, too). `least` is a proven lower bound: no step before it is idle. Raises `EncodingStopped` if
        `stop`, which is asked at every step, says so.
        """
        formula = Formula()
        idles = self._idle_steps(formula, horizon, least if idle else horizon)
        fact = [self._fact_layer(formula, t, horizon, idles) for t in range(horizon + 1)]
        chosen = [self._operator_layer(formula, t, horizon) for t in range(horizon)]
        model = HorizonModel(formula, horizon, fact, chosen, idles, [], [])
        with collector_paused():
            for t in range(horizon + 1):
                if stop():
                    raise EncodingStopped
                self._state(model, t)
                if t < horizon:
                    self._step(model, t)
        for clause in self.task.goal:
            formula.clause(fact[horizon][f] for f in clause)
        for t in range(1, horizon if idle else 0):
            formula.implies(idles[t - 1], [idles[t]])
        if shortest:
            formula.minimise = [(~literal, count) for literal, count in Counter(idles).items()]
        return model

    # Variables

    def _idle_steps(self, formula: Formula, horizon: int, least: int) -> list[int]:
        """Whether each step is idle; from `least` on it may be. Plans have lengths of one parity, if that is known."""
        idles: list[int] = []
        for length in range(horizon):
            if length >= least and self.invariants.next_length(length) == length:
                idles.append(formula.variable())
            else:
                idles.append(idles[-1] if idles else FALSE)
        if self.invariants.next_length(horizon) > horizon:  # no plan is as long as the horizon
            formula.clause(idles[-1:])
        return idles

    def _fact_layer(self, formula: Formula, t: int, horizon: int, idles: list[int]) -> list[int]:
        if t == 0:
            init = set(self.task.init)
            return [TRUE if f in init else FALSE for f in range(len(self.task.facts))]
        ahead, back = np.diagonal(self.layers.forward), np.diagonal(self.layers.backward)
        possible = (ahead <= t) & (back <= horizon - t)
        for f, colour in (self.invariants.colour or {}).items():
            possible[f] &= colour == t % 2 or idles[t - 1] != FALSE
        return [formula.variable() if p else FALSE for p in possible.tolist()]

    def _operator_layer(self, formula: Formula, t: int, horizon: int) -> list[int]:
        possible = (self.first <= t) & (self.left <= horizon - t - 1)
        return [formula.variable() if p else FALSE for p in possible.tolist()]

    # Constraints

    def _state(self, model: HorizonModel, t: int) -> None:
        """What holds in every layer: the groups, and the pairs that cannot stand there."""
        formula, fact = model.formula, model.fact[t]
        if t == 0:
            return
        self._invariants(model, t)
        for group in self.task.groups:
            formula.exactly((fact[f] for f in group.facts), group.count)
        possible = np.array([literal != FALSE for literal in fact])
        excluded = self.layers.excluded_pairs(t, model.horizon)
        for dead in self.dead:
            standing = possible[dead].all(axis=1)
            for i, j in combinations(range(dead.shape[1]), 2):
                standing &= ~excluded[dead[:, i], dead[:, j]]
            for facts in dead[standing].tolist():
                formula.clause([~fact[f] for f in facts])
        pairs = excluded & self.apart & possible[:, None] & possible[None, :]
        for f in np.flatnonzero(pairs.any(axis=1)).tolist():
            formula.implies(fact[f], [~fact[g] for g in np.flatnonzero(pairs[f]).tolist()])
        if self.layers.order > 3:  # triples are many, and worth it where the puzzle has proven hard
            standing = ~excluded & possible[:, None] & possible[None, :]
            for p, q, r in self.layers.excluded_triples(t, model.horizon, standing):
                formula.clause([~fact[p], ~fact[q], ~fact[r]])

    def _invariants(self, model: HorizonModel, t: int) -> None:
        """What the linear bounds leave, for the steps before and after the layer; and whose turn it is."""
        formula, fact = model.formula, model.fact[t]
        for bound in self.invariants.to_goal:
            terms = [*zip(fact, bound.weights, strict=True), *((literal, 1) for literal in model.idle[t:])]
            formula.at_most_sum(terms, model.horizon - t - bound.constant)
        for bound in self.invariants.from_start:
            formula.at_most_sum(zip(fact, bound.weights, strict=True), t - bound.constant)
        for f, colour in (self.invariants.colour or {}).items():
            if colour != t % 2:
                formula.clause([~fact[f], model.idle[t - 1]])

    def _step(self, model: HorizonModel, t: int) -> None:
        formula, chosen, idle = model.formula, model.chosen[t], model.idle[t]
        here, there = model.fact[t], model.fact[t + 1]
        if self.carrying:
            step = add_carry(formula, self.carrying, here, there, chosen, idle)
            if model.carries:
                add_order(formula, model.carries[-1], step, model.fact[t - 1 : t + 2])
            model.carries.append(step)
            return
        formula.exactly_one([*chosen, idle])
        for op, literal in zip(self.task.operators, chosen, strict=True):
            if literal != FALSE:
                formula.implies(
                    literal,
                    [
                        *(here[f] for f in op.pre),
                        *(there[f] for f in op.add),
                        *(~there[f] for f in op.delete),
                    ],
                )
        for f, (old, new) in enumerate(zip(here, there, strict=True)):
            if new != FALSE and old != TRUE:
                formula.clause([~new, old, *(chosen[n] for n in self.adders[f])])
            if old != FALSE and new != TRUE:
                formula.clause([~old, new, *(chosen[n] for n in self.deleters[f])])
        if t > 0 and self.succession and self.before:
            self._succession(model, t, self.succession, self.before)
        if self.task.walker:
            previous = model.chosen[t - 1] if t else None
            model.arcs.extend(add_walk(formula, self.task, here, chosen, previous, idle))

    def _succession(self, model: HorizonModel, t: int, succession: Succession, before: Before) -> None:
        """Forbid redundant pairs of the operators at steps t - 1 and t."""
        formula, previous, chosen = model.formula, model.chosen[t - 1], model.chosen[t]
        moved = self._class_literals(formula, previous, succession)
        followed = self._class_literals(formula, chosen, succession)
        for later, earlier in before.whole:
            formula.implies(followed[later], [~moved[c] for c in earlier])
        for number, literal in enumerate(chosen):
            if literal == FALSE:
                continue
            listed = [~previous[n] for n in before.listed[number]]
            listed.extend(~moved[c] for c in before.classes[number])
            formula.implies(literal, [x for x in listed if x != TRUE])
            for c, allowed in before.allowed[number]:
                if moved[c] != FALSE:
                    formula.clause([~literal, ~moved[c], *(previous[n] for n in allowed)])

    def _class_literals(self, formula: Formula, chosen: list[int], succession: Succession) -> list[int]:
        """For each class a literal that is true if an operator of the class is chosen."""
        members: list[list[int]] = [[] for _ in range(succession.classes)]
        for number, literal in zip(succession.class_of.tolist(), chosen, strict=True):
            if literal != FALSE:
                members[number].append(literal)
        literals = []
        for ops in members:
            if len(ops) < 2:
                literals.append(ops[0] if ops else FALSE)
                continue
            literal = formula.variable()
            literals.append(literal)
            formula.clauses.extend([~op, literal] for op in ops)
            formula.clause([~literal, *ops])
        return literals


@dataclass(frozen=True, slots=True)
class Before:
    """Forbidden predecessors, compressed. `whole`: (class, classes none of whose operators may come before any
    of it). For each operator: `classes` as a whole, operators `listed` one by one, and for classes of which
    most are forbidden the `allowed` ones."""

    whole: list[tuple[int, list[int]]]
    classes: list[list[int]]
    listed: list[list[int]]
    allowed: list[list[tuple[int, list[int]]]]


def _forbidden_lists(succession: Succession) -> Before:
    class_of, forbidden = succession.class_of, succession.forbidden
    members = [np.flatnonzero(class_of == c) for c in range(succession.classes)]
    whole_pair = np.array([[forbidden[np.ix_(one, other)].all() for other in members] for one in members]).reshape(
        len(members), len(members)
    )
    whole = [(later, np.flatnonzero(whole_pair[:, later]).tolist()) for later in range(len(members))]
    classes: list[list[int]] = []
    listed: list[list[int]] = []
    allowed: list[list[tuple[int, list[int]]]] = []
    for number, later in enumerate(class_of.tolist()):
        column = forbidden[:, number]
        some: list[int] = []
        one_by_one: list[int] = []
        rest: list[tuple[int, list[int]]] = []
        for c, ops in enumerate(members):
            if whole_pair[c, later]:
                continue
            bad = ops[column[ops]]
            if len(bad) == len(ops):
                some.append(c)
            elif 0 < len(bad) <= LONG_LIST or 2 * len(bad) <= len(ops):
                one_by_one.extend(bad.tolist())
            elif len(bad):
                rest.append((c, ops[~column[ops]].tolist()))
        classes.append(some)
        listed.append(one_by_one)
        allowed.append(rest)
    return Before(whole, classes, listed, allowed)


def _index(task: Task, facts: list[tuple[int, ...]]) -> list[list[int]]:
    """For each fact the operators whose list names it."""
    index: list[list[int]] = [[] for _ in task.facts]
    for number, members in enumerate(facts):
        for fact in members:
            index[fact].append(number)
    return index
