"""The command `batch`: experiments into a store.

Exit codes: 0 every run has ended (limits are no error, nor is a task that its engine does not take), 2 bad usage or
input, 4 two engines contradict each other or a file's `expect`; 70 an engine failed, or the scheduler of a cluster was
lost; 130 interrupted. After 70 and 130 the same command continues.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import UsageError
from .common import Interrupted, PreparingProgress, interrupts, print_json
from .parsing import PUZZLE_HELP, Parser, add_executor, count, executor_of, names, number
from .streams import Exit, worst

if TYPE_CHECKING:
    from ..lab.experiment import Experiment
    from ..workflows.rows import Row

STORE = "results.sqlite"
"""The store that is used unless one is named."""


def add_batch(batch: Parser) -> None:
    """Add the arguments of `budge batch`."""
    batch.describe(
        _batch,
        "budge batch experiment.yaml",
        "budge batch boards/ --engines bfs,cp-sat --metrics slides,steps --jobs 2",
        "budge batch boards/ --engines bfs --again --label new-version",
        "budge batch boards/ --engines bfs --cluster tcp://10.0.0.1:8786",
    )
    batch.add_argument(
        "names",
        nargs="+",
        metavar="SPEC|PUZZLE",
        help=f"the file of one experiment (docs/batch.md); or {PUZZLE_HELP}, a collection",
        takes="puzzle",
    )
    batch.add_argument("--store", metavar="FILE", help=f"the database (default: the file's `store`, or {STORE})")
    batch.add_engines(" (default auto)")
    batch.add_argument(
        "--metrics",
        type=_metrics,
        metavar="NAMES",
        help="separated by spaces or commas; `pushes,moves` is one: use a file",
    )
    batch.add_budget("each run", "1m")
    batch.add_argument("--repetitions", type=count, default=1, metavar="N", help="run everything N times (default 1)")
    batch.add_argument(
        "--seeds",
        type=_seeds,
        default=(),
        metavar="N,N",
        help="run engines that choose by chance with each of these",
    )
    add_executor(batch)
    batch.add_argument("--label", default="", metavar="NAME", help="what to call these runs (default: Budge's version)")
    batch.add_argument(
        "--again", action="store_true", help="run also what is proven; only runs of this label count as done"
    )
    batch.add_argument("--difficulty", action="store_true", help="also visit all states of each puzzle (budge explore)")
    batch.add_json()
    batch.add_quiet()


def _seeds(text: str) -> list[int]:
    """Whole numbers with commas between them."""
    return [number(word) for word in names(text)]


def _metrics(text: str) -> list[str]:
    return names(text.replace(" ", ","))


def _batch(arguments: argparse.Namespace) -> int:
    """Run engines on many puzzles, on all cores or many machines, into a store that can be resumed and asked."""
    experiment, path = _experiment(arguments)
    with interrupts() as interrupted:
        code = _run(experiment, path, arguments, interrupted)
        return interrupted.code if interrupted.is_set() else code


def _run(experiment: Experiment, path: Path, arguments: argparse.Namespace, interrupted: Interrupted) -> int:
    from ..lab.experiment import measure, run
    from ..lab.store import Store
    from ..views import results_text as views
    from ..workflows.rows import as_object

    preparing = PreparingProgress(arguments)
    progress = views.Progress(sys.stderr, quiet=arguments.quiet or arguments.json)

    def on_row(row: Row) -> None:
        preparing.close()
        if arguments.json:
            print_json(as_object(row))
        progress.row(row)

    with preparing, Store(path, create=True) as store, executor_of(arguments) as executor:
        if store.before:
            changed = f"is now a store of version {store.version}, not {store.before}; an older Budge cannot read it"
            print(f"{path} has all its runs, and {changed}", file=sys.stderr)
        done = run(
            experiment,
            store,
            executor,
            label=arguments.label,
            again=arguments.again,
            command=arguments.typed,
            interrupted=interrupted,
            on_row=on_row,
            on_prepare=preparing,
            on_wait=progress.waiting,
        )
        if arguments.difficulty and not interrupted.is_set():
            measure(experiment, store, executor, interrupted)
    if arguments.json:
        print_json(views.as_json(done, path))
    else:
        print("\n".join(views.summary(done, path)), flush=True)
    return worst([Exit.FAULT if done.errors else Exit.OPTIMAL, Exit.WRONG if done.contradictions else Exit.OPTIMAL])


def _experiment(arguments: argparse.Namespace) -> tuple[Experiment, Path]:
    """The experiment to run, and its store. Raises `PuzzleError` and `UsageError`."""
    from ..engines.table import DEFAULT_ENGINE
    from ..lab.experiment import Entrant, Experiment, Limit
    from ..lab.spec import is_spec, load_all, read_spec
    from ..models.moves import canonical_metric

    store = Path(arguments.store) if arguments.store else None
    limit = Limit(arguments.time_limit or Limit().seconds, arguments.memory_limit or Limit().memory_mib)
    if len(arguments.names) == 1 and is_spec(Path(arguments.names[0])):
        if any((arguments.engines, arguments.metrics, arguments.time_limit, arguments.memory_limit, arguments.seeds)):
            raise UsageError(
                "the file of an experiment has its own engines, metrics, limits and seeds: leave the options out"
            )
        spec = read_spec(Path(arguments.names[0]))
        return spec.experiment, store or spec.store or Path(STORE)
    engines = [Entrant(name) for name in arguments.engines or [DEFAULT_ENGINE]]
    metrics = [canonical_metric(name) for name in arguments.metrics or ()]
    puzzles = load_all(arguments.names)
    experiment = Experiment(puzzles, engines, metrics, [limit], arguments.repetitions, arguments.seeds)
    return experiment, store or Path(STORE)
