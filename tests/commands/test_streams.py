"""Standard streams that are closed, full or broken: the exit code says so, and no progress ends a run.

Each command is a process of its own, started by a shell that closes or redirects a stream as users do.
"""

from __future__ import annotations

import argparse
import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from budge import cli
from budge.cli import main
from budge.commands.streams import Exit
from budge.models.documents import files

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


def run(folder: Path, command: str, redirected: str = "", before: str = "") -> subprocess.CompletedProcess[str]:
    """A command line with some of its streams redirected; `NEW` in it is a file that does not exist."""
    words = command.replace("NEW", f"new-{len(list(folder.iterdir()))}.sqlite").split()
    script = f'{before}exec "$0" -m budge "$@" {redirected}'
    return subprocess.run(["sh", "-c", script, sys.executable, *words], cwd=folder, capture_output=True, text=True)


def said_cleanly(text: str) -> bool:
    return "Traceback" not in text and "Exception" not in text


@pytest.mark.weekly
@pytest.mark.parametrize("command", COMMANDS)
def test_output_that_cannot_be_written_has_a_code_of_its_own(folder: Path, command: str) -> None:
    some = command in COMMANDS[::4]
    for redirected, why in ((">/dev/full", "No space left on device"), (">&-", "it is closed"))[: 1 + some]:
        done = run(folder, command, redirected)
        assert done.returncode == 74
        assert f"budge: error: cannot write to standard output: {why}" in done.stderr
        assert said_cleanly(done.stderr)


@pytest.mark.weekly
@pytest.mark.parametrize("command", [*COMMANDS[:12:2], "solve no-such-puzzle", "slove", "check plan.txt"])
def test_errors_and_progress_that_nobody_can_read_are_dropped(folder: Path, command: str) -> None:
    whole = run(folder, command)
    for redirected in ("2>/dev/full", "2>&-"):
        done = run(folder, command, redirected)
        assert done.returncode == whole.returncode
        assert len(done.stdout.splitlines()) == len(whole.stdout.splitlines())
        assert "error:" not in done.stdout


@pytest.mark.weekly
@pytest.mark.parametrize("command", COMMANDS[::5])
def test_without_any_stream_only_the_code_is_left(folder: Path, command: str) -> None:
    assert run(folder, command, "<&- >&- 2>&-").returncode == 74


@pytest.mark.weekly
@pytest.mark.parametrize("command", ["solve bird-2 --engine plain", "batch two.yaml --engines plain --store NEW"])
def test_standard_input_is_not_needed(folder: Path, command: str) -> None:
    assert run(folder, command, "<&-").returncode == 0


@pytest.mark.weekly
@pytest.mark.parametrize("command", ["solve -", "check -", "verify two.yaml --plan -", "show -"])
def test_standard_input_that_is_closed_is_bad_input(folder: Path, command: str) -> None:
    done = run(folder, command, "<&-")
    assert done.returncode == 2
    assert "cannot read standard input: it is closed" in done.stderr
    assert said_cleanly(done.stderr)


@pytest.mark.weekly
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
    assert main(command.split()) == Exit.OUTPUT
    assert "cannot write to" in capsys.readouterr().err
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]


WRITTEN = {
    "solve --plan-out": "solve bird-2 --engine plain --plan-out out.txt",
    "solve --certificate": "solve bird-2 --engine plain --certificate made",
    "explore --hardest": "explore two.yaml --hardest out.yaml",
    "explain --html": "explain two.yaml --why --html out.html",
    "replay --html": "replay two.yaml --plan plan.txt --html out.html",
    "replay --svg": "replay two.yaml --plan plan.txt --svg out.svg",
    "replay --gif": "replay two.yaml --plan plan.txt --gif out.gif",
    "compare --html": "compare two.yaml --engines plain --html out.html",
    "batch --store": "batch two.yaml --engines plain --store out.sqlite",
    "results --html": "results results.sqlite --html out.html",
    "site out": "site two.yaml made",
    "generate --out": "generate rush-hour --time-limit 10 --out made",
    "certify --out": "certify two.yaml --out made",
    "export --out": "export two.yaml --to pddl --out made",
    "new file": "new rush-hour out.yaml",
    "convert --out": "convert levels.xsb --out made",
}
"""For each argument that names what is written: a command with it."""
READ = {"plans --intended", "replay --plan", "results store", "verify --plan", "verify --map", "verify --puzzle"}
READ |= {"new --grid"}


def test_all_arguments_that_name_a_file_are_known_here() -> None:
    """A new one has to be held against a full disk, too."""
    commands = next(action for action in cli._parser()._actions if isinstance(action, argparse._SubParsersAction))
    found = set()
    for name, parser in commands.choices.items():
        parser.later(parser)
        for action in parser._actions:
            if action.metavar in ("FILE", "DIR", "STORE") or action.dest == "out":
                found.add(f"{name} {action.option_strings[-1] if action.option_strings else action.dest}")
    assert found == WRITTEN.keys() | READ


@pytest.mark.slow
@pytest.mark.parametrize("what", WRITTEN)
def test_a_disk_without_room_for_a_byte(what: str, folder: Path, tmp_path: Path) -> None:
    """The system itself refuses each byte of each file: the exit code is 74, and no part of the output is left."""
    if what == "replay --gif":
        pytest.importorskip("PIL")
    folder = shutil.copytree(folder, tmp_path / "copy")
    (folder / "levels.xsb").write_text("######\n#@$. #\n######\n")
    done = run(folder, WRITTEN[what], before="ulimit -f 0; ")
    assert done.returncode == Exit.OUTPUT, done.stderr
    assert "error: cannot " in done.stderr
    assert "Traceback" not in done.stderr
    assert not [path for path in folder.glob("out.*") if path.stat().st_size]


def test_a_certificate_stays_where_there_is_no_room_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["certify", "bird-2", "--out", "made"]
    assert main(command) == 0
    before = {file.name: file.read_bytes() for file in Path("made").iterdir()}
    write = Path.write_bytes

    def full(path: Path, data: bytes) -> int:
        if path.is_relative_to(tmp_path) or not path.is_absolute():
            write(path, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    assert main(command) == Exit.OUTPUT
    assert "cannot write to made: No space left on device" in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in Path("made").iterdir()} == before
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert main([*command, "--dimacs"]) == 0
    assert main(["verify", "made"]) == 0
