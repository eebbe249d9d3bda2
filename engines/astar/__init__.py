"""The engine `astar`: A*, with estimates from the analysis of the task."""

from __future__ import annotations

from functools import partial

from ...models.late import late
from ..common.switches import without_option
from ..engine import Engine, Look, Place, Programs, TaskKind

# The pruning rules of A* that `--without` switches off, beside the heuristics (`analysis.heuristics`).

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


PLAN_SEARCH = late(__package__, "..fess.search:board_and_plan")
"""The function that finds the packing plan of a board with boxes; the search itself only reads the plan."""

ENGINE = Engine(
    name="astar",
    order=60,
    solve=partial(late(__package__, ".engine:a_star"), plan_search=PLAN_SEARCH),
    title="A*",
    sentence="the state with the least cost plus lower bound first; dead ends are cut off",
    programs=Programs(
        late(__package__, ".engine:a_star_of_programs"), late(__package__, "..common.programs.sample:compile_kernels")
    ),
    also_loads=("budge.engines.astar.search", "budge.engines.common.store"),
    kernels=late(__package__, ".engine:compile_kernels"),
    options=(WITHOUT,),
    verifies=True,
    place=Place(
        "search",
        {
            TaskKind.PROGRAMS: 1,
            TaskKind.COSTS_DIFFER: 1,
            TaskKind.ONE_OBJECT: 2,
            TaskKind.SEVERAL_GOALS: 1,
        },
    ),
    look=Look("#2ca05a", "^", duel="search"),
)
