"""Puzzles as pages play them (`views/rules.py`, `views/web`): rules as data, held against the rules of families."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import budge
import pytest
from budge.engines.common.state_graph import state_graph
from budge.models.cells import Cell, Rows
from budge.models.errors import UsageError
from budge.models.library import shipped
from budge.models.moves import Slide
from budge.models.puzzle import Puzzle
from budge.runtime.budget import Budget
from budge.runtime.events import silent
from budge.views.rules import rules_of
from budge.views.scene import Scene
from budge.workflows.exploration import explore
from budge.workflows.playing import Game

from ..helpers.deno import needs_deno, run_module
from ..helpers.pddl_domains import BLOCKS, PAIRS
from ..helpers.program_tasks import undoable

pytestmark = needs_deno

MODULE = "rules_in_pages.js"
STEPS = 20
MOST = 1_000_000
OWN = [name for name in shipped() if name.startswith("custom/")]
LARGE = {
    f"custom/{name}"
    for name in (
        *(
            "folding-14",
            "labyrinth-4x4",
            "labyrinth-6x6",
            "labyrinth-8x8",
            "lights-out",
            "loopover-3x3",
            "peg-solitaire",
        ),
        *("pocket-cube", "rubiks-cube-2x2x2", "rubiks-cube-six-spots", "rubiks-cube-six-turns", "ricochet-robots-moon"),
        *("two-player-sokoban", "atomix-water", "klotski", "reves-puzzle", "topspin", "snake-12", "water-sort-13"),
        *("flood-8x8", "lunar-lockout-39", "rush-hour"),
        *(f"snowman-{level}" for level in ("corner", "garden", "niches", "twins", "two-patches", "two-rooms")),
    )
}
SLIDING = [name for name in shipped() if not name.startswith("custom/")]
SOME = [
    *("rush_hour/bird-1", "rush_hour/bird-2", "rush_hour/servais-93", "rush_hour/unsolvable", "sokoban/microban-001"),
    *("sokoban/microban-003", "sliding_block/simplicity", "n_puzzle/five-21", "n_puzzle/line-4"),
]


def in_page(puzzle: Puzzle, metric: str) -> dict[str, Any]:
    rules = rules_of(puzzle, metric)
    assert rules is not None
    return rules


def pddl(domain: str, problem: str) -> Puzzle:
    texts = {"domain": domain, "problem": problem}
    parts = ["".join(f"  {line}\n" for line in text.splitlines()) for text in texts.values()]
    return budge.load_text(
        "format: 1\nfamily: pddl\n" + "".join(f"{key}: |\n{part}" for key, part in zip(texts, parts, strict=True))
    )


def seen_at(stage: Scene, rows: Rows) -> list[Any]:
    """The kind, place and face of each piece that Python draws."""
    return sorted([kind, *cell, face] for kind, cell, face in stage.places(rows))


def held_against_the_rules(puzzle: Puzzle, metric: str, folder: Path) -> None:
    """A random walk in the page and by the rules: the same boards, costs and moves, and pieces go where a move says.

    The page also has moves behind a walk that costs nothing, `push(up)@r2c3`: these are only played.
    """
    walk = run_module(MODULE, in_page(puzzle, metric), folder, STEPS, 0)["walk"]
    game, rules, stage = Game(puzzle, metric), puzzle.record.simulate(puzzle.value), Scene(puzzle)
    for seen in walk:
        if seen["lines"]:
            assert seen["lines"] == list(game.board)
        assert seen["solved"] == game.solved
        assert seen["cost"] == [game.costs[part] for part in metric.split(",")]
        assert seen["landed"]
        assert sorted([re.sub(r" \d+$", "", id), *place] for id, place in seen["at"].items()) == seen_at(
            stage, game.board
        )
        moves = list[Any]()
        for move in game.moves():
            after = rules.fork()
            notation = after.play(move)
            if after.position != rules.position:  # a page does not offer what changes nothing
                moves.append(notation)
        near = [one["notation"] for one in seen["moves"] if "@" not in one["notation"] and ") " not in one["notation"]]
        assert sorted(near) == sorted(moves)
        taps = {tuple(one["tap"]) for one in seen["moves"] if one.get("tap") and "@" not in one["notation"]}
        assert taps <= {move.where for move in game.moves()}
        if seen.get("chosen") is not None:
            for move in puzzle.parse_plan(seen["chosen"]):
                game.play(move)
                rules.play(move)


@pytest.mark.parametrize("name", OWN)
def test_own_rules_are_played_alike(name: str, tmp_path: Path) -> None:
    puzzle = budge.load(name)
    for metric in puzzle.metrics:
        held_against_the_rules(puzzle, metric, tmp_path)


@pytest.mark.parametrize("pair", [*PAIRS, BLOCKS])
def test_problems_in_pddl_are_played_alike(pair: tuple[str, str], tmp_path: Path) -> None:
    puzzle = pddl(*pair)
    for metric in puzzle.metrics:
        held_against_the_rules(puzzle, metric, tmp_path)


@pytest.mark.parametrize("seed", range(6))
def test_random_rules_are_played_alike(seed: int, tmp_path: Path) -> None:
    puzzle = budge.load_text(undoable(seed))
    held_against_the_rules(puzzle, puzzle.header.metric, tmp_path)


def test_many_atoms_are_told_alike(tmp_path: Path) -> None:
    """Of few false atoms these are told (`free: all but d3`), of very many the first (`and 5 more`)."""
    many, few = [f"d{n}" for n in range(45)], [f"c{n}" for n in range(10)]
    pairs = [(a, b) for a in few for b in few][:45]
    domain = """\
