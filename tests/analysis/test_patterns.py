"""Pattern databases: never more than the true cost, exact where they hold the whole puzzle, and as defined."""

from __future__ import annotations

import pytest
from budge import load
from budge.analysis.bitset_task import cost_key, to_bitset_task
from budge.analysis.pattern_databases import (
    UNREACHED,
    Patterns,
    additive_patterns,
    no_patterns,
    partition,
    patterns_value,
)
from budge.analysis.successor_table import successor_table
from budge.analysis.transformed_tasks import with_explicit_walker
from budge.analysis.transition_graphs import transition_graphs
from budge.models.families import load_text
from budge.models.plan import apply
from budge.models.task import OperatorTask
from budge.runtime.budget import Budget

from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.reference import optimal


def texts(count: int) -> list[str]:
    return [text for seed in range(count) for text in (rush_hour(seed), sliding_block(seed).text, n_puzzle(seed))]


def value_by_definition(patterns: Patterns, facts: frozenset[int]) -> int:
    singles = [int(patterns.single[f]) for f in facts]
    entries = []
    for p, row in enumerate(patterns.masks.tolist()):
        members = [f for f in facts if row[f >> 6] >> (f & 63) & 1]
        entries.append(int(patterns.values[patterns.first[p] + sum(int(patterns.step[f]) for f in members)]))
    return -1 if -1 in singles or UNREACHED in entries else sum(singles) + sum(entries)


def value(task: OperatorTask, patterns: Patterns, facts: frozenset[int]) -> int:
    row = to_bitset_task(task).init.copy()
    row[:] = 0
    for fact in facts:
        row[fact >> 6] |= row.dtype.type(1 << (fact & 63))
    found = int(patterns_value(patterns, row))
    assert found == value_by_definition(patterns, facts)
    return found


@pytest.mark.weekly
@pytest.mark.parametrize("entries", [0, 50, 20_000])
def test_never_more_than_the_true_cost(entries: int) -> None:
    """Along a shortest plan no state's value is above what is left; a dead end has no plan."""
    for text in texts(25):
        puzzle = load_text(text)
        for metric in puzzle.metrics:
            task = puzzle.task(metric)
            found = optimal(task)
            patterns = additive_patterns(task, entries)
            state = frozenset(task.init)
            if found is None or task.compound_moves:
                at_most = -1 if found is None else found[0][0]
                assert found is None or 0 <= value(task, patterns, state) <= at_most
                continue
            (left,), plan = found
            assert 0 <= value(task, patterns, state) <= left
            for op in plan:
                state, left = apply(state, op), left - op.cost[0]
                assert 0 <= value(task, patterns, state) <= left
            assert value(task, patterns, state) == 0


@pytest.mark.weekly
def test_a_table_of_everything_is_exact() -> None:
    """Where one table holds all things, it is the true distance, and sees that there is no plan."""
    exact = 0
    for text in texts(40):
        puzzle = load_text(text)
        for metric in puzzle.metrics:
            task = puzzle.task(metric)
            found = transition_graphs(task)
            chosen = partition(task, found, 20_000)
            if len(chosen) != 1 or {t.group for t in chosen[0]} != {t.group for t in found.graphs}:
                continue
            if sum(thing.has_goal for thing in found.graphs) == 0:
                continue
            best = optimal(task)
            patterns = additive_patterns(task, 20_000)
            assert value(task, patterns, frozenset(task.init)) == (-1 if best is None else best[0][0]), text
            exact += 1
    assert exact > 30


@pytest.mark.parametrize("metric", ["pushes", "moves", "pushes,moves", "moves,pushes"])
def test_operators_that_move_several_things(metric: str) -> None:
    """A walker made a thing of its own: a push moves both, and its cost counts once."""
    puzzle = load("sokoban/microban-001")
    task = with_explicit_walker(puzzle.task(metric))
    assert not transition_graphs(task).apart
    found = optimal(task)
    assert found is not None
    patterns = additive_patterns(task, 1000)
    state, left = frozenset(task.init), cost_key(found[0])
    assert len(patterns.first) == 0
    for op in found[1]:
        assert 0 < value(task, patterns, state) <= left
        state, left = apply(state, op), left - cost_key(op.cost)
    assert value(task, patterns, state) == 0


def test_single_tiles_are_the_manhattan_distance() -> None:
    task = load("n_puzzle/korf-01").task("moves")
    assert value(task, additive_patterns(task), frozenset(task.init)) == 41
    assert value(task, no_patterns(task), frozenset(task.init)) == 0


@pytest.mark.weekly
def test_tables_of_the_fifteen_puzzle() -> None:
    """Three tables of five tiles; with all tables full, every tile is in one of them."""
    task = load("n_puzzle/korf-12").task("moves")
    patterns = additive_patterns(task, 1 << 20)
    assert len(patterns.first) == 3
    assert len(patterns.values) == 3 << 20
    single = value(task, additive_patterns(task), frozenset(task.init))
    assert single < value(task, patterns, frozenset(task.init)) <= 45


def test_a_spent_budget_leaves_tables_out() -> None:
    task = load("n_puzzle/korf-12").task("moves")
    patterns = additive_patterns(task, 1 << 20, Budget(0.0))
    assert len(patterns.first) == 0
    assert value(task, patterns, frozenset(task.init)) == value(task, additive_patterns(task), frozenset(task.init))


@pytest.mark.parametrize("name", ["n_puzzle/five-21", "n_puzzle/eight-10", "n_puzzle/equal-tiles", "n_puzzle/line-4"])
def test_looked_up_operators_are_those_that_apply(name: str) -> None:
    """In every state reached, the branches give the applicable operators but for the one that undoes the last."""
    task = load(name).task("moves")
    space = successor_table(task)
    assert space is not None
    root = len(task.operators)
    queue = [(frozenset(task.init), root, space.start.tolist())]
    seen = {(frozenset(task.init), root)}
    for state, last, values in queue:
        branches = range(space.first[last], space.first[last + 1])
        found = {int(space.table[space.offset[b] + values[space.variable[b]]]) for b in branches} - {-1}
        applicable = {n for n, op in enumerate(task.operators) if state.issuperset(op.pre)}
        assert found <= applicable
        for n in applicable - found:
            before = task.operators[last]
            assert (before.add, before.delete) == (task.operators[n].delete, task.operators[n].add)
        for n in sorted(found):
            after = list(values)
            for variable, new, old in zip(space.changed[n], space.new[n], space.old[n], strict=True):
                assert after[variable] in (old, new)
                after[variable] = int(new)
            child = apply(state, task.operators[n])
            if (child, n) not in seen and len(seen) < 400:
                seen.add((child, n))
                queue.append((child, n, after))
        met = all(values[variable] == wanted for variable, wanted in space.goal.tolist())
        assert met == task.holds(state)


def test_tasks_that_cannot_be_looked_up() -> None:
    assert successor_table(load("rush_hour/bird-1").task("steps")) is None
    assert successor_table(load("klotski/heng-dao-li-ma").task("moves")) is None
    assert successor_table(load("sokoban/microban-001").task("moves")) is None
