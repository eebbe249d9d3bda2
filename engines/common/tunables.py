"""The tunables of the native searches, a table for each engine. Most of what `astar` could be tuned with is in the
analysis of the task that its estimates come from.

`window` and `block` are constants of kernels: their values are those of when a kernel was compiled.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class States:
    """What all searches that store states share (states/)."""

    look_every: float = tunable(
        0.05, 0.001, 1.0, "seconds between two looks at the clock and the limits, about; limits are overrun by this"
    )
    first_states: int = tunable(1 << 14, 1, 1 << 24, "states that a store has room for at first; then it doubles")


@dataclass(slots=True)
class BreadthFirst:
    """The search over short keys (bfs/fdr_store.py, bfs/fdr_kernels.py)."""

    first_slots: int = tunable(1 << 14, 1 << 4, 1 << 28, "slots of the table at first, a power of two")
    quick_slots: int = tunable(
        1 << 18, 1 << 4, 1 << 28, "below so many slots the table grows to eight times its size at once, then to twice"
    )
    full: float = tunable(0.5, 0.1, 0.9, "how full the table may get before it grows: longer probes, less memory")
    crowded: float = tunable(0.875, 0.5, 0.95, "how full it may get where the memory limit keeps it from growing")
    block: int = tunable(
        16,
        1,
        1024,
        "states expanded between two marks: parents are found again among so many, and a mark takes 8 bytes",
    )


@dataclass(slots=True)
class Bidirectional:
    """The search from both ends (bidirectional.py, goal_states.py)."""

    most_goals: int = tunable(100_000, 1, 10_000_000, "goal states with which a search backward is begun, at most")
    choices_per_goal: int = tunable(
        4, 1, 100, "choices of a fact, for each goal state that is allowed, after which enumerating is given up"
    )
    first_choices: int = tunable(1000, 1, 10_000_000, "choices beyond those: a small task is always enumerated")


@dataclass(slots=True)
class IterativeDeepening:
    """Iterative deepening (idastar/)."""

    growth: float = tunable(
        2,
        1,
        100,
        "a round that expands less than so many times what the one before did was not worth its while: the limit is "
        "raised further (Sarkar and others 1991)",
    )
    lookup_quota: int = tunable(
        1_000_000, 1, 100_000_000, "nodes between two looks at the clock, where operators are looked up: some 10 ms"
    )
    first_tables_after: int = tunable(
        4_000_000, 0, 10**12, "nodes, where operators are looked up, after which larger pattern databases are built"
    )
    first_tables: int = tunable(1 << 20, 0, 1 << 30, "entries of these")
    second_tables_after: int = tunable(200_000_000, 0, 10**12, "nodes after which still larger ones are built")
    second_tables: int = tunable(1 << 24, 0, 1 << 30, "entries of these")
    state_tables_after: int = tunable(
        20_000_000, 0, 10**12, "nodes of a search with a transposition table after which larger ones are built"
    )
    state_tables: int = tunable(1 << 20, 0, 1 << 30, "entries of these")
    check: int = tunable(
        20_000_000, 0, 10**12, "nodes after which a search without a table looks whether the reachable states are few"
    )
    few_states: int = tunable(1 << 19, 1, 1 << 30, "states that are few: so many are searched for a goal, at most")
    first_table: int = tunable(1 << 12, 1 << 5, 1 << 28, "slots of the transposition table at first, a power of two")
    window: int = tunable(16, 2, 1024, "slots of the transposition table that are looked at for one state")
    first_open: int = tunable(1 << 10, 2, 1 << 24, "open nodes that there is room for at first")
    first_depth: int = tunable(1 << 8, 3, 1 << 20, "states of a path that there is room for at first")

    @property
    def lookup_ladder(self) -> tuple[tuple[int, int], ...]:
        """(nodes, entries) of the pattern databases, where operators are looked up."""
        return (self.first_tables_after, self.first_tables), (self.second_tables_after, self.second_tables)

    @property
    def state_ladder(self) -> tuple[tuple[int, int], ...]:
        """The same for a search with a transposition table."""
        return ((self.state_tables_after, self.state_tables),)


@dataclass(slots=True)
class Greedy:
    """Greedy search (greedy/engine.py)."""

    first_weight: int = tunable(5, 1, 100, "weight of the estimate in the search for the first plan")
    second_weight: int = tunable(2, 1, 100, "weight in a second search, as long as improvement may last")
    improve_seconds: float = tunable(0.5, 0.0, 60.0, "seconds for the second search")


@dataclass(slots=True)
class Refine:
    """Plan refinement (refine/)."""

    refinements: int = tunable(
        1,
        1,
        1000,
        "refinements of a plan that are followed",
        "31 boards of 12x12 to 16x16, 2 s each: no plan on 5 with 1, on 7 with 2, on 8 with 4 or 8",
    )
    first_states: int = tunable(200, 1, 10_000_000, "states after which it begins anew with other preferences")
    growth: float = tunable(1.2, 1.0, 10.0, "so many times as many states has each attempt than the one before")
    first_cells: int = tunable(1 << 16, 1, 1 << 28, "parts of plans that there is room for at first; then it doubles")


@dataclass(slots=True)
class Shortening:
    """Plan neighbourhood graph search (states/neighbourhood.py)."""

    near: int = tunable(20_000, 100, 10_000_000, "states near the plan that are collected to make it shorter")
    growth: int = tunable(4, 2, 100, "so many times as many are collected next, if these made it no shorter")
    seconds: float = tunable(0.5, 0.0, 60.0, "no new round of improvement begins after so long")
    step_seconds: float = tunable(
        0.03, 0.0, 60.0, "the same for each step of the plan, if that is less", "a plan of four steps is soon proven"
    )


@dataclass(slots=True)
class AStar:
    """Second looks of A* at states (astar/second_looks.py), and the order of open ones (astar/plan_progress.py)."""

    looks_tried: int = tunable(
        10_000,
        1,
        10**9,
        "expansions after which deadlock searches, or conflicts of larger sets, are given up if they have found hardly "
        "anything",
        "XSokoban 72, of which deadlock searches find 3 states dead: 7.2 s of processor time, 22.5 s with 50,000",
    )
    looks_for_each: int = tunable(
        500,
        1,
        10**9,
        "...that is, one state in more than so many",
        "Microban 139 in moves: 5 found in 3 million",
    )
    packing_positions: int = tunable(
        2_000, 1, 10_000_000, "positions that the search for a packing plan expands at most"
    )


@dataclass(slots=True)
class FeatureSpace:
    """Feature space search (fess/)."""

    first_positions: int = tunable(2_000, 1, 10_000_000, "positions for which each strategy is tried first")
    packing_share: float = tunable(0.25, 0.0, 1.0, "part of the time that the packing search may take")
    packing_positions: int = tunable(20_000, 1, 10_000_000, "positions that it expands at most")
    middle_positions: float = tunable(1.0, 0.0, 10.0, "positions of a search to a middle, for one forward")
    table_memory: float = tunable(0.1, 0.01, 0.9, "part of the memory that a search to a middle may fill")
    table_slots: int = tunable(1 << 22, 2, 1 << 28, "slots of the table of its positions at most")
    plans: int = tunable(100, 0, 10_000, "other plans that are looked for, to be made shorter, once there is one")
    shorten_plans: int = tunable(40, 0, 1000, "of these, those with the fewest pushes that are made shorter")
    plans_share: float = tunable(0.3, 0.0, 1.0, "part of `shorten_seconds` in which other plans are looked for")
    quick_share: float = tunable(0.75, 0.0, 1.0, "part of `shorten_seconds` after which only the best is made shorter")
    shorten_seconds: float = tunable(10.0, 0.0, 600.0, "seconds in which the plan is made shorter at most")
    moves_each: int = tunable(200, 1, 10_000, "moves of a position, on the average, that there is memory for")
    memory_share: float = tunable(0.8, 0.1, 1.0, "part of the memory limit that positions and moves may fill")
    memory_mib: int = tunable(8192, 1, 1 << 20, "MiB that count as the limit where there is none")
    base_memory: float = tunable(0.7, 0.1, 0.9, "part of that for the search that goes on from round to round")
    most_positions: int = tunable(1 << 22, 16, 1 << 28, "positions that a tree has room for at most")


STATES = States()
BREADTH_FIRST = BreadthFirst()
BIDIRECTIONAL = Bidirectional()
IDASTAR = IterativeDeepening()
GREEDY = Greedy()
REFINE = Refine()
SHORTENING = Shortening()
ASTAR = AStar()
FESS = FeatureSpace()
