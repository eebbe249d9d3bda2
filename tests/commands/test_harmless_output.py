"""Texts of files that would command a terminal, or change the order of what it shows: no command prints them raw."""

from __future__ import annotations

import contextlib
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import pytest
from budge.cli import main
from budge.commands.streams import harmless
from budge.models.documents.compose import unreadable

from ..helpers.pddl_domains import CUPS

ODD = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x00\u202e\u2028\x85\x9b2Ja\u0301\u0301"
"""A title of the window, a cleared screen, a colour, NUL, right to left, ends of lines, and combining marks."""
QUOTED = "".join(f"\\U{ord(char):08x}" for char in ODD)
SOFT = "".join(char for char in ODD if not unreadable(char))
"""What a puzzle file may contain."""
TWO = f'format: 1\nfamily: rush-hour\nname: "N{SOFT}"\nauthor: "A{SOFT}"\ncredit: "C{SOFT}"\nnotes: "{SOFT}"\n'
BOARD = "board: |\n  AA.BC\n  ...BC\n  .....\n"
ROOM = "#####\n#@$.#\n#####\n"


def raw(text: str) -> set[str]:
    """The characters that a terminal would not show but obey."""
    text = text.replace("\r\n", "\n").replace("\t", " ").replace("\n", " ")
    return {char for char in text if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") or char == "\u202e"}


def written(folder: Path) -> Iterable[tuple[Path, str]]:
    for file in folder.rglob("*"):
        if file.suffix in (".html", ".svg", ".csv", ".yaml", ".json"):
            yield file, file.read_text("utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "two.yaml": TWO + BOARD,
        "raw.yaml": TWO + f"{ODD}: 1\n{BOARD}",
        "escaped.yaml": TWO.replace(SOFT, QUOTED) + BOARD,
        "key.yaml": TWO + f'"{QUOTED}": 1\n{BOARD}',
        "piece.yaml": TWO + BOARD.replace("B", "B\u0301").replace("C", "\u202e"),
        "expect.yaml": TWO + f'expect: {{cost: "{QUOTED}"}}\n{BOARD}',
        "room.xsb": f"Title: T{ODD}\nAuthor: {ODD}\n{ROOM}\n{ROOM.replace('$', ODD)}\n; {ODD}\n",
        "room.slc": f'<SokobanLevels><Level Id="{ODD}"><L>{ODD}</L></Level></SokobanLevels>',
        "lines.txt": f"{ODD}\n{'o' * 12}oAAoBoooooBoooooooooooo 9 {ODD}\n",
        "domain.pddl": CUPS.domain,
        "p01.pddl": CUPS.problem,
        "odd.pddl": CUPS.problem.replace("(:objects", f"(:objects x{ODD}"),
        "plan.txt": f"A{ODD}+1 {ODD}",
        "actions.txt": f"(pour{ODD} a b)\n",
        "claims.csv": f"task,cost,planner,plan\ntwo.yaml,5,p{ODD},plan.txt\ntwo.yaml,5,{ODD},\n{ODD},3,q,\n",
        "map.json": f'{{"{ODD}": 1}}',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / "problem.txt").write_text(f"budge problem 1\ncount {ODD}\n")
    (forged / "claim.txt").write_text(f"budge claim 1\noptimum 2\nby {ODD}\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = [
    *(f"{command} {name}.yaml" for command in ("check", "show", "show --json", "explain") for name in
      ("two", "raw", "escaped", "key", "piece", "expect")),
    "solve two.yaml --engine plain --stats",
    "solve two.yaml --engine plain --json",
    "explore two.yaml",
    "hint two.yaml",
    "replay two.yaml --html page.html --svg page.svg",
    "replay two.yaml --plan plan.txt",
    "verify two.yaml --plan plan.txt --engines none",
    "verify two.yaml --plan plan.txt --engines none --json",
    "verify bird-1 --plan plan.txt --engines none",
    "verify microban-001 --plan plan.txt --engines none",
    "verify hanoi-8 --plan plan.txt --engines none",
    "verify pocket-cube --plan actions.txt --engines none",
    "verify domain.pddl p01.pddl --plan actions.txt --engines none",
    "verify domain.pddl p01.pddl --plan plan.txt --engines none",
    "verify two.yaml --plan plan.txt --map map.json --engines none",
    "verify forged",
    "check domain.pddl odd.pddl",
    "compare two.yaml --engines plain --html compare.html",
    "compare two.yaml --engines plain --csv",
    "verify claims.csv --engines plain",
    "verify claims.csv --engines plain --json",
    "batch two.yaml --engines plain --store runs.sqlite",
    "results runs.sqlite",
    "results runs.sqlite --csv",
    "results runs.sqlite --json",
    "convert room.xsb --out levels",
    "convert room.slc --out levels",
    "convert lines.txt --out levels",
    "export two.yaml --to pddl --out exported",
    "export two.yaml --to json",
    "site two.yaml --out site --quiet",
    f"solve {ODD.replace(chr(0), '')}",
    f"verify two.yaml --claim {ODD}",
    f"solve two.yaml --engine {ODD}",
]  # fmt: skip


def test_no_command_prints_control_characters(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    for command in COMMANDS:
        with contextlib.suppress(SystemExit):  # of arguments that make no sense
            assert main(command.split(" ")) in (0, 1, 2, 3), command
        out, err = capsys.readouterr()
        assert out + err, command
        assert not raw(out + err), command
    for file, text in written(folder):
        if file.parent != folder or file.suffix in (".html", ".svg"):  # the others are what this test has written
            assert not raw(text), file


def test_colours_stay_where_they_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "two.yaml", "--colour", "always"]) == 0
    assert raw(capsys.readouterr().out) == {"\x1b"}
    assert harmless("\x1b[1;31mred\x1b[0m\x1b[2J\r\n", colours=True) == "\x1b[1;31mred\x1b[0m\ufffd[2J\r\n"
    assert harmless("\x1b[1;31mré\u0301d\r", colours=False) == "\ufffd[1;31mré\u0301d\ufffd"
