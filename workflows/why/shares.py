"""Shares: what each owner's steps cost at least in any plan, all other steps being free.

Every step has one owner, so the shares of all owners together are a lower bound of every plan: a cost partitioning
(Katz and Domshlak, *Optimal additive composition of abstraction-based admissible heuristics*, ICAPS 2008) of the costs
by owner, with the exhausted graph in place of abstractions:

    A 4, F 4, E 3, G 3, C 2, I 2, B 2, H 2, D 1    together 23: no plan is shorter

Where single shares fall short, the shares of two or three owners together say more. They may overlap, so they are not
added; the least total that satisfies all of them is found by an integer program. Equal boxes that are told apart by
their start cells have single shares only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TypeVar

import numpy as np
from ortools.sat.python import cp_model

from ...engines.common.state_graph import Followed, StateGraph
from ...models.families.custom.puzzle import Act
from ...models.task import Operator, OperatorTask
from ...runtime.budget import Budget

# Whose steps are whose: every step of a puzzle has one owner, so that what owners need adds up.
#
# vehicle, piece, tile          the object that moves                     A, tile 5
# interchangeable pieces        all pieces of one kind together           1x1 (4)
# boxes                         each box, by where it stands at first     the box on r3c4
# custom puzzles, PDDL          the first object that changes             goat
#                               the action, where four or more change     press(r1c1)

MANY = 4
"""Objects that one step changes at once, from which on it is the action's own: a lamp switch that turns five lamps."""


