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

    from .api import batch as batch
    from .api import certify as certify
    from .api import check as check
    from .api import compare as compare
    from .api import convert as convert
    from .api import explain as explain
    from .api import explore as explore
    from .api import export as export
    from .api import generate as generate
    from .api import hint as hint
    from .api import plans as plans
    from .api import puzzles as puzzles
    from .api import solve as solve
    from .api import solve_iter as solve_iter
    from .api import verify as verify
    from .api import why as why
    from .lab.experiment import Done as Done
    from .models.errors import BudgeError as BudgeError
    from .models.errors import DisagreementError as DisagreementError
    from .models.errors import FaultError as FaultError
    from .models.errors import GroundingError as GroundingError
    from .models.errors import PuzzleError as PuzzleError
    from .models.errors import ReplayError as ReplayError
    from .models.errors import UsageError as UsageError
    from .models.family import Conversion as Conversion
    from .models.library import as_puzzle as as_puzzle
    from .models.library import load as load
    from .models.library import load_dict as load_dict
    from .models.library import load_text as load_text
    from .models.moves import Move as Move
    from .models.moves import Slide as Slide
    from .models.plan import Plan as Plan
    from .models.plan import Replay as Replay
    from .models.puzzle import Puzzle as Puzzle
    from .models.task import Task as Task
    from .runtime.budget import Budget as Budget
    from .runtime.events import Event as Event
    from .runtime.events import LayerDone as LayerDone
    from .runtime.events import LowerBound as LowerBound
    from .runtime.events import Note as Note
    from .runtime.events import PlanFound as PlanFound
    from .runtime.outcome import Outcome as Outcome
    from .runtime.outcome import Status as Status
    from .views.player import replay_page as replay_page
    from .views.svg import board_svg as board_svg
    from .workflows.certifying import Certified as Certified
    from .workflows.checking import Check as Check
    from .workflows.comparison import Comparison as Comparison
    from .workflows.explaining import Explanation as Explanation
    from .workflows.exploration import Answer as Answer
    from .workflows.playing import Game as Game
    from .workflows.rows import Row as Row
    from .workflows.solving import Solution as Solution
    from .workflows.streaming import Solving as Solving
    from .workflows.verdict import Verdict as Verdict
    from .workflows.verdict import Verification as Verification
    from .workflows.why.reasons import Reasons as Reasons

_HOMES = {
    "api": "batch certify check compare convert explain explore export generate hint plans puzzles solve solve_iter "
    "verify why",
    "models.errors": "BudgeError DisagreementError FaultError GroundingError PuzzleError ReplayError UsageError",
    "models.family": "Conversion",
    "models.library": "as_puzzle load load_dict load_text",
    "models.moves": "Move Slide",
    "models.plan": "Plan Replay",
    "models.puzzle": "Puzzle",
    "models.task": "Task",
    "runtime.budget": "Budget",
    "runtime.events": "Event LayerDone LowerBound Note PlanFound",
    "runtime.outcome": "Outcome Status",
    "views.player": "replay_page",
    "views.svg": "board_svg",
    "lab.experiment": "Done",
    "workflows.certifying": "Certified",
    "workflows.checking": "Check",
    "workflows.comparison": "Comparison",
    "workflows.explaining": "Explanation",
    "workflows.exploration": "Answer",
    "workflows.playing": "Game",
    "workflows.rows": "Row",
    "workflows.solving": "Solution",
    "workflows.streaming": "Solving",
    "workflows.verdict": "Verdict Verification",
    "workflows.why.reasons": "Reasons",
}
"""The public names by the module that has them."""

_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME)


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
