"""Solving a formula with CP-SAT within a budget.

Parameters. The encoder has done the presolve that helps (h^m tables, constants, redundant pairs), so CP-SAT's
own presolve, linear relaxation and symmetry detection are switched off: on the 49-slide refutation of the 93-step Rush
Hour board this was ten times faster than the defaults. Its probing and inprocessing, and the covers of cores
(`cover_optimization`), cost more than they save where few conflicts are needed, and save much where many are: four Rush
Hour boards took 8.4 s with all of them, 6.6 s without covers and 3.1 s without either; an 8-puzzle of 31 moves and
Microban 77 took 7.8 s with and 27.5 s without. So the first conflicts (`QUICK_CONFLICTS`) are tried without,
and what is not solved then is solved with them. Lower bound tree search does without
inprocessing (`parallel`). Other parameters (activity decay, clause clean-up, restarts, core
minimisation) changed the time by less than the noise.

Where literals are decided in order (`SearchSettings.in_order`), what is learnt is all that keeps the search from doing
the same again, and it helps late: clauses are thrown away after 40,000 conflicts, not 10,000, and there is no
inprocessing.
Processor seconds of exact horizons of Microban, before and so: 122, 84 pushes, 42.5 and 11.7 (253,000 and 85,000
conflicts); 144, 34: 38.7 and 28; 111, 57: 11.4 and 8.1; 112, 84: 7.0 and 5.2; 143, 53: 10.2 and 10.4.

A model of all sets of actions (`SearchSettings.presolve`) is no sequence of layers: there presolve and all of the
linear relaxation pay. The fewest towers such that each of 8x8 cells has one or is beside one, 16: 0.04 s, with what
CP-SAT relaxes by itself no bound in 15 s; a loop on 12x12 with 277 edges: 0.2 s either way.

With these parameters a quick solve makes no random choice: `random_seed` alone changes neither its conflicts nor its
branches. So with a seed, the variables among which activity does not choose yet are tried in a random order, not in
that of the model (bird-1, one solver: 719 conflicts without a seed, 627 with seed 2, 759 with seed 3).
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ...encoders.cp_sat import build
from ...encoders.formula import Formula
from ...runtime.budget import Budget
from ...runtime.outcome import Recorder

if TYPE_CHECKING:
    from ortools.sat.python import cp_model_helper as cp


# Conflicts of a quick solve, without probing and inprocessing; a puzzle that it does not solve is hard. One or two
# seconds on a small board; four Rush Hour boards took 3.1 s so, 8.4 s with all of it.
QUICK_CONFLICTS = 20_000

# Seconds that a quick solve has, on a large board.
QUICK_SECONDS = 3.0

# Conflicts between two rounds in which learnt clauses are thrown away, where literals are decided in order; CP-SAT's
# own is 10,000. Microban 122, 84 pushes: 42.5 s with 10,000, 11.7 s so.
IN_ORDER_CLEANUP = 40_000


@dataclass(frozen=True, slots=True)
class CpSatAnswer:
    """An answer of CP-SAT. `status`: "solution", "optimal" (with an objective), "infeasible" or "unknown";
    `values` (variables): a solution, if any; `numbers`: in it, the values of the variables that are whole numbers;
    `bound`: the proven lower bound of the objective; `stopped_by`: why it gave up.
    """

    status: str
    values: NDArray[np.bool_] | None = None
    bound: float | None = None
    conflicts: int = 0
    branches: int = 0
    stopped_by: str | None = None
    numbers: Mapping[int, int] = field(default_factory=dict)


def whole_bound(bound: float) -> int:
    """The least whole number that a bound of CP-SAT allows; the bound has a fraction, and is exact but for rounding."""
    return math.ceil(bound - 1e-6)


BROKEN_OFF = "broken off"
"""The reason reported for a solve that was ended because its answer was no longer of interest."""


Bounding = Literal["cores", "tree", "none"]


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How CP-SAT searches. `bounds`: how an objective is bounded from below: core by core; at the leaves of a search
    tree that is kept and explored best first (`tree`); or not, and one solution is improved after the other. `long`:
    with probing and `inprocessing`, and without a limit, for a puzzle that has proven hard. If not, the search is
    broken off after `QUICK_CONFLICTS` or `QUICK_SECONDS`. `in_order`: literals to be made true, the first that
    is free next; without any, those are decided that took part in conflicts of late. `seed`: of its random choices;
    None for the solver's own. `presolve`: with the solver's own presolve, linear relaxation and symmetries, for a model
    that is no sequence of layers. `probing`: `long` is with probing.
    """

    bounds: Bounding = "cores"
    long: bool = False
    inprocessing: bool = True
    in_order: tuple[int, ...] = ()
    seed: int | None = None
    presolve: bool = False
    probing: bool = True


