"""Records of what an exploration finds out about the reachable states of a task; they need no compiled code."""

from __future__ import annotations

from dataclasses import dataclass

from ...analysis.transformed_tasks import with_explicit_walker
from ...models.errors import UsageError
from ...models.plan import Plan
from ...models.program import ProgramTask
from ...models.puzzle import Puzzle
from ...models.task import Task


@dataclass(frozen=True, slots=True)
class Features:
    """Measures of difficulty, counted on the graph of all states from the start of the puzzle.

    `branching`: steps that apply in a state, the mean over all states. `shortest_plans`: their number, as ways from
    state to state. `near_dead_ends`: of the steps that apply in states of shortest plans, the share that leads to
    a dead end. `pieces_moved`: objects that the first shortest plan moves, and `detours`: its steps after which the
    objects of the goal are farther from it than before, each as if it were alone on the board. (Where actions are
    programs, the objects are the variables.)
    """

    branching: float
    shortest_plans: int
    near_dead_ends: float
    pieces_moved: int
    detours: int


@dataclass(frozen=True, slots=True)
class Space:
    """The states that were reached. `layers[d]` of them are d steps from the initial state.

    With `stopped_by` the numbers count what was seen before the limit, and the fields from `distances` on are
    empty. `distances[d]` states are d steps from the goal; `distance` is the initial state's, None if no way
    leads to the goal; `dead_ends` states have no way there. `farthest` leads to a state that is farthest from the
    goal, None if none can reach it.
    """

    states: int
    layers: tuple[int, ...]
    goals: int
    stopped_by: str | None = None
    distances: tuple[int, ...] = ()
    distance: int | None = None
    dead_ends: int | None = None
    farthest: Plan | None = None
    features: Features | None = None


@dataclass(frozen=True, slots=True)
class Hint:
    """The distance to the goal, and every step that a shortest plan can start with, each as a plan of its own.

    `distance` is None without a way to the goal, or if a limit was reached; then no goal is nearer than `bound`.
    """

    distance: int | None
    bound: int
    steps: tuple[Plan, ...]
    states: int
    stopped_by: str | None = None


def unit_cost_task(puzzle: Puzzle, metric: str) -> Task | ProgramTask:
    """The puzzle's task, of operators or programs, if every step costs one. Raises `UsageError` if not."""
    task = puzzle.form(metric)
    if isinstance(task, Task) and not task.uniform:
        task = with_explicit_walker(task)
    if not task.uniform or len(task.metric) > 1:
        others = [name for name in puzzle.metrics if "," not in name and name != metric]
        raise UsageError(
            f"{puzzle.header.name}: `{metric}` is not supported here, only metrics in which every step costs one"
            + (f"; try `--metric {'` or `--metric '.join(others)}`" if others else "")
        )
    return task
