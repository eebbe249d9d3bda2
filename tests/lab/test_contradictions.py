"""A contradiction is reported where two results about one puzzle exclude each other, and nowhere else: puzzles are what
they contain, whatever they are called and wherever they come from.
"""

from __future__ import annotations

import json
import random
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import budge
import pytest
from budge import Budget, Puzzle, Status, load_text
from budge.cli import main
from budge.lab.executors import LocalExecutor
from budge.lab.experiment import Entrant, Experiment, run
from budge.lab.store import Filter, Store, compare_runs
from budge.lab.store import comparison as kept_comparison
from budge.models.errors import PuzzleError
from budge.runtime.child_main import Orders
from budge.runtime.events import silent
from budge.runtime.outcome import BoundsSoFar
from budge.runtime.processes import ChildReport
from budge.views import rows as views
from budge.views.report import report
from budge.workflows.comparison import Comparison, disagreements
from budge.workflows.rows import Row, told_apart
from budge.workflows.verdict import Verdict
from budge.workflows.verification import Claim, verify_claims

from ..helpers import random_boards
from ..helpers.older_store import make_older

FEW, PAIRS, PLANTED = 40, 2000, 200
COMPARED, JUDGED = 60, 60
"""Of the 2,000 pairs, those that also go through `compare`, and the puzzles that go through `verify`: these begin a
process for each run, so that all pairs would take half an hour.
"""
FILE = "level.yaml"


def _different(number: int) -> list[Puzzle]:
    """So many different puzzles with one name, one file and one metric."""
    found: dict[str, Puzzle] = {}
    seed = 0
    while len(found) < number:
        text = random_boards.rush_hour(seed)
        lines = [line for line in text.splitlines() if not line.startswith(("name:", "expect:"))]
        seed += 1
        try:
            puzzle = load_text("\n".join([*lines, "name: Level", ""]), FILE)
        except PuzzleError:  # the target stands at its exit already
            continue
        found.setdefault(puzzle.digest, puzzle)
    return list(found.values())


class _InProcess:
    """An executor that begins no process: an engine ends such a board within milliseconds."""

    cores, name, local = 1, "this process", True

    def carry_out(
        self, orders: Iterable[Orders], interrupted: threading.Event | None = None
    ) -> Iterator[tuple[int, ChildReport]]:
        for number, one in enumerate(orders):
            budget = Budget(one.seconds, one.memory_mib)
            yield number, ChildReport(one.work(budget, silent), None, "", BoundsSoFar(), budget.elapsed, 0)

    def close(self) -> None:
        pass


def _rows(puzzles: Sequence[Puzzle], path: Path) -> list[Row]:
    """What `plain` proves of puzzles, by way of `batch` and its store; nothing of it contradicts."""
    with Store(path, create=True) as store:
        done = run(Experiment(puzzles, [Entrant("plain")]), store, _InProcess())
        assert (done.ended, done.proven, done.contradictions, done.errors) == (len(puzzles), len(puzzles), [], [])
        rows = list(store.rows())
        whole = kept_comparison(store, rows)
    assert not whole.disagreements
    assert len(whole.puzzles) == len(puzzles)
    return rows


def _planted(rows: Sequence[Row], rng: random.Random) -> Iterator[Row]:
    """Another engine's wrong results about the same puzzles: of each kind that can contradict."""
    for row in rows:
        cost, other = row.exact_cost, replace(row.asked, engine="bfs")
        if cost is None:
            yield replace(row, asked=other, exact_cost=(3,), outcome=replace(row.outcome, status=Status.FEASIBLE))
        elif rng.random() < 0.5:
            dearer = replace(row.outcome, lower_bound=(cost[0] + 1,), upper_bound=None, status=Status.UNKNOWN)
            yield replace(row, asked=other, exact_cost=None, outcome=dearer)
        else:
            none = replace(row.outcome, status=Status.UNSOLVABLE, lower_bound=None, upper_bound=None)
            yield replace(row, asked=other, exact_cost=None, outcome=none)


def _verified(puzzles: Sequence[Puzzle], rows: Sequence[Row]) -> None:
    """Verify the optimum of each puzzle and a wrong one."""
    costs = {row.asked.digest: row.exact_cost for row in rows}
    for puzzle in puzzles:
        cost = costs[puzzle.digest]
        right = Claim(FILE, cost or "unsolvable")
        lie = Claim(FILE, (3,) if cost is None else (cost[0] + 1,))
        true, false = verify_claims(puzzle, [right, lie], ["plain"], None, Budget(60.0), silent)
        assert true.verdict is (Verdict.OPTIMAL if cost else Verdict.UNSOLVABLE)
        assert false.verdict not in (Verdict.OPTIMAL, Verdict.UNSOLVABLE, Verdict.OPEN)


