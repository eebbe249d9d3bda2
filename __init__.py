"""Budge: moving-piece puzzles written in YAML, solved and proven shortest.

    import budge

    solution = budge.solve("bird-1", time_limit="1m")
    print(solution.status, solution.cost, solution.proof)
    print(*solution.notation)

Puzzles are names of shipped ones, paths, the text of a file, a dictionary with its keys, or what `load` gives.
Functions with the name of a command (`compare`, `verify`, `explore`, `hint`, `check`, `explain`, `certify`, ...) do
what it does; `puzzles` lists the shipped ones, `solve_iter` gives the events of a run as they come. The reference, with
examples, is docs/api.md.
"""

from __future__ import annotations

from .models import display as _display
from .version import __version__ as __version__

# Not from `typing`: its import takes 3 ms, and until `__main__` has set its handlers, Ctrl-C ends in a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .api import (
        batch,
        certify,
        check,
        compare,
        convert,
        explain,
        explore,
        export,
        generate,
        hint,
        puzzles,
        solve,
        solve_iter,
        verify,
    )
    from .models.errors import (
        BudgeError,
        DisagreementError,
        FaultError,
        GroundingError,
        PuzzleError,
        ReplayError,
        UsageError,
    )
    from .models.family import Conversion
    from .models.library import as_puzzle, load, load_dict, load_text
    from .models.moves import Move, Slide
    from .models.plan import Plan, Replay
    from .models.puzzle import Puzzle
    from .models.task import Task
    from .runtime.budget import Budget
    from .runtime.events import Event, LayerDone, LowerBound, Note, PlanFound
    from .runtime.outcome import Outcome, Status
    from .views.replay_page import replay_page
    from .views.svg import board_svg
    from .workflows.batch.experiment import Done
    from .workflows.certifying import Certified
    from .workflows.checking import Check
    from .workflows.comparison import Comparison
    from .workflows.explaining import Explanation
    from .workflows.exploration import Answer
    from .workflows.playing import Game
    from .workflows.rows import Row
    from .workflows.solving import Solution
    from .workflows.streaming import Solving
    from .workflows.verdict import Verdict, Verification

_HOMES = {
    "api": (
        "batch",
        "certify",
        "check",
        "compare",
        "convert",
        "explain",
        "explore",
        "export",
        "generate",
        "hint",
        "puzzles",
        "solve",
        "solve_iter",
        "verify",
    ),
    "models.errors": (
        "BudgeError",
        "DisagreementError",
        "FaultError",
        "GroundingError",
        "PuzzleError",
        "ReplayError",
        "UsageError",
    ),
    "models.library": ("as_puzzle", "load", "load_dict", "load_text"),
    "models.moves": ("Move", "Slide"),
    "models.plan": ("Plan", "Replay"),
    "models.puzzle": ("Puzzle",),
    "models.task": ("Task",),
    "runtime.budget": ("Budget",),
    "runtime.events": ("Event", "LayerDone", "LowerBound", "Note", "PlanFound"),
    "runtime.outcome": ("Outcome", "Status"),
    "views.replay_page": ("replay_page",),
    "views.svg": ("board_svg",),
    "models.family": ("Conversion",),
    "workflows.batch.experiment": ("Done",),
    "workflows.certifying": ("Certified",),
    "workflows.checking": ("Check",),
    "workflows.comparison": ("Comparison",),
    "workflows.explaining": ("Explanation",),
    "workflows.exploration": ("Answer",),
    "workflows.playing": ("Game",),
    "workflows.rows": ("Row",),
    "workflows.solving": ("Solution",),
    "workflows.streaming": ("Solving",),
    "workflows.verdict": ("Verdict", "Verification"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "BudgeError",
    "Budget",
    "Certified",
    "Check",
    "Comparison",
    "Conversion",
    "DisagreementError",
    "Done",
    "Event",
    "Explanation",
    "FaultError",
    "Game",
    "GroundingError",
    "LayerDone",
    "LowerBound",
    "Move",
    "Note",
    "Outcome",
    "Plan",
    "PlanFound",
    "Puzzle",
    "PuzzleError",
    "Replay",
    "ReplayError",
    "Row",
    "Slide",
    "Solution",
    "Solving",
    "Status",
    "Task",
    "UsageError",
    "Verdict",
    "Verification",
    "as_puzzle",
    "batch",
    "board_svg",
    "certify",
    "check",
    "compare",
    "convert",
    "explain",
    "explore",
    "export",
    "generate",
    "hint",
    "load",
    "load_dict",
    "load_text",
    "puzzles",
    "replay_page",
    "solve",
    "solve_iter",
    "verify",
]


if not TYPE_CHECKING:  # type checkers read the imports above, and find names that do not exist

    def __getattr__(name: str) -> Any:
        """Import the public names when they are first used, so that `import budge` costs nothing."""
        if name not in _HOME:
            raise AttributeError(f"module 'budge' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    """The public names, for completion and `help`, whether they are imported yet or not."""
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})


def _as_html(value: object) -> str | None:
    from .views.notebook import as_html

    return as_html(value)


def _as_dict(value: object) -> dict[str, Any]:
    from .views.objects import as_dict

    return as_dict(value)


_display.show_by(_as_html, _as_dict)
