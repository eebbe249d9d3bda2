"""Problem texts that the checker derives from the rules, for all states; and forged ones, which it does not."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from operator import add, neg
from typing import Any
from unittest.mock import patch

import pytest
from budge.encoders.exports.problem_writing import write as problem_text
from budge.models.errors import BudgeError
from budge.models.families import load_text
from budge.models.library import load
from budge.proofs import check, derivation
from budge.proofs.check import _rules, compared
from budge.proofs.core.claim import AT_LEAST, OPTIMUM, UNSOLVABLE, Claim
from budge.proofs.core.exhaustion import Successors, exhaust
from budge.proofs.core.limits import Invalid, Limits, Rejected
from budge.proofs.core.problem import Cost, Problem, read
from budge.proofs.derivation import NotDerivedError, derive
from budge.proofs.games import puzzle_of
from budge.proofs.terms import Between, OpenError
from budge.workflows.certifying import canonical
from budge.workflows.exporting import problem_of
from budge.workflows.solving import solve

from ..helpers.board_games import game_by_rules
from ..helpers.compared_graphs import compare
from ..helpers.forged_problems import LIES, PDDL
from ..helpers.random_boards import n_puzzle, rush_hour, sliding_block
from ..helpers.random_definitions import Definitions
from ..helpers.random_pddl import Problems
from ..helpers.seeds import seeds

QUICK = (
    "atomix-water blocks-world bridge-and-torch burnt-pancakes-4 hanoi-4-on-4-pegs hanoi-8 ice-maze jugs-3-5 "
    "jugs-8-5-3 knights-exchange labyrinth-4x4 lights-out loopover-3x3 "
    "missionaries-and-cannibals pancakes-6 peg-solitaire peg-solitaire-4x4 reves-puzzle rubiks-cube-2x2x2 "
    "rubiks-cube-six-spots snake-5 topspin sokoban-microban-1 two-player-sokoban wolf-goat-cabbage"
)
SLOW = (
    "ball-sort folding-5 labyrinth-6x6 labyrinth-8x8 lunar-lockout-1 lunar-lockout-39 ricochet-robots-moon "
    "rubiks-cube-six-turns snake-8 snake-12"
)


BOARDS = (
    "bird-1:slides bird-1:steps level-01:slides level-36:steps unsolvable-deep:slides traffic:slides "
    "eight-31-a:moves equal-tiles:moves korf-01:moves seven-36:moves line-4:moves "
    "klotski/heng-dao-li-ma:steps klotski/heng-dao-li-ma:slides simplicity:steps simplicity:slides "
    "moving-day:moves moving-day:slides klotski/heng-dao-li-ma:moves klotski/bing-dang-jiang-zu:moves "
    "klotski/bing-dang-jiang-zu:slides impassable-gate:moves impassable-gate:steps "
    "microban-001:pushes microban-001:moves microban-021:pushes,moves microban-057:moves,pushes xsokoban-01:pushes"
)


def honest(name: str) -> tuple[str, Problem]:
    """The text of a shipped puzzle for the checker, and its problem, in a metric that stands behind a colon."""
    name, _, metric = name.partition(":")
    puzzle = load(name)
    return canonical(puzzle), read(problem_of(puzzle, metric or puzzle.metrics[0]).text)


def a_claim(problem: Problem, cost: Cost | None = None, says: str = OPTIMUM) -> Claim:
    """A claim about a problem."""
    return Claim(problem, says if cost else UNSOLVABLE, cost)


def derived(text: str, problem: Problem) -> bool:
    """Whether the checker derives the problem from the rules."""
    limits = Limits(None, None)
    with suppress(NotDerivedError):
        puzzle, metric = puzzle_of(text), ",".join(problem.counts)
        return derive(_rules(puzzle, metric, problem, limits), problem, limits) > 0
    return False


def differ(text: str, problem: Problem) -> bool:
    """Whether puzzle and problem are found to differ where all their positions, or short plays, are compared."""
    limits = Limits(None, None)
    try:
        compare(
            game_by_rules(puzzle_of(text), ",".join(problem.counts), limits),
            Successors(problem, limits),
            limits,
        )
    except Invalid:
        return True
    return False


@pytest.mark.weekly
@pytest.mark.parametrize(
    "name",
    [
        *QUICK.split(),
        *BOARDS.split(),
        *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW.split()),
    ],
)
def test_a_text_is_its_puzzle_for_all_states(name: str) -> None:
    text, problem = honest(name)
    how, unknown, _ = compared(text, a_claim(problem), Limits(None, None))
    assert "derived from the rules, for all positions" in how
    assert not unknown


def test_a_push_onto_a_goal_that_is_left_out_is_missed() -> None:
    text, problem = honest("microban-027:pushes")
    forged = replace(problem, actions=tuple(a for a in problem.actions if a.name != "push.U@r3c5"))
    assert len(forged.actions) == len(problem.actions) - 1
    assert not derived(text, forged)


def test_an_action_of_a_goal_that_reads_a_computed_place_is_missed() -> None:
    puzzle = load_text(
        "format: 1\nfamily: custom\nstate:\n  at: {in: 1..1, start: 1}\n  lit: {start: false}\n  on: {of: 1..1}\n"
        'actions:\n  light: {set: {lit: true}}\n  press: {set: {"on[1]": true}}\ngoal: lit and on[at]\n'
    )
    text, problem = canonical(puzzle), read(problem_of(puzzle, "moves").text)
    assert derived(text, problem)
    for action in problem.actions:
        forged = replace(problem, actions=tuple(a for a in problem.actions if a != action))
        assert not derived(text, forged), action.name


def test_a_price_that_is_never_where_the_state_says_so_is_a_condition() -> None:
    """A step of two is possible from 2 only: 4 // 3 and 4 // 4 are 1."""
    puzzle = load_text(
        "format: 1\nfamily: custom\nstate:\n  n: {in: 0..4, start: 4}\nactions:\n"
        "  one: {when: n >= 1, set: {n: n - 1}}\n  two: {when: n >= 2, set: {n: n - 2}}\n"
        "metrics:\n  moves:\n    one: 3\n"
        '    two: "(1 if n != 1 else never) if 4 // n != 1 else never"\ngoal: n == 0\n'
    )
    assert [solve(puzzle, engine).cost for engine in ("plain", "cp-sat")] == [7, 7]
    text, problem = canonical(puzzle), read(problem_of(puzzle, "moves").text)
    assert derived(text, problem)
    for forged in (replace(problem, actions=problem.actions[:-1]), replace(problem, actions=problem.actions[1:])):
        assert not derived(text, forged)


