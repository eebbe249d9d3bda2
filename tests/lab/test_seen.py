"""The store of `budge generate`: it changes how long the search takes, and nothing that comes out of it."""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from budge import load_text
from budge.cli import main
from budge.commands import generate as commands
from budge.commands.common import Interrupted
from budge.lab.blocks import BlockMaker, RushHourMaker, SlidingBlockMaker
from budge.lab.choose import maker_for
from budge.lab.executors import LocalExecutor
from budge.lab.finish import Made, Wishes, finish
from budge.lab.generator import Archive, SearchSetting, search
from budge.lab.maker import Maker
from budge.lab.rooms import SIZE, RoomMaker, SokobanRoom
from budge.lab.seen import Grader, Seen
from budge.lab.store import Store
from budge.models.errors import UsageError
from budge.runtime.child_main import Orders
from budge.runtime.processes import ChildReport

from ..helpers.patience import PATIENCE

SMALL = RushHourMaker(4, 4, (3, 6), 0, "slides")
MAKERS = [
    SMALL,
    RushHourMaker(5, 4, (3, 6), 1, "steps"),
    SlidingBlockMaker(3, 4, (3, 6), 1, "moves"),
    RoomMaker(4, 4, 2),
    RoomMaker(3, 4, 2),
    maker_for("n-puzzle", size=(2, 2), length=6),
]


class Idle(LocalExecutor):
    """Carries out nothing: what is asked of it is a mistake."""

    def carry_out(self, orders: Iterable[Orders], interrupted: object = None) -> Iterator[tuple[int, ChildReport]]:
        assert not list(orders)
        return iter(())


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.grading)
def test_boards_become_text_and_back_and_are_graded_once(maker: Maker) -> None:
    chance = random.Random(4)
    grader, graded = Grader(maker, None), 0
    for _ in range(40):
        board = maker.new(chance)
        found = grader.grade(board)
        if found is None:
            continue
        graded += 1
        assert maker.from_text(maker.to_text(found.board)) == found.board
        known = len(grader.new)
        assert grader.grade(board) == found
        assert len(grader.new) == known
        plain = maker.grade(board)
        assert plain is not None
        assert (plain.optimum, plain.states) == (found.optimum, found.states)
    assert graded >= 3


@pytest.mark.parametrize("maker", MAKERS[:3], ids=lambda maker: maker.grading)
def test_mirror_images_of_boards_have_one_grade(maker: BlockMaker) -> None:
    chance = random.Random(6)
    for _ in range(20):
        board = maker.new(chance)
        images = list(maker._symmetries(board))
        assert len({maker.canonical(one)[0] for one in images}) == 1
        assert len({repr(Grader(maker, None).grade(one)) for one in images}) == 1


def _image(cells: int, height: int, width: int, turn: bool) -> int:
    """A set of cells, mirrored from left to right, or turned about the diagonal."""
    found = 0
    for r in range(height):
        for c in range(width):
            if cells >> (SIZE * r + c) & 1:
                found |= 1 << (SIZE * c + r if turn else SIZE * r + width - 1 - c)
    return found


@pytest.mark.parametrize(("maker", "turn"), [(RoomMaker(3, 3, 1), True), (RoomMaker(3, 4, 1), False)])
def test_mirror_images_of_rooms_have_one_grade(maker: RoomMaker, turn: bool) -> None:
    chance, graded = random.Random(6), 0
    for _ in range(40):
        room = maker.new(chance)
        if not maker.fits(room):
            continue
        floor, goals = (_image(cells, maker.height, maker.width, turn) for cells in (room.floor, room.goals))
        assert (
            maker.canonical(room)
            == maker.canonical(SokobanRoom(floor, goals))
            == maker.canonical(maker.canonical(room)[1])
        )
        one, other = maker.grade(room), maker.grade(SokobanRoom(floor, goals))
        assert (one and one.optimum) == (other and other.optimum)
        graded += one is not None
    assert graded >= 3


def _searched(store: Path | None, seed: int = 3, rounds: int = 2, jobs: type[LocalExecutor] = LocalExecutor) -> Archive:
    executor = jobs(2)
    try:
        return search(SearchSetting(SMALL, executor, seed=seed, seen=store), rounds=rounds)
    finally:
        executor.close()


def _made(found: Archive, store: Path, jobs: type[LocalExecutor]) -> list[Made]:
    executor = jobs(1)
    boards = [graded for _, graded in found.found]
    try:
        return list(finish(SearchSetting(SMALL, executor, seen=store), boards, Wishes(plans=9), how="", name="made"))
    finally:
        executor.close()


