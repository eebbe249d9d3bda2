"""The engine `astar`: A*, with estimates from the analysis of the task."""

from functools import partial

from ...models.late import late
from ..engine import Engine, Look, Place, Programs, TaskKind
from .rules import WITHOUT

PLAN_SEARCH = late(__package__, "..fess.packing:board_and_plan")
"""The function that finds the packing plan of a board with boxes; the search itself only reads the plan."""

ENGINE = Engine(
    name="astar",
    order=60,
    solve=partial(late(__package__, ".engine:a_star"), plan_search=PLAN_SEARCH),
    title="A*",
    sentence="the state with the least cost plus lower bound first; dead ends are cut off",
    programs=Programs(
        late(__package__, ".programs:a_star"), late(__package__, "..common.programs.sample:compile_kernels")
    ),
    also_loads=("budge.engines.astar.two_searches", "budge.engines.common.kernels"),
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
