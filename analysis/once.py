"""Tasks in which no operator can be applied twice, as what it takes away never comes back: lines that are drawn, bread
that is cut. A plan is a set of operators in some order; how often facts become true is bounded beforehand.

    (link n1 n2)   takes `not linked n1 n2`, which nothing gives back
                   takes `degree0 n1`, gives `degree1 n1`: all that give that take `degree0 n1`, so it comes once

A *chain* is facts each of which follows the one before it. It is a *counter* if it forbids nothing but to go on at its
end: each operator that moves it on has a twin for each of its facts, the same in all else. Twins are one *move* then.

    capacity c 3 -> 2 -> 1 -> 0     the link is possible at each of 3, 2, 1: a move, which counts one for c
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..models.moves import Cost
from ..models.task import Operator, Task

Facts = frozenset[int]


@dataclass(frozen=True, slots=True)
class OnceMove:
    """Operators that are the same but for counters, without the facts of these; `counted`: the chains of facts, by
    number, that each moves on.
    """

    operators: tuple[Operator, ...]
    pre: Facts
    add: Facts
    delete: Facts
    counted: Facts


@dataclass(frozen=True, slots=True)
class Once:
    """The moves of a task, each of which is applied at most once. `chains`: facts of which each is true after the one
    before it; `counters`: the numbers of those that are counted only; `opposite`: for facts that come back, the fact
    that is true where they are not.
    """

    moves: tuple[OnceMove, ...]
    chains: tuple[tuple[int, ...], ...]
    counters: Facts
    opposite: dict[int, int]


def once(task: Task) -> Once | None:
    """What is known of a task no operator of which can be applied twice; None for all others. To be asked for by
    `task.computed`.
    """
    if task.walker or task.compound_moves:
        return None
    adding = _by_fact(task, "add")
    shared = _shared(task, adding)
    comes = shared and _how_often(task, shared)
    if not shared or not comes:
        return None
    taking, asking, init = _by_fact(task, "delete"), _by_fact(task, "pre"), set(task.init)
    # How often a fact is true, one span of layers each: as often as it comes, and once more if it is true at first.
    lives = [comes[fact] + (fact in init) for fact in range(len(task.facts))]
    opposite: dict[int, int] = {}
    for fact in (fact for fact, number in enumerate(lives) if number > 1):
        pairs = (task.groups[n].facts for n in task.groups_of[fact] if len(task.groups[n].facts) == 2)
        other = next((o for pair in pairs for o in pair if o != fact), -1)
        if other < 0 or other in init or not asking[fact] <= adding[other]:
            return None
        opposite[fact] = other  # what asks for it gives the other one, which comes once: it is true then
    # Each operator must take away something that is true once only: that is why it is applied once at most.
    if any(all(lives[fact] > 1 for fact in op.delete) for op in task.operators):
        return None
    chains = _chains(task, lives, shared, adding, taking)
    counters = _counters(task, chains, taking, asking, opposite)
    return Once(_moves(task, chains, counters, opposite), chains, counters, opposite)


def _by_fact(task: Task, part: str) -> list[set[int]]:
    """The operators, by number, that have each fact among those that they need, add or delete."""
    operators: list[set[int]] = [set() for _ in task.facts]
    for number, op in enumerate(task.operators):
        for fact in getattr(op, part):
            operators[fact].add(number)
    return operators


def _shared(task: Task, adding: Sequence[set[int]]) -> dict[int, set[int]] | None:
    """For each fact that can become true what all operators that make it true take away; None if that is nothing."""
    shared: dict[int, set[int]] = {}
    for fact, adders in enumerate(adding):
        if adders:
            shared[fact] = set.intersection(*(set(task.operators[n].delete) for n in adders))
            if not shared[fact]:
                return None
    return shared


def _how_often(task: Task, shared: Mapping[int, set[int]]) -> list[int] | None:
    """How often each fact becomes true at most, never or once; None if one may more often, or if that is not known.

    A fact comes as often as what all that make it true take away, which is as often as that was true.
    """
    init = set(task.init)
    # 2 stands for "not known yet". Facts are settled in rounds, beginning with what hangs on facts that nothing gives;
    # what hangs on itself in a circle is never settled.
    comes = [2 if fact in shared else 0 for fact in range(len(task.facts))]
    waiting = set(shared)
    while waiting:
        settled = {f for f in waiting if any(comes[g] + (g in init) < 2 for g in shared[f])}
        if not settled:
            return None
        for fact in settled:
            comes[fact] = 1
        waiting -= settled
    return comes


def _chains(
    task: Task,
    lives: Sequence[int],
    shared: Mapping[int, set[int]],
    adding: Sequence[set[int]],
    taking: Sequence[set[int]],
) -> tuple[tuple[int, ...], ...]:
    """Chains that begin with facts of the initial state: what takes a fact away gives the next one. A fact is in one
    chain at most.
    """
    after: dict[int, int] = {}
    init = set(task.init)
    for fact, before in shared.items():
        # The fact before is one that exactly the operators that give this one take away.
        fitting = [f for f in before if lives[f] == 1 and f not in after and taking[f] == adding[fact]]
        if fitting and fact not in init:
            after[min(fitting)] = fact
    chains: list[tuple[int, ...]] = []
    for first in task.init:
        if lives[first] == 1 and taking[first]:
            chain = [first]
            while chain[-1] in after:
                chain.append(after[chain[-1]])
            members = set(chain)
            touching = set().union(*(taking[fact] for fact in chain))
            # No operator may move a chain on by two: then places in the chain would not count its moves.
            if all(len(members.intersection(task.operators[n].delete)) == 1 for n in touching):
                chains.append(tuple(chain))
    return tuple(chains)


def _counters(
    task: Task,
    chains: Sequence[tuple[int, ...]],
    taking: Sequence[set[int]],
    asking: Sequence[set[int]],
    opposite: Container[int],
) -> Facts:
    """The chains that are counted only. A move has to take something away that only one move can: where an operator
    has nothing else for that, its chains are not counted.
    """
    counters = {n for n, chain in enumerate(chains) if _is_counter(task, chain, taking, asking)}
    chain_of = {fact: n for n in counters for fact in chains[n]}
    steps = {n: sum(bool(taking[fact]) for fact in chains[n]) for n in counters}
    for op in task.operators:
        if all(fact in opposite or steps.get(chain_of.get(fact, -1), 1) > 1 for fact in op.delete):
            counters -= {chain_of[fact] for fact in op.delete if fact in chain_of}
    return frozenset(counters)


def _is_counter(task: Task, chain: tuple[int, ...], taking: Sequence[set[int]], asking: Sequence[set[int]]) -> bool:
    """Whether a chain forbids nothing but to go on at its end."""
    members = frozenset(chain)
    levels = [level for level, fact in enumerate(chain) if taking[fact]]
    # What asks for a fact and keeps it would depend on the count itself.
    if any(asking[fact] != taking[fact] for fact in chain):
        return False
    # Operators that are the same but for this chain, and at which of its places they apply: it must be all of them.
    twins: dict[tuple[Facts, Facts, Facts, Cost], set[int]] = defaultdict(set)
    for level in levels:
        for number in taking[chain[level]]:
            twins[_without(task.operators[number], members)].add(level)
    return levels == list(range(len(levels))) and all(len(covered) == len(levels) for covered in twins.values())


def _without(op: Operator, facts: Iterable[int]) -> tuple[Facts, Facts, Facts, Cost]:
    """An operator's conditions and effects without some facts, and its cost."""
    pre, add, delete = (frozenset(part).difference(facts) for part in (op.pre, op.add, op.delete))
    return pre, add, delete, op.cost


def _moves(
    task: Task, chains: Sequence[tuple[int, ...]], counters: Facts, opposite: Iterable[int]
) -> tuple[OnceMove, ...]:
    chain_of = {fact: n for n in counters for fact in chains[n]}
    left_out = {*chain_of, *opposite}
    several: dict[tuple[Facts, Facts, Facts, Cost, Facts], list[Operator]] = defaultdict(list)
    for op in task.operators:
        counted = frozenset(chain_of[fact] for fact in op.delete if fact in chain_of)
        several[(*_without(op, left_out), counted)].append(op)
    return tuple(
        OnceMove(tuple(twins), pre, add, delete, counted) for (pre, add, delete, _, counted), twins in several.items()
    )
