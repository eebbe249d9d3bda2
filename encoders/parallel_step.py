"""The clauses of one parallel step: independent moves at the same time (see `analysis.parallel_moves`).

Step t leads from layer t to layer t + 1. With f[t] for "fact f holds in layer t":

    m[t]     object i moves in step t
    u[t]     some move of step t requires fact r and keeps it (a vehicle passes over a cell); for facts that others take
    c[t,k]   object i makes more than k moves in the steps up to t
    idle[t]  nothing moves in step t

There is no variable for an operator: that object i moves from p to q in step t is `p[t] and q[t+1]`. A[t] is "its
position in layer t is in A" for a set A of them (see `position_sets`): what many moves require takes one clause. So the
formula grows with the positions of the objects and not with the operators' preconditions and effects. For each choice
(p, q) of object i, with the facts that it keeps, takes and leaves, and each rectangle (A, B) of choices that all have a
fact r among those:

    moving           p[t] and not p[t+1] -> m[t];   p[t] and p[t+1] -> not m[t]
    choice           not (p[t] and q[t+1])                              where no operator leads from p to q
    precondition     A[t] and B[t+1] -> r[t]                            for r that (A, B) keeps or takes
    independence     A[t] and B[t+1] -> r[t+1]                          for r that (A, B) keeps: no other move takes it
    normal form      p[t] and q[t+1] -> it depends on a move of step t - 1:
                         some fact that it requires did not hold in layer t - 1,
                         or some move of step t - 1 kept a fact that it takes (`u[t-1]`),
                         or some fact that it leaves held in layer t - 1
    never twice      not (m[t-1] and m[t])                              where two moves in a row are never needed
    counting         m[t] and c[t-1,k-1] -> c[t,k];   c[t-1,k] -> c[t,k];   c[t,k] -> c[t,k-1]
    idle steps       idle[t-1] -> idle[t];   idle[t] -> not m[t];   not idle[t] -> some m[t];   idle[t] -> goal

What a move takes and leaves follows in layer t + 1 from the mutex groups, which are added for every layer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..analysis.parallel_moves import Choice, ParallelMoves
from ..models.task import Task
from .clause_template import ClauseTemplate
from .formula import FALSE, Formula, Literals
from .position_sets import PositionSets, rectangles


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

    def __init__(self, task: Task, moves: ParallelMoves) -> None:
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
                _implies(formula, choice, (here, there), reasons)
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


def _implies(formula: Formula, choice: Choice, layers: tuple[list[int], list[int]], literals: list[int]) -> None:
    """Add a clause: if the object makes this choice, at least one of the literals is true."""
    here, there = layers
    formula.clauses.append([~here[choice.before], ~there[choice.after], *literals])


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
