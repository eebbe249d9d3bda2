"""`python -m budge`, and what the command `budge` runs.

Ctrl-C, SIGTERM, SIGHUP and SIGQUIT end it from its first moment to its last, while modules are imported and when the
answer is printed, without a traceback.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path and sys.path[0] != os.path.dirname(os.path.dirname(__file__)):
    del sys.path[0]  # the working folder: nothing is imported from there, unless Budge itself is

# `_signal` is `signal` without its enums: until the handlers are set, only what Python has already loaded is imported.
import _signal  # type: ignore[import-not-found]
import atexit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


def _end(signum: int, _frame: FrameType | None) -> None:
    os._exit(128 + signum)


def _ignore_signals() -> None:
    """Keep the exit code that the command has: Python's shutdown takes our handlers back, and then a signal kills."""
    for signum in _SIGNALS:
        _signal.signal(signum, _signal.SIG_IGN)


_SIGNALS = [getattr(_signal, f"SIG{name}") for name in ("INT", "TERM", "HUP", "QUIT") if hasattr(_signal, f"SIG{name}")]
for _signum in _SIGNALS:
    if _signum == _signal.SIGINT or _signal.getsignal(_signum) != _signal.SIG_IGN:  # what `nohup` has started goes on
        _signal.signal(_signum, _end)
atexit.register(_ignore_signals)  # the first that is registered is the last that is called

from .cli import main  # noqa: E402


def start() -> int:
    """Run the command line of this process; gives the exit code."""
    return main()


if __name__ == "__main__":
    sys.exit(start())
