"""What `--without` switches off in greedy search, beside the heuristics that prove its lower bound, and its weights."""

from __future__ import annotations

from ..common.switches import without_option

# Weight of the estimate in the search for the first plan.
FIRST_WEIGHT = 5

# Its weight in a second search, as long as improvement may last.
SECOND_WEIGHT = 2

# Seconds for the second search.
IMPROVE_SECONDS = 0.5

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
