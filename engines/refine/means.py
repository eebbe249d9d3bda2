"""The means of plan refinement: for each fact, the ways in which it can be brought about.

a position of an object (`A at r1c4`)     operators that bring the object nearer to it
a fact that an object excludes            positions of that object that do not exclude it: `free r1c4`, while
(`free r1c4`)                             A is at r1c3, is true when A is at r1c1 or at r1c5
any other fact                            operators that add it
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...analysis.relaxation import Relaxation
from ...analysis.structure import structure_of
from ...models.task import Task
from ...runtime.arrays import Bytes, Ints, Shorts, Words, bit_rows, to_csr
from ...runtime.budget import Budget

UNREACHED = 1 << 14
"""The distance between positions where no way leads from the one to the other."""


class Means(NamedTuple):
    """Arrays for a task with F facts, N operators, C goal clauses, M movable objects; W words a state.

    `pre_first` (N+1), `pre`: what operators require. `adder_first` (F+1), `adder`: the operators that add a fact.
    `object_of` (F): the object of which a fact is a position, or -1; `place_first` (M+1), `place`: its positions;
    `number` (F): the number of a position among those of its object. `out_first` (F+1), `out_op`, `out_to`: the
    operators that move an object from a position, and to where; `in_first` (F+1), `in_from`: from where positions are
    entered. `row` (F): where in `distance` the distances to a position begin, one for each position of its object in
    the order of `place`; they are computed when they are first needed (`ready`, F).
    `excluded` (F, W): the facts that are never true together with a fact. `goal_first` (C+1), `goal`: the clauses.
    """

    pre_first: Ints
    pre: Ints
    adder_first: Ints
    adder: Ints
    object_of: Ints
    place_first: Ints
    place: Ints
    number: Ints
    out_first: Ints
    out_op: Ints
    out_to: Ints
    in_first: Ints
    in_from: Ints
    row: Ints
    distance: Shorts
    ready: Bytes
    excluded: Words
    goal_first: Ints
    goal: Ints


def means_of(task: Task, reached: Relaxation, budget: Budget) -> Means | None:
    """The means of a task, of operators that the delete relaxation reaches; None if they would not fit into memory."""
    # Distances between positions of one object are quadratic in their number: what decides whether there is memory.
    structure, facts = structure_of(task), len(task.facts)
    words = max(1, (facts + 63) // 64)
    places = [moved.facts for moved in structure.objects]
    entries = sum(len(listed) ** 2 for listed in places)
    if entries >= 1 << 31 or not budget.fits(2 * entries + 8 * facts * words):
        return None
    adders: list[list[int]] = [[] for _ in task.facts]
    for number in sorted(reached.operators):
        for fact in task.operators[number].add:
            adders[fact].append(number)
    # The distances to a position are a row of `distance`, as long as its object has positions; the rows stand one
    # behind the other, object after object.
    numbers, row = np.zeros(facts, np.int32), np.zeros(facts, np.int32)
    begin = 0
    for listed in places:
        for number, fact in enumerate(listed):
            numbers[fact], row[fact] = number, begin
            begin += len(listed)
    outs: list[list[tuple[int, int]]] = [[] for _ in task.facts]
    ins: list[set[int]] = [set() for _ in task.facts]
    moves = structure.transitions
    for op, before, after in zip(moves.operator.tolist(), moves.before.tolist(), moves.after.tolist(), strict=True):
        if op in reached.operators:
            outs[before].append((op, after))
            ins[after].add(before)
    # Lists of lists become two arrays each (CSR): list i is flat[first[i] : first[i + 1]].
    pre_first, pre = to_csr([operator.pre for operator in task.operators])
    adder_first, adder = to_csr(adders)
    place_first, place = to_csr(places)
    out_first, out_op = to_csr([[op for op, _ in listed] for listed in outs])
    in_first, in_from = to_csr([sorted(listed) for listed in ins])
    goal_first, goal = to_csr(task.goal)
    return Means(
        pre_first=pre_first,
        pre=pre,
        adder_first=adder_first,
        adder=adder,
        object_of=np.array(structure.object_of, np.int32),
        place_first=place_first,
        place=place,
        number=numbers,
        out_first=out_first,
        out_op=out_op,
        out_to=to_csr([[after for _, after in listed] for listed in outs])[1],
        in_first=in_first,
        in_from=in_from,
        row=row,
        distance=np.zeros(entries, np.int16),
        ready=np.zeros(facts, np.uint8),
        excluded=bit_rows([sorted(structure.excluded_by(fact)) for fact in range(facts)], words),
        goal_first=goal_first,
        goal=goal,
    )
