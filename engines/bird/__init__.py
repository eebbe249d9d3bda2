"""The engine `bird`: plan refinement for vehicles in lanes."""

from ...models.late import late
from ...models.sliding import LaneBoard
from ..engine import Engine, Look

ENGINE = Engine(
    name="bird",
    order=100,
    solve=late(__package__, ".engine:plan_refinement"),
    title="Plan refinement",
    sentence="vehicles in lanes, planned backward from what is in the way, after Richard Bird; proves nothing",
    reads=LaneBoard,
    promises_optimum=False,
    look=Look("#7a9a1f", "X"),
)
