"""The pruning rules of IDA* that `--without` switches off, beside the heuristics (`analysis.heuristics`)."""

from __future__ import annotations

from ..common.switches import without_option

# Nodes after which a search without a table looks whether the reachable states are few.
CHECK = 20_000_000

# The most states that are searched exhaustively for a goal.
FEW_STATES = 1 << 19

RULES = {
    "databases": "distances of several variables together where actions are kept as programs",
    "move-pruning": "pairs of moves that lead where others lead, too, at no more cost",
    "projections": "lower bounds where actions are kept as programs",
}

WITHOUT = without_option(RULES)
