"""The engine `greedy`: a plan soon, by weighted A*, made shorter afterwards."""

from __future__ import annotations

from ..engine import HEURISTIC, Engine, PlotStyle, PortfolioRole, Programs, TaskKind, without_option

# What `--without` switches off in greedy search, beside the heuristics that prove its lower bound, and its weights.

# Weight of the estimate of a heuristic of one's own (`--heuristic`).
FIRST_WEIGHT = 5

# Searches over operators in the order in which they begin: the weight of the estimate, and whether new states come
# first. The first two take turns. Random 24-puzzles have a plan after 0.1 s of the first search with distances, which
# say much there; a board for painting floors (`floortile`) after 0.1 s of the first with relaxed plans, and not in 2 s
# where new states do not come first.
BY_DISTANCES = (1_000, False), (1_000, True), (5, False), (2, False), (1, False)
BY_RELAXED_PLANS = (1_000, True), (5, False), (2, False), (1, False)

# The same over programs, where estimates are bounds.
BY_BOUNDS = (5, False), (1, False), (2, False)

# What operators of mean cost count in all searches but those for the first plan, where costs differ.
MEAN_PRICE = 4

# Weights up to which searches count prices, not steps.
WITH_PRICES = 5

# Seconds after which three searches take turns, if there is no plan yet.
THIRD_AFTER = 1.0

# Facts of a state up to which pairs of them are looked at for novelty: there are 400 on a board of 20x20.
MOST_FOR_PAIRS = 256

# Seconds after which a lower bound is proven, though there is no plan yet.
UNTIL_BOUND = 2.0

# Steps that states which are not preferred count as farther away. With many, relaxed plans are followed wherever they
# lead (the sliding-block puzzle `greatest-escape-2`: no plan in a minute with 2,048), with few they say little
# (childsnack 1: 360,393 expansions with 4, 7,672 with 8).
LATER = 8

# Seconds for the other searches, once there is a plan.
IMPROVE_SECONDS = 0.5

RULES = {
    "databases": "distances of several variables together where actions are kept as programs",
    "distances": "what objects with goals of their own have to go alone, as a guess of the way to the goal",
    "novelty": "states first in which a fact is true that was not yet, or a pair of facts",
    "parity": "the parity of the number of steps of every plan",
    "preferred": "states first in which something is true that the relaxed plan achieves",
    "projections": "lower bounds where actions are kept as programs",
    "relaxed-plans": "the length of a relaxed plan, as a guess of the way to the goal",
    "second-search": "searches that go on when there is a plan, with smaller weights",
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
    role=PortfolioRole("quick plan", dict.fromkeys(TaskKind, 1), memory=0.25, niceness=10, to_the_limit=True),
    weight=FIRST_WEIGHT,
    style=PlotStyle("#8c8c8c", "P"),
)
