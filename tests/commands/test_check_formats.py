"""What `budge check` and others say to programs: JSON, GitHub's workflow commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from budge.cli import main
from budge.models.errors import Problem
from budge.views.json_lines import as_github
from budge.workflows.checking import check

BROKEN = "format: 1\nfamily: rush-hour\nboard: |\n  AA.\n  ..\ngoal: {exit: rigth}\n"
SOURCE = "format: 1\nfamily: sokoban\nsource: {file: levels.xsb, level: 1}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a puzzle, a broken one in a subfolder, and one whose collection is broken."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.yaml").write_text("format: 1\nfamily: rush-hour\nname: Good\nboard: |\n  AA.\n  ...\n")
    (tmp_path / "sub dir").mkdir()
    (tmp_path / "sub dir" / "bad, really.yaml").write_text(BROKEN)
    (tmp_path / "sub dir" / "level.yaml").write_text(SOURCE)
    (tmp_path / "sub dir" / "levels.xsb").write_text("; 1\n\n#####\n# $.#\n#####\n")
    return tmp_path


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


# JSON


@pytest.mark.parametrize("option", [["--format", "json"], ["--json"]])
def test_json_has_a_line_for_each_file(option: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", ".", *option]) == 2
    captured = capsys.readouterr()
    assert captured.err == ""
    good, bad, level = lines(captured.out)
    assert (good["type"], good["file"], good["ok"], good["puzzle"]) == ("check", "good.yaml", True, "Good")
    assert (good["family"], good["problems"], good["more_problems"]) == ("rush-hour", [], 0)
    assert set(good["operators"]) == {"slides", "steps"}
    assert (bad["ok"], bad["puzzle"], bad["operators"]) == (False, None, None)
    first, second = bad["problems"]
    assert first["message"].startswith("row 2 of `board` has 2 cells")
    assert second == {
        "file": "sub dir/bad, really.yaml",
        "line": 6,
        "column": 14,
        "end_line": 6,
        "end_column": 19,
        "message": "`exit` cannot be `rigth`",
        "help": "did you mean `right`?",
    }
    (problem,) = level["problems"]  # in the collection, not in the puzzle file
    assert (problem["file"], problem["line"]) == ("sub dir/levels.xsb", 3)


def test_the_end_is_behind_the_last_character_marked(tmp_path: Path) -> None:
    line = "metric: sliides"
    (tmp_path / "x.yaml").write_text(f"format: 1\nfamily: rush-hour\nboard: |\n  AA.\n{line}\n")
    (problem,) = check(str(tmp_path / "x.yaml")).problems
    assert line[problem.column - 1 : problem.end_column - 1] == "sliides"


def test_a_name_that_nothing_has_is_a_problem_of_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "bird-22", "--json"]) == 2
    ((problem,),) = (line["problems"] for line in lines(capsys.readouterr().out))
    assert (problem["line"], problem["column"], problem["end_line"], problem["end_column"]) == (0, 0, 0, 0)
    assert "`bird-2`" in problem["message"]


def test_problems_that_are_only_counted_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "many.yaml"
    path.write_text("format: 1\nfamily: rush-hour\n" + "".join(f"x{i}: 1\n" for i in range(150)))
    found = check(str(path))
    assert len(found.problems) == 100
    assert found.dropped > 0
    assert main(["check", str(path)]) == 2
    assert f"... and {found.dropped} more problems" in capsys.readouterr().err


# Text


def test_text_says_what_is_wrong_on_standard_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "good.yaml", "sub dir"]) == 2
    captured = capsys.readouterr()
    assert captured.out.startswith("ok  good.yaml  Good (Rush Hour")
    assert "sub dir/bad, really.yaml:6:14: error: `exit` cannot be `rigth`" in captured.err
    assert "help: did you mean `right`?" in captured.err


# GitHub


def test_github_gets_an_error_for_each_problem(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(folder), "--format", "github"]) == 2  # an absolute path: it is told from here
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 3
    assert out[1] == (
        "::error file=sub dir/bad%2C really.yaml,line=6,endLine=6,col=14,endColumn=19,title=budge check"
        "::`exit` cannot be `rigth`%0Ahelp: did you mean `right`?"
    )
    assert main(["check", "good.yaml", "--format", "github"]) == 0
    assert capsys.readouterr().out == ""


def test_github_commands_cannot_be_forged() -> None:
    """Neither a file's name nor what stands in it ends the command or begins another one."""
    text = as_github(Problem("a:b,c\n::error::x.yaml", 1, 2, "100% wrong\r\n::set-output name=x::y", "a\nb"))
    assert "\n" not in text
    assert "\r" not in text
    assert text.startswith("::error file=a%3Ab%2Cc%0A%3A%3Aerror%3A%3Ax.yaml,line=1,")
    assert text.endswith("::100%25 wrong%0D%0A::set-output name=x::y%0Ahelp: a%0Ab")


def test_a_problem_of_a_whole_file_has_no_line() -> None:
    assert as_github(Problem("x.yaml", 0, 0, "the file is empty")) == (
        "::error file=x.yaml,title=budge check::the file is empty"
    )


# Other commands


def test_list_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "bird", "--json"]) == 0
    found = lines(capsys.readouterr().out)
    assert {"rush_hour/bird-1", "rush_hour/bird-2"} <= {line["name"] for line in found}
    one = next(line for line in found if line["name"] == "rush_hour/bird-1")
    assert (one["title"], one["family"], one["expect"]) == (
        "Bird's first grid",
        "rush-hour",
        {"slides": 24, "steps": 34},
    )
    assert Path(one["file"]).is_file()


def test_show_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "bird-1", "rush_hour/unsolvable", "microban-001", "--json"]) == 0
    first, second, third = lines(capsys.readouterr().out)
    assert first["board"][0] == "ABCDEE"
    assert first["goal"] == ["piece X gets out to the right, row 3"]
    assert first["metrics"] == ["slides", "steps"]
    assert second["expect"] == {"unsolvable": True}
    assert third["family"] == "sokoban"
