"""Runs of the rising horizon: what is known so far, and one bounded model after the other.

A `Run` is all that a loop over horizons (`strategies.linear`) needs to know of a task: that of programs has an encoder
(`ProgramRun`); that of operators computes deeper h^m on a second core and has companions (`horizon_run`).
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from ...encoders.formula import Formula
from ...encoders.horizon_model import HorizonModel
from ...encoders.parallel_model import ParallelModel
from ...encoders.programs.horizon import ProgramEncoder, ProgramModel
from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.outcome import Outcome, Recorder
from . import solver as cp_sat
from .solver import BROKEN_OFF

# Layers up to which models are probed. CP-SAT 9.15 ends the process ("Infeasible solution!") when it has probed a model
# of 500 layers, 31,000 variables, in which the goal contradicts what no action changes; without probing it is refuted.
MOST_PROBED = 300

BoundedModel = HorizonModel | ProgramModel
M = TypeVar("M", HorizonModel, ProgramModel, ParallelModel)


@dataclass
class Run(ABC):
    """The state of a run of the loop: proven bound, best plan; `record` holds its bound, counts and time.

    Horizons and the bound are in layers of cost. `best`: its best plan, of `known` layers; `hard`: some solve did not
    end quickly (see `cp_sat.SearchSettings`); `stopped_by`: why the last solve ended without an answer, if it did;
    `refuted_by`: what proves that there is no plan; `overtaking`: how many horizons solvers beside it have refuted
    since its own models have refuted any.
    """

    record: Recorder
    limit: int | None = field(default=None, kw_only=True)
    seed: int | None = field(default=None, kw_only=True)
    hard: bool = field(default=False, kw_only=True)
    best: Plan | None = field(default=None, init=False)
    known: int | None = field(default=None, init=False)
    stopped_by: str | None = field(default=None, init=False)
    refuted_by: str | None = field(default=None, init=False)
    overtaking: int = field(default=0, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    @abstractmethod
    def task(self) -> Task:
        """The task whose steps the models count."""

    @property
    @abstractmethod
    def unit(self) -> int:
        """What a layer costs."""

    @abstractmethod
    def encode(self, horizon: int, *, idle: bool, shortest: bool = False, walks: bool = False) -> BoundedModel:
        """The model at a horizon. Raises `EncodingStopped` if the budget ends on the way."""

    @property
    def budget(self) -> Budget:
        return self.record.budget

    @property
    def bound(self) -> int:
        """The proven lower bound: no plan has fewer layers."""
        known = self.record.bounds.lower_bound
        return -(-known[0] // self.unit) if known else 0

    @property
    def bound_by(self) -> str:
        return self.record.bounds.lower_bound_by

    @property
    def shortest(self) -> int | None:
        """The layers of the best plan, of this run or someone else's."""
        others = self.budget.incumbent
        if others is None or len(others) > 1:
            return self.known
        layers = others[0] // self.unit
        return layers if self.known is None else min(layers, self.known)

    def over(self) -> str | None:
        """The reason why the run has to end, or None if it goes on."""
        if self.refuted_by:
            return "no plan"
        if self.matched:
            return "a plan of another engine meets the bound"
        if self.limit is not None and self.bound > self.limit:
            return "horizon limit"
        if self.stopped_by not in (None, BROKEN_OFF):
            return self.stopped_by
        return self.budget.stopped()

    @property
    def solved(self) -> bool:
        """Whether the run's own plan is proven to have the fewest steps."""
        return self.known is not None and self.bound >= self.known

    @property
    def matched(self) -> bool:
        """Whether a plan, of this run or someone else's, costs no more than the bound that is proven here."""
        return self.shortest is not None and self.bound >= self.shortest

    def within(self, horizon: int) -> int:
        """The horizon, lowered to the limit that the user asked for and to less than the length of known plans."""
        if self.limit is not None:
            horizon = min(horizon, self.limit)
        return horizon if self.shortest is None else min(horizon, self.shortest - 1)

    def raise_bound(self, bound: int, by: str, horizon: int | None = None) -> None:
        """Raise the bound: no plan has fewer steps."""
        self.record.raise_bound(bound * self.unit, by, horizon=horizon)

    def refuted(self, horizon: int) -> None:
        """Raise the bound: no plan has `horizon` steps, and none has fewer."""
        by = f"CP-SAT proved that {self.task.not_enough((horizon + 1) * self.unit - 1)}"
        self.raise_bound(horizon + 1, by, horizon=horizon)

    def found(self, plan: Plan, layers: int) -> None:
        """Keep a plan if it takes fewer `layers` than the best so far, and report it."""
        with self._lock:
            if self.known is None or layers < self.known:
                self.best, self.known = plan, layers
                if self.record.parts == 1:
                    self.record.found(plan, (layers * self.unit,))

    def learn(self, model: BoundedModel, answer: cp_sat.CpSatAnswer) -> None:
        """Record a model's answer: its plan, or that no plan has its horizon.

        Where its steps may not be idle, it is solved only when all shorter plans are ruled out.
        """
        if answer.values is not None:
            self.found(model.plan(answer.values), model.layers(answer.values))
        elif answer.status == "infeasible":
            self.refuted(model.horizon)

    def encoded(self, encode: Callable[[Callable[[], bool]], M]) -> M:
        """Encode a model, timed and counted. `encode` gets a function that says when the budget ends: see
        `EncodingStopped`.
        """
        with self.record.encoding():
            model = encode(lambda: bool(self.budget.stopped()))
        with self.record.lock:
            self.record.stats.update(variables=model.formula.variables, constraints=model.formula.size)
        self.record.count(models=1)
        return model

    def solve(
        self,
        formula: Formula,
        on_bound: Callable[[float], None] | None = None,
        *,
        bounds: cp_sat.Bounding = "cores",
        whole: bool = False,
        long: bool = False,
        accompanied: bool = False,
        until: float = 0.0,
    ) -> cp_sat.CpSatAnswer:
        """Solve a model within the budget. Broken off when its answer is not needed any more, or the puzzle proves
        hard; but not with `whole`. `long`: as a puzzle that has proven hard. `until`: the seconds that are left for
        something else.
        """
        search = cp_sat.SearchSettings(
            bounds=bounds,
            long=self.hard or whole or long,
            inprocessing=bounds != "tree",
            seed=self.seed,
            probing=self.bound <= MOST_PROBED,
        )

        def break_off() -> bool:
            self.record.working(f"refuting {self.task.counted(self.bound * self.unit)}")
            if until and self.budget.remaining <= until:
                return True
            return not whole and self.needless(accompanied)

        answer = cp_sat.solve(formula, self.budget, search, on_bound, break_off)
        self.stopped_by = answer.stopped_by
        self.hard = self.hard or answer.stopped_by == BROKEN_OFF
        self.record.count(conflicts=answer.conflicts, branches=answer.branches)
        return answer

    def attempt(self, model: BoundedModel, *, accompanied: bool = False) -> cp_sat.CpSatAnswer:
        """Solve a model whose steps are minimised, or that has exactly the least horizon, and learn what it answers."""

        def on_bound(bound: float) -> None:
            steps = min(cp_sat.whole_bound(bound), model.horizon)
            if steps > self.bound:
                self.overtaking = 0
            self.refuted(steps - 1)

        answer = self.solve(model.formula, on_bound, accompanied=accompanied)
        self.learn(model, answer)
        if answer.values is not None and answer.bound is not None:
            on_bound(answer.bound)
        return answer

    def needless(self, accompanied: bool) -> bool:
        """Whether the answer to the model that is being solved is not needed any more. `accompanied`: solvers of exact
        horizons may work beside it.
        """
        del accompanied
        return self.matched

    def outcome(self, why: str) -> Outcome:
        """The outcome of the run: no plan, the best plan if it is optimal, or the bounds so far."""
        if self.refuted_by:
            return self.record.unsolvable(self.refuted_by)
        return self.record.stopped(why, unpriced=self.best)


