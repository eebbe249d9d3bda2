"""Random tasks with costs to 1,000,000,000, solved by every engine and beside Dijkstra's algorithm.

    python benchmarks/large_costs.py --tasks 1000

Each is a road map, with free roads, roads that cost next to nothing and roads that cost 1,000,000,000, on which one
mover or two go from place to place; some have no plan. Half are files of the family `custom`, half PDDL. An engine may
refuse a task, or stop at a limit; then its bounds have to hold. Prints the answers of each engine, and each that is
wrong; the exit code is 1 if there is one.
"""

from __future__ import annotations

import argparse
import heapq
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from budge import BudgeError, solve

ENGINES = ("astar", "bfs", "cp-sat", "csp", "greedy", "idastar", "plain")
COSTS = (0, 1, 2, 7, 999, 10**6, 2**24, 2**29, 999_999_937, 10**9)

Roads = dict[tuple[int, int], int]
"""Roads of one direction, each with its cost."""


class RoadMap:
    """A random road map with `places`; `movers`, a start and an end for each."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.places = chance.randint(3, 9)
        kinds = chance.sample(COSTS, chance.randint(1, 4)) + [chance.randint(1, 10**9)] * chance.randint(0, 1)
        self.roads: Roads = {}
        for _ in range(chance.randint(self.places, 3 * self.places)):
            here, there = chance.sample(range(self.places), 2)
            self.roads[here, there] = chance.choice(kinds)
            if chance.random() < 0.5:
                self.roads[there, here] = chance.choice(kinds)
        count = chance.randint(1, 2)
        self.movers = [tuple(chance.sample(range(self.places), 2)) for _ in range(count)]

    def optimum(self) -> int | None:
        """The least cost, by Dijkstra's algorithm for each mover; None if there is no plan."""
        found = [self._way(*ends) for ends in self.movers]
        return None if None in found else sum(cost for cost in found if cost is not None)

    def _way(self, start: int, end: int) -> int | None:
        waiting, done = [(0, start)], set[int]()
        while waiting:
            cost, here = heapq.heappop(waiting)
            if here == end:
                return cost
            if here not in done:
                done.add(here)
                for (other, there), price in self.roads.items():
                    if other == here:
                        heapq.heappush(waiting, (cost + price, there))
        return None

    def as_pddl(self) -> tuple[str, str]:
        """The domain and the problem."""
        domain = (
            "(define (domain roads) (:requirements :typing :action-costs) (:types place mover)\n"
            "(:predicates (at ?m - mover ?p - place) (road ?p ?q - place))\n"
            "(:functions (total-cost) - number (d ?p ?q - place) - number)\n"
            "(:action go :parameters (?m - mover ?p ?q - place) :precondition (and (at ?m ?p) (road ?p ?q))\n"
            " :effect (and (not (at ?m ?p)) (at ?m ?q) (increase (total-cost) (d ?p ?q)))))\n"
        )
        objects = " ".join(f"p{place}" for place in range(self.places)) + " - place "
        objects += " ".join(f"m{mover}" for mover in range(len(self.movers))) + " - mover"
        init = [f"(at m{mover} p{start})" for mover, (start, _) in enumerate(self.movers)] + ["(= (total-cost) 0)"]
        for (here, there), cost in self.roads.items():
            init += [f"(road p{here} p{there})", f"(= (d p{here} p{there}) {cost})"]
        goal = " ".join(f"(at m{mover} p{end})" for mover, (_, end) in enumerate(self.movers))
        problem = (
            f"(define (problem map) (:domain roads) (:objects {objects})\n(:init {' '.join(init)})\n"
            f"(:goal (and {goal})) (:metric minimize (total-cost)))\n"
        )
        return domain, problem

    def as_yaml(self) -> str:
        """A file of the family `custom`: an action for each road and mover."""
        lines = ["format: 1", "family: custom", "types:", f"  place: 1..{self.places}", "state:"]
        for mover, (start, _) in enumerate(self.movers):
            lines.append(f"  at{mover}: {{in: place, start: {start + 1}}}")
        lines.append("actions:")
        for mover, ((here, there), cost) in product(range(len(self.movers)), self.roads.items()):
            lines.append(f"  go{mover}_{here + 1}_{there + 1}:")
            lines.append(f"    when: at{mover} == {here + 1}")
            lines.append(f"    set: {{at{mover}: {there + 1}}}")
            lines.append(f"    cost: {cost}")
        goals = " and ".join(f"at{mover} == {end + 1}" for mover, (_, end) in enumerate(self.movers))
        return "\n".join([*lines, f"goal: {goals}", ""])


def answers(folder: Path, seed: int, seconds: float = 20.0) -> Iterator[tuple[str, str, str]]:
    """(engine, answer, what is wrong with it or "") of each engine on the road map of a seed."""
    road_map = RoadMap(seed)
    file = folder / "map.pddl" if seed % 2 else folder / "map.yaml"
    if seed % 2:
        domain, problem = road_map.as_pddl()
        (folder / "domain.pddl").write_text(domain)
        file.write_text(problem)
    else:
        file.write_text(road_map.as_yaml())
    optimum = road_map.optimum()
    for engine in ENGINES:
        try:
            found = solve(file, engine=engine, time_limit=seconds, memory_limit=2048)
        except BudgeError as error:
            fault = type(error).__name__ == "FaultError"
            yield engine, f"refused ({type(error).__name__})", str(error) if fault else ""
            continue
        status, low, high = str(found.status), found.lower_bound, found.upper_bound
        if status == "unsolvable":
            wrong = "" if optimum is None else f"unsolvable, but {optimum:,} is the optimum"
        elif optimum is None:
            wrong = f"a plan of {high:,}, but there is none" if high is not None else ""
        else:
            fits = (low is None or low <= optimum) and (high is None or high >= optimum)
            closed = status != "optimal" or low == high == optimum
            wrong = "" if fits and closed else f"{status} {low} to {high}, but {optimum:,} is the optimum"
        yield engine, status, wrong


def main() -> int:
    """Solve the tasks and print what came out; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    arguments = parser.parse_args()
    from heading import heading  # found only where this file is run as a script; a test imports it

    print(heading())
    counts, wrong = Counter[tuple[str, str]](), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.first, arguments.first + arguments.tasks):
            for engine, answer, problem in answers(Path(folder), seed):
                counts[engine, answer] += 1
                if problem:
                    wrong += 1
                    print(f"seed {seed}, {engine}: {problem}", flush=True)
    for (engine, answer), count in sorted(counts.items()):
        print(f"{engine:14} {answer:28} {count:6,}")
    print(f"{arguments.tasks:,} tasks, {wrong:,} wrong answers")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
