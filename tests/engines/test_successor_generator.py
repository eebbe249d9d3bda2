"""The successor generator of programs gives the children that the definition says, and runs few programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from budge import Budget, PuzzleError, load, load_text
from budge.analysis.program_machine import packed, program_tables, unpacked
from budge.engines.bfs.engine import solve as breadth_first
from budge.engines.common.state_space import ProgramSpace
from budge.engines.common.successor_generator import simple_generator, successor_generator
from budge.engines.common.successors import Form, is_goal, program_form, quicker_form, successors
from budge.models.errors import GroundingError
from budge.models.program import ProgramTask
from budge.models.task import Task
from budge.runtime.kernel_calls import njit
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.program_tasks import task_of, undoable
from ..helpers.random_definitions import Definitions
from ..helpers.seeds import examples

MOST = 100
"""States of a task that are looked at."""


@njit()
def written(form: Form, row: Any) -> tuple[int, bool]:
    """The generator can be called from kernels only."""
    at_goal = is_goal(form, row)
    return successors(form, row), at_goal


def check(task: ProgramTask) -> None:
    """The children of the first states, and which of them are goals."""
    space, tables = ProgramSpace(task), task.computed(program_tables)
    seen, queue = {space.start}, [space.start]
    for state in queue:
        expected = sorted((task.actions.index(action), after) for action, _, after in space.steps(state))
        for generator in (simple_generator, successor_generator):
            form = program_form(task, task.computed(generator))
            count, at_goal = written(form, packed(tables, state))
            rows, steps = form.work.rows[:count], form.work.steps[:count].tolist()
            assert sorted(zip(steps, (unpacked(tables, row) for row in rows), strict=True)) == expected
            assert at_goal == space.is_goal(state)
        new = {after for _, after in expected} - seen if len(seen) < MOST else set()
        seen |= new
        queue += sorted(new)


NAMES = ["custom/klotski", "custom/rush-hour", "labyrinth-4x4", "reves-puzzle", "blocks-world", "snake-5", "ball-sort"]


@pytest.mark.parametrize("name", NAMES)
def test_children_are_those_of_the_definition(name: str) -> None:
    check(task_of(load(name)).told_apart)


@settings(max_examples=examples(60))
@given(st.integers(0, 10**9))
def test_random_definitions(seed: int) -> None:
    for text in (Definitions(seed).text(), undoable(seed)):
        try:
            task = task_of(load_text(text))
        except (PuzzleError, GroundingError):
            continue
        if task.actions:
            check(task.told_apart)


def test_which_programs_need_not_be_run() -> None:
    """All actions of boards and of turns say by one variable at a time what they ask and do; a snake must not bite."""
    whole = {name: successor_generator(task_of(load(name))).whole for name in ("custom/klotski", "labyrinth-4x4")}
    assert [int(np.sum(of == 0)) for of in whole.values()] == [0, 0]
    turns = successor_generator(task_of(load("rubiks-cube-2x2x2")))
    assert turns.whole.all()
    assert not successor_generator(task_of(load("snake-5"))).whole[:-1].any()


def test_few_lists_are_looked_at() -> None:
    """Of the hundred variables of a Klotski the twenty free cells, of which two are true, are watched."""
    generator = successor_generator(task_of(load("custom/klotski")))
    assert len(generator.watched) == 20


def test_a_long_search_takes_the_quicker_form(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []

    def noted(task: Task) -> Form:
        taken.append(task)
        return quicker_form(task)

    monkeypatch.setattr("budge.engines.common.store.LONG", 50)
    monkeypatch.setattr("budge.engines.common.store.quicker_form", noted)
    found = breadth_first(task_of(load("peg-solitaire-4x4")), Budget())
    assert found.upper_bound == (14,)
    assert len(taken) == 1
