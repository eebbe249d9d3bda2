"""Random problems with changes of counters."""

from __future__ import annotations

import random

from budge.encoders.exports.problem_writing import write
from budge.proofs.core.problem import Action, Literals, Problem, read


def random_problem(draw: random.Random) -> Problem:
    """A problem whose actions cost 1 and change one variable, with needs about others, and about several. Half of them
    have one action at most between two values.
    """
    sizes = [draw.randint(2, 4) for _ in range(draw.randint(2, 4))]
    actions, ways, tame = {}, set(), draw.random() < 0.5
    for number in range(draw.randint(8, 50)):
        x = draw.randrange(len(sizes))
        others, to = [y for y in range(len(sizes)) if y != x], draw.randrange(sizes[x])
        needs: list[Literals] = []
        if tame or draw.random() < 0.5:
            here = draw.randrange(sizes[x])
            if tame and (here == to or (x, here, to) in ways):
                continue
            ways.add((x, here, to))
            needs.append(((x, 1 << here),))
        elif draw.random() < 0.9:
            needs.append(((x, draw.randrange(1, (1 << sizes[x]) - 1)),))
        for y in draw.sample(others, draw.randint(0, 1)):
            needs.append(((y, draw.randrange(1, (1 << sizes[y]) - 1)),))
        if draw.random() < 0.3:
            several = sorted(draw.sample(others if tame else range(len(sizes)), min(2, len(others))))
            needs.append(tuple((y, draw.randrange(1, (1 << sizes[y]) - 1)) for y in several))
        actions[f"a{number}"] = Action(f"a{number}", (1,), tuple(needs), {x: (((), to),)})
    names = tuple(f"x{i}" for i in range(len(sizes)))
    goal = tuple(((x, 1 << draw.randrange(size)),) for x, size in enumerate(sizes) if draw.random() < 0.7)
    start = tuple(draw.randrange(size) for size in sizes)
    domains = tuple(tuple(map(str, range(size))) for size in sizes)
    return read(write(Problem(("n",), names, domains, start, goal, tuple(actions.values()))))
