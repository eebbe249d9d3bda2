"""The engine `idastar`: iterative deepening A*."""

from __future__ import annotations

from ..engine import HEURISTIC, Engine, PlotStyle, PortfolioRole, Programs, TaskKind, without_option

# The pruning rules of IDA* that `--without` switches off, beside the heuristics (`analysis.heuristics`).

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


ENGINE = Engine(
    name="idastar",
    order=70,
    module=f"{__package__}.engine",
    title="IDA*",
    sentence="depth-first search below a limit on cost plus lower bound, which rises",
    also_loads=("budge.engines.common.store",),
    compiled=True,
    programs=Programs(),
    options=(WITHOUT, HEURISTIC),
    role=PortfolioRole(
        "search",
        {TaskKind.PROGRAMS: 2, TaskKind.ONE_OBJECT: 1, TaskKind.SEVERAL_GOALS: 2, TaskKind.ONE_GOAL: 2},
        memory=0.5,
    ),
    weight=0,
    style=PlotStyle("#c45fa0", "v", duel="search"),
)
