"""Tasks in `.sas`, the output of Fast Downward's translator (version 3): made of any problem text, by chance, and
solved apart from Budge.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from itertools import product, takewhile

from budge.proofs.core.problem import Literal, Literals, Problem

REACHED = "reached"
"""The variable that an operator for nothing sets where the goal holds, as `.sas` has no `or` in its goal."""


def facts_of(literal: Literal) -> list[tuple[int, int]]:
    x, mask = literal
    return [(x, value) for value in range(mask.bit_length()) if mask >> value & 1]


def ways(clauses: Iterable[Literals]) -> Iterator[dict[int, int]]:
    """The ways in which all of some clauses are true: a value of some variables each."""
    several = [[fact for literal in clause for fact in facts_of(literal)] for clause in clauses]
    for facts in product(*several):
        way = dict(facts)
        if all(way[x] == value for x, value in facts):
            yield way


def lines_of(way: dict[int, int]) -> list[str]:
    return [str(len(way)), *(f"{x} {value}" for x, value in way.items())]


def operator(name: str, way: dict[int, int], effects: list[str], cost: int) -> list[str]:
    return ["begin_operator", name, *lines_of(way), str(len(effects)), *effects, str(cost), "end_operator"]


def sas_of(problem: Problem) -> str:
    """The problem; operators of one name where an action asks for one of several values."""
    goal = len(problem.names)
    lines = ["begin_version", "3", "end_version", "begin_metric", "1", "end_metric", str(goal + 1)]
    for x, (name, words) in enumerate(zip((*problem.names, REACHED), (*problem.domains, ("no", "yes")), strict=True)):
        own = re.sub(r"\W", "-", name)
        values = [f"Atom {own}({word.replace('.', ', ')}, {number})" for number, word in enumerate(words)]
        if words == ("no", "yes"):
            values = [f"NegatedAtom {own}()", f"Atom {own}()"]
        lines += ["begin_variable", f"var{x}", "-1", str(len(values)), *values, "end_variable"]
    lines += [
        "0",
        "begin_state",
        *map(str, problem.start),
        "0",
        "end_state",
        "begin_goal",
        "1",
        f"{goal} 1",
        "end_goal",
    ]
    operators = [operator("reach it", way, [f"0 {goal} 0 1"], 0) for way in ways(problem.goal)]
    for action in problem.actions:
        for way in ways(action.needs):
            effects = [
                " ".join(map(str, (len(when), *(n for fact in when.items() for n in fact), x, way.get(x, -1), value)))
                for x, several in action.effects.items()
                for conditions, value in several
                for when in ways([(literal,) for literal in conditions])
            ]
            operators.append(operator(action.name.replace(".", " "), way, effects, action.cost[0]))
    lines += [str(len(operators)), *(line for one in operators for line in one), "0"]
    return "\n".join(lines) + "\n"


def random_sas(seed: int) -> str:
    """A small task with all that the format has: values that are atoms, negated, or none; operators of one name,
    conditional effects, old values that are not known, several effects on one variable.
    """
    chance = random.Random(seed)
    sizes = [chance.choice((2, 2, 3, 4)) for _ in range(chance.randint(2, 4))]
    lines = ["begin_version", "3", "end_version", "begin_metric", str(chance.randint(0, 1)), "end_metric"]
    lines.append(str(len(sizes)))
    for x, size in enumerate(sizes):
        values = [f"Atom at(v{x}, p{value})" for value in range(size)]
        if size == 2 and chance.random() < 0.5:
            values = [f"Atom on(v{x})", f"NegatedAtom on(v{x})"]
        elif chance.random() < 0.5:
            values[chance.randrange(size)] = "<none of those>"
        lines += ["begin_variable", f"var{x}", "-1", str(size), *values, "end_variable"]

    def value(x: int) -> int:
        return chance.randrange(sizes[x])

    def some(most: int) -> dict[int, int]:
        return {x: value(x) for x in chance.sample(range(len(sizes)), min(len(sizes), chance.randint(0, most)))}

    lines += ["0", "begin_state", *(str(value(x)) for x in range(len(sizes))), "end_state"]
    lines += ["begin_goal", *lines_of(some(3) or {0: value(0)}), "end_goal"]
    operators = []
    for _ in range(chance.randint(2, 7)):
        needs, effects = some(2), list[str]()
        for _ in range(chance.randint(1, 4)):
            x, when = chance.randrange(len(sizes)), some(2) if chance.random() < 0.4 else {}
            old = value(x) if x not in needs and not effects and chance.random() < 0.6 else -1
            effects.append(" ".join(map(str, (len(when), *(n for f in when.items() for n in f), x, old, value(x)))))
        operators.append(operator(f"go {chance.randint(1, 4)}", needs, effects, chance.randint(0, 3)))
    lines += [str(len(operators)), *(line for one in operators for line in one), "0"]
    return "\n".join(lines) + "\n"


def optimum_of(text: str) -> int | None:
    """The cost of a cheapest plan, read and searched apart from Budge (Dijkstra); None if there is none."""
    lines = iter(text.split("\n"))

    def rest(word: str) -> list[str]:
        return list(takewhile(lambda line: line != word, lines))

    rest("begin_metric")
    priced = rest("end_metric") == ["1"]
    rest("begin_state")
    start = tuple(map(int, rest("end_state")))
    rest("begin_goal")
    goal = [tuple(map(int, line.split())) for line in rest("end_goal")[1:]]
    operators = []
    for _ in range(int(next(lines))):
        _, _, many, *more = rest("end_operator")
        needs = [tuple(map(int, line.split())) for line in more[: int(many)]]
        effects = [[*map(int, line.split())] for line in more[int(many) + 1 : -1]]
        operators.append((needs, effects, int(more[-1]) if priced else 1))
    waiting, done = [(0, start)], set()
    while waiting:
        cost, state = heappop(waiting)
        if state in done:
            continue
        done.add(state)
        if all(state[x] == value for x, value in goal):
            return cost
        for needs, effects, price in operators:
            olds = [(effect[-3], effect[-2]) for effect in effects if effect[-2] >= 0]
            if all(state[x] == value for x, value in (*needs, *olds)):
                after = list(state)
                for effect in effects:
                    if all(state[x] == value for x, value in zip(effect[1:-3:2], effect[2:-3:2], strict=True)):
                        after[effect[-3]] = effect[-1]
                heappush(waiting, (cost + price, tuple(after)))
    return None
