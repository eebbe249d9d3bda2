"""What an engine is: a record of how to call it and what it promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ..runtime.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Engine:
    """One way of solving. `solve` takes the task, the budget, a progress callback and its own options.

    An engine that plans in terms of the puzzle names the `families` that it knows; its `solve` takes the puzzle and
    the metric in place of the task. One that does not promise an optimum is done when it has a plan. One that is not
    `prompt` uses a solver that does not always look at the clock, or at Ctrl-C.
    """

    name: str
    solve: Callable[..., Outcome]
    options: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    promises_optimum: bool = True
    prompt: bool = True


def _lazily(module: str, function: str) -> Callable[..., Outcome]:
    """A function of a module of the package that is imported when it is first called: solvers are heavy."""

    def call(*arguments: Any, **options: Any) -> Outcome:
        solve: Callable[..., Outcome] = getattr(import_module(module, __package__), function)
        return solve(*arguments, **options)

    return call
