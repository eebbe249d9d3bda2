"""Preparing everything at once: all that is compiled, on all cores."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path

from ..engines.common.refutation import TRIMMING
from ..engines.preparation import of_kernels, preparations
from ..engines.table import all_engines
from ..runtime import cache_places, carried
from ..runtime.environment import cores
from ..runtime.events import Progress, silent
from ..runtime.preparation import KernelPreparation, Prepared, needed, prepare
from . import exploration
from .generate.prepare import of_makers
from .why import reasons


@dataclass(frozen=True, slots=True)
class Setup:
    """The result of `setup`: what was `prepared` now and `before`, and the `folder` that has it (None: it cannot be
    kept).
    """

    prepared: tuple[Prepared, ...]
    before: tuple[str, ...]
    folder: Path | None
    seconds: float
    interrupted: bool

    @property
    def kept(self) -> bool:
        """Whether compiled code could be kept, so that later runs need not compile it again."""
        return self.folder is not None or not self.prepared

    @property
    def problems(self) -> tuple[Prepared, ...]:
        return tuple(one for one in self.prepared if one.problem)


def everything() -> list[KernelPreparation]:
    """The preparations of all that is compiled."""
    # Engines that verify first: they have little in common, and most of what the others run.
    engines = sorted(all_engines().values(), key=lambda engine: not engine.verifies)
    programs = dict.fromkeys(p.prepare() for e in engines if (p := e.programs) is not None and p.prepare is not None)
    later = of_kernels(kernels for engine in engines for kernels in engine.later_kernels)
    others = exploration.preparation(), reasons.preparation(), TRIMMING
    return [*preparations(engines), *later, *programs, *others, *of_makers()]


def setup(progress: Progress = silent, interrupted: threading.Event | None = None) -> Setup:
    """Compile all that engines, `explore`, `hint`, `plans`, `export` and `certify` run, if it has not been compiled."""
    began = time.monotonic()
    interrupted = interrupted or threading.Event()
    all_of_it = everything()
    left = needed(all_of_it)
    names = {preparation.name for preparation in left}
    done = prepare(left, progress, interrupted, cores())
    return Setup(
        prepared=tuple(done),
        before=tuple(one.name for one in all_of_it if one.name not in names),
        folder=carried.LIBRARY.parent if carried.library() else cache_places.place(),
        seconds=time.monotonic() - began,
        interrupted=interrupted.is_set(),
    )
