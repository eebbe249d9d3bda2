"""Experiments and their store: nothing finished is lost, nothing proven is done again, and what can be asked of it."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from budge.cli import main
from budge.lab.executors import LocalExecutor
from budge.lab.experiment import Done, Entrant, Experiment, Limit, read_spec, run
from budge.lab.store import Filter, Store, compare_runs, comparison
from budge.models.errors import PuzzleError, UsageError
from budge.models.library import load
from budge.workflows.rows import Row

from ..helpers.older_store import make_older

BOARD = "format: 1\nfamily: rush-hour\nname: Board {n}\nboard: |\n{rows}\n"


def _boards(folder: Path, number: int = 6) -> Path:
    """Boards with a blockade that is a little longer in each."""
    folder.mkdir()
    for n in range(number):
        rows = [list("......") for _ in range(6)]
        rows[2][:2] = "AA"
        for i in range(1 + n % 3):
            rows[1][3 + i] = rows[2][3 + i] = "BCD"[i]
        rows[5][n % 3 : n % 3 + 2] = "EE"
        if n >= 3:
            rows[0][3:5] = "FF"
        text = BOARD.format(n=n, rows="\n".join("  " + "".join(row) for row in rows))
        (folder / f"board-{n}.yaml").write_text(text)
    return folder


def _run(experiment: Experiment, path: Path, **more: object) -> Done:
    executor = LocalExecutor(1)
    try:
        with Store(path, create=True) as store:
            return run(experiment, store, executor, **more)  # type: ignore[arg-type]
    finally:
        executor.close()


def test_an_experiment_is_kept_and_not_done_again(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    experiment = Experiment([load("bird-1"), load("bird-2")], [Entrant("plain")], ["slides", "steps"])
    rows: list[Row] = []
    done = _run(experiment, path, on_row=rows.append)
    assert (done.skipped, done.ended, done.proven) == (0, 4, 4)
    assert _run(experiment, path).skipped == 4
    longer = Experiment(experiment.puzzles, experiment.entrants, ["slides"], [Limit(120.0)])
    assert _run(longer, path).skipped == 2  # it is proven
    with pytest.raises(UsageError, match="--label"):
        _run(experiment, path, again=True)
    assert _run(experiment, path, again=True, label="second").ended == 4
    assert _run(experiment, path, again=True, label="second").skipped == 4
    with Store(path) as store:
        kept = list(store.rows())
        assert kept[:4] == rows
        assert [row.cost for row in kept if row.asked.metric == "slides"] == [24, 10, 24, 10]
        found = compare_runs(store, Filter(label="1"), Filter(label="second"))
        assert (len(found.pairs), found.only_before, found.only_after) == (4, 0, 0)
        assert len(comparison(store, kept).rows) == 4
        assert [one.runs for one in store.sessions()] == [4, 0, 0, 4, 0]


def test_options_repetitions_and_limits_are_runs_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "r.sqlite"
    entrants = [Entrant("cp-sat", (("strategy", "linear"),)), Entrant("plain")]
    experiment = Experiment([load("bird-2")], entrants, limits=[Limit(5.0), Limit(6.0)], repetitions=2)
    assert len(list(experiment.jobs())) == 8
    assert _run(Experiment([load("bird-2")], entrants, repetitions=2), path).ended == 4
    with Store(path) as store:
        assert {(r.engine, r.asked.options, r.asked.repetition) for r in store.rows()} == {
            ("cp-sat", "strategy=linear", 1),
            ("cp-sat", "strategy=linear", 2),
            ("plain", "", 1),
            ("plain", "", 2),
        }


def test_seeds_are_runs_of_their_own_and_are_compared_by_their_median(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.sqlite"
    linear = (("strategy", "linear"),)
    experiment = Experiment([load("bird-2")], [Entrant("cp-sat", linear), Entrant("plain")], seeds=[1, 2, 3])
    assert _run(experiment, path, label="one").ended == 4  # `plain` makes no random choices
    assert _run(experiment, path).skipped == 4
    more = Experiment(experiment.puzzles, [Entrant("cp-sat", linear)], seeds=[3, 4], repetitions=2)
    done = _run(more, path, label="two", again=True)
    assert (done.skipped, done.ended) == (0, 4)
    with Store(path) as store:
        asked = [(row.engine, row.asked.options, row.asked.seed, row.asked.repetition) for row in store.rows()]
        assert sorted(asked[:4], key=repr) == [
            *(("cp-sat", "strategy=linear", seed, 1) for seed in (1, 2, 3)),
            ("plain", "", None, 1),
        ]
        assert store._one("SELECT group_concat(seed) FROM runs WHERE session = 1")[0] == "1,2,3"
        found = compare_runs(store, Filter(label="one"), Filter(label="two"))
        (pair,) = found.pairs
        assert (pair.runs, found.only_before, found.only_after) == ((3, 4), 1, 0)
        for label, row in (("one", pair.before), ("two", pair.after)):
            runs = [one for one in Filter(label=label, engine="cp-sat").rows(store) if one.proven]
            times = sorted(one.seconds for one in runs)
            assert row.seconds == times[(len(times) - 1) // 2]
    capsys.readouterr()
    assert main(["results", str(path), "--engine", "cp-sat"]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[3:6] == ["4", "7", "7"]
    assert main(["results", str(path), "--list"]) == 0
    assert "strategy=linear seed=4" in capsys.readouterr().out
    assert main(["results", str(path), "--compare", "one", "two"]) == 0
    assert "1 median run of both" in capsys.readouterr().out
    with pytest.raises(UsageError, match="from 0 to 2147483647"):
        Experiment([load("bird-2")], [Entrant("cp-sat")], seeds=[-1]).checked()


def test_a_store_of_the_first_version_is_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    experiment = Experiment([load("bird-2")], [Entrant("plain")])
    _run(experiment, path)
    make_older(path, 1)
    assert _run(experiment, path).skipped == 1
    seeded = Experiment([load("bird-2")], [Entrant("cp-sat")], seeds=[5])
    assert _run(seeded, path).ended == 1
    with Store(path) as store:
        assert [row.asked.seed for row in store.rows()] == [None, 5]


def test_errors_of_a_specification_have_their_places(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text("format: 1\npuzzles: [no-such-thing]\nengines: [bsf]\nlimits: {time: 10x}\nrepetitions: 0\n")
    with pytest.raises(PuzzleError) as caught:
        read_spec(path)
    assert [(p.line, p.column) for p in caught.value.problems] == [(3, 11), (4, 16), (5, 14)]
    path.write_text("format: 1\npuzzles: [no-such-thing]\nengines: [bfs]\n")
    with pytest.raises(PuzzleError, match="no-such-thing") as caught:
        read_spec(path)
    assert (caught.value.problems[0].line, caught.value.problems[0].column) == (2, 11)
    path.write_text("format: 1\npuzzles: [bird-1]\nengines: [bfs]\nseeds: [1, 2]\n")
    with pytest.raises(PuzzleError, match="seed"):
        read_spec(path)


def test_a_store_is_only_what_is_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no store"):
        Store(tmp_path / "none.sqlite")
    (tmp_path / "text").write_text("no database at all, but text " * 100)
    with pytest.raises(UsageError, match="cannot use"):
        Store(tmp_path / "text", create=True)
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("CREATE TABLE cats (name)")
    other.commit()
    other.close()
    with pytest.raises(UsageError, match="not a store"):
        Store(tmp_path / "other.sqlite", create=True)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _boards(tmp_path / "boards", 3)
    Path("e.yaml").write_text("format: 1\npuzzles: boards\nengines: plain\nmetrics: [slides, steps]\nstore: s.sqlite\n")
    assert main(["batch", "e.yaml", "--jobs", "1"]) == 0
    assert "6 runs, 6 of them proven" in capsys.readouterr().out
    assert main(["batch", "boards", "--engines", "plain", "--metrics", "slides,steps", "--store", "s.sqlite"]) == 0
    assert "6 more were there already" in capsys.readouterr().out
    assert main(["results", "s.sqlite", "--csv", "--metric", "steps"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 4
    assert main(["results", "s.sqlite", "--json", "--puzzle", "board 1"]) == 0
    assert {json.loads(line)["puzzle"] for line in capsys.readouterr().out.splitlines()} == {"Board 1"}
    for shown in ([], ["--list"], ["--sessions"], ["--compare", "1", "1"]):
        assert main(["results", "s.sqlite", *shown]) == 0
        assert capsys.readouterr().out
    assert main(["results", "s.sqlite", "--html", "r.html"]) == 0
    assert "Board 2" in Path("r.html").read_text()
    assert main(["results", "s.sqlite", "--compare", "1", "nobody"]) == 2
    capsys.readouterr()
    for option, name, said in (
        ("--engine", "bsf", "no engine `bsf`; did you mean `bfs`?"),
        ("--metric", "stepps", "no metric `stepps`; did you mean `steps`?"),
        ("--family", "rushhour", "no family `rushhour`; did you mean `rush-hour`?"),
    ):
        assert main(["results", "s.sqlite", option, name]) == 2
        assert said in capsys.readouterr().err
    assert main(["results", "s.sqlite", "--engine", "fess"]) == 0
    assert "No run fits." in capsys.readouterr().out
    with closing(sqlite3.connect("s.sqlite")) as database, database:
        database.execute("UPDATE runs SET engine = 'of-another-package'")
    make_older("s.sqlite", 3)  # without a checksum of the rows
    assert main(["results", "s.sqlite", "--engine", "of-another-package"]) == 0
    assert "of-another-package" in capsys.readouterr().out


# Killed at any moment


def _killed_again_and_again(tmp_path: Path, times: int) -> None:
    """Kill an experiment at random moments. The store opens after each, and holds every row that was told."""
    boards, path, told = _boards(tmp_path / "boards"), tmp_path / "s.sqlite", 0
    command = [sys.executable, "-m", "budge", "batch", str(boards), "--engines", "plain", "--metrics", "slides,steps"]
    command += ["--store", str(path), "--jobs", "2", "--json", "--again"]
    chance = random.Random(1)
    for number in range(times):
        before = _count(path)
        with (tmp_path / "out").open("w") as out:
            process = subprocess.Popen([*command, "--label", str(number // 5)], stdout=out, start_new_session=True)
            time.sleep(chance.uniform(0.2, 1.6))
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        text = (tmp_path / "out").read_text()
        rows = [line for line in text.splitlines(keepends=True) if line.endswith("\n") and '"type": "row"' in line]
        told += len(rows)
        assert _count(path) >= before + len(rows)
    assert _count(path) >= told
    assert subprocess.run([*command, "--label", "last"], stdout=subprocess.DEVNULL).returncode == 0
    with Store(path) as store:
        last = list(store.rows("label = 'last'"))
        assert len(last) == 12
        assert all(row.proven for row in store.rows())


def _count(path: Path) -> int:
    if not path.exists():
        return 0
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        return int(database.execute("SELECT count(*) FROM runs").fetchone()[0]) if "runs" in tables else 0


@pytest.mark.weekly
def test_killed_at_random_moments(tmp_path: Path) -> None:
    _killed_again_and_again(tmp_path, 4)


@pytest.mark.slow
def test_killed_a_hundred_times(tmp_path: Path) -> None:
    _killed_again_and_again(tmp_path, 100)


# Two at once


@pytest.mark.weekly
def test_two_sessions_on_one_store_do_no_run_twice(tmp_path: Path) -> None:
    boards, path = _boards(tmp_path / "boards"), tmp_path / "s.sqlite"
    command = [sys.executable, "-m", "budge", "batch", str(boards), "--engines", "plain", "--store", str(path)]
    command += ["--metrics", "slides,steps", "--repetitions", "20", "--jobs", "1", "--json"]
    outputs = [tmp_path / "one", tmp_path / "other"]  # files: a full pipe would hold one of them up, and so the other
    both = [subprocess.Popen(command, stdout=output.open("w")) for output in outputs]
    assert [process.wait() for process in both] == [0, 0]
    ended = [json.loads(output.read_text().splitlines()[-1]) for output in outputs]
    assert [one["runs"] + one["skipped"] for one in ended] == [240, 240]
    with Store(path) as store:
        keys = [row.key for row in store.rows()]
    assert len(keys) == len(set(keys)) == 240
    assert sum(one["runs"] for one in ended) == 240


def test_what_a_live_session_is_at_work_on_is_waited_for_and_not_run(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    experiment = Experiment([load("bird-2")], [Entrant("plain")])
    _run(experiment, tmp_path / "other.sqlite")
    with Store(tmp_path / "other.sqlite") as store:
        (row,) = store.rows()
    with Store(path, create=True) as other:
        number = other.begin(row.conditions, "other", "1 core")
        assert other.claim(number, row.key)
        assert not other.claim(number + 1, row.key)
        waited: list[int] = []

        def the_other_ends(runs: int) -> None:
            waited.append(runs)
            other.add(number, experiment.puzzles[0], experiment.puzzles[0].to_yaml(), row)

        done = _run(experiment, path, on_wait=the_other_ends)
    assert (waited, done.skipped, done.ended) == ([1], 1, 0)


def test_what_a_session_left_behind_is_done(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    experiment = Experiment([load("bird-2")], [Entrant("plain")])
    done = _run(experiment, tmp_path / "other.sqlite")
    with Store(tmp_path / "other.sqlite") as store:
        (row,) = store.rows()
    with Store(path, create=True) as other:
        assert other.claim(7, row.key)
    with sqlite3.connect(path) as database:  # as of a process that has been killed, whose number another one has now
        database.execute("UPDATE claims SET began = began - 1000")
    database.close()
    done = _run(experiment, path)
    assert (done.skipped, done.ended) == (0, 1)
    with Store(path, create=True) as store:
        assert store.claim(9, row.key)


# Stores that cannot be written, or are damaged


def _unprivileged(*words: str) -> subprocess.CompletedProcess[str]:
    """A command line for which permissions count, also where the tests run as root."""
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all"]
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("as root, and no setpriv")
    prefix = drop if os.geteuid() == 0 else []
    return subprocess.run([*prefix, sys.executable, "-m", "budge", *words], capture_output=True, text=True)


@pytest.mark.weekly
@pytest.mark.parametrize("first_version", [False, True])
def test_a_store_in_a_place_that_cannot_be_written_can_be_read(tmp_path: Path, first_version: bool) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    path = folder / "s.sqlite"
    _run(Experiment([load("bird-2")], [Entrant("plain")]), path)
    if first_version:
        make_older(path, 1)
    before = path.read_bytes()
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        done = _unprivileged("results", str(path), "--list")
        assert (done.returncode, done.stderr) == (0, "")
        assert "plain" in done.stdout
        refused = _unprivileged("batch", "bird-2", "--store", str(path))
        assert refused.returncode == 74
    finally:
        folder.chmod(0o755)
    assert path.read_bytes() == before


def test_a_damaged_store_is_answered_with_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, damaged = tmp_path / "s.sqlite", tmp_path / "damaged.sqlite"
    _run(Experiment([load("bird-2")], [Entrant("plain")]), path)
    statements = (
        "UPDATE runs SET stats = '{'",
        f"UPDATE runs SET stats = '{'[' * 3000}'",
        "UPDATE runs SET status = 'happy'",
        "UPDATE runs SET engine = CAST(x'ff' AS TEXT)",
        "UPDATE sessions SET environment = '{}'",
        "UPDATE sessions SET environment = 'null'",
        "ALTER TABLE runs DROP COLUMN lower_bound",
    )
    for statement in statements:
        shutil.copy(path, damaged)
        with sqlite3.connect(damaged) as database:
            database.execute(statement)
        database.close()
        for option in ("--list", "--json"):
            assert main(["results", str(damaged), option]) == 2
            assert "cannot use the store" in capsys.readouterr().err


def test_what_an_engine_does_not_take_is_counted_and_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = "state: {n: {in: 0..3, start: 0}}\nactions: {go: {when: n < 3, set: {n: n + 1}, cost: 0}}\ngoal: n == 3\n"
    Path("free.yaml").write_text(f"format: 1\nfamily: custom\n{rules}")
    assert main(["batch", "free.yaml", "bird-1", "--engines", "csp,plain", "--json", "--jobs", "1"]) == 0
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (result["runs"], result["errors"]) == (4, [])
    assert len(result["unsupported"]) == 1
    assert "the engine `csp` needs operators that all cost something" in result["unsupported"][0]
    assert main(["batch", "free.yaml", "--engines", "csp", "--jobs", "1"]) == 0
    assert "1 run, 0 of them proven, 1 unsupported by their engines" in capsys.readouterr().out
