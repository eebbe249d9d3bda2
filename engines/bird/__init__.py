"""The engine `bird`: plan refinement for vehicles in lanes."""

from ...models.boards import LaneBoard
from ..engine import Engine, PlotStyle

ENGINE = Engine(
    name="bird",
    order=100,
    module=f"{__package__}.engine",
    title="Plan refinement",
    sentence="vehicles in lanes, planned backward from what is in the way, after Richard Bird; proves nothing",
    reads=LaneBoard,
    promises_optimum=False,
    style=PlotStyle("#7a9a1f", "X"),
)
