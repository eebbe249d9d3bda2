"""The engine `greedy`: a plan soon, by weighted A*, made shorter afterwards."""

from __future__ import annotations

from ..engine import HEURISTIC, Engine, PlotStyle, PortfolioRole, Programs, TaskKind, without_option

# What `--without` switches off in greedy search, beside the heuristics that prove its lower bound, and its weights.

# Weight of the estimate in the search for the first plan.
FIRST_WEIGHT = 5

# Its weight in a second search, as long as improvement may last.
SECOND_WEIGHT = 2

# Steps that states which are not preferred count as farther away. With many, relaxed plans are followed wherever they
# lead (the sliding-block puzzle `greatest-escape-2`: no plan in a minute with 2,048), with few they say little
# (childsnack 1: 360,393 expansions with 4, 7,672 with 8).
LATER = 8

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


ENGINE = Engine(
    name="greedy",
    order=80,
    module=f"{__package__}.engine",
    title="Greedy search",
    sentence="a plan soon, by weighted A*, then shortened; proves nothing",
    also_loads=("budge.engines.common.store",),
    programs=Programs(),
    options=(WITHOUT, HEURISTIC),
    compiled=True,
    promises_optimum=False,
    role=PortfolioRole("quick plan", dict.fromkeys(TaskKind, 1), seconds=20.0, niceness=10),
    weight=FIRST_WEIGHT,
    style=PlotStyle("#8c8c8c", "P"),
)
