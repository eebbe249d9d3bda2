"""Problem texts that are forged: of another problem than the puzzle, with a claim, plan and evidence true of the text.

Each lie changes a text in one place, as whoever wants to claim another optimum would.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from budge.encoders.exports.problem_writing import write as problem_text
from budge.models.errors import BudgeError
from budge.models.families import load_text
from budge.proofs.core.claim import PUZZLE
from budge.proofs.core.exhaustion import Successors
from budge.proofs.core.limits import Limits, Rejected
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.core.problem import Action, Literals, Problem, read
from budge.workflows.certifying import canonical
from budge.workflows.exporting import problem_of

from .made_certificates import Files
from .mutated_certificates import least, shown_anew
from .pddl_domains import BLOCKS, PAIRS
from .random_boards import crowded, n_puzzle, rush_hour, sliding_block
from .random_definitions import Definitions
from .random_pddl import Problems
from .second_core import read_game

NAMES = {
    "moves": "blocks-world burnt-pancakes-4 hanoi-4-on-4-pegs ice-maze jugs-3-5 jugs-8-5-3 knights-exchange "
    "missionaries-and-cannibals pancakes-6 peg-solitaire-4x4 snake-5 wolf-goat-cabbage five-21 line-4 "
    "three-6 moving-day microban-009",
    "minutes": "bridge-and-torch",
    "weight,slides": "lorries-1",
    "pushes": "sokoban-microban-1 microban-001 microban-003 microban-015 microban-019 microban-027",
    "steps": "bird-3 level-02 level-13 level-17 simplicity",
    "slides": "level-01 level-09 level-10 level-15 level-26 level-36 unsolvable-deep traffic",
    "pushes,moves": "microban-021",
    "moves,pushes": "microban-023",
}
SHIPPED = [(name, metric) for metric, names in NAMES.items() for name in names.split(" ")]
"""Forty shipped puzzles with a metric each, of up to some thousand positions, and one without a plan."""

PDDL = {
    pair.domain.split()[2].strip("()"): "format: 1\nfamily: pddl\n"
    + "".join(
        f"{key}: |\n" + "".join(f"  {line}\n" for line in text.splitlines()) for key, text in pair._asdict().items()
    )
    for pair in (*PAIRS, BLOCKS)
}
"""Problems of planners, which are not shipped."""

LARGE = [("eight-10", "moves"), ("topspin", "moves"), ("level-31", "slides"), ("microban-057", "pushes")]
"""More positions than `test_forged_certificates.py` lets be compared, and an optimum among the first of them."""


def a_literal(problem: Problem, random_: random.Random) -> Literals:
    """That a variable has one of its values, or has not."""
    x = random_.randrange(len(problem.names))
    mask = 1 << random_.randrange(len(problem.domains[x]))
    return ((x, random_.choice((mask, problem.full(x) ^ mask))),)


def with_action(problem: Problem, change: Callable[[Action], Action], random_: random.Random) -> Problem:
    """The problem with one of its actions changed."""
    at = random_.randrange(len(problem.actions))
    return replace(problem, actions=(*problem.actions[:at], change(problem.actions[at]), *problem.actions[at + 1 :]))


def goal_added(problem: Problem, random_: random.Random) -> Problem:
    """One more thing is wanted."""
    return replace(problem, goal=(*problem.goal, a_literal(problem, random_)))


def goal_dropped(problem: Problem, random_: random.Random) -> Problem:
    """One thing less is wanted."""
    at = random_.randrange(max(1, len(problem.goal)))
    return replace(problem, goal=problem.goal[:at] + problem.goal[at + 1 :])


def action_dropped(problem: Problem, random_: random.Random) -> Problem:
    """An action is missing."""
    at = random_.randrange(len(problem.actions))
    return replace(problem, actions=problem.actions[:at] + problem.actions[at + 1 :])


def condition_added(problem: Problem, random_: random.Random) -> Problem:
    """An action needs one thing more."""
    more = a_literal(problem, random_)
    return with_action(problem, lambda action: replace(action, needs=(*action.needs, more)), random_)


def condition_dropped(problem: Problem, random_: random.Random) -> Problem:
    """An action needs one thing less."""

    def change(action: Action) -> Action:
        at = random_.randrange(max(1, len(action.needs)))
        return replace(action, needs=action.needs[:at] + action.needs[at + 1 :])

    return with_action(problem, change, random_)


def effect_changed(problem: Problem, random_: random.Random) -> Problem:
    """An action sets another value."""

    def change(action: Action) -> Action:
        x = random_.choice(list(action.effects))
        some = list(action.effects[x])
        at = random_.randrange(len(some))
        some[at] = some[at][0], random_.randrange(len(problem.domains[x]))
        return replace(action, effects=action.effects | {x: tuple(some)})

    return with_action(problem, change, random_)


def price_changed(problem: Problem, random_: random.Random) -> Problem:
    """An action costs more, or less."""

    def change(action: Action) -> Action:
        part, cost = random_.randrange(len(action.cost)), list(action.cost)
        cost[part] = max(0, cost[part] + random_.choice((1, 1, -1)))
        return replace(action, cost=tuple(cost))

    return with_action(problem, change, random_)


def start_moved(problem: Problem, random_: random.Random) -> Problem:
    """The start is the state after some actions."""
    game = read_game(problem_text(problem))
    state = game.start
    for _ in range(random_.choice((1, 1, 2, 5))):
        there = [step for step in game.steps if game.holds(state, step.needs)]
        state = game.after(state, random_.choice(there)) if there else state
    start = tuple(domain.index(value) for domain, value in zip(problem.domains, state, strict=True))
    return replace(problem, start=start)


def value_split(problem: Problem, random_: random.Random) -> Problem:
    """A value has a double, which an action sets in its place; a goal or a need most often forgets it."""
    x = random_.randrange(len(problem.names))
    new, value = len(problem.domains[x]), random_.randrange(len(problem.domains[x]))

    def wide(part: Literals) -> Literals:
        return tuple((y, mask | (mask >> value & 1) << new if y == x else mask) for y, mask in part)

    actions = [
        replace(
            action,
            needs=tuple(map(wide, action.needs)),
            effects={y: tuple((wide(when), told) for when, told in some) for y, some in action.effects.items()},
        )
        for action in problem.actions
    ]
    sets = [at for at, action in enumerate(actions) if any(told == value for _, told in action.effects.get(x, ()))]
    if sets:
        at = random_.choice(sets)
        some = tuple((when, new if told == value else told) for when, told in actions[at].effects[x])
        actions[at] = replace(actions[at], effects=actions[at].effects | {x: some})
    domains = (*problem.domains[:x], (*problem.domains[x], "double"), *problem.domains[x + 1 :])
    split = replace(problem, domains=domains, goal=tuple(map(wide, problem.goal)), actions=tuple(actions))
    if (how := random_.randrange(3)) == 0:
        return split

    def forgets(clauses: tuple[Literals, ...]) -> tuple[Literals, ...]:
        return tuple(tuple((y, mask & ~(1 << new) if y == x else mask) for y, mask in part) for part in clauses)

    if how == 1:
        return replace(split, goal=forgets(split.goal))
    return with_action(split, lambda action: replace(action, needs=forgets(action.needs)), random_)


LIES: list[Callable[[Problem, random.Random], Problem]] = [
    goal_added,
    goal_dropped,
    action_dropped,
    condition_added,
    condition_dropped,
    effect_changed,
    price_changed,
    start_moved,
    value_split,
]


def is_small(text: str, most: int, *, whole: bool) -> bool:
    """Whether a problem has up to `most` states; not `whole`: or up to its first goal."""
    game = Successors(read(text), Limits())
    seen, queue = {game.start}, [game.start]
    for state in queue:
        if len(seen) > most or (not whole and game.solved(state)):
            return len(seen) <= most
        for _, then in game.successors(state):
            if then not in seen:
                seen.add(then)
                queue.append(then)
    return True


def honest(text: str, metric: str) -> Files:
    """A puzzle and its problem text, not forged."""
    puzzle = load_text(text)
    return {PUZZLE: canonical(puzzle).encode(), PROBLEM: problem_of(puzzle, metric).text.encode()}


def forgeries(files: Files, many: int, random_: random.Random) -> Iterator[tuple[str, Files]]:
    """Certificates of forged texts, `many` by each lie, with its name. What is no problem text, or is the one that was
    there, is left out; and what takes long to search.
    """
    problem = read(files[PROBLEM].decode())
    for lie in LIES:
        seen = {files[PROBLEM].decode()}
        for _ in range(many):
            with suppress(Rejected):
                forged = lie(problem, random_)
                text = problem_text(forged)
                if text not in seen and is_small(text, 5000, whole=False):
                    seen.add(text)
                    yield lie.__name__, shown_anew(files, forged)


def random_puzzle(seed: int) -> tuple[str, str] | None:
    """A puzzle of up to a thousand positions, not solved by one action, and a metric; None if what was made is none."""
    how = seed % 8
    if how == 0:
        domain, problem = ("\n".join(f"  {line}" for line in text.splitlines()) for text in Problems(seed).texts())
        text = f"format: 1\nfamily: pddl\ndomain: |\n{domain}\nproblem: |\n{problem}\n"
    elif how == 1:
        text = Definitions(seed).text()
    elif how <= 3:
        text = sliding_block(seed).text
    else:
        text = n_puzzle(seed) if how == 4 else rush_hour(seed) if how < 7 else crowded(rush_hour(seed), seed)
    try:
        puzzle = load_text(text)
        metric = random.Random(seed).choice(puzzle.metrics)
        made = problem_of(puzzle, metric).text
    except BudgeError:
        return None
    if len(made) > 30_000 or "\nact " not in made or not is_small(made, 1000, whole=True):
        return None
    best = least(made)
    return (text, metric) if best is not None and len(best[1]) > 1 else None
