"""The engine `bfs`: breadth-first search, and uniform-cost search where steps differ in cost."""

from ..engine import Engine, PlotStyle, PortfolioRole, Programs, TaskKind, without_option

ENGINE = Engine(
    name="bfs",
    order=40,
    module=f"{__package__}.engine",
    title="Breadth-first search",
    sentence="breadth-first search; by uniform cost where steps differ in cost",
    also_loads=("budge.engines.common.store",),
    compiled=True,
    options=(without_option((), blind=True),),
    programs=Programs(),
    role=PortfolioRole(
        "search", {TaskKind.PROGRAMS: 3, TaskKind.COSTS_DIFFER: 2, TaskKind.ONE_GOAL: 1}, try_first=True
    ),
    style=PlotStyle("#c08000", "o", duel="search", blind=True),
)
