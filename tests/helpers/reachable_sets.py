"""Sets of facts that can be reached together, by definition."""

from __future__ import annotations

from itertools import combinations

from budge.analysis.hm.tuples import NEVER
from budge.models.task import Operator
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
