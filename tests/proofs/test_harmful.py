"""Certificates that were made to do harm: each is refused, with a sentence, whatever it asks for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from budge import load_text
from budge.cli import main
from budge.models.errors import DisagreementError
from budge.proofs.check import check_folder
from budge.proofs.folder import write_files
from budge.proofs.verdict import INVALID, UNSUPPORTED, VALID, printable
from budge.runtime.budget import Budget
from budge.workflows.certifying import canonical, certify
from budge.workflows.solving import solve

from ..helpers.certificates import RUSH, certificate
from ..helpers.checker_process import PROOFS, processor_time
from ..helpers.harmful import HARMFUL, beside
from ..helpers.two_readers import differ


@pytest.mark.weekly
@pytest.mark.parametrize("name", HARMFUL)
def test_it_is_refused_with_a_sentence(name: str, tmp_path: Path) -> None:
    HARMFUL[name](tmp_path / "one")
    verdict = check_folder(tmp_path / "one", processor_time(1))
    assert verdict.status in (INVALID, UNSUPPORTED)
    assert "failed" not in verdict.problem
    assert all(printable(line) == line for line in verdict.lines)


def test_a_fault_of_the_checker_shows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path, certificate(RUSH, "steps"))
    for error in (TypeError("\x1b[2J"), RecursionError(), MemoryError(), KeyError("x")):

        def fails(*arguments: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("budge.proofs.core.check.exhaust", fails)
        verdict = check_folder(tmp_path)
        assert verdict.status == UNSUPPORTED
        assert verdict.problem.startswith("not decided")
        assert "\x1b" not in verdict.problem


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_it_is_said_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    names = ("escapes in the plan", "escapes in a name", "a metric of odd letters")
    for name in names:
        HARMFUL[name](tmp_path / name)
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    for start in ([str(PROOFS)], ["-m", "budge", "verify"]):
        arguments = [sys.executable, *start, *(str(tmp_path / name) for name in names)]
        run = subprocess.run(arguments, capture_output=True, env=environment, check=False)
        assert run.returncode == 1, run.stderr
        assert b"\x1b" not in run.stdout + run.stderr
        assert run.stdout.count(b"invalid: ") == len(names)


def test_letters_of_all_alphabets_are_said_in_every_encoding(tmp_path: Path) -> None:
    text = RUSH.replace("DD", "ää")
    write_files(tmp_path, certificate(text, "steps"))
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for start, drawn in (([str(PROOFS)], "\\xe4\\xe4..."), (["-m", "budge", "verify"], "...")):
        run = subprocess.run(
            [sys.executable, *start, str(tmp_path)], capture_output=True, env=environment, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        assert drawn in run.stdout


@pytest.mark.weekly
def test_no_code_is_run_from_where_it_is_started(tmp_path: Path) -> None:
    """Neither from beside a copy of the checker, nor from the working folder, nor from the certificate."""
    shutil.copytree(PROOFS, tmp_path / "proofs", ignore=shutil.ignore_patterns("__pycache__"))
    write_files(tmp_path / "one", certificate(RUSH, "steps"))
    for name in ("yaml", "json", "lzma"):
        beside("__init__.py", "raise SystemExit('run')")(tmp_path / name)
    for start in (["proofs"], ["-m", "budge.proofs"], ["-m", "budge", "verify"]):
        for folder, code in (("one", 0), ("yaml", 1)):
            (tmp_path / "yaml" / "claim.txt").touch()
            run = subprocess.run(
                [sys.executable, *start, folder], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert run.returncode == code, run.stdout + run.stderr
            assert run.stdout.startswith("valid: " if folder == "one" else "invalid: ")


def test_a_puzzle_that_is_written_otherwise_than_it_is_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Budge writes for a certificate is read again, and held against the puzzle itself."""
    puzzle, wrong = load_text(RUSH), canonical(load_text(RUSH.replace("DD.", ".DD")))
    assert not differ(canonical(puzzle), puzzle)
    assert differ(wrong, puzzle)
    monkeypatch.setattr("budge.workflows.certifying.to_yaml", lambda *_parts: wrong)
    with pytest.raises(DisagreementError, match="another puzzle"):
        canonical(puzzle)


def test_a_certificate_without_its_puzzle_is_one_of_its_text_alone(tmp_path: Path) -> None:
    puzzle = load_text(RUSH)
    certify(solve(puzzle, "plain"), tmp_path / "one", Budget(60), evidence="exhaustion")
    assert check_folder(tmp_path / "one", puzzle=canonical(puzzle)).status == VALID
    (tmp_path / "one" / "puzzle.yaml").unlink()
    verdict = check_folder(tmp_path / "one")
    assert verdict.headline.startswith("valid for problem.txt; of no puzzle: ")
    verdict = check_folder(tmp_path / "one", puzzle=canonical(puzzle))
    assert verdict.status == UNSUPPORTED
    assert "no puzzle.yaml" in verdict.problem


def test_the_order_of_types_is_a_part_of_a_puzzle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`other(x)` is y if `first` names x first, and z if `second` does."""
    text = (
        "format: 1\nfamily: custom\ntypes:\n  first: [x, y]\n  second: [x, z]\n  place: [x, y, z]\n"
        "state:\n  at: {in: place, start: x}\nactions:\n  go: {set: {at: other(x)}}\n"
        "  rest: {when: at == y, set: {at: z}}\ngoal: at == z\n"
    )
    turned = text.replace("  first: [x, y]\n  second: [x, z]\n", "  second: [x, z]\n  first: [x, y]\n")
    certify(solve(load_text(text), "plain"), tmp_path / "one", Budget(60))
    (tmp_path / "turned.yaml").write_text(turned)
    assert check_folder(tmp_path / "one").shown == "2 moves is the optimum"
    assert check_folder(tmp_path / "one", puzzle=text).status == VALID
    assert check_folder(tmp_path / "one", puzzle=turned).status == INVALID
    assert solve(load_text(turned), "plain").cost == 1
    assert main(["verify", str(tmp_path / "one"), "--puzzle", str(tmp_path / "turned.yaml")]) == 1
    assert "another puzzle" in capsys.readouterr().out


def test_a_puzzle_that_was_changed_has_another_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(tmp_path / "one", certificate(RUSH, "steps"))
    file = tmp_path / "puzzle.yaml"
    compact = "format: 1\nfamily: rush-hour\nname: Another\nboard: [AA.BC, ...BC, DD...]\n"
    for text, code in ((compact, 0), (compact.replace("DD...", ".DD.."), 1)):
        file.write_text(text)
        assert main(["verify", str(tmp_path / "one"), "--puzzle", str(file)]) == code
        assert ("another puzzle than the file" in capsys.readouterr().out) == bool(code)
    assert main(["verify", str(tmp_path / "one"), "--puzzle", "bird-1"]) == 1
    assert main(["verify", str(tmp_path / "one"), "--metric", "slides"]) == 1
    assert main(["verify", str(tmp_path / "one"), "--metric", "steps"]) == 0
    assert main(["verify", "bird-1", "--puzzle", "bird-1"]) == 2
    assert check_folder(tmp_path / "one").status == VALID