@dataclass
class ProgramRun(Run):
    """A run on a task whose actions are programs. `free`: the most free steps in a row of the plans that are looked
    for.
    """

    encoder: ProgramEncoder
    free: int = field(default=0, init=False)

    @property
    def task(self) -> ProgramTask:
        return self.encoder.task

    @property
    def unit(self) -> int:
        return self.task.layer_cost

    def encode(self, horizon: int, *, idle: bool, shortest: bool = False, walks: bool = False) -> ProgramModel:
        """The model at a horizon; with steps that may be idle, of the plans from the bound on."""
        del shortest, walks  # where steps may be idle, the shortest plan is always asked for
        return self.encoded(lambda _: self.encoder.encode(horizon, self.bound if idle else horizon, self.free))

    def bounded_free(self) -> bool:
        """Find out how many free steps a plan makes in a row at most: a model needs room for that many between two paid
        ones. False if that cannot be proven soon.
        """
        settings = cp_sat.SearchSettings(long=True, seed=self.seed)
        free = cp_sat.longest_chain(self.encoder.chain, partial(cp_sat.answered, record=self.record, search=settings))
        if free is not None:
            self.record.stats["free_steps"] = self.free = free
        return free is not None

    def learn(self, model: BoundedModel, answer: cp_sat.CpSatAnswer) -> None:
        """Record a model's answer; where all actions are free, one model says everything."""
        if answer.status == "infeasible" and not any(action.cost[0] for action in self.task.actions):
            self.refuted_by = f"CP-SAT: no goal is {self.free} actions away, and as all are free none needs more"
        Run.learn(self, model, answer)
