"""The checker's reading of custom definitions against Budge's: the same actions are possible, at the same cost."""

from __future__ import annotations

import random
from itertools import product

import pytest
from budge import PuzzleError, load_text
from budge.models.errors import ReplayError
from budge.models.families.custom.language.expressions import text_of
from budge.models.families.custom.puzzle import Act
from budge.models.families.custom.rules import CustomSimulator
from budge.models.library import load, shipped
from budge.models.puzzle import Puzzle
from budge.proofs.acting import ActingGame, ActionPuzzle
from budge.proofs.core.limits import Invalid, Limits, Rejected, Unsupported
from budge.proofs.games import puzzle_of
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.certificates import BRIDGE, ICE
from ..helpers.optimum import optimum
from ..helpers.random_definitions import Definitions
from ..helpers.seeds import examples
from ..helpers.visited import exhausted

CUSTOM = [name for name in shipped() if name.startswith("custom/")]


def game_of(puzzle: Puzzle, metric: str) -> ActingGame:
    read = puzzle_of(puzzle.to_yaml())
    assert isinstance(read, ActionPuzzle)
    return ActingGame(read, metric, Limits())


def play_both(puzzle: Puzzle, steps: int, random_: random.Random) -> None:
    """Play at random, and hold every action in every state against Budge's interpreter."""
    metric = ",".join(unit.many for unit in puzzle.value.countings[:2])
    theirs, ours = CustomSimulator(puzzle.value), game_of(puzzle, metric)
    places = {
        (name, args): place
        for name, table in ours.meaning.names.tables.items()
        for args, place in (table.places or {}).items()
    }
    state = ours.start
    for _ in range(steps):
        assert state == tuple(theirs.state[key] for key in places)
        assert ours.solved(state) == theirs.solved
        possible = {}
        for action in puzzle.value.actions.values():
            for values in product(*(domain.values for _, domain in action.parameters)):
                before, theirs.costs = theirs.state, dict.fromkeys(theirs.costs, 0)
                names = dict(zip((name for name, _ in action.parameters), values, strict=True))
                try:
                    after = theirs.state | theirs.changes(action, names)
                except ReplayError:
                    continue
                theirs._pay(action, names)
                cost = tuple(theirs.costs[part] for part in metric.split(","))
                possible[str(Act(action.name, tuple(map(text_of, values))))] = after, cost
                theirs.state = before
        reached = {name: ours.after(act, state) for name, act in ours.acts.items()}
        found = {name: (then, ours.price(ours.acts[name], state)) for name, then in reached.items() if then}
        assert found == {n: (tuple(after[key] for key in places), cost) for n, (after, cost) in possible.items()}
        if not possible:
            return
        name = random_.choice(sorted(possible))
        theirs.state, state = possible[name][0], found[name][0]


@pytest.mark.weekly
@pytest.mark.parametrize("name", CUSTOM)
def test_the_same_actions_are_possible_in_shipped_puzzles(name: str) -> None:
    play_both(load(name), 12, random.Random(name))


def test_the_same_actions_are_possible_in_the_mutants_puzzles() -> None:
    for text in (BRIDGE, ICE):
        play_both(load_text(text), 40, random.Random(text))


def test_loops_over_a_table_mean_the_same() -> None:
    goal = "all(box[c] for c in cell if target[c]) and sum(col(c) for c in cell if box[c]) <= 6"
    text = ICE.replace(goal, "all(box[c] for c in target) and sum(col(c) for c in box) <= 6")
    assert text != ICE
    play_both(load_text(text), 40, random.Random(text))


def test_values_of_cells_stand_alone_in_a_legend() -> None:
    """`"3": [box, 3, red]`; of two tables with such values that of the state has it, and a place comes before both."""
    text = """\
format: 1
family: custom
types:
  hue: [red, blue]
  robot: [R, B]
grid: |
  R3.2B
legend:
  "R": [R, blue]
  "B": B
  "3": [box, 3, red]
  "2": {box: true, weight: 2}
state:
  at: {of: robot, in: cell}
  box: {of: cell}
  weight: {of: cell, in: 0..3, start: {others: 0}}
constants:
  colour: {of: cell, in: hue, value: {others: blue}}
  named: {of: cell, in: robot, value: R}
  size: {of: cell, in: 0..9, value: 5}
actions:
  lift:
    with: {r: robot, d: direction}
    when: weight[at[r] + d] == 3 and colour[at[r] + d] == red and box[at[r] + d] and named[at[r]] == R
    set:
      weight[at[r] + d]: size[at[r]] - 4
goal: sum(weight[c] for c in cell) == 3
"""
    puzzle = load_text(text)
    assert optimum(puzzle.value) == 1
    play_both(puzzle, 3, random.Random(1))


