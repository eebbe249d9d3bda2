"""Costs in CP-SAT: the forty levels of Rush Hour with a lorry at three and a car at two, beside slides and clingo.

    python -m pip install -e '.[bench]'
    python benchmarks/costs.py                      # the forty levels; prints a table
    python benchmarks/costs.py 1 12 25 --time-limit 60

`slides` and `weight` are Budge's `cp-sat` on the same definition (`puzzles/custom/lorries.family.yaml`) in two metrics.
clingo gets the same grounded task: at most one operator a step, inertia, the task's groups as constraints, no vehicle
twice in a row, and `#minimize` over the costs, core-guided (`usc`). It is told how many steps a plan of the optimum can
have at most, the optimum divided by the least cost. Each runs in a process of its own that is ended at the time limit;
processor seconds, without imports and compiled kernels. Different optima end it with exit code 1.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path

from against_solvers import Answer, facts_of, measured
from budge import load
from budge.engines.cp_sat.engine import solve as solve_by_horizons
from budge.models.families import load_text
from budge.models.library import shipped
from budge.models.puzzle import Puzzle
from budge.models.task import OperatorTask
from budge.runtime.budget import Budget
from heading import heading

PROGRAM = """
holds(F, 0) :- init(F).
time(1..steps).
{ occurs(O, T) : class(O, _) } 1 :- time(T).
:- occurs(O, T), pre(O, F), not holds(F, T - 1).
holds(F, T) :- occurs(O, T), add(O, F).
deleted(F, T) :- occurs(O, T), del(O, F).
holds(F, T) :- time(T), holds(F, T - 1), not deleted(F, T).
moves(C, T) :- occurs(O, T), class(O, C).
:- moves(C, T), moves(C, T - 1).
:- time(T), moves(_, T), not moves(_, T - 1), T > 1.
:- time(T), group(G, N), not N { holds(F, T) : member(G, F) } N.
met(G) :- goal(G, F), holds(F, steps).
:- goal(G, _), not met(G).
#minimize { C, T : occurs(O, T), cost(O, C) }.
"""


def lorries(level: int) -> Puzzle:
    """A level with the rules of `lorries.family.yaml`."""
    text = shipped()[f"rush_hour/level-{level:02d}"].read_text(encoding="utf-8")
    rows = [row.strip() for row in re.search(r"board: \|\n((?:  .*\n)+)", text)[1].splitlines()]  # type: ignore[index]
    cells: dict[str, list[tuple[int, int]]] = {}
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            if letter != ".":
                cells.setdefault(letter, []).append((y, x))
    head = {letter: of[0] for letter, of in cells.items()}
    grid = "\n".join(
        "  " + "".join(c if c == "." or head[c] == (y, x) else c.lower() for x, c in enumerate(row))
        for y, row in enumerate(rows)
    )
    names = sorted(cells)
    long = "".join(f"{v}: 3, " for v in names if len(cells[v]) == 3)
    across = "".join(f"{v}: right, " for v in names if cells[v][0][0] == cells[v][1][0])
    legend = "\n".join(f'  "{v}": {v}\n  "{v.lower()}": part' for v in names)
    return load_text(
        f"format: 1\nfamily: lorries.family.yaml\nname: Lorries, level {level}\n"
        f'types:\n  vehicle: [{", ".join(names)}]\ngrid: |\n{grid}\nlegend:\n{legend}\n  ".": free\nconstants:\n'
        f"  length: {{of: vehicle, in: 2..3, value: {{{long}others: 2}}}}\n"
        f"  ahead: {{of: vehicle, in: direction, value: {{{across}others: down}}}}\n"
        f"goal: at[A] == cell({head['A'][0] + 1}, {len(rows[0]) - 1})\n",
        str(Path(str(shipped()["custom/lorries-1"])).parent / "level.yaml"),
    )


def by_budge(level: str, metric: str, limit: float, report: Callable[[Answer], None]) -> None:
    """Solve a level by `cp-sat`."""
    task = lorries(int(level)).task(metric)
    assert isinstance(task, OperatorTask)
    began = time.process_time()
    outcome = solve_by_horizons(task, Budget(limit))
    bound = outcome.lower_bound[0] if outcome.lower_bound else 0
    cost = bound if outcome.status == "optimal" else None
    report({"steps": cost, "bound": bound, "conflicts": outcome.stats["conflicts"], "cpu": time.process_time() - began})


def by_clingo(level: str, metric: str, _limit: float, report: Callable[[Answer], None], optimum: int) -> None:
    """Solve a level by clingo, which is told how many steps a plan of the optimum can have."""
    import clingo

    task = lorries(int(level)).task(metric)
    costs = [op.cost[0] for op in task.operators]
    facts = "\n".join([facts_of(task, False), *(f"cost({n},{c})." for n, c in enumerate(costs))])
    began = time.process_time()
    control = clingo.Control(["--warn=none", "--opt-strategy=usc", f"-c steps={optimum // min(costs)}"])
    control.add("base", [], facts + PROGRAM)
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        best = [model.cost[0] for model in handle]
    conflicts = int(control.statistics["solving"]["solvers"]["conflicts"])
    report({"steps": best[-1], "bound": best[-1], "conflicts": conflicts, "cpu": time.process_time() - began})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("levels", nargs="*", type=int, help="default: all forty")
    parser.add_argument("--no-clingo", action="store_true", help="Budge alone")
    parser.add_argument("--time-limit", type=float, default=120.0, help="seconds for each solver and level")
    arguments = parser.parse_args()
    import clingo  # noqa: F401 (imported before the clocks run)

    solve_by_horizons(load("custom/lorries-1").task("weight"), Budget(60.0))  # what it loads, the children share
    names = ["slides", "weight", *([] if arguments.no_clingo else ["clingo"])]
    limit, totals, differ = arguments.time_limit, dict.fromkeys(names, 0.0), []
    print(heading())
    print("level | " + " | ".join(f"{name}      s conflicts" for name in names) + " | weight/slides")
    for level in arguments.levels or range(1, 41):
        answers = {metric: measured(by_budge, str(level), metric, limit) for metric in ("slides", "weight")}
        optimum = answers["weight"]["steps"]
        if not arguments.no_clingo:
            told = optimum or 2 * answers["weight"]["bound"]
            answers["clingo"] = measured(by_clingo, str(level), "weight", limit, told)
        for name, answer in answers.items():
            answer.setdefault("cpu", limit)
            totals[name] += answer["cpu"]
        other = answers.get("clingo", answers["weight"])["steps"]
        if None not in (optimum, other) and optimum != other:
            differ.append(level)
        columns = [
            f"{'-' if a['steps'] is None else a['steps']:>6} {a['cpu']:6.1f} {a['conflicts']:9}"
            for a in answers.values()
        ]
        ratio = answers["weight"]["cpu"] / max(answers["slides"]["cpu"], 0.05)
        print(f"{level:5} | {' | '.join(columns)} | {ratio:13.1f}", flush=True)
    print("total: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in totals.items()))
    if differ:
        raise SystemExit(f"DIFFERENT OPTIMA: levels {differ}")


if __name__ == "__main__":
    main()