(define (domain many)
  (:requirements :typing)
  (:types wide narrow)
  (:predicates (free ?d - wide) (on ?a ?b - narrow) (done))
  (:action take :parameters (?d - wide) :precondition (free ?d) :effect (and (not (free ?d)) (done)))
  (:action drop :parameters (?a ?b - narrow) :precondition (on ?a ?b) :effect (not (on ?a ?b))))
"""
    true = " ".join([*(f"(free {d})" for d in many), *(f"(on {a} {b})" for a, b in pairs)])
    objects = f"{' '.join(many)} - wide {' '.join(few)} - narrow"
    problem = f"(define (problem p) (:domain many) (:objects {objects}) (:init {true}) (:goal (done)))"
    held_against_the_rules(pddl(domain, problem), "actions", tmp_path)


# Walkers


def room(size: int, boxes: int) -> Puzzle:
    """A walled square with boxes and goals here and there."""
    inside = [(r, c) for r in range(2, size - 2) for c in range(2, size - 2)]
    chosen = random.Random(1).sample(inside, 2 * boxes)
    signs: dict[Cell, str] = {cell: "$."[number % 2] for number, cell in enumerate(chosen)} | {(1, 1): "@"}
    edge = {0, size - 1}
    rows = ("".join("#" if {r, c} & edge else signs.get((r, c), " ") for c in range(size)) for r in range(size))
    return budge.load_text("format: 1\nfamily: sokoban\nmap: |2\n" + "".join(f"  {row}\n" for row in rows))


@pytest.mark.parametrize(("size", "boxes"), [(9, 2), (30, 20)])
def test_a_walker_goes_wherever_the_rules_let_it(size: int, boxes: int, tmp_path: Path) -> None:
    """On a large board the moves are pushes and steps, and the others are found when they are asked for."""
    puzzle = room(size, boxes)
    found = run_module(MODULE, in_page(puzzle, "pushes"), tmp_path, STEPS, 0)["walks"]
    moves = [move for move in Game(puzzle).moves() if isinstance(move, Slide)]
    walks = {move.end: len(move.path) for move in moves if move.cell == (1, 1)}
    assert {tuple(cell): len(path) for cell, path in found["to"] if path} == walks
    assert found["far"] is (size == 30)
    assert found["listed"] == sum(not found["far"] or len(move.path) == 1 for move in moves)


# All states


def all_states(puzzle: Puzzle, folder: Path) -> None:
    """The page visits as many states as `explore`, and finds the optimum that the file expects.

    Of objects that nothing tells apart, a page keeps one order, and `explore` all: they are counted without that. Where
    a player walks, `explore` leaves out states that no plan can pass: they are counted by the task with every move.
    """
    metric = puzzle.header.metric
    rules = in_page(puzzle, metric)
    found = run_module(MODULE, rules, folder, 0, MOST)
    if found["more"]:
        pytest.skip(f"more than {MOST:,} states")
    expected = puzzle.header.expect.costs.get(metric)
    if expected is not None:
        assert tuple(found["optimum"]) == expected
    if rules.get("programs", {}).get("swaps"):
        rules["programs"]["swaps"] = []
        found = run_module(MODULE, rules, folder, 0, MOST)
    if found["more"]:
        return
    if rules["scene"]["walker"]:
        assert found["states"] == state_graph(puzzle.complete(metric), Budget(300), silent).states
        return
    try:
        answer = explore(puzzle, metric, Budget(300))
    except UsageError:
        return  # a metric in which steps differ in cost
    assert answer.space is not None
    assert not answer.space.stopped_by
    assert found["states"] == answer.space.states
    assert found["optimum"] == (None if answer.distance is None else [answer.distance])


@pytest.mark.parametrize("name", [name for name in OWN if name not in LARGE])
def test_all_states_of_own_rules(name: str, tmp_path: Path) -> None:
    all_states(budge.load(name), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in OWN if name in LARGE])
def test_all_states_of_own_rules_with_many(name: str, tmp_path: Path) -> None:
    all_states(budge.load(name), tmp_path)


@pytest.mark.parametrize("name", SOME)
def test_all_states_of_sliding_pieces(name: str, tmp_path: Path) -> None:
    all_states(budge.load(name), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SLIDING if name not in SOME])
def test_all_states_of_sliding_pieces_with_many(name: str, tmp_path: Path) -> None:
    all_states(budge.load(name), tmp_path)
