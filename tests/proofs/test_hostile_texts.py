"""Certificates that were made to do harm, each checked in a child process: the verdict comes in time, within the limit
of memory, with the exit code of the documentation, and never is a traceback.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from budge.proofs import command
from budge.proofs.check import check_folder
from budge.proofs.core.limits import Limits
from budge.proofs.verdict import CODES, UNSUPPORTED, CertificateVerdict, printable

from ..helpers import hostile_bombs, hostile_puzzles, hostile_texts
from ..helpers.hostile_texts import LINE, STEPS, files

SECONDS, MEBIBYTES = 1, 100

MEASURED = """
import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:])
_, status, used = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss, file=sys.stderr)
"""
"""Runs a command in a small process: what a child holds at most counts from what the process holds that starts it."""

LIMITS = ["--time-limit", str(SECONDS), "--memory-limit", str(MEBIBYTES)]
ONE_SIGN = 1 << 10 if sys.platform != "darwin" else 1 << 20

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no pipes, and nobody says how large a process was")


def check(folders: list[Path]) -> tuple[int, str, float, float]:
    """Check folders in a process: its exit code, what it says, its processor seconds, and MiB that it held at most."""
    checker = [sys.executable, "-m", "budge.proofs", *map(str, folders), *LIMITS]
    run = subprocess.run([sys.executable, "-ISc", MEASURED, *checker], capture_output=True, text=True, timeout=120)
    *errors, last = run.stderr.splitlines()
    assert errors == []
    code, seconds, held = last.split()
    return int(code), run.stdout, float(seconds), int(held) * ONE_SIGN / (1 << 20)


@pytest.mark.weekly
@pytest.mark.parametrize("name", hostile_bombs.CASES)
def test_the_limits_hold(name: str, tmp_path: Path) -> None:
    make, codes = hostile_bombs.CASES[name]
    make(tmp_path / "one")
    code, said, seconds, held = check([tmp_path / "one"])
    assert code in codes, said
    assert "this checker failed" not in said
    assert seconds < SECONDS + 1.5  # half a second to start
    assert held < MEBIBYTES + 60


def test_each_is_refused_with_a_sentence(tmp_path: Path) -> None:
    """All in one process: it says the verdict of each folder."""
    cases = hostile_texts.CASES
    folders = [tmp_path / str(i) for i in range(len(cases))]
    for (make, _), folder in zip(cases.values(), folders, strict=True):
        make(folder)
    code, said, _, _ = check(folders)
    assert code == 1
    verdicts = said.split(f"{tmp_path}/")[1:]
    for (name, (_, codes)), verdict in zip(cases.items(), verdicts, strict=True):
        _, first, *_ = verdict.splitlines()
        assert CODES[first.split(":")[0].split(";")[0]] in codes, (name, verdict)
        assert "this checker failed" not in verdict, name
        assert all(printable(line) == line for line in verdict.splitlines()), name


@pytest.mark.weekly
@pytest.mark.parametrize("name", hostile_puzzles.CASES)
def test_no_puzzle_is_believed(name: str, tmp_path: Path) -> None:
    hostile_puzzles.CASES[name](tmp_path / "one")
    code, said, seconds, held = check([tmp_path / "one"])
    assert code in (1, 3)
    assert "this checker failed" not in said
    assert all(printable(line) == line for line in said.splitlines())
    assert seconds < SECONDS + 1.5
    assert held < MEBIBYTES + 60


def test_a_file_that_grows_is_read_within_the_limits(tmp_path: Path) -> None:
    files()(tmp_path / "one")
    ends = threading.Event()

    def grow() -> None:
        with (tmp_path / "one" / "plan.txt").open("a") as stream:
            while not ends.is_set():
                stream.write(STEPS * 1000)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        verdict = check_folder(tmp_path / "one", Limits(5, MEBIBYTES))
    finally:
        ends.set()
        writer.join()
    assert "failed" not in verdict.problem  # it may be valid: what was read then was the plan


def test_a_check_that_does_not_look_at_the_clock_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never_ending(folder: Path, limits: Limits, **more: object) -> CertificateVerdict:
        while True:
            pass

    monkeypatch.setattr(command, "check_folder", never_ending)
    assert "time limit" in command._check(tmp_path, Limits(0.1), None).problem


def test_a_late_alarm_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may come while what a check held is being freed, and its verdict is known."""

    class Slow(list[CertificateVerdict]):
        def append(self, verdict: CertificateVerdict) -> None:
            super().append(verdict)
            signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(command, "list", Slow, raising=False)
    verdict = CertificateVerdict(UNSUPPORTED, problem="not decided")
    monkeypatch.setattr(command, "check_folder", lambda *arguments, **more: verdict)
    assert command._check(tmp_path, Limits(0), None) == verdict


def test_a_fault_in_a_claim_is_said_of_the_claim(tmp_path: Path) -> None:
    files(claim="budge claim 1\noptimum x\nby exhaustion 2\n")(tmp_path / "one")
    assert check_folder(tmp_path / "one").problem.startswith("claim.txt, line 2")
    files(problem=LINE.replace("a 1", "a x"))(tmp_path / "two")
    assert check_folder(tmp_path / "two").problem.startswith("problem.txt, line 6")
