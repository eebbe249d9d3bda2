"""What `benchmarks/ipc2023.py write` makes of boards is read: small boards of each domain, written for this test."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from budge import load, solve
from budge.views.scene import Scene

AXES = ("ud", "fb", "lr")
PLACES = [f"cube{n}" for n in range(1, 9)] + [
    f"edge{a}{b}" for a, b in itertools.combinations(range(1, 9), 2) if (a - 1 ^ b - 1) in (1, 2, 4)
]


def colours(place: str) -> list[str]:
    """The colours of a place of a solved cube, called as the sides."""
    bits = [int(digit) - 1 for digit in place if digit.isdigit()]
    same = [axis for axis in range(3) if len({bit >> axis & 1 for bit in bits}) == 1]
    return [AXES[axis][bits[0] >> axis & 1] for axis in same]


SOLVED = {place: colours(place) for place in PLACES}

BOARDS: dict[str, tuple[dict[str, Any], int]] = {
    "folding": ({"side": 5, "start": [[2, 3], [3, 3], [4, 3]], "goal": [[2, 3], [3, 3], [3, 4]]}, 1),
    "labyrinth": ({"size": 3, "blocked": [["", "", ""], ["", "N", ""], ["", "", ""]], "robot": [0, 0]}, 4),
    "ricochet-robots": (
        {
            "width": 4,
            "height": 4,
            "walls": [[2, 1, "east"], [1, 3, "south"]],
            "robots": {"r1": [1, 1], "r2": [4, 1], "r3": [1, 4], "r4": [4, 4]},
            "goal": {"r1": [2, 1]},
        },
        1,
    ),
    "rubiks-cube": ({"start": SOLVED, "goal": SOLVED}, 0),
    "slitherlink": (
        {"edges": [["a", "b", "f", "o"], ["b", "c", "f", "o"], ["c", "d", "f", "o"], ["d", "a", "f", "o"]],
         "clues": {"f": 4}},
        4,
    ),
}  # fmt: skip
"""A board of each domain with the cost of a shortest plan."""


def test_a_task_of_each_domain_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import ipc2023  # type: ignore[import-not-found,unused-ignore]

    assert set(BOARDS) == set(ipc2023.DOMAINS)
    for domain, (board, cost) in BOARDS.items():
        line = {"task": "p01", "proven": cost, "best": cost, **board}
        (tmp_path / f"{domain}.jsonl").write_text(json.dumps(line) + "\n")
    ipc2023.write(tmp_path, tmp_path / "out")
    for domain, (_, cost) in BOARDS.items():
        puzzle = load(tmp_path / "out" / f"{domain}-p01.yaml")
        assert Scene(puzzle)
        assert solve(puzzle, "plain").cost == cost, domain
