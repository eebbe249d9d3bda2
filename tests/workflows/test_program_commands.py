"""What commands do with puzzles whose actions are programs: the same as with operators, where both can be had."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from budge import Budget, Status, explain, explore, hint, load, load_text, solve, verify
from budge.engines.common import reachable
from budge.engines.common.plain_reachable import PlainStates
from budge.engines.table import find
from budge.lab.makers import PlayMaker, maker_for
from budge.models.documents.fields import Header
from budge.models.documents.write import to_yaml
from budge.models.program import ProgramTask
from budge.models.puzzle import Puzzle
from budge.runtime.events import silent
from budge.workflows import exploration
from budge.workflows.explaining import FindingKind
from budge.workflows.verdict import Verdict

from ..helpers.patience import PATIENCE

BOTH = ["atomix-water", "lunar-lockout-1", "lunar-lockout-39", "missionaries-and-cannibals", "pancakes-6", "topspin"]
"""Shipped puzzles whose actions are kept as programs, and whose operators can be enumerated."""

RINGS = """\
format: 1
family: custom
types:
  line: 0..2
  tile: 0..8
state:
  at: {of: [line, line], in: tile, start: [[1, 2, 0], [3, 4, 5], [6, 7, 8]]}
actions:
  turn_row:
    with: {k: line, t: 1..2}
    set:
      at[k, j] for j in line: at[k, (j + t) % 3]
  turn_column:
    with: {k: line, t: 1..2}
    set:
      at[i, k] for i in line: at[(i + t) % 3, k]
goal: all(at[i, j] == 3 * i + j for i in line for j in line)
"""
"""Nine tiles in rows and columns that turn."""

PANCAKES = """\
format: 1
family: custom
types:
  place: 1..6
  flag: 0..1
state:
  stack: {of: place, in: place, different: true, start: [4, 6, 2, 5, 1, 3]}
actions:
  flip:
    with: {n: 2..6}
    set:
      stack[p] for p in place if p <= n: stack[n + 1 - p]
