"""A desk: what one tab works on. The text, what is said of it, and the puzzle if it is one.

The views of a tab listen to its desk, and none of them to another view.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Protocol

from nicegui import run as threads
from nicegui import ui

from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..workflows.checking import Check
from .library import DRAFT, Library
from .reading import Reader
from .runs import Runs
from .stores import Stores

PAUSE = 0.25
"""Seconds without a keystroke after which a text is read."""


class Listener(Protocol):
    """What is called when the puzzle of a desk has changed, or there is none any more."""

    def __call__(self) -> None: ...


@dataclass
class Studio:
    """What all tabs share. The most seconds and MiB that a run may be given; the key of the puzzle to open first."""

    library: Library
    reader: Reader
    runs: Runs
    stores: Stores
    most_seconds: float
    most_memory: int
    first: str | None = None


@dataclass(eq=False)
class Desk:
    """The text of a tab under its key. `puzzle` is that of the text, or None while something is wrong with it.

    `opened_run`: the run of a store whose plan is to be shown, until that is done: the store's name, its number.
    """

    studio: Studio
    key: str
    text: str
    check: Check = field(default_factory=lambda: Check(""))
    on_check: list[Listener] = field(default_factory=list)
    on_puzzle: list[Listener] = field(default_factory=list)
    on_text: list[Listener] = field(default_factory=list)
    show: Callable[[str], None] = lambda view: None
    replay: Callable[[Puzzle, Replay, str], None] = lambda puzzle, replay, about: None
    on_theme: list[Listener] = field(default_factory=list)
    on_view: list[Listener] = field(default_factory=list)
    view: str = "play"
    dark: bool = False
    opened_run: tuple[str, int] | None = None
    frame: ui.element | None = None
    _revision: int = 0

    @property
    def puzzle(self) -> Puzzle | None:
        return self.check.puzzle

    @property
    def topic(self) -> str:
        """What the runs of this desk are filed under."""
        return self.key

    def set_dark(self, dark: bool) -> None:
        """The page is dark from now on, or light."""
        self.dark = dark
        self._tell(self.on_theme)

    def shown(self, view: str) -> None:
        """Another view is shown from now on, or the same one was chosen again."""
        self.view = view
        self._tell(self.on_view)

    @property
    def saved(self) -> bool:
        """Whether the text is the one in its file."""
        return self.studio.library.draft(self.key) is None

    async def set_text(self, text: str) -> None:
        """Put in another text, as an editor's change by a button, and read it at once."""
        self.text = text
        self._tell(self.on_text)
        await self.changed(text, pause=0)

    async def changed(self, text: str, pause: float = PAUSE) -> None:
        """The text has changed: keep it, and read it when the author pauses."""
        self.text = text
        self._revision += 1
        revision = self._revision
        self.studio.library.keep(self.key, text)
        await asyncio.sleep(pause)
        if revision == self._revision:
            await self.read()

    async def read(self) -> None:
        """Read the text, and tell the views."""
        revision, library = self._revision, self.studio.library
        path = library.path(self.key)
        check = await threads.io_bound(self.studio.reader.check, self.text, library.name(self.key), path)
        if check is None or revision != self._revision:
            return
        self.check = check
        self._tell([*self.on_check, *self.on_puzzle])

    def _tell(self, listeners: Iterable[Listener]) -> None:
        """Call listeners. What they put on the page belongs to the page, even if the button that began it has gone."""
        with self.frame or nullcontext():
            for listener in listeners:
                listener()

    @property
    def is_draft(self) -> bool:
        return self.key.startswith(DRAFT)
