"""The way back through a program task: substitutions (actions that only rename values), their inverses, the goals.

    turn: piece 1 := turned[piece 2]     inverse: piece 2 := back[piece 1]

Programs run forward only; a search from the goal needs what lies before a state. Which actions are substitutions, and
what the goal states are, is read off the graph of values (`value_graph`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from ..models.errors import UsageError
from ..models.program import ProgramAction, ProgramTask
from .value_graph import GraphRun, OfOneVariable, Operation, TooManyStepsError, ValueGraph, run_of

# Actions that only rename values.
#
# An action is a *substitution* if the new value of each variable is a function of the old value of one variable, no
# two of the same, and the function is one to one: a turn of a cube (`piece := turned[piece]`), a shifted row (`card 2
# := card 1`), a joint that turns (`turn := (turn + 1) % 4`). Then at most one state lies before a given one, and the
# inverse is a substitution too.
#
#     a row shifts to the right           card 1 := card 3    card 2 := card 1    card 3 := card 2
#     before it                           card 3 := card 1    card 1 := card 2    card 2 := card 3
#
# A function may have no value for some arguments (a step off the board): then the action does not apply. What else
# the program asks for is not in the functions: `total` says where there is nothing else.

# In a function: the action does not apply to this value.
NOTHING = -1

# The most goal states with which a search from the goals is begun.
MOST_GOALS = 1_000

# For each digit of the source (its value minus the lowest) the digit of the result, or `NOTHING`.
Function = tuple[int, ...]

# What a substitution assigns: for each variable that may change its source and the function.
Assignments = dict[int, tuple[int, Function]]

# Steps of looking for goal states, and at an action (instructions run, nodes and boxes looked at): a tenth of a second.
MOST_STEPS = 20_000


# The values of the variables of a task.
State = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BothWays:
    """The substitutions of all actions, and their inverses."""

    ahead: tuple[Assignments, ...]
    back: tuple[Assignments, ...]
    total: tuple[bool, ...]
    """Of each action whether it applies in every state."""


# The goal states of a task, and its substitutions.
Ends = tuple[list[State], BothWays]


def both_ways_of(task: ProgramTask) -> BothWays | str:
    """The substitutions that the actions of a task are, and their inverses, if each costs one; else why not, in words:
    an action is none, or is too long to look at. To be asked for by `task.computed`.
    """
    if not task.uniform:
        return "every action must cost one for that"
    graph = ValueGraph(task, MOST_STEPS)
    sizes = [variable.high - variable.low + 1 for variable in task.variables]
    ahead, back, total = [], [], []
    for action in task.actions:
        graph.steps = 0
        try:
            run = run_of(graph, action.entry)
        except (TooManyStepsError, RecursionError, UsageError):
            return f"`{action.name}` is too long to see how it is undone"
        assignments: Assignments = {}
        for variable in sorted(action.writes):
            node = run.become.get(variable, graph.variables[variable])
            if isinstance(node, Operation):
                return _not_undone(action)
            source = variable if isinstance(node, int) else node.variable
            function = _function(graph, run, variable, source, node)
            if source != variable or function != tuple(range(sizes[variable])):
                assignments[variable] = source, function
        undone = _inverse(assignments, sizes)
        if undone is None:
            return _not_undone(action)
        ahead.append(assignments)
        back.append(undone)
        total.append({*run.demands, *run.rules} <= {1})
    return BothWays(tuple(ahead), tuple(back), tuple(total))


def _not_undone(action: ProgramAction) -> str:
    return f"`{action.name}` cannot be undone, what was before does not follow from what is after"


def _function(graph: ValueGraph, run: GraphRun, variable: int, source: int, node: int | OfOneVariable) -> Function:
    """What a variable becomes for each value of its source; `NOTHING` where a demand on that alone fails."""
    first, then = graph.task.variables[source], graph.task.variables[variable]
    asked = [of.results for of in run.demands if isinstance(of, OfOneVariable) and of.variable == source]
    rules = [of.results for of in run.rules if isinstance(of, OfOneVariable) and of.variable == variable]
    function = [NOTHING] * (first.high - first.low + 1)
    for place, value in enumerate(first.values):
        result = node if isinstance(node, int) else node.results[place]
        fits = result in then.values and all(results[then.values.index(result)] for results in rules)
        if fits and 0 not in run.demands and all(results[place] for results in asked):
            function[value - first.low] = result - then.low
    return tuple(function)


def ends_of(task: ProgramTask) -> Ends | str:
    """The goal states of a task whose actions cost one each, and what they are as substitutions; else why a search
    cannot begin at the goal, in words. To be asked for by `task.computed`.
    """
    both_ways = task.computed(both_ways_of)
    if isinstance(both_ways, str):
        return both_ways
    goals = goal_states_of(task, MOST_GOALS)
    return f"more than {MOST_GOALS:,} states may be goals" if goals is None else (goals, both_ways)


def _inverse(assignments: Assignments, sizes: Sequence[int]) -> Assignments | None:
    """What undoes a substitution; None if two variables have the same source, or a function is not one to one."""
    undone: Assignments = {}
    for variable, (source, function) in assignments.items():
        before = {digit: number for number, digit in enumerate(function) if digit != NOTHING}
        if source in undone or len(before) < sum(digit != NOTHING for digit in function):
            return None
        undone[source] = variable, tuple(before.get(digit, NOTHING) for digit in range(sizes[variable]))
    # A source that is not assigned would keep its value beside the copy.
    return undone if undone.keys() == assignments.keys() else None


def goal_states_of(task: ProgramTask, most: int) -> list[State] | None:
    """All goal states, in rising order; None if there are more than `most`, or if they are hard to find."""
    graph, states = ValueGraph(task, MOST_STEPS), list[State]()
    try:
        for box in graph.where(graph.all_of(run_of(graph, task.goal).demands), {}):
            places = [box.get(variable, every) for variable, every in enumerate(graph.all)]
            if len(states) + prod(map(len, places)) > most:
                return None
            values = [[of.values[place] for place in some] for of, some in zip(task.variables, places, strict=True)]
            states += product(*values)
    except (TooManyStepsError, RecursionError, UsageError):
        return None
    return sorted(states)
