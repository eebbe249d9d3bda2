"""The engine `plain`: uniform-cost search in plain Python."""

from ..engine import HEURISTIC, MOMENT, Engine, PlotStyle, PortfolioRole, Programs

ENGINE = Engine(
    name="plain",
    order=30,
    module=f"{__package__}.engine",
    title="Plain search",
    sentence="uniform-cost search in plain Python: nothing to compile, for small puzzles, and the definition that the "
    "tests hold the others against",
    programs=Programs(compiled=False),
    certifies=True,
    options=(HEURISTIC,),
    role=PortfolioRole("search", rank_by_kind={}, seconds=MOMENT, try_first=True),
    style=PlotStyle("#707a8c", "x"),
)
