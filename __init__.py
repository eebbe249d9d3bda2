"""Budge: moving-piece puzzles written in YAML, solved and proven shortest.

import budge
puzzle = budge.load("bird-1")
solution = budge.solve(puzzle)
solution.cost, solution.outcome.lower_bound_by, solution.replay.notation
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .models.errors import BudgeError, DisagreementError, PuzzleError, ReplayError, UsageError
    from .models.library import load, load_text
    from .models.moves import Move, Slide
    from .models.plan import Plan, Replay
    from .models.puzzle import Puzzle
    from .models.task import Task
    from .runtime.budget import Budget
    from .runtime.outcome import Outcome, Status
    from .workflows.comparison import Comparison, Row, compare
    from .workflows.exploration import Answer, explore, hint
    from .workflows.solving import Solution, solve
    from .workflows.verification import Verdict, Verification, verify

_HOME = {
    "Comparison": "workflows.comparison",
    "Row": "workflows.comparison",
    "compare": "workflows.comparison",
    "Solution": "workflows.solving",
    "solve": "workflows.solving",
    "BudgeError": "models.errors",
    "DisagreementError": "models.errors",
    "PuzzleError": "models.errors",
    "ReplayError": "models.errors",
    "UsageError": "models.errors",
    "Answer": "workflows.exploration",
    "explore": "workflows.exploration",
    "hint": "workflows.exploration",
    "load": "models.library",
    "load_text": "models.library",
    "Slide": "models.moves",
    "Plan": "models.plan",
    "Replay": "models.plan",
    "Puzzle": "models.puzzle",
    "Move": "models.moves",
    "Task": "models.task",
    "Budget": "runtime.budget",
    "Outcome": "runtime.outcome",
    "Status": "runtime.outcome",
    "Verdict": "workflows.verification",
    "Verification": "workflows.verification",
    "verify": "workflows.verification",
}

__all__ = [
    "Answer",
    "BudgeError",
    "Budget",
    "Comparison",
    "DisagreementError",
    "Move",
    "Outcome",
    "Plan",
    "Puzzle",
    "PuzzleError",
    "Replay",
    "ReplayError",
    "Row",
    "Slide",
    "Solution",
    "Status",
    "Task",
    "UsageError",
    "Verdict",
    "Verification",
    "compare",
    "explore",
    "hint",
    "load",
    "load_text",
    "solve",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import the public names when they are first used, so that `import budge` costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'budge' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOME[name]}", __name__), name)
