"""The parallel model: all plans of a task of at most D parallel steps, as a formula whose objective counts the moves.

The layers are states, as in `horizon_model`; each step is a set of independent moves (`ParallelStepEncoder`), so that a
plan of L moves needs no more layers than its depth, and what has to be proven is a *number of moves*. That makes it
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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..analysis.hm.tables import HmTables
from ..analysis.hm.tuples import NEVER
from ..analysis.move_pruning import Choice, ParallelMoves
from ..analysis.structure import structure_of
from ..models.plan import Plan
from ..models.task import OperatorTask
from ..models.watching import collector_paused
from ..runtime.arrays import Flags
from .formula import FALSE, TRUE, ClauseTemplate, EncodingStopped, Formula, Literals
from .horizon_model import not_all

# Literals for sets of positions: the order encoding of where an object is.
#
# That an operator leads an object from p to q is `p[t] and q[t+1]`. What many operators require together takes one
# clause if there is a literal for "the object is at one of these positions". A vehicle of two cells in a row of eight
# has the positions 1 to 7, by its left cell:
#
#     cell        1 2 3 4 5 6 7 8
#     A = {1, 2, 3}             it is left of cell 5: it covers 1 and 2, or 2 and 3, or 3 and 4
#     P - A = {4, 5, 6, 7}      it covers cell 5, or is right of it
#
# Every slide from A to the rest requires that cell 5 is free. These are 3 x 4 operators and one clause,
#
#     A[t] and not A[t+1] -> free5[t]
#
# A *rectangle* of a fact r is a pair (A, B) of sets of positions such that every operator from A to B requires r.
# Those of one fact are grouped by B; a fact of a lane has two, from the left and from the right. A set and its
# complement P - A share a literal, as an object has exactly one position. In a lane all sets are prefixes {1..k}, and
# their literals are the order encoding of the position (Crawford and Baker, *Experimental results on the application
# of satisfiability algorithms to scheduling problems*, AAAI 1994; Tamura, Taga, Kitagawa and Banbara, *Compiling
# finite linear CSP into SAT*, Constraints 14, 2009). A clause learnt over them speaks of many positions at once, too:
# that, more than the number of clauses, is what they save.

# Position facts of one object.
Positions = frozenset[int]


class MoveRectangle(NamedTuple):
    """A rectangle of choices: every choice from a position of `before` to a position of `after` requires the same
    fact.
    """

    before: Positions
    after: Positions


def rectangles(
    choices: Iterable[Choice], required: Callable[[Choice], Iterable[int]]
) -> dict[int, list[MoveRectangle]]:
    """The rectangles of each fact that some choices of an object require: together they hold these choices and no
    others.
    """
    # Positions with the same targets are the left side of one rectangle: {1,2,3} -> {4..7} in the drawing above.
    leading: dict[int, dict[int, set[int]]] = {}  # fact -> before -> all after
    for choice in choices:
        for fact in required(choice):
            leading.setdefault(fact, {}).setdefault(choice.before, set()).add(choice.after)
    of_fact: dict[int, list[MoveRectangle]] = {}
    for fact, to in leading.items():
        by_after: dict[Positions, set[int]] = {}
        for before, after in to.items():
            by_after.setdefault(frozenset(after), set()).add(before)
        of_fact[fact] = [MoveRectangle(frozenset(before), after) for after, before in by_after.items()]
    return of_fact


class PositionSets:
    """The sets of positions that have a literal of their own in every layer, for a task with F facts.

    A layer is an array of literals: those of the facts, then those of the S sets.
    """

    def __init__(self, facts: int, moves: ParallelMoves, wanted: Iterable[Positions]) -> None:
        """`wanted`: sets that need a literal; those of one position, and of all but one, have one already."""
        self.facts = facts
        self._all = [frozenset(moved.facts) for moved in moves.objects]
        self._owner = {f: number for number, moved in enumerate(moves.objects) for f in moved.facts}
        self._first = [moved.facts[0] for moved in moves.objects]
        named = {self._named(part): None for part in wanted if 1 < len(part) < len(self._whole(part)) - 1}
        self._index = {part: facts + number for number, part in enumerate(named)}
        self._template = self._written()

    @property
    def size(self) -> int:
        """The number of literals of a layer: F for facts, S for sets of positions."""
        return self.facts + len(self._index)

    def add(self, formula: Formula, facts: Literals) -> Literals:
        """The layer (F + S) of these facts (F), with new literals for the sets."""
        return np.concatenate([facts, self._template.add(formula, facts)])

    def literal(self, layer: Sequence[int], positions: Positions) -> int:
        """The literal that the object is at one of these positions: that of the set, or of its complement, negated."""
        rest = self._whole(positions) - positions
        if not rest:
            return TRUE
        if len(positions) == 1:
            return layer[next(iter(positions))]
        if len(rest) == 1:
            return ~layer[next(iter(rest))]
        named = self._named(positions)
        return layer[self._index[named]] if named == positions else ~layer[self._index[named]]

    def _whole(self, positions: Positions) -> Positions:
        return self._all[self._owner[next(iter(positions))]]

    def _named(self, positions: Positions) -> Positions:
        """The set or its complement, whichever has the object's first position; in a lane these are the prefixes."""
        owner = self._owner[next(iter(positions))]
        return positions if self._first[owner] in positions else self._all[owner] - positions

    def _written(self) -> ClauseTemplate:
        """The clauses of a layer, once: A -> B for the least supersets B of a set A, p -> A for the least sets with p,
        p -> not A for the largest sets without p. The others follow by unit propagation.
        """
        formula = Formula()
        layer = [formula.variable() for _ in range(self.size)]
        by_owner: dict[int, list[Positions]] = {}
        for part in self._index:
            by_owner.setdefault(self._owner[next(iter(part))], []).append(part)
        for owner, sets in by_owner.items():
            for part in sets:
                for wider in _least([other for other in sets if part < other]):
                    formula.implies(layer[self._index[part]], [layer[self._index[wider]]])
            for p in sorted(self._all[owner]):
                inside, outside = [part for part in sets if p in part], [part for part in sets if p not in part]
                formula.implies(layer[p], [layer[self._index[part]] for part in _least(inside)])
                largest = [part for part in outside if not any(part < other for other in outside)]
                formula.implies(layer[p], [~layer[self._index[part]] for part in largest])
        return ClauseTemplate(formula, self.facts, layer[self.facts :])


