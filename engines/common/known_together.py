"""The results that the engines of a portfolio share: the best plan, the highest bound, and whose they are."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

from ...models.errors import DisagreementError
from ...models.moves import Cost, show_cost
from ...models.plan import Plan
from ...models.task import Task
from ...runtime.budget import Budget
from ...runtime.events import Event, LayerDone, LowerBound, Note, PlanFound, Working
from ...runtime.outcome import Outcome, Recorder, Status
from . import root_bound

# A search that would have to meet more states than this before the bound is reached is ended.
MOST_STATES = 1e10


@dataclass(slots=True)
class Portfolio:
    """What the engines have achieved together on a task, of operators or programs.

    `plan_by` and `bound_by` are engines; `layers`: the last three layers of those that search in layers; `proven`: the
    last bound that each has proven.
    """

    task: Any
    record: Recorder
    plan_by: str = ""
    bound_by: str = ""
    unsolvable_by: str | None = None
    layers: dict[str, list[LayerDone]] = field(default_factory=dict)
    proven: dict[str, Cost] = field(default_factory=dict)

    @property
    def budget(self) -> Budget:
        return self.record.budget

    @property
    def large(self) -> bool:
        """Whether the task has so many operators that analysing it takes seconds."""
        return isinstance(self.task, Task) and len(self.task.operators) > root_bound.LARGE_TASK

    def learn_bound(self, engine: str, bound: Cost, by: str) -> None:
        self.proven[engine] = max(bound, self.proven.get(engine, bound))
        if self.record.raise_bound(bound, by, engine=engine):
            self.bound_by = engine

    def learn_plan(self, engine: str, plan: Plan, cost: Cost) -> None:
        if self.record.found(plan, cost, engine=engine):
            self.plan_by = engine

    def hear(self, engine: str, event: Event) -> None:
        """Take over an event that an engine reports: a plan, a bound, a completed layer or a note."""
        if isinstance(event, LayerDone):
            self.layers[engine] = [*self.layers.get(engine, ())[-2:], event]
        match event:
            case LowerBound() | LayerDone() if event.lower_bound is not None:
                self.learn_bound(engine, event.lower_bound, event.by)
            case PlanFound():
                self.learn_plan(engine, event.plan, event.cost)
            case Note() | Working():
                self.record.progress(replace(event, seconds=self.record.elapsed))

    def learn(self, engine: str, outcome: Outcome) -> None:
        """Take over the plan and the bounds of an engine's outcome."""
        self._take(outcome, bound_by=engine, plan_by=engine)
        self.record.stats |= {f"{engine}_{key}": value for key, value in outcome.stats.items()}

    def learn_all(self, outcome: Outcome) -> None:
        """Take over the plan and the bounds of a portfolio in another process, and the names of the engines they are
        from.
        """
        stats = dict(outcome.stats)
        self._take(outcome, bound_by=str(stats.pop("bound_by", "")), plan_by=str(stats.pop("plan_by", "")))
        self.record.stats |= stats

    def _take(self, outcome: Outcome, *, bound_by: str, plan_by: str) -> None:
        if outcome.lower_bound is not None:
            self.learn_bound(bound_by, outcome.lower_bound, outcome.lower_bound_by)
        if outcome.plan is not None and outcome.upper_bound is not None:
            self.learn_plan(plan_by, outcome.plan, outcome.upper_bound)
        if outcome.status is Status.UNSOLVABLE:
            self.unsolvable_by, self.bound_by = outcome.lower_bound_by, bound_by

    def hopeless(self, engine: str, most_states: float = MOST_STATES) -> bool:
        """Whether an engine that searches in layers would meet more than `most_states` before the proven bound is
        reached, if the layers went on growing as the last one did.

        S states after layer d, r times as many in it as in the one before, a bound L: S * r^(L - d) states. Nothing is
        said of layers which the engine knows from the moment that it had before.
        """
        layers, bound = self.layers.get(engine, ()), self.record.bounds.lower_bound
        if len(layers) < 3 or bound is None or layers[-1].depth + 1 < self.proven.get(engine, (0,))[0]:
            return False
        first, second, third = (layer.states for layer in layers)
        growth = (third - second) / max(1, second - first)
        left = bound[0] - layers[-1].depth
        return growth > 1 and left * math.log(growth) + math.log(third) > math.log(most_states)

    def forget_counts(self, engine: str) -> None:
        """An engine begins anew: what it counted before says nothing of what it will have proven.

        If it is killed, it has no counts: none are better than wrong ones.
        """
        kept = {key: value for key, value in self.record.stats.items() if not key.startswith(f"{engine}_")}
        self.record.stats = kept

    @property
    def solved(self) -> bool:
        """Whether the bounds have met. Raises `DisagreementError` if engines contradict each other."""
        known = self.record.bounds
        low, high = known.lower_bound, known.upper_bound
        if high is not None and (self.unsolvable_by is not None or (low is not None and low > high)):
            proof = known.lower_bound_by if self.unsolvable_by is None else self.unsolvable_by
            raise DisagreementError(
                f"{self.plan_by} has a plan of {show_cost(high)}, but {self.bound_by} proves otherwise: {proof}"
            )
        return self.unsolvable_by is not None or known.closed

    def outcome(self, reason: str | None) -> Outcome:
        who = (("plan_by", self.plan_by), ("bound_by", self.bound_by))
        self.record.stats |= {key: name for key, name in who if name}
        if self.unsolvable_by is not None:
            return self.record.unsolvable(self.unsolvable_by)
        return self.record.stopped(reason)
