"""The command line's contract: what it prints, where, and its exit codes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import budge
import pytest
from budge import load_text
from budge.cli import main

from ..helpers.patience import PATIENCE

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
    assert main(["solve", "bird-2", "--engine", engine, "--stats"]) == 0
    out = capsys.readouterr().out
    assert "10 slides" in out
    assert "lower bound  10 slides" in out
    assert "upper bound  10 slides" in out
    assert "optimal" in out
    assert "encoding" in out


def test_progress_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--strategy", "linear"]) == 0
    captured = capsys.readouterr()
    assert "at least" in captured.err
    assert "plan of 10 slides: cp-sat" in captured.err
    assert "lower bound  10 slides  CP-SAT proved that 9 slides are not enough" in captured.out
    assert main(["solve", "bird-2", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_json_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--json"]) == 0
    result = last_json(capsys.readouterr().out)
    assert set(result) >= RESULT_KEYS
    assert (result["status"], result["cost"], result["lower_bound"], result["upper_bound"]) == ("optimal", 10, 10, 10)
    assert len(result["plan"]) == 10  # type: ignore[arg-type]
    assert set(result["seconds"]) == {"total", "ground", "encode", "solve", "other", "prepare"}  # type: ignore[call-overload]


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
    assert result["status"] in ("unknown", "feasible")  # with a plan where the machine is quick
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
    assert "MISMATCH     the file's `expect` says 2 slides, but a plan of 1 slide was found" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "bird-22"], "did you mean `bird-2`"),
        (["solve", "bird"], "did you mean `bird-1`, `bird-2`, `bird-3` or `bird-4`?"),
        (["solve", "second grid"], "did you mean `bird-2`?"),
        (["show", "https://example.com/a.yaml"], "is a URL"),
        (["check", ""], "the name of the puzzle is empty"),
        (["help", "sovle"], "no command `sovle`; did you mean `solve`?"),
        (
            ["solve", "bird-2", "--strategy", "linear", "--engine", "bfs"],
            "`--strategy` is for `cp-sat`; this run uses `bfs`",
        ),
        (["solve", "bird-2", "--horizon-limit", "0"], "--horizon-limit needs a whole number from 1 on (got `0`)"),
        (["solve", "bird-2", "--horizon-limit", "-3"], "--horizon-limit needs a whole number from 1 on (got `-3`)"),
        (["verify", "bird-2", "--claim", "foo"], "`foo` is not a cost. Write a number such as `24`"),
        (["verify", "bird-2", "--claim", "9" * 5000], "up to 4,611,686,018,427,387,904, or `unsolvable`"),
        (["certify", "bird-2", "--at-least", "9" * 5000], "up to 4,611,686,018,427,387,904, or `unsolvable`"),
        (["new", "klotski"], "did you mean `sliding-block`?"),
        (["solve", "bird-1", "--engine", "sat"], "no engine `sat`"),
        (["solve", "bird-1", "--metric", "turns"], "no metric `turns`"),
        (["solve", "nowhere.yaml"], "cannot read"),
        (["show", "nowhere"], "no file and no shipped puzzle"),
        (["list", "zzz"], "no shipped puzzle matches `zzz` (see `budge list`)"),
    ],
)
def test_usage_errors_are_two(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["solve"], ["fly"], ["solve", "bird-1", "--time-limit", "soon"]])
def test_bad_command_lines_are_two(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solv", "bird-1"], "no command `solv`; did you mean `solve`?"),
        (["solve"], "PUZZLE is missing"),
        (["solve", "bird-1", "--tim-limit", "3"], "`solve` has no option `--tim-limit`; did you mean `--time-limit`?"),
        (["solve", "bird-1", "--frobnicate"], "`solve` has no option `--frobnicate`"),
        (["--foo"], "budge has no option `--foo`"),
        (["solve", "bird-1", "--time-limit", "x"], "--time-limit needs a number of seconds, such as 10, 10s or 2m"),
        (["solve", "bird-1", "--time-limit"], "--time-limit needs a value"),
        (["solve", "bird-1", "--memory-limit", "4X"], "--memory-limit needs a number of MiB, such as 512, 512M or 4G"),
        (["compare", "bird-2", "--engines", ""], "--engines needs at least one name, such as `astar,cp-sat`"),
        (["compare", "bird-2", "--jobs", "0"], "--jobs needs a whole number from 1 on"),
        (["compare", "bird-2", "--jobs", "9" * 5000], "--jobs needs a whole number up to 4,611,686,018,427,387,904"),
        (["generate", "sokoban", "--seed", "9" * 5000], "--seed needs a whole number up to 4,611,686,018,427,387,904"),
        (["show", "bird-1", "--color", "alway"], "--color cannot be `alway`; did you mean `always`?"),
        (["export", "bird-2", "--to", "lp", "--horizon", "-1"], "--horizon needs a whole number from 0 on"),
        (["list", "a", "b"], "`b` is one argument too many"),
        (["completion", "fish"], "SHELL cannot be `fish`; choose one of `bash`, `zsh`"),
    ],
)
def test_wrong_command_lines_are_told_in_a_sentence_with_an_example(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    error, help_line = capsys.readouterr().err.splitlines()
    assert error.startswith("budge: error: ")
    assert words in error
    assert help_line.startswith("  help: for example `")
    assert "budge" in help_line


def test_limits_with_units(capsys: pytest.CaptureFixture[str]) -> None:
    limits = ["--time-limit", "1m", "--memory-limit", "1G"]
    assert main(["solve", "bird-2", "--engine", "bfs", *limits, "--quiet"]) == 0
    assert "optimal" in capsys.readouterr().out


def test_budge_alone_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "budge solve bird-1" in capsys.readouterr().out
    assert main(["help"]) == 0
    assert "solve        find a plan and prove it shortest" in capsys.readouterr().out
    assert main(["help", "solve"]) == 0
    assert "--time-limit TIME" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        main(["-V"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"budge {budge.__version__}\n"


def test_every_command_has_examples_that_parse() -> None:
    import shlex

    from budge import cli
    from budge.commands.completion import parsers

    commands = parsers(cli._parser())
    for name, parser in commands.items():
        parser.complete()
        assert parser.examples, name
        for example in parser.examples:
            if "eval" not in example:
                part = example.split("|")[-1].split(">")[0]
                assert cli._parsed(shlex.split(part)[1:]).command == name


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert all(word in script for word in ("heng-dao-li-ma", "cp-sat", "pushes,moves", "sliding-block", "--plan-out"))


def completed(script: Path, *words: str) -> list[str]:
    listed = " ".join(f"'{word}'" for word in words)
    code = (
        f"source {script}; COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}; COMPREPLY=(); "
        "$(complete -p budge | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' \"${COMPREPLY[@]}\""
    )
    return subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.skipif(sys.platform == "win32" or not shutil.which("bash"), reason="needs bash")
def test_completion_in_bash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "budge.bash"
    script.write_text(capsys.readouterr().out)
    assert completed(script, "budge", "sol") == ["solve"]
    assert completed(script, "budge", "solve", "bird-") == ["bird-1", "bird-2", "bird-3", "bird-4"]
    assert completed(script, "budge", "solve", "bird-1", "--engine", "id") == ["idastar"]
    assert completed(script, "budge", "solve", "bird-1", "--metric", "pu") == ["pushes", "pushes,moves"]
    assert completed(script, "budge", "help", "ver") == ["verify"]
    assert completed(script, "budge", "convert", "x", "--from", "sl") == ["slc"]
    assert completed(script, "budge", "export", "x", "--to", "pd") == ["pddl"]
    assert completed(script, "budge", "generate", "custom", "--from", "bird-1") == ["bird-1"]
    assert completed(script, "budge", "compare", "bird-1", "--engines", "id") == ["idastar"]
    assert completed(script, "budge", "compare", "bird-1", "--engines", "bfs,cp-sat,b") == [
        f"bfs,cp-sat,{name}" for name in ("bfs", "bidirectional", "bird")
    ]


def test_an_option_chooses_its_engine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "rush_hour/unsolvable-lane", "--strategy", "linear", "-q", "--json"]) in (0, 1)
    assert last_json(capsys.readouterr().out)["engine"] == "cp-sat"


@pytest.mark.parametrize("name", ["rush-hour/bird-1", "rush_hour/bird-1", "Bird-1", "bird_1"])
def test_names_of_puzzles(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", name]) == 0
    assert "Bird's first grid" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["rush-hour/bird-2", "second grid", "BIRD-2"])
def test_list_finds_names_families_and_titles(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", text]) == 0
    assert capsys.readouterr().out == "rush_hour/bird-2  10 slides; 18 steps  Bird's second grid\n"


def test_list_finds_families(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "n-puzzle"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert all(line.startswith("n_puzzle/") for line in lines)


# Nothing is lost


def test_plan_out_is_overwritten_by_a_run_and_has_a_line_for_each_puzzle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "plans.txt"
    for _ in range(2):
        assert main(["solve", "bird-2", "microban-001", "--engine", "bfs", "--plan-out", str(out), "--quiet"]) == 0
    assert len(out.read_text().splitlines()) == 2
    assert f"wrote {out} (10 slides)\nwrote {out} (8 pushes)\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "option"), [("solve", "--plan-out"), ("explore", "--hardest"), ("compare", "--html")]
)
def test_bad_paths_are_told_before_the_search(
    command: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path, why in ((tmp_path / "no" / "x.txt", "there is no folder"), (tmp_path, "it is a folder")):
        assert main([command, "bird-2", option, str(path), "--quiet"]) == 2
        captured = capsys.readouterr()
        assert why in captured.err
        assert captured.out == ""


def test_what_cannot_be_written_costs_no_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path that was fine before the search, and is not after it."""
    from budge.commands import solve as command

    monkeypatch.setattr(command, "check_writable", lambda file: Path(file))
    bad = tmp_path / "no" / "x.txt"
    assert main(["solve", "bird-2", "bird-2", "--engine", "bfs", "--plan-out", str(bad), "--quiet"]) == 2
    captured = capsys.readouterr()
    assert captured.out.count("plan (10 slides):") == 2
    assert captured.err.count("cannot write to") == 2


