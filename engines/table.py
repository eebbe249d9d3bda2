"""The table of engines."""

from __future__ import annotations

from .engine import Engine, _lazily

ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        Engine("auto", _lazily(".portfolio", "auto")),
        Engine(
            "cp-sat",
            _lazily(".cp_sat.engine", "solve_by_horizons"),
            ("strategy", "horizon_limit", "workers"),
            prompt=False,
        ),
        Engine("csp", _lazily(".csp.engine", "solve_by_csp"), ("solver", "horizon_limit"), prompt=False),
        Engine("bfs", _lazily(".search.bfs.engine", "breadth_first")),
        Engine("bidirectional", _lazily(".search.bidirectional", "bidirectional")),
        Engine("astar", _lazily(".search.astar.engine", "a_star")),
        Engine("idastar", _lazily(".search.idastar.engine", "iterative_deepening")),
        Engine("greedy", _lazily(".search.greedy.engine", "greedy"), promises_optimum=False),
        Engine("bird", _lazily(".search.bird", "plan_refinement"), families=("rush-hour",), promises_optimum=False),
    )
}


DEFAULT_ENGINE = "auto"
