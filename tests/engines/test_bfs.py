"""Breadth-first search over short keys: against the definition, against the search over plain bit sets, its limits."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from budge import Budget, PuzzleError, Status, load, load_text
from budge.engines.bfs.engine import _long_layers
from budge.engines.bfs.engine import solve as breadth_first
from budge.engines.bfs.fdr_key import to_fdr_task
from budge.engines.bfs.fdr_store import FdrStore
from budge.models.plan import apply
from budge.models.task import Operator, OperatorTask
from budge.runtime.outcome import Recorder
from budge.workflows.solving import solve
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.random_boards import crowded, n_puzzle, rush_hour, sliding_block
from ..helpers.reference import optimal
from ..helpers.seeds import examples
from ..helpers.sokoban_levels import levels, text_of

NAMED = [
    ("servais-93", "steps"),
    ("servais-93", "slides"),
    ("klotski/heng-dao-li-ma", "steps"),
    ("equal-tiles", "moves"),
    ("eight-20", "moves"),
    ("microban-005", "pushes"),
]


def whole_space(task: OperatorTask) -> FdrStore:
    task = replace(task, goal=((),))  # no state is a goal
    short = to_fdr_task(task)
    assert short is not None
    store = FdrStore(task, short)
    while store.expanded < store.count:
        assert store.search() == -1
        assert store.grow(Budget())
    return store


def after(task: OperatorTask, operators: list[Operator]) -> frozenset[int]:
    """The state after operators, each of which applies."""
    state = frozenset(task.init)
    for op in operators:
        assert state.issuperset(op.pre)
        state = apply(state, op)
    return state


def reachable(task: OperatorTask) -> set[frozenset[int]]:
    """The states by the definition, for a task without a walker."""
    start = frozenset(task.init)
    seen, waiting = {start}, [start]
    while waiting:
        state = waiting.pop()
        for op in task.operators:
            if state.issuperset(op.pre):
                child = apply(state, op)
                if child not in seen:
                    seen.add(child)
                    waiting.append(child)
    return seen


@given(seed=st.integers(0, 10**9), kind=st.sampled_from(["rush", "block", "tiles"]))
@settings(max_examples=examples(60))
def test_the_states_are_those_of_the_definition(seed: int, kind: str) -> None:
    if kind == "block":
        try:
            task = load_text(sliding_block(seed, cells=8).text).task("steps")
        except Exception:  # a goal piece that may not move, for example
            return
    else:
        text, metric = (rush_hour(seed), "slides") if kind == "rush" else (n_puzzle(seed), "moves")
        task = load_text(text).task(metric)
    if to_fdr_task(task) is None:  # nothing to move, or a thing whose places are decided by another
        return
    store = whole_space(task)
    states = [after(task, store.plan_to(i)) for i in range(store.count)]
    assert len(set(states)) == len(states)
    assert set(states) == reachable(task)


@pytest.mark.parametrize(("name", "metric"), NAMED)
def test_states_and_layers_are_those_of_the_search_over_bit_sets(name: str, metric: str) -> None:
    task = load(name).task(metric)
    store = whole_space(task)
    impossible = replace(task, goal=((),))
    outcome = _long_layers(impossible, Recorder(Budget()))
    assert outcome.status is Status.UNSOLVABLE
    assert outcome.stats["states"] == store.count
    assert outcome.stats["layers"] == len(store.layers) - 1


def test_known_numbers_of_states() -> None:
    store = whole_space(load("klotski/heng-dao-li-ma").task("steps"))
    assert (store.count, store.arrays.words) == (25_955, 1)
    store = whole_space(load("servais-93").task("steps"))
    assert (store.count, store.arrays.words) == (24_132, 1)


def test_the_way_to_any_state() -> None:
    """Parents are not stored: they are found again."""
    rng = random.Random(1)
    for name, metric in NAMED:
        task = load(name).task(metric)
        if task.walker:
            continue
        store = whole_space(task)
        for index in rng.sample(range(store.count), 5):
            operators = store.plan_to(index)
            after(task, operators)
            depth = next(d for d, end in enumerate(store.layers) if index < end)
            assert len(operators) == depth


@given(rows=levels())
@settings(max_examples=examples(60))
def test_sokoban_agrees_with_the_definition(rows: tuple[str, ...]) -> None:
    puzzle = load_text(text_of(list(rows)))
    expected = optimal(puzzle.task("pushes"))
    found = solve(puzzle, "bfs", "pushes")
    assert found.outcome.upper_bound == (expected and expected[0])
    assert found.outcome.status is (Status.OPTIMAL if expected else Status.UNSOLVABLE)


@pytest.mark.parametrize("words", [1, 2])
def test_keys_of_one_and_two_words(words: int) -> None:
    """A vehicle of two cells in a row of six takes three bits."""
    letters = iter("BCDEFGHIJKLMNOPQRSTUVW")
    rows = 8 if words == 1 else 12
    board = "  AA....\n" + "".join("  {0}{0}..{1}{1}\n".format(next(letters), next(letters)) for _ in range(1, rows))
    puzzle = load_text(f"format: 1\nfamily: rush-hour\nboard: |\n{board}goal: {{piece: A, exit: right}}\n")
    short = to_fdr_task(puzzle.task("slides"))
    assert short is not None
    assert short.words == words
    assert short.derived_words == words
    assert solve(puzzle, "bfs", "slides").cost == 1


def test_an_operator_that_needs_more_free_cells_than_there_are() -> None:
    """A slide over two cells where one cell is free: what it requires excludes each other, and no key has it."""
    text = "format: 1\nfamily: rush-hour\nboard: |\n  AAB.\n  ..B.\n  ..B.\ngoal: {piece: A, exit: right}\n"
    task = load_text(text.replace("..B.", "##B#")).task("slides")
    assert optimal(task) is None
    assert breadth_first(task, Budget()).status is Status.UNSOLVABLE
    task = load_text(text).task("slides")
    assert optimal(task) is None
    assert breadth_first(task, Budget()).status is Status.UNSOLVABLE


@given(seed=st.integers(0, 10**9), kind=st.sampled_from(["rush", "block"]))
@settings(max_examples=examples(150))
def test_crowded_boards_agree_with_the_definition(seed: int, kind: str) -> None:
    """Only one or two cells are free."""
    text = rush_hour(seed) if kind == "rush" else sliding_block(seed, cells=12).text
    try:
        puzzle = load_text(crowded(text, seed))
    except PuzzleError:  # a goal under a wall, for example
        return
    for metric in ("steps", "slides"):
        expected = optimal(puzzle.task(metric))
        outcome = breadth_first(puzzle.task(metric), Budget())
        assert outcome.upper_bound == (expected and expected[0])
        assert outcome.status is (Status.OPTIMAL if expected else Status.UNSOLVABLE)


def test_memory_limit_is_kept_and_leaves_the_bound() -> None:
    task = load("eight-31-a").task("moves")
    outcome = breadth_first(task, Budget(memory_mib=1))
    assert outcome.status is Status.UNKNOWN
    assert outcome.stopped_by == "memory limit"
    assert outcome.lower_bound is not None
    assert 1 < outcome.lower_bound[0] < 31
    short = to_fdr_task(task)
    assert short is not None
    store = FdrStore(task, short)
    while store.grow(Budget(memory_mib=1)):
        store.search()
    held = sum(array.nbytes for array in (store.states.keys, store.states.table, store.states.marks))
    assert 0.6 * 2**20 < held <= 2**20


def test_the_example_of_the_documentation() -> None:
    """`fdr_key` explains the packing by this board."""
    board = "".join(f"  {row}\n" for row in ("AA.B", "...B", "....", "...."))
    text = f"format: 1\nfamily: rush-hour\nboard: |\n{board}goal: {{piece: A, exit: right}}\n"
    arrays = to_fdr_task(load_text(text).task("steps"))
    assert arrays
    assert arrays.field.tolist() == [[0, 0, 128], [0, 2, 132]]
    assert arrays.field_mask.tolist() == [3, 3]
    assert (arrays.init[0], arrays.base[0]) == (0, 0b1111111)
    assert (arrays.cover[128, 0], arrays.cover[132, 0]) == (0b0000011, 0b0011000)
    assert arrays.rows[arrays.first[128], [0, 2, 4]].tolist() == [0b0000100, 0b01, 0b0000101]
