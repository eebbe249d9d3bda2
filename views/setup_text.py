"""What `budge setup` prints, as text and as JSON."""

from __future__ import annotations

from typing import Any

from ..runtime.preparation import NOT_KEPT
from ..workflows.setup import Setup


def as_text(done: Setup) -> str:
    """A line for each preparation, and the folder in which the compiled code is kept."""
    lines = [f"{name:<18} was ready" for name in done.before]
    lines += [f"{one.name:<18} {one.problem or f'prepared in {one.seconds:.1f} s'}" for one in done.prepared]
    if done.interrupted:
        lines.append("interrupted: the rest is compiled when it is first used, or by `budge setup`")
    lines.append(f"{'time':<18} {done.seconds:.1f} s")
    if done.folder:
        lines.append(f"{'kept in':<18} {done.folder}")
    elif not done.kept:
        lines.append(NOT_KEPT)
    return "\n".join(lines)


def as_json(done: Setup) -> dict[str, Any]:
    """The `result` object."""
    return {
        "type": "result",
        "command": "setup",
        "prepared": [
            {"engine": one.name, "seconds": round(one.seconds, 4), "problem": one.problem} for one in done.prepared
        ],
        "before": list(done.before),
        "folder": None if done.folder is None else str(done.folder),
        "interrupted": done.interrupted,
        "seconds": {"total": round(done.seconds, 4)},
    }
