"""Actions as conditions and conditional effects: held against the programs, and as PDDL by another reader."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from budge import PuzzleError, Verdict, load, load_text, solve, verify
from budge.analysis.conditional_effects import (
    Condition,
    ConditionalAction,
    ConditionalEffects,
    TooManyCasesError,
    conditional_effects,
)
from budge.cli import main
from budge.encoders.exports.pddl import exported, to_pddl
from budge.models.errors import GroundingError
from budge.models.program import Machine, ProgramTask
from budge.models.puzzle import Puzzle
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ..helpers.fast_downward import fast_downward
from ..helpers.pddl_reading import Atoms, PddlTask, holds
from ..helpers.program_tasks import task_of
from ..helpers.random_definitions import Definitions
from ..helpers.seeds import examples

State = tuple[int, ...]

SHIPPED = [
    *("ball-sort", "burnt-pancakes-4", "jugs-8-5-3", "labyrinth-4x4", "lights-out", "loopover-3x3"),
    *("missionaries-and-cannibals", "pancakes-6", "pocket-cube", "rubiks-cube-2x2x2", "rubiks-cube-six-spots"),
    *("snake-5", "topspin", "wolf-goat-cabbage"),
]

SNAKE = """\
family: snake.family.yaml
types:
  link: 1..3
grid: |
  #####
  #...#
  #.#.#
  #..E#
  #####
start:
  at: [r2c2, r2c3, r2c4]
"""
LOOPOVER = """\
family: loopover.family.yaml
types:
  line: 0..1
  column: 0..2
  tile: 1..6
start:
  at: {0: [2, 6, 1], 1: [4, 5, 3]}
"""
BALL_SORT = """\
family: ball-sort.family.yaml
types:
  tube: 1..3
  slot: 1..2
  colour: [none, red, green]
start:
  ball:
    1: [red, green]
    2: [green, red]
    others: none
"""
LABYRINTH = """\
family: labyrinth.family.yaml
types:
  line: 1..2
constants:
  size: 2
grid: |
  ┌┐
  └┼
"""
PRICES = """\
family: custom
types:
  lamp: 1..4
state:
  lit: {of: lamp}
  n: {in: 0..3, start: 0}
actions:
  turn:
    with: {x: lamp}
    set:
      lit[y] for y in lamp if y <= x: not lit[y]
      n: min(n + 1, 3) if lit[x] else n
    cost: x
  wait:
    when: count(lit) == 2 or n >= 2
    set:
      n: 3 - n
    cost: 0
goal:
  - lit[4] or n == 3
  - count(lit) == 2
