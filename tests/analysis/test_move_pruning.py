"""Move pruning: a shortest plan is left, redundant pairs are those of the definition, and engines work less by it."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from budge import Budget, Status, load, load_text
from budge.analysis.hm.tables import hm_tables
from budge.analysis.move_pruning import (
    MovePruning,
    find_move_pruning,
    operator_classes,
    redundant_pairs,
    redundant_pairs_if_few,
)
from budge.analysis.structure import structure_of
from budge.encoders.horizon_model import HorizonEncoder
from budge.engines.cp_sat import horizon_run as run
from budge.engines.cp_sat.solver import solve
from budge.engines.idastar import engine as idastar
from budge.models.plan import apply
from budge.models.task import OperatorTask
from budge.workflows import solving

from ..helpers.random_boards import crowded, n_puzzle, rush_hour, sliding_block
from ..helpers.reference import distances

METRICS = {"rush-hour": ("slides", "steps"), "sliding-block": ("slides", "steps"), "n-puzzle": ("moves",)}


def tasks(count: int) -> list[OperatorTask]:
    texts = [
        text
        for seed in range(count)
        for text in (crowded(rush_hour(seed), seed), sliding_block(4 * seed, cells=6).text, n_puzzle(seed))
    ]
    puzzles = [load_text(text) for text in texts]
    return [puzzle.task(metric) for puzzle in puzzles for metric in METRICS[puzzle.family]]


def shortest(task: OperatorTask, pruning: MovePruning | None) -> int | None:
    """The length of a shortest plan without forbidden pairs, by breadth-first search over (state, last operator)."""
    start = (frozenset(task.init), -1)
    distance, queue = {start: 0}, deque([start])
    while queue:
        state, last = node = queue.popleft()
        if task.holds(state):
            return distance[node]
        for number, op in enumerate(task.operators):
            if state.issuperset(op.pre) and not (pruning and last >= 0 and pruning.forbidden[last, number]):
                child = (apply(state, op), number if pruning else -1)
                if child not in distance:
                    distance[child] = distance[node] + 1
                    queue.append(child)
    return None


def test_a_shortest_plan_is_left() -> None:
    forbidden = 0
    for task in tasks(12):
        pruning = find_move_pruning(task)
        if pruning is None:
            assert not task.operators
            continue
        assert shortest(task, pruning) == shortest(task, None)
        forbidden += int(pruning.forbidden.sum())
    assert forbidden > 1000


def test_redundant_pairs_lead_where_fewer_operators_do() -> None:
    """In every reachable state the pair ends where it began, or where one operator that applies there leads."""
    met = 0
    for task in tasks(8):
        redundant = redundant_pairs(task)
        for state in distances(task)[0]:
            after = {n: apply(state, op) for n, op in enumerate(task.operators) if state.issuperset(op.pre)}
            for first, between in after.items():
                for second in np.flatnonzero(redundant[first]).tolist():
                    if between.issuperset(task.operators[second].pre):
                        met += 1
                        assert apply(between, task.operators[second]) in (state, *after.values())
    assert met > 1000


def test_only_pairs_that_may_follow_each_other_are_compared() -> None:
    """No pair is listed whose second operator requires what a group says is false after the first."""
    task = load("bird-2").task("slides")
    groups = [frozenset(group.facts) for group in task.groups if group.count == 1]
    for first, second in np.argwhere(redundant_pairs(task)).tolist():
        true = task.operators[first].after | {*task.operators[second].pre}
        assert all(len(group & true) <= 1 for group in groups)


def test_classes_are_what_moves() -> None:
    task = load("eight-10").task("moves")
    found = structure_of(task)
    names = [found.objects[number].name for number in found.owner]
    classes = operator_classes(task).tolist()
    assert len(set(zip(names, classes, strict=True))) == 8 == len(set(classes))


@pytest.mark.weekly
@pytest.mark.parametrize(("name", "metric", "horizon"), [("bird-1", "steps", 33), ("level-15", "steps", 24)])
def test_cp_sat_refutes_with_fewer_conflicts(name: str, metric: str, horizon: int) -> None:
    """The same model with and without it, refuted by one worker with a fixed seed."""
    task = load(name).task(metric)
    layers = hm_tables(task, 2)
    conflicts = {}
    for pruning in (None, find_move_pruning(task)):
        answer = solve(HorizonEncoder(task, layers, pruning).encode(horizon, idle=True).formula, Budget())
        assert answer.status == "infeasible"
        conflicts[pruning is not None] = answer.conflicts
    assert 2 * conflicts[True] < conflicts[False]


@pytest.mark.parametrize(("name", "metric"), [("eight-20", "moves"), ("bird-2", "slides")])
def test_idastar_makes_fewer_nodes(name: str, metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task = load(name).task(metric)
    nodes = []
    for pairs in (redundant_pairs_if_few, lambda task: np.zeros((len(task.operators),) * 2, np.bool_)):
        monkeypatch.setattr(idastar, "redundant_pairs_if_few", pairs)
        outcome = idastar.solve(task, Budget())
        assert outcome.status is Status.OPTIMAL
        nodes.append(int(outcome.stats["nodes"]))
    assert nodes[0] < nodes[1]


@pytest.mark.parametrize(("strategy", "calls"), [("one-model", 1), ("auto", 0)])
def test_it_is_found_once_and_only_where_single_steps_are_encoded(
    strategy: str, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`cp-sat` finds it while the h^m tables are computed; parallel steps do without."""
    found: list[OperatorTask] = []

    def counted(task: OperatorTask) -> MovePruning | None:
        found.append(task)
        return find_move_pruning(task)

    monkeypatch.setattr(run, "find_move_pruning", counted)
    monkeypatch.setattr("budge.engines.cp_sat.strategies.MANY_OBJECTS", 1)
    solution = solving.solve(load("bird-2"), "cp-sat", "slides", Budget(), strategy=strategy)
    assert solution.status is Status.OPTIMAL
    assert len(found) == calls
