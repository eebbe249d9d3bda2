"""Whether a problem text lacks a plan of its puzzle, found by visiting: what the checker derives must never do so."""

from __future__ import annotations

from typing import Any

from budge.proofs.check import _rules
from budge.proofs.core.exhaustion import Successors
from budge.proofs.core.limits import Limits
from budge.proofs.core.problem import Cost, Problem
from budge.proofs.derivation import _Derivation
from budge.proofs.games import puzzle_of

MOST = 20_000
"""At most so many positions are visited; of a larger puzzle nothing is said."""

Moves = dict[Any, list[tuple[Cost, Any]]]


def lacks_a_plan(text: str, problem: Problem) -> bool:
    """Whether some position of the puzzle from which there is a way to a goal has a move that the problem has not, or
    only at a higher price; or another start, or a goal that is none there.
    """
    limits = Limits(None, None)
    derivation = _Derivation(_rules(puzzle_of(text), ",".join(problem.counts), problem, limits), problem, limits)
    rules, told, game = derivation.rules, derivation.packed, Successors(problem, limits)
    if told(rules.start) != game.start:
        return True
    moves: Moves = {rules.start: []}
    waiting, goals = [rules.start], []
    for state in waiting:  # grows while it is read
        moves[state] = list(rules.successors(state))
        goals += [state] if rules.solved(state) else []
        fresh = {then for _, then in moves[state]} - moves.keys()
        moves |= {then: [] for then in fresh}
        waiting += fresh
        if len(moves) > MOST:
            return False
    alive = on_a_way_to(goals, moves)
    for state in alive:
        here = told(state)
        if here is None or (rules.solved(state) and not game.solved(here)):
            return True
        there = list(game.successors(here))
        for cost, then in moves[state]:
            after = told(then)
            if then in alive and after != here and not any(a == after and b <= cost for b, a in there):
                return True
    return False


def on_a_way_to(goals: list[Any], moves: Moves) -> set[Any]:
    """The states from which a goal can be reached."""
    before: dict[Any, list[Any]] = {}
    for state, some in moves.items():
        for _, then in some:
            before.setdefault(then, []).append(state)
    alive, waiting = set(goals), list(goals)
    for state in waiting:  # grows while it is read
        fresh = set(before.get(state, ())) - alive
        alive |= fresh
        waiting += fresh
    return alive
