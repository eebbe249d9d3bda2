"""What a task's things alone tell, against exhaustive distances: bounds hold in every state, lost sets never occur."""

from __future__ import annotations

from dataclasses import replace

import pytest
from budge import Budget, PuzzleError, load, load_text
from budge.analysis.bitset_task import to_bitset_task
from budge.analysis.hm.tables import hm_tables
from budge.analysis.movable_objects import find_movable_objects
from budge.analysis.plan_invariants import NOTHING_KNOWN, find_invariants, plan_parity
from budge.analysis.potentials import potentials_to_goal
from budge.analysis.transformed_tasks import backward, to_strips, with_explicit_walker, with_unit_cost
from budge.encoders.horizon_model import HorizonEncoder
from budge.engines.cp_sat.solver import SearchSettings
from budge.engines.cp_sat.solver import solve as solve_formula
from budge.models.task import OperatorTask, operator
from hypothesis import given, settings

from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.reference import distances, optimal
from ..helpers.seeds import examples, seeds
from ..helpers.sokoban_levels import levels, text_of


def check(task: OperatorTask) -> None:
    stepwise = with_unit_cost(task)
    if stepwise is None or stepwise.compound_moves or stepwise.unsolvable_because:
        return
    found = find_invariants(stepwise, Budget())
    whole = to_strips(stepwise)
    ahead, back = distances(whole)
    start = frozenset(whole.init)
    if start in back:
        assert found.lower_bound(stepwise.init) <= back[start]
        assert found.parity in (None, back[start] % 2)
    dead = [set(facts) for facts in found.dead]
    conflicts = [(set(one.facts), one.extra) for one in found.conflicts]
    behind = [(set(one.facts), one.extra) for one in found.conflicts_from_start]
    for state in back:
        facts = tuple(sorted(f for f in state if f < len(stepwise.facts)))
        # The facts behind the task's own say where its walker stands.
        cell = max(state) - len(stepwise.facts) if stepwise.walker else -1
        assert all(bound.value(facts) <= bound.value(facts, cell) <= back[state] for bound in found.to_goal)
        assert all(bound.value(facts) <= back[state] for bound in found.of_facts)
        extra = max((more for there, more in conflicts if there <= state), default=0)
        assert all(bound.value(facts, cell) + extra <= back[state] for bound in found.to_goal)
        assert all(not lost <= state for lost in dead)
        if start in back and state in ahead:
            extra = max((more for there, more in behind if there <= state), default=0)
            assert all(bound.value(facts) <= bound.value(facts, cell) for bound in found.from_start)
            assert all(bound.value(facts, cell) + extra <= ahead[state] for bound in found.from_start)
            assert all(found.colour is None or found.colour.get(f, ahead[state] % 2) == ahead[state] % 2 for f in facts)


@pytest.mark.parametrize("seed", seeds(40))
@pytest.mark.parametrize("metric", ["slides", "steps"])
def test_random_rush_hour(seed: int, metric: str) -> None:
    check(load_text(rush_hour(seed)).task(metric))


@pytest.mark.parametrize("seed", seeds(40))
@pytest.mark.parametrize("metric", ["moves", "slides", "steps"])
def test_random_sliding_blocks(seed: int, metric: str) -> None:
    try:
        task = load_text(sliding_block(seed, cells=9).text).task(metric)
    except PuzzleError:
        return
    check(task)


@pytest.mark.parametrize("seed", seeds(12))
def test_random_n_puzzles(seed: int) -> None:
    check(load_text(n_puzzle(seed)).task("moves"))


