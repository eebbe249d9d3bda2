"""The engine `fess`: feature space search for Sokoban."""

from __future__ import annotations

from ...models.task import Costs, OperatorTask
from ..engine import SEED, Engine, PlotStyle, PortfolioRole, TaskKind


def refusal(task: OperatorTask) -> str | None:
    """Why a task is not for this engine, which plans with boxes, regions and rooms; None if it is."""
    if task.walker is None:  # so most tasks need no analysis here
        return "no player walks from push to push"
    if task.unsolvable_because or task.holds(task.init):
        return None
    from ...analysis.boxes.box_board import NotBoxes, find_box_board

    board = find_box_board(task)
    return board.reason if isinstance(board, NotBoxes) else None


ENGINE = Engine(
    name="fess",
    order=110,
    module=f"{__package__}.engine",
    title="Feature space search",
    sentence="Sokoban by many kinds of progress at once, after Shoham and Schaeffer: large levels; proves nothing",
    options=(SEED,),
    compiled=True,
    refuses=refusal,
    costs=Costs.ALIKE,
    promises_optimum=False,
    role=PortfolioRole("quick plan", dict.fromkeys(TaskKind, -1), seconds=60.0, memory=0.3, niceness=10),
    style=PlotStyle("#b5651d", "p"),
)
