"""Companions: exact-horizon solvers that run in parallel with a model of many horizons.

The strategy `one-model` solves one large model. A companion works beside it, in a thread of its own, on the smallest
model that can hold a plan: that of exactly as many steps as the proven bound. If it refutes that model, the bound rises
by one, for both; if it finds a plan, the plan is optimal. Companions begin when the puzzle has proven hard and a core
is free. When they have refuted some horizons and the large model none, it is given up and they go on alone.

How a companion branches. By default CP-SAT decides variables by activity: those that took part in conflicts of late.
Where linear bounds tell how far many objects have to go, it decides step by step instead, as a depth-first search with
the same bound would, but with what CP-SAT learns: by one solver from the first step onward, which is better where the
bounds are close (XSokoban 38: 79 pushes refuted in 9 s; by activity, not in 300 s; Korf 42: 40 moves in 9 s, or more
than 60), and by another from the last step backward, where much that can be reached is lost (Microban 112: 84 pushes in
10 s, or more than 60). Elsewhere activity wins: 22 slides of a 12x12 Rush Hour board are refuted in 6 s so, and step by
step, either way, not in 60.
"""

from __future__ import annotations

import threading
from typing import Literal, Protocol

from ...encoders.horizon_model import EncodingStopped, HorizonEncoder, HorizonModel
from ...runtime.budget import Budget
from ...runtime.outcome import Recorder
from . import solver as cp_sat

Decides = Literal["by activity", "forward", "backward"]


class Accompanied(Protocol):
    """What a companion shares with the run that it works for: the proven bound, and where to bring what it proves.

    `overtaking` counts the horizons that companions have refuted since the run's own models have refuted any.
    """

    record: Recorder
    limit: int | None
    seed: int | None
    overtaking: int

    @property
    def encoder(self) -> HorizonEncoder: ...

    @property
    def budget(self) -> Budget: ...

    @property
    def bound(self) -> int: ...

    @property
    def matched(self) -> bool: ...

    @property
    def shortest(self) -> int | None: ...

    def learn(self, model: HorizonModel, answer: cp_sat.Answer) -> None: ...


def companions(run: Accompanied) -> list[Companion]:
    """The companions that a run needs, at work."""
    if run.encoder.invariants.to_goal:
        return [Companion(run, "forward"), Companion(run, "backward")]
    return [Companion(run, "by activity")]


class Companion:
    """Solves exact horizons from the bound of a run upward, in a thread of its own, until it is stopped."""

    def __init__(self, run: Accompanied, decides: Decides) -> None:
        self.run, self.decides = run, decides
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def working(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        """End the work and wait for that. Raises what ended it, if it failed."""
        self._stopped.set()
        self._thread.join()
        if self._error:
            raise self._error

    def _work(self) -> None:
        try:
            while not self._over() and self._try(self.run.bound):
                pass
        except EncodingStopped:
            pass
        except BaseException as error:  # for the thread that waits
            self._error = error

    def _over(self) -> bool:
        run = self.run
        beyond = run.limit is not None and run.bound > run.limit
        return self._stopped.is_set() or beyond or run.matched or bool(run.budget.stopped())

    def _try(self, horizon: int) -> bool:
        """Solve one horizon; broken off when the bound is raised beyond it. False if the solver gave up."""
        run, encoder = self.run, self.run.encoder
        if run.shortest is not None and horizon >= run.shortest:  # the bound has met a plan just now
            return False
        model = encoder.encode(horizon, stop=self._over)
        run.record.count(models=1)
        order = () if self.decides == "by activity" else encoder.by_steps(model, backward=self.decides == "backward")
        search = cp_sat.Search(long=True, in_order=order, seed=run.seed)
        answer = cp_sat.solve(model.formula, run.budget, search, break_off=lambda: self._over() or run.bound > horizon)
        run.record.count(conflicts=answer.conflicts, branches=answer.branches)
        ahead = run.bound == horizon
        run.learn(model, answer)
        run.overtaking += ahead and run.bound > horizon
        return answer.stopped_by in (None, cp_sat.BROKEN_OFF)