@dataclass(frozen=True)
class Owner:
    """An owner of steps: its name, and the `Followed` that counts its steps. `facts`: of a box, where boxes can be; of
    others none, as all steps of a kind are theirs (they are `whole`).
    """

    name: str
    followed: Followed
    facts: tuple[int, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.facts


def owners_of(graph: StateGraph) -> list[Owner]:
    """Every owner of some step that a state of the graph makes possible."""
    kinds = {name: (facts, count) for name, facts, count in graph.objects}
    owners = []
    for name, steps in steps_of_owners(graph).items():
        facts, count = kinds.get(name, ((), 1))
        boxes = facts and isinstance(graph.task, OperatorTask) and graph.task.walker
        if boxes and count > 1:
            owners += list(_single(graph, steps, facts))
            continue
        left = np.full(len(graph.steps), -1, np.int32)
        left[steps] = 0
        label = f"{name} ({count})" if count > 1 else name.removeprefix("at ")
        if boxes and f"not {name}" not in (graph.facts[fact] for fact in facts):
            label = next(_name(graph, fact) for fact in facts if graph.holds(fact)[0])
        owners.append(Owner(label, Followed(left, left)))
    return owners


def steps_of_owners(graph: StateGraph) -> dict[str, list[int]]:
    """The steps of each object, and of each action without one, that some state makes possible."""
    used = np.zeros(len(graph.steps), np.bool_)
    used[graph.edges[2]] = True  # quicker than to sort all edges
    steps_of: dict[str, list[int]] = {}
    for number in np.flatnonzero(used).tolist():
        steps_of.setdefault(_owner(graph, number), []).append(number)
    return steps_of


def _owner(graph: StateGraph, number: int) -> str:
    step = graph.steps[number]
    if not isinstance(step, Operator):
        written = sorted(step.writes)
        own = [graph.objects[v][0] for v in written]
        return own[0] if len(own) == 1 else step.name
    touched = {*step.delete} | {*step.add}
    moved = [name for name, facts, _ in graph.objects if not touched.isdisjoint(facts)]
    if isinstance(step.move, Act) and (len(moved) >= MANY or not moved):
        return str(step.move)
    return moved[0] if moved else step.name


def _single(graph: StateGraph, steps: Sequence[int], facts: tuple[int, ...]) -> Iterator[Owner]:
    """Interchangeable objects, each told from the others by its way from where it stands at first."""
    assert isinstance(graph.task, OperatorTask)
    place = {fact: number for number, fact in enumerate(facts)}
    left, came = (np.full(len(graph.steps), -1, np.int32) for _ in range(2))
    for number in steps:
        op = graph.steps[number]
        assert isinstance(op, Operator)
        left[number] = next(place[fact] for fact in op.delete if fact in place)
        came[number] = next(place[fact] for fact in op.add if fact in place)
    for fact in sorted(place.keys() & set(graph.task.init)):
        yield Owner(_name(graph, fact), Followed(left, came, len(facts), place[fact]), facts)


def _name(graph: StateGraph, fact: int) -> str:
    """A box by where it stands at first: `the box on r3c4`."""
    thing, _, place = graph.facts[fact].rpartition(" ")
    return f"the {thing.removesuffix(' at')} on {place}"


T = TypeVar("T")

MOST_TOGETHER = 3
"""Owners of a joint share at most."""

PROGRAM = 5.0
"""Seconds for one integer program at most."""


@dataclass(frozen=True)
class Share:
    """What the steps of some owners cost at least in any plan. `route`: for one owner, the only sequence of its steps
    of that cost, as numbers of steps; None if there are several, or it was not looked for.
    """

    owners: tuple[str, ...]
    least: int
    route: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Shares:
    """The shares of all owners, largest first; joint ones that are needed, where single ones are not the optimum.
    `bound`: the least that satisfies all of them. `complete`: all shares were found that could raise it, within the
    time.
    """

    single: tuple[Share, ...]
    joint: tuple[Share, ...]
    bound: int
    complete: bool


def shares_of(graph: StateGraph, owners: Sequence[Owner], budget: Budget) -> Shares:
    """The shares of a graph with a plan."""
    assert graph.optimum is not None
    single = list[Share]()
    for owner in owners:
        if budget.stopped():
            break
        single.append(Share((owner.name,), graph.least(owner.followed)))
    whole = [owner for owner in owners if owner.whole]
    joint, bound, complete = put_together(
        single, whole, lambda owner: owner.name, partial(_least_together, graph), graph.optimum, budget
    )
    complete = complete and len(single) == len(owners)
    for number, owner in enumerate(owners[: len(single)]):
        if budget.stopped():
            break
        single[number] = replace(single[number], route=_route(graph, owner))
    return Shares(tuple(sorted(single, key=lambda share: -share.least)), tuple(joint), bound, complete)


def _least_together(graph: StateGraph, several: Sequence[Owner]) -> int:
    """The least that any plan pays for the steps of several whole owners, all other steps being free."""
    pays = np.logical_or.reduce([owner.followed.left == 0 for owner in several])
    counts = np.where(pays, 0, -1).astype(np.int32)
    return graph.least(Followed(counts, counts))


def put_together(
    single: Sequence[Share],
    owners: Sequence[T],
    name: Callable[[T], str],
    least_of: Callable[[tuple[T, ...]], int | None],
    goal: int,
    budget: Budget,
) -> tuple[list[Share], int, bool]:
    """Joint shares of two and three owners, as `least_of` finds them: those that are needed for the bound that all
    shares make, that bound, and whether no more could raise it. None are looked for beyond a bound of `goal`.
    """
    joint = list[Share]()
    bound, complete = sum(share.least for share in single), len(single) >= len(owners)
    for many in range(2, min(MOST_TOGETHER, len(single) - 1) + 1):  # all together are the optimum, and no reason for it
        if bound >= goal or not complete:
            break
        for several in combinations(owners, many):
            if budget.stopped():
                complete = False
                break
            least = least_of(several)
            if least is None:
                complete = False
            else:
                joint.append(Share(tuple(map(name, several)), least))
        bound = max(bound, _least([*single, *joint], budget)[0])
    return _needed(single, joint, bound, budget), bound, complete


def _least(shares: Sequence[Share], budget: Budget) -> tuple[int, dict[str, int]]:
    """A lower bound of the total of the owners' costs that satisfies all shares, the least one if there is time: an
    integer program. With it costs that satisfy them.
    """
    model = cp_model.CpModel()
    most = sum(share.least for share in shares)
    costs = {name: model.new_int_var(0, most, name) for share in shares for name in share.owners}
    for share in shares:
        model.add(sum(costs[name] for name in share.owners) >= share.least)
    model.minimize(sum(costs.values()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_time_in_seconds = max(0.1, min(PROGRAM, budget.remaining))
    solved = solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return int(solver.best_objective_bound), {name: solver.value(cost) if solved else 0 for name, cost in costs.items()}


def _needed(single: Sequence[Share], joint: Sequence[Share], bound: int, budget: Budget) -> list[Share]:
    """Joint shares that are enough for the bound. While they are not, there are costs that satisfy them, and that one
    is added which these miss by most; in the end each is left out again that is not needed.
    """
    chosen = list[Share]()
    while bound > sum(share.least for share in single) and not budget.stopped():
        total, costs = _least([*single, *chosen], budget)
        missed = max(joint, key=lambda share: share.least - sum(costs[name] for name in share.owners), default=None)
        if total >= bound or missed is None or missed in chosen:
            break
        chosen.append(missed)
    for share in chosen[:]:
        fewer = [other for other in chosen if other is not share]
        if not budget.stopped() and _least([*single, *fewer], budget)[0] >= bound:
            chosen = fewer
    return sorted(chosen, key=lambda share: (len(share.owners), share.owners))


def _route(graph: StateGraph, owner: Owner) -> tuple[int, ...] | None:
    """The only sequence of steps with which an owner comes off with its share; None if there are several.

    Level by level: the states in which the owner has paid so much, and can still come off with the share; from these,
    its next step. Two different steps are two routes. A state that it could be in for less does not count: from there
    more is missing than is left.
    """
    if not owner.whole:
        return None
    followed = owner.followed
    before, after = graph.costs(followed), graph.costs(followed, to_goal=True)
    least = int(before[graph.goal].min())
    useful = before + after == least
    _, targets, steps = graph.edges
    own = followed.left == 0
    here, route = np.array([0], np.int32), list[int]()
    while True:
        paid = before[here[0]]
        seen = graph.reached(here, passes=~own | (graph.weight == 0), allowed=useful & (before == paid))
        if paid == least:
            return tuple(route)
        edges = np.flatnonzero(seen[graph.sources] & own[steps] & useful[targets])
        edges = edges[before[targets[edges]] == before[graph.sources[edges]] + graph.weight[steps[edges]]]
        edges = edges[graph.weight[steps[edges]] > 0]
        made = {graph.doing(edge) for edge in edges.tolist()}
        if len(made) != 1:
            return None
        route.append(int(steps[edges[0]]))
        here = np.unique(targets[edges]).astype(np.int32)
