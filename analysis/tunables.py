"""The tunables of the analysis that searches rest on: deadlocks, conflicts, pattern databases, all in one table.

None of them changes an answer: they trade preparation and memory for search. Times are of a machine with two cores.
Kernels (`njit`) hold the values with which they were compiled.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..runtime.tunables import tunable


@dataclass(slots=True)
class Tunables:
    """See `runtime.tunables`."""

    # Freeze deadlocks (deadlocks/freeze.py)
    board_mib: int = tunable(
        64,
        1,
        100_000,
        "MiB for distance tables of boards with frozen objects; beyond them those of the empty board serve",
    )
    most_boards: int = tunable(
        4096, 1, 65_536, "such boards at most: they are looked up one after the other, for each object that freezes"
    )

    # Deadlock tables (deadlocks/tables.py)
    dead_set_work: int = tunable(
        30_000_000,
        10_000,
        10**9,
        "sets of places times the walker's cells: larger sets are taken where the product is at most this",
        "the limit takes about a second",
    )
    dead_set_lookups: int = tunable(
        3_000,
        1,
        100_000,
        "...and where a move makes at most this many sets; those that can hold a minimal dead set are looked up "
        "in every successor",
        "the limit is 27 objects for sets of four, 78 for sets of three",
    )
    dead_set_picks: int = tunable(
        20,
        0,
        100_000,
        "which objects matter to which (`DeadSets.together`) is found if a move makes more sets than this; else all of "
        "them are looked up",
        "it takes up to 0.1 s",
    )
    dead_set_quota: int = tunable(10_000, 100, 10**6, "sets looked at between two looks at the clock")

    # Dead sets that are learned (deadlocks/learned.py)
    learned_sets: int = tunable(1 << 12, 1, 1 << 24, "sets that are kept; later ones are not learned")
    learned_entries: int = tunable(1 << 15, 1, 1 << 28, "objects of all of them together")

    # Corrals (deadlocks/corrals.py)
    corral_rounds: int = tunable(12, 1, 100, "how often a set of objects may grow before it is given up as a corral")

    # Conflicts (conflicts/conflicts.py)
    conflict_entries: int = tunable(
        200_000_000,
        10_000,
        10**10,
        "sets of places times the walker's cells, a byte each: conflicts of larger sets are found where it is at most "
        "this",
        "the limit takes about two seconds",
    )
    model_conflict_entries: int = tunable(
        20_000_000,
        1,
        10**10,
        "conflicts for bounded models are found if their table has at most this many entries: many models are "
        "solved in a fraction of a second",
    )
    conflict_lookups: int = tunable(
        20_000,
        1,
        10**6,
        "...and if the objects of a state form at most this many sets of that size: a few in a hundred of them are "
        "looked up before it is expanded",
    )

    # Potentials of walks (walks/potentials.py, walks/program.py)
    walk_rows: int = tunable(
        2_500,
        100,
        10**6,
        "constraints of the linear program, which the initial state waits for, at most (nearly)",
        "the limit takes a tenth of a second",
    )
    walk_tries: int = tunable(
        5, 1, 100, "how often weights are made smaller until no step lowers their sum by more than 1"
    )
    walk_seconds: float = tunable(3_600.0, 1.0, 10**6, "seconds of a linear program where there is no limit")

    # Potentials of facts (fact_potentials.py)
    potential_seconds: float = tunable(1.0, 0.01, 10**6, "seconds of each of two linear programs at most")
    potential_goals: int = tunable(
        3, 1, 10**6, "parts of a goal at least for which models of `cp-sat` state them", "bird-1: nothing saved, 12 ms"
    )
    potential_rows: int = tunable(20_000, 0, 10**7, "constraints of a linear program at most", "0.7 s at 13,000")

    # Operators (move_pruning.py, successor_table.py) and matching (movable_objects.py)
    pruned_pairs: int = tunable(
        8_000, 1, 10**6, "operators at most of a task with a table of pairs that are pruned", "a byte a pair: 64 MB"
    )
    pruned_replacements: int = tunable(
        500, 0, 10**6, "operators at most where pairs are held against other pairs, too", "0.5 s at 1,300"
    )
    compared_operators: int = tunable(
        3_000,
        0,
        10**6,
        "operators at most of a task with a successor table: each is held against all others (two float tables of N x "
        "F, and pairs of them)",
    )
    matched_places: int = tunable(
        64, 0, 10_000, "where more places than this satisfy the goal, they are one column that each object may use"
    )

    # Symmetries (symmetries.py)
    symmetries: int = tunable(15, 0, 255, "symmetries at most, besides the identity", "a square room has seven")
    symmetry_tries: int = tunable(100, 1, 10**6, "refinements of colours in the search for them, at most")
    symmetry_operators: int = tunable(
        50_000,
        0,
        10**9,
        "operators at most of a task whose symmetries are looked for",
        "that takes some 0.1 s at 3,000",
    )

    # Pattern databases (patterns/databases.py, patterns/partition.py)
    pattern_entries: int = tunable(1_000_000, 0, 10**8, "entries of a table at most in A*, a byte each")
    pattern_tables: int = tunable(
        8, 1, 100, "all tables together have at most this many times the entries of the largest one"
    )
    pattern_objects: int = tunable(24, 1, 63, "objects of one table at most")
    pattern_quota: int = tunable(100_000, 1_000, 10**7, "placements expanded between two looks at the clock")
    partition_tries: int = tunable(
        60, 1, 1_000, "partitions of the objects that are compared, the first at random like the others"
    )
    partition_objects: int = tunable(32, 2, 1_000, "of more objects, one partition is made only")
    partition_noise: float = tunable(
        0.4, 0.0, 1.0, "by how much, up or down, the weights between objects are changed in each try (0: all alike)"
    )

    # Saturated cost partitioning (cost_partitioning/)
    partition_seconds: float = tunable(1.0, 0.1, 600.0, "seconds for projections and their orders, about")
    partition_values: int = tunable(10_000_000, 1, 10**9, "operators times variables at most, eight bytes each")
    partition_variables: int = tunable(
        3,
        1,
        8,
        "variables of a projection at most",
        "with two, elevators 1 has 12 as the bound of the initial state, with three 30; landmark cut 25",
    )
    partition_patterns: int = tunable(300, 1, 10**6, "projections of one goal variable and one size at most")
    partition_states: int = tunable(10_000, 2, 10**7, "abstract states of a projection at most")
    partition_transitions: int = tunable(1_000_000, 1, 10**8, "transitions of all projections together at most")
    partition_orders: int = tunable(20, 1, 1_000, "orders at most, each the best for some sample state")
    partition_entries: int = tunable(4_000_000, 1, 10**9, "distances of all orders together at most, nearly")
    partition_samples: int = tunable(200, 1, 10**5, "states, drawn by random walks, for which orders are made")
    partition_patience: int = tunable(
        20, 1, 10**5, "sample states in a row whose orders are not kept, after which no more are made"
    )


TUNABLES = Tunables()
