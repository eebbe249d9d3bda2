"""Making puzzles from beginning to end: search, make minimal, prove, until there are enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from .finish import Made, Wishes, finish
from .search import Archive, SearchSetting, best_first, search


def make(
    setting: SearchSetting,
    wishes: Wishes,
    *,
    rounds: int | None = None,
    seconds: float | None = None,
    count: int = 1,
    how: Callable[[Archive], str] = lambda _archive: "",
) -> tuple[list[Made], Archive]:
    """The best `count` puzzles, the hardest first, or fewer, and the archive of the search.

    With a goal the search ends as soon as there are enough that fit it. `how` says in the files how they were made.
    """
    began, archive, wanted = time.monotonic(), Archive(), setting.wanted
    made: dict[Hashable, Made] = {}
    while True:
        before = archive.rounds
        left = None if seconds is None else max(0.0, seconds - (time.monotonic() - began))
        enough = count - len(made) if setting.goal else None
        search(setting, archive, rounds=rounds, seconds=left, enough=enough)
        if setting.interrupted.is_set():
            break
        chosen = best_first(archive, wanted)
        name = f"{setting.maker.family}, seed {setting.seed}"
        for one in finish(setting, [graded for _, graded in chosen], wishes, how(archive), name):
            made.setdefault(one.same, one)
        # The boards that have been looked at make room for others, until there are enough or the search is over.
        archive.refuse(same for same, _ in chosen)
        over = len(made) >= count or archive.rounds == before
        if over or not setting.goal or setting.interrupted.is_set():
            break
    return sorted(made.values(), key=lambda one: -wanted.score(one.optimum))[:count], archive
