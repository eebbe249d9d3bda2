"""Puzzles by folder, pattern and collection: what a name on the command line stands for."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from budge.cli import main
from budge.lab.experiment import load_all
from budge.models.errors import PuzzleError, UsageError
from budge.models.library import expand, find, load, shipped

PUZZLE = "format: 1\nfamily: rush-hour\nboard: |\n  AA.\n  ...\n"
LEVEL = "#####\n#@$.#\n#####\n"
SLC = "<SokobanLevels><LevelCollection><Level Id='X'><L>#####</L><L>#@$.#</L><L>#####</L></Level></LevelCollection></SokobanLevels>"  # noqa: E501


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    names = ["b.yaml", "a.yml", "sub/z.yaml", "sub/deep/A.YAML", ".hidden/x.yaml", ".x.yaml", "notes.txt", "c.yaml.bak"]
    for name in names:
        path = tmp_path / "all" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PUZZLE)
    (tmp_path / "empty").mkdir()
    return tmp_path


def test_a_folder_is_all_puzzles_below_it_in_order(folder: Path) -> None:
    assert expand(["all"]) == ["all/a.yml", "all/b.yaml", "all/sub/z.yaml", "all/sub/deep/A.YAML"]
    assert expand(["bird-1", "all/sub", "-", "b.yaml"]) == [
        "bird-1",
        "all/sub/z.yaml",
        "all/sub/deep/A.YAML",
        "-",
        "b.yaml",
    ]


def test_links_that_lead_in_circles_are_not_followed(folder: Path) -> None:
    (folder / "all" / "sub" / "loop").symlink_to("..")
    assert len(expand(["all"])) == 4


def test_commands_take_folders(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "all"]) == 0
    assert capsys.readouterr().out.count("ok  ") == 4
    assert main(["show", "all/sub", "--json"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main(["verify", "all", "--claim", "1"]) == 2
    assert "a plan or a claim is of one puzzle, not of 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("rush_hour/", 50),
        ("rush-hour/", 50),
        ("rush_hour/bird-*", 4),
        ("BIRD-[12]", 2),
        ("*/bird-?", 4),
        ("*", len(shipped())),
    ],
)
def test_folders_and_patterns_of_shipped_puzzles(name: str, number: int, folder: Path) -> None:
    found = expand([name])
    assert len(found) == number
    assert set(found) <= set(shipped())
    assert found == [shipped_name for shipped_name in shipped() if shipped_name in found]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("empty", "there is no puzzle file (`*.yaml`) in the folder `empty`"),
        ("all", "`all` is a folder; name one of the puzzles in it"),
        ("rush_hour", "`rush_hour` is a folder of shipped puzzles; name one, as `rush_hour/93-steps`"),
        ("zzz-*", "no shipped puzzle matches `zzz-*`"),
        ("zzz/", "no file and no shipped puzzle `zzz/`"),
    ],
)
def test_what_is_no_puzzle_says_what_to_do(name: str, words: str, folder: Path) -> None:
    words = words.replace("rush_hour/93-steps", next(n for n in shipped() if n.startswith("rush_hour/")))
    with pytest.raises(UsageError) as caught:
        find(name)
    assert words in str(caught.value)


def test_the_rest_goes_on_behind_an_empty_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "empty", "all/b.yaml"]) == 2
    captured = capsys.readouterr()
    assert "no puzzle file" in captured.err
    assert captured.out.startswith("ok  all/b.yaml")


# Collections


@pytest.mark.parametrize(("name", "text"), [("levels.xsb", LEVEL), ("levels.slc", SLC), ("levels.txt", LEVEL)])
def test_a_collection_stands_for_its_levels(name: str, text: str, folder: Path) -> None:
    (folder / name).write_text(text)
    assert load(name).header.file == f"{name}#1"
    (folder / "empty" / name).write_text(text if name.endswith("slc") else f"{text}\n{text}")
    levels = [f"empty/{name}"] if name.endswith("slc") else [f"empty/{name}#1", f"empty/{name}#2"]
    assert expand(["empty"]) == levels
    assert [load(level).family for level in levels] == ["sokoban"] * len(levels)
    with pytest.raises(UsageError, match="`empty` is a folder of collections of levels; name one of them"):
        load("empty")


def test_a_text_without_levels_is_no_collection(folder: Path) -> None:
    (folder / "empty" / "line.txt").write_text("60 AAoooo\n")
    with pytest.raises(PuzzleError):
        load("empty/line.txt")
    with pytest.raises(UsageError, match="there is no puzzle file"):
        load("empty")


def test_a_domain_alone_says_what_is_missing(folder: Path) -> None:
    (folder / "empty" / "domain.pddl").write_text("(define (domain d))")
    with pytest.raises(UsageError, match=r"`empty/domain.pddl` is a domain; put its problem beside it, as `p01.pddl`"):
        load("empty")


def test_a_puzzle_file_may_have_any_name(folder: Path) -> None:
    (folder / "puzzle.txt").write_text(PUZZLE)
    assert load("puzzle.txt").family == "rush-hour"


@pytest.fixture
def collections(folder: Path) -> Path:
    there = folder / "collections"
    (there / "more").mkdir(parents=True)
    (there / "one.xsb").write_text(LEVEL)
    (there / "two.txt").write_text(f"{LEVEL}\n; 1\n\n{LEVEL}\n; 2\n")
    (there / "more" / "one.slc").write_text(SLC)
    (there / "README.txt").write_text("Levels that I like.\n")
    return there


def test_convert_a_folder_then_solve_it(collections: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "collections", "--out", "puzzles"]) == 0
    assert "4 puzzles written to puzzles" in capsys.readouterr().out
    assert expand(["puzzles"]) == [
        "puzzles/one.yaml", "puzzles/two-001.yaml", "puzzles/two-002.yaml", "puzzles/more/one.yaml",
    ]  # fmt: skip
    assert main(["check", "puzzles"]) == 0
    capsys.readouterr()
    assert main(["solve", "puzzles", "--engine", "bfs", "--json", "--quiet"]) == 0
    assert [json.loads(line)["cost"] for line in capsys.readouterr().out.splitlines()] == [1, 1, 1, 1]


def test_convert_goes_on_behind_a_collection_that_is_none(
    collections: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (collections / "broken.xsb").write_text("no levels here\n")
    assert main(["convert", "collections", "--out", "puzzles", "--json"]) == 2
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {Path(line["file"]).name: len(line["written"]) for line in found} == {
        "broken.xsb": 0, "one.xsb": 1, "two.txt": 2, "one.slc": 1,
    }  # fmt: skip
    assert [len(line["problems"]) for line in found] == [1, 0, 0, 0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["convert", "all", "--out", "x"], "there is no collection of levels"),
        (["convert", "collections", "--out", "x", "--prefix", "p"], "`--prefix` is for one collection; there are 3"),
    ],
)
def test_convert_says_what_it_cannot_do(
    arguments: list[str], words: str, collections: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert words in capsys.readouterr().err
    assert not os.path.exists("x")


def test_the_puzzle_of_a_certificate_is_none_of_a_folder(tmp_path: Path) -> None:
    text = "format: 1\nfamily: rush-hour\nboard: [AA., ...]\n"
    (tmp_path / "one.yaml").write_text(text)
    made = tmp_path / "one.certificate"
    made.mkdir()
    (made / "puzzle.yaml").write_text(text)
    (made / "claim.txt").write_text("{}")
    assert expand([str(tmp_path)]) == [str(tmp_path / "one.yaml")]
    assert expand([str(made)]) == [str(made / "puzzle.yaml")]


def test_all_bad_files_of_a_folder_are_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("family: [")
    (tmp_path / "b.pddl").write_text("(define (problem lonely))")
    (tmp_path / "c.yaml").write_text("format: 1\nfamily: none\n")
    with pytest.raises(PuzzleError) as caught:
        load_all([str(tmp_path)])
    assert {Path(problem.file).name for problem in caught.value.problems} == {"a.yaml", "b.pddl", "c.yaml"}


TURNED = "\u202ea\x1b[31m"


@pytest.mark.parametrize("command", ["check", "show", "solve", "explain", "certify"])
def test_no_name_turns_the_terminals_text_around(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = 'format: 1\nfamily: rush-hour\nname: "\\u202Eb"\nboard: |\n  AA.\n  ...\n'
    (tmp_path / f"{TURNED}.yaml").write_text(text, encoding="utf-8")
    out = ["--out", str(tmp_path / TURNED)] if command == "certify" else []
    assert main([command, str(tmp_path / f"{TURNED}.yaml"), *out]) == 0
    assert main([command, TURNED, *out]) == 2
    shown = "".join(capsys.readouterr())
    assert "\ufffd" in shown
    assert not {"\u202e", "\x1b"} & set(shown)
