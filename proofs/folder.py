"""The files of a certificate, read with care: the folder may be anybody's."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from pathlib import Path

from .core.check import text_of
from .core.claim import FILE as CLAIM
from .core.claim import PLAN, PROOF, PUZZLE
from .core.limits import Invalid, Limits
from .core.problem import FILE as PROBLEM

PACKED = f"{PROBLEM}.xz"
"""The name of a problem text that is stored compressed, as long ones are."""

LARGEST = {PROBLEM: 1 << 26, CLAIM: 1 << 26, PLAN: 1 << 24, PROOF: 1 << 30, PUZZLE: 1 << 16}
LARGEST[PACKED] = LARGEST[PROBLEM]
"""Bytes that each file may have."""

FOR_OTHERS = ("formula.cnf", "proof.lrat")
"""Files that are meant for other checkers."""

BLOCK = 1 << 20
"""Bytes that are read at a time."""


def files_of(folder: Path, limits: Limits) -> dict[str, bytes]:
    """The files of a certificate by name, without those for other checkers. Raises `Invalid`: also where there are
    others, because a program that is started in such a folder might run them; and `Stopped` at a limit.
    """
    try:
        odd = foreign_file(folder, LARGEST)
    except OSError as error:
        raise Invalid(f"the folder cannot be read: {error.strerror or type(error).__name__}") from None
    if odd is not None:
        raise Invalid(f"`{odd[:60]}` is no file of a certificate: a folder with others in it is not checked")
    return _those_of(folder, sorted(LARGEST), limits)


def _those_of(folder: Path, names: Collection[str], limits: Limits) -> dict[str, bytes]:
    """The contents of some files, by name, as far as a folder has them. Raises `Invalid`, and `Stopped` at a limit."""
    there = [name for name in names if os.path.lexists(folder / name)]
    return {name: file_of(folder, name, LARGEST[name], limits) for name in there}


def problem_in(folder: Path, limits: Limits) -> str:
    """The problem text in a folder, unpacked if it is packed. Raises `Invalid`, and `Stopped` at a limit."""
    return text_of(_those_of(folder, (PROBLEM, PACKED), limits), PROBLEM, limits)


def foreign_file(folder: Path, names: Collection[str]) -> str | None:
    """The name of a file in a folder that has none of these names and is not for other checkers; None if there is none.
    Raises `OSError`.
    """
    with os.scandir(folder) as entries:
        return next((entry.name for entry in entries if entry.name not in (*names, *FOR_OTHERS)), None)


def file_of(folder: Path, name: str, most: int, limits: Limits) -> bytes:
    """A file of a folder: a regular one of at most so many bytes; links, devices and pipes are refused unopened. Raises
    `Invalid`, and `Stopped` at a limit.
    """
    parts: list[bytes] = []
    try:
        opened = os.open(folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(opened, "rb") as stream:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise Invalid("no regular file", name)
            while sum(map(len, parts)) <= most and (part := stream.read(BLOCK)):
                limits.hold(2 * len(part))  # the parts, and all of them as one
                limits.tick(len(part))
                parts.append(part)
    except OSError as error:
        raise Invalid(f"cannot be read: {error.strerror or type(error).__name__}", name) from None
    data = b"".join(parts)
    if len(data) > most:
        raise Invalid(f"more than {most >> 10:,} KiB", name)
    limits.hold(-len(data))
    return data


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write a certificate to a folder without one. Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in files:
        (folder / name).write_bytes(files[name])


def replace_files(folder: Path, new: Path) -> None:
    """Move a certificate from a folder `new` in place of what is in another one; what it claims goes first and comes
    last, so that a folder with a claim is whole. Raises `OSError`.
    """
    for name in (CLAIM, *LARGEST, *FOR_OTHERS):
        (folder / name).unlink(missing_ok=True)
    for file in sorted(new.iterdir(), key=lambda file: file.name == CLAIM):
        file.rename(folder / file.name)
