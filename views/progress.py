"""Progress for people while engines work: one live line on a terminal, few plain lines elsewhere.

The live line is drawn by rich and is gone when the answer is there:

     12.4 s   52 ≤ moves ≤ 97   cp-sat: refuting 52 moves   bfs: 4.1 M states, 380 k/s

Both are drawn twice a second, also where nothing happens. Engines work in the main thread and start processes by
`fork`, which goes ill with threads; so a timer of the system wakes the main thread, see `Ticker`.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Self, TextIO

from ..models.errors import printable
from ..models.moves import Cost, Metric
from ..models.text import columns
from ..runtime.events import (
    ENDING,
    Event,
    LayerDone,
    LowerBound,
    Note,
    PlanFound,
    Preparing,
    Stage,
    Working,
)
from . import json_lines
from .terminal import Screen, is_terminal

TICK = 0.5
"""Seconds between two drawings of the live line."""

LINE_EVERY = 1.0
"""The least number of seconds between two plain lines; lines about plans are printed at once."""

SIGN_EVERY = 10.0
"""If no plain line was printed for this many seconds, one says that an engine is still at work."""

MOST_SIGNS = 3
"""The most engines on the live line."""


class Reporter:
    """A `Progress` that shows events between entering and leaving its context; this base class shows nothing."""

    def __call__(self, event: Event) -> None:
        """Show an event, now or later."""

    def count_in(self, metric: Metric) -> None:
        """Show costs in this metric from now on: it is known once the puzzle has been read."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


def reporter(stream: TextIO, metric: Metric | None = None, *, named: bool = False) -> Reporter:
    """The reporter that fits a stream. `named`: plain lines name the engine that reports."""
    if is_terminal(stream):
        return LiveLine(stream, metric)
    return PlainLines(stream, metric, named=named)


class JsonLines(Reporter):
    """Every event that programs read, as a line of JSON."""

    def __init__(self, write: Callable[[dict[str, Any]], None]) -> None:
        self._write = write

    def __call__(self, event: Event) -> None:
        if not isinstance(event, Working):
            self._write(json_lines.event(event))


# Plain lines


def progress_line(event: Event, metric: Metric | None = None) -> str:
    """An event as one line."""
    match event:
        case LowerBound():
            text = f"at least {_cost(event.lower_bound, metric)}: {event.by}"
        case PlanFound():
            text = f"plan of {_cost(event.cost, metric)}" + (f": {event.engine}" if event.engine else "")
        case LayerDone():
            text = f"layer {event.depth}: {event.states:,} states"
        case Working():
            text = _working(event) or "working"
        case Preparing():
            text = preparing(event)
        case Note():
            return f"{'':10}  {event.text}"
        case _:
            raise TypeError(f"{type(event).__name__} has no line of progress")
    return f"{event.seconds:8.2f} s  {text}"


def preparing(event: Preparing) -> str:
    """As "compiling all kernels, once for this machine: about 40 s"."""
    if event.done:
        return "all kernels are compiled"
    return f"compiling all kernels, once for this machine: about {event.about} s"


def _working(event: Working) -> str:
    """As "grounding the puzzle, 124 k operators of the action `push`"."""
    return ", ".join(part for part in (event.text, _amount(event.count, event.of)) if part)


def _cost(cost: Cost, metric: Metric | None) -> str:
    return metric.counted(cost) if metric else ", ".join(map(str, cost))


