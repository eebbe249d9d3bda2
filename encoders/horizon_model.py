"""The bounded-horizon model: all plans of a task with a given number of steps H, as a formula.

Layers 0..H are states, step t leads from layer t to layer t + 1. The variables (Kautz and Selman, *Pushing the
envelope*, AAAI 1996):

    f[t]      fact f holds in layer t           t = 0..H    (layer 0 is the initial state: constants)
    o[t]      operator o is applied in step t   t = 0..H-1
    idle[t]   nothing happens in step t         t = 0..H-1  (only where steps may be idle; else FALSE)

and the constraints:

    a step               exactly one of idle[t] and all o[t]
    its effects          preconditions, effects, frame axioms, move pruning                  `step`
                         or, in a task with compound moves, a path of operators              `compound_move`
    a mutex group        exactly one of f[t] for f in the group (exactly n of a group that counts n)
    goal                 some f[H] for each clause of the goal
    idle steps           idle[t-1] -> idle[t]: they come last, so that every plan of at most H steps is one model
    a walker             gets to the cell that its next operator needs                       `reach`
                         and, if the cells are to be counted, along a path                   `walk`

What follows from these, but not by unit propagation, is added where the analysis knows it:

    f[t] is FALSE        if fact f needs more than t steps from the start, or the goal more than H - t from f (h^m)
    not f[t] or not g[t] if that is so for the two together (h^2), and three facts where h^m is at least h^4
    o[t] is FALSE        if o cannot be applied in step t, or the goal needs more than H - t - 1 steps after it
    dead sets            two to four facts from which the goal is out of reach
    conflicts            f[t] and g[t] and ... -> z_v[t], for a set of objects with a conflict of v (`ConflictSet`).
                         With v < w < ... all the values that occur: z_w[t] -> z_v[t], and the left side of each
                         potential has v z_v[t] + (w - v) z_w[t] + ... more, the largest v of a set that is there
    potentials           sum of weight(f) f[t] + idle steps from t on <= H - t - constant    (`PotentialHeuristic`)
                         of the way behind, which has conflicts of its own: sum of weight(f) f[t] <= t - constant
                         where f weighs more with the walker in some cells: w more times z[t] in the sum, and
                         f[t] and reached[cell, t] -> z[t] for each of these cells
    doors                f[t] and reached[cell, t] -> o[t], for a box that parts two rooms (`pi_corrals`): this one
                         leaves out plans, but not all of the shortest; where walks are counted too, it is left out
    colours              facts that hold in every second layer only (parity)

With idle steps the number of true idle literals can be maximised: one model, the least number of steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from itertools import combinations, groupby

import numpy as np
from numpy.typing import NDArray

from ..analysis.boxes.pi_corrals import find_doors
from ..analysis.hm.tables import HmTables, cell_pairs, operator_pairs
from ..analysis.move_pruning import MovePruning
from ..analysis.plan_invariants import NOTHING_KNOWN, ConflictSet, Invariants
from ..analysis.potentials import PotentialHeuristic
from ..analysis.structure import structure_of
from ..analysis.transformed_tasks import CompoundMoves
from ..models.plan import Plan
from ..models.task import OperatorTask
from ..models.watching import collector_paused
from .formula import FALSE, TRUE, EncodingStopped, Formula, Literals, Weighted, is_true
from .reach import ReachEncoder, WalkStep, add_walk
from .step import Chosen, CompoundMoveStep, StepEncoder, add_compound_move, add_order, operators_of_move

# Sets of facts that no plan has together in a layer, or only at a price, as clauses, in bulk.


def by_value(conflicts: Iterable[ConflictSet]) -> list[tuple[int, NDArray[np.int64]]]:
    """The conflicts grouped by value and size, the lowest value first: each group is (value, array of sets)."""
    ordered = sorted(conflicts, key=_value_and_size)
    return [
        (value, np.array([conflict.facts for conflict in same], np.int64))
        for (value, _), same in groupby(ordered, key=_value_and_size)
    ]


def _value_and_size(conflict: ConflictSet) -> tuple[int, int]:
    return conflict.extra, len(conflict.facts)


def conflict_literals(
    formula: Formula, literals: Literals, excluded: NDArray[np.bool_], by_value: list[tuple[int, NDArray[np.int64]]]
) -> Weighted:
    """Literals z_v of a layer, for v in ascending order: true if a set of objects is there whose conflict is v or more;
    and by how much v is more than the one before.
    """
    weighted: Weighted = []
    last = 0
    # Ascending, so that z_v of a higher value implies the one before: what is violated is paid once, in parts.
    for value, sets in by_value:
        if value > last:
            weighted.append((formula.variable(), value - last))
            if last:
                formula.implies(weighted[-1][0], [weighted[-2][0]])
            last = value
        not_all(formula, literals, sets, excluded, weighted[-1][0])
    return weighted


def not_all(
    formula: Formula, literals: Literals, sets: NDArray[np.int64], excluded: NDArray[np.bool_], unless: int = FALSE
) -> None:
    """Not all facts of a set (of `sets`, a set a row) are true in a layer, `unless` a literal is; in bulk.

    Sets with a fact, or a pair, that is excluded there anyway are left out.
    """
    # A set with a FALSE fact is excluded by that; the same for a pair that other clauses exclude: a clause less each.
    standing = (literals != FALSE)[sets].all(axis=1)
    for i, j in combinations(range(sets.shape[1]), 2):
        standing &= ~excluded[sets[:, i], sets[:, j]]
    negated = ~literals[sets[standing]]
    # One literal more in each row; where it is FALSE, `all_clauses` drops it.
    clauses = np.hstack([negated, np.full((len(negated), 1), unless, np.int32)])
    formula.all_clauses(clauses.ravel(), np.full(len(negated), sets.shape[1] + 1))


def exclude(formula: Formula, causes: Literals, others: Literals, excluded: NDArray[np.bool_]) -> None:
    """causes[i] -> not others[j] wherever `excluded[i, j]` (causes, others), in bulk."""
    # `nonzero` goes row by row, so the columns are the effects of one cause after the other.
    formula.all_imply(causes, ~others[np.nonzero(excluded)[1]], excluded.sum(axis=1))


@dataclass(slots=True)
class HorizonModel:
    """A formula and what its variables mean.

    `fact[t][f]` (H + 1, F), `chosen[t][n]` (H, N) and `idle[t]` (H) are the literals f[t], o[t] and idle[t], maybe
    constant.
    `arcs`: the variables of the cells that a walker walks, all steps together (empty unless asked for).
    `compound_moves[t]`: the compound move of step t (empty unless the task has them). `conflicts[t]`: the literals z_v
    of layer t, and by how much v is more than the value before it. `end`: true if the goal holds in the last layer.
    """

    task: OperatorTask
    formula: Formula
    horizon: int
    fact: list[list[int]]
    chosen: list[list[int]]
    idle: list[int]
    arcs: list[int]
    compound_moves: list[CompoundMoveStep]
    conflicts: list[tuple[Weighted, Weighted]]
    end: int = TRUE

    def layers(self, values: NDArray[np.bool_]) -> int:
        """The layers of cost that a solution takes: the steps of the model without those that are idle in it."""
        return self.horizon - sum(is_true(literal, values) for literal in self.idle)

    def prices(self, part: int) -> Weighted:
        """What the steps of a solution cost in a component of the metric, as a weighted sum of literals."""
        walker, operators = self.task.walker, self.task.operators
        walked = [(arc, walker.cost[part]) for arc in self.arcs] if walker and walker.cost[part] else []
        paid = [(x, op.cost[part]) for row in self.chosen for op, x in zip(operators, row, strict=True)]
        return [(x, cost) for x, cost in paid if cost] + walked

    def plan(self, values: NDArray[np.bool_]) -> Plan:
        """The plan of a solution; `values` holds one truth value for each variable."""
        operators = self.task.operators
        steps = [[operators[n] for n, literal in enumerate(row) if is_true(literal, values)] for row in self.chosen]
        if not self.task.compound_moves:
            return Plan.of([op for step in steps for op in step])
        held = [{f for f, literal in enumerate(layer) if is_true(literal, values)} for layer in self.fact]
        return Plan.of_compound_moves(
            [operators_of_move(step, *held[t : t + 2]) for t, step in enumerate(steps) if held[t] != held[t + 1]]
        )


class HorizonEncoder:
    """Encodes one task at any horizon; what does not depend on the horizon is computed once."""

    def __init__(
        self,
        task: OperatorTask,
        tables: HmTables,
        pruning: MovePruning | None,
        invariants: Invariants = NOTHING_KNOWN,
    ) -> None:
        """Each operator takes a layer, whatever it costs."""
        self.task, self.invariants = task, invariants
        self.dead = [
            np.array([facts for facts in invariants.dead if len(facts) == size], np.int64).reshape(-1, size)
            for size in (2, 3, 4)
        ]
        self.conflicts = by_value(invariants.conflicts), by_value(invariants.conflicts_from_start)
        self.apart = structure_of(task).apart  # the others are excluded by their groups
        self.moves = CompoundMoves.of(task) if task.compound_moves else None
        self.steps = None if task.compound_moves else StepEncoder(task, pruning)
        self.reach = ReachEncoder(task) if task.walker else None
        self.doors = find_doors(task)
        self.nearer = np.argsort(invariants.progress(task.operators), kind="stable").tolist()
        self._use(tables)

    def _use(self, tables: HmTables) -> None:
        self.tables = tables
        # The operators of a compound move are reached within the step that pays for it.
        self.earliest_layer = tables.earliest_layer - self.task.compound_moves
        self.steps_to_goal = tables.steps_to_goal
        if self.reach:
            self.operator_pairs = operator_pairs(self.task, tables)
            self.cell_pairs = cell_pairs(self.task, tables, self.reach.regions)

    def deeper(self, tables: HmTables) -> HorizonEncoder:
        """A copy of the model with deeper h^m tables."""
        encoder = copy(self)
        encoder._use(tables)
        return encoder

    def encode(
        self,
        horizon: int,
        *,
        idle: bool = False,
        shortest: bool = False,
        walks: bool = False,
        least: int = 0,
        open_end: bool = False,
        stop: Callable[[], object] = lambda: None,
    ) -> HorizonModel:
        """The model of all plans of exactly `horizon` steps.

        `idle`: of at most so many. `shortest`: minimise the number of steps. `walks`: with variables for the cells
        that a walker, if any, walks, to be counted. `least`: a proven lower bound; no step before it is idle.
        `open_end`: of at most `horizon` steps, or the first so many
        of a longer plan: the goal holds in the last layer if the literal `end` is true, and a step is idle only then.
        Raises `EncodingStopped` if `stop`, which is asked at every step, says so, and `ValueError` if the tables speak
        of shorter plans only.
        """
        if self.tables.limit is not None and horizon > self.tables.limit:
            raise ValueError(f"tables within {self.tables.limit} steps for a model of {horizon}")
        # 1. All variables first: each constraint between two layers then finds its literals. What the analysis excludes
        #    gets the constant FALSE and no variable; the constraints on it are simplified away as they are added.
        formula = Formula()
        idles = self._idle_steps(formula, horizon, least if idle or open_end else horizon)
        fact = [self._fact_layer(formula, t, horizon, idles) for t in range(horizon + 1)]
        chosen = [self._operator_layer(formula, t, horizon) for t in range(horizon)]
        model = HorizonModel(
            task=self.task,
            formula=formula,
            horizon=horizon,
            fact=fact,
            chosen=chosen,
            idle=idles,
            arcs=[],
            compound_moves=[],
            conflicts=[([], [])],
        )
        # 2. Layer by layer, what holds in it, and then the step that leads on. A step asks for what was chosen in the
        #    one before it (move pruning, the walker's place). A model has a million small lists, none of them in a
        #    circle: Python's collector would go through all of them again and again.
        with collector_paused():
            previous = self.steps.start() if self.steps else None
            for t in range(horizon + 1):
                if stop():
                    raise EncodingStopped
                self._state(model, t)
                if t < horizon:
                    previous = self._step(model, t, previous, pushed_on=not walks)
                    if walks and self.task.walker:
                        previously = chosen[t - 1] if t else None
                        walk = WalkStep(facts=fact[t], operators=chosen[t], previous=previously, idle=idles[t])
                        model.arcs.extend(add_walk(formula, self.task, walk))
        # 3. The goal holds in the last layer. Idle steps come last, so that each plan has one solution, not one for
        #    each way to spread them. The fewest steps are the most idle ones; by parity two of them may share a literal
        #    (`Counter`).
        if open_end:
            model.end = formula.all_of(formula.any_of(fact[horizon][f] for f in clause) for clause in self.task.goal)
            formula.implies(idles[-1], [model.end])
        for clause in () if open_end else self.task.goal:
            formula.clause(fact[horizon][f] for f in clause)
        for t in range(1, horizon if idle or open_end else 0):
            formula.implies(idles[t - 1], [idles[t]])
        if shortest:
            formula.minimise = [(~literal, count) for literal, count in Counter(idles).items()]
        return model

    def by_steps(self, model: HorizonModel, *, backward: bool = False) -> tuple[int, ...]:
        """The variables o[t] of a model, step by step from the first (from the last, if `backward`).

        In each step first the operators that bring objects nearer to where they have to go, as the potentials measure
        it. An order in which a solver can decide.
        """
        steps = model.chosen[::-1] if backward else model.chosen
        return tuple(step[n] for step in steps for n in self.nearer if step[n] != FALSE)

    # Variables

    def _idle_steps(self, formula: Formula, horizon: int, least: int) -> list[int]:
        """The literals idle[t].

        idle[t] says that the plan has at most t steps, so it is FALSE for t < `least`. Where all plans have lengths of
        one parity, no plan has exactly t steps for every second t: there idle[t] is idle[t-1].
        """
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
        """The literals f[t]: FALSE where no plan has the fact in this layer."""
        if t == 0:
            init = set(self.task.init)
            return [TRUE if f in init else FALSE for f in range(len(self.task.facts))]
        ahead, back = np.diagonal(self.tables.forward), np.diagonal(self.tables.backward)
        possible = (ahead <= t) & (back <= horizon - t)
        for f, colour in (self.invariants.colour or {}).items():
            possible[f] &= colour == t % 2 or idles[t - 1] != FALSE
        return [formula.variable() if p else FALSE for p in possible.tolist()]

    def _operator_layer(self, formula: Formula, t: int, horizon: int) -> list[int]:
        """The literals o[t]: FALSE where no plan has the operator in this step."""
        possible = (self.earliest_layer <= t) & (self.steps_to_goal < horizon - t)
        return [formula.variable() if p else FALSE for p in possible.tolist()]

    # Constraints

    def _state(self, model: HorizonModel, t: int) -> None:
        """Add the constraints on layer t alone: groups, and facts, pairs, triples and sets that no plan has together
        there.
        """
        formula, fact = model.formula, model.fact[t]
        if t == 0:
            return
        for group in self.task.groups:
            formula.exactly((fact[f] for f in group.facts), group.count)
        # From here on all is implied. It is added in bulk, and only where no part of it is excluded anyway: of dead
        # sets and conflicts those that may stand, of pairs and triples those of which each fact, or pair, may.
        literals = np.array(fact, np.int32)
        possible = literals != FALSE
        excluded = self.tables.excluded_pairs(t, model.horizon)
        for dead in self.dead:
            not_all(formula, literals, dead, excluded)
        ahead, behind = self.conflicts
        model.conflicts.append(
            (
                conflict_literals(formula, literals, excluded, ahead if t < model.horizon else []),
                conflict_literals(formula, literals, excluded, behind),
            )
        )
        self._invariants(model, t)
        pairs = excluded & self.apart & possible[:, None] & possible[None, :]
        exclude(formula, literals, literals, pairs)
        if self.tables.order > 3:  # triples are many, and worth it where the puzzle has proven hard
            standing = ~excluded & possible[:, None] & possible[None, :]
            triples = self.tables.excluded_triples(t, model.horizon, standing)
            formula.all_clauses(~literals[triples].ravel(), np.full(len(triples), 3))

    def _invariants(self, model: HorizonModel, t: int) -> None:
        """Potentials and colours of layer t.

        A potential from the layer to the goal is at most the number of steps that follow: H - t, less the idle ones.
        One from the start to the layer is at most t, idle steps or not.
        """
        formula, fact = model.formula, model.fact[t]
        # Bounds with sides wait for the walker's reach, which is known after the step (`_sides`).
        for bound, ahead in self._potentials():
            if t == model.horizon or not bound.sides:
                self._potential(model, t, bound, [], ahead=ahead)
        for f, colour in (self.invariants.colour or {}).items():
            if colour != t % 2:
                formula.clause([~fact[f], model.idle[t - 1]])

    def _potentials(self) -> Iterator[tuple[PotentialHeuristic, bool]]:
        """All potential heuristics, each with whether it bounds the way ahead, to the goal, or the way from the
        start.
        """
        yield from ((bound, True) for bound in (*self.invariants.to_goal, *self.invariants.of_facts))
        yield from ((bound, False) for bound in self.invariants.from_start)

    def _potential(
        self, model: HorizonModel, t: int, bound: PotentialHeuristic, more: Weighted, *, ahead: bool
    ) -> None:
        """Require that a potential of layer t is at most the number of steps left (or made, if not `ahead`). `more`:
        further terms.
        """
        idle = ((literal, bound.scale) for literal in model.idle[t:]) if ahead else ()
        extra = () if bound in self.invariants.of_facts else model.conflicts[t][not ahead]
        terms = *zip(model.fact[t], bound.weights, strict=True), *idle, *more, *extra
        model.formula.at_most_sum(terms, bound.scale * (model.horizon - t if ahead else t) - bound.constant)

    def _sides(self, model: HorizonModel, t: int, reached: Literals) -> None:
        """Add the potentials of layer t that depend on the walker's side of an object; `reached`: see
        `ReachEncoder`.
        """
        assert self.reach is not None
        formula, literals = model.formula, reached.tolist()
        for bound, ahead in self._potentials() if t else ():
            more: Weighted = []
            # z is true where the box is there and the walker gets to one of the cells of that side.
            for fact, cells, extra in bound.sides:
                there = model.fact[t][fact]
                regions = [r for r, region in enumerate(self.reach.regions) if not cells.isdisjoint(region)]
                if there == FALSE or all(literals[r] == FALSE for r in regions):
                    continue
                more.append((formula.variable(), extra))
                for r in regions:
                    formula.clause([~there, ~literals[r], more[-1][0]])
            if bound.sides:
                self._potential(model, t, bound, more, ahead=ahead)

    def _doors(self, model: HorizonModel, t: int, reached: Literals) -> None:
        """An object that stands in a door, with the walker beside it, is pushed on in step t."""
        assert self.reach is not None
        chosen, region_of = model.chosen[t], self.reach.region_of
        for door in self.doors:
            conditions = (model.fact[t][door.box], int(reached[region_of[door.cell]]))
            pushes = (chosen[op] for op in (door.push, *door.before))
            model.formula.clause([*(~literal for literal in conditions), *pushes])

    def _step(self, model: HorizonModel, t: int, previous: Chosen | None, *, pushed_on: bool) -> Chosen | None:
        """Add step t; gives what it has chosen, which step t + 1 needs. `pushed_on`: objects in doors are pushed on
        at once.
        """
        formula, chosen, idle = model.formula, model.chosen[t], model.idle[t]
        here, there = model.fact[t], model.fact[t + 1]
        if self.moves:
            step = add_compound_move(formula, self.moves, (here, there), chosen, idle)
            if model.compound_moves:
                add_order(formula, model.compound_moves[-1], step, model.fact[t - 1 : t + 2])
            model.compound_moves.append(step)
            return None
        assert self.steps is not None
        assert previous is not None
        formula.exactly_one([*chosen, idle])
        followed = self.steps.add(formula, here, there, chosen, previous)
        if self.reach:
            facts = np.array(here, np.int32)
            reached = self.reach.add(formula, facts, previous.operators, followed.operators, first=t == 0)
            exclude(formula, followed.operators, facts, self.operator_pairs.excluded(t, model.horizon))
            exclude(formula, reached, facts, self.cell_pairs.excluded(t, model.horizon))
            self._sides(model, t, reached)
            if pushed_on:
                self._doors(model, t, reached)
        return followed
