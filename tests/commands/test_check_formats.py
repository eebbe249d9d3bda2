"""What `budge check` and others say to programs: JSON, GitHub's workflow commands, SARIF."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from budge.cli import main
from budge.models.errors import Problem
from budge.views.problems import as_github, as_sarif
from budge.workflows.checking import check
from jsonschema import Draft202012Validator

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


# SARIF

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
COUNT = {"type": "integer", "minimum": 1}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "pattern": "sarif-2\\.1\\.0"},
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "additionalProperties": False,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "version", "rules"],
                                "properties": {"rules": {"items": {"required": ["id"]}, "uniqueItems": True}},
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message", "ruleId", "ruleIndex", "level", "locations"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": TEXT,
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "required": ["physicalLocation"],
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "required": ["artifactLocation"],
                                                "additionalProperties": False,
                                                "properties": {
                                                    "artifactLocation": {
                                                        "required": ["uri"],
                                                        "properties": {"uri": {"pattern": "^[!-~]+$"}},
                                                    },
                                                    "region": {
                                                        "required": ["startLine"],
                                                        "additionalProperties": False,
                                                        "properties": {
                                                            "startLine": COUNT,
                                                            "startColumn": COUNT,
                                                            "endLine": COUNT,
                                                            "endColumn": COUNT,
                                                            "snippet": TEXT,
                                                        },
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""The part of the SARIF 2.1.0 schema (OASIS, sections 3.13 to 3.30) that is used, closed to anything else."""


def test_sarif_is_one_log_of_all_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", ".", "bird-22", "--format", "sarif"]) == 2
    log = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(SARIF)
    Draft202012Validator(SARIF).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [place["artifactLocation"]["uri"] for place in places] == [
        *["sub%20dir/bad%2C%20really.yaml"] * 2, "sub%20dir/levels.xsb", "bird-22",
    ]  # fmt: skip
    assert places[1]["region"] == {
        "startLine": 6, "startColumn": 14, "endLine": 6, "endColumn": 19, "snippet": {"text": "goal: {exit: rigth}"},
    }  # fmt: skip
    assert "region" not in places[3]


def test_sarif_of_good_files_has_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "bird-1", "--format", "sarif"]) == 0
    log = json.loads(capsys.readouterr().out)
    Draft202012Validator(SARIF).validate(log)
    assert log["runs"][0]["results"] == []


def test_files_elsewhere_have_absolute_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    log = as_sarif([Problem(str(tmp_path / "ä b.yaml"), 1, 1, "wrong")])
    Draft202012Validator(SARIF).validate(log)
    location = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert re.fullmatch(r"file:///.*/%C3%A4%20b\.yaml", location["uri"])
    assert "uriBaseId" not in location


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
