"""Two searches of one formula side by side, of which the first that is done counts (Huberman, Lukose and Hogg, *An
economics approach to hard computational problems*, Science 1997).

Lower bound tree search comes back to the root of its tree all the time, and CP-SAT's inprocessing has a round there
each time. As a rule that costs more than it saves (processor seconds, deep model of parallel steps):

    board                          without      with
    12x12, 44 vehicles, 25 slides      1.6       2.9
    14x14, 26 slides                   6.8      11.2
    16x16, 20 slides                   4.2       5.4
    16x16, 23 slides                   4.6      14.8

Eight boards took 23 s without it and 44 s with it. But what is quicker differs from model to model: in an earlier form,
the first of these boards took half the time with it. So the search without begins alone, and the other joins in when
that has not ended after some seconds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from ...encoders.cp_sat import build
from ...encoders.formula import Formula
from ...runtime.budget import Budget
from .solver import Answer, Search, solve
from .tunables import TUNABLES


def race(
    formula: Formula,
    budget: Budget,
    search: Search,
    on_bound: Callable[[float], None],
    break_off: Callable[[], bool],
    before_second: Callable[[threading.Event], None] = lambda ended: None,
) -> Answer:
    """As `solve`, without inprocessing; after `TUNABLES.second_after` seconds, on a thread of its own, `before_second`
    is called and then a search with inprocessing begins beside. `on_bound` gets the bounds of both, from any thread;
    the conflicts and branches are those of both. `before_second` shall return soon when its event is set.
    """
    if formula.contradiction:
        return Answer("infeasible")
    model = build(formula)
    ended = threading.Event()
    second: list[Answer | BaseException] = []

    def join_in() -> None:
        try:
            if ended.wait(TUNABLES.second_after):
                return
            before_second(ended)
            if ended.is_set():
                return
            other = replace(search, inprocessing=True)
            second.append(solve(formula, budget, other, on_bound, ended.is_set, model=model))
        except BaseException as error:  # for the thread that waits
            second.append(error)
        ended.set()

    thread = threading.Thread(target=join_in, daemon=True)
    thread.start()
    first = replace(search, inprocessing=False)
    try:
        answer = solve(formula, budget, first, on_bound, lambda: ended.is_set() or break_off(), model=model)
    finally:
        ended.set()
        thread.join()
    if not second:
        return answer
    other = second[0]
    if isinstance(other, BaseException):
        raise other
    best = other if other.stopped_by is None and answer.stopped_by is not None else answer
    conflicts, branches = answer.conflicts + other.conflicts, answer.branches + other.branches
    return replace(best, conflicts=conflicts, branches=branches)