goal: all(stack[p] == p for p in place)
"""


def as_programs(puzzle: Puzzle) -> ProgramTask:
    task = puzzle.form(puzzle.header.metric)
    assert isinstance(task, ProgramTask)
    return task


@pytest.mark.weekly
@pytest.mark.parametrize("name", BOTH)
def test_explore_and_hint_say_the_same_of_programs_and_operators(name: str) -> None:
    puzzle = load(name)
    as_programs(puzzle)
    operators = puzzle.task(puzzle.header.metric)
    space, expected = explore(puzzle).space, reachable.explore(PlainStates(operators, Budget(), silent))
    assert space
    assert expected
    assert (space.layers, space.goals, space.distances) == (expected.layers, expected.goals, expected.distances)
    assert (space.distance, space.dead_ends) == (expected.distance, expected.dead_ends)
    assert space.features
    assert expected.features
    same = ("branching", "shortest_plans", "near_dead_ends")
    assert [getattr(space.features, key) for key in same] == [getattr(expected.features, key) for key in same]
    moves, best = hint(puzzle).steps, reachable.hint(PlainStates(operators, Budget(), silent))
    assert best
    assert len(moves) == len(best.steps)
    assert {puzzle.replay(step).steps[-1].board for step in moves} == {
        puzzle.replay(step).steps[-1].board for step in best.steps
    }


@pytest.mark.weekly
@pytest.mark.parametrize("name", ["atomix-water", "missionaries-and-cannibals", "pancakes-6"])
def test_kernels_explore_programs_as_plain_python_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = load(name)
    plain, first = explore(puzzle), hint(puzzle)
    monkeypatch.setattr(exploration, "_plainly", lambda *_: None)
    compiled, again = explore(puzzle), hint(puzzle)
    assert plain.space
    assert compiled.space
    assert replace(plain.space, farthest=None) == replace(compiled.space, farthest=None)
    assert plain.farthest
    assert compiled.farthest
    assert len(plain.farthest.steps) == len(compiled.farthest.steps)
    assert set(first.moves) == set(again.moves)
    assert first.distance == again.distance


def test_a_hint_comes_from_engines_where_breadth_first_search_is_too_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = load_text(RINGS)
    monkeypatch.setattr(exploration, "_plainly", lambda *_: None)
    every = hint(puzzle)
    monkeypatch.setattr(exploration, "BREADTH_FIRST", 0.0)
    one = hint(puzzle)
    assert (every.distance, every.every, one.distance, one.every) == (1, True, 1, False)
    assert one.moves == every.moves == ("turn_row(0,2)",)


def test_limits_hold_while_programs_are_explored() -> None:
    """Sixteen tiles: more states than any machine visits in half a second."""
    larger = (
        RINGS.replace("line: 0..2", "line: 0..3").replace("0..8", "0..15").replace("% 3", "% 4").replace("3 *", "4 *")
    )
    rows = "[[1, 2, 3, 0], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]"
    found = explore(load_text(larger.replace("[[1, 2, 0], [3, 4, 5], [6, 7, 8]]", rows)), time_limit=0.5)
    assert found.space
    assert (found.space.stopped_by, found.status) == ("time limit", Status.UNKNOWN)


def test_explain_says_what_never_applies_and_never_changes() -> None:
    text = PANCAKES.replace(
        "actions:\n", "  lid: {in: flag, start: 0}\nactions:\n  open:\n    when: lid == 1\n    set: {lid: 0}\n"
    )
    puzzle = load_text(text)
    task = as_programs(puzzle)
    found = explain(puzzle)
    sentences = {finding.kind: finding.sentence for finding in found.findings}
    assert sentences[FindingKind.ACTION] == "1 action of 6 can never change anything: `open`"
    assert sentences[FindingKind.NEVER_MOVES] == "`lid` never changes"
    assert (found.operators, found.actions) == (None, len(task.actions))


@pytest.mark.weekly
def test_explain_proves_by_projections_that_a_goal_is_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    text = RINGS.replace("types:\n", "types:\n  light: 0..2\n").replace(
        "actions:\n", "  lamp: {in: light, start: 0}\nactions:\n  turn_on:\n    when: lamp == 0\n    set: {lamp: 1}\n"
    )
    found = explain(load_text(text.replace("goal: ", "goal: lamp == 2 and ")), time_limit=6)
    assert found.unsolvable
    assert found.space is None
    assert "out of reach for one variable alone" in found.findings[-1].sentence


def test_verify_proves_and_refutes_by_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("MOMENT", "CHECK"):  # plain search and its check end first, on any machine
        monkeypatch.setattr(f"budge.workflows.verification.{limit}", PATIENCE)
    puzzle = load("pancakes-6")
    proven = verify(puzzle, time_limit=PATIENCE)
    assert proven.verdict is Verdict.OPTIMAL
    assert "the checker of certificates visits" in proven.proofs[0].by
    assert verify(puzzle, claim=8, time_limit=PATIENCE).verdict is Verdict.NOT_OPTIMAL
    assert verify(puzzle, claim=6, time_limit=PATIENCE).verdict is Verdict.REFUTED


def test_engines_that_run_programs_verify_what_is_too_large_for_a_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    puzzle = load("topspin")
    monkeypatch.setattr("budge.workflows.verification._certified_run", lambda *_: None)
    found = verify(puzzle, time_limit=PATIENCE)
    assert found.verdict is Verdict.OPTIMAL
    assert "astar" in [proof.engine for proof in found.proofs]


def test_boards_are_made_of_a_puzzle_that_is_kept_as_programs() -> None:
    """Random play by programs, graded by an engine that runs them and does not refuse the puzzle, and proven again."""
    puzzle = load("pancakes-6")
    maker = maker_for("custom", base=puzzle.to_yaml(), length=6)
    board = maker.new(random.Random(1))
    graded = maker.grade(board)
    assert graded
    made = load_text(to_yaml("custom", Header("", "made", "moves"), maker.keys(board), "moves"))
    assert made.board() != puzzle.board()
    assert solve(made, "bfs").cost == graded.optimum
    labyrinth = maker_for("custom", base=load("labyrinth-4x4").to_yaml(), length=1)
    assert isinstance(labyrinth, PlayMaker)
    assert find(labyrinth.engine).programs


@pytest.mark.parametrize("name", ["labyrinth-4x4", "folding-9"])
def test_boards_of_the_shipped_families_are_written_and_read_again(name: str) -> None:
    puzzle = load(name)
    assert isinstance(puzzle.form("moves"), ProgramTask)
    assert load_text(puzzle.to_yaml()).value == puzzle.value
