"""The clauses with parallel steps: true of every play, of nothing but rows of independent moves; they refute the same
claims as single steps."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from pathlib import Path

import pytest
from budge.models.library import load
from budge.proofs.check import check_folder, exhausted, formula_of
from budge.proofs.core.claim import REFUTATION
from budge.proofs.core.limits import Invalid, Limits, Stopped, Unsupported
from budge.proofs.formula import actions_of
from budge.proofs.formula_parallel import ParallelFormula
from budge.proofs.manifest import AREAS, PARALLEL, write
from budge.proofs.pieces import PiecePuzzle, Places
from budge.proofs.puzzles import puzzle_of
from budge.proofs.verdict import VALID
from pysat.solvers import Solver

from .certificates import BOXES, CROWD, HEAD, RUSH, TILES, certificate
from .test_proofs import ONE_WAY, SOLDIERS, TWINS, play, satisfied

CROSSING = HEAD + (
    "family: rush-hour\nboard: |2\n  A.b\n  ..b\n  cc.\norientation: {A: horizontal}\n"
    "goal: {piece: A, exit: {row: 1, col: 3}}\n"
)
CORNERS = HEAD + "family: sliding-block\nboard: |2\n  Abb\n  ...\ngoal: |2\n  ...\n  ..A\n"
TINY = [
    (RUSH, "slides", 3),
    (RUSH, "steps", 3),
    (CROSSING, "slides", 3),
    (TWINS, "slides", 3),
    (ONE_WAY, "steps", 3),
    (CORNERS, "steps", 3),
]


def formula(text: str, metric: str, at_most: int) -> tuple[PiecePuzzle, ParallelFormula]:
    """A board, and its clauses with parallel steps."""
    board = puzzle_of(text)
    assert isinstance(board, PiecePuzzle)
    made = formula_of(board, metric, at_most, Limits(), {PARALLEL: True})
    assert isinstance(made, ParallelFormula)
    return board, made


@pytest.mark.parametrize(
    ("name", "metric"), [("bird-1", "slides"), ("uva-9x9", "slides"), ("servais-93", "steps"), ("eight-20", "moves")]
)
def test_random_plays_satisfy_every_clause_but_the_goal(name: str, metric: str) -> None:
    board, made = formula(load(name).to_yaml(), metric, 12)
    clauses, random_ = list(made.clauses())[: -len(board.wishes)], random.Random(name)
    for steps in (0, 1, 5, 12, 12):
        assert satisfied(clauses, made.model(play(board, made, metric, random_, steps))) is None


def independent_sets(board: PiecePuzzle, count: str, position: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """The sets of moves that can be made from a position in every order, by trying the orders: how many moves, and the
    position after them."""
    places = Places(board, Limits())
    moves = list(actions_of(places, count, Limits()))

    def after(order: tuple[int, ...], here: frozenset[int]) -> frozenset[int] | None:
        for i in order:
            covered = {cell for place in here for cell in places.cells[place]}
            if moves[i].start not in here or moves[i].needs & covered:
                return None
            here = here - {moves[i].start} | {moves[i].end}
        return here

    possible = [i for i, move in enumerate(moves) if after((i,), frozenset(position))]
    found = []
    for size in range(1, len(position) + 1):
        for chosen in itertools.combinations(possible, size):
            if len({moves[i].start for i in chosen}) == size:
                ends = {after(order, frozenset(position)) for order in itertools.permutations(chosen)}
                if len(ends) == 1 and (end := ends.pop()):
                    found.append((size, tuple(sorted(end))))
    return found


@pytest.mark.parametrize(("text", "metric", "at_most"), TINY)
def test_models_without_the_goal_are_rows_of_independent_moves(text: str, metric: str, at_most: int) -> None:
    board, made = formula(text, metric, at_most)
    clauses = [list(c) for c in list(made.clauses())[: -len(board.wishes)]]
    stands = [x + t * made.stride for t in range(at_most + 1) for x in made.stands]
    found = 0
    with Solver("cadical153", bootstrap_with=clauses) as solver:
        while solver.solve():
            model = set(solver.get_model())
            found += 1
            solver.add_clause([-x if x in model else x for x in stands])
    rows = [(0, made.places.start)]
    count = 1
    for _ in range(at_most):
        rows = [
            (moves + more, end)
            for moves, here in rows
            for more, end in independent_sets(board, metric, here)
            if moves + more <= at_most
        ]
        count += len(rows)
    assert found == count


@pytest.mark.parametrize(
    ("text", "metric"), [(RUSH, "slides"), (RUSH, "steps"), (TWINS, "slides"), (TWINS, "steps"), (CORNERS, "slides")]
)
def test_the_clauses_are_satisfiable_from_the_optimum_on(text: str, metric: str) -> None:
    goal = exhausted(puzzle_of(text), metric, None, Limits()).goal
    assert goal is not None
    holds_from(text, metric, goal[0])


@pytest.mark.parametrize(("name", "metric"), [("bird-1", "slides"), ("bird-2", "steps"), ("level-01", "slides")])
def test_they_agree_with_the_library(name: str, metric: str) -> None:
    holds_from(load(name).to_yaml(), metric, load(name).header.expect.costs[metric][0])


def holds_from(text: str, metric: str, optimum: int) -> None:
    """Hold the clauses at the optimum, and on both sides of it, against what is known."""
    for at_most, wanted in ((optimum - 1, False), (optimum, True), (optimum + 1, True)):
        clauses = formula(text, metric, at_most)[1].clauses()
        with Solver("cadical153", bootstrap_with=[list(c) for c in clauses]) as solver:
            assert solver.solve() is wanted


def test_many_pieces_are_refuted_with_parallel_steps(tmp_path: Path) -> None:
    one = certificate(CROWD, "slides", REFUTATION)
    assert one.lower[PARALLEL] is True
    write(tmp_path, one, "a test")
    assert check_folder(tmp_path).status == VALID
    wrong = replace(one, lower={key: value for key, value in one.lower.items() if key != PARALLEL})
    write(tmp_path, wrong, "a test")
    assert "another formula" in check_folder(tmp_path).problem
    assert PARALLEL not in certificate(RUSH, "slides", REFUTATION).lower


def test_what_has_no_parallel_steps() -> None:
    for text, metric in ((SOLDIERS, "slides"), (TWINS, "moves"), (TILES, "pushes")):
        with pytest.raises(Unsupported):
            formula_of(puzzle_of(text), metric, 3, Limits(), {PARALLEL: True})
    with pytest.raises(Invalid, match="boards of pieces"):
        formula_of(puzzle_of(BOXES), "pushes", 3, Limits(), {PARALLEL: True})
    with pytest.raises(Invalid, match="Sokoban"):
        formula_of(puzzle_of(RUSH), "slides", 3, Limits(), {PARALLEL: True, AREAS: []})


def test_counting_holds_to_the_limit_of_memory() -> None:
    with pytest.raises(Stopped, match="memory"):
        formula_of(puzzle_of(RUSH), "slides", 1 << 29, Limits(mebibytes=64), {PARALLEL: True})
