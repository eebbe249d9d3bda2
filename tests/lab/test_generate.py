"""Making puzzles: what a seed gives does not depend on workers, and what is written is as wished for."""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import budge
import pytest
from budge import load_text
from budge.cli import _parsed, main
from budge.commands import generate as commands
from budge.commands.common import Interrupted
from budge.lab.blocks import BlockBoard, RushHourMaker
from budge.lab.executors import LocalExecutor
from budge.lab.generator import Archive, Goal, Graded, Made, SearchSetting, Wishes, finish, search, unit
from budge.lab.makers import maker_for
from budge.models.errors import UsageError
from budge.models.library import load
from budge.runtime.budget import Budget
from budge.runtime.child_main import Orders
from budge.runtime.events import silent
from budge.runtime.outcome import BoundsSoFar
from budge.runtime.processes import ChildReport
from budge.workflows.exploration import explore

SMALL = RushHourMaker(4, 4, (3, 6), 0, "slides")


def _searched(cores: int, seed: int = 3) -> Archive:
    executor = LocalExecutor(cores)
    try:
        return search(SearchSetting(SMALL, executor, seed=seed), rounds=2)
    finally:
        executor.close()


def test_a_seed_gives_the_same_whatever_the_number_of_workers() -> None:
    one, two = _searched(1), _searched(2)
    assert one.boards == two.boards
    assert (one.rounds, one.graded) == (two.rounds, two.graded)
    assert _searched(1, seed=4).boards != one.boards


def test_a_walk_grades_no_board_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    graded: list[object] = []
    grade = RushHourMaker.grade

    def noted(maker: RushHourMaker, board: BlockBoard) -> Graded | None:
        graded.append(board)
        return grade(maker, board)

    monkeypatch.setattr(RushHourMaker, "grade", noted)
    result = unit(SMALL, Goal(), "3", None, Budget(), silent)
    assert len(set(graded)) == len(graded) < result.graded


class Slow:
    """A worker that takes up an order when the time of the one before is over, and does none."""

    cores, name = 1, "slow"

    def __init__(self) -> None:
        self.seconds: list[float | None] = []

    def carry_out(
        self, orders: Iterable[Orders], interrupted: threading.Event | None = None
    ) -> Iterator[tuple[int, ChildReport]]:
        for number, one in enumerate(orders):
            self.seconds.append(one.seconds)
            time.sleep(one.seconds or 0.0)
            yield number, ChildReport(None, None, "time limit", BoundsSoFar(), 0.0, 0)

    def close(self) -> None: ...


def test_no_unit_begins_when_the_time_is_over() -> None:
    """All units of a round share its time: it does not begin anew for those that wait for a worker."""
    slow = Slow()
    assert search(SearchSetting(SMALL, slow), seconds=0.1).rounds == 0
    (seconds,) = slow.seconds
    assert seconds is not None
    assert 0 < seconds <= 0.1


def test_a_signal_ends_what_is_being_finished() -> None:
    interrupted, executor = threading.Event(), LocalExecutor(1)
    interrupted.set()
    graded = [graded for _, graded in _searched(2).fitting(Goal())]
    made = finish(
        SearchSetting(SMALL, executor, interrupted=interrupted), graded, Wishes(), how="by a test", name="made"
    )
    assert graded
    assert list(made) == []
    executor.close()


