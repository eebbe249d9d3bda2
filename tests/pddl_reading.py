"""A small reader of PDDL, written apart: grounded actions with `and`, `or`, `not`, `when`, and total costs.

Effects are found in the state before an action. What is added and deleted at once is true afterwards.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Atoms = frozenset[tuple[str, ...]]


def expression(text: str) -> Any:
    """Nested lists of words."""
    stack: list[list[Any]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text)):
        if word == "(":
            stack.append([])
        elif word == ")":
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(word)
    (only,) = stack[0]
    return only


def holds(condition: Any, state: Atoms) -> bool:
    match condition:
        case ["and", *parts]:
            return all(holds(part, state) for part in parts)
        case ["or", *parts]:
            return any(holds(part, state) for part in parts)
        case ["not", part]:
            return not holds(part, state)
    return tuple(condition) in state


@dataclass
class Changes:
    add: set[tuple[str, ...]] = field(default_factory=set)
    delete: set[tuple[str, ...]] = field(default_factory=set)
    cost: int = 0

    def collect(self, effect: Any, state: Atoms) -> None:
        match effect:
            case ["and", *parts]:
                for part in parts:
                    self.collect(part, state)
            case ["when", condition, part]:
                if holds(condition, state):
                    self.collect(part, state)
            case ["increase", _, number]:
                self.cost += int(number)
            case ["not", atom]:
                self.delete.add(tuple(atom))
            case _:
                self.add.add(tuple(effect))


class PddlTask:
    """A domain and a problem."""

    def __init__(self, domain: str, problem: str) -> None:
        self.actions: dict[str, tuple[Any, Any]] = {}
        self.requirements: list[str] = []
        declared: set[str] = set()
        for part in expression(domain)[2:]:
            if part[0] == ":action":
                name, _, parameters, _, condition, _, effect = part[1:]
                assert not parameters
                assert name not in self.actions
                self.actions[name] = condition, effect
            elif part[0] == ":constants":
                assert len(set(part[1:])) == len(part[1:])
                declared = set(part[1:])
            elif part[0] == ":requirements":
                self.requirements = part[1:]
        sections = {part[0]: part[1:] for part in expression(problem)[2:]}
        self.init: Atoms = frozenset(tuple(atom) for atom in sections[":init"] if atom[0] != "=")
        (self.goal,) = sections[":goal"]
        self.with_costs = ":metric" in sections
        assert {word for atom in self.init for word in atom[1:]} <= declared

    def after(self, state: Atoms, name: str) -> tuple[Atoms, int] | None:
        """The state after an action and what it costs; None if it does not apply."""
        condition, effect = self.actions[name]
        if not holds(condition, state):
            return None
        changes = Changes()
        changes.collect(effect, state)
        return (state - changes.delete) | changes.add, changes.cost if self.with_costs else 1

    def successors(self, state: Atoms) -> Iterator[tuple[str, Atoms, int]]:
        for name in self.actions:
            after = self.after(state, name)
            if after:
                yield name, *after

    def solve(self) -> tuple[int | None, set[Atoms]]:
        """The least cost of a plan, and all reachable states."""
        best, cost = None, {self.init: 0}
        waiting: list[tuple[int, int, Atoms]] = [(0, 0, self.init)]
        number = 0
        while waiting:
            so_far, _, state = heapq.heappop(waiting)
            if so_far > cost[state]:
                continue
            if best is None and holds(self.goal, state):
                best = so_far
            for _, after, more in self.successors(state):
                if so_far + more < cost.get(after, 1 << 60):
                    cost[after] = so_far + more
                    number += 1
                    heapq.heappush(waiting, (so_far + more, number, after))
        return best, set(cost)
