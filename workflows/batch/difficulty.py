"""How hard the puzzles of an experiment are: all their states are visited once, on the same executor."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial

from ...models.families import load_text
from ...models.puzzle import Puzzle
from ...runtime.budget import Budget
from ...runtime.child_main import Orders
from ...runtime.events import Progress
from ...runtime.executors import Executor
from ...runtime.kernels import ensure_kernels
from ..exploration import explore
from .experiment import Experiment
from .store import Store

Counts = dict[str, float | None]
"""Columns of the store's table `difficulty`."""


def measure(experiment: Experiment, store: Store, executor: Executor, interrupted: threading.Event) -> int:
    """Count for each puzzle and metric that the store has not counted yet, within the first limits of the experiment.

    Puzzles with too many states for that, and metrics in which steps differ in cost, are left out. Gives the number of
    those that were counted.
    """
    budget = Budget(None, None)
    budget.interrupted = interrupted
    ensure_kernels(budget=budget)
    known = {(line["digest"], line["metric"]) for line in store.difficulty()}
    limit = experiment.limits[0]
    given: list[tuple[Puzzle, str, str]] = []

    def orders() -> Iterator[Orders]:
        for job, _ in experiment.jobs():
            if (job.puzzle.digest, job.metric) not in known:
                known.add((job.puzzle.digest, job.metric))
                text = job.puzzle.to_yaml()
                given.append((job.puzzle, text, job.metric))
                yield Orders(partial(_counted, text, job.metric), limit.seconds, limit.memory_mib)

    counted = 0
    for number, report in executor.carry_out(orders(), interrupted):
        puzzle, text, metric = given[number]
        if isinstance(report.result, dict):
            store.add_difficulty(puzzle, text, metric, report.result)
            counted += 1
    return counted


def _counted(text: str, metric: str, budget: Budget, _progress: Progress) -> Counts | None:
    """The counts; None if a limit was reached."""
    space = explore(load_text(text), metric, budget).space
    if space is None or space.stopped_by:
        return None
    features = asdict(space.features) if space.features else {}
    if features:  # it may be larger than the integers of a store
        features["shortest_plans"] = float(features["shortest_plans"])
    return {"states": space.states, "optimum": space.distance, "dead_ends": space.dead_ends, **features}
