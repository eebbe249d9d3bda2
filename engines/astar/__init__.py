"""The engine `astar`: A*, with estimates from the analysis of the task."""

from functools import partial

from ...models.late import late
from ..common.kernel_sets import ESTIMATES
from ..engine import BOTH, Engine, Kernels, Look, Place, Programs, TaskKind
from ..fess import FEATURE_SPACE_SEARCH
from .rules import WITHOUT

A_STAR_SEARCH = Kernels("astar", late(__package__, ".engine:compile_kernels"), kinds=BOTH, seconds=9.0)

DEADLOCK_SEARCHES = Kernels(
    "deadlock searches", late(__package__, ".engine:compile_deadlock_searches"), kinds=(True,), seconds=9.0
)
"""Searches for dead ends of boxes on a board."""

LATE_BOUNDS = Kernels("late bounds", late(__package__, ".engine:compile_late_bounds"), seconds=3.0)
"""Late bounds: compiled when the first search for which they are wanted has gone on for a while."""

PLAN_SEARCH = late(__package__, "..fess.packing:board_and_plan")
"""The function that finds the packing plan of a board with boxes; the search itself only reads the plan."""

ENGINE = Engine(
    name="astar",
    order=60,
    solve=partial(late(__package__, ".engine:a_star"), plan_search=PLAN_SEARCH),
    title="A*",
    sentence="the state with the least cost plus lower bound first; dead ends are cut off",
    programs=Programs(late(__package__, ".programs:a_star"), late(__package__, "..common.programs.sample:preparation")),
    also_loads=("budge.engines.astar.two_searches", "budge.engines.common.kernels"),
    kernels=(A_STAR_SEARCH, DEADLOCK_SEARCHES, FEATURE_SPACE_SEARCH, ESTIMATES),
    later_kernels=(LATE_BOUNDS,),
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
