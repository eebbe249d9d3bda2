"""Small random problem texts, with conditional effects, copies, walks, costs from 0 to 3, and one count or two."""

from __future__ import annotations

import random

from budge.proofs.core.problem import Action, Literals, Problem, copied

VALUES = "abcde"


def random_literals(random_: random.Random, domains: tuple[tuple[str, ...], ...], most: int) -> Literals:
    """A clause or a condition, of up to `most` literals."""
    chosen = random_.sample(range(len(domains)), random_.randint(1, min(most, len(domains))))
    return tuple((x, random_.randrange(1, (1 << len(domains[x])) - 1)) for x in sorted(chosen))


def random_effects(
    random_: random.Random, domains: tuple[tuple[str, ...], ...], x: int
) -> tuple[tuple[Literals, int], ...]:
    """What an action does to a variable: always, under a condition, under two that exclude each other, or a copy."""
    size, kind = len(domains[x]), random_.randrange(6)
    if kind == 0:
        y = random_.choice([y for y in range(len(domains)) if y != x])
        if set(domains[y]) <= set(domains[x]):
            return tuple(copied(domains, x, y))
    if kind == 1:
        return ((random_literals(random_, domains, 2), random_.randrange(size)),)
    if kind == 2:
        one = random_literals(random_, domains, 2)
        y, mask = random_.choice(one)
        rest = (1 << len(domains[y])) - 1 & ~mask
        other = {y: rest} | {z: part for z, part in random_literals(random_, domains, 1) if z != y}
        return (one, random_.randrange(size)), (tuple(sorted(other.items())), random_.randrange(size))
    return (((), random_.randrange(size)),)


def random_problem(random_: random.Random) -> Problem:
    """A problem."""
    domains = tuple(tuple(VALUES[: random_.randint(2, 4)]) for _ in range(random_.randint(2, 4)))
    counts, walks = random_.choice([1, 1, 1, 2]), random_.random() < 0.5
    walk = random_.randrange(len(domains))
    actions = []
    for number in range(random_.randint(3, 9)):
        needs = tuple(
            {random_literals(random_, domains, random_.choice([1, 1, 2])) for _ in range(random_.randrange(3))}
        )
        effects: dict[int, tuple[tuple[Literals, int], ...]]
        if walks and random_.random() < 0.5:
            cost, effects = 0, {walk: (((), random_.randrange(len(domains[walk]))),)}
        else:
            cost = random_.choice([1, 1, 1, 2, 3] if walks or random_.random() < 0.9 else [0])
            changed = random_.sample(range(len(domains)), random_.randint(1, 2))
            effects = {x: random_effects(random_, domains, x) for x in changed}
        actions.append(Action(f"a{number}", (cost, random_.randrange(3))[:counts], needs, effects))
    start = tuple(random_.randrange(len(domain)) for domain in domains)
    goal = tuple((x, 1 << random_.randrange(len(domains[x]))) for x in range(len(domains)) if random_.random() < 0.7)
    names = tuple("PQRS"[: len(domains)])
    return Problem(("moves", "meters")[:counts], names, domains, start, tuple((one,) for one in goal), tuple(actions))