@pytest.mark.parametrize("metric", ["pushes", "moves"])
@given(rows=levels(max_boxes=3))
@settings(max_examples=examples(60))
def test_random_sokoban(metric: str, rows: tuple[str, ...]) -> None:
    check(load_text(text_of(list(rows))).task(metric))


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric", "bound", "parity"),
    [
        ("eight-31-a", "moves", 21, 1),
        ("korf-12", "moves", 35, 1),
        ("xsokoban-01", "pushes", 97, 1),
        ("microban-065", "pushes", 41, 1),
        ("microban-099", "pushes", 93, 1),
        ("microban-143", "pushes", 27, 1),
        ("bird-1", "slides", 3, None),
    ],
)
def test_known_boards(name: str, metric: str, bound: int, parity: int | None) -> None:
    task = load(name).task(metric)
    found = find_invariants(task, Budget())
    assert found.lower_bound(task.init) == bound
    assert found.parity == parity


def test_a_goal_that_asks_for_no_place_of_an_object() -> None:
    """As that of the task backward can be, of which bounds on the way behind are made."""
    task = OperatorTask("lamp", ("off", "on"), (), (operator("light", [0], [1], [0], None),), (0,), ((1,),), ("moves",))
    assert potentials_to_goal(task, to_bitset_task(task), find_movable_objects(task)) == ()


# What it is good for


@pytest.mark.parametrize(
    ("name", "metric", "by_potentials"),
    [("xsokoban-01", "pushes", 95), ("bird-1", "slides", 3), ("korf-12", "moves", 35)],
)
def test_potentials_bound_the_initial_state(name: str, metric: str, by_potentials: int) -> None:
    """The sum of weights alone, without parity; where many objects have far to go it is far above h²."""
    task = load(name).task(metric)
    found = replace(find_invariants(task, Budget()), parity=None, conflict_at_start=0)
    assert found.lower_bound(task.init) == by_potentials
    assert replace(found, to_goal=()).lower_bound(task.init) == 0
    relaxed = hm_tables(task, 2).lower_bound
    assert relaxed is not None
    assert (2 * by_potentials > 3 * relaxed) == (name != "bird-1")


def test_cp_sat_refutes_with_fewer_conflicts_by_potentials() -> None:
    task = load("microban-013").task("pushes")
    layers, found = hm_tables(task, 2), find_invariants(task, Budget())
    conflicts = {}
    for invariants in (NOTHING_KNOWN, replace(NOTHING_KNOWN, to_goal=found.to_goal, from_start=found.from_start)):
        model = HorizonEncoder(task, layers, None, invariants).encode(20, idle=True)
        answer = solve_formula(model.formula, Budget())
        assert answer.status == "infeasible"
        conflicts[invariants is not NOTHING_KNOWN] = answer.conflicts
    assert 2 * conflicts[True] < conflicts[False]


def test_cp_sat_refutes_with_fewer_conflicts_by_conflicts_of_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """51 pushes of Microban 87: 120 conflicts of the solver, 18,000 without."""
    monkeypatch.setattr("budge.engines.cp_sat.solver.QUICK_SECONDS", 60.0)  # on any machine
    task = load("microban-087").task("pushes")
    layers, found = hm_tables(task, 2), find_invariants(task, Budget())
    taken = []
    for invariants in (found, replace(found, conflicts=(), conflicts_from_start=())):
        answer = solve_formula(HorizonEncoder(task, layers, None, invariants).encode(51, idle=True).formula, Budget())
        assert answer.status == "infeasible"
        taken.append(answer.conflicts)
    assert 3 * taken[0] < taken[1]


@pytest.mark.weekly
def test_the_way_behind_is_bounded_as_the_way_ahead_is() -> None:
    """107 pushes of Microban 99, decided from the last step backward: 750 conflicts of the solver, 8,100 without."""
    task = load("microban-099").task("pushes")
    found = find_invariants(task, Budget())
    turned = backward(task)
    assert turned is not None
    turned.validate()
    again = backward(turned)
    assert again is not None
    assert set(again.goal) == set(task.goal)
    for op, twice in zip(task.operators, again.operators, strict=True):
        assert (op.pre, op.add, op.delete, op.walk) == (twice.pre, twice.add, twice.delete, twice.walk)
    assert max(bound.value(turned.init) for bound in found.from_start) == 73  # 41 without the sides of the player
    encoder = HorizonEncoder(task, hm_tables(task, 3), None, found)
    model = encoder.encode(107)
    search = SearchSettings(long=True, in_order=encoder.by_steps(model, backward=True))
    answer = solve_formula(model.formula, Budget(), search)
    assert answer.status == "infeasible"
    assert answer.conflicts < 4_000


