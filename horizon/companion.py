"""A second solver on the second core: the horizon of the proven bound, exactly, while one model covers many.

A model of plans of exactly so many steps as the bound is the smallest that can hold a plan: refuting it raises the
bound by one, and a plan that it finds is optimal. Where one model of all plans up to a larger horizon has proven the
optimum, but looks for a plan in vain, this finds it, and the other way round.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from ..encoders import cp_sat
from ..encoders.horizon_model import EncodingStopped

if TYPE_CHECKING:
    from .run import Run


class Companion:
    """Solves exact horizons from the bound of a run upward, in a thread of its own, until it is stopped."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the work and wait for that. Raises what ended it, if it failed."""
        self._stopped.set()
        self._thread.join()
        if self._error:
            raise self._error

    def _work(self) -> None:
        try:
            while not self._over():
                self._try(self.run.bound)
        except EncodingStopped:
            pass
        except BaseException as error:  # for the thread that waits
            self._error = error

    def _over(self) -> bool:
        run = self.run
        beyond = run.limit is not None and run.bound > run.limit
        return self._stopped.is_set() or beyond or run.matched or bool(run.budget.stopped())

    def _try(self, horizon: int) -> None:
        """Solve one horizon; broken off when the bound is raised beyond it."""
        run = self.run
        model = run.encoder.encode(horizon, stop=self._over)
        run.add(models=1)
        search = cp_sat.Search(long=True)
        answer = cp_sat.solve(model.formula, run.budget, search, break_off=lambda: self._over() or run.bound > horizon)
        run.add(conflicts=answer.conflicts, branches=answer.branches)
        run.learn(model, answer, at_most=False)


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
