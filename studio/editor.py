"""The view `Write`: the text with what is wrong marked in it, and the list of problems with their repairs."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Literal

from nicegui import run as threads
from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from ..models.documents.fields import HEADER_KEYS, Key
from ..models.errors import Problem
from ..models.families import families
from ..models.families.pddl.files import is_pddl
from ..models.text import counted
from ..workflows.checking import Check
from .desk import WRITE, Desk
from .drawing import Painter
from .kept import digest
from .library import FILE, SHIPPED, address
from .library_view import new_button
from .reading import MAX_TEXT
from .widgets import asked, dialog_of, errors_shown, field, flat, show_error, strong

LOOK = 0.5
"""Seconds between two checks for changes by another tab, and for a text that takes long to read."""

SLOW = 1.0
"""Seconds of reading after which the page says that a text is still being read."""

TRIES = 5
"""Times that the editor's text is compared with what has arrived: keys may be on their way."""

SHOWN = 20
"""Problems that are listed."""


class Editor:
    """The text of a desk in CodeMirror, the toolbar above it, the problems below it.

    CodeMirror, the half of what the page weighs, is loaded when the view is shown for the first time. What has to be
    said in every view stands in `strips`.
    """

    def __init__(self, desk: Desk, strips: ui.element) -> None:
        self.desk = desk
        self.code: ui.codemirror | None = None
        with ui.element("div").classes("toolbar"):
            new_button()
            flat("Save", icon="save", on_click=self.save, name="save")
            self.where = ui.label("").classes("where")
            ui.element("div").classes("spring")
            self.draw = flat("Draw", icon="brush", on_click=self._turn_drawing).props('aria-pressed="false"')
        with strips:
            with ui.element("div").classes("newer").props('role="status"') as self.newer:
                self.newer_text = ui.label("")
                flat("Show it", on_click=self._catch_up, name="catch-up")
            self.newer.set_visibility(False)
            self.offers = ui.element("div").props('role="status"')
        self._offered: set[str] = set()
        self.painter = Painter(desk)
        self.place = ui.element("div").classes("code")
        self.reading = ui.label("").classes("reading about").props('role="status"')
        self.reading.set_visibility(False)
        self.problems = ui.element("div").classes("problems").props('role="status" aria-label="Problems"')
        desk.on_check.append(self._checked)
        desk.on_text.append(self._replaced)
        desk.on_theme.append(self._coloured)
        desk.on_key.append(self._parted)
        desk.on_kept.append(self._kept)
        ui.on("studio-kept", lambda event: self._restore(event.args))
        ui.on("studio-refused", lambda event: self._refused(event.args))
        ui.timer(LOOK, self._look)
        library = desk.studio.library
        about = {"folder": library.id, "key": desk.key, "base": digest(desk.stored)}
        ui.run_javascript(f"budgeStudio.begin({json.dumps(about)})")
        desk.on_view.append(self._shown)
        self._say_where()

    def _shown(self) -> None:
        """Put the editor on the page when the view is shown for the first time."""
        if self.code is not None or self.desk.view != WRITE:
            return
        theme = _theme(self.desk.dark)
        with self.place:
            self.code = ui.codemirror(
                self.desk.text, language="YAML", theme=theme, line_wrapping=False, indent="  ", on_change=self._typed
            )
        self._call("edit", MAX_TEXT, completions())
        self._mark()

    async def _typed(self, event: ValueChangeEventArguments[str]) -> None:
        if event.value != self.desk.text:
            await self.desk.changed(event.value)

    def _replaced(self) -> None:
        if self.code is not None:
            self.code.value = self.desk.text

    def _coloured(self) -> None:
        self._call("colour", _theme(self.desk.dark))

    def _call(self, function: str, *arguments: object) -> None:
        """Call a function of `studio.js` that changes how the editor looks, if it is there.

        Setting a property of `self.code` instead would also send the text as the server has it, and NiceGUI would put
        that into the editor: keys typed since would be lost.
        """
        if self.code is None:
            return
        listed = ", ".join(json.dumps(argument) for argument in (self.code.id, *arguments))
        ui.run_javascript(f"budgeStudio.{function}({listed})")

    # What is not saved

    def _kept(self) -> None:
        """Let the browser forget its copy of the text once the studio has stored it on the disk."""
        if self.desk.safe:
            ui.run_javascript(f"budgeStudio.arrived('{digest(self.desk.text)}', '{digest(self.desk.stored)}')")
        self._say_where()

    async def _restore(self, kept: object) -> None:
        """Texts that this browser has kept as they had not reached a studio: this one's comes back if it was made from
        what is stored now; any other becomes a draft and is offered.
        """
        desk, library = self.desk, self.desk.studio.library
        for entry in kept if isinstance(kept, list) else ():
            match entry:
                case {"place": str(place), "key": str(key), "text": str(text), "base": base}:
                    own = key == desk.key and base == digest(desk.stored) and library.draft(key) is None
                    if text in (desk.text, desk.stored):
                        pass
                    elif own:
                        await desk.set_text(text)
                        ui.notify("Unsaved changes of this browser are back.", type="info")
                    else:
                        name = library.name(key)
                        draft = library.new_draft(text, name, untouched=False)
                        self.offer(
                            draft, f"This browser has kept unsaved text of {name}, which may be of another folder."
                        )
                    ui.run_javascript(f"budgeStudio.forget({json.dumps(place)})")

    def offer(self, draft: str, why: str) -> None:
        """Offer an unsaved text that is not this one: it is a draft by now, and stays one unless it is discarded. Both
        the studio and the browser may have kept it: it is offered once.
        """
        if draft in self._offered:
            return
        self._offered.add(draft)

        def discard() -> None:
            self.desk.studio.library.drop(draft)
            strip.delete()

        with self.offers, ui.element("div").classes("newer offer") as strip:
            ui.label(why)
            for text, do in (
                ("Show", lambda: ui.navigate.to(address(draft))),
                ("Keep", strip.delete),
                ("Discard", discard),
            ):
                flat(text, on_click=do, name=f"offer-{text.lower()}")

    @staticmethod
    def _refused(size: object) -> None:
        show_error(
            f"Not taken: the text would have {size:,} characters, and the studio takes {MAX_TEXT:,}."
            if isinstance(size, int)
            else "Not taken: the text has too many characters that need more room than one."
        )

    async def _arrived(self) -> bool:
        """Whether the studio has the text of the editor; if it has not, the user is shown why nothing was saved."""
        for _ in range(TRIES):
            if self.code is None:
                return True
            if await ui.run_javascript("return budgeStudio.digest()", timeout=30) == digest(self.desk.text):
                return True
            await asyncio.sleep(LOOK)
        ui.run_javascript("budgeStudio.keep()")
        show_error(
            "Not saved: not all of the text in the editor has reached the studio. It is kept in this browser; load the "
            "page again."
        )
        return False

    # Other tabs with the same text

    def _look(self) -> None:
        """Tell the user if another tab has changed the text, or if reading it takes long."""
        desk = self.desk
        taken = 0.0 if desk.reading is None else time.monotonic() - desk.reading
        self.reading.set_visibility(taken > SLOW)
        self.reading.text = f"reading the text ... {taken:.0f} s"
        self.newer.set_visibility(desk.behind)
        if desk.behind:
            ago = max(0, round(time.time() - desk.studio.library.revision(desk.key)[1]))
            self.newer_text.text = (
                f"Another tab changed this text {counted(ago, 'second')} ago; the one here is older. If you change it, "
                "it becomes a draft of its own."
            )

    async def _catch_up(self) -> None:
        with errors_shown():
            await self.desk.catch_up()
        self._look()

    def _parted(self) -> None:
        """Show that the text of this tab has become a draft, because another tab has changed the text too."""
        ui.run_javascript(f"budgeStudio.rename({json.dumps(self.desk.key)})")
        ui.notify("Another tab has changed this text, too. Yours goes on here as a draft of its own.", type="warning")
        self._say_where()
        self._look()

    # What is wrong

    def _checked(self) -> None:
        check = self.desk.check
        self._mark()
        self._say_where()
        self._list(check, {})
        if check.problems:
            ui.timer(0.01, self._find_repairs, once=True)

    def _mark(self) -> None:
        """Mark the problems in the text."""
        check = self.desk.check
        places, notes = marks(self.desk.text, check), {p.line: p.message for p in check.problems if p.line}
        self._call("mark", digest(self.desk.text), places, notes)

    async def _find_repairs(self) -> None:
        desk, check = self.desk, self.desk.check
        library = desk.studio.library

        def read(text: str) -> Check | None:
            return desk.studio.reader.check_while(wanted, text, library.name(desk.key), library.path(desk.key))

        def wanted() -> bool:
            return desk.check is check and not desk.gone()

        repaired = await threads.io_bound(repairs, desk.text, check.problems, read)
        if repaired and desk.check is check:
            self._list(check, repaired)

    def _list(self, check: Check, mended: dict[Problem, str]) -> None:
        self.problems.clear()
        with self.problems:
            if check.ok:
                counts = check.puzzle.record.counts if check.puzzle else None
                about = counts(check.puzzle.value) if check.puzzle and counts else ""
                ui.label(f"No problems. {about}".strip()).classes("fine")
                return
            ui.label(counted(len(check.problems) + check.dropped, "problem")).classes("count")
            for problem in check.problems[:SHOWN]:
                with ui.element("div").classes("problem"):
                    place = f"{problem.line}:{problem.column}" if problem.line else "whole text"
                    flat(place, on_click=partial(self._go, max(1, problem.line)), name="place")
                    with ui.element("div").classes("what"):
                        ui.label(problem.message)
                        if problem.hint:
                            ui.label(f"help: {problem.hint}").classes("hint")
                    if problem in mended:
                        mend = partial(self.desk.set_text, mended[problem])
                        strong("Mend", icon="auto_fix_high", on_click=mend, name="mend").props("dense")

    def _go(self, line: int) -> None:
        if self.code is not None:
            self.code.reveal_line(line)

    # Files

    def _say_where(self) -> None:
        desk = self.desk
        name = "not saved yet" if desk.is_draft else desk.studio.library.name(desk.key)
        if desk.key.startswith(SHIPPED):
            name += " (shipped)"
        self.where.text = name + ("" if desk.saved or desk.is_draft else " · changed")

    async def save(self) -> None:
        """Write the text to its file; ask for a name where there is none."""
        if not await self._arrived():
            return
        if self.desk.key.startswith(FILE):
            file = self.desk.key.removeprefix(FILE)
            if not self.desk.overtaken or await _overwrite(f"{file} was changed since it was opened here."):
                await self._write(file, overwrite=not is_pddl(file))
            return
        title = self.desk.puzzle.header.name if self.desk.puzzle else "puzzle"
        with dialog_of("Save") as dialog:
            ui.label(f"Save below {self.desk.studio.library.folder}").classes("heading")
            name = field("File name", value=file_name(title), props="autofocus", name="wide")
            with ui.row():
                strong("Save", on_click=lambda: dialog.submit(name.value))
                flat("Cancel", on_click=lambda: dialog.submit(None))
        chosen = str(await dialog or "").strip()
        if chosen:
            await self._write(chosen, False)

    async def _write(self, name: str, overwrite: bool) -> None:
        try:
            with errors_shown():
                self._saved(self.desk.studio.library.save(name, self.desk.text, overwrite))
        except FileExistsError:
            if await _overwrite(f"{name} exists and has another text."):
                await self._write(name, True)

    def _saved(self, key: str) -> None:
        desk = self.desk
        memory = desk.memory
        desk.saved_as(key)
        ui.notify(f"Saved as {key.removeprefix(FILE)}", type="positive")
        self._kept()
        if key != desk.key:
            new_memory = desk.studio.memory(desk.tab, key)
            new_memory.game, new_memory.replayed = memory.game, memory.replayed
            ui.run_javascript(f"location.replace({json.dumps(address(key, view=desk.view))})")

    # Drawing

    def _turn_drawing(self) -> None:
        on = self.painter.turn()
        self.draw.props(f'aria-pressed="{"true" if on else "false"}"')


