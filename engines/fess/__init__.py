"""The engine `fess`: feature space search for Sokoban."""

from ...models.boxes import BoxBoard
from ...models.late import late
from ..common.switches import SEED
from ..engine import Engine, Look, Option, Place, TaskKind, TracePicture

ENGINE = Engine(
    name="fess",
    order=110,
    solve=late(__package__, ".engine:feature_space_search"),
    title="Feature space search",
    sentence="Sokoban by many kinds of progress at once, after Shoham and Schaeffer: large levels; proves nothing",
    options=(Option("trace", str, "off", "tell how the feature space is filled", choices=("off", "cells")), SEED),
    kernels=late(__package__, ".engine:compile_kernels"),
    reads=BoxBoard,
    promises_optimum=False,
    place=Place("quick plan", dict.fromkeys(TaskKind, -1), seconds=60.0, memory=0.3, niceness=10),
    look=Look("#b5651d", "p"),
    watch=TracePicture({"trace": "cells"}, "cell", across="packed", most="steps", up="regions"),
)