def _least(sets: Sequence[Positions]) -> list[Positions]:
    return [each for each in sets if not any(other < each for other in sets)]


# The clauses of one parallel step: independent moves at the same time (see `analysis.move_pruning`).
#
# Step t leads from layer t to layer t + 1. With f[t] for "fact f holds in layer t":
#
#   m[t]     object i moves in step t
#   u[t]     some move of step t requires fact r and keeps it (a vehicle passes over a cell); for facts that others take
#   c[t,k]   object i makes more than k moves in the steps up to t
#   idle[t]  nothing moves in step t
#
# There is no variable for an operator: that object i moves from p to q in step t is `p[t] and q[t+1]`. A[t] is "its
# position in layer t is in A" for a set A of them (see `PositionSets`): what many moves require takes one clause. So
# the formula grows with the positions of the objects and not with the operators' preconditions and effects. For each
# choice (p, q) of object i, with the facts that it keeps, takes and leaves, and each rectangle (A, B) of choices that
# all have a fact r among those:
#
#    moving           p[t] and not p[t+1] -> m[t];   p[t] and p[t+1] -> not m[t]
#    choice           not (p[t] and q[t+1])                              where no operator leads from p to q
#    precondition     A[t] and B[t+1] -> r[t]                            for r that (A, B) keeps or takes
#    independence     A[t] and B[t+1] -> r[t+1]                          for r that (A, B) keeps: no other move takes it
#    normal form      p[t] and q[t+1] -> it depends on a move of step t - 1:
#                         some fact that it requires did not hold in layer t - 1,
#                         or some move of step t - 1 kept a fact that it takes (`u[t-1]`),
#                         or some fact that it leaves held in layer t - 1
#    never twice      not (m[t-1] and m[t])                              where two moves in a row are never needed
#    counting         m[t] and c[t-1,k-1] -> c[t,k];   c[t-1,k] -> c[t,k];   c[t,k] -> c[t,k-1]
#    idle steps       idle[t-1] -> idle[t];   idle[t] -> not m[t];   not idle[t] -> some m[t];   idle[t] -> goal
#
# What a move takes and leaves follows in layer t + 1 from the mutex groups, which are added for every layer.


@dataclass(slots=True)
class Moved:
    """What a step has done: f[t] and A[t] (F + S), u[t] (R), m[t] (M), idle[t]."""

    layer: Literals
    used: Literals
    moved: Literals
    idle: int


