"""A small reader and interpreter of PDDL, written apart: every action with every combination of objects, as it stands.

Effects are found in the state before an action. What is added and deleted at once is true afterwards.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

Atoms = frozenset[tuple[str, ...]]


def expression(text: str) -> Any:
    """Nested lists of words."""
    stack: list[list[Any]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text).lower()):
        if word == "(":
            stack.append([])
        elif word == ")":
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(word)
    (only,) = stack[0]
    return only


def typed(words: list[Any]) -> list[tuple[str, list[str]]]:
    """`a b - t c` with the types of each word."""
    found: list[tuple[str, list[str]]] = []
    waiting: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "-":
            types = next(rest)
            found += [(one, types[1:] if isinstance(types, list) else [types]) for one in waiting]
            waiting = []
        else:
            waiting.append(word)
    return found + [(one, ["object"]) for one in waiting]


class Types:
    """The types of a domain, and the objects of each."""

    def __init__(self, types: list[Any], objects: list[Any]) -> None:
        above = {name: set(parents) for name, parents in typed(types)}
        self.objects: dict[str, list[str]] = {}
        for one, own in typed(objects):
            reached, waiting = {"object"}, list(own)
            while waiting:
                name = waiting.pop()
                if name not in reached:
                    reached.add(name)
                    waiting += above.get(name, ())
            for name in reached:
                self.objects.setdefault(name, []).append(one)

    def bindings(self, variables: list[Any], names: dict[str, str]) -> Iterator[dict[str, str]]:
        several = typed(variables)
        domains = [dict.fromkeys(one for t in types for one in self.objects.get(t, ())) for _, types in several]
        for objects in product(*domains):
            yield {**names, **{name: one for (name, _), one in zip(several, objects, strict=True)}}

    def grounded(self, part: Any, names: dict[str, str]) -> Any:
        """A condition or an effect with objects for its variables, and without quantifiers."""
        match part:
            case ["forall" | "exists" as which, variables, inner]:
                several = [self.grounded(inner, bound) for bound in self.bindings(variables, names)]
                return ["and" if which == "forall" else "or", *several]
            case ["imply", one, other]:
                return ["or", ["not", self.grounded(one, names)], self.grounded(other, names)]
            case ["=", one, other]:
                return ["and"] if names.get(one, one) == names.get(other, other) else ["or"]
            case list():
                return [self.grounded(one, names) for one in part]
        return names.get(part, part)


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
    values: dict[tuple[str, ...], int]
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
            case ["increase", _, amount]:
                self.cost += self.values[tuple(amount)] if isinstance(amount, list) else int(amount)
            case ["not", atom]:
                self.delete.add(tuple(atom))
            case _:
                self.add.add(tuple(effect))


class PddlTask:
    """A domain and a problem."""

    def __init__(self, domain: str, problem: str) -> None:
        parts = expression(domain)[2:]
        of_domain = {part[0]: part[1:] for part in parts if part[0] != ":action"}
        sections = {part[0]: part[1:] for part in expression(problem)[2:]}
        self.requirements: list[str] = of_domain.get(":requirements", [])
        objects = of_domain.get(":constants", [])
        declared = [word for several in (objects, sections.get(":objects", [])) for word in several]
        self.types = Types(of_domain.get(":types", []), objects)
        for name, several in Types(of_domain.get(":types", []), sections.get(":objects", [])).objects.items():
            self.types.objects[name] = list(dict.fromkeys([*self.types.objects.get(name, []), *several]))
        self.actions: dict[str, tuple[Any, Any]] = {}
        for part in parts:
            if part[0] == ":action":
                fields = dict(zip(part[2::2], part[3::2], strict=True))
                for names in self.types.bindings(fields.get(":parameters", []), {}):
                    name = "".join(f" {one}" for one in names.values())
                    assert part[1] + name not in self.actions
                    self.actions[part[1] + name] = (
                        self.types.grounded(fields.get(":precondition") or ["and"], names),
                        self.types.grounded(fields.get(":effect") or ["and"], names),
                    )
        self.init: Atoms = frozenset(tuple(atom) for atom in sections[":init"] if atom[0] != "=")
        self.values = {
            tuple(at[1]): int(float(at[2])) for at in sections[":init"] if at[0] == "=" and at[1] != ["total-cost"]
        }
        self.goal = self.types.grounded(sections[":goal"][0], {})
        self.with_costs = ":metric" in sections
        assert {word for atom in self.init for word in atom[1:]} <= set(declared)

    def after(self, state: Atoms, name: str) -> tuple[Atoms, int] | None:
        """The state after an action and what it costs; None if it does not apply."""
        condition, effect = self.actions[name]
        if not holds(condition, state):
            return None
        changes = Changes(self.values)
        changes.collect(effect, state)
        return (state - changes.delete) | changes.add, changes.cost if self.with_costs else 1

    def successors(self, state: Atoms) -> Iterator[tuple[str, Atoms, int]]:
        for name in self.actions:
            after = self.after(state, name)
            if after:
                yield name, *after

    def solve(self, most: int = 1 << 60) -> tuple[int | None, set[Atoms]]:
        """The least cost of a plan, and all reachable states, or about as many as `most`."""
        best, cost = None, {self.init: 0}
        waiting: list[tuple[int, int, Atoms]] = [(0, 0, self.init)]
        number = 0
        while waiting and len(cost) < most:
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
