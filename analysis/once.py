"""Tasks in which no operator can be applied twice, as what it takes away never comes back: lines that are drawn, bread
that is cut. A plan is a set of operators in some order; how often facts become true is bounded beforehand.

    (link n1 n2)   takes `not linked n1 n2`, which nothing gives back
                   takes `degree0 n1`, gives `degree1 n1`: all that give that take `degree0 n1`, so it comes once

A *chain* is facts each of which follows the one before it: `capacity c 3`, `2`, `1`, `0`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..models.program import by_form
from ..models.task import OperatorTask, Task
from ..models.unordered import unordered


@dataclass(frozen=True, slots=True)
class Once:
    """What is known of a task each operator of which is applied at most once. `chains`: facts of which each is true
    after the one before it; `opposite`: for facts that come back, the fact that is true where they are not.
    """

    chains: tuple[tuple[int, ...], ...]
    opposite: dict[int, int]


def plans_are_sets(task: Task) -> bool:
    """Whether one model of whole plans is enough: no operator is applied twice, or the order of actions does not
    matter.
    """
    return by_form(task, lambda task: task.computed(once), lambda task: task.computed(unordered)) is not None


def once(task: OperatorTask) -> Once | None:
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
    return Once(_chains(task, lives, shared, adding, taking), opposite)


def _by_fact(task: OperatorTask, part: str) -> list[set[int]]:
    """The operators, by number, that have each fact among those that they need, add or delete."""
    operators: list[set[int]] = [set() for _ in task.facts]
    for number, op in enumerate(task.operators):
        for fact in getattr(op, part):
            operators[fact].add(number)
    return operators


def _shared(task: OperatorTask, adding: Sequence[set[int]]) -> dict[int, set[int]] | None:
    """For each fact that can become true what all operators that make it true take away; None if that is nothing."""
    shared: dict[int, set[int]] = {}
    for fact, adders in enumerate(adding):
        if adders:
            shared[fact] = set.intersection(*(set(task.operators[n].delete) for n in adders))
            if not shared[fact]:
                return None
    return shared


def _how_often(task: OperatorTask, shared: Mapping[int, set[int]]) -> list[int] | None:
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
    task: OperatorTask,
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
