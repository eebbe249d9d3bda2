"""Tables of single variables whose sum is a lower bound, as large as possible at the start.

Potential heuristics (Pommerening, Helmert, Roeger, Seipp 2015): a linear program with a variable for each fact. Its
conditions are those that the checker looks at: no action lowers the sum by more than it costs, and at goals each number
is at most 0. Of all solutions that are best at the start, one with large numbers elsewhere is taken: then waste is seen
where it occurs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...encoders.exports.problem_writing import State
from ...proofs.core.claim import Table, bound, check_tables, values_after
from ...proofs.core.limits import Invalid, Limits
from ...proofs.core.problem import Action, Problem

MOST = 100_000
"""Conditions of the program from which on none is made."""

NEARLY = 1e-6
"""Numbers that differ by less count as the same."""


def potentials(problem: Problem, claim: int, limits: Limits, seconds: float) -> list[Table]:
    """A table for each variable that adds to the bound; none if the bound of the start would be 0.

    `claim`: the cost that is to be shown; no number is larger than that by more than 1.
    """
    for whole in (False, True):
        program = Program(problem, claim + 1, seconds, limits, whole)
        tables = program.tables(problem.start, everywhere=True) if program.small else []
        if tables:
            break
    return tables if bound(tables, problem.start.__getitem__) > 0 else []


class Program:
    """The linear program. A number is at most 0 where the goal may hold, so each table is at most 0 at goals. `whole`:
    ask for integers. `small`: it has no more than `MOST` conditions; else it is not made."""

    def __init__(self, problem: Problem, most: int, seconds: float, limits: Limits, whole: bool = False) -> None:
        from ortools.linear_solver import pywraplp  # type: ignore[attr-defined,unused-ignore]

        self.problem, self.limits, self.whole = problem, limits, whole
        # For each action and each variable that it changes, the pairs of a value and a value after it.
        drops = [
            (action.cost[0], [(x, sorted(set(_pairs(problem, action, x, limits)))) for x in action.effects])
            for action in problem.actions
        ]
        self.small = sum(len(pairs) for _, changed in drops for _, pairs in changed) <= MOST
        if not self.small:
            return
        self.solver = solver = pywraplp.Solver.CreateSolver("SCIP" if whole else "GLOP")
        solver.SetTimeLimit(int(1000 * seconds))
        self.solved = (pywraplp.Solver.OPTIMAL, pywraplp.Solver.FEASIBLE)
        number = solver.IntVar if whole else solver.NumVar
        goal = [problem.allowed(problem.goal, x) for x in range(len(problem.names))]
        self.rows = rows = [
            [number(-most, 0 if goal[x] >> i & 1 else most, "") for i in range(len(domain))]
            for x, domain in enumerate(problem.domains)
        ]
        for cost, changed in drops:
            total = []
            for x, pairs in changed:
                if len(pairs) == 1:
                    (i, j) = pairs[0]
                    total.append(rows[x][i] - rows[x][j])
                elif pairs:
                    drop = solver.NumVar(-2 * most, 2 * most, "")
                    for i, j in pairs:
                        solver.Add(drop >= rows[x][i] - rows[x][j])
                    total.append(drop)
            if total:
                solver.Add(sum(total) <= cost)

    def tables(self, state: State, everywhere: bool = False) -> list[Table]:
        """Tables whose sum is as large as possible in a state; none if none are found in time, or they are no integers.
        `everywhere`: of those, tables with large numbers elsewhere, too. Only once, as it changes the program.
        """
        solver = self.solver
        here = sum(row[i] for row, i in zip(self.rows, state, strict=True))
        solver.Maximize(here)
        if solver.Solve() != self.solved[0] or (best := solver.Objective().Value()) < 1 - NEARLY:
            return []
        if everywhere:
            solver.Add(here >= (int(best + NEARLY) if self.whole else best - NEARLY))
            solver.Maximize(sum(one * (1 / len(row)) for row in self.rows for one in row))
            if solver.Solve() not in self.solved:
                return []
        values = [[one.solution_value() for one in row] for row in self.rows]
        if any(abs(value - round(value)) > 100 * NEARLY for row in values for value in row):
            return []
        rounded = ((x, list(map(round, row))) for x, row in enumerate(values))
        tables: list[Table] = [((x,), {(i,): one for i, one in enumerate(row)}) for x, row in rounded if any(row)]
        try:
            check_tables(self.problem, tables, self.limits)
        except Invalid:  # rounding
            return []
        return tables


def _pairs(problem: Problem, action: Action, x: int, limits: Limits) -> Iterator[tuple[int, int]]:
    """The values of a variable before and after an action, as far as they can be told from this variable."""
    before = problem.allowed(action.needs, x)
    for i in range(len(problem.domains[x])):
        if before >> i & 1:
            yield from ((i, j) for j in values_after(action, x, {x: i}, limits))
