"""Random puzzles of every family with a metric each, as hypothesis draws them, and what engines have to say of them."""

from __future__ import annotations

from budge import Budget, Puzzle, Solution, Status, load_text
from budge.models.errors import PuzzleError
from budge.models.moves import Cost
from hypothesis import assume
from hypothesis import strategies as st

from .random_boards import n_puzzle, rush_hour, sliding_block
from .reference import optimal
from .sokoban_levels import levels, text_of

SEEDS = st.integers(0, 10**9)


@st.composite
def rush_hours(draw: st.DrawFn) -> tuple[Puzzle, str]:
    return load_text(rush_hour(draw(SEEDS))), draw(st.sampled_from(["slides", "steps"]))


@st.composite
def sliding_blocks(draw: st.DrawFn) -> tuple[Puzzle, str]:
    try:
        puzzle = load_text(sliding_block(draw(SEEDS)).text)
    except PuzzleError:  # a goal piece that may not move, for example
        assume(False)
    return puzzle, draw(st.sampled_from(["moves", "slides", "steps"]))


@st.composite
def n_puzzles(draw: st.DrawFn) -> tuple[Puzzle, str]:
    return load_text(n_puzzle(draw(SEEDS))), "moves"


@st.composite
def sokobans(draw: st.DrawFn) -> tuple[Puzzle, str]:
    metric = st.sampled_from(["pushes", "moves", "pushes,moves", "moves,pushes"])
    return load_text(text_of(list(draw(levels())))), draw(metric)


def puzzles() -> st.SearchStrategy[tuple[Puzzle, str]]:
    """A puzzle of any of these families, and a metric."""
    return rush_hours() | sliding_blocks() | n_puzzles() | sokobans()


def cost_of(puzzle: Puzzle, metric: str) -> Cost | None:
    """The optimum by the definition; None if there is no plan."""
    best = optimal(puzzle.task(metric))
    return best[0] if best else None


def agrees(solution: Solution, expected: Cost | None) -> None:
    """An engine has proven the optimum, or that there is no plan."""
    outcome = solution.outcome
    assert outcome.status is (Status.UNSOLVABLE if expected is None else Status.OPTIMAL)
    assert solution.outcome.upper_bound == expected
    assert expected is None or outcome.lower_bound == expected


def interrupted() -> Budget:
    """A budget of a user who has lost patience."""
    budget = Budget()
    budget.interrupted.set()
    return budget
