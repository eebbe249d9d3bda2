"""Pucks on ice, in PDDL: a push makes a puck glide, cell by cell, until a wall or another puck stops it."""

from __future__ import annotations

import random

WAYS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}

ACTIONS = {
    "push": ("?p - puck ?w - way", ["(still)"], ["(not (still))", "(gliding ?p ?w)"], 1),
    "glide": (
        "?p - puck ?c ?d - cell ?w - way",
        ["(gliding ?p ?w)", "(at ?p ?c)", "(next ?c ?d ?w)", "(vacant ?d)", "(not (wall ?c ?w))"],
        ["(not (at ?p ?c))", "(vacant ?c)", "(not (vacant ?d))", "(at ?p ?d)"],
        0,
    ),
    "hit-wall": (
        "?p - puck ?c - cell ?w - way",
        ["(gliding ?p ?w)", "(at ?p ?c)", "(wall ?c ?w)"],
        ["(not (gliding ?p ?w))", "(still)"],
        0,
    ),
    "hit-puck": (
        "?p - puck ?c ?d - cell ?w - way",
        ["(gliding ?p ?w)", "(at ?p ?c)", "(next ?c ?d ?w)", "(not (vacant ?d))"],
        ["(not (gliding ?p ?w))", "(still)"],
        0,
    ),
}
"""Of each action its parameters, its conditions, its effects, and its cost."""


def schema(name: str, given: str, before: list[str], after: list[str], cost: int) -> str:
    """An action in PDDL, by its parameters, its conditions, its effects and its cost."""
    return (
        f"(:action {name} :parameters ({given}) :precondition (and {' '.join(before)})\n"
        f"  :effect (and {' '.join(after)} (increase (total-cost) {cost})))"
    )


def texts(chosen: random.Random, changes: int) -> tuple[str, str]:
    """The domain with some conditions left out or negated, or other costs, and a problem with two or three pucks."""
    parts = {name: (given, [*before], after, cost) for name, (given, before, after, cost) in ACTIONS.items()}
    for _ in range(changes):
        name = chosen.choice([*parts])
        given, before, after, cost = parts[name]
        n = chosen.randrange(len(before))
        if chosen.random() < 0.4:
            parts[name] = given, before, after, cost + 1
        elif chosen.random() < 0.5:
            before[n] = before[n][5:-1] if before[n].startswith("(not ") else f"(not {before[n]})"
        elif len(before) > 1 and not before[n].startswith("(gliding"):
            del before[n]
    schemas = [schema(name, *each) for name, each in parts.items()]
    domain = (
        "(define (domain pucks) (:requirements :adl :action-costs) (:types puck cell way)\n"
        "(:predicates (next ?c ?d - cell ?w - way) (wall ?c - cell ?w - way) (at ?p - puck ?c - cell)\n"
        "  (vacant ?c - cell) (still) (gliding ?p - puck ?w - way)) (:functions (total-cost) - number)\n"
        + "\n".join(schemas) + ")"
    )  # fmt: skip
    cells = [(row, column) for row in range(2) for column in range(3)]
    pucks = [f"p{n}" for n in range(2 + (chosen.random() < 0.5))]
    standing = chosen.sample(cells, len(pucks))
    facts = ["(still)"]
    for row, column in cells:
        for way, (down, right) in WAYS.items():
            there = row + down, column + right
            if there in cells:
                facts.append(f"(next r{row}c{column} r{there[0]}c{there[1]} {way})")
            if there not in cells or chosen.random() < 0.1:
                facts.append(f"(wall r{row}c{column} {way})")
    facts += [f"(at {puck} r{row}c{column})" for puck, (row, column) in zip(pucks, standing, strict=True)]
    facts += [f"(vacant r{row}c{column})" for row, column in cells if (row, column) not in standing]
    row, column = chosen.choice(cells)
    problem = (
        f"(define (problem p) (:domain pucks) (:objects {' '.join(pucks)} - puck {' '.join(WAYS)} - way\n"
        f"  {' '.join(f'r{row}c{column}' for row, column in cells)} - cell)\n"
        f"(:init (= (total-cost) 0) {' '.join(facts)})\n"
        f"(:goal (and (at p0 r{row}c{column}) (still))) (:metric minimize (total-cost)))"
    )
    return domain, problem
