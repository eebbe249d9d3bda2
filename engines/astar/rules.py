"""The pruning rules of A* that `--without` switches off, beside the heuristics (`analysis.heuristics`)."""

from __future__ import annotations

from ..common.switches import without_option

RULES = {
    "conflicts-3": "conflicts of three objects, looked at before a state is expanded",
    "databases": "distances of several variables together where actions are kept as programs",
    "deadlock-searches": "searches for dead corrals and cores before a state is expanded",
    "dominance": "states with the same objects and a walker who gets here in time",
    "forced-steps": "states between two choices that are left out",
    "projections": "lower bounds where actions are kept as programs",
    "ranks": "every other state by its progress with a packing plan",
    "symmetries": "one state of all symmetric ones",
}

WITHOUT = without_option(RULES)
