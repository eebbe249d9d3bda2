"""The engine `cp-sat`: bounded-horizon models of rising horizon, solved by CP-SAT.

engine       what is known before the first model, of operators and of programs; one model of whole plans; steps of
             any cost, with the cost as the objective
strategies   how the horizon rises, what `--strategy` chooses; parallel steps; the second component of the metric
run          what is known so far; encoding and solving one model
horizon_run  the same on operators: deeper h^m, and exact-horizon solvers beside a model of many horizons
solver       one solve by CP-SAT, under a budget; how many actions that cost nothing come in a row
"""

from __future__ import annotations

from ..engine import HORIZON_LIMIT, SEED, Engine, Option, PlotStyle, PortfolioRole, Programs, without_option

# What `--without` switches off in `cp-sat`, beside the heuristics (`analysis.heuristics`).

RULES = {
    "dead-sets": "two to four facts from which the goal is out of reach",
    "deeper-hm": "h^m for sets of three and more facts",
    "first-plan": "a first plan by a quick search",
    "from-start": "bounds on the steps from the initial state to a layer",
    "move-pruning": "pairs of moves that lead where others lead, too, at no more cost",
    "parallel-steps": "steps of several moves, first, where many objects move",
    "projections": "lower bounds where actions are kept as programs",
    "value-sets": "values that variables can have after so many actions, where these are kept as programs",
    "whole-plans": "one model of whole plans, without a horizon, where no action can be repeated",
    "parity": "the parity of the number of steps, and of the steps after which a fact can be true",
}

WITHOUT = without_option(RULES, shared=())


ENGINE = Engine(
    name="cp-sat",
    order=10,
    module=f"{__package__}.engine",
    programs=Programs(compiled=False, refuses=True),
    title="CP-SAT",
    sentence="bounded-horizon models, solved by CP-SAT; the horizon rises until a plan exists",
    options=(
        Option(
            "strategy",
            str,
            "auto",
            "how the horizon rises",
            choices=("auto", "one-model", "linear"),
        ),
        HORIZON_LIMIT,
        Option("workers", int, None, "solvers that may work at once, 1 or 2; by default as there are cores", least=1),
        SEED,
        WITHOUT,
    ),
    also_loads=("ortools.sat.python.cp_model_helper", "budge.engines.common.store"),
    compiled=True,
    prompt=False,
    verifies=True,
    role=PortfolioRole("solver"),
    style=PlotStyle("#1f8fd6", "s", duel="solver"),
)
