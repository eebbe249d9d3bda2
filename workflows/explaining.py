"""What can be said cheaply of a puzzle that is unsolvable, or looks so: `budge explain`.

In the order of what it costs: what the family knows; the delete relaxation (`analysis.transition_graphs`), on any
board; and, where there are few enough states, all of them: how many are dead ends, and how one gets into the nearest.
Where actions are programs, all states come first, which say what never applies and never changes; where they are too
many, projections to one variable (`analysis.program_projections`) may show that the goal is out of reach.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum

from ..analysis.parity import impossible
from ..analysis.transformed_tasks import with_explicit_walker
from ..analysis.transition_graphs import Relaxation, relaxation
from ..engines.common.plain_reachable import DeadEnds, dead_ends
from ..models.display import Written
from ..models.plan import Replay
from ..models.program import ProgramTask, by_form
from ..models.puzzle import Puzzle
from ..models.task import GroupKind, OperatorTask, Task
from ..models.text import counted
from ..runtime.budget import EXPLAIN_TIME_LIMIT, Budget
from ..runtime.events import Progress, Stage, silent
from ..runtime.kernels import ensure_kernels
from .solving import grounding, metric_of

VISITING = 0.8
"""Share of the time left after which the visit of all states is given up. The visit looks at the clock only now and
then; the rest of the time is for showing what was found before it.
"""

NAMED = 8
"""Names of a list that are shown; of the others only the number."""


class FindingKind(StrEnum):
    """The subject of a finding."""

    UNSOLVABLE = "unsolvable"
    GOAL = "goal"
    ACTION = "action"
    NEVER_MOVES = "never moves"
    REMARK = "remark"
    DEAD_END = "dead end"


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence; `replay` leads to the position that it is about. `proves`: no plan exists."""

    kind: FindingKind
    sentence: str
    replay: Replay | None = None
    proves: bool = False


@dataclass(frozen=True, slots=True)
class Explanation(Written):
    """What was found out about a puzzle in a metric. `space`: of all its states, None if there are too many.

    `operators`: how many there are, or None where `actions` are kept as programs; `size` says it in words.
    """

    puzzle: Puzzle
    metric: str
    findings: tuple[Finding, ...]
    operators: int | None
    actions: int | None
    size: str
    space: DeadEnds | None
    seconds: float

    @property
    def unsolvable(self) -> bool:
        """Whether a finding proves that no plan exists."""
        return any(finding.proves for finding in self.findings)


def explain(
    puzzle: Puzzle, metric: str | None = None, budget: Budget | None = None, progress: Progress = silent
) -> Explanation:
    """Look for reasons. Raises `UsageError` for a puzzle that cannot be grounded."""
    budget, began = budget or Budget(EXPLAIN_TIME_LIMIT), time.monotonic()
    metric = metric_of(puzzle, metric)
    with grounding(budget, progress):
        task = puzzle.form(metric)
    progress(Stage(seconds=budget.elapsed, text="looking for what is out of reach"))
    findings: list[Finding] = []
    if why := impossible(task):
        findings.append(Finding(FindingKind.UNSOLVABLE, why, proves=True))
    if isinstance(task, OperatorTask):
        if puzzle.record.remarks:
            remarks = puzzle.record.remarks(puzzle.value, task)
            findings += [Finding(FindingKind.REMARK, sentence) for sentence in remarks]
        findings += _relaxed(task, relaxation(task))
    progress(Stage(seconds=budget.elapsed, text="visiting all states"))
    space = _states(task, budget.part(VISITING * budget.remaining))
    if space is not None:
        findings += _never(task, space) if isinstance(task, ProgramTask) else []
        findings += _ends(puzzle, space)
    elif isinstance(task, ProgramTask) and not impossible(task):
        findings += _projected(task, budget, progress)
    return Explanation(
        puzzle=puzzle,
        metric=metric,
        findings=tuple(findings),
        operators=len(task.operators) if isinstance(task, OperatorTask) else None,
        actions=len(task.actions) if isinstance(task, ProgramTask) else None,
        size=task.size,
        space=space,
        seconds=time.monotonic() - began,
    )


