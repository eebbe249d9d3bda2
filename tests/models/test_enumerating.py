"""Operators from programs that run with an unknown state: as many as they have always been, and those of the rules."""

import random

import pytest
from budge import Budget, Puzzle, Status, load, load_text
from budge.engines.plain.engine import solve
from budge.models.errors import GroundingError
from budge.models.families.custom.arrays import Changes
from budge.models.families.custom.leaves import Effort, Enumerator
from budge.models.families.custom.programs.task import ProgramWriter
from budge.models.library import shipped
from budge.models.program import Machine, ProgramTask

CHANGES = {
    "atomix-water": 1368,
    "ball-sort": 1080,
    "blocks-world": 9,
    "bridge-and-torch": 20,
    "burnt-pancakes-4": 530,
    "folding-5": 561,
    "hanoi-4-on-4-pegs": 40,
    "hanoi-8": 45,
    "ice-maze": 80,
    "jugs-3-5": 34,
    "jugs-8-5-3": 158,
    "klotski": 188,
    "knights-exchange": 32,
    "lights-out": 512,
    "loopover-3x3": 6048,
    "lorries-1": 76,
    "lunar-lockout-1": 52,
    "lunar-lockout-39": 1120,
    "missionaries-and-cannibals": 187,
    "pancakes-6": 1500,
    "peg-solitaire": 76,
    "peg-solitaire-4x4": 32,
    "pocket-cube": 9072,
    "reves-puzzle": 88,
    "rush-hour": 74,
    "slitherlink-3x3": 59,
    "snowman-corner": 714,
    "snowman-first": 632,
    "snowman-garden": 1268,
    "snowman-niches": 552,
    "snowman-twins": 616,
    "snowman-two-patches": 888,
    "snowman-two-rooms": 1080,
    "sokoban-microban-1": 58,
    "sokoban-on-ice": 310,
    "topspin": 13440,
    "two-player-sokoban": 236,
    "wolf-goat-cabbage": 18,
}
"""How many changes the rules of a shipped puzzle have: a wrong mark of what was looked at would silently lose some."""

EXPLODING = [
    *("falling-balls", "flood-4x4", "flood-8x8", "folding-14", "labyrinth-4x4", "labyrinth-6x6", "labyrinth-8x8"),
    *("rubiks-cube-2x2x2", "rubiks-cube-six-spots", "rubiks-cube-six-turns", "snake-5", "snake-8", "snake-12"),
    "water-sort-13",
]

LARGE = {"folding-9": 41903, "ricochet-robots-moon": 40728}


def enumerator_of(puzzle: Puzzle, effort: Effort | None = None) -> Enumerator:
    return Enumerator(puzzle.value, puzzle.metric(puzzle.metrics[0]), effort)


def test_every_shipped_puzzle_is_listed() -> None:
    names = {name.partition("/")[2] for name in shipped() if name.startswith("custom/")}
    assert names == {*CHANGES, *EXPLODING, *LARGE}


def test_what_changes_nothing_at_first_may_change_something_later() -> None:
    """`done: lit` is no change while `done` is only ever false: the leaf is written again when it can be true."""
    puzzle = load_text("""
format: 1
family: custom
state:
  lit: {start: false}
  done: {start: false}
actions:
  flip:
    set:
      done: lit
      lit: not lit
goal: lit and done
""")
    task = puzzle.task("moves")
    assert task.unsolvable_because or solve(task, Budget()).status is Status.UNSOLVABLE


@pytest.mark.parametrize("name", CHANGES)
def test_as_many_changes_as_always(name: str) -> None:
    assert len(enumerator_of(load(f"custom/{name}")).changes()) == CHANGES[name]


@pytest.mark.slow  # a second each
@pytest.mark.parametrize("name", LARGE)
def test_as_many_changes_as_always_of_large_puzzles(name: str) -> None:
    assert len(enumerator_of(load(f"custom/{name}")).changes()) == LARGE[name]


@pytest.mark.parametrize("name", EXPLODING)
def test_explosions_are_noticed(name: str) -> None:
    """Programs are what engines get, and the reason says which rule falls into too many cases."""
    puzzle = load(f"custom/{name}")
    form = puzzle.form(puzzle.metrics[0])
    assert isinstance(form, ProgramTask)
    with pytest.raises(GroundingError, match=r"too many cases|more than 1,000 operators"):
        enumerator_of(puzzle, Effort(operators=1_000, steps=450_000)).changes()


def successors(changes: Changes, enumerator: Enumerator, state: list[int]) -> set[tuple[str, tuple[int, ...]]]:
    """What the changes make of a state (numbers of values): the action, and the state after."""
    variables, known = enumerator.variables, enumerator.known
    facts = {-1, *(first + value for first, value in zip(variables.first, state, strict=False))}
    after = set()
    for act, needed, among, gained in zip(changes.act, changes.needed, changes.among, changes.gained, strict=True):
        masks = among[among >= 0]
        if facts.issuperset(needed) and all(known.mask[n, state[known.mask_of[n]]] for n in masks):
            new = list(state)
            for fact in gained[gained >= 0].tolist():
                v = variables.variable[fact]
                new[v] = fact - variables.first[v]
            if new != state:
                after.add((enumerator.acts[act].action, tuple(new)))
    return after


@pytest.mark.parametrize("name", [name for name, count in CHANGES.items() if count < 1200])
def test_changes_are_what_the_programs_do(name: str) -> None:
    """On random walks, the changes lead to the states that the machine comes to by running the programs."""
    puzzle, choose = load(f"custom/{name}"), random.Random(1)
    enumerator = enumerator_of(puzzle)
    changes = enumerator.changes()
    task = ProgramWriter(puzzle.value, puzzle.metric(puzzle.metrics[0])).task()
    machine = Machine(task)
    place = [{number: p for p, number in enumerate(values)} for values in enumerator.values]
    for _ in range(2):
        state = task.init
        for _ in range(12):
            numbers = [place[v][number] for v, number in enumerate(state)]
            after = [(action.name.partition("(")[0], machine.after(state, action)) for action in task.actions]
            possible = {(name, new) for name, new in after if new is not None and new != tuple(state)}
            expected = {(name, tuple(place[v][number] for v, number in enumerate(new))) for name, new in possible}
            assert successors(changes, enumerator, numbers) == expected
            if not possible:
                break
            state = choose.choice(sorted(new for _, new in possible))
