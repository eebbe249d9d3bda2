"""The engine `bidirectional`: breadth-first search from both ends."""

from ...models.program import ProgramTask
from ...models.task import Costs
from ..engine import Engine, PlotStyle, PortfolioRole, Programs, TaskKind

ENGINE = Engine(
    name="bidirectional",
    order=50,
    module=f"{__package__}.engine",
    reads=ProgramTask,
    title="Bidirectional search",
    sentence="breadth-first search from both ends, where actions are programs that can be undone (cubes)",
    programs=Programs(refuses=True, costs=Costs.ONE),
    role=PortfolioRole("search", {TaskKind.PROGRAMS: 0}, seconds=300.0),
    style=PlotStyle("#8a7a3a", "h", duel="search"),
)
