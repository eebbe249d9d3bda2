"""Where the studio keeps certificates, and what it asks before it writes one."""

from __future__ import annotations

from pathlib import Path

import pytest
from budge import load_text
from budge.models.errors import UsageError
from budge.models.puzzle import Puzzle
from budge.proofs.core.claim import PUZZLE
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.folder import write_files
from budge.studio.work import folder_of
from budge.workflows.certifying import in_the_way

from ..helpers.certificates import RUSH, certificate


def named(name: str, text: str = RUSH) -> Puzzle:
    return load_text(text.replace("format: 1\n", f'format: 1\nname: "{name}"\n') if "name:" not in text else text)


BARE = "format: 1\nfamily: rush-hour\nboard: [AA.BC, ...BC, DD...]\n"


def test_titles_without_ascii_letters_are_told_apart(tmp_path: Path) -> None:
    other = BARE.replace("DD...", ".DD..")
    assert folder_of(tmp_path, named("Two in the way", BARE)) == tmp_path / "two-in-the-way.certificate"
    folders = {folder_of(tmp_path, named(name, text)) for name in ("华容道", "!?") for text in (BARE, other)}
    assert len(folders) == 2  # the puzzle tells them apart, whatever it is called
    assert folder_of(tmp_path, named("华容道", BARE)) != folder_of(tmp_path, named("推箱子", other))


def test_a_link_that_leads_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "open" / "one.certificate").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="leads out"):
        folder_of(tmp_path / "open", named("One", BARE))
    (tmp_path / "open" / "two.certificate").symlink_to(tmp_path / "open" / "here")
    assert folder_of(tmp_path / "open", named("Two", BARE)) == tmp_path / "open" / "here"


def test_only_a_certificate_of_the_same_puzzle_is_overwritten_without_a_question(tmp_path: Path) -> None:
    puzzle = named("One", BARE)
    made = tmp_path / "one.certificate"
    assert in_the_way(made, puzzle, "steps") is None
    made.mkdir()
    assert in_the_way(made, puzzle, "steps") is None
    write_files(made, certificate(RUSH, "steps"))
    assert in_the_way(made, puzzle, "steps") is None
    assert in_the_way(made, named("One", BARE.replace("DD...", ".DD..")), "steps") is not None
    assert in_the_way(made, puzzle, "slides") is not None
    (made / PROBLEM).unlink()
    assert in_the_way(made, puzzle, "steps") is not None
    (made / PROBLEM).write_text("budge")
    (made / PUZZLE).write_text("mine")
    assert in_the_way(made, puzzle, "steps") is not None
    (made / "letter.txt").write_text("mine")
    with pytest.raises(UsageError, match="letter"):
        in_the_way(made, puzzle, "steps")
