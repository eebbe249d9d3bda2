"""The engine `greedy`: a plan soon, by weighted A*, made shorter afterwards."""

from __future__ import annotations

from ..engine import HEURISTIC, Engine, PlotStyle, PortfolioRole, Programs, TaskKind, without_option

# What `--without` switches off in greedy search, beside the heuristics that prove its lower bound, and its weights.

# Weight of the estimate where one clause of the goal is reached after the other, and of a heuristic of one's own
# (`--heuristic`). Random 63-puzzles take 1.3 s of processor time with 5, 20 and 1,000.
FIRST_WEIGHT = 5

# Stands among the weights for the search that reaches one clause of the goal after the other.
GOAL_BY_GOAL = 0

# Weights of the estimate in the order in which searches over operators begin. Random 24-puzzles have a plan after 0.1 s
# of `GOAL_BY_GOAL`, which comes before them where the goal has several clauses, and after 0.2 to 3.6 s with weight 5.
BY_ESTIMATES = 5, 2, 1

# The same over programs, where estimates are bounds.
BY_BOUNDS = 5, 1, 2

# What operators of mean cost count, where costs differ.
MEAN_PRICE = 4

# Seconds of processor time for which the first search is alone, if it finds no plan before; then two take turns.
SECOND_AFTER = 0.5

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
    "goal-by-goal": "the clauses of the goal reached one after the other, for the first plan",
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