class ParallelStepEncoder:
    """Encodes the parallel steps of a task with F facts, of which R are kept by some moves and taken by others, and M
    objects, of whose positions S sets have literals (`sets`).
    """

    def __init__(self, task: OperatorTask, moves: ParallelMoves) -> None:
        self.task, self.moves = task, moves
        taken = {f for of_object in moves.choices for choice in of_object.values() for f in choice.takes}
        kept = {f for of_object in moves.choices for choice in of_object.values() for f in choice.keeps}
        self.shared = sorted(taken & kept)
        each = [choices.values() for choices in moves.choices]
        self._required = [rectangles(choices, lambda choice: (*choice.keeps, *choice.takes)) for choices in each]
        self._kept = [rectangles(choices, lambda choice: choice.keeps) for choices in each]
        listings = [listed for of_object in (*self._required, *self._kept) for listed in of_object.values()]
        wanted = [positions for listed in listings for rectangle in listed for positions in rectangle]
        self.sets = PositionSets(len(task.facts), moves, wanted)
        self._template = self._written()

    def start(self) -> Moved:
        """The step before the first: no fact held, so that no first move depends on another; and nothing has moved."""

        sizes = (self.sets.size, len(self.shared), len(self.moves.objects))
        layer, used, moved = (np.full(size, FALSE, np.int32) for size in sizes)
        return Moved(layer, used, moved, FALSE)

    def add(self, formula: Formula, here: Literals, there: Literals, idle: int, previous: Moved) -> Moved:
        """Add one step between the layers `here` and `there` (F + S)."""
        idles = np.array([previous.idle, idle], np.int32)
        inputs = (here, there, previous.layer, previous.used, previous.moved, idles)
        outputs = self._template.add(formula, np.concatenate(inputs))
        used, moved = np.split(outputs, [len(self.shared)])
        return Moved(here, used, moved, idle)

    def _written(self) -> ClauseTemplate:
        """The clauses of one step as a template, written once."""
        formula, size_of_layer, objects = Formula(), self.sets.size, len(self.moves.objects)

        def inputs(count: int) -> list[int]:
            return [formula.variable() for _ in range(count)]

        # 1. Inputs, in the order in which `add` gives them: three layers, what was used and moved, two idle literals.
        here, there, before = (inputs(size_of_layer) for _ in range(3))
        used_before = dict(zip(self.shared, inputs(len(self.shared)), strict=True))
        moved_before = inputs(objects)
        idle_before, idle = inputs(2)
        size = formula.variables
        # 2. Each object: its move, its preconditions, and why it could not move one step earlier (normal form).
        moved = inputs(objects)
        for number, literal in enumerate(moved):
            self._object(formula, number, literal, (here, there))
            if self.moves.never_twice[number]:
                formula.clause([~moved_before[number], ~literal])
            for choice in self.moves.choices[number].values():
                reasons = [~before[f] for f in (choice.before, *choice.keeps, *choice.takes)]
                reasons += [used_before[f] for f in (choice.before, *choice.takes) if f in used_before]
                reasons += [before[f] for f in (choice.after, *choice.leaves)]
                formula.clause([~here[choice.before], ~there[choice.after], *reasons])
        # 3. The step as a whole: what its moves have kept, and idleness, which begins at the goal and never ends.
        used = self._used(formula, (here, there))
        formula.clause([~idle_before, idle])
        formula.clause([idle, *moved])
        for literal in moved:
            formula.clause([~idle, ~literal])
        for clause in self.task.goal:
            formula.clause([~idle, *(here[f] for f in clause)])
        if len(self.task.goal) == 1:  # a shortest plan ends where it meets the goal
            for fact in self.task.goal[0]:
                formula.clause([~here[fact], idle])
        return ClauseTemplate(formula, size, [*used, *moved])

    def _object(self, formula: Formula, number: int, moved: int, layers: tuple[list[int], list[int]]) -> None:
        """An object: whether it moves, and the operators between its positions."""
        here, there = layers
        choices, positions = self.moves.choices[number], self.moves.objects[number].facts
        for p in positions:
            formula.clause([~here[p], there[p], moved])
            formula.clause([~here[p], ~there[p], ~moved])
            for q in positions:
                if q != p and (p, q) not in choices:
                    formula.clause([~here[p], ~there[q]])
        # What is required is true before the move; what is kept is also true after it, so that no other move takes it.
        for of_fact, layer in ((self._required[number], here), (self._kept[number], there)):
            for fact, listed in of_fact.items():
                for before, after in listed:
                    move = [~self.sets.literal(here, before), ~self.sets.literal(there, after)]
                    formula.clause([*move, layer[fact]])

    def _used(self, formula: Formula, layers: tuple[list[int], list[int]]) -> list[int]:
        """u[t] of each shared fact: true only if some move requires and keeps it.

        For each object that may there is a literal that is true only if the object moves along a rectangle of choices
        that keep the fact. (That such a move makes it true is not said: as a reason for a move of the next step it may
        be false, but not wrong.)
        """
        here, there = layers
        used = []
        for fact in self.shared:
            movers = []
            for kept in self._kept:
                if fact in kept:
                    mover = formula.variable()
                    starts = [self.sets.literal(here, before) for before, _ in kept[fact]]
                    formula.clause([~mover, *starts])
                    for start, (_, after) in zip(starts, kept[fact], strict=True):
                        formula.clause([~mover, ~start, self.sets.literal(there, after)])
                    movers.append(mover)
            either = formula.any_of(movers)
            formula.clause([~either, here[fact]])
            formula.clause([~either, there[fact]])
            used.append(either)
        return used


