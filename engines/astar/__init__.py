"""The engine `astar`: A*, with estimates from the analysis of the task."""

from __future__ import annotations

from ..engine import HEURISTIC, Engine, PlotStyle, PortfolioRole, Programs, TaskKind, without_option

# The pruning rules of A* that `--without` switches off, beside the heuristics (`analysis.heuristics`).

RULES = {
    "corrals": "only pushes of boxes that fence the player out",
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

ENGINE = Engine(
    name="astar",
    order=60,
    module=f"{__package__}.engine",
    title="A*",
    sentence="the state with the least cost plus lower bound first; dead ends are cut off",
    programs=Programs(),
    also_loads=("budge.engines.astar.search", "budge.engines.common.store"),
    compiled=True,
    options=(WITHOUT, HEURISTIC),
    verifies=True,
    role=PortfolioRole(
        "search",
        {TaskKind.PROGRAMS: 1, TaskKind.COSTS_DIFFER: 1, TaskKind.ONE_OBJECT: 2, TaskKind.SEVERAL_GOALS: 1},
    ),
    style=PlotStyle("#2ca05a", "^", duel="search"),
)
