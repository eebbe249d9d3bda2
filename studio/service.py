"""The service under the page: what a browser asks for, and what it is answered, as JSON.

Each function of `GET` and `POST` takes the studio and what was asked (the query, or the body) and gives the answer.
They run in threads; whatever reads a text, or takes long, does so in a process of its own. What is wrong is an error
of Budge, which the page shows as it is.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import shutil
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from .. import parameters
from ..models.errors import BudgeError, PuzzleError, UsageError
from ..models.families import families, find_family
from ..models.families.pddl.files import is_pddl
from ..runtime.outcome import StoppedError
from ..version import __version__
from ..views import shapes
from ..views.schema import template
from . import guard, results, work
from .asked import Conflict, Fields, Studio, flag, words
from .kept import digest
from .library import FILE, unsaved_json
from .reading import MAX_TEXT
from .repairs import repairs
from .shown import NO_PICTURE, completions, converted, game_json, picture, problem_json

WEB = Path(__file__).parent / "web"

FIRST = "shipped:rush_hour/bird-1"
"""The puzzle that is opened where none was named, and the folder has none."""

mimetypes.add_type("text/javascript", ".js")  # some systems have another one, which browsers do not run

BUNDLES: dict[str, Callable[[], str]] = {
    "board.js": partial(shapes.script, "board"),
    "game.js": partial(shapes.script, "game"),
    "board.css": shapes.style,
    "why.css": partial(shapes.web, "why.css"),
    "theme.css": partial(shapes.web, "theme.css"),
}
"""The files of `/web/` that are made of those of `views/web/`."""


# The library and texts


def boot(studio: Studio, asked: Fields) -> dict[str, Any]:
    """What a page needs to begin. `open`: the key of the puzzle that its address names."""
    library, wanted = studio.library, words(asked, "open")
    if wanted and ":" not in wanted:  # as the command line names puzzles
        keys = library.keys()
        wanted = next((key for key in keys if wanted in (key.partition(":")[2], Path(key).name)), wanted)
    return {
        "version": __version__,
        "folder": str(library.folder),
        **folder(studio, asked),
        "key": wanted or studio.first or library.first() or FIRST,
        "first": studio.first or library.first() or FIRST,
        "families": [{"name": family.name, "title": family.title} for family in families().values()],
        "completions": completions(),
        "limits": {"text": MAX_TEXT},
        "defaults": {"run": parameters.defaults(work.RUN), "comparison": parameters.defaults(work.COMPARISON)},
    }


def folder(studio: Studio, _asked: Fields) -> dict[str, Any]:
    """Which folder this studio is of: a page asks again whenever it begins to listen to events."""
    return {"folder_id": studio.library.id}


def library(studio: Studio, _asked: Fields) -> dict[str, Any]:
    """All puzzles with what their cards say, and the texts that are not saved."""
    entries = studio.library.entries()
    drafts = [unsaved_json(unsaved) for unsaved in studio.library.shelf()]
    return {"entries": list(map(asdict, entries)), "drafts": drafts, "reading": sum(entry.reading for entry in entries)}


def card_picture(studio: Studio, asked: Fields) -> Response:
    """A puzzle of the library as an SVG, which the browser keeps if it knows what text it is of."""
    key, library = words(asked, "key"), studio.library
    try:
        drawn = studio.helper.run(partial(picture, library.path(key), library.draft(key), library.name(key)))
    except (BudgeError, StoppedError):
        drawn = NO_PICTURE
    kept = {"Cache-Control": "private, max-age=86400" if asked.get("stamp") else "no-store"}
    return Response(drawn, media_type="image/svg+xml", headers=kept)


def text(studio: Studio, asked: Fields) -> dict[str, Any]:
    """The text of a key. `aside`: the draft that its unsaved text has become, as its file was changed meanwhile; with
    `look` it stays what it is.
    """
    key = words(asked, "key")
    aside = None if asked.get("look") else studio.library.set_aside(key)
    return _text(studio, key) | {"aside": aside}


def _text(studio: Studio, key: str) -> dict[str, Any]:
    library = studio.library
    with library.lock:
        stored = library.stored(key)
        return {
            "key": key,
            "name": library.name(key),
            "text": library.text(key),
            "stored": stored,
            "base": digest(stored),
            "revision": library.revision(key),
        }


def new(studio: Studio, asked: Fields) -> dict[str, Any]:
    """A new draft with the template of a family."""
    family = find_family(words(asked, "family"))
    on_map = [sample for sample in family.samples if "\ngrid:" in sample and "map" in asked]
    return _text(studio, studio.library.new_draft(template(family, *on_map[:1]))) | {"aside": None}


def keep(studio: Studio, asked: Fields) -> dict[str, Any]:
    """Keep a text that is not saved. If another tab has changed the text of this key too, it becomes a draft of its
    own: both are kept.
    """
    library, key, given = studio.library, words(asked, "key"), words(asked, "text", most=MAX_TEXT)
    if not key:
        key = library.new_draft(given, words(asked, "origin"), untouched="origin" not in asked)
        return _text(studio, key) | {"safe": True, "parted": False}
    library.path(key)  # raises for what is no key
    with library.lock:
        parted = library.overtaken(key, str(asked.get("revision") or ""), given)
        base = words(asked, "base")
        if parted:
            key = library.new_draft(given, library.name(key), untouched=False)
            base, safe = "", True
        else:
            safe = library.keep(key, given, base)
        return {"key": key, "safe": safe, "revision": library.revision(key), "base": base, "parted": parted}


def drop(studio: Studio, asked: Fields) -> dict[str, Any]:
    """Forget the unsaved text of a key."""
    studio.library.drop(words(asked, "key"))
    return {}


def save(studio: Studio, asked: Fields) -> dict[str, Any]:
    """Write a text to its file, or to one of another name. Raises `Conflict` with the text that is there, if it is not
    to be overwritten.
    """
    library, key = studio.library, words(asked, "key")
    name, given, overwrite = words(asked, "name").strip(), words(asked, "text", most=MAX_TEXT), flag(asked, "overwrite")
    with library.lock:
        if not name or FILE + name == key:
            if not key.startswith(FILE):
                raise UsageError("this text is in no file yet: give it a name")
            name, stored = key.removeprefix(FILE), library.stored(key)
            behind = library.overtaken(key, str(asked.get("revision") or ""), given)
            other = stored is not None and digest(stored) not in (words(asked, "base"), digest(given))
            if (behind or other) and not overwrite:
                theirs = library.text(key) if behind else stored
                who = "in another tab" if behind else "by another program"
                raise Conflict(f"{name} was changed {who} since it was opened here.", theirs=theirs, behind=behind)
            overwrite = not is_pddl(name)
        try:
            saved = library.save(name, given, overwrite)
        except FileExistsError as error:
            name = str(error)
            theirs = library.stored(FILE + name)
            raise Conflict(f"{name} exists and has another text.", theirs=theirs, behind=False) from None
        library.drop(key)
        return _text(studio, saved)


def read(studio: Studio, asked: Fields, wanted: Callable[[], bool]) -> dict[str, Any]:
    """What is wrong with a text, or what is shown of its puzzle. `repairs`: with the texts that mend its problems."""
    library, key, given = studio.library, words(asked, "key"), words(asked, "text", most=4 * MAX_TEXT)
    about = library.name(key), library.path(key)
    found = studio.reader.read(given, *about, wanted)
    if found is None:
        raise Conflict("another text is read by now")
    check, mended = found.check, {}
    if flag(asked, "repairs") and check.problems:

        def again(other: str) -> Any:
            other_read = studio.reader.read(other, *about, wanted)
            return other_read and other_read.check

        mended = repairs(given, check.problems, again)
    problems = [problem_json(problem, given, mended.get(problem)) for problem in check.problems]
    return {"ok": check.ok, "problems": problems, "dropped": check.dropped, **found.shown}


# Playing


def game(studio: Studio, asked: Fields) -> dict[str, Any]:
    """The rules of a puzzle as data for `<budge-game>`, with the best that is known of it."""
    puzzle, metric = studio.puzzle(asked)
    told: dict[str, Any] = studio.helper.told(partial(game_json, puzzle, metric), "reading the rules of this puzzle")
    least, known = studio.best(puzzle, metric)
    return told | {"least": least, "known": known, "best": known if known == least else None}


def convert(studio: Studio, asked: Fields) -> dict[str, Any]:
    """A level in any form that is known, as the text of a puzzle file."""
    level = words(asked, "text", most=4 * MAX_TEXT)
    told: dict[str, Any] = studio.helper.told(partial(converted, level), "reading this level")
    return told


# Answering

Answerer = Callable[[Studio, Fields], Any]

GET: dict[str, Answerer] = {
    "/picture": card_picture,
    "/api/boot": boot,
    "/api/folder": folder,
    "/api/library": library,
    "/api/text": text,
    "/api/new": new,
    "/api/runs/{number:int}/answer": work.answer,
    "/api/runs/{number:int}/{what}": work.download,
    "/api/stores": results.names,
    "/api/stores/stamp": results.stamp,
    "/api/stores/run": results.opened,
    "/api/stores/csv": results.csv,
    "/api/stores/report": results.report,
}

POST: dict[str, Answerer] = {
    "/api/text": keep,
    "/api/drop": drop,
    "/api/save": save,
    "/api/game": game,
    "/api/runs": work.start,
    "/api/runs/{number:int}/stop": work.stop,
    "/api/runs/clear": work.clear,
    "/api/stores": results.content,
    "/api/convert": convert,
}

WHILE_WANTED = {"/api/read": read, "/api/hint": work.hint}
"""What ends when the page does not want it any more: it has closed the connection."""


def application(studio: Studio, storage: Path) -> Starlette:
    """All routes. The guard stands in front of them. `storage`: where the files of the page are put together."""
    files = shutil.copytree(WEB, storage / "web")
    for name, text in BUNDLES.items():
        (files / name).write_text(text(), encoding="utf-8")
    routes: list[BaseRoute] = [Route("/", lambda _: FileResponse(files / "index.html"))]
    routes += [Mount("/web", StaticFiles(directory=files)), Route("/api/events", partial(_events, studio))]
    routes += [Route(path, partial(_answered, partial(answerer, studio))) for path, answerer in GET.items()]
    routes += [
        Route(path, partial(_answered, partial(answerer, studio)), methods=["POST"]) for path, answerer in POST.items()
    ]
    routes += [
        Route(path, partial(_while_wanted, partial(answerer, studio)), methods=["POST"])
        for path, answerer in WHILE_WANTED.items()
    ]
    return Starlette(routes=routes, exception_handlers=guard.HANDLERS)


def _json(value: Any, status: int = 200) -> Response:
    body = json.dumps(value, separators=(",", ":"))
    return Response(body, status, media_type="application/json", headers={"Cache-Control": "no-store"})


async def _fields(request: Request) -> dict[str, Any]:
    """What is asked: the query, or the body, and what the path names. Raises `UsageError`."""
    fields: Any = dict(request.query_params)
    if request.method == "POST":
        try:
            fields = json.loads(await request.body() or b"{}")
        except (ValueError, RecursionError):
            fields = None
        if not isinstance(fields, dict):
            raise UsageError("the body is no JSON object")
    return {**fields, **request.path_params}


async def _while_wanted(answerer: Callable[[Fields, Callable[[], bool]], Any], request: Request) -> Response:
    await request.body()
    gone = threading.Event()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        gone.set()

    watching = asyncio.create_task(watch())
    try:
        return await _answered(lambda asked: answerer(asked, lambda: not gone.is_set()), request)
    finally:
        watching.cancel()


async def _answered(answerer: Callable[[Fields], Any], request: Request) -> Response:
    """The answer, or what is wrong in a sentence."""
    try:
        told = await run_in_threadpool(answerer, await _fields(request))
    except Conflict as error:
        return _json({"error": str(error), **error.more}, 409)
    except PuzzleError as error:
        first = error.problems[0] if error.problems else None
        said = f"line {first.line}: {first.message}" if first and first.line else str(error).split("\n")[0]
        return _json({"error": f"the text is no puzzle yet; {said}"}, 422)
    except (BudgeError, RuntimeError) as error:
        return _json({"error": str(error)}, 400)
    match told:
        case Response():
            return told
        case (str(kind), str(name), str(content)):
            headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
            return Response(content.encode("utf-8", "replace"), media_type=kind, headers=headers)
    return _json(told)


async def _events(studio: Studio, request: Request) -> Response:
    events = work.Events(studio, request.query_params.get("key", ""))
    return StreamingResponse(events.stream(), media_type="text/event-stream", headers={"Cache-Control": "no-store"})
