"""The files of a certificate, read with care: the folder may be anybody's."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .core.bounds import FILE as CLAIM
from .core.claim import FOR_OTHERS, LARGEST
from .core.limits import Invalid

FIRST_FORMAT = ("certificate.json",)
"""What certificates without a problem text have."""


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a certificate by name, without those for other checkers. Raises `Invalid`: also where there are
    others, because a program that is started in such a folder might run them.
    """
    try:
        odd = foreign_file(folder)
        names = [] if odd else sorted(name for name in LARGEST if (folder / name).exists())
    except OSError as error:
        raise Invalid(f"the folder cannot be read: {error.strerror or type(error).__name__}") from None
    if odd is not None:
        raise Invalid(f"`{odd[:60]}` is no file of a certificate: a folder with others in it is not checked")
    return {name: file_of(folder, name) for name in names}


def foreign_file(folder: Path, *others: str) -> str | None:
    """The name of a file in a folder that belongs neither to a certificate nor to some others. Raises `OSError`."""
    with os.scandir(folder) as entries:
        return next((entry.name for entry in entries if entry.name not in (*LARGEST, *FOR_OTHERS, *others)), None)


def file_of(folder: Path, name: str) -> bytes:
    """A file of the folder: a regular one that is not too large; links, devices and pipes are refused unopened. Raises
    `Invalid`.
    """
    try:
        opened = os.open(folder / name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(opened, "rb") as stream:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise Invalid("no regular file", name)
            data = stream.read(LARGEST[name] + 1)
    except OSError as error:
        raise Invalid(f"cannot be read: {error.strerror or type(error).__name__}", name) from None
    if len(data) > LARGEST[name]:
        raise Invalid(f"more than {LARGEST[name] >> 10:,} KiB", name)
    return data


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Write a certificate in place of what is in the folder; the claim last, so that a folder with a claim is whole.
    Raises `OSError`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in (CLAIM, *LARGEST, *FOR_OTHERS, *FIRST_FORMAT):
        (folder / name).unlink(missing_ok=True)
    for name in sorted(files, key=lambda name: name == CLAIM):
        (folder / name).write_bytes(files[name])
