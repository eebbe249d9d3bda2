"""Hints in positions of random boards, held against all plans from there."""

from __future__ import annotations

import json
import random

import pytest
from budge import hint, load_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..helpers.random_boards import rush_hour
from ..helpers.vehicle_positions import positions_of


def hints(seed: int, most: int) -> int:
    """Ask for hints in positions of a random board: all first moves of shortest plans are named, and no other. How many
    positions were asked.
    """
    puzzle = load_text(rush_hour(seed))
    try:
        positions = positions_of(puzzle)
    except OverflowError:
        return 0
    away, value = positions.away(), puzzle.value
    chosen = random.Random(seed).sample(sorted(positions.steps, key=str), min(most, len(positions.steps)))
    for here in chosen:
        rows = [["#" if sign == "#" else "." for sign in row] for row in puzzle.board()]
        for letter, own in here:  # type: ignore[attr-defined]
            for r, c in own:
                rows[r][c] = letter
        r, c = (cell + 1 for cell in value.exit_cell)
        board = "".join(f"  {''.join(row)}\n" for row in rows)
        goal = f"goal: {{piece: {value.target}, exit: {{row: {r}, col: {c}}}}}"
        ways = {"RL": "horizontal", "DU": "vertical"}
        turned = {p.letter: ways[p.directions] for p in value.pieces if len(p.cells) == 1}
        text = f"format: 1\nfamily: rush-hour\nboard: |\n{board}{goal}\norientation: {json.dumps(turned)}\n"
        answer = hint(load_text(text), "slides")
        assert answer.distance == away.get(here)
        right = {
            move[:2]  # type: ignore[index]
            for _, move, _, after in positions.steps[here]
            if away.get(here) and away.get(after) == away[here] - 1
        }
        assert {(move[0], int(move[1:])) for move in answer.moves} == right
    return len(chosen)


@given(st.integers(0, 10**6))
@settings(max_examples=20, suppress_health_check=list(HealthCheck))
def test_hints_lead_to_shortest_plans(seed: int) -> None:
    hints(seed, 10)


@pytest.mark.slow
def test_ten_thousand_hints() -> None:
    assert sum(hints(seed, 40) for seed in range(900)) > 10_000