@pytest.mark.parametrize("name", ["lorries-1", "equal-tiles"])
def test_what_is_not_derived_is_visited(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivation, "MOST", 5)
    text, problem = honest(name)
    assert not derived(text, problem)
    limits = Limits(None, None)
    cost = exhaust(problem, None, [], limits)[1]
    how, unknown, _ = compared(text, a_claim(problem, cost), limits)
    assert "more than 5 classes of states" in how
    assert "the same of puzzle.yaml was recomputed by the rules" in how
    assert not unknown
    assert cost is not None
    for says, wrong in ((OPTIMUM, (cost[0] + 1, *cost[1:])), (AT_LEAST, (cost[0] + 1, *cost[1:])), (UNSOLVABLE, None)):
        with pytest.raises(Invalid, match="another problem"):
            compared(text, a_claim(problem, wrong, says), limits)


def test_a_large_puzzle_with_a_forged_text_stays_open() -> None:
    """4.3 * 10^19 positions: a goal that lies deeper than what is visited is noticed nevertheless."""
    text, problem = honest("rubiks-cube-six-spots")
    harder = read(problem_text(problem).replace("\ngoal ", "\ngoal corner_at:urf=dbl\ngoal ", 1))
    with patch.object(check, "MOST", 2000):
        how, unknown, _ = compared(text, a_claim(harder, (9,)), Limits(None, None))
    assert unknown == "not known to be puzzle.yaml"
    assert "not derived from the rules: the text has a goal that the puzzle has not" in how


FORGED = (
    "blocks-world bridge-and-torch ice-maze jugs-3-5 knights-exchange pancakes-6 snake-5 missionaries-and-cannibals "
    "moving-day:moves moving-day:slides simplicity:moves traffic:slides line-4:moves microban-001:pushes"
)


def forged(problem: Problem, many: int, random_: random.Random) -> list[Problem]:
    """The problem with one lie each, as texts are read."""
    texts = set[str]()
    for lie in LIES if problem.actions else ():
        for _ in range(many):
            with suppress(Rejected):
                texts.add(problem_text(lie(problem, random_)))
    texts.discard(problem_text(problem))
    result = []
    for text in sorted(texts):
        with suppress(Rejected):
            result.append(read(text))
    return result