def _theme(dark: bool) -> Literal["vscodeDark", "vscodeLight"]:
    return "vscodeDark" if dark else "vscodeLight"


async def _overwrite(why: str) -> bool:
    """Ask the user whether a file shall be overwritten."""
    return await asked("Save", why, "Overwrite it", "Keep it")


def file_name(title: str) -> str:
    """A title as the name of a file.

    >>> file_name("Bird's second grid")
    'birds-second-grid.yaml'
    """
    plain = "".join(c if c.isascii() and c.isalnum() else "-" if c in " -_" else "" for c in title.lower())
    return f"{'-'.join(part for part in plain.split('-') if part)[:60] or 'puzzle'}.yaml"


def marks(text: str, check: Check) -> list[dict[str, object]]:
    """The places of problems as decorations of CodeMirror: offsets in the text."""
    lines, decorations = text.split("\n"), list[dict[str, object]]()
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    for problem in check.problems:
        if not 1 <= problem.line <= len(lines) or lines[problem.line - 1] != problem.source:
            continue  # of the text as a whole, or of another file
        start = starts[problem.line - 1] + problem.column - 1
        end = min(start + max(1, problem.width), starts[problem.line] - 1)
        decorations.append({"kind": "line", "line": problem.line, "class": "problem-line"})
        if start < end:
            decorations.append({"kind": "mark", "from": start, "to": end, "class": "problem-mark"})
    return decorations