def test_what_is_finished_is_as_wished_for() -> None:
    archive, goal = _searched(2), Goal(4, 9)
    executor = LocalExecutor(1)
    wishes = Wishes(plans=50, movers=3)
    made = list(
        finish(
            SearchSetting(SMALL, executor, goal),
            [graded for _, graded in archive.fitting(goal)],
            wishes,
            how="by a test",
            name="made",
        )
    )
    executor.close()
    assert made
    assert len({one.same for one in made}) == len(made)
    for one in made:
        found = explore(one.puzzle, "slides").space
        assert found is not None
        assert found.features is not None
        assert found.distance == one.optimum == one.puzzle.header.expect.costs["slides"][0]
        assert 4 <= one.optimum <= 9
        assert found.features.shortest_plans <= 50
        assert found.features.pieces_moved >= 3


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("family", "options"),
    [
        ("rush-hour", ["--size", "4x4", "--pieces", "3-6"]),
        ("sliding-block", ["--size", "3x3", "--pieces", "3-6"]),
        ("sokoban", ["--size", "4x4", "--pieces", "2"]),
        ("n-puzzle", ["--size", "3x2", "--length", "8"]),
        ("custom", ["--from", "jugs-3-5", "--length", "3"]),
    ],
)
def test_the_command_line_makes_puzzles_that_check(
    family: str, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["generate", family, *options, "--rounds", "1", "--jobs", "1", "--quiet"]
    assert main([*command, "--out", str(tmp_path / "one")]) == 0
    assert main([*command, "--out", str(tmp_path / "two")]) == 0
    (one,), (two,) = (list((tmp_path / name).iterdir()) for name in ("one", "two"))
    first, second = load(one), load(two)
    assert first.digest == second.digest
    assert first.header.credit
    capsys.readouterr()
    assert main(["solve", str(one), "--engine", "plain", "--quiet"]) == 0  # else it contradicts `expect`


def test_json_has_the_text_of_a_puzzle_and_how_hard_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["generate", "rush-hour", "--size", "4x4", "--pieces", "3-6", "--rounds", "1", "--json", "--quiet"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    *_, made = map(json.loads, capsys.readouterr().out.splitlines())
    puzzle = load_text(made["text"])
    assert made["text"] == Path(made["file"]).read_text()
    assert made["optimum"] == budge.solve(puzzle, "bfs").cost
    assert made["plans"] == budge.plans(puzzle).plans.number  # type: ignore[union-attr]
    assert made["difficulty"] == json.loads(explore(puzzle).to_json())["difficulty"]
    assert made["certificate"] is None
    monkeypatch.setattr(commands, "FACTS", 0.0)
    assert main([*words, "--out", str(tmp_path), "--certify"]) == 0
    *_, late = map(json.loads, capsys.readouterr().out.splitlines())
    folder = Path(made["file"]).with_suffix(".certificate")
    assert late == {**made, "plans": None, "difficulty": None, "certificate": str(folder)}
    assert main(["verify", str(folder), "--puzzle", made["file"]]) == 0
    monkeypatch.setattr(commands, "CERTIFY", 0.0)
    capsys.readouterr()
    assert main([*words, "--out", str(tmp_path), "--certify"]) == 0
    told = capsys.readouterr()
    assert json.loads(told.out.splitlines()[-1])["certificate"] is None
    assert "no certificate for" in told.err


def test_wishes_that_nothing_fulfils_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["generate", "rush-hour", "--size", "3x3", "--pieces", "2-3", "--rounds", "1", "--optimum", "90-99"]
    assert main([*command, "--jobs", "1", "--out", str(tmp_path)]) == 3
    assert "0 of 1 puzzles found; search longer, or wish for less\n" in capsys.readouterr().err


def test_where_nothing_was_wished_for_nothing_is_said_of_wishes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["generate", "rush-hour", "--size", "3x3", "--pieces", "1-2", "--rounds", "1", "--count", "99"]
    assert main([*command, "--jobs", "1", "--out", str(tmp_path)]) == 3
    assert "of 99 puzzles found; search longer\n" in capsys.readouterr().err


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("family", "wishes"),
    [
        ("rush-hour", {"size": (4, 4), "pieces": (3, 5)}),
        ("sliding-block", {"size": (3, 3), "pieces": (3, 5)}),
        ("sokoban", {"size": (3, 3), "pieces": (1, 1)}),
        ("n-puzzle", {"size": (3, 2)}),
        ("custom", {"base": "wolf-goat-cabbage", "length": 4}),
    ],
)
def test_every_family_from_python(family: str, wishes: dict[str, Any]) -> None:
    made = budge.generate(family, 2, seed=3, rounds=1, **wishes)
    assert 1 <= len(made) <= 2
    for puzzle in made:
        assert puzzle.family == family
        assert puzzle.header.expect.costs
        solution = budge.solve(puzzle, "plain")
        assert (solution.status, solution.contradicts) == ("optimal", None)
        assert budge.load_text(puzzle.to_yaml()) == puzzle


def test_what_cannot_be_made_is_said() -> None:
    with pytest.raises(UsageError, match="--from"):
        maker_for("custom")
    with pytest.raises(UsageError, match="rush-hour"):
        maker_for("rushhour")
    with pytest.raises(UsageError, match="size"):
        maker_for("sokoban", size=(12, 12))
    with pytest.raises(UsageError, match="metric"):
        maker_for("sokoban", metric="moves")


def test_the_command_that_makes_a_puzzle_again_is_noted_with_what_it_was_made_from() -> None:
    words = "rush-hour --size 4x4 --from bird-1 --length 4 --not-minimal --seed 7"
    noted = commands._how(_parsed(["generate", *words.split()]), SMALL, Archive(rounds=3, graded=48))
    assert (
        noted
        == "48 boards: budge generate rush-hour --size 4x4 --from bird-1 --length 4 --not-minimal --seed 7 --rounds 3"
    )


@pytest.mark.weekly
def test_an_earlier_stage_of_a_search_is_replaced_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def made(rounds: int, size: str = "4x4") -> int:
        words = f"generate rush-hour --size {size} --pieces 4-7 --rounds {rounds} --jobs 1 --quiet --out"
        return main([*words.split(), str(tmp_path)])

    assert made(1) == 0
    (path,) = tmp_path.iterdir()
    first = path.read_text()
    assert made(2) == 0
    second = path.read_text()
    assert "--rounds 1" in first
    assert "--rounds 2" in second
    capsys.readouterr()
    assert made(1) == made(2, "4x5") == 2  # fewer rounds, another search
    assert capsys.readouterr().err.count("has other content") == 2
    interrupted = Interrupted()
    interrupted.set()
    asked = argparse.Namespace(seed=1, json=False)
    earlier = Made(load_text(first), 1, 1, ())
    commands._write(earlier, tmp_path, SMALL, asked, 1, interrupted)
    assert path.read_text() == second  # it is of the same search further on
    path.write_text(f"# mine\n{first}")
    assert made(2) == 2
    assert path.read_text() == f"# mine\n{first}"
    assert list(tmp_path.iterdir()) == [path]