@pytest.mark.weekly
@pytest.mark.parametrize("many", [2, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", FORGED.split())
def test_no_forged_text_is_derived(name: str, many: int) -> None:
    """What is derived from the rules is found to be the puzzle where all positions are compared, too."""
    text, problem = honest(name)
    refused = 0
    for other in forged(problem, many, random.Random(f"{name} {many}")):
        if derived(text, other):
            assert not differ(text, other), problem_text(other)
        else:
            refused += 1
    assert refused


@pytest.mark.parametrize("seed", seeds(300))
def test_random_rules(seed: int) -> None:
    text = Definitions(seed).text()
    try:
        puzzle = load_text(text)
        problem = read(problem_of(puzzle, puzzle.metrics[0]).text)
        text = canonical(puzzle)
        whole = derived(text, problem)
    except (BudgeError, Rejected):
        pytest.skip("no problem text, or the checker says that it does not understand the rules")
    if whole:
        assert not differ(text, problem)
    for other in forged(problem, 2, random.Random(seed)):
        if derived(text, other):
            assert not differ(text, other), problem_text(other)


@pytest.mark.parametrize("name", PDDL)
def test_problems_of_planners(name: str) -> None:
    """Facts that one variable says, and facts that the text leaves out."""
    puzzle = load_text(PDDL[name])
    for metric in puzzle.metrics:
        problem = read(problem_of(puzzle, metric).text)
        assert derived(canonical(puzzle), problem)
        for other in forged(problem, 3, random.Random(name)):
            if derived(canonical(puzzle), other):
                assert not differ(canonical(puzzle), other), problem_text(other)


def random_pddl(seed: int) -> bool | None:
    """Whether the text of a random problem in PDDL is derived, and none that is forged and differs; None: no text."""
    domain, problem = ("\n".join(f"  {line}" for line in text.splitlines()) for text in Problems(seed).texts())
    try:
        puzzle = load_text(f"format: 1\nfamily: pddl\ndomain: |\n{domain}\nproblem: |\n{problem}\n")
        metric = puzzle.metrics[seed % len(puzzle.metrics)]
        made = read(problem_of(puzzle, metric).text)
    except (BudgeError, Rejected):
        return None
    text = canonical(puzzle)
    for other in [made, *forged(made, 2, random.Random(seed))]:
        if derived(text, other):
            assert not differ(text, other), problem_text(other)
    return derived(text, made)


@pytest.mark.parametrize("seed", seeds(150))
def test_random_problems_of_planners(seed: int) -> None:
    if random_pddl(seed) is None:
        pytest.skip("no problem text")


@pytest.mark.slow
def test_most_problems_of_planners_are_derived() -> None:
    found = [random_pddl(seed) for seed in range(400)]
    assert found.count(True) > 4 * found.count(False)


@pytest.mark.parametrize("seed", seeds(150))
def test_random_boards(seed: int) -> None:
    """Pieces of any shape, some of them alike or with doors, in every metric."""
    text = [sliding_block(seed).text, rush_hour(seed), n_puzzle(seed)][seed % 3]
    puzzle = load_text(text)
    for metric in puzzle.metrics:
        problem = read(problem_of(puzzle, metric).text)
        # A text without actions says no more than that there is no plan, or that it is solved; one of sliding blocks
        # may leave out what never happens, as two pieces are always in the way of a third one.
        assert derived(canonical(puzzle), problem) or not problem.actions or seed % 3 == 0
        for other in forged(problem, 1, random.Random(seed)):
            if derived(canonical(puzzle), other):
                assert not differ(canonical(puzzle), other), problem_text(other)


def test_a_count_that_is_not_known_yet() -> None:
    count: Any = Between(2, 4, OpenError(0, None))
    assert (count == 1, count == 5, count != 5, count < 5, count <= 4, count > 1, count >= 2) == (False, False) + 5 * (
        True,
    )
    assert (count < 2, count > 4) == (False, False)
    asks: list[Callable[[], Any]] = [lambda: count == 3, lambda: count < 3, lambda: count > 3]
    asks += [lambda: add(count, 1), lambda: neg(count)]
    for ask in asks:
        with pytest.raises(OpenError):
            ask()