def test_no_plan_leaves_the_old_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "plans.txt"
    out.write_text("A+1\n")
    assert main(["solve", "rush_hour/unsolvable", "--engine", "bfs", "--plan-out", str(out), "--quiet"]) == 1
    assert out.read_text() == "A+1\n"
    assert "is not written: no plan was found" in capsys.readouterr().err


def test_hardest_prints_the_answer_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "hard.yaml"
    assert main(["explore", "bird-2", "--hardest", str(out), "--quiet"]) == 0
    captured = capsys.readouterr()
    assert captured.err == f"wrote {out} (19 slides)\n"
    out.write_text("other: content\n")
    assert main(["explore", "bird-2", "--hardest", str(out), "--quiet"]) == 2
    captured = capsys.readouterr()
    assert "5,444 reachable" in captured.out
    assert "exists and has other content" in captured.err


# new


@pytest.mark.parametrize("family", ["rush-hour", "sliding-block", "n-puzzle", "sokoban", "Rush_Hour"])
def test_new_writes_a_file_that_is_a_puzzle(family: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.yaml"
    assert main(["new", family, str(path)]) == 0
    assert f"wrote {path}" in capsys.readouterr().err
    record = budge.load(path).record
    text = path.read_text()
    assert all(f"{key.name}:" in text for key in record.keys)
    assert main(["check", str(path)]) == 0
    assert main(["new", family, str(path)]) == 2
    assert "exists and is not overwritten" in capsys.readouterr().err
    assert path.read_text() == text


@pytest.mark.parametrize("family", ["rush-hour", "sliding-block", "n-puzzle", "sokoban"])
def test_its_comments_are_keys_to_use(family: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each line that begins with one `#` can be used; the values are examples, so they need not fit this board."""
    assert main(["new", family, "-"]) == 0
    text = capsys.readouterr().out
    for line in text.splitlines():
        if line.startswith(("# name", "# author", "# credit", "# notes", "# metric")):
            assert budge.load_text(text.replace(line, line[2:])).family == family


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
        ("bird-1", "goal: piece X gets out to the right, row 3"),
        ("microban-005", "goal: every box stands on a goal"),
        ("heng-dao-li-ma", "start:              goal:\n┌"),
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


@pytest.mark.weekly
@pytest.mark.parametrize("strategy", ["linear", "one-model"])
def test_interrupt_returns_the_bounds_so_far(strategy: str) -> None:
    process = budge_process("solve", "servais-93", "--metric", "steps", "--strategy", strategy, "--json")
    assert process.stdout
    for line in process.stdout:  # the first bounds are there at once, that of h² or h³ a little later
        if json.loads(line).get("lower_bound", 0) >= 25:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    result = last_json(out)
    assert result["status"] == "interrupted"
    assert result["lower_bound"] >= 25  # type: ignore[operator]


@pytest.mark.weekly
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(("sent", "code"), [("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 131)])
@pytest.mark.parametrize("command", [["solve", "uva-12x12", "--engine", "bfs"], ["explore", "uva-12x12"]])
def test_other_signals_are_like_ctrl_c(command: list[str], sent: str, code: int) -> None:
    number = getattr(signal, f"SIG{sent}")
    before = signal.signal(number, signal.default_int_handler if sent == "INT" else signal.SIG_DFL)  # `nohup pytest`
    process = budge_process(*command, "--json")
    signal.signal(number, before)
    assert process.stdout
    for line in process.stdout:
        if json.loads(line)["type"] == "layer":
            break
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert "Traceback" not in err
    assert last_json(out)["stopped_by"] == "interrupted"


def test_every_command_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    from budge.parameters import TABLE

    for name in [name for name, command in TABLE.items() if command.sentence]:
        assert main(["help", name]) == 0
        assert f"usage: budge {name}" in capsys.readouterr().out


def test_help_imports_no_solver() -> None:
    code = (
        "import sys\nfrom budge.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print([m for m in ('numba', 'numpy', 'ortools', 'rich', 'shtab', 'yaml') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


@pytest.mark.weekly
def test_a_closed_pipe_is_no_traceback() -> None:
    process = budge_process("list")
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()
    assert "Traceback" not in process.stderr.read()
    process.wait(timeout=PATIENCE)


def test_lines_come_in_order_where_both_streams_are_one(tmp_path: Path) -> None:
    """What is right and what is wrong, in the order of the files, in a log that takes standard output and error."""
    wrong, log = tmp_path / "wrong.yaml", tmp_path / "log"
    wrong.write_text("format: 1\n")
    with log.open("w") as both:
        names = ["bird-1", str(wrong), "bird-2"]
        done = subprocess.run([sys.executable, "-m", "budge", "check", *names], stdout=both, stderr=both, check=False)
    assert done.returncode == 2
    lines = [line for line in log.read_text().splitlines() if line.startswith(("ok ", str(wrong)))]
    assert ["ok" if line.startswith("ok ") else "wrong" for line in lines] == ["ok", "wrong", "ok"]


def test_public_names() -> None:
    for name in budge.__all__:
        assert getattr(budge, name) is not None
    with pytest.raises(AttributeError):
        budge.nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_time_limit_is_respected() -> None:
    limited = ("servais-93", "--metric", "steps", "--engine", "cp-sat", "--time-limit", "1")
    process = budge_process("solve", *limited, "--quiet")
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 3


def test_small_things_of_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A summary of many puzzles, filters of `list`, a map to begin with, a hint where steps differ in cost."""
    main(["solve", "bird-2", "unsolvable-lane", "nowhere", "--engine", "bfs", "-q"])
    assert capsys.readouterr().out.splitlines()[-1] == "3 puzzles: 1 optimal, 1 unsolvable, 1 error"
    assert main(["list", "--family", "sokoban", "--optimum", "1-10"]) == 0
    assert "microban-001" in capsys.readouterr().out
    assert main(["list", "--optimum", "9999"]) == 2
    for order in (["custom", "--grid", "-"], ["custom", "-", "--grid"]):
        assert main(["new", *order]) == 0
        text = capsys.readouterr().out
        assert "\ngrid: |\n" in text
        load_text(text)
    assert main(["new", "sokoban", "--grid", "-"]) == 2
    assert main(["hint", "microban-001", "--metric", "pushes,moves", "-q"]) == 0
    said = capsys.readouterr().out
    assert "distance     8 pushes, 33 moves from this position to the goal" in said
    assert "a best move\n  d" in said
    answer = budge.hint("microban-001", "pushes,moves")
    assert (answer.distance, answer.to_dict()["lower_bound"]) == ((8, 33), (8, 33))
    assert "8 pushes, 33 moves to the goal" in repr(answer)
    assert "8 pushes, 33 moves" in str(answer._repr_html_())
    assert main(["completion", "bash"]) == 0
    assert "AUTOMATICALLY" not in capsys.readouterr().out
    assert main(["convert", str(tmp_path / "none.xsb"), "--out", str(tmp_path)]) == 2
    assert "written" not in capsys.readouterr().out


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_plan_that_cannot_be_written_is_told_before_solving(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "bird-2", "--plan-out", "/proc/no", "-q"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "cannot write to /proc/no" in told.err


def test_what_a_map_does_not_show_is_noted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "format: 1\nfamily: custom\ngrid: ab\nlegend: {a: me, b: floor}\n"
    text += "state:\n  me: {in: cell}\n  n: {in: 0..3, start: 0}\n"
    text += "actions:\n  go: {set: {n: 1}}\ngoal: n == 1\n"
    file = tmp_path / "one.yaml"
    file.write_text(text)
    assert main(["check", str(file)]) == 0
    assert f"{file}: note: `n` is not to be seen on the map" in capsys.readouterr().err
    file.write_text(f"{text}always: [n == 0 or n == 1, n > 0]\n")
    assert main(["check", str(file)]) == 0
    assert (
        "note: the initial state breaks condition 2 of `always`: as it is there is no plan" in capsys.readouterr().err
    )