def compare(seed: int) -> str:
    """What came of a random definition: it never means something else."""
    try:
        puzzle = load_text(Definitions(seed).text())
    except PuzzleError:
        return "rejected"
    try:
        play_both(puzzle, 4, random.Random(seed))
        best = optimum(puzzle.value)
        if best == "large":
            return "large"
        goal = exhausted(puzzle_of(puzzle.to_yaml()), "moves", None, Limits()).goal
    except Unsupported:
        return "unsupported"
    except ReplayError:  # a cost that is none
        return "no cost"
    assert goal == (None if best == "unsolvable" else (best,))
    return "same"


@settings(max_examples=examples(100))
@given(st.integers(0, 10**9))
def test_random_definitions_mean_the_same(seed: int) -> None:
    compare(seed)


@pytest.mark.weekly
def test_most_random_definitions_are_understood() -> None:
    found = [compare(seed) for seed in range(30)]
    assert found.count("same") > 15, found
    assert found.count("unsupported") < 3, found


@pytest.mark.slow
def test_many_random_definitions_mean_the_same() -> None:
    for seed in range(3_000):
        compare(seed)


NOT_UNDERSTOOD = [
    "at[Ann] ** 2 == far",
    "at.Ann == far",
    "(lambda x: x)(at[Ann]) == far",
    "at[Ann] == 'far'",
    "__import__('os') == far",
    "at[Ann] == far for x in person",
    "at[Ann] is far",
    "all(at[x] == far for x in nobody)",
    "all(at[x] == far for torch in person)",
    "all(at[x] == far for x in person async)",
    "pace[Ann] == far",
    "pace[Ann] / 2 == 1",
    "at[Ann, Bob] == far",
    "other(Ann) == far",
    "1 < at[Ann]",
    "at[Ann] == far if pace[Ann] else near",
    "count(at) == 3",
    "sum(at[x] for x in person) == 1",
    "any(at[x] == far for x, y in person)",
    "min(far, near) == far",
    "different(at)",
    "different(at[x] for x in person) == 1",
    "the(at)",
    "far",
    "",
    "not " * 900 + "true",
    "pace[Ann] * 1000000000 * 1000000000 * 1000000000 > 0",
]


@pytest.mark.parametrize("goal", NOT_UNDERSTOOD)
def test_what_is_not_understood_is_not_guessed(goal: str) -> None:
    text = BRIDGE.replace("goal: all(at[x] == far for x in person)", f"goal: '{goal.replace(chr(39), chr(39) * 2)}'")
    with pytest.raises((Unsupported, RecursionError, MemoryError)):
        exhausted(puzzle_of(text), "minutes", None, Limits())


WRONG = [
    ("person: [Ann, Bob, Cat]", "person: [Ann, Bob, near]", Unsupported),  # no person is called Cat any more
    ("person: [Ann, Bob, Cat]", "person: [Ann, Bob, Ann]", Invalid),
    ("  side: [near", "  torch: [near", Invalid),
    ("value: [1, 2, 5]", "value: [1, 2, 6]", Invalid),
    ("value: [1, 2, 5]", "value: [1, 2]", Invalid),
    ("value: [1, 2, 5]", "value: {Ann: 1}", Invalid),
    ("start: near}\n  torch", "start: sea}\n  torch", Invalid),
    ("    cost: pace[y]", "    cost: pace[y] - 3", Unsupported),
    ("    cost: pace[y]", "    price: 3", Unsupported),
    ("minutes: cost", "minutes: [swim]", Invalid),
    ("always: at[Cat] == torch or at[Ann] == torch or at[Bob] == torch", "always: at[Cat] == far", Unsupported),
    ("goal:", "hopes: 1\ngoal:", Unsupported),
    ("actions:", "define:\n  f: g\n  g: f\nactions:", Invalid),
    ("state:\n", "start: {boat: near}\nstate:\n", Invalid),
]