# Completion in the editor: keys and their values, from the families' own tables of keys.

Completions = dict[str, dict[str, Any]]
"""By family: the keys of its files, each with what it is for and the words that it takes. Under `""` those of all."""


def completions() -> Completions:
    """The words of all families."""
    names = {"family": list(families())}
    words = {"": _keys(HEADER_KEYS, names)}
    for name, family in families().items():
        metrics = [] if family.own_metrics else [metric.name for metric in family.metrics]
        words[name] = _keys((*HEADER_KEYS, *family.keys), names | {"metric": metrics})
    return words


def _keys(keys: Iterable[Key], words: Mapping[str, list[str]]) -> dict[str, Any]:
    """Keys with their help and the words that they take: those of their tables, or the given ones."""
    return {key.name: {"help": key.help, "words": words.get(key.name, list(key.choices))} for key in keys}


# Repairs: what a button does about a problem, where its `help:` says exactly what to write.
#
# A help says in words what to do; where it names what to write, it may stand for what is marked, or for the whole
# line. So every repair is tried: one is offered if the problem is gone after it, and no other has come. A mistyped
# value may hide other problems: the one that is meant is offered all the same, unless the problem stays.

WORD = re.compile(r"(?:did you mean|.*\bwrite) `([^`]+)`[?.]?")
MISTYPED = re.compile(r"cannot be .*; did you mean")
FIRST_LINE = re.compile(r"add `([^`]+)` as the first line")