"""
BOARDS = [SNAKE, LOOPOVER, BALL_SORT, LABYRINTH, PRICES]


def of_text(text: str) -> Puzzle:
    return load_text("format: 1\n" + text)


def met(condition: Condition, places: State) -> bool:
    return all(places[variable] in allowed for variable, allowed in condition)


def applied(one: ConditionalAction, places: State) -> State | None:
    """What an action leads to by its conditional effects; what is lost must be what changes."""
    cases = [case for case in one.cases if met(case.condition, places)]
    assert len(cases) <= 1
    if not cases:
        return None
    effects = [effect for effect in cases[0].effects if met(effect.condition, places)]
    gained = {gain for effect in effects for gain in effect.gains}
    lost = {loss for effect in effects for loss in effect.losses}
    after = dict(enumerate(places)) | dict(gained)
    assert len(dict(gained)) == len(gained)
    assert {(v, place) for v, place in enumerate(places) if after[v] != place} == lost & set(enumerate(places))
    return tuple(after.values())


def agree(task: ProgramTask, number: int) -> None:
    """Effects and programs lead to the same states, on a random walk, and where no rule has to hold, from any state."""
    view, machine, rng = conditional_effects(task), Machine(task), random.Random(1)
    values = [variable.values for variable in task.variables]
    anywhere = not any(after_apply_asks(task, action.entry) for action in task.actions)
    state = task.init
    for _ in range(number):
        places = tuple(known.index(value) for known, value in zip(values, state, strict=True))
        successors = []
        for one in view.actions:
            expected, found = machine.after(state, one.action), applied(one, places)
            assert (found and tuple(known[p] for known, p in zip(values, found, strict=True))) == expected
            successors += [expected] if expected else []
        if not task.unsolvable_because:
            assert all(any(met(way, places) for way in clause) for clause in view.goal) == machine.is_goal(state)
        if anywhere and rng.random() < 0.5:
            state = tuple(rng.choice(known) for known in values)
        else:
            state = rng.choice(successors) if successors else task.init


def after_apply_asks(task: ProgramTask, at: int) -> bool:
    """Whether a program asks something of the state that it leads to."""
    from budge.models.program import APPLY, DONE

    while task.code[at][0] != APPLY:
        at += 1
    return task.code[at + 1][0] != DONE


@pytest.mark.weekly
@pytest.mark.parametrize("name", SHIPPED)
def test_effects_of_shipped_puzzles(name: str) -> None:
    agree(task_of(load(f"custom/{name}")), 20)


def check(seed: int) -> str:
    try:
        task = task_of(load_text(Definitions(seed).text()))
    except (PuzzleError, GroundingError):
        return "rejected"
    try:
        agree(task, 20)
    except TooManyCasesError:
        return "too many"
    return "agree"


@settings(max_examples=examples(60, 8))
@given(st.integers(0, 10**9))
@example(1037)  # a slide begins where another one ends: its values have to be known, or conditions grow without end
@example(4717)  # all parts of a condition were numbers, and it was not computed
def test_effects_of_random_definitions(seed: int) -> None:
    check(seed)


@pytest.mark.weekly
def test_most_random_definitions_have_effects() -> None:
    found = [check(seed) for seed in range(12)]
    assert found.count("agree") > 3, found


@pytest.mark.slow
def test_effects_of_many_random_definitions() -> None:
    for seed in range(3_000):
        check(seed)


def test_cases_are_told_apart_only_where_needed() -> None:
    """A turn of a face is one case; a labyrinth's step one for each cell where the robot can be."""
    turns = conditional_effects(task_of(load("custom/rubiks-cube-2x2x2")))
    assert [len(one.cases) for one in turns.actions] == [1] * 6
    steps = conditional_effects(task_of(load("custom/labyrinth-4x4")))
    assert [len(one.cases) for one in steps.actions if one.action.name.startswith("walk")] == [12] * 4


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["flood-4x4", "slitherlink-3x3", "folding-9"])
def test_what_tells_too_many_cases_apart_is_refused(name: str) -> None:
    with pytest.raises(TooManyCasesError, match="tells too many cases apart"):
        conditional_effects(task_of(load(f"custom/{name}")))


# PDDL


def by_search(task: ProgramTask) -> tuple[int | None, int]:
    """The least cost of a plan, and the number of reachable states, by running the programs."""
    machine, best = Machine(task), None
    cost, waiting = {task.init: 0}, [task.init]
    while waiting:
        waiting.sort(key=cost.__getitem__, reverse=True)
        state = waiting.pop()
        if best is None and machine.is_goal(state):
            best = cost[state]
        for action in task.actions:
            after = machine.after(state, action)
            if after is not None and cost[state] + action.cost[0] < cost.get(after, 1 << 60):
                waiting += [] if after in cost and after in waiting else [after]
                cost[after] = cost[state] + action.cost[0]
    return best, len(cost)


@pytest.mark.weekly
@pytest.mark.parametrize("text", BOARDS)
def test_pddl_has_the_same_states_and_the_same_optimum(text: str) -> None:
    task = task_of(of_text(text))
    pddl = PddlTask(*to_pddl(conditional_effects(task)))
    best, states = pddl.solve()
    playing = {frozenset(atom for atom in state if atom[0] == "is") for state in states}
    assert (best, len(playing)) == by_search(task)
    assert best is not None
    for state in playing:  # each variable has one value
        assert len(state) == len(task.variables) == len({atom[1] for atom in state})


