"""How many plans have the cost of the optimum: a layer beside the core, which visits every state of every such plan.

claim.txt says so in its third line, and the fourth one says by what:

    budge claim 1
    optimum 24
    plans 102212             how many plans cost 24: sequences of names of actions of problem.txt
    by counting 3870         how many states are visited
    table X 4 3 2 1 0        as for exhaustion, and invariants

States are visited by their cost (Dijkstra), and each is given the number of ways to it at its least cost: the sum of
the numbers of the states before it. Every action costs something, so that number is known before the state is visited.
A state is left out if its cost and the bound of the tables together are above the optimum; no plan of the optimum
passes there. None below the optimum is a goal; the numbers of the goals at the optimum are added up.

That problem.txt has the same optimum as the puzzle does not say that it has as many plans. So the plans are counted a
second time by the rules of the puzzle, without tables, where that takes at most `MOST` positions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from typing import Any

from .core.check import check_plan, text_of
from .core.claim import EXHAUSTION, FILE, OPTIMUM, Claim, Table, bound, check_evidence, read_claim
from .core.exhaustion import Successors
from .core.limits import Invalid, Limits, Stopped, Unsupported
from .core.problem import FILE as PROBLEM
from .core.problem import Cost, Problem, read
from .games import Game, game_of, problem_game
from .puzzles import puzzle_of

COUNTING, PLANS = "counting", "plans"
BY = f"by {COUNTING} "

MOST = 200_000
"""Positions that the rules of a puzzle visit, at most, to count its plans."""

EACH = 400
"""Bytes of a state, not counting the state itself: entries of two dictionaries and of the queue, and a cost."""

NUMBER = re.compile("[1-9][0-9]{0,999}")


@dataclass(frozen=True, slots=True)
class Counted:
    """How many states were visited, and how many plans cost as much as was asked for."""

    states: int
    plans: int


class TooManyStates(Exception):
    """More states would be visited than are allowed."""


def count_plans(
    game: Game, cost: Cost, left_out: Callable[[Any, Cost], bool], limits: Limits, most: int | None = None
) -> Counted:
    """Count the plans of a cost, where there is none that costs less, without states that `left_out` says are on none
    of them. Raises `Invalid` if a plan costs less, `Unsupported` if a move costs nothing, `TooManyStates` if more than
    `most` would be visited, and `Stopped`.
    """
    best, ways = {game.start: game.nothing}, {game.start: 1}
    queue: list[tuple[Cost, int, Any]] = [(game.nothing, 0, game.start)]
    states = plans = met = 0
    while queue:
        so_far, _, state = heappop(queue)
        if so_far > best[state]:
            continue
        if states == most:
            raise TooManyStates
        states += 1
        limits.tick()
        here = ways.pop(state)
        if game.solved(state):
            if so_far < cost:
                raise Invalid(f"the claim is wrong: there is a plan that costs {','.join(map(str, so_far))}", FILE)
            plans += here
            continue
        for more, then in game.moves(state):
            if not any(more):
                raise Unsupported("plans are counted where every move costs something, and here one costs nothing")
            total = tuple(map(int.__add__, so_far, more))
            known = best.get(then)
            if known == total:
                ways[then] += here
            elif total <= cost and (known is None or total < known) and not left_out(then, total):
                limits.hold(EACH + game.size if known is None else EACH // 4)
                best[then], ways[then], met = total, here, met + 1
                heappush(queue, (total, met, then))
    return Counted(states, plans)


def count_in_problem(problem: Problem, cost: Cost, tables: list[Table], limits: Limits) -> Counted:
    """Count the plans of the optimum in a problem text. Raises as `count_plans` does."""
    if not all(any(action.cost) for action in problem.actions):
        raise Unsupported("plans are counted where every action costs something, and here one costs nothing")
    bits = Successors(problem, limits)

    def left_out(state: int, so_far: Cost) -> bool:
        limits.tick(len(tables))
        return (so_far[0] + max(bound(tables, partial(bits.value, state)), 0), *so_far[1:]) > cost

    return count_plans(problem_game(bits), cost, left_out, limits)


def agreed_by_rules(claim: Claim, plans: int, text: str, limits: Limits) -> str:
    """Count the shortest plans again, by the rules of puzzle.yaml (`text`) instead of the problem text.

    Gives a sentence for the verdict: that both numbers agree, or why the rules were not counted by (too many positions,
    a family without rules). Raises `Invalid` if they count another number, and `Stopped` at a limit.
    """
    try:
        rules = game_of(puzzle_of(text, limits=limits), ",".join(claim.problem.counts), limits)
        found = count_plans(rules, claim.below or (), _keep, limits, MOST)
    except TooManyStates:
        return f"those of puzzle.yaml were not counted: they visit more than {MOST:,} positions"
    except Unsupported as reason:
        if isinstance(reason, Stopped):
            raise
        return f"those of puzzle.yaml were not counted: {reason}"
    if found.plans != plans:
        raise Invalid(f"the rules of the puzzle count {found.plans} plans, and {plans} are claimed", FILE, 3)
    return f"the rules of the puzzle in `proofs/` count as many ({found.states:,} positions)"


def _keep(_state: Any, _cost: Cost) -> bool:
    return False


def is_by_counting(files: Mapping[str, bytes]) -> bool:
    """Whether the files are those of a certificate that says how many plans there are."""
    return f"\n{PLANS} ".encode() in files.get(FILE, b"")[:200]


def checked_by_counting(files: Mapping[str, bytes], limits: Limits) -> tuple[Claim, int]:
    """The claim of such a certificate and the number of plans, if both are shown of problem.txt. Raises `Rejected`."""
    problem = read(text_of(files, PROBLEM, limits), limits)
    lines = text_of(files, FILE, limits).split("\n")
    plans = lines[2].removeprefix(f"{PLANS} ") if len(lines) > 4 else ""
    if not NUMBER.fullmatch(plans) or not lines[3].startswith(BY):
        raise Invalid(f"`{PLANS} N` is wanted in the third line, N a number, and `{BY}S` in the next one", FILE)
    head = [*lines[:2], f"by {EXHAUSTION} {lines[3].removeprefix(BY)}"]
    claim = read_claim(problem, "\n".join([*head, *lines[4:]]), limits)
    if claim.says != OPTIMUM or claim.below is None:
        raise Invalid("plans are counted of an optimum", FILE, 2)
    check_plan(claim, files, limits)
    check_evidence(claim, limits)
    found = count_in_problem(problem, claim.below, claim.tables, limits)
    if (found.states, str(found.plans)) != (claim.numbers[0], plans):
        raise Invalid(f"this checker visits {found.states} states and counts {found.plans} plans", FILE)
    return claim, found.plans
