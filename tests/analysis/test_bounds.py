"""h^m tables against exhaustive distances: bounds must hold in every state, mutexes never meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from budge import Budget, Puzzle, PuzzleError, load, load_text
from budge.analysis.bitset_task import cost_key, cost_of_key, to_bitset_task
from budge.analysis.estimate import prepare_estimate
from budge.analysis.hm import tables as background_module
from budge.analysis.hm.tables import MAX_WORK, BackgroundHm, HmTables, hm_tables, operator_pairs
from budge.analysis.hm.tuples import NEVER
from budge.analysis.transformed_tasks import to_strips
from budge.analysis.transition_graphs import root_value
from budge.models.plan import apply
from budge.models.task import OperatorTask
from hypothesis import given, settings

from ..helpers.patience import PATIENCE, until
from ..helpers.random_boards import rush_hour, sliding_block
from ..helpers.random_puzzles import cost_of, n_puzzles, rush_hours, sokobans
from ..helpers.reference import distances
from ..helpers.seeds import examples, seeds
from ..helpers.sokoban_levels import levels, text_of


def check_tables(task: OperatorTask) -> None:
    whole = to_strips(task)
    facts = range(len(task.facts))
    ahead, back = distances(whole)
    start = frozenset(whole.init)
    bounds = []
    for order in (2, 3, 4, 5):
        tables = hm_tables(task, order)
        bounds.append(NEVER if tables.lower_bound is None else tables.lower_bound)
        assert bounds[-1] <= back.get(start, NEVER)
        if start not in back:
            continue
        beside = operator_pairs(task, tables)
        for state in back:
            own = sorted(state.intersection(facts))
            pairs = np.ix_(own, own)
            assert tables.forward[pairs].max() <= ahead[state]
            assert tables.backward[pairs].max() <= back[state]
            assert tables.earliest_beside([own], own[-1] + 1)[0, own].max() <= ahead[state]
            assert tables.steps_from(own) <= back[state]
            for number, op in enumerate(whole.operators[: len(task.operators)]):
                if state.issuperset(op.pre):
                    assert tables.earliest_layer[number] <= beside.earliest_layer[number, own].max() <= ahead[state]
                    child = apply(state, op)
                    if child in back:
                        assert (
                            max(tables.steps_to_goal[number], beside.steps_to_goal[number, own].max() - 1)
                            <= back[child]
                        )
    assert bounds == sorted(bounds)


@pytest.mark.parametrize("seed", [1866, 2222, 3774, 4934, 5810, 9254, 10234])
def test_free_cells_are_no_objects_of_compound_moves(seed: int) -> None:
    """A piece that goes two cells behind a door moves two free cells, in one move."""
    puzzle = load_text(sliding_block(seed).text)
    task, bounds = puzzle.task("moves"), list[int]()
    prepare_estimate(task, to_bitset_task(task), Budget(), bounds.append)
    optimum = cost_of(puzzle, "moves")
    assert optimum is not None
    assert max(bounds) <= optimum[0]


@pytest.mark.parametrize("order", [2, 3, 4])
def test_a_fact_beside_more_facts_than_a_set_has(order: int) -> None:
    task = load_text(rush_hour(0)).task("slides")
    tables, facts = hm_tables(task, order), range(len(task.facts))
    assert len(task.init) > order
    for op in task.operators:
        for known in (op.after, task.init):
            beside = tables.steps_beside([known], len(facts))[0]
            assert beside.tolist() == [tables.steps_from({*known, fact}) for fact in facts]


@pytest.mark.parametrize("seed", seeds(60))
@pytest.mark.parametrize("metric", ["slides", "steps"])
def test_tables_hold_on_random_rush_hour(seed: int, metric: str) -> None:
    check_tables(load_text(rush_hour(seed)).task(metric))


@pytest.mark.parametrize("seed", seeds(40))
@pytest.mark.parametrize("metric", ["moves", "slides", "steps"])
def test_tables_hold_on_random_sliding_blocks(seed: int, metric: str) -> None:
    try:
        task = load_text(sliding_block(seed, cells=9).text).task(metric)
    except PuzzleError:
        return
    check_tables(task)


@pytest.mark.parametrize("metric", ["pushes", "moves"])
@given(rows=levels(max_boxes=2))
@settings(max_examples=examples(30))
def test_tables_hold_on_random_sokoban(metric: str, rows: tuple[str, ...]) -> None:
    check_tables(load_text(text_of(list(rows))).task(metric))


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "metric", "order", "bound"),
    [
        ("bird-1", "slides", 2, 21),
        ("bird-1", "steps", 2, 28),
        ("bird-1", "steps", 3, 32),
        ("servais-93", "steps", 2, 25),
        ("servais-93", "steps", 3, 46),
        ("heng-dao-li-ma", "steps", 2, 7),
        ("heng-dao-li-ma", "steps", 3, 52),
        ("eight-31-a", "moves", 3, 21),
        ("microban-077", "pushes", 3, 40),
        ("microban-077", "pushes", 4, 55),
        ("microban-077", "moves", 3, 86),
        ("dads-puzzler", "steps", 4, 83),
        ("servais-93", "steps", 4, 82),
        ("heng-dao-li-ma", "steps", 4, 82),
        pytest.param("heng-dao-li-ma", "steps", 5, 109, marks=pytest.mark.slow),
        pytest.param("heng-dao-li-ma", "moves", 5, 81, marks=pytest.mark.slow),
    ],
)
def test_bounds_of_known_boards(name: str, metric: str, order: int, bound: int) -> None:
    assert hm_tables(load(name).task(metric), order).lower_bound == bound


def test_tables_are_symmetric() -> None:
    tables = hm_tables(load("bird-1").task("slides"))
    for values in (tables.forward, tables.backward):
        assert (values == values.T).all()


def test_triples_only_where_affordable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MAX_WORK, 3, 1000)
    assert hm_tables(load("bird-1").task("slides")).name == "h²"


def in_background(order: int = 5, pause: float = 0.0, fits: Callable[[int], bool] = lambda size: True) -> BackgroundHm:
    return BackgroundHm(load("bird-1").task("slides"), order, pause, fits)


@pytest.mark.weekly
def test_tables_become_deeper_beside_the_solver() -> None:
    """Triples first, if they are ready soon, then sets of four, and then no more."""
    work = in_background(order=4)
    work.wait(3, PATIENCE, lambda: False)
    first = work.take()
    assert first is not None
    orders = [first.order]
    until(lambda: work.ended)
    deepest = work.take()
    orders += [deepest.order] if deepest else []
    assert orders in ([3, 4], [4])
    assert work.take() is None


def test_tables_that_do_not_fit_into_memory_are_left_out() -> None:
    work = in_background(fits=lambda size: False)
    work.wait(3, PATIENCE, lambda: False)
    tables = work.take()
    assert tables is not None
    assert tables.order == 2
    work.stop()


def test_nobody_waits_for_layers_when_the_budget_is_over() -> None:
    work = in_background(pause=PATIENCE)
    work.wait(3, PATIENCE, lambda: True)
    work.stop()
    until(lambda: work.ended)


@pytest.mark.parametrize(("error", "raised"), [(MemoryError, False), (RuntimeError, True)])
def test_what_fails_beside_the_solver(error: type[Exception], raised: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without memory for deeper tables there are none; anything else is a bug, and is raised."""

    first = hm_tables(load("bird-1").task("slides"), 3)

    def rising(*arguments: object, **options: object) -> Iterator[HmTables]:
        yield first
        raise error

    monkeypatch.setattr(background_module, "rising_tables", rising)
    work = in_background()
    until(lambda: work.ended)
    if raised:
        with pytest.raises(error):
            work.take()
    else:
        tables = work.take()
        assert tables is not None
        assert tables.order == 3


@given(case=sokobans() | n_puzzles() | rush_hours())
@settings(max_examples=examples(40))
def test_objects_have_to_go_at_least_to_the_nearest_end(case: tuple[Puzzle, str]) -> None:
    puzzle, metric = case
    task, cost = puzzle.task(metric), cost_of(puzzle, metric)
    if cost is not None:
        assert root_value(task) <= cost_key(cost)


def test_two_boxes_go_to_the_nearest_goal_each() -> None:
    puzzle = load_text(text_of(["#########", "#@ $  . #", "#  $    #", "#     . #", "#########"]))
    assert cost_of_key(root_value(puzzle.task("pushes")), 1) == (3 + 4,)
