"""The portfolio on tasks whose actions are programs: the engines that run them, one after the other.

Breadth-first search gets a moment, which is enough where there are few states; then the engines that have a place among
the searches go on in their order, each until it has the answer or can do no more.
"""

from __future__ import annotations

from itertools import chain

from ...models.program import ProgramTask
from ...runtime.budget import Budget
from ...runtime.events import Progress, silent
from ...runtime.outcome import Outcome, Recorder
from ..common.known_together import Portfolio
from ..engine import Engine, TaskKind
from ..line_up import line_up
from ..table import members
from .tunables import TUNABLES


def auto(task: ProgramTask, budget: Budget, progress: Progress = silent) -> Outcome:
    """Solve a task by all engines that run programs. Raises `DisagreementError` if they contradict each other."""
    record = Recorder(budget, progress, parts=len(task.metric))
    if done := record.trivial(task):
        return done
    record.encoded()
    portfolio = Portfolio(task, record)
    engines = [engine for engine in members() if engine.programs and engine.compiled]
    reason = "no engine can do more"
    for engine in engines:
        if engine.place and engine.place.slice:
            _work(portfolio, engine, budget.part(TUNABLES.slice))
    for engine in chain.from_iterable(line_up(TaskKind.COSTS_DIFFER, engines)):
        if portfolio.solved or budget.stopped():
            break
        reason = _work(portfolio, engine, budget) or reason
    return portfolio.outcome(None if portfolio.solved else budget.stopped() or reason)


def _work(portfolio: Portfolio, engine: Engine, budget: Budget) -> str | None:
    """Let an engine work within a budget; why it ended, if it does not have the answer."""
    portfolio.forget_counts(engine.name)
    outcome = engine.run(portfolio.task, budget, lambda event: portfolio.hear(engine.name, event))
    portfolio.learn(engine.name, outcome)
    return outcome.stopped_by
