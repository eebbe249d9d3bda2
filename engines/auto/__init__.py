"""The engine `auto`: a portfolio of all engines that have a place in it."""

from ...models.late import late
from ..engine import Engine, Look, Programs

ENGINE = Engine(
    name="auto",
    order=0,
    solve=late(__package__, ".portfolio:auto"),
    title="Portfolio",
    sentence="search and CP-SAT side by side, sharing bounds and plans",
    programs=Programs(late(__package__, ".portfolio:auto")),
    members=late(__package__, "..table:members"),
    look=Look("#e0455f", "*"),
)
