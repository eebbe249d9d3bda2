"""Patrols that share fuel and watch posts together, in PDDL with `forall`, `or` and `imply`: no state is at rest."""

from __future__ import annotations

import random
from itertools import pairwise

from .slide_texts import schema

ACTIONS = {
    "walk": (
        "?p - patrol ?a ?b - post ?f ?g - fuel",
        ["(not (watching ?p))", "(at ?p ?a)", "(tank ?p ?f)", "(less ?g ?f)", "(or (path ?a ?b) (path ?b ?a))"],
        ["(not (at ?p ?a))", "(at ?p ?b)", "(not (tank ?p ?f))", "(tank ?p ?g)"],
        1,
    ),
    "share": (
        "?p ?q - patrol ?a - post ?f ?g ?h ?i - fuel",
        ["(not (= ?p ?q))", "(at ?p ?a)", "(at ?q ?a)", "(tank ?p ?f)", "(tank ?q ?h)", "(less ?g ?f)", "(less ?h ?i)"],
        ["(not (tank ?p ?f))", "(tank ?p ?g)", "(not (tank ?q ?h))", "(tank ?q ?i)"],
        1,
    ),
    "watch": (
        "?p - patrol ?a - post",
        ["(not (watching ?p))", "(at ?p ?a)"],
        ["(watching ?p)", "(seen ?a)", "(forall (?b - post) (when (or (path ?a ?b) (path ?b ?a)) (seen ?b)))"],
        0,
    ),
    "report": (
        "?r - region",
        ["(forall (?a - post) (imply (part ?r ?a) (seen ?a)))"],
        [
            "(forall (?p - patrol) (not (watching ?p)))",
            "(forall (?a - post) (not (seen ?a)))",
            "(told ?r)",
        ],
        0,
    ),
}
"""Of each action its parameters, its conditions, its effects, and its cost."""

OTHERS = {
    "walk": [
        "(not (seen ?b))",
        "(exists (?r - region) (part ?r ?b))",
        "(forall (?q - patrol) (not (at ?q ?b)))",
        "(lonely ?b)",
    ],
    "share": ["(watching ?p)", "(not (= ?f ?h))", "(seen ?a)"],
    "watch": ["(not (seen ?a))", "(or (told r0) (told r1))", "(exists (?b - post) (path ?a ?b))"],
    "report": [
        "(not (told ?r))",
        "(exists (?p - patrol) (watching ?p))",
        "(not (forall (?a - post) (part ?r ?a)))",
        "(lonely a0)",
    ],
}
"""Of each action other conditions that it may have."""


def texts(chosen: random.Random, changes: int) -> tuple[str, str]:
    """The domain with some conditions left out or added, or other costs, and a problem with two patrols or three."""
    parts = {name: (given, [*before], [*after], cost) for name, (given, before, after, cost) in ACTIONS.items()}
    for _ in range(changes):
        name = chosen.choice([*parts])
        given, before, after, cost = parts[name]
        match chosen.randrange(4):
            case 0:
                parts[name] = given, before, after, cost + 1
            case 1:
                before.append(chosen.choice(OTHERS[name]))
            case 2 if len(before) > 1:
                del before[chosen.randrange(len(before))]
            case _:
                del after[chosen.randrange(len(after))]
                after = after or ["(told r0)"]
                parts[name] = given, before, after, cost
    schemas = [schema(name, *each) for name, each in parts.items()]
    domain = (
        "(define (domain patrols) (:requirements :adl :action-costs :derived-predicates)\n"
        "(:types patrol post fuel region)\n"
        "(:predicates (path ?a ?b - post) (less ?f ?g - fuel) (part ?r - region ?a - post) (at ?p - patrol ?a - post)\n"
        "  (tank ?p - patrol ?f - fuel) (watching ?p - patrol) (seen ?a - post) (told ?r - region)\n"
        "  (lonely ?a - post))\n"
        "(:functions (total-cost) - number)\n"
        "(:derived (lonely ?a - post) (forall (?p - patrol) (not (at ?p ?a))))\n" + "\n".join(schemas) + ")"
    )
    posts, fuels = [f"a{n}" for n in range(4)], [f"f{n}" for n in range(3)]
    patrols = [f"p{n}" for n in range(2 + (chosen.random() < 0.3))]
    facts = [f"(less {low} {high})" for low, high in pairwise(fuels)]
    facts += [f"(path {chosen.choice(posts[:n])} {posts[n]})" for n in range(1, len(posts))]
    facts += [f"(at {patrol} {chosen.choice(posts)})" for patrol in patrols]
    facts += [f"(tank {patrol} {chosen.choice(fuels)})" for patrol in patrols]
    facts += [f"(part {region} {post})" for region in ("r0", "r1") for post in chosen.sample(posts, 2)]
    problem = (
        f"(define (problem p) (:domain patrols) (:objects {' '.join(patrols)} - patrol {' '.join(posts)} - post\n"
        f"  {' '.join(fuels)} - fuel r0 r1 - region)\n"
        f"(:init (= (total-cost) 0) {' '.join(facts)})\n"
        f"(:goal (and (told r0) {chosen.choice(['(told r1)', '', '(at p0 a0)'])})) (:metric minimize (total-cost)))"
    )
    return domain, problem