@given(rows=levels(max_boxes=3))
@settings(max_examples=examples(150))
def test_sides_keep_every_plan(rows: tuple[str, ...]) -> None:
    """The model with potentials that tell the player's side has a plan of as many pushes as the one without them."""
    task = load_text(text_of(list(rows))).task("pushes")
    found = find_invariants(task, Budget())
    best = None if task.holds(task.init) else optimal(task, 20_000)
    if best is None or not any(bound.sides for bound in found.to_goal):
        return
    assert found.lower_bound(task.init) <= best[0][0]
    model = HorizonEncoder(task, hm_tables(task, 2), None, found).encode(best[0][0])
    assert solve_formula(model.formula, Budget()).status == "solution"


@given(rows=levels(max_boxes=4, min_boxes=2, size=(4, 5)))
@settings(max_examples=examples(150))
def test_conflicts_keep_every_plan(rows: tuple[str, ...]) -> None:
    """A model with conflicts in each layer has a plan of as many pushes as breadth-first search finds."""
    task = load_text(text_of(list(rows))).task("pushes")
    found = find_invariants(task, Budget())
    if not (found.conflicts or found.conflict_at_start) or task.unsolvable_because or task.holds(task.init):
        return
    try:
        best = optimal(task, 20_000)
    except OverflowError:
        return
    if best is None:
        return
    assert found.lower_bound(task.init) <= best[0][0]
    model = HorizonEncoder(task, hm_tables(task, 2), None, found).encode(best[0][0])
    assert any(ahead for ahead, _ in model.conflicts) == bool(found.conflicts and best[0][0] > 1)
    assert solve_formula(model.formula, Budget()).status == "solution"


@pytest.mark.parametrize(("name", "alone", "bound"), [("059", 38, 50), ("065", 37, 41), ("077", 51, 55)])
def test_conflicts_prove_the_optimum(name: str, alone: int, bound: int) -> None:
    """All pushes of three levels of Microban; for level 59 `cp-sat` took 53,000 conflicts without."""
    task = load(f"microban-{name}").task("pushes")
    found = find_invariants(task, Budget())
    assert replace(found, conflict_at_start=0).lower_bound(task.init) == alone
    assert found.lower_bound(task.init) == bound


def test_the_side_of_the_player_raises_the_bound() -> None:
    """Level 143: 25 by the matching on the player's side, as `astar` has it; 15 without sides."""
    task = load("microban-143").task("pushes")
    assert task.walker is not None
    found = find_invariants(task, Budget())
    anywhere = max(bound.value(task.init) for bound in found.to_goal)
    assert max(bound.value(task.init, task.walker.start) for bound in found.to_goal) == 25
    assert anywhere < 25


def test_parity_halves_the_lengths_that_are_tried() -> None:
    task = load("eight-31-a").task("moves")
    found = find_invariants(task, Budget())
    assert [found.next_length(steps) for steps in (21, 22, 23)] == [21, 23, 23]
    assert found.colour is not None
    free = {task.facts.index(f"free r{r}c{c}"): (r, c) for r in (1, 2, 3) for c in (1, 2, 3)}
    (start,) = (cell for fact, cell in free.items() if fact in task.init)
    assert {fact: (sum(cell) - sum(start)) % 2 for fact, cell in free.items()} == found.colour


def test_parity_needs_every_move_to_count() -> None:
    """A push moves the box and the walker, who is an object of walks of his own: nothing is claimed then."""
    task = with_explicit_walker(load("microban-001").task("moves"))
    walker = task.groups[-1].facts
    assert plan_parity(task) is None
    assert plan_parity(replace(task, goal=(*task.goal, (walker[0],)))) is None