class Ticking(Reporter):
    """A reporter that is called twice a second as well, so that a clock goes on while no engine reports."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self._began = time.monotonic()
        self._ticker = Ticker(self.tick)

    def tick(self) -> None:
        """Called twice a second, within the context."""

    def __enter__(self) -> Self:
        self._ticker.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._ticker.stop()


class PlainLines(Ticking):
    """For streams that are no terminals: plans and notes are printed at once, of other events the newest once a
    second.
    """

    def __init__(self, stream: TextIO, metric: Metric | None = None, *, named: bool = False) -> None:
        super().__init__(stream)
        self.metric, self.named = metric, named
        self._shown = -SIGN_EVERY
        self._waiting: Event | None = None

    def count_in(self, metric: Metric) -> None:
        self.metric = metric

    def __call__(self, event: Event) -> None:
        if isinstance(event, PlanFound | Note) or (isinstance(event, Stage) and event.text == ENDING):
            self._print(event)
            return
        if isinstance(event, Stage) and not event.text:
            return
        if isinstance(event, Working):
            if self._now - max(self._shown, 0.0) > SIGN_EVERY and self._waiting is None:
                self._waiting = event
        else:
            self._waiting = event
        self.tick()

    @property
    def _now(self) -> float:
        return time.monotonic() - self._began

    def tick(self) -> None:
        """Print the waiting line, if the last line is old enough."""
        if self._waiting is not None and self._now - self._shown >= LINE_EVERY:
            event, self._waiting, self._shown = self._waiting, None, self._now
            self._print(event)

    def _print(self, event: Event) -> None:
        line = progress_line(event, self.metric)
        if self.named and event.engine and not isinstance(event, PlanFound | Preparing):
            line = line[:12] + f"{event.engine}: {line[12:]}"
        print(line, file=self.stream, flush=True)


# The live line


class LiveLine(Ticking):
    """A line on a terminal that is drawn again twice a second, for the first time after `TICK` seconds."""

    def __init__(self, stream: TextIO, metric: Metric | None = None) -> None:
        super().__init__(stream)
        self.screen, self.state = Screen.of(stream), LiveState(metric)
        self._live: Any = None

    def count_in(self, metric: Metric) -> None:
        self.state.metric = metric

    def __call__(self, event: Event) -> None:
        self.state.hear(event)
        if isinstance(event, Stage) and self._live is not None:
            self._ticker.now()
        if isinstance(event, Preparing) and event.done:
            self._began = time.monotonic()  # preparing takes no time of the search

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        if self._live is not None:
            self._live.stop()

    def tick(self) -> None:
        """Draw the line. rich is imported only now, so that a puzzle solved at once does not wait for it."""
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            file = getattr(self.stream, "terminal", self.stream)
            console = Console(file=file, force_terminal=True, no_color=not self.screen.colour, highlight=False)
            self._live = Live(
                console=console, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
            )
            self._live.start()
        line = self.state.line(time.monotonic() - self._began, Screen.of(self.stream))
        self._live.update(Text(printable(line), no_wrap=True, overflow="crop"), refresh=True)


class LiveState:
    """The content of the live line: both bounds, and what each engine does."""

    def __init__(self, metric: Metric | None = None) -> None:
        self.metric = metric
        self.lower: Cost | None = None
        self.upper: Cost | None = None
        self.note = ""
        self.stage = ""
        self.signs: dict[str, EngineActivity] = {}

    def hear(self, event: Event) -> None:
        """Take in an event."""
        if isinstance(event, Stage) and event.text:
            self.stage = _working(event)
            return
        if isinstance(event, Preparing):
            self.note = "" if event.done else preparing(event)
            return
        if event.engine:
            self.stage = self.stage if self.stage == ENDING else ""  # it speaks for itself
        sign = EngineActivity() if isinstance(event, Note) else self.signs.setdefault(event.engine, EngineActivity())
        match event:
            case LowerBound():
                self._raise(event.lower_bound)
                sign.count(event.seconds, event.states or event.nodes or 0, "states" if event.states else "nodes")
            case LayerDone():
                if event.lower_bound is not None:
                    self._raise(event.lower_bound)
                sign.text = f"depth {event.depth}"
                sign.count(event.seconds, event.states, "states")
            case PlanFound():
                self.upper = event.cost if self.upper is None else min(self.upper, event.cost)
            case Working():
                sign.text = event.text
                sign.count(event.seconds, event.count, event.of)
            case Note():
                self.note = event.text
                return
        self.note = ""

    def _raise(self, bound: Cost) -> None:
        self.lower = bound if self.lower is None else max(self.lower, bound)

    def line(self, seconds: float, screen: Screen) -> str:
        """The line, cut to the width of the screen."""
        signs = list(self.signs.items())[-MOST_SIGNS:]
        words = [": ".join(part for part in (engine, str(sign)) if part) for engine, sign in signs if str(sign)]
        parts = [f"{seconds:6.1f} s", self.bounds(screen.sign("≤", "<=")), self.stage, self.note, *words]
        line = "   ".join(part for part in parts if part)
        return cut(line, screen.width - 1, screen.sign("…", "..."))

    def bounds(self, below: str) -> str:
        """`52 ≤ moves ≤ 97`."""
        if self.lower is None and self.upper is None:
            return ""
        low = f"{_numbers(self.lower)} {below} " if self.lower is not None else ""
        high = f" {below} {_numbers(self.upper)}" if self.upper is not None else ""
        return low + (", ".join(self.metric.components) if self.metric else "cost") + high


class EngineActivity:
    """The activity of an engine: in words, its count of something, and how fast that grows."""

    def __init__(self) -> None:
        self.text = ""
        self.of = ""
        self.number = 0
        self.rate: float | None = None
        self._before: tuple[float, int] | None = None

    def count(self, seconds: float, number: int, of: str) -> None:
        """Note the count at a time, in seconds."""
        if not number:
            return
        self.number, self.of = number, of
        if self._before is None or number < self._before[1]:
            self._before = (seconds, number)
        elif seconds - self._before[0] >= TICK:
            self.rate = (number - self._before[1]) / (seconds - self._before[0])
            self._before = (seconds, number)

    def __str__(self) -> str:
        amount = _amount(self.number, self.of)
        rate = f"{short(self.rate)}/s" if self.rate else ""
        return ", ".join(part for part in (self.text, amount, rate) if part)


def _amount(number: int, of: str) -> str:
    return f"{short(number)} {of}" if number else ""


def short(number: float) -> str:
    """A number in few characters: `950`, `4.1 k`, `380 k`, `4.1 M`."""
    for size, sign in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.{1 if number < 10 * size else 0}f}{sign}"
    return f"{number:.0f}"


def _numbers(cost: Cost) -> str:
    return ", ".join(map(str, cost))


def cut(line: str, width: int, end: str) -> str:
    """A line of at most `width` columns."""
    if columns(line) <= width:
        return line
    while line and columns(line) + columns(end) > width:
        line = line[:-1]
    return line.rstrip() + end


# Time


class Ticker:
    """Calls something every `TICK` seconds in the main thread, between two instructions of Python.

    On Linux by the timer of the process (children do not inherit it), elsewhere, where children are started afresh
    anyway, by a thread. Where neither can be (another thread than the main one, a timer that is in use) nothing ticks.
    """

    def __init__(self, act: Callable[[], None]) -> None:
        """Call `act` every some seconds. It may import modules, and is not called while another import is going on."""
        self._act = act
        self._timer = False
        self._before: Any = None
        self._busy = False
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start ticking."""
        if threading.current_thread() is not threading.main_thread():
            return
        if sys.platform != "linux":
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        elif not signal.getitimer(signal.ITIMER_REAL)[0]:
            self._timer = True
            self._before = signal.signal(signal.SIGALRM, self._on_alarm)
            signal.setitimer(signal.ITIMER_REAL, TICK, TICK)

    def stop(self) -> None:
        """Stop ticking."""
        self._ended.set()
        if self._timer:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)
            self._timer = False
        if self._thread is not None:
            self._thread.join()

    def now(self) -> None:
        """Tick now, out of turn."""
        if not self._busy:
            self._tick()

    def _on_alarm(self, _signum: int, frame: FrameType | None) -> None:
        if not self._busy and not _importing(frame):
            self._tick()

    def _run(self) -> None:
        while not self._ended.wait(TICK):
            self._tick()

    def _tick(self) -> None:
        self._busy = True
        try:
            self._act()
        except (OSError, RuntimeError):  # the stream is closed, or is just being written to: there is a next time
            pass
        finally:
            self._busy = False


def _importing(frame: FrameType | None) -> bool:
    """Whether a module is being imported in a frame or in one of its callers. A handler of a signal that came there
    must then import nothing itself: the module that it needs may be half loaded, and up to Python 3.11 the import that
    was interrupted fails with a `KeyError` (https://github.com/python/cpython/issues/91351).
    """
    while frame is not None:
        if "importlib._bootstrap" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
