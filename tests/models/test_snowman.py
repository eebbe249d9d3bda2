"""Snowmen in rules of one's own: where balls go, and that a walker stays one on large boards."""

from __future__ import annotations

import pytest
from budge import Puzzle, load_text
from budge.models.task import OperatorTask


def level(rows: tuple[str, ...]) -> Puzzle:
    grid = "".join(f"  {row}\n" for row in rows)
    return load_text(f"format: 1\nfamily: snowman.family.yaml\nname: level\ngrid: |\n{grid}")


def test_a_large_board_keeps_its_walker() -> None:
    """Programs have none, so operators are enumerated on boards that would else have too many."""
    wall, lawn = "###########", "#'''''''''#"
    form = level((wall, *[lawn] * 4, "#'.1'q'1.'#", "#'''1'''.'#", *[lawn] * 3, wall)).form("pushes")
    assert isinstance(form, OperatorTask)
    assert form.walker is not None
    assert len(form.operators) > 1_000


@pytest.mark.parametrize(
    ("row", "plan", "after"),
    [
        ("#q1.'#", "roll(r2c3,right,small)", "#.q2.#"),  # it takes the snow and grows
        ("#q4.'#", "roll(r2c3,right,large)", "#.q4.#"),
        ("#q12'#", "put_on(r2c3,right,small)", "#.q3.#"),
        ("#q3''#", "roll(r2c3,right,small)", "#q21.#"),  # off a stack it leaves the player where he is
        ("#q34'#", "put_on(r2c3,right,small)", "#q25.#"),
        ("#q76'#", "put_on(r2c3,right,small)", "#q67.#"),
        ("#q3.'#", "roll(r2c3,right,small)", "#q22.#"),
    ],
)
def test_balls_go_where_the_game_lets_them(row: str, plan: str, after: str) -> None:
    puzzle = level(("######", row, "#''''#", "######"))
    assert puzzle.replay(puzzle.parse_plan(plan)).steps[-1].board[1] == after
