"""What `budge explain` prints, as text and as JSON."""

from __future__ import annotations

from typing import Any

from ..models.text import counted
from ..workflows.explaining import Explanation, Finding
from .board import board, exit_of, position
from .json_lines import about, head
from .terminal import PLAIN, Screen, labelled
from .text import heading, wrap_plan

NOTHING = "nothing: the goal is not out of reach in the relaxation, and everything can move"
NOTHING_OF_PROGRAMS = "nothing: the goal is not out of reach for any variable alone"
"""The same where actions are kept as programs, and not all states could be visited."""


def as_text(found: Explanation, screen: Screen = PLAIN) -> str:
    """The board, and each finding; of a dead end, how one gets there and what it looks like."""
    puzzle = found.puzzle
    parts = [heading(puzzle, screen), "", position(puzzle, screen), ""]
    for finding in found.findings:
        parts.append(labelled(finding.kind.value, finding.sentence, screen.width))
        parts += _way(found, finding, screen)
    if not found.findings:
        nothing = NOTHING if found.space or found.actions is None else NOTHING_OF_PROGRAMS
        parts.append(labelled("found", nothing, screen.width))
    parts.append(labelled("states", _states(found), screen.width))
    if found.unsolvable:
        parts.append(labelled("status", "unsolvable: no plan exists", screen.width))
    parts.append(f"time         {found.seconds:.2f} s")
    return "\n".join(parts)


def _way(found: Explanation, finding: Finding, screen: Screen) -> list[str]:
    if finding.replay is None:
        return []
    steps = finding.replay.steps
    drawn = board(found.puzzle, steps[-1].board, screen, exit_of(found.puzzle)) if steps else ""
    return [wrap_plan(list(finding.replay.notation), screen), drawn]


def _states(found: Explanation) -> str:
    if found.space is None:
        return f"too many to visit them all in the time given ({found.size})"
    return f"{counted(found.space.states, 'reachable state')}, {found.space.goals:,} of them goals"


def as_json(found: Explanation) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    space = found.space
    return {
        **head("explain"),
        **about(found.puzzle),
        "metric": found.metric,
        "unsolvable": found.unsolvable,
        "findings": [
            {
                "kind": finding.kind.value,
                "sentence": finding.sentence,
                "proves_unsolvable": finding.proves,
                "moves": finding.replay and list(finding.replay.notation),
            }
            for finding in found.findings
        ],
        "operators": found.operators,
        "programs": found.actions,
        "states": space and space.states,
        "goal_states": space and space.goals,
        "dead_ends": space and space.dead,
        "seconds": round(found.seconds, 4),
    }
