"""How long each level waits for the one below it to end by itself, before it goes on without it.

An engine may have threads and, if it is the portfolio, child processes; it may itself be in a child process. When the
time is over, each level has longer than the one below: what a thread, a member, an engine tells at the last moment
still reaches the level above before that is ended, and so the best plan and the bound get through to the user.

    level                          seconds   then
    a thread of an engine             0.05   it is left alone, a daemon that dies with its process
    a member of the portfolio          0.16   its process is killed; what it has told is kept
    the portfolio beside plain search  0.22   the same
    an engine in its own process       0.28   its process is killed; what it has told is kept
    a command that runs engines so     0.35   the same
"""

from __future__ import annotations

THREAD = 0.05
MEMBER = 0.16
PORTFOLIO = 0.22
ENGINE = 0.28
"""`budge compare` promises that no run goes on longer than this after its time limit (docs/comparison.md)."""

COMMAND = 0.35
"""With the start and the end of the program itself, this is within the half second that docs/command-line.md names."""
