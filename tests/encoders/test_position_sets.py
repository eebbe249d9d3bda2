"""Sets of positions of an object: their literals, and the rectangles of choices that require the same."""

from __future__ import annotations

import numpy as np
from budge import load_text
from budge.analysis.move_pruning import ParallelMoves
from budge.encoders.formula import FALSE, TRUE, Formula
from budge.encoders.parallel_model import ParallelStepEncoder, PositionSets, rectangles
from budge.models.puzzle import Puzzle
from hypothesis import given, settings

from ..helpers.random_puzzles import rush_hours, sliding_blocks
from ..helpers.seeds import examples


def follows(formula: Formula) -> set[int]:
    """The literals that follow from a formula by unit propagation."""
    clauses = [*formula.clauses, *([~cause, one] for cause, effects in formula.implications.items() for one in effects)]
    true: set[int] = set()
    while True:
        left = [[literal for literal in clause if ~literal not in true] for clause in clauses]
        new = {clause[0] for clause in left if len(clause) == 1} - true
        if not new:
            return true
        true |= new


LANE = """
format: 1
family: rush-hour
name: lane
board: |2
  XX......
goal: {piece: X, exit: right}
metric: slides
"""


def lane() -> tuple[ParallelMoves, int]:
    """The moves of one vehicle of two cells in a lane of eight, alone; the number of facts."""
    task = load_text(LANE).task("slides")
    moves = ParallelMoves.of(task)
    assert moves is not None
    return moves, len(task.facts)


def test_a_fact_of_a_lane_has_a_rectangle_from_the_left_and_one_from_the_right() -> None:
    moves, _ = lane()
    found = rectangles(moves.choices[0].values(), lambda choice: (*choice.keeps, *choice.takes))
    assert {len(listed) for listed in found.values()} == {1, 2}  # the cells at the ends are entered from one side
    assert len(found) == 8


def test_the_sets_of_a_lane_are_prefixes() -> None:
    moves, facts = lane()
    positions = moves.objects[0].facts
    prefixes = [frozenset(positions[:k]) for k in range(2, len(positions) - 1)]
    rests = [frozenset(positions) - one for one in prefixes]
    sets = PositionSets(facts, moves, [*prefixes, *rests])
    assert sets.size == facts + len(prefixes)  # a set and its complement share a literal
    formula = Formula()
    layer = sets.add(formula, np.array([formula.variable() for _ in range(facts)], np.int32)).tolist()
    for one, rest in zip(prefixes, rests, strict=True):
        assert sets.literal(layer, one) == ~sets.literal(layer, rest)
    assert sets.literal(layer, frozenset(positions)) == TRUE
    assert sets.literal(layer, frozenset(positions[1:])) == ~layer[positions[0]]


@settings(max_examples=examples(40))
@given(rush_hours() | sliding_blocks())
def test_where_an_object_is_decides_its_sets(drawn: tuple[Puzzle, str]) -> None:
    """Given a position of each object, a set's literal is true by unit propagation if it has the position, else false.
    The rectangles of a fact hold the choices that require it and no others.
    """
    puzzle, metric = drawn
    task = puzzle.task(metric)
    moves = ParallelMoves.of(task)
    if moves is None:
        return
    sets = ParallelStepEncoder(task, moves).sets
    for number, (moved, choices) in enumerate(zip(moves.objects, moves.choices, strict=True)):
        found = rectangles(choices.values(), lambda choice: (*choice.keeps, *choice.takes))
        required = {(c.before, c.after, f) for c in choices.values() for f in (*c.keeps, *c.takes)}
        held = [(p, q, f) for f, listed in found.items() for before, after in listed for p in before for q in after]
        assert len(held) == len(required)
        assert set(held) == required
        for p in moved.facts[:3]:
            facts = np.full(len(task.facts), FALSE, np.int32)
            facts[[p, *(other.facts[0] for k, other in enumerate(moves.objects) if k != number)]] = TRUE
            formula = Formula()
            layer = sets.add(formula, facts).tolist()
            true = follows(formula) | {TRUE}
            for one in (side for listed in found.values() for rectangle in listed for side in rectangle):
                literal = sets.literal(layer, one)
                assert (literal in true) == (p in one)
                assert (~literal in true) == (p not in one)
