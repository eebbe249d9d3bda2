"""Options that say where work is done: on how many cores, or on which machines."""

from __future__ import annotations

import argparse
from contextlib import closing
from typing import TYPE_CHECKING

from .parsing import count

if TYPE_CHECKING:
    from ..runtime.executors import Executor


def add_executor(command: argparse.ArgumentParser) -> None:
    """Add the options for work in parallel: `--jobs` and `--cluster`."""
    command.add_argument("--jobs", type=count, metavar="N", help="runs at once on this machine (default: its cores)")
    command.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="run on Dask workers: tcp://HOST:8786 of a scheduler, or local:N workers here",
    )


def executor_of(arguments: argparse.Namespace) -> closing[Executor]:
    """The executor that was asked for; as a context, it is closed at the end. Raises `UsageError`."""
    from ..runtime.environment import cores
    from ..runtime.executors.local import LocalExecutor

    if not arguments.cluster:
        return closing(LocalExecutor(arguments.jobs or cores()))
    from ..runtime.executors.cluster import ClusterExecutor

    return closing(ClusterExecutor(arguments.cluster))