@pytest.mark.parametrize(("old", "new", "problem"), WRONG)
def test_definitions_that_are_wrong_are_refused(old: str, new: str, problem: type[Rejected]) -> None:
    assert old in BRIDGE
    with pytest.raises(problem):
        exhausted(puzzle_of(BRIDGE.replace(old, new)), "minutes", None, Limits())


def test_a_plan_is_an_action_a_line() -> None:
    read = puzzle_of(BRIDGE)
    assert isinstance(read, ActionPuzzle)
    plan = "cross(Ann,Bob)\ncross(Ann,Ann)\ncross(Ann,Cat)\n"
    assert ActingGame(read, "minutes", Limits()).replayed(plan, "plan") == (8,)
    assert ActingGame(read, "crossings,minutes", Limits()).replayed(plan, "plan") == (3, 8)
    for wrong in (
        plan + "cross(Bob,Ann)\n",
        plan[:-2],
        plan.replace("Ann,Cat", "Ann, Cat"),
        "cross(Ann,Bob)\n",
        "swim",
    ):
        with pytest.raises(Invalid):
            ActingGame(read, "minutes", Limits()).replayed(wrong, "plan")


def test_a_cell_is_named_by_its_row_and_column() -> None:
    """As the language has it: a cell of the board, unless something else has that name; no other is understood."""
    text = "format: 1\nfamily: custom\ngrid: |\n  ..#\n  ...\nstate:\n  man: {in: cell, start: r1c1}\nactions:\n  go:\n"
    text += "    with: {d: direction}\n    set: {man: man + d}\ngoal: man == r2c3 or man == r2c2 + right\n"
    puzzle = load_text(text)
    play_both(puzzle, 20, random.Random(1))
    assert exhausted(puzzle_of(puzzle.to_yaml()), "moves", None, Limits()).goal == (3,)
    for cell in ("r1c3", "r3c1", "r0c1"):
        with pytest.raises(Unsupported, match=f"does not understand `{cell}`"):
            exhausted(puzzle_of(puzzle.to_yaml().replace("r2c3", cell)), "moves", None, Limits())
    shadowed = puzzle.to_yaml().replace("state:", "define: {r2c3: man}\nstate:")
    assert exhausted(puzzle_of(shadowed), "moves", None, Limits()).goal == (0,)


def test_a_negative_price_is_refused_where_no_position_is_visited_that_it_could_be_paid_in() -> None:
    text = """\
format: 1
family: custom
name: cheaper later
constants:
  low: {in: -4..4, value: -4}
define:
  debt: 0 - x
state:
  x: {in: 0..2, start: 0}
actions:
  far: {when: x == 0, set: {x: 1}, cost: 6}
  back: {when: x == 1, set: {x: 2}, cost: 0 - 4}
  near: {when: x == 0, set: {x: 2}, cost: 5}
goal: x == 2
"""
    with pytest.raises(Unsupported, match="less than nothing"):  # else 5 would pass for the optimum
        exhausted(puzzle_of(text), "moves", (4,), Limits())
    for price in ("x - 5", "debt", "x * low"):  # where something is subtracted, or a name stands for less than nothing
        with pytest.raises(Unsupported, match="less than nothing"):
            exhausted(puzzle_of(text.replace("0 - 4", price)), "moves", (4,), Limits())
    assert exhausted(puzzle_of(text.replace("0 - 4", "2 - x")), "moves", (4,), Limits()).goal is None


def test_no_cost_is_too_large_for_a_plan_when_there_is_said_to_be_none() -> None:
    text = """\
format: 1
family: custom
name: dear
state:
  x: {in: 0..15, start: 0}
actions:
  on: {set: {x: x + 1}, cost: 900000000*900000000}
goal: x == 15
"""
    assert exhausted(puzzle_of(text), "moves", None, Limits(), "distances").goal == (15 * 900000000**2,)
