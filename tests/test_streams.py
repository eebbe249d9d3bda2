"""Standard streams that are closed, full or broken: the exit code says so, and no progress ends a run.

Each command is a process of its own, started by a shell that closes or redirects a stream as users do.
"""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from budge.cli import main
from budge.commands.exit_codes import Exit
from budge.models.documents import files
from budge.workflows import rows

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")

COMMANDS = (
    "solve bird-2 --engine plain",
    "solve bird-2 --engine plain --json",
    "solve bird-1 no-such-puzzle --engine plain",
    "explore two.yaml",
    "hint two.yaml --json",
    "explain two.yaml",
    "replay two.yaml --plan plan.txt --all",
    "compare two.yaml --engines plain",
    "compare two.yaml --engines plain --json",
    "batch two.yaml --engines plain --store NEW",
    "batch two.yaml --engines plain --store NEW --json",
    "results results.sqlite",
    "results results.sqlite --csv",
    "verify two.yaml --claim 5 --engines plain",
    "check two.yaml",
    "show two.yaml",
    "list",
    "list --json",
    "export two.yaml --to json",
    "schema",
    "completion bash",
    "help solve",
    "solve --help",
    "--version",
)
"""Command lines that write to standard output."""

TWO = """\
format: 1
family: rush-hour
name: Two in the way
board: |
  AA.BC
  ...BC
  .....
metric: steps
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a puzzle, a plan, and a store with one run."""
    folder = tmp_path_factory.mktemp("streams")
    (folder / "two.yaml").write_text(TWO)
    (folder / "plan.txt").write_text("A+1 B+1 A+1 C+1 A+1\n")
    assert run(folder, "batch two.yaml --engines plain --store results.sqlite").returncode == 0
    return folder


def run(folder: Path, command: str, redirected: str = "") -> subprocess.CompletedProcess[str]:
    """A command line with some of its streams redirected; `NEW` in it is a file that does not exist."""
    words = command.replace("NEW", f"new-{len(list(folder.iterdir()))}.sqlite").split()
    script = f'exec "$0" -m budge "$@" {redirected}'
    return subprocess.run(["sh", "-c", script, sys.executable, *words], cwd=folder, capture_output=True, text=True)


def said_cleanly(text: str) -> bool:
    return "Traceback" not in text and "Exception" not in text


@pytest.mark.parametrize("command", COMMANDS)
def test_output_that_cannot_be_written_has_a_code_of_its_own(folder: Path, command: str) -> None:
    some = command in COMMANDS[::4]
    for redirected, why in ((">/dev/full", "No space left on device"), (">&-", "it is closed"))[: 1 + some]:
        done = run(folder, command, redirected)
        assert done.returncode == 74
        assert f"budge: error: cannot write to standard output: {why}" in done.stderr
        assert said_cleanly(done.stderr)


@pytest.mark.parametrize("command", [*COMMANDS[:12:2], "solve no-such-puzzle", "slove", "check plan.txt"])
def test_errors_and_progress_that_nobody_can_read_are_dropped(folder: Path, command: str) -> None:
    whole = run(folder, command)
    for redirected in ("2>/dev/full", "2>&-"):
        done = run(folder, command, redirected)
        assert done.returncode == whole.returncode
        assert len(done.stdout.splitlines()) == len(whole.stdout.splitlines())
        assert "error:" not in done.stdout


@pytest.mark.parametrize("command", COMMANDS[::5])
def test_without_any_stream_only_the_code_is_left(folder: Path, command: str) -> None:
    assert run(folder, command, "<&- >&- 2>&-").returncode == 74


@pytest.mark.parametrize("command", ["solve bird-2 --engine plain", "batch two.yaml --engines plain --store NEW"])
def test_standard_input_is_not_needed(folder: Path, command: str) -> None:
    assert run(folder, command, "<&-").returncode == 0


@pytest.mark.parametrize("command", ["solve -", "check -", "verify two.yaml --plan -", "show -"])
def test_standard_input_that_is_closed_is_bad_input(folder: Path, command: str) -> None:
    done = run(folder, command, "<&-")
    assert done.returncode == 2
    assert "cannot read standard input: it is closed" in done.stderr
    assert said_cleanly(done.stderr)


@pytest.mark.parametrize("command", ["list", "schema", "solve bird-2 --engine plain --json", "--help"])
def test_a_reader_that_has_gone_is_no_error(folder: Path, command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-m", "budge", *command.split()], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert done.returncode == 0
    assert b"error" not in done.stderr
    assert b"Exception" not in done.stderr


def test_a_file_opened_later_does_not_get_the_number_of_a_closed_stream(folder: Path) -> None:
    """Else what a library prints would go into the store of an experiment."""
    script = "import os, sys; from budge.commands.streams import guarded_streams as g\nwith g():\n    " + (
        "sys.exit(0 if os.open('two.yaml', os.O_RDONLY) > 2 else 5)"
    )
    command = ["sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', sys.executable, script]
    assert subprocess.run(command, cwd=folder).returncode == 0


@pytest.mark.parametrize(
    "command",
    [
        "solve bird-2 --plan-out out.txt",
        "certify bird-2 --out made",
        "replay bird-2 --html out.html",
        "export bird-2 --to pddl --out made",
        "compare bird-2 --engines plain --resume rows.jsonl",
    ],
)
def test_a_full_disk_is_no_bad_input_and_leaves_nothing(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Writing fails as on a full disk, in whatever process: the exit code is 74, and no part of a file is left."""

    def full(path: Path, *_more: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(files, "write_whole", full)
    monkeypatch.setattr(Path, "rename", full)
    if "--resume" in command:
        monkeypatch.setattr(rows, "as_object", full)
    assert main(command.split()) == Exit.OUTPUT
    assert "cannot write to" in capsys.readouterr().err
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]
