"""Files that are no puzzle: unreadable, mangled, huge, hostile. Nothing but `PuzzleError` may come of them."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
from budge.models.documents.document import MAX_BYTES, parse_bytes, read_file
from budge.models.errors import Problem, PuzzleError
from budge.models.families import load_file, load_text, read_puzzle
from hypothesis import given, settings
from hypothesis import strategies as st

from ..helpers.seeds import examples

CARD = """format: 1
family: rush-hour
name: Example card
board: |
  ..IBBB
  ..IKLM
  AAJKLM
  CCJDDM
  ..JEE.
  ..FF..
goal: {piece: A, exit: right}   # default; may be left out
metric: slides                  # slides | steps
expect: {cost: 16}              # turns the file into a test
"""


# Files


def refusal(path: Path) -> Problem:
    with pytest.raises(PuzzleError) as caught:
        load_file(path)
    return caught.value.problems[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "card.yaml"
    path.write_bytes(("\ufeff" * encoding.startswith("utf-16-") + CARD).encode(encoding))
    assert load_file(path).board() == load_text(CARD).board()


@pytest.mark.parametrize(
    ("data", "line", "column", "message"),
    [
        (b"", 0, 0, "the file is empty"),
        (b"\xef\xbb\xbf", 0, 0, "the file is empty"),
        (b"a: 1\r\nname: caf\xe9\n", 2, 10, "byte 0xe9 is not valid UTF-8"),
        ("ä: 1\nb: ö\n".encode() + b"\xff", 3, 1, "byte 0xff is not valid UTF-8"),
        (b"\xff\xfea\x00\x00\xd8", 1, 2, "byte 0x00 is not valid UTF-16"),
        (CARD.encode("utf-16-le"), 1, 2, "control character U+0000"),
        (b"\x89PNG\r\n\x1a\n", 1, 1, "byte 0x89 is not valid UTF-8"),
        (b"a: \x00\n", 1, 4, "control character U+0000"),
        ("a: 1\nb: \ufeff\n".encode(), 2, 4, "control character U+FEFF"),
        (b" " * (MAX_BYTES + 1), 0, 0, "the file is too large"),
        ("ä".encode() * (MAX_BYTES // 2) + b"\xc3\xa4", 0, 0, "the file is too large"),
    ],
)
def test_bytes_that_are_no_puzzle(tmp_path: Path, data: bytes, line: int, column: int, message: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(data)
    problem = refusal(path)
    assert (problem.line, problem.column, problem.file) == (line, column, str(path))
    assert message in problem.message


def test_what_is_no_file(tmp_path: Path) -> None:
    assert "this is a folder" in refusal(tmp_path).message
    assert "No such file" in refusal(tmp_path / "missing.yaml").message
    assert "cannot read the file" in refusal(tmp_path / "a\0b").message
    assert "cannot read the file" in refusal(tmp_path / ("x" * 5000)).message
    assert read_file(str(_written(tmp_path, CARD))).root.key("board") is not None  # type: ignore[arg-type]


def _written(folder: Path, text: str) -> Path:
    path = folder / "card.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_devices_pipes_and_sockets_are_refused_at_once(tmp_path: Path) -> None:
    """Some never end, some wait for ever: they are told by what they are, before anything of them is read."""
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "link.yaml").symlink_to("/dev/zero")
    assert refusal(Path("/dev/zero")).message == "this is a device, not a puzzle file"
    assert refusal(tmp_path / "link.yaml").message == "this is a device, not a puzzle file"
    assert refusal(tmp_path / "pipe.yaml").message == "this is a pipe, not a puzzle file"
    assert "standard input" in refusal(tmp_path / "pipe.yaml").hint
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "s.yaml"))
        assert refusal(tmp_path / "s.yaml").message == "this is a socket, not a puzzle file"


SOURCE = "format: 1\nfamily: sokoban\nsource: {{file: {}, level: 1}}\n"


def source_refusal(folder: Path, name: str) -> Problem:
    path = folder / "level.yaml"
    path.write_text(SOURCE.format(name), encoding="utf-8")
    problem = refusal(path)
    assert (problem.line, problem.column) == (3, 16)
    assert problem.hint
    return problem


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
def test_a_source_is_a_file_below_the_folder_of_its_puzzle(tmp_path: Path) -> None:
    folder = tmp_path / "puzzles"
    (folder / "sub").mkdir(parents=True)
    level = "#####\n#@$.#\n#####\n"
    (tmp_path / "secret.xsb").write_text(level)
    (folder / "sub" / "good.xsb").write_text(level)
    (folder / "out.xsb").symlink_to("../secret.xsb")
    (folder / "in.xsb").symlink_to("sub/good.xsb")
    (folder / "loop.xsb").symlink_to("loop.xsb")
    os.mkfifo(folder / "pipe.xsb")
    (folder / "large.xsb").write_bytes(b"\n" * (MAX_BYTES + 1))
    absolute = "it is an absolute path"
    for name, reason in {
        "/dev/zero": absolute,
        "/etc/passwd": absolute,
        str(folder / "sub" / "good.xsb"): absolute,
        "../secret.xsb": "it is outside the folder of this puzzle",
        "sub/../../../../../etc/passwd": "it is outside the folder of this puzzle",
        "out.xsb": "it is outside the folder of this puzzle",
        "pipe.xsb": "it is a pipe",
        "sub": "it is a folder",
        "large.xsb": f"it has more than {MAX_BYTES:,} bytes",
        "none.xsb": "No such file or directory",
    }.items():
        assert source_refusal(folder, name).message == f"cannot read `{name[:39] + '…' * (len(name) > 40)}`: {reason}"
    assert "loop" in source_refusal(folder, "loop.xsb").message
    for name in ("sub/good.xsb", "in.xsb", "sub/../sub/good.xsb"):
        (folder / "level.yaml").write_text(SOURCE.format(name))
        assert load_file(folder / "level.yaml").board() == ("#####", "#@$.#", "#####")


def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    path = _written(tmp_path, CARD)
    monkeypatch.setattr(os, "open", refuse)
    assert refusal(path).message == "cannot read the file: Permission denied"


# Nothing but `PuzzleError`


@pytest.mark.weekly
@pytest.mark.parametrize(
    "text",
    [
        *["[" * 100_000, "{" * 100_000, "- " * 100_000, "? " * 100_000, "{a: " * 50_000, "a:\n" * 20_000],
        *["\n".join(" " * i + "a:" for i in range(300)), "'" * 99_999, '"' * 99_999, "\t" * 9_999, ":" * 9_999],
        *["#" * 99_999, "a: " + "#" * 99_999 + "x", "a:\n  " + "#" * 99_999 + "x", " " * 99_999, "\n" * 99_999],
        "a: &a [x]\n" + "".join(f"b{i}: &b{i} [*a, *a, *b{i - 1}]\n" for i in range(200)),
        *["a: " + "!x " * 9_999, "- #.#\n" * 2_000, "a:\n" + "  @: 1\n" * 2_000, "&" * 9_999, "*a, " * 9_999],
        *["a: |\n    #\n  #\n" * 2_000, "k: v\n" * 9_999, "x: [" + "1, " * 9_999 + "]", "--- a\n" * 9_999],
        *["\ud800", "a: \udfff", "\x00", "a: \x1b[31m", "\x85", "a\u2028b: c", "%", "%YAML", "%TAG ! x\n--- !a b"],
        *['"\\ud800"', 'a: "\\0"', 'format: "\\e[1m"', "!!binary x", "!!python/object/apply:os.system [ls]"],
        *["<<: *a", "? [a]: b", "{a: 1}: 2", "[a]: 1", ": x", "null: 1", "1: 2", "a: b: c", "...", "---", "-"],
    ],
)
def test_hard_texts(text: str) -> None:
    for whole in (text, CARD + text, "format: 1\nfamily: rush-hour\nboard: " + text):
        assert len(refused(whole)) < 100_000


def refused(text: str) -> str:
    """What `load_text` says of a text; empty if it can be read. Every problem has a place in the text."""
    try:
        load_text(text, "f.yaml")
    except PuzzleError as error:
        problems, said = error.problems, str(error)
    else:
        return ""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for problem in problems:
        assert problem.message
        assert 0 <= problem.line <= len(lines)
        assert problem.line == 0 or 1 <= problem.column <= len(lines[problem.line - 1]) + 4
    assert said.encode()
    return said


PIECES = st.sampled_from([
    *"#@*&!%|>`'\"{}[],:-? \t\n.~ao1A\\$+_=^/;<é字\u0301\x00\x85\u2028\ufeff\r\x1b",
    *["\n  ", "#:", "# ", "- ", "|2", "|\n", ": ", "]\n", "---\n", "...\n", "%YAML 1.1\n", "!!", "&a ", "*a", "'"],
    *["\\u0041", "<<: ", "board: |\n", "goal: ", "null", "? ", "\r\n", "9" * 50, "1e400", ".inf", "  A\n"],
])  # fmt: skip


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """The example card with up to four pieces of text put in, cut out or replaced."""
    text = CARD
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 3, 12])))
        text = text[:start] + draw(st.one_of(PIECES, st.just(""))) + text[end:]
    return text


@settings(max_examples=examples(300))
@given(st.one_of(mutations(), st.lists(PIECES, max_size=30).map("".join), st.text(max_size=80)))
def test_any_text(text: str) -> None:
    refused(text)


@settings(max_examples=examples(150))
@given(st.one_of(st.binary(max_size=60), mutations().map(lambda text: text.encode("utf-16", "replace"))))
def test_any_bytes(data: bytes) -> None:
    try:
        read_puzzle(parse_bytes(data, "f.yaml"))
    except PuzzleError as error:
        said = str(error)
    else:
        return
    assert said.encode()
