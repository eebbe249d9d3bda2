"""All tunables of relaxed reachability h^m: name, default, range, what it is, and the measurement behind it.

None of them changes what is proven, only how much is looked at, when, and in how much memory. Times are of one core
of a small machine of 2024. The engine decides up to which m it goes and when it begins (`engines/cp_sat/engine.py`).
"""

from __future__ import annotations

ROUNDS = {2: 4, 3: 4, 4: 1, 5: 1}
"""By m; 1 or more. How often the two directions, forward and backward, may prune each other. Pairs and triples are
quick, and the third and fourth time they seldom find more. Sets of four and five take a minute or two for one time.
"""

ROUNDS_WITHIN = 8
"""1 or more. The same as `ROUNDS`, for tables within a limit and every m, as long as each round is worth it."""

WORTH_A_ROUND = 0.9
"""0 to 1. One more round is worth it within a limit if the last one left at most this part of the sets. Klotski's
opening within 90 steps, h⁴: 0.55 after one round, 0 after two."""

MAX_WORK = {3: 2_000_000_000, 4: 4_000_000_000, 5: 1_000_000_000}
"""By m; 0 (never) or more. Sets of m facts are looked at where operators times sets of m - 1 facts are at most this
number: that took a minute or two at most.
"""

FREE_STEPS = 8
"""1 or more. Factor on the expected work if some operators cost nothing (a walker's, for example): every value is gone
through again and again.
"""

QUICK_WORK = 20_000_000
"""0 or more. As `MAX_WORK`, for triples where they have to be quick: they took half a second or less."""

MAX_SETS = {3: 60_000_000, 4: 60_000_000, 5: 80_000_000}
"""By m; 0 or more. Sets of m facts are looked at if there are at most this many, for the memory: each has two values of
two bytes, and the rows of bits.
"""

COPIES = 12
"""6 or more. The number of collections of sets that have to fit into memory. The fixpoint holds six at once; the same
again is reserved for the solver beside it.
"""

GOAL_CHOICES = 100_000
"""1 or more. The most choices of facts that meet some goal clauses, looked at for the goal's bound: a second."""

WAITING = 1 << 14
"""1 or more. Room, at first, for sets that wait to be reached: 0.3 MB for m = 5, enough for most boards of 6x6."""

MORE_WAITING = 4
"""2 or more. The factor by which `WAITING` grows when it is used up; then the visit of one operator is made again."""

POLL = 0.005
"""Seconds, above 0, between two looks at whether tables are ready."""

LISTS_AT_ONCE = 64
"""1 or more. Lists of facts whose values are found in one step: many, so that NumPy is quick, and not too many, as the
memory for them is in proportion."""
