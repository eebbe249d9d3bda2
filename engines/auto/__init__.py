"""The engine `auto`: a portfolio of all engines that have a place in it."""

from ..engine import Engine, PlotStyle, Programs

ENGINE = Engine(
    name="auto",
    order=0,
    module=f"{__package__}.portfolio",
    title="Portfolio",
    sentence="search and CP-SAT side by side, sharing bounds and plans",
    programs=Programs(compiled=False),
    portfolio=True,
    style=PlotStyle("#e0455f", "*"),
)
