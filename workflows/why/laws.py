"""Reasons that hold for every plan whatever its pieces do, and need no graph of states: counting and parity.

counting    every move changes how many pegs there are by -1: from 32 to 1 takes 31 moves
parity      every plan is odd, or every plan even: a tile that goes one cell changes the colour of its cell
sets        lamps that are switched: what an action does depends on nothing, and twice is nothing. So a plan is a set of
            actions x with A x = b over GF(2), a row for each lamp that the goal names (Anderson and Feil, *Turning
            lights out with linear algebra*, Mathematics Magazine 1998). The least weight of a solution is the optimum
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ...analysis.conditional_effects import Condition, TooManyCasesError, conditional_effects
from ...analysis.plan_invariants import plan_parity
from ...engines.common.state_graph import FAR, StateGraph
from ...models.program import ProgramTask
from ...models.task import Task
from ...models.unordered import unordered
from .shares import PROGRAM

COUNTING, PARITY, SETS = "counting", "parity", "sets"

MOST_FREE = 18
"""Dimensions of the solutions of equations up to which all of them are looked at."""


@dataclass(frozen=True)
class Law:
    """A reason: `least`, what every plan costs at least for it, and whether all plans cost exactly that (`exact`).

    `kind` and its numbers: `counting` (`what` is counted, `first`, `last` in the goal, the most that a move takes or
    adds, `step`), `parity` (all plans are odd or even as `least` is), `sets` (`first` actions, `last` equations of rank
    `step`; `solutions`).
    """

    kind: str
    least: int
    exact: bool = False
    what: str = ""
    first: int = 0
    last: int = 0
    step: int = 0
    solutions: int = 0


def explained(bound: int, laws: Sequence[Law]) -> int:
    """What a lower bound and laws say together: a bound of the wrong parity is one more."""
    bound = max([bound, *(law.least for law in laws)])
    return bound + any(law.kind == PARITY and (bound - law.least) % 2 for law in laws)


def laws_of(task: Task | ProgramTask, graph: StateGraph | None) -> tuple[Law, ...]:
    """The laws of a task in which every step costs one. `graph`: of its states, if it is known."""
    if task.unsolvable_because:
        return ()
    if graph is not None:
        parity = _parity_of(graph)
    else:
        parity = plan_parity(task) if isinstance(task, Task) and not task.compound_moves else None
    if isinstance(task, Task):
        unit = all(op.cost == (1,) for op in task.operators) and not task.compound_moves and not task.walker
        found = list(_counting(task)) if unit else []
        parity = parity if unit or graph is not None else None
    else:
        law = _sets(task) if task.uniform else None
        found = [law] if law else []
    if parity is not None and not any(law.exact for law in found):
        found.append(Law(PARITY, parity))
    return tuple(found)


def _parity_of(graph: StateGraph) -> int | None:
    """Whether all plans cost an even or an odd number: each step of a plan goes from a state of one colour, the parity
    of its depth, to one of the colour that its cost says, and all goals have one colour.
    """
    alive = (graph.depth < FAR) & (graph.away < FAR)
    _, targets, steps = graph.edges
    both = alive[graph.sources] & alive[targets]
    odd = (graph.depth[graph.sources] + graph.weight[steps] - graph.depth[targets]) % 2
    ends = graph.depth[graph.goal & alive] % 2
    if odd[both].any() or len(set(ends.tolist())) != 1:
        return None
    return int(ends[0])


def _counting(task: Task) -> Iterator[Law]:
    """Laws of how many conditions of one name are true: `peg r1c3`, `peg r1c4`, ...; each is true or not."""
    kinds: dict[str, set[int]] = {}
    for group in task.groups:
        names = [task.facts[fact] for fact in group.facts]
        if group.count == 1 and len(names) == 2 and names[0] == f"not {names[1]}":
            kinds.setdefault(names[1].split()[0], set()).add(group.facts[1])
    for what, facts in kinds.items():
        changes = [len(facts.intersection(op.add)) - len(facts.intersection(op.delete)) for op in task.operators]
        first = len(facts.intersection(task.init))
        ends = _in_goals(task, facts)
        # Down to the most that a goal can have, or up to the fewest; `step` is the most that a move does for it.
        for last, step in ((ends[1], min([0, *changes])), (ends[0], max([0, *changes]))):
            if (last - first) * step > 0:
                exact = ends[0] == ends[1] and set(changes) == {step}
                yield Law(COUNTING, -((first - last) // step), exact, what, first, last, step)


def _in_goals(task: Task, facts: Iterable[int]) -> tuple[int, int]:
    """The fewest and the most of some facts that can be true where the goal and the groups of the task hold."""
    ends = []
    for sign in (1, -1):
        model = cp_model.CpModel()
        true = [model.new_bool_var("") for _ in task.facts]
        for clause in task.goal:
            model.add_bool_or([true[fact] for fact in clause])
        for group in task.groups:
            model.add(sum(true[fact] for fact in group.facts) == group.count)
        model.minimize(sign * sum(true[fact] for fact in facts))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers, solver.parameters.max_time_in_seconds = 1, PROGRAM
        solver.solve(model)
        ends.append(sign * math.ceil(solver.best_objective_bound))
    return ends[0], ends[1]


def _sets(task: ProgramTask) -> Law | None:
    """The law of actions that only switch; None if there are others, or the goal is no conjunction of values."""
    actions = unordered(task)
    if actions is None or actions.apart or not actions.free:
        return None
    try:
        clauses = conditional_effects(task).goal
    except TooManyCasesError:
        return None
    wanted: dict[int, int] = {}
    for clause in clauses:
        if len(clause) != 1:
            return None
        for variable, places in _single(clause[0]):
            if places is None or wanted.setdefault(variable, places) != places:
                return None
    rows = []
    for variable, place in wanted.items():
        differs = task.variables[variable].values.index(task.init[variable]) != place
        row = sum(1 << n for n, action in enumerate(actions.switching) if variable in action.writes)
        rows.append((row, int(differs)))
    solved = solutions(rows, len(actions.switching))
    if solved is None or len(solved[1]) > MOST_FREE:
        return None
    least, free = lightest(*solved), len(solved[1])
    unknowns = len(actions.switching)
    return Law(SETS, least, False, "", unknowns, len(rows), unknowns - free, 1 << free)


def _single(condition: Condition) -> Iterator[tuple[int, int | None]]:
    """The variables of a condition with the position of the only value that each may have; None if it has several."""
    for variable, places in condition:
        yield variable, next(iter(places)) if len(places) == 1 else None


def solutions(rows: Sequence[tuple[int, int]], unknowns: int) -> tuple[int, list[int]] | None:
    """Solve equations over GF(2), each a set of unknowns as bits and the parity of those of it that are in a solution:
    one solution, and a basis of those of the equations with parities 0. None if there is none.
    """
    pivots: dict[int, tuple[int, int]] = {}  # the unknown that only this row has, of all rows with one
    for row, parity in rows:
        for bit, (other, value) in pivots.items():
            if row >> bit & 1:
                row, parity = row ^ other, parity ^ value
        if not row:
            if parity:
                return None
            continue
        pivot = row.bit_length() - 1
        for bit, (other, value) in pivots.items():
            if other >> pivot & 1:
                pivots[bit] = other ^ row, value ^ parity
        pivots[pivot] = row, parity
    one = sum(parity << bit for bit, (_, parity) in pivots.items())
    free = [bit for bit in range(unknowns) if bit not in pivots]
    return one, [1 << f | sum(1 << bit for bit, (row, _) in pivots.items() if row >> f & 1) for f in free]


def lightest(one: int, basis: Sequence[int]) -> int:
    """The fewest bits of a solution plus any sum of the basis, all of which are looked at in Gray's order."""
    least = one.bit_count()
    for number in range(1, 1 << len(basis)):
        one ^= basis[(number & -number).bit_length() - 1]
        least = min(least, one.bit_count())
    return least
