"""The pruning rules of IDA* that `--without` switches off, beside the heuristics (`analysis.heuristics`)."""

from __future__ import annotations

from ..common.switches import without_option

RULES = {
    "databases": "distances of several variables together where actions are kept as programs",
    "move-pruning": "pairs of moves that lead where others lead, too, at no more cost",
    "projections": "lower bounds where actions are kept as programs",
}

WITHOUT = without_option(RULES)
