"""What `--without` switches off in greedy search, beside the heuristics that prove its lower bound."""

from __future__ import annotations

from ..common.switches import without_option

RULES = {
    "databases": "distances of several variables together where actions are kept as programs",
    "distances": "what objects with goals of their own have to go alone, as a guess of the way to the goal",
    "parity": "the parity of the number of steps of every plan",
    "preferred": "states first in which something is true that the relaxed plan achieves",
    "projections": "lower bounds where actions are kept as programs",
    "relaxed-plans": "the length of a relaxed plan, as a guess of the way to the goal",
    "second-search": "a second search with a smaller weight",
    "shortening": "a shorter plan among the states near the plan",
}

WITHOUT = without_option(RULES, shared=())
