"""What `--without` switches off in `cp-sat`, beside the heuristics (`analysis.heuristics`)."""

from __future__ import annotations

from ..common.switches import without_option

RULES = {
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