def pddl_plan(view: ConditionalEffects, pddl: PddlTask, puzzle: Puzzle, engine: str) -> tuple[list[str], Atoms]:
    """Budge's plan as actions of the exported domain, and the state to which they lead."""
    solution = solve(puzzle, engine)
    assert solution.plan
    machine, exports = Machine(view.task), exported(view).actions
    found, state, atoms = [], view.task.init, pddl.init
    for move in solution.plan.moves:
        for one in view.actions:
            cases = [export.name for export in exports if export.source is one.action]
            after = machine.after(state, one.action)
            if after is not None and one.action.move(machine.registers) == move:
                ((name, (atoms, _)),) = [(name, a) for name in cases if (a := pddl.after(atoms, name))]
                found.append(name)
                state = after
                break
        else:
            raise AssertionError(move)
    return found, atoms


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("name", "engine"),
    [
        ("ball-sort", "astar"),
        ("labyrinth-4x4", "astar"),
        ("loopover-3x3", "bidirectional"),
        ("rubiks-cube-2x2x2", "bidirectional"),
        ("snake-5", "bfs"),
    ],
)
def test_a_plan_of_budge_in_the_exported_domain_and_back(name: str, engine: str, tmp_path: Path) -> None:
    puzzle = load(f"custom/{name}")
    assert main(["export", f"custom/{name}", "--to", "pddl", "--quiet", "--out", str(tmp_path)]) == 0
    pddl = PddlTask(*((tmp_path / f"{name}-{part}.pddl").read_text() for part in ("domain", "problem")))
    assert ":conditional-effects" in pddl.requirements
    view = conditional_effects(replace(task_of(puzzle), name=puzzle.header.name))
    names, atoms = pddl_plan(view, pddl, puzzle, engine)
    for way in (n for n in pddl.actions if n.startswith("reached-goal")):
        after = pddl.after(atoms | {("playing",)}, way)
        atoms = after[0] if after else atoms
    assert holds(pddl.goal, atoms)
    (tmp_path / "plan").write_text("".join(f"({one})\n" for one in names))
    assert main(["verify", f"custom/{name}", "--plan", str(tmp_path / "plan"), "--engines", "none"]) == 0


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["loopover-3x3", "snake-5", "ice-maze"])
def test_fast_downward_reads_conditional_effects(name: str, tmp_path: Path) -> None:
    puzzle = load(f"custom/{name}")
    view = conditional_effects(replace(task_of(puzzle), name=puzzle.header.name))
    found = fast_downward(*to_pddl(view), tmp_path, "astar(blind())")
    assert found is not None
    assert (found,) == puzzle.header.expect.costs["moves"]
    verified = verify(puzzle, (tmp_path / "plan").read_text(), (found,), (), "moves")
    assert (verified.problem, verified.verdict) == (None, Verdict.VALID)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("(crawl-sideways)", "line 1: the export has no action `crawl-sideways`"),
        ("; nothing\n(crawl-left-case-1)\n(crawl-left-case-1)", "line 2: `crawl-left-case-1` is not possible there"),
    ],
)
def test_wrong_plans_are_told(plan: str, words: str) -> None:
    found = verify(load("custom/snake-5"), plan, engines=())
    assert found.verdict is Verdict.INVALID
    assert found.problem
    assert words in found.problem


@pytest.mark.weekly
def test_what_cannot_be_exported_says_why(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budge.analysis.conditional_effects.MOST_STEPS", 10_000)
    assert main(["export", "custom/flood-4x4", "--to", "pddl", "--quiet"]) == 2
    words = capsys.readouterr().err
    assert "cannot be enumerated" in words
    assert "the action flood(red) tells too many cases apart" in words
