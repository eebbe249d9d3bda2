"""Search from both ends over actions as programs: substitutions and their inverses against the programs, and the engine
against breadth-first search and A*, on random definitions whose actions can be undone, and on some that cannot.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from _pytest.monkeypatch import MonkeyPatch
from budge import Status, UsageError, load, load_text, solve
from budge.analysis.inverse_programs import (
    BothWays,
    both_ways_of,
    goal_states_of,
)
from budge.analysis.program_machine import packed, program_tables, unpacked
from budge.analysis.program_projections import databases_of, patterns_of
from budge.engines.astar.engine import solve as a_star
from budge.engines.bfs.engine import solve as breadth_first
from budge.engines.bidirectional.engine import solve as bidirectional
from budge.engines.common.successor_generator import SuccessorGenerator, inverse_generator
from budge.engines.idastar.engine import solve as iterative_deepening
from budge.engines.table import ENGINES
from budge.models.families.custom.programs.task import programs
from budge.models.program import Machine, ProgramTask
from budge.models.puzzle import Puzzle
from budge.runtime.budget import Budget
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.program_tasks import undoable
from ..helpers.seeds import examples

State = tuple[int, ...]


def task_of(puzzle: Puzzle) -> ProgramTask:
    return replace(programs(puzzle.value, puzzle.metric(puzzle.header.metric)), name="test")


def replaced(task: ProgramTask, moves: SuccessorGenerator, number: int, state: State) -> State | None:
    """What a substitution makes of a state: the definition of `fits` and `change`."""
    tables = task.computed(program_tables)
    row, digits = packed(tables, state), [value - of.low for value, of in zip(state, task.variables, strict=True)]
    for case in np.flatnonzero(moves.action[:-1] == number).tolist():
        conditions = range(*moves.condition_first[case : case + 2].tolist())
        met = all(int(moves.allowed[i]) >> digits[moves.variable[i]] & 1 for i in conditions)
        if met and (row & moves.mask[case] == moves.value[case]).all():
            after = (row & moves.kept[case]) | moves.given[case]
            for i in range(*moves.effect_first[case : case + 2].tolist()):
                after[moves.target[i]] |= moves.entries[moves.address[i] + digits[moves.source[i]]]
            return unpacked(tables, after)
    return None


def ahead_of(task: ProgramTask, both_ways: BothWays) -> SuccessorGenerator:
    """The substitutions themselves, as what undoes their inverses."""
    return inverse_generator(task, replace(both_ways, ahead=both_ways.back, back=both_ways.ahead))


def check_substitutions(task: ProgramTask, both_ways: BothWays, states: list[State]) -> None:
    """Where an action applies, its substitution gives the state after it, and the inverse the state before."""
    machine = Machine(task)
    ahead, back = ahead_of(task, both_ways), inverse_generator(task, both_ways)
    for number, action in enumerate(task.actions):
        for state in states:
            after = machine.after(state, action)
            if after is None:
                assert not both_ways.total[number]
            else:
                assert replaced(task, ahead, number, state) == after
                assert replaced(task, back, number, after) == state


def reachable(task: ProgramTask, most: int) -> list[State]:
    machine, known = Machine(task), {task.init: None}
    waiting = [task.init]
    while waiting and len(known) < most:
        state = waiting.pop()
        for action in task.actions:
            after = machine.after(state, action)
            if after is not None and after not in known:
                known[after] = None
                waiting.append(after)
    return list(known)


def check(seed: int) -> str:
    """How a random definition ends: refused, solved, unsolvable; the engines agree."""
    text = undoable(seed)
    puzzle = load_text(text)
    task = task_of(puzzle)
    both_ways = both_ways_of(task)
    if isinstance(both_ways, str):
        return "refused"
    states = reachable(task, 200)
    check_substitutions(task, both_ways, states)
    goals = goal_states_of(task, 1000)
    assert goals is not None, text
    assert all(map(Machine(task).is_goal, goals))
    expected = breadth_first(task, Budget(60))
    found = bidirectional(task, Budget(60, 4096))
    assert (found.status, found.upper_bound) == (expected.status, expected.upper_bound), text
    if found.plan:
        assert puzzle.replay(found.plan).solved
    short = bidirectional(task, Budget(60, 0))  # no room: what is proven by then holds
    assert short.status is expected.status or short.stopped_by == "memory limit"
    assert short.lower_bound is None or expected.upper_bound is None or short.lower_bound <= expected.upper_bound
    for search in a_star, iterative_deepening:
        assert search(task, Budget(60)).upper_bound == expected.upper_bound, text
    return "unsolvable" if expected.status is Status.UNSOLVABLE else "solved"


@settings(max_examples=examples(40))
@given(st.integers(0, 10**9))
def test_random_definitions(seed: int) -> None:
    check(seed)


@pytest.mark.weekly
def test_most_random_definitions_say_something() -> None:
    found = [check(seed) for seed in range(25)]
    assert {"refused", "solved", "unsolvable"} == set(found)
    assert found.count("solved") > 4, found


@pytest.mark.slow
def test_many_random_definitions() -> None:
    for seed in range(3_000):
        check(seed)


def test_one_condition_over_all_variables_leaves_one_goal_state() -> None:
    task = task_of(load("custom/lights-out"))
    assert goal_states_of(task, 1) == [(0,) * 25]


def test_goal_states_are_those_of_all_choices_of_values() -> None:
    task = task_of(load("custom/pancakes-6"))
    states = goal_states_of(task, 1000)
    assert states == [state for state in reachable(task, 1000) if Machine(task).is_goal(state)]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("custom/labyrinth-4x4", "more than 1,000 states may be goals"),
        ("custom/missionaries-and-cannibals", "cannot be undone"),
        ("custom/bridge-and-torch", "every action must cost one"),
    ],
)
def test_reasons_against_it(name: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        bidirectional(task_of(load(name)), Budget(60))


@pytest.mark.parametrize("name", ["bird-2", "custom/burnt-pancakes-4"])
def test_operators_are_refused_with_the_form_that_is_needed(name: str) -> None:
    with pytest.raises(UsageError, match="needs actions that are kept as programs"):
        solve(load(name), "bidirectional")


CLICKS = """
format: 1
family: custom
name: Clicks
types: {place: 1..5}
state:
  lit: {of: place, in: bool, start: true}
