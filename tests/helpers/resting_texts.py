"""Random domains in PDDL whose actions lead from rest to rest"""

from __future__ import annotations

import random
from itertools import pairwise

from .slide_texts import schema

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
        schema(name, parameters(before + after), before, after, ACTIONS[name][2])
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
