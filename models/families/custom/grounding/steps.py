"""Changes of variables as steps over facts: what must be true before, what becomes true, what becomes false.

A fact is "variable = value". Facts are numbered in order, all values of the first variable first:

    a: in 0..2, b: in [x, y]      0: a = 0   1: a = 1   2: a = 2   3: b = x   4: b = y
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from ..language.expressions import Value
from .cases import Compiler
from .instances import VariableChange
from .terms import bits


class FactNumbers:
    """The numbers of facts. `first`: of each variable's first value; `variable`, `value`: of each fact."""

    def __init__(self, compiler: Compiler) -> None:
        self.first = [0, *accumulate(map(len, compiler.values))]
        self.variable = [v for v, values in enumerate(compiler.values) for _ in values]
        self.value: list[Value] = [value for values in compiler.values for value in values]


class FactChange(NamedTuple):
    """A change, by facts.

    `needed`: those that are surely true before it. `among`: variables of which more than one value is possible before
    it, with these values (a mask). `gained`: those that become true. `lost`: those that become false. `open`: the
    gained facts of variables of which it is not known what they were, and so what is lost.
    """

    change: VariableChange
    needed: list[int]
    among: list[tuple[int, int]]
    gained: list[int]
    lost: list[int]
    open: list[int]


def step_of(change: VariableChange, first: Sequence[int], reached: Sequence[int]) -> FactChange:
    """A change as a step. Variables that keep one value (`reached` has one) are left out."""
    term = change.term
    needed, among, gained, lost, opened = [], [], [], [], []
    for variable, mask in term.items():
        if mask & (mask - 1):
            among.append((variable, mask))
        elif reached[variable] != mask:
            needed.append(first[variable] + mask.bit_length() - 1)
    for variable, value in change.new.items():
        mask = term.get(variable, 0)
        if mask == 1 << value or reached[variable] == 1 << value:
            continue
        fact = first[variable] + value
        gained.append(fact)
        if mask and not mask & (mask - 1):
            lost.append(first[variable] + mask.bit_length() - 1)
        else:
            opened.append(fact)
    return FactChange(change, needed, among, gained, lost, opened)


def possible(
    steps: Iterable[FactChange], numbering: FactNumbers, reached: Sequence[int], sets_of: Mapping[int, list[int]]
) -> Iterator[FactChange]:
    """The steps that change something and do not need two facts of one mutex set; what is open, in each case of what it
    was. `sets_of`: the numbers of the sets that hold a fact.
    """

    @cache
    def facts_in(variable: int, mask: int) -> list[int]:
        return [numbering.first[variable] + value for value in bits(mask)]

    for step in steps:
        taken = [number for fact in step.needed for number in sets_of.get(fact, ())] if sets_of else []
        excluded = frozenset(taken)
        if len(excluded) < len(taken) or not step.gained:
            continue
        if not step.open:
            yield step
            continue
        # Each case with the numbers of the sets of which a fact is needed.
        change, needed, among, gained, lost, opened = step
        found = [(needed, gained, lost, excluded)]
        masks = dict(among)
        for fact in opened:
            variable = numbering.variable[fact]
            options = facts_in(variable, masks.pop(variable, reached[variable]))
            after = []
            for needed, gained, lost, excluded in found:
                for old in options:
                    more = sets_of.get(old, ())
                    if not excluded.isdisjoint(more):
                        continue
                    numbers = excluded.union(more)
                    if old != fact:
                        after.append(([*needed, old], gained, [*lost, old], numbers))
                    else:
                        after.append(([*needed, old], [one for one in gained if one != fact], lost, numbers))
            found = after
        among = list(masks.items())
        for needed, gained, lost, _ in found:
            if gained:
                yield FactChange(change, needed, among, gained, lost, [])
