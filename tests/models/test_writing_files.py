"""Files that a user names are written as a whole, or stay what they were."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from budge.models.documents.files import write_named


def test_a_file_that_cannot_be_written_whole_stays_what_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plan.txt"
    write_named(path, b"before")

    def full(_part: Path, _path: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space"):
        write_named(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "plan.txt", tmp_path / "link"
    path.write_bytes(b"before")
    path.chmod(0o640)
    link.symlink_to(path)
    write_named(link, b"after")
    assert link.is_symlink()
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_what_is_no_regular_file_is_written_to_as_it_is() -> None:
    write_named(Path("/dev/null"), b"nothing")
    assert not Path("/dev/null").is_file()


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_named(tmp_path / "new", b"")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
