"""A desk is the state of one tab: the text, its problems, and the puzzle if it is one.

The views of a tab listen to its desk, and none of them to another view.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, field

from nicegui import run as threads
from nicegui import ui

from ..models.plan import Replay
from ..models.puzzle import Puzzle
from ..workflows.checking import Check
from ..workflows.playing import Game
from .kept import DRAFT, Solved, new_key
from .library import Library
from .reading import Reader
from .runs import Runs
from .stores import Stores

PAUSE = 0.25
"""Seconds without a keystroke after which the text is read again."""

MOST_REMEMBERED = 100
"""Puzzles in tabs whose games are remembered."""


PLAY, WRITE = "play", "write"
"""The view that is shown first, and the one in which the text is changed."""


Listener = Callable[[], None]
"""A function that is called when something about a desk has changed."""


@dataclass
class Memory:
    """The game and the replay of a tab on a puzzle, kept for when the page is loaded again."""

    game: Game | None = None
    replayed: tuple[Puzzle, Replay, str] | None = None


@dataclass
class Studio:
    """The things that all tabs share, with the largest limits of a run, and the key of the puzzle to open first.

    `gauge`: whether the distance to the goal is shown after each move.
    """

    library: Library
    reader: Reader
    runs: Runs
    stores: Stores
    most_seconds: float
    most_memory: int
    solved: Solved
    first: str | None = None
    gauge: bool = False
    _memories: OrderedDict[tuple[str, str], Memory] = field(default_factory=OrderedDict)

    def memory(self, tab: str, key: str) -> Memory:
        """The work of a tab on the puzzle of a key."""
        memory = self._memories.setdefault((tab, key), Memory())
        self._memories.move_to_end((tab, key))
        while len(self._memories) > MOST_REMEMBERED:
            self._memories.popitem(last=False)
        return memory


@dataclass(eq=False)
class Desk:
    """The text of a tab under its key. `puzzle` is that of the text, or None while something is wrong with it.

    Several tabs may have the same key. `base` is the revision of the text in the library that this tab has seen last:
    while the library has a later one, of another tab, this one is `behind`, and does not overwrite it. `stored`: what
    stood in its file then; `safe`: whether its unsaved text is on the disk. `reading`: since when the text is being
    read (`time.monotonic`), None while it is not. `tab`: the identity of the tab, which it keeps when it is loaded
    again.
    `opened_run`: the run of a store whose plan is to be shown, until that is done: the store's name, its number.
    """

    studio: Studio
    key: str
    text: str
    check: Check = field(default_factory=lambda: Check(""))
    on_check: list[Listener] = field(default_factory=list)
    on_puzzle: list[Listener] = field(default_factory=list)
    on_text: list[Listener] = field(default_factory=list)
    show: Callable[[str], None] = lambda _view: None
    replay: Callable[[Puzzle, Replay, str], None] = lambda _puzzle, _replay, _about: None
    on_theme: list[Listener] = field(default_factory=list)
    on_view: list[Listener] = field(default_factory=list)
    view: str = PLAY
    dark: bool = False
    opened_run: tuple[str, int] | None = None
    on_key: list[Listener] = field(default_factory=list)
    on_kept: list[Listener] = field(default_factory=list)
    gone: Callable[[], bool] = lambda: False
    base: int = 0
    stored: str | None = None
    safe: bool = True
    reading: float | None = None
    tab: str = ""
    frame: ui.element | None = None
    _revision: int = 0

    def __post_init__(self) -> None:
        self.base = self.studio.library.revision(self.key)[0]
        self.stored = self._in_file()

    def _in_file(self) -> str | None:
        return self.studio.library.stored(self.key)

    @property
    def overtaken(self) -> bool:
        """Whether saving would overwrite a text that another tab or program has written since this one was loaded."""
        return self.behind or self._in_file() not in (None, self.stored, self.text)

    def saved_as(self, key: str) -> None:
        """Note that the text was written to the file of a key."""
        self.base = self.studio.library.drop(self.key)
        if key == self.key:
            self.stored = self.text

    @property
    def behind(self) -> bool:
        """Whether another tab has changed the text of this key since this tab loaded it."""
        return self.studio.library.revision(self.key)[0] != self.base

    @property
    def memory(self) -> Memory:
        """The game and the replay of this tab on this puzzle."""
        return self.studio.memory(self.tab, self.key)

    async def catch_up(self) -> None:
        """Load the text that another tab has written. Raises `UsageError` if the text no longer exists."""
        self.text = self.studio.library.text(self.key)
        self.base, self.stored = self.studio.library.revision(self.key)[0], self._in_file()
        self._revision += 1
        self._tell(self.on_text)
        await self.read()

    @property
    def puzzle(self) -> Puzzle | None:
        return self.check.puzzle

    def set_dark(self, dark: bool) -> None:
        """Note that the page is dark, or light, from now on."""
        self.dark = dark
        self._tell(self.on_theme)

    def shown(self, view: str) -> None:
        """Note that this view is shown from now on, even if it was shown before."""
        self.view = view
        self._tell(self.on_view)

    @property
    def saved(self) -> bool:
        """Whether the text is the one in its file."""
        return self._in_file() == self.text

    async def set_text(self, text: str) -> None:
        """Exchange the text, as buttons do, and read it at once."""
        self.text = text
        self._tell(self.on_text)
        await self.changed(text, pause=0)

    async def changed(self, text: str, pause: float = PAUSE) -> None:
        """The text has changed: keep it, and read it when the author pauses.

        If another tab has changed it too, the text of this tab becomes a draft of its own: both texts are kept.
        """
        library, memory = self.studio.library, self.memory
        if apart := self.behind:
            self.key, self.stored = new_key(), None
            self.memory.game, self.memory.replayed = memory.game, memory.replayed
        self.text = text
        self._revision += 1
        revision = self._revision
        self.safe = library.keep(self.key, text, self.stored)
        self.base = library.revision(self.key)[0]
        self._tell([*(self.on_key if apart else ()), *self.on_kept])
        await asyncio.sleep(pause)
        if revision == self._revision:
            await self.read()

    async def read(self) -> None:
        """Read the text, then call the listeners."""
        revision, library = self._revision, self.studio.library
        self.reading = time.monotonic()
        check = await threads.io_bound(
            self.studio.reader.check_while,
            lambda: revision == self._revision and not self.gone(),
            self.text,
            library.name(self.key),
            library.path(self.key),
        )
        if revision == self._revision:
            self.reading = None
        if check is None or revision != self._revision:
            return
        self.check = check
        self._tell([*self.on_check, *self.on_puzzle])

    def _tell(self, listeners: Iterable[Listener]) -> None:
        """Call listeners in the page's own slot, so that what they show stays even if the button pressed is deleted."""
        with self.frame or nullcontext():
            for listener in listeners:
                listener()

    @property
    def is_draft(self) -> bool:
        return self.key.startswith(DRAFT)