class MoveCounter:
    """Counts the moves of each of M objects, up to K (Sinz, *Towards an optimal CNF encoding of Boolean cardinality
    constraints*, CP 2005). The literals c[t,k] are (M * K), object by object.
    """

    def __init__(self, objects: int, most: int) -> None:
        self.objects, self.most = objects, most
        formula = Formula()
        moved = [formula.variable() for _ in range(objects)]
        before = [[formula.variable() for _ in range(most)] for _ in range(objects)]
        size = formula.variables
        counts = [_counted(formula, *step) for step in zip(moved, before, strict=True)]
        self._template = ClauseTemplate(formula, size, [literal for row in counts for literal in row])

    def start(self) -> Literals:
        """Before the first step nothing has moved."""
        return np.full(self.objects * self.most, FALSE, np.int32)

    def add(self, formula: Formula, moved: Literals, counts: Literals) -> Literals:
        """Count what has moved (M) in a step."""
        return self._template.add(formula, np.concatenate([moved, counts]))


def _counted(formula: Formula, moved: int, before: list[int]) -> list[int]:
    """The literals c[t,k] of an object, k = 0 .. K - 1 (Sinz, *Towards an optimal CNF encoding of Boolean cardinality
    constraints*, CP 2005). It makes at most K moves.
    """
    counts = [formula.variable() for _ in before]
    for k, more in enumerate(counts):
        formula.clause([~before[k], more])
        formula.clause([~moved, more] if k == 0 else [~moved, ~before[k - 1], more])
        if k:
            formula.clause([~more, counts[k - 1]])
    formula.clause([~moved, ~before[-1]])
    return counts


@dataclass(frozen=True, slots=True)
class ParallelModel:
    """A formula and what its variables mean: `facts[t][f]` (D + 1, F) are the literals f[t], maybe constant.

    The objective of the formula is the number of moves, or what they cost.
    """

    task: OperatorTask
    formula: Formula
    facts: NDArray[np.int32]
    moves: ParallelMoves

    def plan(self, values: NDArray[np.bool_]) -> Plan:
        """The plan of a solution; `values` holds one truth value for each variable."""
        return Plan.of(self.task.operators[number] for number, _ in self._made(values))

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

    def __init__(self, task: OperatorTask, moves: ParallelMoves) -> None:
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
                        # Where the goal needs more moves than are left, the step is idle.
                        late = (back > most - t * least) & ~lost
                        self._not_together(formula, facts[t], late, unless=idles[t])
        # 3. The goal, and the objective: c[D,k] of each object is true if it makes more than k moves.
        for clause in self.task.goal:
            formula.clause(facts[depth][list(clause)].tolist())
        weights = np.repeat(self.moves.costs, counter.most)
        formula.minimise = [
            (int(literal), int(cost)) for literal, cost in zip(counts, weights, strict=True) if literal != FALSE
        ]
        return ParallelModel(self.task, formula, facts, self.moves)

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
        self._not_together(formula, facts, lost)

    def _not_together(self, formula: Formula, facts: NDArray[np.int32], lost: Flags, unless: int = FALSE) -> None:
        """Facts, and pairs that no group excludes anyway, are not true (together), `unless` a literal is."""
        for sets in (np.flatnonzero(lost.diagonal())[:, None], np.argwhere(lost & self._apart)):
            not_all(formula, facts, sets, np.zeros_like(lost), unless)


def _first_layers(task: OperatorTask, moves: ParallelMoves) -> NDArray[np.int32]:
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
