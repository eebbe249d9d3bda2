"""The file of the library of kernels: what it is named by, where it is kept, and how a damaged one is noticed.

    kernels-library-SOURCES-MACHINE/code        SOURCES: a hash of all sources that kernels are made of
                                                MACHINE: of the processor, its instructions, and `-O`

There are up to two places: one that belongs to the installation and the user's cache folder. All of them are read, and
new code is written to the first that can be written to. So what an administrator, or the builder of an image, has
compiled is used by everybody.

A checkout keeps its code in its `__pycache__`. An installed package keeps it in `var/cache/budge` of the environment
and not beside its modules: uninstalling leaves behind what it has not installed, and a folder `budge` without modules
would hide the next installation (Python takes it for a namespace package).

A file begins with the CRC-32 of the rest: one that was cut off by a full disk, or zeroed by a power cut, is the same as
none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO

from .environment import instructions, processor

PACKAGE = Path(__file__).parent.parent

ROOMS = "runtime", "analysis", "engines", "lab"
"""The rooms of the package with kernels, or with named tuples that kernels take."""

CONSTANTS = "models/program.py", "models/forking.py"
"""Other files with constants that are in kernels, as numba compiles constants into machine code; the functions of the
second are kernels, too (`analysis.program_machine`).
"""

PREFIX = "kernels-"

CHECKSUM = 4
"""Bytes of the checksum in front of the contents of a file."""

NO_CONDITIONS = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DISABLE_JIT")
"""Environment variables of numba that do not change compiled code."""

_MARKS = re.compile(rb"[n]jit|\([N]amedTuple\)|(import|from) [n]umba")
"""What a source has that kernels are made of: kernels, named tuples that they take, what numba is told of them. (The
brackets keep this file itself from being one.)
"""


@cache
def name() -> str:
    """The name of the library for these sources and this machine; with `-O`, assertions are left out."""
    machine = hashlib.sha256(repr((processor(), instructions(), sys.flags.optimize)).encode()).hexdigest()
    return f"{PREFIX}library-{sources_hash()[:16]}-{machine[:16]}/code"


@cache
def sources_hash() -> str:
    """A hash of the names, with their folders, and texts of all sources of kernels: the same wherever they are."""
    digest = hashlib.sha256()
    for file in sorted(sources()):
        digest.update("/".join(file.parts[-2:]).encode() + _text(file))
    return digest.hexdigest()


@cache
def _text(source: Path) -> bytes:
    return source.read_bytes()


def sources() -> set[Path]:
    """The files that kernels are made of: with kernels, named tuples that they take, or their constants."""
    files = {file for room in ROOMS for file in (PACKAGE / room).rglob("*.py") if has_kernels(file)}
    return files.union(PACKAGE / name for name in CONSTANTS)


def has_kernels(source: Path) -> bool:
    """Whether a file has kernels, named tuples that they take, or words for numba."""
    return _MARKS.search(_text(source)) is not None


INSTALLED = not (PACKAGE / "pyproject.toml").exists()
"""Whether the package was copied into an environment; otherwise it is a checkout."""


def places() -> Iterator[Path]:
    """The folders in which compiled code may be kept.

    `NUMBA_CACHE_DIR` says where, if it is set. Otherwise it is the folder of the installation (a checkout's
    `__pycache__`, or `var/cache/budge` of the environment), then the user's cache folder.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    yield Path(sys.prefix) / "var" / "cache" / "budge" if INSTALLED else PACKAGE / "__pycache__"
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "budge"


def place() -> Path | None:
    """The folder to which new code is written; None if none can be written to."""
    for folder in places():
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return None


def read(name: str) -> bytes | None:
    """The contents of a file, from the first place that has it undamaged."""
    for folder in places():
        with contextlib.suppress(OSError):
            data = (folder / name).read_bytes()
            if data[:CHECKSUM] == _checksum(data[CHECKSUM:]):
                return data[CHECKSUM:]
    return None


def write(name: str, data: bytes) -> None:
    """Keep a file, if there is a place that can be written to. It appears as a whole or not at all."""
    folder = place()
    if folder is None:
        return
    path = folder / name
    with contextlib.suppress(OSError):
        if not path.parent.exists():
            path.parent.mkdir()
            _remove_former(path.parent)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with open(handle, "wb") as out:
                out.write(_checksum(data) + data)
            os.chmod(temporary, 0o644)  # for other users, too
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise


def locked(name: str) -> IO[bytes] | None:
    """Take the lock of what is about to be made, until its file is closed; None if another process has it. (Where there
    are no such locks, several processes may make it: what is written last counts.)
    """
    folder = place()
    file = open(os.devnull if folder is None else folder / f"lock-{name}", "wb")  # noqa: SIM115
    with contextlib.suppress(ImportError):
        import fcntl

        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a child that is forked meanwhile does not hold it
        except (BlockingIOError, PermissionError):
            file.close()
            return None
        except OSError:  # no locks on this file system
            pass
    return file


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(CHECKSUM, "little")


def _remove_former(folder: Path) -> None:
    """Remove the folders for other sources: for `kernels-library-0c8e-71f2` those that begin with `kernels-`, but not
    with `kernels-library-0c8e-`, which are for other machines.
    """
    same_sources = folder.name.rpartition("-")[0]
    for other in folder.parent.glob(f"{PREFIX}*"):
        if other.name.rpartition("-")[0] != same_sources:
            shutil.rmtree(other, ignore_errors=True)


def settings() -> list[tuple[str, str]]:
    """The settings of numba, by environment variables, that change compiled code."""
    return sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_") and item[0] not in NO_CONDITIONS)
