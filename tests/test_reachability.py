"""Relaxed reachability against its definition, written down plainly, on random operators."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from budge.analysis.hm.fixpoint import fixpoint
from budge.analysis.hm.operator_arrays import NEVER, forwards
from budge.analysis.hm.packed_sets import from_pairs, lifted, subsets_of
from budge.analysis.hm.tuples import Numbering, all_sets
from budge.models.task import Operator
from hypothesis import given, settings
from hypothesis import strategies as st

Sets = dict[frozenset[int], int]


def by_definition(
    order: int,
    init: frozenset[int],
    allowed: set[frozenset[int]],
    operators: list[Operator],
    too_late: Sets | None = None,
) -> Sets:
    """The value of every allowed set of up to `order` facts, lowered until nothing changes. `too_late`: the least value
    with which a set is not reached.
    """
    values = {facts: 0 if facts <= init else NEVER for facts in allowed}

    def cost(facts: set[int]) -> int:
        parts = combinations(sorted(facts), min(order, len(facts)))
        return max((values.get(frozenset(part), NEVER) for part in parts if part), default=0)

    changed = True
    while changed:
        changed = False
        for facts, value in values.items():
            for op in operators:
                if facts.isdisjoint(op.add) or not facts.isdisjoint(op.delete):
                    continue
                new = cost({*op.pre, *facts.difference(op.add)}) + op.cost[0]
                if new < min(value, NEVER, too_late[facts] if too_late else NEVER):
                    values[facts] = value = new
                    changed = True
    return values


@st.composite
def operators(draw: st.DrawFn, count: int) -> Operator:
    facts = st.integers(0, count - 1)
    pre = draw(st.frozensets(facts, max_size=5))
    delete = draw(st.frozensets(st.sampled_from(sorted(pre)), max_size=3)) if pre else frozenset()
    add = draw(st.frozensets(facts, min_size=1, max_size=3)) - pre
    weight = draw(st.sampled_from([0, 1, 1, 3]))
    return Operator("", tuple(sorted(pre)), tuple(sorted(add)), tuple(sorted(delete)), None, (weight,))


@given(data=st.data(), order=st.integers(2, 5), unit=st.booleans())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_values_are_those_of_the_definition(data: st.DataObject, order: int, unit: bool) -> None:
    few = data.draw(st.integers(3, 8))
    # Facts in two words of a row as well, where their sets are not too many.
    count = 70 if order == 2 else few
    spread = [round(i * (count - 1) / (few - 1)) for i in range(few)]
    ops = []
    for op in data.draw(st.lists(operators(few), min_size=1, max_size=8)):
        pre, add, delete = (tuple(spread[f] for f in facts) for facts in (op.pre, op.add, op.delete))
        ops.append(Operator("", pre, add, delete, op.move, (1,) if unit else op.cost))
    init = frozenset(spread[f] for f in data.draw(st.frozensets(st.integers(0, few - 1), min_size=1)))
    apart = data.draw(st.sets(st.tuples(st.sampled_from(spread), st.sampled_from(spread)), max_size=3))
    together = np.zeros((count, count), np.bool_)
    together[np.ix_(spread, spread)] = True
    for p, q in apart:
        if p != q and not {p, q} <= init:
            together[p, q] = together[q, p] = False
    rows = from_pairs(Numbering.of(count, 2), together)
    for size in range(3, order + 1):
        rows = lifted(Numbering.of(count, size), rows)
    n = Numbering.of(count, order)
    _, values = fixpoint(n, subsets_of(n, init), rows, forwards(ops), np.zeros(1, np.uint8))

    kept = {
        frozenset(facts)
        for size in range(1, order + 1)
        for facts in combinations(spread, size)
        if all(together[p, q] for p, q in combinations(facts, 2))
    }
    expected = by_definition(order, init, kept, ops)
    found = 0
    for size in range(1, order + 1):
        for number, facts in enumerate(all_sets(count, size).tolist()):
            value = int(values[n.value_of[size] + number])
            found += value < NEVER
            assert value == expected.get(frozenset(facts), NEVER), facts
    assert found


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_sets_are_numbered_in_their_order(size: int) -> None:
    """The sets of the first facts come first, so that a number means the same whatever the number of facts."""
    sets = all_sets(8, size).tolist()
    assert sets[: len(all_sets(6, size))] == all_sets(6, size).tolist()
    assert sets == sorted(sets)
    assert len(sets) == comb(8, size)
