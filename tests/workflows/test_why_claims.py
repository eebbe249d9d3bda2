"""Laws of random puzzles of one's own and of PDDL, held against all positions by the rules."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable

import pytest
from budge import PuzzleError, load_text, why
from budge.models.errors import GroundingError, ReplayError
from budge.runtime.outcome import StoppedError
from budge.workflows.why.laws import PARITY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..helpers.ways import Ways, made


def switches(seed: int) -> str:
    """Up to nine lamps and buttons, each of which switches some lamps; the goal asks for some of the lamps."""
    chosen = random.Random(seed)
    lamps, buttons = (chosen.randint(1, 6) for _ in range(2))
    names = [f"l{n}" for n in range(lamps)]
    actions = ""
    for button in range(buttons):
        wired = chosen.sample(names, chosen.randint(1, lamps))
        actions += f"  b{button}:\n    set:\n" + "".join(f"      on[{one}]: not on[{one}]\n" for one in wired)
    wanted = chosen.sample(names, chosen.randint(1, lamps))
    goal = " and ".join(chosen.choice(["", "not "]) + f"on[{one}]" for one in wanted)
    start = ", ".join(one for one in names if chosen.random() < 0.5)
    return (
        f"format: 1\nfamily: custom\ntypes:\n  lamp: [{', '.join(names)}]\nstate:\n  on: {{of: lamp}}\n"
        f"start:\n  on: [{start}]\nactions:\n{actions}goal: {goal}\n"
    )


def jumps(seed: int) -> str:
    """Up to seven holes with pegs: a jump along some lines of three takes a peg, another may put one back."""
    chosen = random.Random(seed)
    holes = [f"h{n}" for n in range(chosen.randint(3, 7))]
    actions = ""
    for number in range(chosen.randint(1, 8)):
        a, b, c = chosen.sample(holes, 3)
        put = chosen.random() < 0.1
        actions += f"  j{number}:\n    when: peg[{a}] and {'not ' * put}peg[{b}] and not peg[{c}]\n"
        actions += f"    set: {{'peg[{a}]': false, 'peg[{b}]': {str(put).lower()}, 'peg[{c}]': true}}\n"
    left = chosen.choice([f"count(peg) == {chosen.randint(1, 3)}", f"peg[{chosen.choice(holes)}]"])
    start = ", ".join(one for one in holes if chosen.random() < 0.7)
    return (
        f"format: 1\nfamily: custom\ntypes:\n  hole: [{', '.join(holes)}]\nstate:\n  peg: {{of: hole}}\n"
        f"start:\n  peg: [{start}]\nactions:\n{actions}goal: {left}\n"
    )


def held(kind: str, seed: int) -> Counter[str]:
    """Every law that is told of a random puzzle is true; how many of each kind."""
    text = (
        {"switches": switches, "jumps": jumps}[kind](seed)
        if kind in ("switches", "jumps")
        else next(text for family, text, _ in made(seed) if family == kind)
    )
    found = Counter[str]()
    try:
        puzzle = load_text(text)
        metric = puzzle.metrics[0]
        ways = Ways(puzzle, metric)
        ways.explore()
        reasons = why(puzzle, metric, time_limit=20)
    except (PuzzleError, GroundingError, OverflowError, ReplayError, StoppedError):
        return found
    start = next(iter(ways.path))
    optimum = ways.away().get(start)
    assert reasons.optimum == optimum, text
    if optimum is None:
        return Counter(unsolvable=1)
    assert reasons.explained <= optimum, text
    lengths = costs_of_plans(ways, start)
    for law in reasons.laws:
        found[law.kind] += 1
        assert law.least <= optimum, text
        if law.kind == PARITY:
            assert {cost % 2 for cost in lengths} == {law.least % 2}, text
        elif law.exact:
            assert lengths == {law.least}, text
    return found + Counter(solved=1)


def costs_of_plans(ways: Ways, start: Hashable) -> set[int]:
    """The costs of plans, that is ways which end when they come to a goal for the first time, up to a limit."""
    here, found = {(start, 0)}, set[int]()
    seen = set(here)
    while here:
        there = set[tuple[Hashable, int]]()
        for position, cost in here:
            if position in ways.goals:
                found.add(cost)
                continue
            there |= {(after, cost + price) for price, after in ways.steps[position] if cost + price < 24}
        here = there - seen
        seen |= here
    return found


KINDS = ["switches", "jumps", "lamps", "definitions", "pddl"]


@pytest.mark.weekly
@pytest.mark.parametrize("kind", KINDS)
def test_laws_of_random_puzzles(kind: str) -> None:
    found = sum((held(kind, seed) for seed in range(8)), Counter[str]())
    assert found["solved"]


@given(st.integers(0, 10**6), st.sampled_from(KINDS))
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_laws_of_any_random_puzzle(seed: int, kind: str) -> None:
    held(kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_laws_of_many_random_puzzles(kind: str) -> None:
    found = sum((held(kind, seed) for seed in range(500)), Counter[str]())
    print(kind, dict(found))
    assert found["solved"] > 50
