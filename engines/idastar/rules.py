"""The pruning rules of IDA* that `--without` switches off, beside the heuristics (`analysis.heuristics`)."""

from __future__ import annotations

from ..common.switches import without_option

RULES = {"move-pruning": "pairs of moves that lead where others lead, too, at no more cost"}

WITHOUT = without_option(RULES)
