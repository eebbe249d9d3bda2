"""What every table of figures begins with: date, commit, versions, machine and command."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from budge.runtime.environment import environment


def commit() -> str:
    """The checkout's commit, with `+` if tracked files have been changed since; "unknown" outside a checkout."""
    here = Path(__file__).parent
    try:
        name = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"],
            cwd=here,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name.stdout.strip()


def heading() -> str:
    """Lines beginning with `#`, so that a table can be read past them."""
    command = shlex.join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    return "\n".join(f"# {line}" for line in [*str(environment()).split("\n"), f"commit {commit()}", command])
