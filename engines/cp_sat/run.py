"""A run of the rising horizon: what is known so far, and one bounded model after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ...analysis.hm.background import BackgroundHm
from ...analysis.hm.layers import Layers
from ...encoders.horizon_model import HorizonEncoder, HorizonModel
from ...models.plan import Plan
from ...models.task import Task
from ...runtime.outcome import Budget, Outcome, Progress, Status
from . import solver as cp_sat
from .companion import Companion, companions
from .solver import BROKEN_OFF

MUCH_MORE = 1.1
"""A model is given up for one with deeper layers if their own bound is so many times that of the old ones: Microban 140
took 17 s, and 50 to 60 s where layers that did not raise the proven bound had to wait for the next model."""

OVERTAKEN = 2
"""A model of many horizons is given up when its companions have refuted so many, and it none meanwhile."""

POLL = 0.01
"""Seconds between two looks at what the companions have done."""


@dataclass(slots=True)
class Run:
    """What a run of the loop knows so far. `hard`: some solve did not end quickly (see `cp_sat.Search`); `stopped_by`:
    why the last solve ended without an answer, if it did; `overtaking`: how many horizons the companions have refuted
    since the run's own models have refuted any.
    """

    task: Task
    budget: Budget
    progress: Progress
    encoder: HorizonEncoder
    deepening: BackgroundHm
    limit: int | None = None
    workers: int = 2
    hard: bool = False
    best: Plan | None = None
    bound: int = 0
    bound_by: str = "a plan has at least no steps"
    stopped_by: str | None = None
    encode_seconds: float = 0.0
    solve_seconds: float = 0.0
    stats: dict[str, int | float | str] = field(
        default_factory=lambda: {"models": 0, "conflicts": 0, "branches": 0, "variables": 0, "constraints": 0}
    )
    companions: list[Companion] = field(default_factory=list)
    overtaking: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def unit(self) -> str:
        """What a step is called."""
        return self.task.metric[0]

    @property
    def known(self) -> int | None:
        """The steps of the best plan of this run."""
        return None if self.best is None else len(self.best.moves)

    @property
    def shortest(self) -> int | None:
        """The steps of the best plan, of this run or someone else's."""
        others = self.budget.incumbent
        if others is None or len(others) > 1:
            return self.known
        return others[0] if self.known is None else min(others[0], self.known)

    def ended(self) -> Outcome | None:
        """What to do before the next model: take the deeper layers that have become ready; the outcome, if the run is
        at its end.
        """
        if unsolvable := self._deepen():
            return unsolvable
        if self.matched:
            return self.gave_up("a plan of another engine meets the bound")
        if self.limit is not None and self.bound > self.limit:
            return self.gave_up("horizon limit")
        if self.stopped_by not in (None, BROKEN_OFF):
            return self.gave_up(self.stopped_by or "")
        reason = self.budget.stopped()
        return self.gave_up(reason) if reason else None

    @property
    def matched(self) -> bool:
        """Whether a plan, of this run or someone else's, costs no more than the bound that is proven here."""
        return self.shortest is not None and self.bound >= self.shortest

    @property
    def overtaken(self) -> bool:
        """Whether the companions have raised the bound again and again, and the run's own models have not."""
        return self.overtaking >= OVERTAKEN

    def within(self, horizon: int) -> int:
        """The horizon, or less: not beyond the limit that was asked for, and shorter than the plans that are known."""
        if self.limit is not None:
            horizon = min(horizon, self.limit)
        return horizon if self.shortest is None else min(horizon, max(self.bound, self.shortest - 1))

    def _deepen(self) -> Outcome | None:
        """Encode with the deeper layers that have become ready; an outcome if they prove unsolvable."""
        layers = self.deepening.take()
        if layers is None:
            return None
        if layers.lower_bound is None:
            return self.unsolvable(layers)
        self.raise_bound(layers.lower_bound, f"relaxed reachability ({layers.name})")
        self.encoder = self.encoder.deeper(layers)
        return None

    def _telling(self) -> bool:
        """Whether deeper layers are ready that raise the bound, or tell much more than those of the model; others can
        wait for the next model.
        """
        layers, old = self.deepening.layers, self.encoder.layers.lower_bound or 0
        if layers is None:
            return False
        return layers.lower_bound is None or layers.lower_bound > min(self.bound, MUCH_MORE * old)

    def left_to_companions(self) -> Outcome:
        """Wait for what the companions prove."""
        began = time.monotonic()
        while not (ended := self.ended()) and any(companion.working for companion in self.companions):
            time.sleep(POLL)
        self.solve_seconds += time.monotonic() - began
        return ended or self.gave_up("memory limit")

    def unsolvable(self, layers: Layers) -> Outcome:
        return Outcome(
            Status.UNSOLVABLE,
            lower_bound_by=f"relaxed reachability ({layers.name}): the goal is out of reach",
            encode_seconds=self.encode_seconds,
            solve_seconds=self.solve_seconds,
            stats=self.stats,
        )

    def raise_bound(self, bound: int, by: str, **more: object) -> None:
        bound, proven = self.encoder.invariants.next_length(bound), bound
        if bound > proven:
            by += ", and every plan has an " + ("odd" if bound % 2 else "even") + " number of steps"
        with self._lock:
            if bound > self.bound:
                self.bound, self.bound_by = bound, by
                self.progress({"type": "bound", "lower_bound": bound, "by": by, "seconds": self.budget.elapsed, **more})

    def refuted(self, horizon: int, *, at_most: bool = True) -> None:
        """Raise the bound: no plan has `horizon` steps (at most so many, if the model had idle steps)."""
        steps = f"at most {horizon}" if at_most else f"{horizon}"
        by = f"CP-SAT: horizon {horizon} refuted (no plan of {steps} {self.unit})"
        self.raise_bound(horizon + 1, by, horizon=horizon)

    def found(self, plan: Plan) -> None:
        """Keep a plan if it is the best so far, and make it known."""
        with self._lock:
            if self.known is None or len(plan.moves) < self.known:
                self.best = plan
                if len(self.task.metric) == 1:
                    self.budget.offer(plan, (len(plan.moves),))

    def learn(self, model: HorizonModel, answer: cp_sat.Answer, *, at_most: bool = True) -> None:
        """Keep the plan that a model has, or that it has none (of at most its horizon, if it had idle steps)."""
        if answer.values is not None:
            self.found(model.plan(self.task, answer.values))
        elif answer.status == "infeasible":
            self.refuted(model.horizon, at_most=at_most)

    def encode(self, horizon: int, *, idle: bool, shortest: bool = False, walks: bool = False) -> HorizonModel:
        """The model at a horizon. Raises `EncodingStopped` if the budget ends on the way."""
        began = time.monotonic()
        try:
            model = self.encoder.encode(
                horizon,
                idle=idle,
                shortest=shortest,
                walks=walks,
                least=self.bound,
                stop=lambda: bool(self.budget.stopped()),
            )
        finally:
            self.encode_seconds += time.monotonic() - began
        self.stats.update(variables=model.formula.variables, constraints=model.formula.size)
        self.add(models=1)
        return model

    def solve(
        self,
        model: HorizonModel,
        on_bound: Callable[[float], None] | None = None,
        *,
        by_cores: bool = True,
        whole: bool = False,
        accompanied: bool = False,
    ) -> cp_sat.Answer:
        """Solve a model within the budget. Broken off when deeper layers raise the bound, a known plan meets it, or the
        puzzle proves hard; but not with `whole`.
        """
        began = time.monotonic()
        search = cp_sat.Search(by_cores=by_cores, long=self.hard or whole)

        def break_off() -> bool:
            if accompanied:
                self._accompany()
            return not whole and (self._telling() or self.matched or self.overtaken)

        answer = cp_sat.solve(model.formula, self.budget, search, on_bound, break_off)
        self.stopped_by = answer.stopped_by
        self.hard = self.hard or answer.stopped_by == BROKEN_OFF
        self.solve_seconds += time.monotonic() - began
        self.add(conflicts=answer.conflicts, branches=answer.branches)
        return answer

    def _accompany(self) -> None:
        """Start more solvers on a core that is free: if the puzzle is hard, and no deeper layers will come."""
        if not self.companions and self.hard and self.workers > 1 and self.deepening.ended:
            self.companions = companions(self)

    def add(self, **counts: int) -> None:
        """Count what was done; `solve`, the companions' threads and CP-SAT's callbacks do."""
        with self._lock:
            for key, count in counts.items():
                self.stats[key] = int(self.stats[key]) + count

    def optimal(self) -> Outcome:
        """The best plan is as short as the bound."""
        return self.outcome(Status.OPTIMAL)

    def outcome(self, status: Status, reason: str | None = None) -> Outcome:
        return Outcome(
            status,
            self.best,
            (self.bound,),
            self.bound_by,
            None if self.known is None else (self.known,),
            reason,
            self.encode_seconds,
            self.solve_seconds,
            self.stats,
        )

    def gave_up(self, reason: str) -> Outcome:
        """The outcome without a proof: the best plan, if one was found, and the bound (unless the two have met)."""
        if self.known is not None and self.bound >= self.known:
            return self.optimal()
        if reason == "interrupted":
            return self.outcome(Status.INTERRUPTED, reason)
        return self.outcome(Status.UNKNOWN if self.best is None else Status.FEASIBLE, reason)