actions:
  click:
    with: {p: place}
    when: lit[p]
    set:
      lit[x] for x in place: lit[x] and lit[1 + (x * p) % 5]
goal: not any(lit[p] for p in place)
"""


def test_what_cannot_be_undone_is_refused() -> None:
    task = task_of(load_text(CLICKS))
    assert "cannot be undone" in str(ENGINES["bidirectional"].refusal(task))


def test_an_engine_that_refuses_is_left_out_of_the_portfolio() -> None:
    found = solve(load("custom/ricochet-robots-moon"), "auto", time_limit=60)
    assert found.status is Status.OPTIMAL


def test_databases_are_distances_in_projections() -> None:
    """Of each pattern, against a search backward in plain Python over what the pattern sees of states."""
    for seed in range(30):
        task = task_of(load_text(undoable(seed)))
        both_ways, goals = both_ways_of(task), goal_states_of(task, 1000)
        if isinstance(both_ways, str) or goals is None:
            continue
        for most in 5, 60, 10_000:
            made = databases_of(task, both_ways, goals, most, Budget(60))
            assert made is not None
            for number, pattern in enumerate(patterns_of(task, both_ways, most)):
                expected = distances_by_search(both_ways, goals, pattern, task)
                first, last = made.first[number], made.first[number + 1]
                for seen in product(*(task.variables[v].values for v in pattern)):
                    digits = [value - task.variables[v].low for value, v in zip(seen, pattern, strict=True)]
                    place = int(made.strides[first:last] @ np.array(digits)) + made.offset[number]
                    assert made.distances[place] == expected.get(tuple(digits), 255)


def distances_by_search(
    both_ways: BothWays, goals: list[State], pattern: tuple[int, ...], task: ProgramTask
) -> dict[tuple[int, ...], int]:
    """The distance of each choice of values (minus the lowest) of a pattern from which a goal can be reached."""
    found = {tuple(goal[v] - task.variables[v].low for v in pattern): 0 for goal in goals}
    waiting = list(found)
    for after in waiting:
        for assignments in both_ways.back:
            seen = dict(zip(pattern, after, strict=True))
            before = tuple(assignments[v][1][seen[assignments[v][0]]] if v in assignments else seen[v] for v in pattern)
            if -1 not in before and before not in found:
                found[before] = found[after] + 1
                waiting.append(before)
    return found


@pytest.mark.weekly
def test_iterative_deepening_ends_where_there_is_no_plan() -> None:
    """Actions that can be undone go on forever; a round that meets only states that are known ends."""
    ended = 0
    for seed in range(200):
        task = task_of(load_text(undoable(seed)))
        if breadth_first(task, Budget(60)).status is Status.UNSOLVABLE:
            assert iterative_deepening(task, Budget(60)).status is Status.UNSOLVABLE
            ended += 1
    assert ended >= 3


@pytest.mark.weekly
@pytest.mark.parametrize("left_out", [None, "databases", "projections"])
def test_iterative_deepening_with_and_without_what_it_uses(left_out: str | None, monkeypatch: MonkeyPatch) -> None:
    monkeypatch.setattr("budge.engines.common.growing_bounds.DATABASES_AFTER", 0.0)
    monkeypatch.setattr("budge.engines.common.growing_bounds.SECONDS_A_STEP", 0.0)
    monkeypatch.setattr("budge.engines.common.growing_bounds.DATABASE_SIZES", (5, 60))
    for seed in range(40):
        text = undoable(seed)
        puzzle = load_text(text)
        task = task_of(puzzle)
        expected = breadth_first(task, Budget(60))
        if expected.upper_bound == (0,):
            continue  # there is nothing to do
        found = iterative_deepening(task, Budget(60), without=left_out)
        assert (found.status, found.upper_bound) == (expected.status, expected.upper_bound), text
        if expected.upper_bound and not isinstance(both_ways_of(task), str):
            assert ("databases" in found.stats) <= (left_out not in ("databases", "projections"))
        assert a_star(task, Budget(60), without=left_out).upper_bound == expected.upper_bound, text
