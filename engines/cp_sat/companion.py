"""Companions: exact-horizon solvers that run in parallel with a model of many horizons.

The strategy `one-model` solves one large model. A companion works beside it, in a thread of its own, on the smallest
model that can hold a plan: that of exactly as many steps as the proven bound. If it refutes that model, the bound rises
by one, for both; if it finds a plan, the plan is optimal. Companions begin when the puzzle has proven hard and a core
is free. When they have refuted some horizons and the large model none, it is given up and they go on alone.

How a companion branches. By default CP-SAT decides variables by activity: those that took part in conflicts of late.
Where linear bounds tell how far many objects have to go, it decides step by step instead, as a depth-first search with
the same bound would, but with what CP-SAT learns: by one solver from the first step onward, which is better where the
bounds are close (XSokoban 38: 79 pushes refuted in 4 s, backward not in 40; by activity, not in 300 s), and by another
from the last step backward, where much that can be reached is lost (Microban 122: 84 pushes in 1 s, forward not in 30).
Elsewhere activity wins: 22 slides of a 12x12 Rush Hour board are refuted in 6 s so, and step by step, either way, not
in 60. How the two divide the horizons between them: `horizons`.
"""

from __future__ import annotations

import threading
from typing import Protocol

from ...encoders.formula import EncodingStopped
from ...encoders.horizon_model import HorizonModel
from ...runtime.budget import Budget
from ...runtime.outcome import Recorder
from . import solver as cp_sat
from .horizons import BoundedRun, Decides, Horizons


class Accompanied(BoundedRun, Protocol):
    """What a companion shares with the run that it works for: the proven bound, and where to bring what it proves.

    `overtaking` counts the horizons that companions have refuted since the run's own models have refuted any.
    """

    record: Recorder
    seed: int | None
    overtaking: int

    @property
    def budget(self) -> Budget: ...

    @property
    def matched(self) -> bool: ...

    def learn(self, model: HorizonModel, answer: cp_sat.CpSatAnswer) -> None: ...

    def ruled_out(self, horizon: int) -> None: ...


def companions(run: Accompanied) -> list[Companion]:
    """Start the companions that a run needs, and stop them at the end."""
    horizons = Horizons(run)
    if run.encoder.invariants.to_goal:
        return [Companion(run, "forward", horizons), Companion(run, "backward", horizons)]
    return [Companion(run, "by activity", horizons)]


class Companion:
    """Solves exact horizons from the bound of a run upward, in a thread of its own, until it is stopped."""

    def __init__(self, run: Accompanied, decides: Decides, horizons: Horizons | None = None) -> None:
        self.run, self.decides = run, decides
        self.horizons = horizons or Horizons(run)
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def working(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop the thread and wait for its end. If it failed, raises its exception."""
        self._stopped.set()
        self._thread.join()
        if self._error:
            raise self._error

    def _work(self) -> None:
        try:
            while not self._over() and (task := self.horizons.take(self, self.decides)) and self._try(*task):
                pass
        except BaseException as error:  # for the thread that waits
            self._error = error

    def _over(self) -> bool:
        run = self.run
        beyond = run.limit is not None and run.bound > run.limit
        return self._stopped.is_set() or beyond or run.matched or bool(run.budget.stopped())

    def _try(self, horizon: int, decides: Decides) -> bool:
        """Solve one horizon; broken off when it is ruled out, or no longer of interest. False if the solver gave up."""
        run = self.run

        def over() -> bool:
            needless = run.bound > horizon or horizon in run.ruled_out_beyond
            return self._over() or needless or (run.shortest is not None and horizon >= run.shortest)

        try:
            model = self.horizons.model(horizon, over)
        except EncodingStopped:
            return True
        run.record.count(models=1)
        order = () if decides == "by activity" else run.encoder.by_steps(model, backward=decides == "backward")
        search = cp_sat.SearchSettings(long=True, in_order=order, seed=run.seed)
        answer = cp_sat.solve(model.formula, run.budget, search, break_off=over)
        run.record.count(conflicts=answer.conflicts, branches=answer.branches)
        before = run.bound
        if answer.status == "infeasible":
            self.horizons.refuted(self, answer.conflicts)
            run.ruled_out(horizon)
        else:
            run.learn(model, answer)
        run.overtaking += run.bound > before
        return answer.stopped_by in (None, cp_sat.BROKEN_OFF)
