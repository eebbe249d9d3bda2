"""The tunables of the engine `idastar`.

`window` is a constant of kernels: its value is that of when a kernel was compiled.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tunables import tunable


@dataclass(slots=True)
class IterativeDeepening:
    """Iterative deepening (idastar/)."""

    growth: float = tunable(
        2,
        1,
        100,
        "a round that expands less than this many times what the one before did was not worth its while: the limit is "
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
    alike: int = tunable(
        100, 1, 10**9, "a step that costs more than this many times what another one does: no successors are looked up"
    )
    check: int = tunable(
        20_000_000, 0, 10**12, "nodes after which a search without a table looks whether the reachable states are few"
    )
    few_states: int = tunable(1 << 19, 1, 1 << 30, "the most states that are searched exhaustively for a goal")
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
        """(nodes, entries) of the pattern databases for a search with a transposition table."""
        return ((self.state_tables_after, self.state_tables),)


IDASTAR = IterativeDeepening()
