"""Making puzzles from beginning to end: search, make minimal, prove, until there are enough."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from pathlib import Path

from ...runtime.executors import Executor
from .finish import Made, Wishes, finish
from .maker import Maker
from .search import Archive, Goal, best_first, search


def make(
    maker: Maker,
    goal: Goal | None,
    wishes: Wishes,
    executor: Executor,
    *,
    seed: int = 1,
    rounds: int | None = None,
    seconds: float | None = None,
    count: int = 1,
    how: Callable[[Archive], str] = lambda archive: "",
    seen: Path | None = None,
    interrupted: threading.Event | None = None,
    on_round: Callable[[Archive], None] = lambda archive: None,
) -> tuple[list[Made], Archive]:
    """The best `count` puzzles, the hardest first, or fewer, and the archive of the search.

    With a `goal` the search ends as soon as there are enough that fit it; without, the harder the better. `how` says in
    the files how they were made.
    """
    interrupted, began = interrupted or threading.Event(), time.monotonic()
    archive, wanted = Archive(), goal or Goal()
    made: dict[Hashable, Made] = {}
    while True:
        before = archive.rounds
        search(
            maker,
            wanted,
            executor,
            seed=seed,
            rounds=rounds,
            seconds=None if seconds is None else max(0.0, seconds - (time.monotonic() - began)),
            enough=count - len(made) if goal else None,
            archive=archive,
            seen=seen,
            interrupted=interrupted,
            on_round=on_round,
        )
        if interrupted.is_set():
            break
        chosen = best_first(archive, wanted)
        boards = [graded for _, graded in chosen]
        name = f"{maker.family}, seed {seed}"
        ready = finish(
            maker, boards, wanted, wishes, executor, how=how(archive), name=name, seen=seen, interrupted=interrupted
        )
        for one in ready:
            made.setdefault(one.same, one)
        # What has been looked at makes room for other boards, until there are enough or the search is over.
        archive.refuse(same for same, _ in chosen)
        if len(made) >= count or not goal or archive.rounds == before or interrupted.is_set():
            break
    return sorted(made.values(), key=lambda one: -wanted.score(one.optimum))[:count], archive
