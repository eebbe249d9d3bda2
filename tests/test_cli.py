"""The command line's contract: what it prints, where, and its exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import budge
import pytest
from budge.cli import main

BROKEN = "format: 1\nfamily: rush-hour\nboard: |\n  AA.\n  ..\n"
RESULT_KEYS = {
    "type", "puzzle", "family", "engine", "metric", "status", "cost", "lower_bound", "upper_bound",
    "lower_bound_by", "plan", "seconds", "stats",
}  # fmt: skip


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.yaml"
    path.write_text(BROKEN)
    return path


def last_json(text: str) -> dict[str, object]:
    lines: list[dict[str, object]] = [json.loads(line) for line in text.splitlines()]
    assert all("type" in line for line in lines)
    return lines[-1]


@pytest.mark.parametrize("engine", ["cp-sat", "bfs"])
def test_solve_says_plan_cost_bounds_and_proof(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--engine", engine]) == 0
    out = capsys.readouterr().out
    assert "10 slides" in out
    assert "lower bound  10 slides" in out
    assert "upper bound  10 slides" in out
    assert "optimal" in out
    assert "encoding" in out


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--strategy", "linear"]) == 0
    captured = capsys.readouterr()
    assert "at least 9: relaxed reachability" in captured.err
    assert "at least 10: CP-SAT: horizon 9 refuted" in captured.err
    assert main(["solve", "bird-2", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_json_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--json"]) == 0
    result = last_json(capsys.readouterr().out)
    assert set(result) >= RESULT_KEYS
    assert (result["status"], result["cost"], result["lower_bound"], result["upper_bound"]) == ("optimal", 10, 10, 10)
    assert len(result["plan"]) == 10  # type: ignore[arg-type]
    assert set(result["seconds"]) == {"total", "ground", "encode", "solve", "other"}  # type: ignore[call-overload]


def test_unsolvable_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "rush_hour/unsolvable", "--engine", "bfs", "--json"]) == 1
    result = last_json(capsys.readouterr().out)
    assert result["status"] == "unsolvable"
    assert result["cost"] is None
    assert result["plan"] is None


def test_limit_is_three(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["solve", "servais-93", "--metric", "steps", "--horizon-limit", "46", "--strategy", "linear", "--json"])
    assert code == 3
    result = last_json(capsys.readouterr().out)
    assert result["status"] == "unknown"
    assert result["lower_bound"] == 47
    assert result["upper_bound"] is None


def test_time_limit_is_three(capsys: pytest.CaptureFixture[str]) -> None:
    limited = ["solve", "servais-93", "--metric", "steps", "--engine", "cp-sat", "--time-limit", "0.2"]
    assert main([*limited, "--json"]) == 3
    result = last_json(capsys.readouterr().out)
    assert result["status"] == "unknown"
    assert result["stopped_by"] == "time limit"


def test_broken_file_is_two_and_the_rest_is_solved(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", str(broken), "bird-2", "--engine", "bfs"]) == 2
    captured = capsys.readouterr()
    assert f"{broken}:" in captured.err
    assert "10 slides" in captured.out


def test_broken_file_in_json(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", str(broken), "--json"]) == 2
    result = last_json(capsys.readouterr().out)
    assert set(result) >= RESULT_KEYS
    assert result["status"] == "error"
    assert result["problems"][0]["line"] in (4, 5)  # type: ignore[index]


def test_wrong_expect_is_four(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text("format: 1\nfamily: rush-hour\nboard: |\n  AA..\n  ....\nexpect: {cost: 2}\n")
    assert main(["solve", str(path)]) == 4
    assert "expects 2 slides" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "bird-22"], "did you mean `bird-2`"),
        (["solve", "bird-1", "--engine", "sat"], "no engine `sat`"),
        (["solve", "bird-1", "--metric", "turns"], "no metric `turns`"),
        (["solve", "nowhere.yaml"], "cannot read"),
        (["show", "nowhere"], "no file and no shipped puzzle"),
        (["list", "zzz"], "no shipped puzzle"),
    ],
)
def test_usage_errors_are_two(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["solve"], ["fly"], ["solve", "bird-1", "--time-limit", "soon"], []])
def test_bad_command_lines_are_two(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2


def test_check(broken: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "bird-1", "level-01"]) == 0
    assert capsys.readouterr().out.count("ok ") == 2
    assert main(["check", "bird-1", str(broken)]) == 2
    captured = capsys.readouterr()
    assert captured.out.count("ok ") == 1
    assert "row" in captured.err


def test_show_draws_the_board(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "bird-1"]) == 0
    out = capsys.readouterr().out
    assert "│ X   X │" in out
    assert "\x1b[" not in out
    assert "24 slides" in out


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bird-1", "goal: piece X gets to row 3, column 6"),
        ("microban-005", "goal: every box stands on a goal"),
        ("heng-dao-li-ma", "goal:\n┌"),
        ("eight-31-a", "│ 8 │ 7 │ 6 │"),
    ],
)
def test_show_says_the_goal_of_every_family(name: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", name]) == 0
    assert words in capsys.readouterr().out


def test_plan_out_is_lurd_for_sokoban(tmp_path: Path) -> None:
    out = tmp_path / "plan.txt"
    assert main(["solve", "microban-001", "--engine", "bfs", "--plan-out", str(out), "--quiet"]) == 0
    puzzle = budge.load("microban-001")
    replay = puzzle.replay(puzzle.parse_plan(out.read_text()))
    assert set(out.read_text().strip()) <= set("lurdLURD")
    assert replay.solved
    assert replay.costs["pushes"] == 8


def test_convert_and_export_keep_the_levels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    level = "####\n# .#\n#  ###\n#*@  #\n#  $ #\n#  ###\n####\n"
    collection = tmp_path / "two.xsb"
    collection.write_text(f"; 1\n\n{level}\n; 2\n\n{level.replace('@', ' ', 1).replace('#  ###', '#@ ###', 1)}")
    assert main(["convert", str(collection), "--out", str(tmp_path / "out")]) == 0
    files = sorted((tmp_path / "out").glob("*.yaml"))
    assert len(files) == 2
    capsys.readouterr()
    assert main(["export", str(files[0]), "--to", "xsb"]) == 0
    assert level in capsys.readouterr().out
    assert main(["export", "bird-1", "--to", "xsb"]) == 2


def test_list_names_everything(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    out = capsys.readouterr().out
    assert "rush_hour/bird-1 " in out
    assert "93 steps" in out


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    import io

    text = b"format: 1\nfamily: rush-hour\nboard: |\n  AA..\n  ....\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert main(["solve", "-", "--engine", "bfs"]) == 0
    assert "cost         1 slide" in capsys.readouterr().out


def budge_process(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "budge", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


@pytest.mark.parametrize("strategy", ["linear", "one-model"])
def test_interrupt_returns_the_bounds_so_far(strategy: str) -> None:
    process = budge_process("solve", "servais-93", "--metric", "steps", "--strategy", strategy, "--json")
    assert process.stdout
    first = process.stdout.readline()
    assert json.loads(first)["type"] == "bound"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    result = last_json(out)
    assert result["status"] == "interrupted"
    assert result["lower_bound"] >= 25  # type: ignore[operator]


def test_help_imports_no_solver() -> None:
    code = (
        "import sys\nfrom budge.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numba', 'numpy', 'ortools', 'yaml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


def test_a_closed_pipe_is_no_traceback() -> None:
    process = budge_process("list")
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.wait(timeout=60)


def test_public_names() -> None:
    for name in budge.__all__:
        assert getattr(budge, name) is not None
    with pytest.raises(AttributeError):
        budge.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_time_limit_is_respected() -> None:
    started = time.monotonic()
    limited = ("servais-93", "--metric", "steps", "--engine", "cp-sat", "--time-limit", "1")
    process = budge_process("solve", *limited, "--quiet")
    process.communicate(timeout=60)
    assert process.returncode == 3
    assert time.monotonic() - started < 30  # far above the limit: only a hang fails
