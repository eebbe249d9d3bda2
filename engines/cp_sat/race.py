"""Two searches of one formula side by side, of which the first that is done counts (Huberman, Lukose and Hogg, *An
economics approach to hard computational problems*, Science 1997).

Lower bound tree search comes back to the root of its tree all the time, and CP-SAT's inprocessing has a round there
each time. What that is worth differs from board to board (processor seconds, parallel steps, two cores):

    board                          with     without
    12x12, 44 vehicles, 25 slides   9.4      16.2
    14x14, 26 slides               45.1      58.6
    14x14, 10 slides                7.7       4.3
    16x16, 15 slides               10.4       7.3

Nine boards took 113 s with it and 114 s without, and the quicker one of each took 94 s.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from ...encoders.cp_sat import build
from ...encoders.formula import Formula
from ...runtime.budget import Budget
from .solver import Answer, Search, solve


def race(
    formula: Formula,
    budget: Budget,
    search: Search,
    on_bound: Callable[[float], None],
    break_off: Callable[[], bool],
) -> Answer:
    """As `solve`, by a search with inprocessing and one without, each on a thread of its own. `on_bound` gets the
    bounds of both, from any thread; the conflicts and branches are those of both.
    """
    if formula.contradiction:
        return Answer("infeasible")
    model = build(formula)
    ended = threading.Event()
    second: list[Answer | BaseException] = []

    def without() -> None:
        try:
            other = replace(search, inprocessing=False)
            second.append(solve(formula, budget, other, on_bound, ended.is_set, model=model))
        except BaseException as error:  # for the thread that waits
            second.append(error)
        ended.set()

    thread = threading.Thread(target=without, daemon=True)
    thread.start()
    try:
        answer = solve(formula, budget, search, on_bound, lambda: ended.is_set() or break_off(), model=model)
    finally:
        ended.set()
        thread.join()
    other = second[0]
    if isinstance(other, BaseException):
        raise other
    best = other if other.stopped_by is None and answer.stopped_by is not None else answer
    conflicts, branches = answer.conflicts + other.conflicts, answer.branches + other.branches
    return replace(best, conflicts=conflicts, branches=branches)
