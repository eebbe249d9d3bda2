"""Opening files that a user or a puzzle names: regular files, up to a size, and where it is said, only below a folder;
and writing files as a whole.

A puzzle may come from anyone. What it names is read as text and shown in messages, so a device, a pipe, a file that
never ends or one from elsewhere is refused before anything of it is read.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from ..errors import UsageError, WriteError


class FileError(Exception):
    """A file that cannot be read: the reason (`it is a folder`), a hint, and the kind of what stands there instead."""

    def __init__(self, reason: str, hint: str = "", kind: str = "") -> None:
        super().__init__(reason)
        self.reason, self.hint, self.kind = reason, hint, kind


_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
}


def read_regular(path: Path, limit: int) -> bytes:
    """The bytes of a regular file; one more than `limit` if it has more. Raises `FileError`."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
        if kind == stat.S_IFREG:
            with open(path, "rb", opener=_without_waiting) as file:
                kind = stat.S_IFMT(os.fstat(file.fileno()).st_mode)  # of what was opened, whatever was there before
                if kind == stat.S_IFREG:
                    return file.read(limit + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FileError(reason) from None
    what = _KINDS.get(kind, "special file")
    raise FileError(f"it is a {what}", "name a file", what)


def read_whole(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes. Raises `FileError`, also for one that has more."""
    data = read_regular(path, limit)
    if len(data) > limit:
        raise FileError(f"it has more than {limit:,} bytes", "check that this is the file that you mean")
    return data


def _without_waiting(name: str, flags: int) -> int:
    """Open a file; a pipe without waiting for its other end."""
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def inside(folder: Path, name: str) -> Path:
    """The file that a path names from a folder, with links followed, where that is below the folder.

    Raises `FileError` for an absolute path and for one that leads out, by `..` or by a link.
    """
    if Path(name).anchor:
        raise FileError("it is an absolute path", "write a path from the folder of this puzzle")
    try:
        root, path = folder.resolve(), (folder / name).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: a link to itself
        raise FileError(str(error)) from None
    if not path.is_relative_to(root):
        raise FileError("it is outside the folder of this puzzle", "copy it into that folder")
    return path


@contextlib.contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Within, an error of the system becomes a `WriteError`: the disk is full, or the file may not be written. For a
    name that cannot be a file's it is a `UsageError`.
    """
    try:
        yield
    except OSError as error:
        unusable = error.errno in (errno.ENOTDIR, errno.EISDIR, errno.ENOENT, errno.ENAMETOOLONG, errno.ELOOP)
        kind = UsageError if unusable else WriteError
        raise kind(f"cannot write to {path}: {error.strerror or error}") from None


def write_whole(path: Path, data: bytes, mode: int | None = 0o600) -> None:
    """Write a file so that it has all of the data, or stays what it was. Raises `OSError`.

    `mode`: its permissions; None: what the umask leaves a new file.
    """
    part = path.with_name(f".budge-{os.urandom(8).hex()}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600), "wb") as file:
            file.write(data)
        if mode is not None:
            part.chmod(mode)
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def write_named(path: Path, data: bytes) -> None:
    """Write a file that a user names, as a whole where that is possible. Raises `OSError`.

    Links are followed, and permissions stay. What is no regular file, as a pipe, is written to as it is, and so is a
    file in a folder that takes no new ones.
    """
    file = Path(os.path.realpath(path))
    exists = file.exists()
    if not os.access(file.parent, os.W_OK) or (exists and not (file.is_file() and os.access(file, os.W_OK))):
        path.write_bytes(data)
    else:
        write_whole(file, data, stat.S_IMODE(file.stat().st_mode) if exists else None)
