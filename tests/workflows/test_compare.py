"""`budge compare`: rows of every engine, agreement on what is proven, files to go on with, and the report."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil
import pytest
from budge import Budget, DisagreementError, Outcome, Status, UsageError, load, load_text
from budge.cli import main
from budge.models.text import columns
from budge.version import SCHEMA, __version__
from budge.views import rows as views
from budge.views.report import report
from budge.views.sections import as_text
from budge.views.terminal import Screen
from budge.workflows.comparison import Comparison, compare, disagreements
from budge.workflows.jobs import Job
from budge.workflows.rows import COLUMNS, Conditions, Row, as_object, key_of, row_from

from ..helpers.patience import PATIENCE, until

NASTY = '<script>alert("x")</script> & $x^2$ 横刀立马'
NO_BOUNDS: dict[str, Any] = {"lower_bound": None, "upper_bound": None}
VOID = {"meta", "link", "br", "img", "input"}


@pytest.fixture(scope="module")
def rows() -> tuple[Row, ...]:
    """Real rows: three families, three engines."""
    names = ("bird-2", "microban-001", "rush_hour/unsolvable")
    return compare(
        [load(name) for name in names], ["bfs", "bird", "auto"], conditions=Conditions(time_limit=PATIENCE, jobs=2)
    ).rows


def test_rows_say_what_happened(rows: tuple[Row, ...]) -> None:
    assert [(row.asked.puzzle, row.engine) for row in rows] == [
        ("Bird's second grid", "bfs"),
        ("Bird's second grid", "bird"),
        ("Bird's second grid", "auto"),
        ("Microban 1", "bfs"),
        ("Microban 1", "auto"),
        ("No way out", "bfs"),
        ("No way out", "bird"),
        ("No way out", "auto"),
    ]
    assert [row.cost for row in rows] == [10, 14, 10, 8, 8, None, None, None]
    assert [row.status for row in rows[5:]] == [Status.UNSOLVABLE] * 3
    first = rows[0]
    assert (first.outcome.lower_bound, first.outcome.upper_bound, len(first.plan or ())) == ((10,), (10,), 10)
    assert first.history[-1][1:] == ((10,), (10,))
    assert first.times
    assert first.seconds >= first.times.solve > 0
    assert first.times.total == pytest.approx(first.seconds)
    assert not disagreements(rows)


def test_rows_survive_json(rows: tuple[Row, ...]) -> None:
    assert all(row_from(json.loads(json.dumps(as_object(row))), row.conditions) == row for row in rows)


def test_unknown_names_are_usage_errors() -> None:
    with pytest.raises(UsageError, match="no engine `bfz`"):
        compare([load("bird-2")], ["bfz"])
    with pytest.raises(UsageError, match="no metric `pushes`"):
        compare([load("bird-2")], ["bfs"], "pushes")
    with pytest.raises(UsageError, match="none of these engines"):
        compare([load("microban-001")], ["bird"])


def test_an_engine_that_cannot_do_it_says_so() -> None:
    [row] = compare([load("microban-001")], ["cp-sat"], "moves,pushes", Conditions(time_limit=PATIENCE)).rows
    assert row.status in (Status.UNSUPPORTED, Status.OPTIMAL)
    assert row.status is Status.OPTIMAL or row.error


def test_the_key_is_the_content_and_not_the_title() -> None:
    text = "format: 1\nfamily: rush-hour\nboard: |\n  AA..\n  ....\n"
    job = Job(load_text(text), "bfs", "slides")
    key = key_of(job, 10, 100)
    assert key == key_of(Job(load_text(text + "name: other\nexpect: {cost: 3}\n"), "bfs", "slides"), 10, 100)
    others = [replace(job, engine="cp-sat"), replace(job, metric="steps"), replace(job, puzzle=load("bird-1"))]
    keys = {key_of(other, 10, 100) for other in others} | {key_of(job, 11, 100), key_of(job, 10, 101)}
    assert len(keys - {key}) == 5


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"exact_cost": (11,), "outcome": {"lower_bound": (11,), "upper_bound": (11,)}}, "at least 11 are needed"),
        ({"exact_cost": None, "outcome": {**NO_BOUNDS, "status": Status.UNSOLVABLE}}, "there is none"),
        ({"exact_cost": None, "outcome": {**NO_BOUNDS, "status": Status.UNKNOWN, "lower_bound": (12,)}}, "at least 12"),
        ({"contradicts": "the file expects 3 slides"}, "expects 3"),
    ],
)
def test_disagreements_are_found(change: dict[str, Any], words: str, rows: tuple[Row, ...]) -> None:
    outcome = replace(rows[2].outcome, **change.get("outcome", {}))
    wrong = replace(rows[2], **{**change, "outcome": outcome})
    found = disagreements([rows[0], wrong])
    assert len(found) == 1
    assert words in found[0]
    comparison = Comparison((rows[0], wrong), found)
    assert "DISAGREEMENT" in as_text(views.of_comparison(comparison))
    assert "DISAGREEMENT" in report(comparison)
    with pytest.raises(DisagreementError):
        comparison.check()


def test_a_plan_above_the_optimum_is_no_disagreement(rows: tuple[Row, ...]) -> None:
    assert not disagreements([rows[0], replace(rows[1], exact_cost=(50,))])


def test_a_wrong_expect_is_four(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("format: 1\nfamily: rush-hour\nboard: |\n  AA..\n  ....\nexpect: {cost: 2}\n")
    assert main(["compare", str(path), "--engines", "bfs", "--quiet"]) == 4
    assert "DISAGREEMENT" in capsys.readouterr().out


def test_an_engine_that_is_wrong_is_four(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from budge.engines.engine import Engine
    from budge.engines.table import ENGINES
    from budge.runtime.outcome import Recorder

    def solve(*_: object) -> Outcome:
        return Recorder(Budget(), lower_bound=(99,), by="an error").stopped("it is wrong")

    monkeypatch.setitem(ENGINES, "wrong", Engine(name="wrong", solve=solve))
    assert main(["compare", "microban-001", "--engines", "bfs,wrong", "--quiet"]) == 4
    out = " ".join(capsys.readouterr().out.split())
    assert "bfs has a plan of 8 pushes, but wrong proves that at least 99" in out


def test_table_and_broken_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("format: 1\nfamily: rush-hour\nboard: |\n  AA.\n  ..\n")
    assert main(["compare", str(broken), "bird-2", "--engines", "bfs,bird"]) == 2
    captured = capsys.readouterr()
    assert "broken.yaml:" in captured.err
    assert "Bird's second grid, slides, bfs: optimal 10" in captured.err
    assert "every proven value agrees" in captured.out
    lines = captured.out.splitlines()
    assert len({len(line) - len(line.lstrip()) for line in lines if line.startswith("  ")}) == 1


@pytest.mark.parametrize("width", [44, 60, 100, 200])
def test_the_table_fits_the_screen(width: int, rows: tuple[Row, ...]) -> None:
    stopped = replace(rows[2], outcome=replace(rows[2].outcome, status=Status.UNKNOWN, stopped_by="memory limit"))
    comparison = Comparison((*rows, stopped), ())
    text = as_text(views.of_comparison(comparison), Screen(width))
    assert max(map(columns, text.splitlines())) <= width
    assert all(engine in text for engine in ("bfs", "bird", "auto"))
    assert "unknown" in text
    assert "(memory limit)" in text
    head = text.splitlines()[0].split()
    assert head[:2] == ["engine", "status"]
    assert {"bounds", "time"} <= set(head)
    narrow = width < 100
    assert ("Left out for want of room:" in text) == narrow
    assert ("ground" in head) != narrow
    assert "conflicts" not in text  # nobody had any: an empty column takes no room


def test_piped_tables_have_all_columns(rows: tuple[Row, ...]) -> None:
    conflicts = replace(rows[2], outcome=replace(rows[2].outcome, stats={"states": 0, "conflicts": 7}))
    text = as_text(views.of_comparison(Comparison((rows[0], conflicts), ())), Screen(fits=False))
    assert text.splitlines()[0].split() == list(views.HEAD)
    last = next(line for line in reversed(text.splitlines()) if line.startswith("  "))
    assert " 0 " not in last  # zero states are not counted states
    assert "7" in last.split()


def test_nothing_proven_is_no_agreement(rows: tuple[Row, ...]) -> None:
    open_rows = tuple(replace(row, outcome=replace(row.outcome, status=Status.UNKNOWN)) for row in rows[:1])
    assert as_text(views.verdict(Comparison(open_rows, ()))) == (
        "1 row, none of them proven. Nothing was proven within the limits."
    )
    assert as_text(views.verdict(Comparison(rows, ()))) == "8 rows, 7 of them proven; every proven value agrees."


def test_rows_say_under_which_conditions_they_were_measured(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["compare", "bird-2", "--engines", "bfs", "--time-limit", "600", "--quiet"]
    assert main([*arguments, "--csv"]) == 0
    [row] = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["time_limit"], row["memory_limit_mib"], row["jobs"]) == ("600.0", "4096", "1")
    assert row["command"] == f"budge {' '.join([*arguments, '--csv'])}"
    assert (row["budge"], row["date"][:2]) == (__version__, "20")
    assert f"numba=={version('numba')}" in row["libraries"].split()
    assert main([*arguments, "--jobs", "2", "--json"]) == 0
    other, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert (other["schema"], result["schema"], result["budge"]) == (SCHEMA, SCHEMA, __version__)
    assert (other["conditions"]["jobs"], result["conditions"]["jobs"]) == (2, 2)
    assert other["conditions"]["environment"]["cores"] == int(row["cores"])


def test_csv_is_read_by_pandas(rows: tuple[Row, ...]) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(io.StringIO(views.as_csv(rows)))
    assert list(frame.columns) == list(COLUMNS)
    assert {"processor_seconds", "expanded", "generated", "h_start"} < set(COLUMNS)
    assert frame["expanded"].max() > 0
    assert frame["seconds"].dtype == float
    assert frame["cores"].nunique() == 1


def test_csv_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "bird-2", "--engines", "bfs,bird", "--csv", "--quiet"]) == 0
    table = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["engine"], row["cost"], row["status"]) for row in table] == [
        ("bfs", "10", "optimal"),
        ("bird", "14", "feasible"),
    ]
    assert main(["compare", "bird-2", "--engines", "bfs,bird", "--json"]) == 0
    *rows, result = map(json.loads, capsys.readouterr().out.splitlines())
    assert [row["engine"] for row in rows] == ["bfs", "bird"]
    assert (result["type"], result["rows"], result["disagreements"]) == ("result", 2, [])
    assert main(["compare", "bird-2", "--csv", "--json"]) == 2


@pytest.mark.weekly
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_interrupting_keeps_the_finished_rows() -> None:
    command = ["compare", "bird-2", "servais-93", "--metric", "steps", "--engines", "bird,cp-sat", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "budge", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    for _ in range(3):  # the two rows of bird-2 and the first of servais-93
        process.stdout.readline()
    until(psutil.Process(process.pid).children)  # cp-sat on servais-93
    os.killpg(process.pid, signal.SIGINT)  # a terminal signals the whole group
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    last, result = map(json.loads, out.splitlines())
    assert (last["engine"], last["status"], result["interrupted"]) == ("cp-sat", "interrupted", True)
