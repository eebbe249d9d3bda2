"""Forged problem texts, one change each, and true ones, written in another order: what the checker says of them.

    python benchmarks/forged_texts.py                    10,000 forged and 2,000 true texts of random puzzles
    python benchmarks/forged_texts.py --forged 500       fewer, and as many true ones for each
    python benchmarks/forged_texts.py --seed 7           other puzzles

Each forged text has a claim that is true of it, its own optimum. It may be accepted (exit code 0) only if it is the
puzzle all the same: if the graphs of both are equal where all positions are compared. A true text has its actions
renamed, and variables, values, clauses and actions in another order: if the text as Budge writes it is derived, so is
this one. What went wrong is shown with the seed of its puzzle, and ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from budge.encoders.exports.problem_writing import write
from budge.models.errors import BudgeError
from budge.models.families import load_text
from budge.models.library import load
from budge.proofs.check import compared
from budge.proofs.core.claim import OPTIMUM, UNSOLVABLE, Claim
from budge.proofs.core.exhaustion import Successors, exhaust
from budge.proofs.core.limits import Invalid, Limits, Rejected
from budge.proofs.core.problem import Cost, Literals, Problem, read
from budge.proofs.games import puzzle_of
from budge.workflows.certifying import canonical
from budge.workflows.exporting import problem_of

from tests.helpers.board_games import game_by_rules
from tests.helpers.compared_graphs import compare
from tests.helpers.forged_problems import LIES, PDDL, SHIPPED, is_small, random_puzzle

DERIVED = "that problem.txt is puzzle.yaml was derived"
REFUSED, OPEN, SAME, WRONG = "refused", "left open", "the puzzle all the same", "WRONG"


def level(draw: random.Random) -> str:
    """A random level of Sokoban, solvable or not."""
    height, width = draw.randint(2, 4), draw.randint(3, 5)
    cells = [(r, c) for r in range(height) for c in range(width)]
    draw.shuffle(cells)
    boxes = draw.randint(1, 3)
    signs = dict(
        zip(cells, ["@", *"$" * boxes, *"." * (boxes + (draw.random() < 0.2)), *"#" * draw.randint(0, 3)], strict=False)
    )
    rows = ["#" * (width + 2)]
    rows += ["#" + "".join(signs.get((r, c), " ") for c in range(width)) + "#" for r in range(height)]
    return "format: 1\nfamily: sokoban\nmap: |2\n" + "".join(f"  {row}\n" for row in [*rows, rows[0]])


def puzzle_text(seed: int) -> tuple[str, str] | None:
    """A puzzle and a metric: a random one or, of every four, a shipped one; None if what was made is none."""
    draw = random.Random(seed)
    with suppress(BudgeError):
        if seed % 8 in (0, 4):
            text = level(draw) if seed % 8 else draw.choice(list(PDDL.values()))
            metric = draw.choice(load_text(text).metrics)
        elif seed % 8 == 2:
            name, metric = draw.choice(SHIPPED)
            text = load(name).to_yaml()
        else:
            found: tuple[str, str] | None = random_puzzle(draw.randrange(10**6))
            return found
        made = problem_of(load_text(text), metric).text
        if "\nact " in made and is_small(made, 2000, whole=True):
            return text, metric
    return None


def shuffled(problem: Problem, draw: random.Random) -> Problem:
    """The same problem in another order, its actions with other names."""
    order = draw.sample(range(len(problem.names)), len(problem.names))
    values = [draw.sample(range(len(domain)), len(domain)) for domain in problem.domains]

    def literals(part: Literals) -> Literals:
        new = [(order.index(x), sum(1 << values[x].index(i) for i in range(mask.bit_length()) if mask >> i & 1))
               for x, mask in part]  # fmt: skip
        return tuple(sorted(new))

    actions = [
        replace(
            action,
            name=f"a{number}",
            needs=tuple(map(literals, draw.sample(action.needs, len(action.needs)))),
            effects={
                order.index(x): tuple((literals(when), values[x].index(value)) for when, value in some)
                for x, some in action.effects.items()
            },
        )
        for number, action in enumerate(problem.actions)
    ]
    return replace(
        problem,
        names=tuple(problem.names[x] for x in order),
        domains=tuple(tuple(problem.domains[x][value] for value in values[x]) for x in order),
        start=tuple(values[x].index(problem.start[x]) for x in order),
        goal=tuple(map(literals, problem.goal)),
        actions=tuple(draw.sample(actions, len(actions))),
    )


def verdict(text: str, problem: Problem, optimum: Cost | None) -> str:
    """What the checker says of a problem text with its own optimum: is it the puzzle, which has this `optimum`?"""
    limits = Limits(60, 2000)
    try:
        cost = exhaust(problem, None, [], limits)[1]
        claim = Claim(problem, UNSOLVABLE if cost is None else OPTIMUM, cost)
        how, unknown, _ = compared(text, claim, limits)
    except Rejected:
        return REFUSED
    if unknown:
        return OPEN
    if cost != optimum:
        return WRONG
    if not how.startswith(DERIVED):
        return SAME  # all positions to the claimed cost were visited by the rules
    game = game_by_rules(puzzle_of(text), ",".join(problem.counts), Limits(None, None))
    try:
        compare(game, Successors(problem, limits), limits)
    except Invalid:
        return WRONG
    return SAME


def main() -> int:
    """Forge texts until there are enough, and print what was said of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forged", type=int, default=10_000, help="forged texts, at least (default 10,000)")
    parser.add_argument("--seed", type=int, default=0, help="of the first puzzle (default 0)")
    options = parser.parse_args()
    said, derived, seed, began = Counter[tuple[str, str]](), Counter[str](), options.seed, time.process_time()
    wrong = list[str]()
    while sum(said.values()) < options.forged:
        seed += 1
        if (made := puzzle_text(seed)) is None:
            continue
        puzzle, draw = load_text(made[0]), random.Random(seed)
        text, problem = canonical(puzzle), read(problem_of(puzzle, made[1]).text)
        optimum = exhaust(problem, None, [], Limits(None, None))[1]
        honest = verdict(text, problem, optimum)
        derived[f"honest: {honest}"] += 1
        with suppress(Rejected):
            other = verdict(text, read(write(shuffled(problem, draw))), optimum)
            derived[f"shuffled: {other}"] += 1
            if other != honest:
                wrong.append(f"seed {seed}, {puzzle.family}, {made[1]}: in another order {other}, not {honest}")
        for lie in LIES:
            with suppress(Rejected, IndexError, ValueError):
                forged = read(write(lie(problem, draw)))
                if forged == problem or not is_small(write(forged), 5000, whole=True):
                    continue
                answer = verdict(text, forged, optimum)
                said[puzzle.family, answer] += 1
                if answer == WRONG:
                    wrong.append(f"seed {seed}, {puzzle.family}, {made[1]}: {lie.__name__} is accepted")
    for (family, answer), many in sorted(said.items()):
        print(f"{family:15}{answer:26}{many:7,}")
    print(f"{sum(said.values()):,} forged texts; {dict(derived)}; {time.process_time() - began:.0f} s")
    for line in wrong:
        print(line)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
