"""Compiling what a maker runs, before any clock starts."""

from __future__ import annotations

import threading

from ...engines.preparation import preparations
from ...engines.table import find
from ...runtime.environment import cores
from ...runtime.events import Progress, silent
from ...runtime.preparation import KernelPreparation, prepare
from ..exploration import preparation as exploration
from .blocks import RushHourMaker, SlidingBlockMaker
from .finish import ENGINE
from .maker import Maker
from .play import PlayMaker
from .rooms import RoomMaker, SokobanRoom


def _blocks() -> None:
    import random

    for maker in (RushHourMaker(3, 3, (1, 3), 0, "slides", 4096), SlidingBlockMaker(3, 3, (1, 3), 0, "moves", 4096)):
        chance = random.Random(1)
        while maker.grade(maker.new(chance)) is None:
            pass


def _rooms() -> None:
    RoomMaker(3, 3, 1, 4096).grade(SokobanRoom(0x070707, 1))


def of_makers() -> list[KernelPreparation]:
    """The preparations of what only makers run."""
    return [KernelPreparation("components", (_blocks,)), KernelPreparation("pulls", (_rooms,))]


def prepare_maker(maker: Maker, interrupted: threading.Event, progress: Progress = silent) -> None:
    """Compile what making puzzles runs, and the engine that proves them again, if that has not been done."""
    engine = maker.engine if isinstance(maker, PlayMaker) else ENGINE
    prepare([*of_makers(), *preparations([find(engine), find(ENGINE)]), exploration()], progress, interrupted, cores())
