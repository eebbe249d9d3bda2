"""Where compiled code can be kept. (Apart from `kernel_cache`, as looking there takes no numba.)"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent


def places() -> Iterator[Path]:
    """The folders in which compiled code may be kept, the first one that can be written to is used.

    `NUMBA_CACHE_DIR` says where, if it is set. Otherwise it is the package's `__pycache__`, or the user's cache folder.
    """
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen)
        return
    yield PACKAGE / "__pycache__"
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "budge"


def writable(folder: Path) -> bool:
    """Whether a folder can be written to; it is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        return False
    return True


def place() -> Path | None:
    """The folder in which compiled code is kept; None if none can be written to."""
    return next((folder for folder in places() if writable(folder)), None)
