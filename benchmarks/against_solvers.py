"""Budge's CP-SAT engine beside clingo and CaDiCaL, from the YAML file to the proven optimum; prints a table.

    python -m pip install -e '.[bench]'
    python benchmarks/against_solvers.py                      # the boards of TARGETS
    python benchmarks/against_solvers.py level-30 servais-93 --metric slides --time-limit 120

All read the same grounded task, one after the other on every board, each in a process of its own that is ended at the
time limit. The start of the processes, imports and the compilation of kernels are not counted.

clingo runs multi-shot from horizon 1 upward: exactly one operator a step (first which object moves, then how), inertia,
the task's groups as constraints, an object not moved twice in a row where that is useless, and for a walker the cells
that it can reach. (Without the groups it needs ten times as long.) CaDiCaL (python-sat) gets the clauses of our own
model, h^m exclusions included, at a horizon like that of the strategy `one-model`, with idle steps at the end; the
number of steps is an assumption that rises from the lower bound, so that it keeps what it learns.

The answers are compared, not only the times: where two solvers give different optima, or one proves a bound above the
plan of another, the benchmark says so and ends with exit code 1. (That is how clingo's configuration `trendy` was found
out: its preprocessing is not meant for solving in several shots, and on level 20 it proves 28 slides where 27 do.
`jumpy`, `crafty` and `handy` share the flaw; `tweety`, `frumpy` and `auto` gave right answers on every board here.)
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from budge import Budget, load
from budge.analysis.hm.tables import hm_tables, quick_order
from budge.analysis.move_pruning import find_move_pruning, operator_classes
from budge.encoders.exports.dimacs import to_clauses
from budge.encoders.horizon_model import HorizonEncoder
from budge.engines.cp_sat.strategies import first_horizon, next_horizon
from budge.models.library import shipped
from budge.models.task import OperatorTask
from budge.workflows.solving import solve
from heading import heading

TARGETS = [
    *((name, "slides") for name in shipped() if name.startswith("rush_hour/level-")),
    ("servais-93", "slides"),
    ("uva-9x9", "slides"),
    ("uva-12x12", "slides"),
    ("eight-31-a", "moves"),
    ("korf-42", "moves"),
    ("microban-077", "pushes"),
    ("xsokoban-01", "pushes"),
]

PROGRAM = """
#program base.
holds(F, 0) :- init(F).
stands(C, 0) :- start(C).
#program step(t).
1 { moves(C, t) : class(_, C) } 1.
1 { occurs(O, t) : class(O, C) } 1 :- moves(C, t).
:- occurs(O, t), pre(O, F), not holds(F, t - 1).
holds(F, t) :- occurs(O, t), add(O, F).
deleted(F, t) :- occurs(O, t), del(O, F).
holds(F, t) :- holds(F, t - 1), not deleted(F, t).
:- once(C), moves(C, t), moves(C, t - 1).
:- group(G, N), not N { holds(F, t) : member(G, F) } N.
reached(C, t) :- stands(C, t - 1).
reached(D, t) :- reached(C, t), next(C, D), free(D, F), holds(F, t - 1).
:- occurs(O, t), walk(O, C, _), not reached(C, t).
stands(D, t) :- occurs(O, t), walk(O, _, D).
#program check(t).
#external query(t).
met(G, t) :- goal(G, F), holds(F, t).
:- query(t), goal(G, _), not met(G, t).
"""

Answer = dict[str, Any]
"""`steps` (None without an answer), `bound`, `conflicts`, `seconds`."""


def facts_of(task: OperatorTask, once: bool) -> str:
    """The task as facts for `PROGRAM`; `once`: whether moving the same thing twice in a row is useless."""
    lines = [f"init({f})." for f in task.init]
    classes = operator_classes(task).tolist()
    for number, op in enumerate(task.operators):
        lines.append(f"class({number},{classes[number]}).")
        lines += [f"pre({number},{f})." for f in op.pre]
        lines += [f"add({number},{f})." for f in op.add]
        lines += [f"del({number},{f})." for f in op.delete]
        if op.walk:
            lines.append(f"walk({number},{op.walk[0]},{op.walk[1]}).")
    for number, group in enumerate(task.groups):
        lines.append(f"group({number},{group.count}).")
        lines += [f"member({number},{f})." for f in group.facts]
    lines += [f"goal({g},{f})." for g, clause in enumerate(task.goal) for f in clause]
    if once:
        lines += [f"once({c})." for c in set(classes)]
    if task.walker:
        lines.append(f"start({task.walker.start}).")
        lines += [f"free({c},{f})." for c, f in enumerate(task.walker.free)]
        lines += [f"next({c},{d})." for c, near in enumerate(task.walker.neighbours) for d in near]
    return "\n".join(lines)


def by_budge(name: str, metric: str, limit: float, report: Callable[[Answer], None], strategy: str) -> None:
    outcome = solve(load(name), "cp-sat", metric, Budget(limit), strategy=strategy).outcome
    bound = outcome.lower_bound[0] if outcome.lower_bound else 0
    steps = outcome.upper_bound[0] if outcome.upper_bound == outcome.lower_bound and outcome.upper_bound else None
    report({"steps": steps, "bound": bound, "conflicts": outcome.stats["conflicts"]})


def by_clingo(name: str, metric: str, _limit: object, report: Callable[[Answer], None], configuration: str) -> None:
    import clingo

    task = load(name).task(metric)
    if task.compound_moves or not task.uniform:
        raise SystemExit(f"{name}: the clingo program does not know the metric `{metric}`")
    control = clingo.Control(["--warn=none", f"--configuration={configuration}"])
    control.add("base", [], facts_of(task, metric == "slides"))
    control.add(PROGRAM)
    control.ground([("base", [])])
    horizon, conflicts = 0, 0
    while True:
        horizon += 1
        at = clingo.Number(horizon)
        control.ground([("step", [at]), ("check", [at])])
        query = clingo.Function("query", [at])
        control.assign_external(query, True)
        found = control.solve().satisfiable
        conflicts += int(control.statistics["solving"]["solvers"]["conflicts"])
        report({"steps": horizon if found else None, "bound": horizon + (not found), "conflicts": conflicts})
        if found:
            return
        control.release_external(query)


def by_cadical(name: str, metric: str, _limit: object, report: Callable[[Answer], None]) -> None:
    from pysat.solvers import Cadical195

    task = load(name).task(metric)
    tables = hm_tables(task, quick_order(task))
    encoder = HorizonEncoder(task, tables, find_move_pruning(task))
    bound, conflicts = tables.lower_bound or 0, 0
    horizon = first_horizon(bound, tables.order)
    base = bound
    while True:
        model = encoder.encode(horizon, idle=True)
        _, clauses = to_clauses(model.formula)
        with Cadical195(bootstrap_with=[*clauses, []] if model.formula.contradiction else clauses) as solver:
            while bound <= horizon:
                idle = [model.idle[bound] + 1] if bound < horizon else []
                found = solver.solve(assumptions=idle)
                now = conflicts + int(solver.accum_stats()["conflicts"])
                bound += not found
                report({"steps": bound if found else None, "bound": bound, "conflicts": now})
                if found:
                    return
        conflicts = now
        horizon = next_horizon(horizon, base)


def measured(run: Callable[..., None], name: str, metric: str, limit: float, *more: str) -> Answer:
    """The last answer of a solver in a process of its own, and its seconds."""

    def child(pipe: Connection) -> None:
        began = time.monotonic()
        run(name, metric, limit, lambda answer: pipe.send({**answer, "seconds": time.monotonic() - began}), *more)

    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=child, args=(there,), daemon=True)
    began = time.monotonic()
    process.start()
    there.close()
    answer: Answer = {"steps": None, "bound": 0, "conflicts": 0}
    try:
        while here.poll(max(0.0, limit + 1 - (time.monotonic() - began))):
            answer = here.recv()
    except EOFError:
        pass
    if process.is_alive():
        process.kill()
    process.join()
    return answer if answer["steps"] is not None else {**answer, "seconds": time.monotonic() - began}


def disagreement(name: str, answers: dict[str, Answer]) -> list[str]:
    """What cannot all be true: two different optima, or a proven bound above the plan of another solver."""
    plans = {solver: answer["steps"] for solver, answer in answers.items() if answer["steps"] is not None}
    return [
        f"{name}: {prover} proves that {answer['bound']} steps are needed, {finder} has a plan of {steps}"
        for prover, answer in answers.items()
        for finder, steps in plans.items()
        if answer["bound"] > steps
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("puzzles", nargs="*", help="default: the boards of TARGETS")
    parser.add_argument("--metric", help="default: the puzzle's own")
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds for each solver and board")
    parser.add_argument("--strategy", default="one-model", help="ours (default one-model: no search helps)")
    parser.add_argument("--configuration", default="tweety", help="clingo's (default tweety)")
    arguments = parser.parse_args()
    import clingo  # noqa: F401 (imported before the clocks run)
    import ortools.sat.python.cp_model_helper  # noqa: F401
    import pysat.solvers  # noqa: F401

    for name, metric in (("bird-2", "slides"), ("eight-31-a", "moves"), ("microban-001", "pushes")):
        by_budge(
            name, metric, 60.0, lambda _answer: None, arguments.strategy
        )  # here: what it loads, the children share
    hm_tables(load("three-6").task("moves"), 5)  # the kernels of h²..h⁵
    solvers: dict[str, tuple[Callable[..., None], list[str]]] = {
        "budge": (by_budge, [arguments.strategy]),
        "clingo": (by_clingo, [arguments.configuration]),
        "cadical": (by_cadical, []),
    }
    print(heading())
    disagreements: list[str] = []
    cases = [(name, arguments.metric or load(name).header.metric) for name in arguments.puzzles] or TARGETS
    print(f"{'puzzle':24} {'metric':6}", end="")
    for solver in solvers:
        print(f" | {solver + ' s':>9} {'steps':>5} {'bound':>5} {'conflicts':>9}", end="")
    print(" | clingo/budge cadical/budge")
    totals = dict.fromkeys(solvers, 0.0)
    slower = 0
    for name, metric in cases:
        print(f"{name[-24:]:24} {metric:6}", end="", flush=True)
        seconds, answers = {}, {}
        for solver, (run, more) in solvers.items():
            answer = answers[solver] = measured(run, name, metric, arguments.time_limit, *more)
            seconds[solver] = answer["seconds"]
            totals[solver] += answer["seconds"]
            steps = "-" if answer["steps"] is None else answer["steps"]
            print(
                f" | {answer['seconds']:9.2f} {steps:>5} {answer['bound']:5} {answer['conflicts']:9}",
                end="",
                flush=True,
            )
        disagreements += disagreement(name, answers)
        slower += seconds["budge"] > seconds["clingo"] + 0.2
        print(
            f" | {seconds['clingo'] / seconds['budge']:12.1f} {seconds['cadical'] / seconds['budge']:13.1f}", flush=True
        )
    print(f"total: budge {totals['budge']:.1f} s", end="")
    for solver in ("clingo", "cadical"):
        print(f", {solver} {totals[solver]:.1f} s (ratio {totals[solver] / totals['budge']:.1f})", end="")
    print(f"; boards slower than clingo by more than 0.2 s: {slower} of {len(cases)}")
    if disagreements:
        raise SystemExit("\n".join(["THE SOLVERS DISAGREE:", *disagreements]))


if __name__ == "__main__":
    main()
