"""Reasons that hold for every plan whatever its pieces do, and need no graph of states: counting and parity.

counting    every move changes how many pegs there are by -1: from 32 to 1 takes 31 moves
parity      every plan is odd, or every plan even: a tile that goes one cell changes the colour of its cell
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ortools.sat.python import cp_model

from ...analysis.parity import impossible
from ...analysis.plan_invariants import plan_parity
from ...engines.common.state_graph import FAR, StateGraph
from ...models.task import OperatorTask, Task
from .shares import PROGRAM

COUNTING, PARITY = "counting", "parity"


@dataclass(frozen=True)
class Law:
    """A reason: `least`, what every plan costs at least for it, and whether all plans cost exactly that (`exact`).

    `kind` and its numbers: `counting` (`what` is counted, `first`, `last` in the goal, the most that a move takes or
    adds, `step`), `parity` (all plans are odd or even as `least` is).
    """

    kind: str
    least: int
    exact: bool = False
    what: str = ""
    first: int = 0
    last: int = 0
    step: int = 0


def explained(bound: int, laws: Sequence[Law]) -> int:
    """What a lower bound and laws say together: a bound of the wrong parity is one more."""
    bound = max([bound, *(law.least for law in laws)])
    return bound + any(law.kind == PARITY and (bound - law.least) % 2 for law in laws)


def laws_of(task: Task, graph: StateGraph | None) -> tuple[Law, ...]:
    """The laws of a task in which every step costs one. `graph`: of its states, if it is known."""
    if impossible(task):
        return ()
    if graph is not None:
        parity = _parity_of(graph)
    else:
        parity = plan_parity(task) if isinstance(task, OperatorTask) and not task.compound_moves else None
    laws: list[Law] = []
    if isinstance(task, OperatorTask):
        unit = all(op.cost == (1,) for op in task.operators) and not task.compound_moves and not task.walker
        laws += _counting(task) if unit else ()
        parity = parity if unit or graph is not None else None
    if parity is not None and not any(law.exact for law in laws):
        laws.append(Law(PARITY, parity))
    return tuple(laws)


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


def _counting(task: OperatorTask) -> Iterator[Law]:
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


def _in_goals(task: OperatorTask, facts: Iterable[int]) -> tuple[int, int]:
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
