"""Custom puzzles as files: every position of a puzzle can be written as its start, and is read back as it was."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from budge import Plan, PuzzleError, ReplayError, Status, UsageError, explore, load, load_text, solve
from budge.cli import main
from budge.models.families.custom.language.expressions import text_of
from budge.models.families.custom.puzzle import Act, Custom
from budge.models.families.custom.rules import CustomSimulator
from budge.models.library import shipped

NAMES = [name for name in shipped() if name.startswith("custom/")]


def walk(puzzle: Custom, length: int, seed: int) -> tuple[Plan, CustomSimulator]:
    """A random plan, and the puzzle after it."""
    rng = random.Random(seed)
    simulator, moves = CustomSimulator(puzzle), []
    acts = [
        Act(action.name, tuple(map(text_of, args)))
        for action in puzzle.actions.values()
        for args in product(*(domain.values for _, domain in action.parameters))
    ]
    for _ in range(length):
        for act in rng.sample(acts, len(acts)):
            try:
                simulator.play(act)
            except ReplayError:
                continue
            moves.append(act)
            break
    return Plan(tuple(moves)), simulator


@pytest.mark.weekly
@pytest.mark.parametrize("name", NAMES)
def test_positions_survive_being_written(name: str) -> None:
    puzzle = load(name)
    plan, after = walk(puzzle.value, 3, seed=1)
    again = load_text(puzzle.to_yaml(after=plan))
    assert again.value.start() == after.state
    assert again.board() == after.board()
    assert again.metrics == puzzle.metrics
    assert replace(again.value, state=puzzle.value.state) == puzzle.value


ALL_KINDS = """\
format: 1
family: custom
types:
  thing: [a, b, "null", "no"]
  place: 1..3
grid: |
  .x
  #.
legend:
  "x": {box: 2}
state:
  one: {in: cell, start: r1c1}
  truth: {}
  box: {of: cell, in: 0..2, start: 0}
  at: {of: thing, in: cell, start: r1c1}
  level: {of: place, in: -1..9, start: [1, 2, 3]}
  two: {of: [thing, place], start: {a: [2]}}
  three: {of: [place, cell], in: thing, start: a}
  answer: {of: bool, in: bool}
actions:
  go:
    set:
      one: cell(2, 2)
      truth: true
      box[cell(1, 2)]: 0
      box[cell(1, 1)]: 1
      at[a]: cell(1, 2)
      level[2]: -1
      two[a, 2]: false
      two[b, 3]: true
      three[2, cell(1, 1)]: b
      answer[true]: true
goal: truth
"""


def test_tables_of_every_kind() -> None:
    """Arguments and values of all types, names that mean something in YAML, and a map that says something else."""
    puzzle = load_text(ALL_KINDS)
    plan, after = walk(puzzle.value, 1, seed=0)
    text = puzzle.to_yaml(after=plan)
    assert load_text(text).value.start() == after.state
    assert "  level: [1, -1, 3]\n" in text
    assert "  box: {r1c1: 1, r1c2: 0, r2c2: 0}\n" in text


def test_no_object_is_called_others() -> None:
    """In values of tables the word stands for the rest."""
    with pytest.raises(PuzzleError, match="`others` has a meaning of its own"):
        load_text(ALL_KINDS.replace("[a, b,", "[a, others,"))


def test_what_start_says_of_a_table_the_map_does_not() -> None:
    text = ALL_KINDS + "start: {box: {r2c2: 1, others: 0}}\n"
    assert load_text(text).value.start()["box", ((0, 1),)] == 0


def test_a_drawing_alone_is_not_enough() -> None:
    puzzle = load("custom/wolf-goat-cabbage")
    plan = Plan((Act("carry", ("goat",)),))
    with pytest.raises(UsageError, match="give the plan"):
        puzzle.to_yaml(board=puzzle.replay(plan).steps[-1].board)
    assert "  at: {wolf: left, goat: right, cabbage: left}\n  boat: right\n" in puzzle.to_yaml(after=plan)
    with pytest.raises(ReplayError, match="does not hold"):
        puzzle.to_yaml(after=Plan((Act("row"),)))


def test_other_families_take_a_plan_too() -> None:
    puzzle = load("bird-2")
    plan = solve(puzzle, "bfs", "steps").plan
    assert plan
    first = Plan(plan.moves[:1])
    assert load_text(puzzle.to_yaml(after=first)).board() == puzzle.replay(first).steps[-1].board
    assert load_text(puzzle.to_yaml(after=Plan(()))).value == puzzle.value


@pytest.mark.parametrize("name", ["jugs-3-5", "missionaries-and-cannibals", "sokoban-microban-1", "knights-exchange"])
def test_the_hardest_start(name: str) -> None:
    answer = explore(load(f"custom/{name}"))
    text = answer.hardest_yaml()
    assert text is not None
    assert answer.space is not None
    hardest = solve(load_text(text), "bfs")
    assert (hardest.status, hardest.contradicts) == (Status.OPTIMAL, None)
    assert hardest.cost == len(answer.space.distances) - 1


def test_the_hardest_start_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "hardest.yaml"
    assert main(["explore", "custom/jugs-3-5", "--hardest", str(file), "--quiet"]) == 0
    assert "start:\n" in file.read_text()
    assert main(["solve", str(file), "--engine", "bfs", "--quiet"]) == 0


def test_rules_in_a_file_of_their_own_are_written_with_the_puzzle(tmp_path: Path) -> None:
    """Where both files have a mapping, the entries of both are written."""
    (tmp_path / "river.family.yaml").write_text(
        "format: 1\nfamily: custom\ntypes:\n  bank: [left, right]\nstate:\n  boat: {in: bank, start: left}\n"
        "actions:\n  row:\n    set:\n      boat: other(boat)\n"
        "draw: |\n  {boat}: \\here\n"
    )
    own = tmp_path / "own.yaml"
    own.write_text(
        "format: 1\nfamily: river.family.yaml\ntypes: {item: [wolf, goat]}\n"
        "state:\n  # carried\n  at: {of: item, in: bank, start: {wolf: left, others: right}}\n"
        "  'n': {in: 0..3, start: 2}\n"
        "goal: 'boat == right'\n"
    )
    puzzle = load(own)
    again = load_text(puzzle.to_yaml())
    assert again.value == puzzle.value
    assert again.board() == puzzle.board()


def test_rules_whose_keys_stand_in_both_files_are_written_once(tmp_path: Path) -> None:
    """`constants` is merged, and `goal` is the puzzle's own: neither stands in the text of the key before it."""
    (tmp_path / "lock.family.yaml").write_text(
        "format: 1\nfamily: custom\nstate:\n  dial: {in: 0..9, start: 0}\nconstants:\n  step: 3\n"
        "goal: dial == 0\nactions:\n  turn:\n    set:\n      dial: (dial + step) % 10\n"
    )
    own = tmp_path / "own.yaml"
    own.write_text("format: 1\nfamily: lock.family.yaml\nconstants: {wanted: 7}\ngoal: dial == wanted\n")
    puzzle = load(own)
    text = puzzle.to_yaml()
    assert [text.count(f"\n{key}:") for key in ("constants", "goal", "state", "actions")] == [1, 1, 1, 1]
    assert load_text(text).value == puzzle.value
    assert solve(load_text(text)).cost == 9
