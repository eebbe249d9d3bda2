"""The parallel model: all plans of a task of at most D parallel steps, as a formula whose objective counts the moves.

The layers are states, as in `horizon_model`; each step is a set of independent moves (`parallel_step`), so that a plan
of L moves needs no more layers than its depth, and what has to be proven is a *number of moves*. That is what makes it
strong on large boards. A bound on a horizon of single moves needs a proof that k moves, each of which something needs,
do not fit into k - 1 steps: a pigeonhole argument, for which resolution needs exponentially many steps (Haken, *The
intractability of resolution*, 1985). Here each of the k objects that have to move has a literal of its own, "it moves
at least once", and the objective adds them up.

    Rush Hour, 12x12, 40 vehicles: an optimum of 17 slides is a plan of 8 parallel steps.

The lower bound holds for plans of at most D parallel steps. A deeper plan has at least D + 1 moves, as no parallel step
of a plan in normal form is empty. So with a plan of L moves known, a model with D = L - 1 speaks for all plans. The
plan that it finds is made of operators again, one after the other: those of a step in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..analysis.hm.operator_arrays import NEVER
from ..analysis.hm.tables import HmTables
from ..analysis.parallel_moves import ParallelMoves
from ..analysis.structure import structure_of
from ..models.collector import collector_paused
from ..models.plan import Plan
from ..models.task import Task
from ..runtime.arrays import Flags
from .formula import FALSE, TRUE, EncodingStopped, Formula
from .parallel_step import MoveCounter, ParallelStepEncoder


@dataclass(frozen=True, slots=True)
class ParallelModel:
    """A formula and what its variables mean: `facts[t][f]` (D + 1, F) are the literals f[t], maybe constant.

    The objective of the formula is the number of moves, or what they cost.
    """

    formula: Formula
    facts: NDArray[np.int32]
    moves: ParallelMoves

    def plan(self, task: Task, values: NDArray[np.bool_]) -> Plan:
        """The plan of a solution; `values` holds one truth value for each variable."""
        return Plan.of(task.operators[number] for number, _ in self._made(values))

    def cost(self, values: NDArray[np.bool_]) -> int:
        """What the moves of a solution cost."""
        return sum(self.moves.costs[moved] for _, moved in self._made(values))

    def _made(self, values: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
        """The operators of a solution in an order that can be applied, each with the object that it moves."""
        variables = np.clip(self.facts, 0, len(values) - 1)
        layers = (self.facts == TRUE) | ((self.facts != FALSE) & values[variables])
        for here, there in pairwise(layers):
            for number, (moved, choices) in enumerate(zip(self.moves.objects, self.moves.choices, strict=True)):
                before = next(f for f in moved.facts if here[f])
                after = next(f for f in moved.facts if there[f])
                if before != after:
                    yield choices[before, after].operator, number


class ParallelEncoder:
    """Encodes a task with parallel moves, to any depth."""

    def __init__(self, task: Task, moves: ParallelMoves) -> None:
        self.task, self.moves = task, moves
        structure = structure_of(task)
        self._apart, self._constant = structure.apart, structure.constant | structure.never_true
        with collector_paused():
            self._first_layers = _first_layers(task, moves)
            self._steps = ParallelStepEncoder(task, moves)

    def encode(
        self,
        tables: HmTables,
        depth: int,
        *,
        most: int | None = None,
        deeper_than: int = 0,
        stop: Callable[[], bool] = lambda: False,
    ) -> ParallelModel:
        """The model of all plans of more than `deeper_than` and at most `depth` parallel steps that cost at most
        `most`, if that is given; but that they cost so little is not said.

        What the h^m tables (over costs) exclude: facts, and pairs of facts, that no plan has, or none that costs at
        most `most`; and after layer t, as each step that is not idle takes a move, what costs more than is then left.
        Raises `EncodingStopped` if `stop`, which is asked at every step, says so.
        """
        # 1. Variables. Where no object ever moves twice in a row, it moves in at most every second step.
        formula = Formula()
        moves_each = (depth + 1) // 2 if all(self.moves.never_twice) else depth
        least = min(self.moves.costs)
        counter = MoveCounter(len(self.moves.objects), max(1, min(moves_each, (most or moves_each * least) // least)))
        idles = [FALSE if t < deeper_than else formula.variable() for t in range(depth)]
        count = len(self.task.facts)  # the tables may have facts that wait, behind these
        ahead, back = tables.forward[:count, :count], tables.backward[:count, :count]
        total = ahead.astype(np.int32) + back
        lost = np.asarray(total >= NEVER if most is None else total > most)
        facts = np.array([self._layer(formula, t, lost) for t in range(depth + 1)], np.int32)
        # 2. Layers and steps. A step is told the one before it, for the normal form; the counter adds up its moves.
        with collector_paused():
            previous, counts = self._steps.start(), counter.start()
            layers = [self._steps.sets.add(formula, row) for row in facts]
            for t in range(depth + 1):
                if stop():
                    raise EncodingStopped
                if t:
                    self._state(formula, facts[t], lost)
                if t < depth:
                    previous = self._steps.add(formula, layers[t], layers[t + 1], idles[t], previous)
                    counts = counter.add(formula, previous.moved, counts)
                    if t and most is not None:
                        self._late(formula, facts[t], idles[t], (back > most - t * least) & ~lost)
        # 3. The goal, and the objective: c[D,k] of each object is true if it makes more than k moves.
        for clause in self.task.goal:
            formula.clause(facts[depth][list(clause)].tolist())
        weights = np.repeat(self.moves.costs, counter.most)
        formula.minimise = [
            (int(literal), int(cost)) for literal, cost in zip(counts, weights, strict=True) if literal != FALSE
        ]
        return ParallelModel(formula, facts, self.moves)

    def _layer(self, formula: Formula, t: int, lost: Flags) -> list[int]:
        """The literals f[t]: constant where a fact never changes, FALSE where no plan has it in this layer."""
        init = set(self.task.init)
        fixed = [t == 0 or f in self._constant for f in range(len(self.task.facts))]
        possible = ~lost.diagonal() & (self._first_layers <= t)
        return [
            (TRUE if f in init else FALSE) if fixed[f] else formula.variable() if possible[f] else FALSE
            for f in range(len(self.task.facts))
        ]

    def _state(self, formula: Formula, facts: NDArray[np.int32], lost: Flags) -> None:
        """Add the constraints of every layer: the groups, and that lost pairs of facts are not true together."""
        for group in self.task.groups:
            formula.exactly(facts[list(group.facts)].tolist(), group.count)
        # Pairs that a group excludes are not said again (`apart`): `exactly` has done it.
        possible = facts != FALSE
        first, second = np.nonzero(lost & self._apart & possible[:, None] & possible[None, :])
        pairs = ~np.stack([facts[first], facts[second]], axis=1)
        formula.all_clauses(pairs.ravel(), np.full(len(first), 2))

    def _late(self, formula: Formula, facts: NDArray[np.int32], idle: int, late: Flags) -> None:
        """Facts and pairs of facts from which the goal needs more moves than are left imply that the step is idle."""
        possible = facts != FALSE
        first, second = np.nonzero(late & self._apart & possible[:, None] & possible[None, :])
        late_pairs = np.stack([~facts[first], ~facts[second], np.full(len(first), idle, np.int32)], axis=1)
        formula.all_clauses(late_pairs.ravel(), np.full(len(first), 3))
        alone = np.flatnonzero(late.diagonal() & possible)
        late_facts = np.stack([~facts[alone], np.full(len(alone), idle, np.int32)], axis=1)
        formula.all_clauses(late_facts.ravel(), np.full(len(alone), 2))


def _first_layers(task: Task, moves: ParallelMoves) -> NDArray[np.int32]:
    """(F): the first layer that may have a fact, each of a move's preconditions being reached by itself (h^max of
    Bonet and Geffner, *Planning as heuristic search*, 2001): it counts layers, not moves, so it holds here too.
    """
    never = np.iinfo(np.int32).max
    first = np.full(len(task.facts), never, np.int32)
    first[list(task.init)] = 0
    needed = [
        ({choice.before, *choice.keeps, *choice.takes}, (choice.after, *choice.leaves))
        for of_object in moves.choices
        for choice in of_object.values()
    ]
    # Layer by layer: choices whose facts are all held give theirs, as if nothing were ever deleted.
    held, layer = set(task.init), 0
    while True:
        layer += 1
        ready = [(needs, gives) for needs, gives in needed if needs <= held]
        new = {f for _, gives in ready for f in gives} - held
        if not new:
            return first
        needed = [(needs, gives) for needs, gives in needed if not needs <= held]
        held |= new
        first[list(new)] = layer
