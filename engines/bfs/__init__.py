"""The engine `bfs`: breadth-first search, and uniform-cost search where steps differ in cost."""

from ...models.late import late
from ..engine import Engine, Look, Place, Programs, TaskKind

ENGINE = Engine(
    name="bfs",
    order=40,
    solve=late(__package__, ".engine:breadth_first"),
    title="Breadth-first search",
    sentence="breadth-first search; by uniform cost where steps differ in cost",
    also_loads=("budge.engines.common.store",),
    kernels=late(__package__, ".engine:compile_kernels"),
    programs=Programs(
        late(__package__, ".engine:breadth_first_of_programs"),
        late(__package__, "..common.programs.sample:compile_kernels"),
    ),
    place=Place("search", {TaskKind.PROGRAMS: 3, TaskKind.COSTS_DIFFER: 2, TaskKind.ONE_GOAL: 1}, slice=True),
    look=Look("#d99000", "o", duel="search", blind=True),
)
