"""The JSON Schema of puzzle files: no false alarm on any valid file, and it sees the mistakes that a schema can see."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from budge.cli import main
from budge.models.documents.document import parse
from budge.models.errors import PuzzleError
from budge.models.families import FAMILIES, load_text
from budge.models.library import shipped
from budge.views.schema import plain, puzzle_schema
from jsonschema import Draft202012Validator

from ..helpers import jugs
from ..helpers.broken_texts import ALL, unmark
from ..helpers.docs_pages import examples

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "puzzles" / "budge.schema.json"
BUILT_IN = [family for family in FAMILIES.values() if family.moves.__module__.startswith("budge.")]
MODELINE = "# yaml-language-server: $schema=../budge.schema.json\n"


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(FILE.read_text(encoding="utf-8")))


def alarms(text: str) -> list[str]:
    """What the schema says against the values that an editor sees in a text."""
    return [error.message for error in validator().iter_errors(plain(parse(text).root))]


def test_the_shipped_schema_is_what_the_command_prints() -> None:
    """If not: `budge schema > puzzles/budge.schema.json`."""
    Draft202012Validator.check_schema(puzzle_schema(BUILT_IN))
    assert json.loads(FILE.read_text(encoding="utf-8")) == puzzle_schema(BUILT_IN)


def test_the_command_prints_it_for_all_families_or_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert set(json.loads(capsys.readouterr().out)["$defs"]) >= {family.name for family in BUILT_IN}
    assert main(["schema", "--family", "sokoban"]) == 0
    assert set(json.loads(capsys.readouterr().out)["$defs"]) == {"sokoban"}
    assert main(["schema", "--family", "klotski"]) == 2
    assert "did you mean `sliding-block`?" in capsys.readouterr().err


@pytest.mark.parametrize("name", shipped())
def test_shipped_puzzles_are_valid_and_name_the_schema(name: str) -> None:
    path = shipped()[name]
    text = path.read_text(encoding="utf-8")
    assert text.startswith(MODELINE)
    assert (path.parent / "../budge.schema.json").resolve() == FILE
    assert not alarms(text)


@pytest.mark.parametrize(("place", "text"), examples(), ids=[place for place, _ in examples()])
def test_examples_of_the_documentation_are_valid(place: str, text: str) -> None:
    assert not alarms(text)


@pytest.mark.parametrize("family", BUILT_IN, ids=lambda family: family.name)
def test_samples_and_what_is_written_of_them_are_valid(family: Any) -> None:
    assert not alarms(family.sample)
    assert not alarms(load_text(family.sample).to_yaml())


HEADS = {
    "rush-hour": "format: 1\nfamily: rush-hour\nboard: |\n  AA..\n  .K..\norientation: {K: vertical}\n",
    "sokoban": "format: 1\nfamily: sokoban\nmap: 5#|#@$.#|5#\n",
    "sliding-block": "format: 1\nfamily: sliding-block\nboard: |\n  ab.\n  .XX\n",
}
UNUSUAL = {
    "text that looks like something else": ("rush-hour", "name: ~\nauthor: 12\ncredit: no\nnotes: null\n"),
    "format in quotes": ("", "format: '1'\nfamily: 'rush-hour'\nboard: |\n  AA.\n"),
    "spaces around words": ("rush-hour", 'metric: " steps "\ngoal: {exit: " right "}\n'),
    "metric as a list of one": ("rush-hour", "metric: [steps]\nexpect: {cost: [3]}\n"),
    "a metric of two parts": ("sokoban", "metric: pushes , moves\nexpect: {'pushes, moves': [1, 1], moves: 1}\n"),
    "a metric of two parts, as a list": ("sokoban", "metric: [moves, pushes]\n"),
    "a metric of two parts, in a list of one": ("sokoban", "metric: ['pushes,moves']\n"),
    "expects nothing": ("sokoban", "expect: {}\n"),
    "not unsolvable": ("sokoban", "expect: {unsolvable: false, cost: 1}\n"),
    "digits for a board": ("", "format: 1\nfamily: rush-hour\n"
        "board: 111111222222333333444444555555666666\ngoal: {piece: 1}\n"),
    "rows that are numbers": ("", "format: 1\nfamily: rush-hour\nboard: [000.., 11..., .....]\ngoal: {piece: 1}\n"),
    "rows that are `null`": ("", "format: 1\nfamily: rush-hour\nboard: [null, A...]\n"
        "orientation: {A: horizontal, n: vertical, u: vertical}\n"),
    "exit as a cell, in octal": ("rush-hour", "goal: {piece: A, exit: {row: 0o1, col: 0x4}}\n"),
    "directions as lists": ("sliding-block", "goal: |\n  b..\n  ..a\ndirections: {a: [left, U], b: UDLR, X: none}\n"),
    "doors as a map": ("sliding-block", "goal: |\n  b..\n  ..a\ndoors: |\n  ..a\n  ...\n"),
    "doors as a list": ("sliding-block", "goal: |\n  b..\n  ...\ndoors: [{row: 2, col: 1, pieces: [a, b]}]\n"),
    "sets of sets": ("sliding-block", "goal: |\n  b..\n  ..a\nalike: [[a, b]]\n"),
    "numbers in one line": ("", "format: 1\nfamily: n-puzzle\nstart: 123456.78\n"),
    "numbers in lists": ("", "format: 1\nfamily: n-puzzle\nstart: [[1, 2], ['.', 3]]\n"),
    "numbers in a list": ("", "format: 1\nfamily: n-puzzle\nstart: [1, 2, 3, 0]\n"),
    "blank rows of text": ("", "format: 1\nfamily: n-puzzle\nstart: [1 2, 3 _]\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSUAL)
def test_what_the_reader_accepts_is_valid(name: str) -> None:
    head, rest = UNUSUAL[name]
    text = HEADS.get(head, "") + rest
    load_text(text)
    assert not alarms(text)


UNSEEN = frozenset({
    "duplicate key", "two documents", "name cut off at #", "tag", "tag on text", "alias that is text", "`#:` as a key",
    "`#:` in brackets", "`@:` as a key", "`*:` as a key", "a list as a key",  # mistakes in YAML: the editor's parser
    "name with a colon",  # mended before the schema sees it
    "name: nothing",  # cannot be told from `name: ~`
    "expect: twice",  # depends on the metric
    "goal: no such piece", "goal: side that does not fit the axis", "goal: default side does not fit",
    "goal: cell outside", "goal: cell off the lane", "goal: column off the lane",
    "goal: orientation of a piece that is not there", "goal: orientation against the board",
})  # fmt: skip
"""Mistakes that no schema can see, besides those in what a map shows."""

SEEN_IN_MAPS = {"board: empty", "board: mapping", "board: list of lists"}


@pytest.mark.parametrize("name", ALL)
def test_broken_files_are_invalid_where_a_schema_can_see_it(name: str) -> None:
    text, _ = unmark(ALL[name][0])
    try:
        found = alarms(text)
    except PuzzleError:
        return  # not YAML: the editor's own parser says so
    assert bool(found) == (name in SEEN_IN_MAPS if name.startswith("board: ") else name not in UNSEEN)


@pytest.mark.parametrize(
    ("head", "rest", "words"),
    [
        ("sokoban", "source: {file: a.xsb, level: 1}\n", "valid under each of"),
        ("", "format: 1\nfamily: sokoban\n", "not valid under any"),
        ("", "format: 1\nfamily: sokoban\nsource: {level: 1}\n", "'file' is a required property"),
        ("sokoban", "metric: [pushes, pushes]\n", "not valid under any"),
        ("sokoban", "expect: {'pushes,moves': 3}\n", "not of type 'array'"),
        ("sliding-block", "goal: |\n  b..\n  ..a\ndoors: [{row: 1, pieces: a}]\n", "not valid under any"),
        ("sliding-block", "goal: |\n  b..\n  ..a\ndirections: {a: {}}\n", "not valid under any"),
        ("sliding-block", "", "'goal' is a required property"),
    ],
)
def test_mistakes_in_other_families_are_seen(head: str, rest: str, words: str) -> None:
    assert any(words in message for message in alarms(HEADS.get(head, "") + rest))


def test_families_from_elsewhere_are_in_it() -> None:
    schema = Draft202012Validator(puzzle_schema([*BUILT_IN, jugs.FAMILY]))
    good = {"format": 1, "family": "jugs", "capacity": [8, 5, 3], "start": [8, 0, 0], "goal": 4}
    assert schema.is_valid(good)
    assert not schema.is_valid(good | {"goal": "four"})
    assert not schema.is_valid(good | {"litres": 4})


def test_patterns_are_expressions_of_ecma_262() -> None:
    """Editors compile them with the flag `u`, under which a `\\-` is an error."""
    text = FILE.read_text(encoding="utf-8")
    patterns = re.findall(r'"pattern": "(.*)"', text) + re.findall(r'"(\^.*)": true', text)
    assert patterns
    for pattern in patterns:
        assert set(re.findall(r"\\(.)", json.loads(f'"{pattern}"'))) <= set("s")
