"""Relaxed reachability against its definition, written down plainly, on random operators."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from budge.analysis.hm.fixpoint import fixpoint
from budge.analysis.hm.tables import from_pairs, lifted, subsets_of
from budge.analysis.hm.tuples import NEVER, Numbering, all_sets, forwards
from budge.models.task import Operator
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.reachable_sets import by_definition, operators
from ..helpers.seeds import examples


@given(data=st.data(), order=st.integers(2, 5), unit=st.booleans(), symmetric=st.booleans())
@settings(max_examples=examples(250))
def test_values_are_those_of_the_definition(data: st.DataObject, order: int, unit: bool, symmetric: bool) -> None:
    """Also where of an operator and its image under a symmetry only one is visited."""
    few = data.draw(st.integers(3, 8))
    # Facts in two words of a row as well, where their sets are not too many.
    count = 70 if order == 2 else few
    spread = [round(i * (count - 1) / (few - 1)) for i in range(few)]
    ops = []
    for op in data.draw(st.lists(operators(few), min_size=1, max_size=8)):
        pre, add, delete = (tuple(spread[f] for f in facts) for facts in (op.pre, op.add, op.delete))
        ops.append(Operator("", pre, add, delete, op.move, (1,) if unit else op.cost))
    init = frozenset(spread[f] for f in data.draw(st.frozensets(st.integers(0, few - 1), min_size=1)))
    mirror, visited = np.arange(count, dtype=np.int32), ops
    if symmetric:
        mirror[spread] = spread[::-1]
        to = mirror.tolist()
        for op in visited:
            pre, add, delete = (tuple(to[f] for f in part) for part in (op.pre, op.add, op.delete))
            ops = [*ops, Operator("", pre, add, delete, op.move, op.cost)]
        init |= {to[f] for f in init}
    apart = data.draw(st.sets(st.tuples(st.sampled_from(spread), st.sampled_from(spread)), max_size=3))
    together = np.zeros((count, count), np.bool_)
    together[np.ix_(spread, spread)] = True
    for p, q in apart:
        for a, b in ((p, q), (mirror[p], mirror[q]) if symmetric else (p, q)):
            if a != b and not {a, b} <= init:
                together[a, b] = together[b, a] = False
    rows = from_pairs(Numbering.of(count, 2), together)
    for size in range(3, order + 1):
        rows, _ = lifted(Numbering.of(count, size), rows, np.zeros(0, np.int16))
    n = Numbering.of(count, order)
    image = mirror if symmetric else None
    _, values = fixpoint(n, subsets_of(n, init), rows, forwards(visited), np.zeros(1, np.uint8), mirror=image)

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