MOST = 6
"""The number of problems, from the top, for which repairs are tried."""


def repairs(text: str, problems: Iterable[Problem], check: Callable[[str], Check | None]) -> dict[Problem, str]:
    """Repaired texts, for each problem that has one. `check` reads a text, or gives None if no repairs are wanted
    any more.
    """
    texts, problems = dict[Problem, str](), list(problems)
    for problem in problems[:MOST]:
        for whole, mended in enumerate(candidates(text, problem)):
            checked = check(mended)
            if checked is None:
                return texts
            if len(checked.problems) < len(problems) and _same(checked.problems) <= _same(problems):
                texts[problem] = mended
                break
            mistyped = not whole and MISTYPED.search(f"{problem.message}; {problem.hint}")
            if mistyped and not _same([problem]) <= _same(checked.problems):
                texts[problem] = mended
    return texts


def _same(problems: Iterable[Problem]) -> set[tuple[str, str]]:
    """The problems without their places, for a repair may move them."""
    return {(problem.message, problem.hint) for problem in problems}


def candidates(text: str, problem: Problem) -> Iterator[str]:
    """The texts that may result from doing as the help of a problem says.

    >>> problem = Problem("a.yaml", 1, 9, "`metric` cannot be `stepps`", "did you mean `steps`?", "metric: stepps", 6)
    >>> next(candidates("metric: stepps", problem))
    'metric: steps'
    """
    if added := FIRST_LINE.fullmatch(problem.hint):
        yield f"{added[1]}\n{text}"
    word, lines = WORD.fullmatch(problem.hint), text.split("\n")
    if word is None or not 1 <= problem.line <= len(lines) or lines[problem.line - 1] != problem.source:
        return  # nothing to write, or the problem is of another file
    line, start = problem.source, problem.column - 1
    indent = line[: len(line) - len(line.lstrip())]
    for mended in (line[:start] + word[1] + line[start + problem.width :], indent + word[1]):
        yield "\n".join([*lines[: problem.line - 1], mended, *lines[problem.line :]])