def _relaxed(task: OperatorTask, reached: Relaxation) -> list[Finding]:
    """Findings of relaxed reachability: goals out of reach, operators that never apply, objects that never move."""
    findings = []
    for clause in task.goal:
        if reached.facts.isdisjoint(clause) and not impossible(task):
            wanted = _list([task.facts[fact] for fact in clause], "or")
            sentence = f"the goal needs {wanted}, which is out of reach even if nothing ever got in the way"
            findings.append(Finding(FindingKind.GOAL, sentence, proves=True))
    idle = [op.name for index, op in enumerate(task.operators) if index not in reached.operators]
    changed = {fact for index in reached.operators for fact in task.operators[index].delete}
    still = [group.name for group in task.groups if group.kind is GroupKind.OBJECT and changed.isdisjoint(group.facts)]
    idle_said = f"of {len(task.operators):,} can never apply"
    return findings + _without_effect(counted(len(idle), "operator"), idle_said, idle, "move", still)


def _never(task: ProgramTask, space: DeadEnds) -> list[Finding]:
    """Findings of all states of a program task: actions that never apply, variables that never change."""
    idle = [action.name for action in task.actions if action.name not in space.applied]
    still = [variable.name for v, variable in enumerate(task.variables) if v not in space.changed]
    idle_said = f"of {len(task.actions):,} can never change anything"
    return _without_effect(counted(len(idle), "action"), idle_said, idle, "change", still)


def _without_effect(number: str, said: str, idle: list[str], verb: str, still: list[str]) -> list[Finding]:
    """The findings `3 actions of 12 can never apply: ...`, if there are any, and `B and C never move`."""
    findings = []
    if idle:
        findings.append(Finding(FindingKind.ACTION, f"{number} {said}: {_list(idle, 'and')}"))
    if still:
        never = f"never {verb}{'s' * (len(still) == 1)}"
        findings.append(Finding(FindingKind.NEVER_MOVES, f"{_list(still, 'and')} {never}"))
    return findings


def _projected(task: ProgramTask, budget: Budget, progress: Progress) -> list[Finding]:
    """That the goal is out of reach, if a projection to a single variable shows it."""
    ensure_kernels(progress, budget)
    if budget.stopped():
        return []
    from ..analysis.program_projections import projections_of

    progress(Stage(seconds=budget.elapsed, text="looking for a variable that keeps the goal out of reach"))
    projections = projections_of(task, budget)
    if projections.stats.get("root_bound", 0) >= 0:
        return []
    sentence = "the goal is out of reach for one variable alone, even if the others could have any value at any time"
    return [Finding(FindingKind.GOAL, sentence, proves=True)]


def _states(task: Task, budget: Budget) -> DeadEnds | None:
    """Visit all states to find dead ends; None if they are too many. Walks that cost something are steps of their
    own.
    """
    if task.walker and any(task.walker.cost):
        task = by_form(task, with_explicit_walker, lambda task: task)
    return dead_ends(task, budget)


def _ends(puzzle: Puzzle, space: DeadEnds) -> list[Finding]:
    states = counted(space.states, "reachable state")
    if not space.goals:
        return [Finding(FindingKind.UNSOLVABLE, f"none of the {states} is a goal", proves=True)]
    if space.nearest is None:
        return []
    replay = puzzle.replay(space.nearest)
    are = "is a dead end" if space.dead == 1 else "are dead ends"
    away = f"a nearest one is {counted(len(replay.notation), 'move')} away"
    sentence = f"{space.dead:,} of {states} {are}, from which no goal can be reached; {away}"
    return [Finding(FindingKind.DEAD_END, sentence, replay)]


def _list(names: list[str], joint: str) -> str:
    """`a`, `a and b`, `a, b and 3 more`."""
    shown = [f"`{name}`" for name in names[:NAMED]]
    if len(names) > NAMED:
        shown.append(f"{len(names) - NAMED:,} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {joint} {shown[-1]}"
