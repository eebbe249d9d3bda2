"""How a command line ends that could not do its work: a sentence on standard error, and the exit code."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

from .streams import OutputError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Errors of the system that mean that a file cannot be written."""

NO_PLACE = "No usable temporary directory"
"""The start of the message of `tempfile` when no folder for temporary files can be written to."""

UNUSABLE = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENOENT)
"""Errors of the system that mean that a path given by the user cannot be used."""


def ended(run: Callable[[], int]) -> int:
    """Run a command; its exit code, or that of the exception with which it ended."""
    try:
        try:
            return run()
        finally:
            sys.stdout.flush()
    except (KeyboardInterrupt, Exception) as error:
        code, sentence = _judged(error)
        if sentence:
            print(sentence, file=sys.stderr)
        return code


def _judged(error: BaseException) -> tuple[int, str]:
    """The exit code and the message of an exception."""
    from ..models.errors import BudgeError, FaultError
    from .common import code_of, message
    from .streams import Ended, Exit

    match error:
        case Ended():
            return error.code, ""
        case KeyboardInterrupt():
            return Exit.INTERRUPTED, ""
        case OutputError():  # the reader of a pipe has gone: nothing more to say
            return (Exit.OPTIMAL, "") if error.reader_gone else (Exit.OUTPUT, f"budge: error: {error}")
        case BudgeError():
            return code_of(error), message(error)
        case MemoryError():
            return Exit.LIMIT, "budge: error: there is not enough memory"
        case OSError() if error.errno in FULL or NO_PLACE in str(error.strerror):
            where = f" to {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else ""
            return Exit.OUTPUT, f"budge: error: cannot write{where}: {error.strerror}"
        case OSError() if error.errno in UNUSABLE and error.filename:
            return Exit.USAGE, f"budge: error: cannot use {os.fsdecode(error.filename)}: {error.strerror}"
    assert isinstance(error, Exception)
    return Exit.FAULT, message(FaultError.of(error))
