"""States and seconds with interchangeable objects, and with all objects told apart; prints a table.

    python benchmarks/interchangeable.py                    all puzzles
    python benchmarks/interchangeable.py --only gripper     those whose name has this word
    python benchmarks/interchangeable.py --limit 60         seconds for each run

Shipped puzzles with rules of their own, by `bfs`; discs on pegs, jugs, and balls to be carried from room to room in
PDDL (`gripper-12` has twelve of them), by `astar`. `exchanges`: the classes of objects. Seconds are those of the engine
alone, of the processor, with everything compiled. A run that ends at its limit shows the states met until then.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from budge import Budget, Puzzle, Status, load, load_text
from budge.analysis.symmetries import symmetries_of
from budge.engines.table import find
from budge.models.program import ProgramTask
from budge.models.task import OperatorTask, Task
from heading import heading

SHIPPED = ("water-sort-13", "ball-sort", "lunar-lockout-39", "ricochet-robots-moon")
BALLS = (4, 8, 12, 16, 20)

GRIPPER = """
(define (domain gripper) (:requirements :typing)
 (:types room ball hand)
 (:predicates (robot ?r - room) (at ?b - ball ?r - room) (free ?h - hand) (carry ?b - ball ?h - hand))
 (:action move :parameters (?a ?b - room) :precondition (and (robot ?a) (not (= ?a ?b)))
  :effect (and (robot ?b) (not (robot ?a))))
 (:action pick :parameters (?b - ball ?r - room ?h - hand) :precondition (and (at ?b ?r) (robot ?r) (free ?h))
  :effect (and (carry ?b ?h) (not (at ?b ?r)) (not (free ?h))))
 (:action drop :parameters (?b - ball ?r - room ?h - hand) :precondition (and (carry ?b ?h) (robot ?r))
  :effect (and (at ?b ?r) (free ?h) (not (carry ?b ?h)))))
"""


def gripper(balls: int) -> Puzzle:
    names = [f"b{n}" for n in range(balls)]
    here, there = (" ".join(f"(at {ball} {room})" for ball in names) for room in ("here", "there"))
    problem = f"""(define (problem balls) (:domain gripper)
 (:objects here there - room {" ".join(names)} - ball l r - hand)
 (:init (robot here) (free l) (free r) {here}) (:goal (and {there})))"""
    return load_text(json.dumps({"format": 1, "family": "pddl", "domain": GRIPPER, "problem": problem}))


HANOI = """
format: 1
family: custom
types: {disc: 1..DISCS, peg: [PEGS]}
state:
  at: {of: disc, in: peg, start: p1}
actions:
  move:
    with: {d: disc, p: peg}
    when: p != at[d] and all(at[e] != at[d] and at[e] != p for e in disc if e < d)
    set:
      at[d]: p
goal: all(at[d] == p2 for d in disc)
"""

JUGS = """
format: 1
family: custom
types: {jug: [NAMES]}
constants:
  size: {of: jug, in: 7..24, value: [SIZES]}
state:
  water: {of: jug, in: 0..24, start: {big: 24, others: 0}}
actions:
  pour:
    with: {a: jug, b: jug}
    when: a != b
    set:
      water[a]: water[a] - min(water[a], size[b] - water[b])
      water[b]: water[b] + min(water[a], size[b] - water[b])
goal: any(water[j] == 1 for j in jug)
"""


def hanoi(discs: int, pegs: int) -> Puzzle:
    names = ", ".join(f"p{n + 1}" for n in range(pegs))
    return load_text(HANOI.replace("DISCS", str(discs)).replace("PEGS", names))


def jugs(sevens: int) -> Puzzle:
    """One jug of 24, which is full, one of 11, and some of 7."""
    names = ", ".join(["big", "eleven", *(f"j{n + 1}" for n in range(sevens))])
    return load_text(JUGS.replace("NAMES", names).replace("SIZES", ", ".join(["24", "11", *["7"] * sevens])))


def measured(puzzle: Puzzle, engine: str, limit: float) -> str:
    """The rest of a line: exchanges, optimum, and states and seconds with and without them."""
    task = puzzle.form(puzzle.metrics[0])
    views: list[tuple[Task, str | None]]
    if isinstance(task, ProgramTask):
        views = [(task, None), (task.told_apart, None)]
        kinds = ", ".join(each.words for each in task.interchangeable)
    else:
        views = [(task, None), (task, "symmetries")]
        assert isinstance(task, OperatorTask)
        kinds = f"{len(symmetries_of(task).fact)} exchanges of two"
    cells, optima = [], set()
    for view, without in views:
        began = time.process_time()
        outcome = find(engine).run(view, Budget(limit), without=without)
        seconds = time.process_time() - began
        if outcome.status is Status.OPTIMAL:
            optima.add((outcome.upper_bound or (0,))[0])
        states = f"{outcome.stats['states']:,}"
        cells.append(
            f"{states} | {seconds:.2f}" if outcome.status is Status.OPTIMAL else f"{states}, no proof | {seconds:.0f}"
        )
    if len(optima) > 1:
        raise SystemExit(f"the optima differ: {optima}")
    return f"{kinds} | {', '.join(map(str, optima))} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="puzzles whose name has this word")
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for each run")
    arguments = parser.parse_args()
    print(heading())
    print("| puzzle | engine | exchanges | optimum | states | seconds | told apart: states | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    lines = [(name, "bfs", partial(load, name)) for name in SHIPPED]
    lines += [
        (f"hanoi-{discs}-on-{pegs}", "astar", partial(hanoi, discs, pegs)) for discs, pegs in ((6, 4), (7, 5), (7, 7))
    ]
    lines += [(f"jugs-24-11-and-{sevens}-of-7", "astar", partial(jugs, sevens)) for sevens in (2, 3, 4)]
    lines += [(f"gripper-{balls}", "astar", partial(gripper, balls)) for balls in BALLS]
    for warm_up in ("bfs", load("ball-sort")), ("astar", gripper(2)):
        measured(warm_up[1], warm_up[0], 600.0)
    for name, engine, make in lines:
        if arguments.only in name:
            print(f"| {name} | `{engine}` | {measured(make(), engine, arguments.limit)}", flush=True)


if __name__ == "__main__":
    main()
