"""Moves from rest to rest: few programs instead of many actions, with the optima that an interpreter finds."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import pytest
from budge import Budget, Status
from budge.analysis.programs.tables import program_tables
from budge.analysis.projections.build import projections_of
from budge.engines.plain.engine import plain
from budge.models.families.custom.puzzle import Act
from budge.models.families.pddl.macro_moves import macro_moves
from budge.models.families.pddl.programs import programs
from budge.models.families.pddl.reading import read_pddl
from budge.models.families.pddl.rules import PddlSimulator
from hypothesis import given, settings
from hypothesis import strategies as st

from .pddl_reading import PddlTask

MOST_STATES = 600

KINDS = {"?c": "card", "?d": "card", "?p": "place", "?q": "place", "?r": "place"}

ACTIONS = {
    "walk": (
        ["(not (busy))", "(on ?c)", "(at ?c ?p)", "(at ?d ?q)", "(next ?p ?q)", "(not (shut ?c))", "(not (shut ?d))"],
        ["(not (on ?c))", "(on ?d)"],
        1,
    ),
    "back": (["(not (busy))", "(on ?c)", "(at ?c ?q)", "(at ?d ?p)", "(next ?p ?q)"], ["(not (on ?c))", "(on ?d)"], 2),
    "start": (
        ["(not (busy))", "(not (on ?c))", "(at ?c ?p)", "(at ?d ?q)", "(next ?p ?q)", "(first ?p)"],
        ["(busy)", "(not (at ?c ?p))", "(held ?c)", "(turn ?d)"],
        1,
    ),
    "move": (
        ["(busy)", "(not (on ?c))", "(turn ?c)", "(at ?c ?p)", "(at ?d ?q)", "(next ?r ?p)", "(next ?p ?q)"],
        ["(not (at ?c ?p))", "(at ?c ?r)", "(not (turn ?c))", "(turn ?d)"],
        0,
    ),
    "stop": (
        ["(busy)", "(not (on ?c))", "(turn ?c)", "(at ?c ?p)", "(next ?r ?p)", "(last ?p)", "(held ?d)"],
        ["(not (busy))", "(not (at ?c ?p))", "(at ?c ?r)", "(at ?d ?p)", "(not (held ?d))", "(not (turn ?c))"],
        0,
    ),
    "leave": (["(not (busy))", "(on ?c)", "(at ?c ?p)", "(last ?p)"], ["(left)"], 0),
}
"""Of each action its conditions, its effects, and its cost: a row of cards is shifted, and someone walks on them."""

LITERALS = ["(busy)", "(on ?c)", "(on ?d)", "(at ?c ?p)", "(at ?d ?q)", "(at ?c ?r)", "(held ?c)", "(held ?d)"]
LITERALS += ["(turn ?c)", "(turn ?d)", "(left)", "(shut ?c)", "(next ?p ?q)", "(= ?c ?d)", "(= ?p ?q)"]


def parameters(literals: list[str]) -> str:
    return " ".join(f"{name} - {kind}" for name, kind in KINDS.items() if any(name in one for one in literals))


def texts(chosen: random.Random, changes: int) -> tuple[str, str]:
    """The domain with some literals left out, added or negated, and a problem with three cards, or four."""
    parts = {name: ([*before], [*after]) for name, (before, after, _) in ACTIONS.items()}
    for _ in range(changes):
        before, after = chosen.choice(list(parts.values()))
        several = chosen.choice([before, after])
        kind = chosen.random()
        if kind < 0.4 and several:
            several.pop(chosen.randrange(len(several)))
        elif kind < 0.6 and several:
            n = chosen.randrange(len(several))
            several[n] = several[n][5:-1] if several[n].startswith("(not ") else f"(not {several[n]})"
        else:
            static = several is after
            several.append(chosen.choice([x for x in LITERALS if not static or x[1] not in "n=s"]))
    count = 3 + (chosen.random() < 0.2)
    cards, places = [f"c{n}" for n in range(count)], [f"p{n}" for n in range(count)]
    schemas = [
        f"(:action {name} :parameters ({parameters(before + after)}) :precondition (and {' '.join(before)}) "
        f":effect (and {' '.join(after)} (increase (total-cost) {ACTIONS[name][2]})))"
        for name, (before, after) in parts.items()
    ]
    at = [f"(at {card} {place})" for card, place in zip(chosen.sample(cards, count), places, strict=True)]
    order = [f"(next {one} {other})" for one, other in pairwise(places)]
    shut = [f"(shut {card})" for card in cards if chosen.random() < 0.3]
    ends = [f"(first {places[0]})", f"(last {places[-1]})", f"(on {chosen.choice(cards)})"]
    goal = "(left)" if chosen.random() < 0.7 else f"(and (not (busy)) (at c0 {chosen.choice(places)}))"
    return (
        f"""(define (domain row) (:requirements :adl :action-costs) (:types card place)
        (:predicates (busy) (left) (on ?c - card) (held ?c - card) (turn ?c - card) (shut ?c - card)
          (at ?c - card ?p - place) (next ?p ?q - place) (first ?p - place) (last ?p - place))
        (:functions (total-cost) - number) {" ".join(schemas)})""",
        f"""(define (problem shifted) (:domain row) (:objects {" ".join(cards)} - card {" ".join(places)} - place)
        (:init {" ".join([*at, *order, *shut, *ends])}) (:goal {goal}) (:metric minimize (total-cost)))""",
    )


def compared(seed: int) -> str:
    """What came of a seed: whether moves were made, and a plan found; its cost is that which an interpreter finds."""
    chosen = random.Random(seed)
    both = texts(chosen, seed % 4)
    puzzle = read_pddl(both[0], "domain.pddl", both[1], "problem.pddl")
    made = macro_moves(puzzle)
    if made is None:
        return "none"
    best, states = PddlTask(*both).solve(MOST_STATES)
    if len(states) >= MOST_STATES:
        return "large"
    found = plain(programs(made, puzzle.metrics[0], ""), Budget(60))
    if best is None:
        assert found.status == Status.UNSOLVABLE, seed
        return "unsolvable"
    assert (found.status, found.upper_bound) == (Status.OPTIMAL, (best,)), seed
    assert found.plan
    game = PddlSimulator(puzzle)
    for move in found.plan.moves:
        assert isinstance(move, Act)
        game.play(move)
    assert game.solved, seed
    assert game.costs["cost"] == best, seed
    return "plan"


@given(st.integers(0, 10**9))
@settings(max_examples=15, deadline=None)
def test_rows_of_cards(seed: int) -> None:
    compared(seed)


@pytest.mark.slow
def test_many_rows_of_cards() -> None:
    outcomes = Counter(compared(seed) for seed in range(1_000))
    assert outcomes["plan"] > 100
    assert outcomes["unsolvable"] > 100


def test_moves_are_few() -> None:
    """A row of n cards: n - 1 steps either way, a shift, and leaving; where the walker is is a variable of its own."""
    both = texts(random.Random(3), 0)
    made = macro_moves(read_pddl(both[0], "domain.pddl", both[1], "problem.pddl"))
    assert made is not None
    task = programs(made, made.to_dnf.puzzle.metrics[0], "")
    places = [atom for atom in made.atoms if atom[0] == "on at"]
    assert len(task.actions) == 2 * (len(places) - 1) + 2
    assert not any(atom[0] in ("on", "busy", "held", "turn") for atom in made.atoms)


def test_the_way_to_the_door_is_a_bound() -> None:
    """The goal is made true by a free step, so that alone it is no distance away; with the walker's place it is."""
    both = texts(random.Random(3), 0)
    made = macro_moves(read_pddl(both[0], "domain.pddl", both[1], "problem.pddl"))
    assert made is not None
    task = programs(made, made.to_dnf.puzzle.metrics[0], "")
    found = projections_of(task, program_tables(task), Budget())
    optimum = PddlTask(*both).solve(5_000)[0]
    assert isinstance(optimum, int)
    assert 0 < found.stats["root_bound"] <= optimum