def solve(
    formula: Formula,
    budget: Budget,
    search: SearchSettings = SearchSettings(),
    on_bound: Callable[[float], None] | None = None,
    break_off: Callable[[], bool] = lambda: False,
    model: cp.CpModelProto | None = None,
) -> CpSatAnswer:
    """Solve a formula, of which `model` is CP-SAT's form if that is there already. With an objective, `on_bound` gets
    each lower bound that is proven.

    The solver runs in a thread of its own, so that a limit or Ctrl-C can end it at any moment. `break_off` is asked
    every few hundredths of a second whether to end it for another reason (`stopped_by` is then `BROKEN_OFF`, as after
    the conflicts of a quick search).
    """
    from ortools.sat.python import cp_model_helper as cp

    if formula.contradiction:
        return CpSatAnswer("infeasible")
    wrapper = cp.SolveWrapper()
    wrapper.set_parameters(_parameters(formula, budget, search))
    if on_bound and formula.minimise:
        wrapper.add_best_bound_callback(on_bound)
    model = model or build(formula)
    if search.in_order:
        strategy = model.search_strategy.add()
        strategy.variables.extend(search.in_order)
        strategy.variable_selection_strategy = cp.DecisionStrategyProto.VariableSelectionStrategy.CHOOSE_FIRST
        strategy.domain_reduction_strategy = cp.DecisionStrategyProto.DomainReductionStrategy.SELECT_MAX_VALUE
    responses: list[cp.CpSolverResponse] = []
    done = threading.Event()

    def run() -> None:
        try:
            responses.append(wrapper.solve(model))  # type: ignore[no-untyped-call,unused-ignore]
        finally:
            done.set()

    # In the main thread CP-SAT would swallow Ctrl-C. Here it does not, and this thread can end it (in about 1 ms).
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    reason = None
    began = time.monotonic()
    while not done.wait(0.02):
        over = not search.long and time.monotonic() - began > QUICK_SECONDS
        reason = budget.stopped() or (BROKEN_OFF if over or break_off() else None)
        if reason:
            wrapper.stop_search()
            break
    thread.join()
    # CP-SAT may have ended by itself, at its own time limit or after the conflicts of a quick search.
    reason = reason or budget.stopped()
    if not search.long and responses[0].num_conflicts >= QUICK_CONFLICTS:
        reason = reason or BROKEN_OFF
    return _answer(formula, responses[0], reason)


def answered(
    formula: Formula,
    record: Recorder,
    search: SearchSettings = SearchSettings(),
    on_bound: Callable[[float], None] | None = None,
    doing: str = "",
) -> CpSatAnswer:
    """The answer to a formula within the budget of a record, which counts both; `doing`: what to say meanwhile."""

    def working() -> bool:
        if doing:
            record.working(doing)
        return False

    record.count(models=1)
    record.stats.update(variables=formula.variables, constraints=formula.size)
    record.encoded()
    answer = solve(formula, record.budget, search, on_bound, working)
    record.count(conflicts=answer.conflicts, branches=answer.branches)
    return answer


def _parameters(formula: Formula, budget: Budget, search: SearchSettings) -> cp.SatParameters:
    """CP-SAT's parameters; the head of this file gives the reason for each."""
    from ortools.sat.python import cp_model_helper as cp

    parameters = cp.SatParameters()
    parameters.num_workers = 1
    if search.presolve:
        parameters.linearization_level = 2
    else:
        parameters.cp_model_presolve = False
        parameters.linearization_level = 0
        parameters.symmetry_level = 0
    parameters.catch_sigint_signal = False
    if not (search.long and search.probing):
        parameters.cp_model_probing_level = 0
    if not search.long:
        parameters.cover_optimization = False
        parameters.max_number_of_conflicts = QUICK_CONFLICTS
    if search.seed is not None:
        parameters.random_seed = search.seed
        parameters.preferred_variable_order = cp.SatParameters.VariableOrder.IN_RANDOM_ORDER
    if search.in_order:
        parameters.search_branching = cp.SatParameters.SearchBranching.FIXED_SEARCH
        parameters.clause_cleanup_period = IN_ORDER_CLEANUP
    parameters.use_sat_inprocessing = search.long and search.inprocessing and not search.in_order
    if formula.minimise and not search.presolve:
        parameters.optimize_with_core = search.bounds == "cores"
        parameters.optimize_with_lb_tree_search = search.bounds == "tree"
    if budget.seconds is not None:
        parameters.max_time_in_seconds = max(0.001, budget.remaining)
    if budget.memory_mib is not None:
        parameters.max_memory_in_mb = budget.memory_mib
    return parameters


def _answer(formula: Formula, response: cp.CpSolverResponse, reason: str | None) -> CpSatAnswer:
    from ortools.sat.python import cp_model_helper as cp

    names = {
        cp.CpSolverStatus.OPTIMAL: "optimal" if formula.minimise else "solution",
        cp.CpSolverStatus.FEASIBLE: "solution",
        cp.CpSolverStatus.INFEASIBLE: "infeasible",
        cp.CpSolverStatus.UNKNOWN: "unknown",
    }
    status = names.get(response.status, "invalid")
    if status == "invalid":
        raise AssertionError("CP-SAT rejected the model: " + cp.CpSatHelper.validate_model(build(formula)))
    values = np.array(list(response.solution), np.bool_) if status in ("optimal", "solution") else None
    numbers = {} if values is None else {number: response.solution[number] for number in formula.integers}
    bound = response.best_objective_bound if formula.minimise else None
    gave_up = status == "unknown" or (formula.minimise and status == "solution")
    return CpSatAnswer(
        status,
        values,
        bound,
        response.num_conflicts,
        response.num_branches,
        (reason or "memory limit") if gave_up else None,
        numbers,
    )


# Steps that cost nothing: at most K of them between two that are paid for, where that can be proven.

# Free steps between two that are paid for: a model has room for so many, where no more are needed.
MOST_FREE_STEPS = 6


def longest_chain(chain: Callable[[int], Formula], answered: Callable[[Formula], CpSatAnswer]) -> int | None:
    """The most free steps in a row of a plan that meets no state twice; None if no bound is proven soon.

    `chain(k)`: the formula of k free steps in a row, all states different. `answered` solves and counts it.
    """
    for steps in range(1, MOST_FREE_STEPS + 2):
        status = answered(chain(steps)).status
        if status == "infeasible":
            return steps - 1
        if status == "unknown":
            return None
    return None
