"""A second solver on the second core: the horizon of the proven bound, exactly, while one model covers many.

A model of plans of exactly so many steps as the bound is the smallest that can hold a plan: refuting it raises the
bound by one, and a plan that it finds is optimal. It is searched step by step, as a depth-first search with the same
bound would, but with what CP-SAT learns: from the first step onward, where the bounds are close (XSokoban 38: 80 pushes
refuted in 9 s; deciding by activity, not in 300 s; Korf 42: 41 moves in 9 s, or more than 60), or from the last one
backward, where much that can be reached is lost (Microban 112: 85 pushes in 10 s, or more than 60). Which is better
shows only by trying both.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..encoders import cp_sat
from ..encoders.horizon_model import EncodingStopped

if TYPE_CHECKING:
    from .run import Run

SLICE = 4.0
"""Seconds for a direction at first; twice as many each time that both have failed at a horizon."""


def attempt(run: Run, over: Callable[[], bool], *, backward: bool) -> cp_sat.Answer:
    """Solve the horizon of the bound, step by step, and keep what that tells. Broken off if the bound is raised
    meanwhile or it is `over`; raises `EncodingStopped` if it is over before the model is complete.
    """
    encoder, horizon = run.encoder, run.bound
    model = encoder.encode(horizon, stop=over)
    run.add(models=1)
    search = cp_sat.Search(long=True, in_order=encoder.by_steps(model, backward=backward))
    answer = cp_sat.solve(model.formula, run.budget, search, break_off=lambda: over() or run.bound > horizon)
    run.add(conflicts=answer.conflicts, branches=answer.branches)
    run.learn(model, answer, at_most=False)
    return answer


class Companion:
    """Solves exact horizons from the bound of a run upward, in a thread of its own, until it is stopped.

    `backward`: the direction that is being tried. `ahead`: how many horizons it has refuted since `caught_up`.
    `settled`: keep to the direction, somebody else tries the other one.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.backward = False
        self.ahead = 0
        self.settled = False
        self._ends = 0.0
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def caught_up(self) -> None:
        """The run has raised the bound without the companion."""
        self.ahead = 0

    def stop(self) -> None:
        """End the work and wait for that. Raises what ended it, if it failed."""
        self._stopped.set()
        self._thread.join()
        if self._error:
            raise self._error

    def _work(self) -> None:
        try:
            while not self._over():
                self._solve(self.run.bound)
        except EncodingStopped:
            pass
        except BaseException as error:  # for the thread that waits
            self._error = error

    def _solve(self, horizon: int) -> None:
        """Solve one horizon, in both directions by turns; the one that did goes first at the next."""
        seconds, tried = SLICE, 0
        while self.run.bound == horizon and not self._over():
            self._ends = time.monotonic() + seconds
            answer = attempt(self.run, self._pausing, backward=self.backward)
            self.ahead += answer.status == "infeasible"
            if self.run.bound == horizon and not self.settled:
                self.backward = not self.backward
                tried += 1
                seconds = SLICE * 2 ** (tried // 2)

    def _pausing(self) -> bool:
        return self._over() or (not self.settled and time.monotonic() > self._ends)

    def _over(self) -> bool:
        run = self.run
        beyond = run.limit is not None and run.bound > run.limit
        return self._stopped.is_set() or beyond or run.matched or bool(run.budget.stopped())


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
