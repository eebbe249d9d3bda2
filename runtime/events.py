"""What an engine tells while it works: typed events.

    LowerBound   a lower bound was proven              budge solve --json: {"type": "bound", ...}
    PlanFound    a plan was found                                          {"type": "plan", ...}
    LayerDone    progress: a breadth-first search has visited a layer      {"type": "layer", ...}
    Preparing    kernels are being compiled, before any clock starts       {"type": "prepare", ...}
    Note         a sentence for people                                     {"type": "note", ...}
    Working      a sign of life: what an engine is at, its counts          (not told: for the eye only)
    Stage        what is done from now on: reading, grounding, ...         (the same)

Engines do not make events themselves: a `runtime.outcome.Recorder` does, from the same bounds and plans that make the
outcome. So the last bound that an engine tells is the bound of its outcome, and its last plan is the outcome's plan.
Events are values: they go through pipes between processes as they are. `views.json_lines.event` writes them as JSON,
`views.progress` for people.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..models.moves import Cost
from ..models.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What all events have: `seconds` since the budget began, and the name of the `engine` that tells it.

    The engine's name is filled in by whoever calls the engine, see `told_by`; it is empty where no engine is at work
    (`budge explore`).
    """

    seconds: float
    engine: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LowerBound(Event):
    """No plan costs less than `lower_bound` (one number for each component of the metric), proven `by` what it says.

    What has been done for it, where the engine counts that: `horizon`, the largest number of steps that is refuted;
    `states` that were met; `nodes` of a depth-first search.
    """

    lower_bound: Cost
    by: str
    horizon: int | None = None
    states: int | None = None
    nodes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanFound(Event):
    """A plan of this cost was found, cheaper than all plans known before."""

    plan: Plan
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerDone(Event):
    """All states that are `depth` steps away are known: `states` with those before them.

    A search for the goal, which has found none of them to be one, has a `lower_bound` by this, proven `by` what it
    says.
    """

    depth: int
    states: int
    lower_bound: Cost | None = None
    by: str = ""

    def __reduce__(self) -> tuple[object, ...]:
        """For `pickle`: its fields in a row. By their names takes three times as long, and quick searches tell of many
        layers.
        """
        return _layer, (self.seconds, self.engine, self.depth, self.states, self.lower_bound, self.by)


def _layer(seconds: float, engine: str, depth: int, states: int, lower_bound: Cost | None, by: str) -> LayerDone:
    return LayerDone(seconds=seconds, engine=engine, depth=depth, states=states, lower_bound=lower_bound, by=by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparing(Event):
    """All kernels are being compiled, once for this machine, in `about` so many seconds; `done`: they are there.

    The time of the budget does not go on meanwhile.
    """

    about: int
    done: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(Event):
    """A sentence on why nothing happens for a while."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Working(Event):
    """A sign of life, twice a second at most: what an engine is doing, in words, and how much `of` it is done so far.

    `Working(text="refuting 52 moves", count=4100, of="conflicts")`
    """

    text: str = ""
    count: int = 0
    of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage(Working):
    """What is done from now on, in words that fit behind "while": `Stage(text="grounding the puzzle")`.

    Without words it is what a search tells by itself. `uninterruptible`: it does not look at the clock, and has
    nothing to show before it is done. So when the time is over its process is killed at once, without a grace.
    """

    uninterruptible: bool = False


DIED = "engine died"
"""Prefix of the reason why a run has ended whose process died by itself, that is, was not ended by us."""

ENDING = "ending, with what is known so far; Ctrl-C again ends at once"
"""The stage that is shown after Ctrl-C."""

Progress = Callable[[Event], None]
"""A function to which an engine reports its events."""


def silent(event: object) -> None:
    """A `Progress` that shows nothing."""


def told_by(engine: str, progress: Progress) -> Progress:
    """A progress for one engine: events without the name of an engine get its name."""
    if progress is silent:
        return silent

    def tell(event: Event) -> None:
        progress(event if event.engine else replace(event, engine=engine))

    return tell
