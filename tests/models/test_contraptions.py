"""Interpreter, checker, programs and operators on random contraptions: the same successors, and the same optimum from
every engine as from a search written apart, over the checker's rules.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from budge import Budget, Puzzle, PuzzleError, Status, UsageError, load_text
from budge.engines.table import ENGINES
from budge.models.errors import GroundingError, ReplayError
from budge.models.families.custom.grounding import ground
from budge.models.families.custom.language.expressions import text_of
from budge.models.families.custom.programs.task import ProgramWriter
from budge.models.families.custom.puzzle import Act
from budge.models.families.custom.rules import CustomSimulator
from budge.models.moves import Cost
from budge.models.program import Machine, ProgramTask
from budge.models.task import OperatorTask, Task
from budge.proofs.core.limits import Unsupported
from budge.workflows.certifying import canonical
from budge.workflows.solving import solve
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.contraption_games import EFFORT, Oracle, State, contraption, game_of, oracle
from ..helpers.patience import PATIENCE, SLOWER
from ..helpers.two_readers import differ

Successors = dict[str, tuple[State, Cost]]
"""By the text of an action: the state that it leads to, and what it costs."""


LONGEST = 7
"""The cost up to which CP-SAT is asked for the optimum; beyond, and where there is no plan, it refutes a few steps."""

SECONDS = 10.0 * SLOWER
"""What an engine has for one contraption; one that needs more is not compared."""

NUMBER = int(os.environ.get("BUDGE_CONTRAPTIONS", "5000"))
"""How many contraptions the slow test looks at."""


def by_the_interpreter(puzzle: Puzzle, state: Mapping[Any, Any], metric: str) -> Successors:
    """What each possible action leads to, and costs."""
    game, found = CustomSimulator(puzzle.value), {}
    for action in puzzle.value.actions.values():
        for values in product(*(domain.values for _, domain in action.parameters)):
            names = dict(zip((name for name, _ in action.parameters), values, strict=True))
            game.state, game.costs = dict(state), dict.fromkeys(game.costs, 0)
            with suppress(ReplayError):
                after = game.state | game.changes(action, names)
                game._pay(action, names)
                cost = tuple(game.costs[part] for part in metric.split(","))
                found[str(Act(action.name, tuple(map(text_of, values))))] = tuple(after.values()), cost
    return found


def compare_successors(puzzle: Puzzle, truth: Oracle, writer: ProgramWriter, task: ProgramTask | None) -> None:
    """Hold what checker, interpreter and programs say of some states against each other."""
    game, code, machine = truth.game, writer.numbers.of, Machine(task) if task else None
    for state in random.Random(1).sample(list(truth.costs), min(6, len(truth.costs))):
        reached = {name: (game.after(act, state), act) for name, act in game.acts.items()}
        found = {name: (after, game.price(act, state)) for name, (after, act) in reached.items() if after}
        assert found == by_the_interpreter(puzzle, dict(zip(puzzle.value.start(), state, strict=True)), game.metric)
        if task is None or machine is None:
            continue
        values = tuple(map(code, state))
        assert machine.is_goal(values) == game.solved(state)
        programs: Successors = {}
        for action in task.actions:
            if (then := machine.after(values, action)) is not None:
                move = str(action.move(machine.registers))
                assert move not in programs
                programs[move] = then, action.cost
        assert programs == {name: (tuple(map(code, after)), cost) for name, (after, cost) in found.items()}


def compare_operators(puzzle: Puzzle, metric: str, task: OperatorTask) -> None:
    """Play at random with operators: each is an action that the rules allow, at its cost, and goals are the same."""
    if task.walker or task.unsolvable_because:
        return
    rng, state, now = random.Random(2), set(task.init), dict(puzzle.value.start())
    game = CustomSimulator(puzzle.value)
    for _ in range(12):
        game.state = dict(now)
        assert task.holds(state) == game.solved or not task.operators
        possible = by_the_interpreter(puzzle, now, metric)
        applicable = [op for op in task.operators if state.issuperset(op.pre)]
        for op in applicable:
            assert possible[str(op.move)][1] == op.cost
        if not applicable:
            return
        op = rng.choice(applicable)
        state = (state - set(op.delete)) | set(op.add)
        now = dict(zip(now, possible[str(op.move)][0], strict=True))


def answers(puzzle: Puzzle, task: Task, optimum: Cost | None) -> Iterator[str]:
    """The engines that solve a task in this form, each held against the optimum."""
    for engine in ENGINES.values():
        if not engine.runs(task) or engine.name in ("auto", "csp"):
            continue
        bounded = engine.name == "cp-sat" and (optimum is None or sum(optimum) > LONGEST)
        options: dict[str, Any] = {"horizon_limit": 3} if bounded else {}
        try:
            found = engine.run(task, Budget(SECONDS), **options)
        except UsageError:
            continue
        said = f"{engine.name}: {found.status.value}, {found.lower_bound} to {found.upper_bound}, not {optimum}"
        if optimum is None:
            assert found.plan is None, said
        else:
            assert found.status is not Status.UNSOLVABLE, said
            assert found.lower_bound is None or found.lower_bound <= optimum, said
            assert found.upper_bound is None or found.upper_bound >= optimum, said
        if found.plan is not None:
            assert puzzle.replay(found.plan).solved, said
        if found.status.proven:
            yield engine.name
        elif found.stopped_by != "time limit":  # cp-sat proves no optimum where steps differ in cost
            assert bounded or not engine.promises_optimum or (engine.name == "cp-sat" and not task.uniform), said


def check(seed: int, *, auto: bool = False) -> str:
    """What came of a random contraption, and which engines answered."""
    text = contraption(seed)
    try:
        return compare(seed, text, auto)
    except Exception as error:
        error.add_note(f"seed {seed}\n{text}")
        raise


def compare(seed: int, text: str, auto: bool) -> str:
    try:
        puzzle = load_text(text)
    except PuzzleError:
        return "rejected"
    metric = random.Random(seed).choice(puzzle.metrics)
    counted = puzzle.metric(metric)
    try:
        assert not differ(canonical(puzzle), puzzle)
        truth = oracle(game_of(text, metric))
        if truth and len(puzzle.metrics) > 1:
            oracle(game_of(text, puzzle.metrics[-1]))
    except Unsupported:  # a cost that is none, in some metric
        return "rejected"
    if truth is None:
        return "large"
    writer, task = ProgramWriter(puzzle.value, counted), None
    with suppress(GroundingError):
        task = replace(writer.task(), name="test")
    compare_successors(puzzle, truth, writer, task)
    found = [f"{name} on programs" for name in answers(puzzle, task, truth.optimum)] if task else []
    with suppress(GroundingError):
        operators = ground(puzzle.value, counted, EFFORT)
        operators.validate()
        compare_operators(puzzle, metric, operators)
        found += [f"{name} on operators" for name in answers(puzzle, operators, truth.optimum)]
    if auto and found:
        solution = solve(puzzle, "auto", metric, Budget(PATIENCE))
        assert solution.status is (Status.UNSOLVABLE if truth.optimum is None else Status.OPTIMAL)
        assert solution.outcome.upper_bound == truth.optimum
        found.append("auto")
    return f"{'unsolvable' if truth.optimum is None else 'solved'}: {', '.join(found)}"


@pytest.mark.weekly
@settings(max_examples=10)
@given(st.integers(0, 10**9))
def test_contraptions(seed: int) -> None:
    check(seed)


@pytest.mark.weekly
def test_most_contraptions_say_something() -> None:
    found = [check(seed) for seed in range(10)]
    assert sum(one.startswith("solved") for one in found) > 3, found
    for engine in ("bfs on programs", "bfs on operators", "astar on programs", "cp-sat on operators"):
        assert any(engine in one for one in found), found


@pytest.mark.slow
def test_many_contraptions() -> None:
    for seed in range(NUMBER):
        check(seed, auto=seed % 10 == 0)
