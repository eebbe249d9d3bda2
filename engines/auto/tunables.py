"""The tunables of the engine `auto`. What differs from engine to engine (time, memory) is in their `Place`."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class PortfolioTunables:
    """See `runtime.tunables`."""

    # The sides, and the moment before them (portfolio.py)
    slice: float = tunable(
        0.5,
        0.0,
        60.0,
        "seconds of processor time for breadth-first search before the sides are started, if it is the first in line",
        "it meets some hundred thousand states in it",
    )
    slice_beside: float = tunable(
        0.55,
        0.0,
        60.0,
        "the same where another search is the first in line, which works beside it",
        "three processes share two cores meanwhile: 0.8 s on an idle machine, which Microban 99 needs",
    )
    short_slice: float = tunable(0.2, 0.0, 60.0, "the same on one core, where another search is the first in line")
    most_operators: int = tunable(
        20_000,
        0,
        10**9,
        "operators up to which plain search begins a large task: it makes rules of all of them",
        "they take 0.04 s for the 13,440 of topspin, whose 1,242 states take 0.06 s; 16x16 boards have 11,400",
    )
    solver_niceness: int = tunable(
        5,
        0,
        19,
        "how much the solver stands back behind the search (nice(2)), on tasks that are not large",
        "seconds without and with it: XSokoban 38 2.3 and 1.8, korf-01 3.4 and 2.2, topspin, which the solver proves, "
        "3.2 and 3.7",
    )
    solver_alone: float = tunable(
        10.0,
        0.0,
        600.0,
        "seconds before search begins where a plan is a set of actions",
        "the solver's model needs no compiled code, and takes less than a second for a loop on 16x16 squares",
    )
    share: float = tunable(
        0.95, 0.1, 1.0, "the part of the memory limit that all may hold together; beyond it the largest is ended"
    )
    poll: float = tunable(0.05, 0.001, 1.0, "seconds between two looks at the engines, or at the child")
    closing_poll: float = tunable(0.02, 0.001, 1.0, "the same when they have been asked to end")

    # Plain search and the others beside it (head_start.py)
    alone: float = tunable(
        0.1, 0.0, 60.0, "seconds before the others begin", "half of the shipped puzzles are solved in less"
    )
    alone_on_programs: float = tunable(
        0.05, 0.0, 60.0, "the same where actions are programs", "a snake of twelve takes 0.6 s by breadth-first search"
    )
    alone_on_large_tasks: float = tunable(
        0.3, 0.0, 60.0, "the same on large tasks", "a ball sort of 2,152 states takes 0.3 s; the others take seconds"
    )
    together: float = tunable(
        0.45,
        0.0,
        60.0,
        "seconds after which plain search ends",
        "when the others have loaded numba, they meet ten times as many states in a second",
    )
    together_on_large_tasks: float = tunable(
        2.0,
        0.0,
        60.0,
        "the same on large tasks",
        "a ball sort of 5,120 operators and 2,152 states took 4 s, and plain search alone 0.5 s",
    )
    most_states: float = tunable(
        1e6,
        0.0,
        1e12,
        "states beyond which plain search is given up on large tasks: those that its layers, growing on, would have at "
        "the proven bound",
    )


TUNABLES = PortfolioTunables()
