"""The engine `fess`: feature space search for Sokoban."""

from ...models.boards import BoxBoard
from ..engine import SEED, Engine, Option, PlotStyle, PortfolioRole, TaskKind, TracePicture

ENGINE = Engine(
    name="fess",
    order=110,
    module=f"{__package__}.engine",
    title="Feature space search",
    sentence="Sokoban by many kinds of progress at once, after Shoham and Schaeffer: large levels; proves nothing",
    options=(Option("trace", str, "off", "tell how the feature space is filled", choices=("off", "cells")), SEED),
    compiled=True,
    reads=BoxBoard,
    promises_optimum=False,
    role=PortfolioRole("quick plan", dict.fromkeys(TaskKind, -1), seconds=60.0, memory=0.3, niceness=10),
    style=PlotStyle("#b5651d", "p"),
    watch=TracePicture({"trace": "cells"}, "cell", across="packed", most="steps", up="regions"),
)
