"""The command `batch`: experiments into a store.

Exit codes: 0 every run has ended (limits are no error, nor is a task that its engine does not take), 2 bad usage or
input, 4 two engines contradict each other or a file's `expect`; 70 an engine failed, or the scheduler of a cluster was
lost; 130 interrupted. After 70 and 130 the same command continues.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import UsageError
from ..parameters import STORE
from .common import Interrupted, RowsProgress, print_answer, until_interrupted
from .parsing import executor_of
from .streams import Exit, worst

if TYPE_CHECKING:
    from ..lab.experiment import Experiment


def run_batch(arguments: argparse.Namespace) -> int:
    """Run engines on many puzzles, on all cores or many machines, into a store that can be resumed and asked."""
    experiment, path = _experiment(arguments)
    return until_interrupted(partial(_run, experiment, path, arguments))


def _run(experiment: Experiment, path: Path, arguments: argparse.Namespace, interrupted: Interrupted) -> int:
    from ..lab.database import VERSION
    from ..lab.experiment import run
    from ..lab.store import Store
    from ..views import rows as views

    progress = views.Progress(sys.stderr, quiet=arguments.quiet or arguments.json)
    rows = RowsProgress(arguments, progress.row)
    with rows, Store(path, create=True) as store, executor_of(arguments) as executor:
        if store.before:
            changed = f"is now a store of version {VERSION}, not {store.before}; an older Budge cannot read it"
            print(f"{path} has all its runs, and {changed}", file=sys.stderr)
        done = run(
            experiment,
            store,
            executor,
            label=arguments.label or "",
            again=arguments.again,
            command=arguments.typed,
            interrupted=interrupted,
            on_row=rows.row,
            on_prepare=rows.prepare,
            on_wait=progress.waiting,
        )
    print_answer(arguments, partial(views.experiment_json, done, path), views.of_experiment(done, path))
    return worst([Exit.FAULT if done.errors else Exit.OPTIMAL, Exit.WRONG if done.contradictions else Exit.OPTIMAL])


def _experiment(arguments: argparse.Namespace) -> tuple[Experiment, Path]:
    """The experiment to run, and its store. Raises `PuzzleError` and `UsageError`."""
    from ..lab.experiment import Entrant, Experiment, Limit, is_spec, load_all, read_spec
    from ..models.moves import canonical_metric

    store = Path(arguments.store) if arguments.store else None
    limit = Limit(arguments.time_limit, arguments.memory_limit)
    if len(arguments.names) == 1 and is_spec(Path(arguments.names[0])):
        if arguments.given & {"engines", "metrics", "time_limit", "memory_limit", "seeds"}:
            raise UsageError(
                "the file of an experiment has its own engines, metrics, limits and seeds: leave the options out"
            )
        experiment, named = read_spec(Path(arguments.names[0]))
        return experiment, store or named or Path(STORE)
    engines = [Entrant(name) for name in arguments.engines]
    metrics = [canonical_metric(name) for name in arguments.metrics or ()]
    puzzles = load_all(arguments.names)
    experiment = Experiment(puzzles, engines, metrics, [limit], arguments.repetitions, arguments.seeds or ())
    return experiment, store or Path(STORE)
