"""The clauses of Sokoban: true of every plan, whatever areas are listed; with the right ones, of nothing else."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from budge.models.library import load, shipped
from budge.proofs.boxes import BoxGame, bits, moved
from budge.proofs.check import exhausted
from budge.proofs.core.limits import Invalid, Limits, Unsupported
from budge.proofs.formula_pushes import Push, PushFormula
from budge.proofs.puzzles import puzzle_of
from budge.proofs.rules_sokoban import Level
from budge.workflows.areas import AreasNeeded
from pysat.solvers import Solver

from .certificates import BOXES, HEAD, ROOMS
from .test_proofs import satisfied


def level_of(text: str) -> Level:
    level = puzzle_of(text)
    assert isinstance(level, Level)
    return level


def plans(game: BoxGame, most: int) -> set[tuple[Push, ...]]:
    """Every play of at most so many pushes that ends with all boxes on goals."""
    found = set[tuple[Push, ...]]()
    plays: list[tuple[tuple[Push, ...], int, int]] = [((), game.boxes, game.player)]
    for done, boxes, player in plays:  # grows while it is read
        if not boxes & ~game.goals:
            found.add(done)
        region, free = game.region(boxes, player), game.floor & ~boxes
        if len(done) < most:
            for by in game.shifts:
                for box in bits(boxes & moved(region, by) & moved(free, -by)):
                    plays.append(((*done, (box, by)), boxes ^ box ^ moved(box, by), box))
    return found


def models(needed: AreasNeeded) -> set[tuple[Push, ...]]:
    """The plays that satisfy the clauses, when all areas are listed that any of them would have to leave."""
    while True:
        formula = PushFormula(needed.level, needed.at_most, needed.areas, Limits())
        found = set()
        with Solver("cadical153", bootstrap_with=[list(clause) for clause in formula.clauses()]) as solver:
            while solver.solve():
                true = {x for x in solver.get_model() if x > 0}
                if needed(true):
                    break
                made = [
                    (push, x + t * formula.stride)
                    for t in range(needed.at_most)
                    for push, x in formula.push.items()
                    if x + t * formula.stride in true
                ]
                found.add(tuple(push for push, _ in made))
                idle = formula.idle + len(made) * formula.stride
                solver.add_clause([-x for _, x in made] + [-idle] * (len(made) < needed.at_most))
            else:
                return found


CORNER = HEAD + "family: sokoban\nmap: |2\n  ######\n  #.  .#\n  #@$$ #\n  #    #\n  ######\n"
SPARE = HEAD + "family: sokoban\nmap: |2\n  #####\n  #@ .#\n  # $.#\n  # . #\n  #####\n"
TINY = [(BOXES, 5), (CORNER, 6), (SPARE, 5), (ROOMS, 8)]


@pytest.mark.parametrize(("text", "most"), TINY)
def test_the_models_are_the_plans(text: str, most: int) -> None:
    level = level_of(text)
    wanted = plans(BoxGame(level, "pushes", Limits()), most)
    assert wanted
    assert models(AreasNeeded(level, most)) == wanted


def pulled(level: Level, steps: int, random_: random.Random) -> tuple[Level, list[Push]]:
    """The level with its boxes where random pulls from their goals lead to, and the pushes that undo them."""
    game, plan = BoxGame(level, "pushes", Limits()), list[Push]()
    goals = random_.sample(sorted(level.goals), len(level.boxes))
    boxes = game.mask(frozenset(goals))
    player = random_.choice([cell for cell in bits(game.region(0, game.player)) if not cell & boxes])
    for _ in range(steps):
        region, free = game.region(boxes, player), game.floor & ~boxes
        pulls = [
            (moved(box, -by), by)
            for by in game.shifts
            for box in bits(boxes & moved(region, by))
            if moved(box, -2 * by) & free
        ]
        if not pulls:
            break
        was, by = random_.choice(pulls)
        boxes, player = boxes ^ was ^ moved(was, by), moved(was, -by)
        plan.append((was, by))
    cells = {game.mask(frozenset((cell,))): cell for cell in level.open}
    start = replace(level, boxes=frozenset(cells[box] for box in bits(boxes)), player=cells[player])
    return start, plan[::-1]


@pytest.mark.parametrize("name", ["microban-001", "microban-011", "microban-085", "xsokoban-01"])
def test_plans_satisfy_every_clause_with_any_areas(name: str) -> None:
    random_, shut = random.Random(name), 0
    for steps in (3, 12, 25):
        level, plan = pulled(level_of(load(name).to_yaml()), steps, random_)
        at_most = len(plan) + random_.randrange(3)
        formula = PushFormula(level, at_most, [], Limits())
        live = [cell for cell in level.open if formula.game.mask(frozenset((cell,))) & formula.live]
        areas = []
        for _ in range(40):
            around = set(random_.sample(live, random_.randrange(3))) | {random_.choice(sorted(level.boxes))}
            around -= {level.player}
            inside = random_.choice([level.player, random_.choice(sorted(level.open - around))])
            areas.append(" ".join(f"{row + 1} {column + 1}" for row, column in (inside, *sorted(around))))
        formula = PushFormula(level, at_most, areas, Limits())
        true = formula.model(plan)
        shut += sum(x + t * formula.stride in true for x in formula.shut for t in range(at_most))
        assert satisfied(list(formula.clauses()), true) is None
    assert shut > 20


def refutes_as_expected(name: str) -> bool:
    """Hold the clauses at the optimum, and one below, against exhaustion. False if that is too much."""
    level, (cost,) = level_of(load(name).to_yaml()), load(name).header.expect.costs["pushes"]
    try:
        assert exhausted(level, "pushes", (cost - 1,), Limits()).goal is None
    except Unsupported:
        return False
    for at_most, wanted in ((cost - 1, False), (cost, True)):
        needed = AreasNeeded(level, at_most)
        clauses = list(PushFormula(level, at_most, [], Limits()).clauses())
        while True:
            with Solver("cadical153", bootstrap_with=[list(clause) for clause in clauses]) as solver:
                found = solver.solve()
                more = needed({x for x in solver.get_model() if x > 0}) if found else None
            if more is None:
                break
            clauses = more[1]
        assert found is wanted, name
    return True


@pytest.mark.parametrize("name", ["microban-001", "microban-011"])
def test_refutation_and_exhaustion_agree(name: str) -> None:
    assert refutes_as_expected(name)


@pytest.mark.slow
def test_refutation_and_exhaustion_agree_on_microban() -> None:
    """On every shipped level with an optimum of at most 25 pushes."""
    names = [name for name in shipped() if name.startswith("sokoban/microban-")]
    short = [name for name in names if load(name).header.expect.costs.get("pushes", (99,))[0] <= 25]
    assert sum(map(refutes_as_expected, short)) > 30


@pytest.mark.parametrize("area", ["1 1", "2 2 1 3", "2 2 2 2", "2 2 9 9", "9 9"])
def test_an_area_of_other_cells_is_refused(area: str) -> None:
    with pytest.raises(Invalid, match="cannot be on"):
        PushFormula(level_of(BOXES), 3, [area], Limits())
