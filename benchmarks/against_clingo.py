"""Budge's CP-SAT engine beside clingo, from the YAML file to the proven optimum, in one run; prints a table.

    python -m pip install -e '.[bench]'
    python benchmarks/against_clingo.py rush_hour/level-30 servais-93 eight-31-a --time-limit 120

Both read the same grounded task. clingo runs multi-shot from horizon 1 upward, with exactly one operator a step,
inertia, and (in `slides`) no piece moved twice in a row. The start of the process and the first compilation of
kernels are not counted; each engine solves a small puzzle before the clock runs.
"""

from __future__ import annotations

import argparse
import time

from budge import Budget, load, solve
from budge.encoders.succession import classes_of
from budge.models.explicit import with_explicit_walker
from budge.models.task import Task

PROGRAM = """
#program base.
holds(F, 0) :- init(F).
#program step(t).
1 { occurs(O, t) : operator(O) } 1.
:- occurs(O, t), pre(O, F), not holds(F, t - 1).
holds(F, t) :- occurs(O, t), add(O, F).
deleted(F, t) :- occurs(O, t), del(O, F).
holds(F, t) :- holds(F, t - 1), not deleted(F, t).
moved(C, t) :- occurs(O, t), class(O, C).
:- once(C), moved(C, t), moved(C, t - 1).
#program check(t).
#external query(t).
met(G, t) :- goal(G, F), holds(F, t).
:- query(t), goal(G, _), not met(G, t).
"""


def facts_of(task: Task, once: bool) -> str:
    """The task as facts for `PROGRAM`; `once`: whether moving the same thing twice in a row is useless."""
    lines = [f"init({f})." for f in task.init]
    classes = classes_of(task).tolist()
    for number, op in enumerate(task.operators):
        lines.append(f"operator({number}). class({number},{classes[number]}).")
        lines += [f"pre({number},{f})." for f in op.pre]
        lines += [f"add({number},{f})." for f in op.add]
        lines += [f"del({number},{f})." for f in op.delete]
    lines += [f"goal({g},{f})." for g, clause in enumerate(task.goal) for f in clause]
    if once:
        lines += [f"once({c})." for c in set(classes)]
    return "\n".join(lines)


def clingo_seconds(name: str, metric: str, limit: float) -> tuple[float, int | None, int]:
    """Seconds, optimum (None if the limit came first) and conflicts of clingo on a puzzle."""
    import clingo

    began = time.monotonic()
    task = with_explicit_walker(load(name).task(metric))
    if task.carries:
        raise SystemExit(f"{name}: the metric `{metric}` has carries, which the clingo program does not know")
    control = clingo.Control(["--warn=none"])
    control.add("base", [], facts_of(task, metric == "slides"))
    control.add(PROGRAM)
    control.ground([("base", [])])
    horizon = 0
    conflicts = 0
    while True:
        horizon += 1
        at = clingo.Number(horizon)
        control.ground([("step", [at]), ("check", [at])])
        query = clingo.Function("query", [at])
        control.assign_external(query, True)
        with control.solve(async_=True) as handle:
            if not handle.wait(max(0.0, limit - (time.monotonic() - began))):
                handle.cancel()
                return time.monotonic() - began, None, conflicts
            found = handle.get().satisfiable
        conflicts += int(control.statistics["solving"]["solvers"]["conflicts"])
        if found:
            return time.monotonic() - began, horizon, conflicts
        control.release_external(query)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("puzzles", nargs="+")
    parser.add_argument("--metric", help="default: the puzzle's own")
    parser.add_argument("--time-limit", type=float, default=120.0)
    arguments = parser.parse_args()
    solve(load("bird-2"), "cp-sat")
    clingo_seconds("bird-2", "slides", 60.0)
    print(f"{'puzzle':28} {'metric':8} {'optimum':>7} {'budge s':>8} {'bound':>6} {'conflicts':>9}", end="")
    print(f" {'clingo s':>9} {'optimum':>7} {'conflicts':>9} {'ratio':>6}")
    totals = [0.0, 0.0]
    for name in arguments.puzzles:
        metric = arguments.metric or load(name).header.metric
        began = time.monotonic()
        ours = solve(load(name), "cp-sat", metric, Budget(arguments.time_limit))
        mine = time.monotonic() - began
        theirs, optimum, conflicts = clingo_seconds(name, metric, arguments.time_limit)
        totals = [totals[0] + mine, totals[1] + theirs]
        bound = ours.outcome.lower_bound or (0,)
        print(
            f"{name[-28:]:28} {metric:8} {ours.cost[0] if ours.cost else '-':>7} {mine:8.2f} {bound[0]:6}"
            f" {ours.outcome.stats.get('conflicts', 0):9} {theirs:9.2f} {optimum or '-':>7} {conflicts:9}"
            f" {theirs / mine:6.1f}",
            flush=True,
        )
    print(f"{'total':28} {'':8} {'':7} {totals[0]:8.2f} {'':6} {'':9} {totals[1]:9.2f} {'':7} {'':9}", end="")
    print(f" {totals[1] / totals[0]:6.1f}")


if __name__ == "__main__":
    main()
