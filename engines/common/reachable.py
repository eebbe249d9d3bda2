"""The reachable states of a task: how many, how deep, how far from the goal; and the best steps from here.

`explore` visits every state that can be reached, breadth-first, then looks at the edges between them, and measures the
distance of each state to the goal backward along the edges. Edges need not be reversible: from some states no way
may lead to the goal any more (Sokoban).

`hint` goes only as deep as the nearest goal, and backward through the layers to all first steps of shortest plans.

Both need tasks in which every step costs one. Where walking is free, the states that differ only in where
the walker stands within its region are one.
"""

from __future__ import annotations

import numpy as np

from ...runtime.outcome import StoppedError
from .difficulty import Hint, Space, space_of
from .stored_states import StoredStates


def explore(states: StoredStates) -> Space:
    """Visit every reachable state of a task in which every step costs one."""
    try:
        states.visit_all()
        at_goal = states.goals()
        return space_of(states, at_goal, states.graph, states.distances(at_goal))
    except StoppedError as stop:
        unfinished = [states.count] if states.count > states.ends[-1] else []
        layers = tuple(np.diff([0, *states.ends, *unfinished]).tolist())
        return Space(states.count, layers, int(states.goals().sum()), stop.reason)


def hint(states: StoredStates) -> Hint:
    """The distance of the initial state to the goal of a task in which every step costs one, and the best steps."""
    if states.task.holds(states.task.init):
        return Hint(0, 0, (), 1)
    ends, leads = states.ends, np.zeros(0, np.bool_)
    while not leads.any():
        depth = len(ends)
        reason = states.next_layer()
        if reason or len(ends) == depth:
            return Hint(None, depth, (), states.count, reason)
        leads = np.zeros(states.count, np.bool_)
        leads[ends[-2] :] = states.goals(ends[-2])
    # Backward through the layers: a state leads on if an edge goes from it to one of the next layer that does.
    try:
        for d in range(depth - 1, 0, -1):
            states.lead(leads, d)
    except StoppedError as stop:
        return Hint(None, depth, (), states.count, stop.reason)
    steps = tuple(states.plan_to(int(i) + 1) for i in np.flatnonzero(leads[1 : ends[1]]))
    return Hint(depth, depth, steps, states.count)