def test_what_is_known_is_not_done_again_and_changes_nothing(tmp_path: Path) -> None:
    store = tmp_path / "seen.sqlite"
    Seen(store, create=True).close()
    plain = _searched(None)
    _searched(store, seed=4)  # other walks know some of the boards
    first = _searched(store)
    assert 0 < first.known < first.graded
    again = _searched(store, jobs=Idle)
    assert again.known == again.graded
    for one in (first, again):
        assert one.found == plain.found
        assert (one.rounds, one.graded) == (plain.rounds, plain.graded)
    made = _made(first, store, LocalExecutor)
    assert made
    assert [one.puzzle.to_yaml() for one in _made(first, store, Idle)] == [one.puzzle.to_yaml() for one in made]


def test_grades_of_a_store_are_those_of_the_maker(tmp_path: Path) -> None:
    store = tmp_path / "seen.sqlite"
    Seen(store, create=True).close()
    _searched(store)
    chance, known = random.Random("3 0 0"), 0  # the first unit's: its boards are in the store
    grader = Grader(SMALL, str(store))
    for _ in range(50):
        board = SMALL.new(chance)
        assert grader.grade(board) == Grader(SMALL, None).grade(board)
        known = grader.known
        if known:
            break
    assert known == 1


def test_a_store_of_boards_is_only_what_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs, boards = tmp_path / "runs.sqlite", tmp_path / "boards.sqlite"
    Store(runs, create=True).close()
    Seen(boards, create=True).close()
    with pytest.raises(UsageError, match="not a store of boards"):
        Seen(runs, create=True)
    with pytest.raises(UsageError, match="not a store of experiments"):
        Store(boards, create=True)
    assert main(["generate", "rush-hour", "--store", str(runs), "--out", str(tmp_path)]) == 2
    assert "choose another name" in capsys.readouterr().err
    assert main(["generate", "rush-hour", "--store", str(tmp_path / "no" / "s"), "--out", str(tmp_path)]) == 2


# Ended at any moment


def _command(folder: Path, store: Path | None, seed: int = 1) -> list[str]:
    command = [
        sys.executable,
        "-m",
        "budge",
        "generate",
        "rush-hour",
        "--size",
        "4x4",
        "--pieces",
        "4-7",
        "--count",
        "3",
    ]
    command += ["--rounds", "5", "--seed", str(seed), "--jobs", "2", "--quiet", "--out", str(folder)]
    return [*command, "--store", str(store)] if store else command


def _files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def _ended_again_and_again(tmp_path: Path, times: int) -> None:
    store, out = tmp_path / "seen.sqlite", tmp_path / "out"
    subprocess.run(_command(tmp_path / "plain", None), check=True, stdout=subprocess.DEVNULL)
    chance, before = random.Random(2), 0
    for number in range(times):
        process = subprocess.Popen(_command(out, store), stdout=subprocess.DEVNULL, start_new_session=True)
        time.sleep(chance.uniform(0.2, 2.0))
        os.kill(process.pid, signal.SIGINT if number % 3 == 2 else signal.SIGKILL)
        # 1 is Python's own, where it has just begun
        assert process.wait(timeout=PATIENCE) in (0, 1, 130, -signal.SIGINT, -signal.SIGKILL)
        if store.exists():
            with sqlite3.connect(store) as database:
                assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
                now = database.execute("SELECT count(*) FROM work").fetchone()[0] if "work" in tables else 0
            assert now >= before
            before = now
        if number % 10 == 9:
            store.unlink(missing_ok=True)
            before = 0
    subprocess.run(_command(out, store), check=True, stdout=subprocess.DEVNULL)
    assert _files(out) == _files(tmp_path / "plain")


def test_what_was_ended_goes_on_to_the_same_files(tmp_path: Path) -> None:
    _ended_again_and_again(tmp_path, 4)


@pytest.mark.slow
def test_what_was_ended_a_hundred_times_goes_on_to_the_same_files(tmp_path: Path) -> None:
    _ended_again_and_again(tmp_path, 100)


def test_several_processes_use_one_store(tmp_path: Path) -> None:
    store = tmp_path / "seen.sqlite"
    for shared in (None, store):
        folders = [tmp_path / f"{shared is None}-{seed}" for seed in (1, 2, 1)]
        started = [
            subprocess.Popen(_command(folder, shared, seed), stdout=subprocess.DEVNULL)
            for folder, seed in zip(folders, (1, 2, 1), strict=True)
        ]
        assert [process.wait(timeout=PATIENCE) for process in started] == [0, 0, 0]
    for seed in (1, 2):
        assert _files(tmp_path / f"False-{seed}") == _files(tmp_path / f"True-{seed}")


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
