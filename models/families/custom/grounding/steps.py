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
        self.variable: list[int] = []
        self.value: list[Value] = []
        for variable, values in enumerate(compiler.values):
            self.variable += [variable] * len(values)
            self.value += values


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
    """A change as a step. What all reached values meet is left out, and so are variables that keep one value."""
    needed, among, gained, lost, opened = [], [], [], [], []
    known: dict[int, int] = {}  # of variables of which it is known what they were: that fact
    for variable, mask in change.term.items():
        possible = reached[variable]
        mask &= possible
        if mask & (mask - 1):
            if mask != possible:
                among.append((variable, mask))
            continue
        known[variable] = fact = first[variable] + mask.bit_length() - 1
        if mask != possible:
            needed.append(fact)
    for variable, value in change.new.items():
        fact = first[variable] + value
        if variable in known:
            if known[variable] != fact:
                gained.append(fact)
                lost.append(known[variable])
        elif reached[variable] != 1 << value:
            gained.append(fact)
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

    variable_of = numbering.variable
    for step in steps:
        taken = [number for fact in step.needed if fact in sets_of for number in sets_of[fact]]
        excluded = frozenset(taken)
        if len(excluded) < len(taken) or not step.gained:
            continue
        if not step.open:
            yield step
            continue
        # Each case with the numbers of the sets of which a fact is needed.
        change, needed, among, gained, lost, opened = step
        found = [([*needed], gained, [*lost], excluded)]
        masks = dict(among)
        for fact in opened:
            variable = variable_of[fact]
            options = facts_in(variable, masks.pop(variable, reached[variable]))
            after = []
            for case in found:
                needed, gained, lost, excluded = case
                left = [old for old in options if old not in sets_of or excluded.isdisjoint(sets_of[old])]
                for old in left:
                    if len(left) > 1:  # what is one case remains the same lists
                        needed, lost = [*case[0]], [*case[2]]
                    needed.append(old)
                    if old == fact:
                        now = [one for one in gained if one != fact]
                    else:
                        now = gained
                        lost.append(old)
                    after.append((needed, now, lost, excluded.union(sets_of[old]) if old in sets_of else excluded))
            found = after
        among = list(masks.items())
        for needed, gained, lost, _ in found:
            if gained:
                yield FactChange(change, needed, among, gained, lost, [])