@pytest.mark.parametrize("pairs", [FEW, pytest.param(PAIRS, marks=pytest.mark.slow)])
def test_different_puzzles_with_equal_names_never_contradict_and_wrong_values_always(
    pairs: int, tmp_path: Path
) -> None:
    """Pairs of different puzzles with equal names, files and metrics, through the store and its report, a share of
    them through `compare` and `verify`; then wrong values among them.
    """
    puzzles = _different(2 * pairs)
    rows = _rows(puzzles, tmp_path / "s.sqlite")
    assert len({row.asked.puzzle for row in rows}) == 1
    assert len({row.asked.puzzle for row in told_apart(rows)}) == len(puzzles)
    for one, other in zip(rows[::2], rows[1::2], strict=True):
        assert not disagreements([one, other])
        assert len(views.grouped([one, other])) == 2
    many = pairs > FEW
    compared = puzzles[: 2 * (COMPARED if many else 5)]
    for pair in zip(compared[::2], compared[1::2], strict=True):
        comparison = budge.compare(pair, "plain", jobs=2)
        assert not comparison.disagreements
        assert len(views.grouped(comparison.rows)) == 2
    _verified(puzzles[: JUDGED if many else 10], rows)
    wrong = pairs // 10
    planted = list(_planted(rows[: 2 * wrong : 2], random.Random(pairs)))
    mixed = [*rows, *planted]
    random.Random(pairs).shuffle(mixed)
    found = disagreements(mixed)
    assert len(found) == wrong == (PLANTED if pairs == PAIRS else len(planted))
    assert len({sentence.split(": ")[0] for sentence in found}) == wrong
    assert report(Comparison(tuple(mixed), found)).count("DISAGREEMENT") == wrong


def test_unnamed_texts_are_two_puzzles() -> None:
    boards = ("AA....\n  ......", "AA..B.\n  ....B.")
    puzzles = [load_text(f"format: 1\nfamily: rush-hour\nboard: |\n  {board}\n") for board in boards]
    found = budge.compare(puzzles, ["plain"])
    assert not found.disagreements
    assert len(views.grouped(found.rows)) == 2
    assert "2 puzzles" in repr(found)
    assert len({line.split("  ")[0] for line in str(found).splitlines()[1:]}) == 2


def test_a_file_that_was_edited_between_two_sessions_is_two_puzzles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for number, board in enumerate(("AA....\n  ......", "AA..B.\n  ....B.")):
        Path("level.yaml").write_text(f"format: 1\nfamily: rush-hour\nname: Level\nboard: |\n  {board}\n")
        command = ["batch", "level.yaml", "--engines", "plain", "--store", "s.sqlite", "--jobs", "1", "-q"]
        assert main([*command, "--label", str(number + 10)]) == 0
    assert main(["results", "s.sqlite", "--html", "r.html"]) == 0
    assert "DISAGREEMENT" not in Path("r.html").read_text()
    capsys.readouterr()
    assert main(["results", "s.sqlite", "--list"]) == 0
    assert len({line.split("  ")[0] for line in capsys.readouterr().out.splitlines()[1:]}) == 2
    with Store(Path("s.sqlite")) as store:
        found = compare_runs(store, Filter(label="10"), Filter(label="11"))
        assert (len(found.pairs), found.only_before, found.only_after) == (0, 1, 1)


def test_equal_puzzles_run_once_and_keep_both_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "other"):
        Path(f"{name}.yaml").write_text(f"format: 1\nfamily: rush-hour\nname: {name}\nboard: |\n  AA....\n")
    command = ["batch", "one.yaml", "other.yaml", "--engines", "plain", "--store", "s.sqlite", "--jobs", "1", "--json"]
    assert main(command) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["runs"], result["skipped"]) == (1, 1)
    assert main(["results", "s.sqlite", "--list", "--puzzle", "other"]) == 0
    assert "one = other" in capsys.readouterr().out


def test_a_copy_of_a_running_store_has_its_rows(tmp_path: Path) -> None:
    path, copy = tmp_path / "s.sqlite", tmp_path / "copy.sqlite"
    with Store(path, create=True) as store:
        copy.write_bytes(path.read_bytes())
        with Store(copy) as other:
            assert other.count() == 0
        executor = LocalExecutor(1)
        run(Experiment(_different(3), [Entrant("plain")]), store, executor)
        store._carried -= 10  # as if time had gone by
        run(Experiment(_different(4), [Entrant("plain")]), store, executor)
        executor.close()
        copy.write_bytes(path.read_bytes())
    with Store(copy) as other:
        assert other.count() == 4


def test_reading_an_old_store_changes_nothing_and_writing_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.sqlite"
    _rows(_different(2), path)
    make_older(path, 2)
    before = path.read_bytes()
    assert main(["results", str(path), "--list"]) == 0
    assert path.read_bytes() == before
    capsys.readouterr()
    for said in (True, False):
        assert main(["batch", "bird-2", "--engines", "plain", "--store", str(path), "--jobs", "1", "-q"]) == 0
        assert ("is now a store of version 4, not 2" in capsys.readouterr().err) == said
    with Store(path) as store:
        assert store.count() == 3


def test_a_store_with_damaged_pages_is_refused_and_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "s.sqlite"
    _rows(_different(30), path)
    whole, rng, refused = path.read_bytes(), random.Random(5), 0
    with Store(path) as store:
        kept = [list(store.runs()), store.texts(), store.sessions()]
    for _ in range(30):
        at = rng.randrange(4096, len(whole) - 400)
        path.write_bytes(damaged := whole[:at] + rng.randbytes(400) + whole[at + 400 :])
        code = main(["results", str(path), "--list"])
        assert path.read_bytes() == damaged
        if code:
            refused += 1
            assert code == 2
            assert f"cannot use the store {path}" in capsys.readouterr().err
        else:  # the bytes are in a part of a page that holds nothing
            with Store(path) as store:
                assert [list(store.runs()), store.texts(), store.sessions()] == kept
    print(f"{refused} of 30 refused, of the others every row is as it was")
    for number in re.finditer(rb"(?<=\[)[0-8](?=\])", whole):  # a cost or a bound that is another number
        at = number.start()
        path.write_bytes(whole[:at] + b"9" + whole[at + 1 :])
        assert main(["results", str(path), "--list"]) == 2
    assert refused > 0
