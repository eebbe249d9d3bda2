"""The server of the studio: on 127.0.0.1 only, behind the guard, with its child processes ended when it ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.documents.files import write_whole
from ..models.errors import UsageError
from .kept import solved_file
from .library import Library
from .reading import Reader
from .runs import MOST_AT_ONCE, Runs
from .stores import Stores

if TYPE_CHECKING:
    import uvicorn

    from .desk import Studio

PORT = 8427
"""The port unless another is asked for, or this one is taken: shared links name it."""

MOST_SECONDS = 3600.0
"""The longest time limit of a run, unless the command line says otherwise."""

MOST_MEMORY = 4096
"""The largest memory limit of a run in MiB, unless the command line says otherwise."""

LARGEST_MESSAGE = 4 * 1024 * 1024
"""Bytes of a message from the browser: it sends at most a million characters, of at most four bytes each."""

LEAST, COMPRESSION = 1000, 5
"""Bytes below which no answer is compressed, and how hard others are (1 to 9): libraries shrink to a third."""

FIRST_WORDS = 20.0
"""Seconds after which a connection is closed on which no request has come."""

OPENING = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Budge studio</title>
<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">Open the studio</a>
"""
"""The page that a browser opens first: a file, as everybody on the machine can see the command line of a browser."""

TERMINATED = 143
"""The exit code after SIGTERM, as of all commands."""

FIRST_PAGE = 6.0
"""Seconds from the start after which the first page should be there."""

LEAVING = 2
"""Seconds that open connections are given when the server ends."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the command line. `first`: the key of the puzzle to open, if one was named."""

    folder: Path
    first: str | None = None
    port: int | None = None
    runs: int = MOST_AT_ONCE
    seconds: float = MOST_SECONDS
    memory: int = MOST_MEMORY


def serve(settings: Settings, opened: Callable[[str, Path], None]) -> None:
    """Serve the studio until Ctrl-C or SIGTERM. `opened` is called when it can be opened, with its address and with the
    file of a page that goes there, which only this user can read.

    Raises `UsageError` if NiceGUI is missing or the port is taken.
    """
    with _listening(settings.port) as listener, tempfile.TemporaryDirectory(prefix="budge-studio-") as storage:
        os.environ["NICEGUI_STORAGE_PATH"] = storage  # NiceGUI keeps nothing here, but looks for a folder
        try:
            import nicegui  # noqa: F401
        except ImportError as error:
            raise UsageError(f"the studio needs NiceGUI ({error}): `pip install 'budge[studio]'`") from None
        from .desk import Studio
        from .kept import Solved

        port, token = listener.getsockname()[1], secrets.token_urlsafe(24)
        library, reader, runs = Library(settings.folder), Reader(), Runs(settings.runs)
        solved = Solved(solved_file())
        limits = settings.seconds, settings.memory
        studio = Studio(library, reader, runs, Stores(library), *limits, solved, settings.first)
        server = _server(studio, token, port)
        for early in (
            reader.start,
            partial(_when_started, server, opened, f"http://127.0.0.1:{port}/?token={token}", Path(storage)),
            partial(_when_idle, server, library),
        ):
            threading.Thread(target=early, daemon=True).start()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # uvicorn raises it again when it has ended
        try:
            server.run(sockets=[listener])
        finally:
            runs.close()
            reader.close()


def _server(studio: Studio, token: str, port: int) -> uvicorn.Server:
    """NiceGUI with the page of the studio, behind the guard."""
    import uvicorn
    from fastapi import FastAPI
    from nicegui import core, ui
    from starlette.middleware.gzip import GZipMiddleware

    from .guard import Guard
    from .page import add_routes

    app = FastAPI(openapi_url=None)
    add_routes(studio)
    core.app.config.socket_io_js_transports = ["websocket"]
    core.sio.eio.transports = ["websocket"]  # no other way in than what the guard looks at
    core.sio.eio.max_http_buffer_size = LARGEST_MESSAGE
    core.app.config.quasar_config["loadingBar"] = {"skipHijack": True}  # nothing is loaded that it could show
    ui.run_with(
        app,
        title="Budge studio",
        dark=None,
        language="en-US",
        tailwind=False,
        gzip_middleware_factory=None,  # the guard reads pages, and puts nonces into them: they are packed after that
        reconnect_timeout=10,
        show_welcome_message=False,
    )
    config = uvicorn.Config(
        GZipMiddleware(Guard(app, token, port), LEAST, COMPRESSION),
        http=_patient(),
        log_level="error",
        ws_max_size=LARGEST_MESSAGE,
        timeout_graceful_shutdown=LEAVING,
        server_header=False,
    )
    return uvicorn.Server(config)


def _patient() -> type[asyncio.Protocol]:
    """uvicorn's HTTP protocol, with connections closed on which no request comes."""
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    class Patient(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self.loop.call_later(FIRST_WORDS, self.end_if_silent)

        def end_if_silent(self) -> None:
            """Close a connection on which no request has come (one that has become a WebSocket is not listed here)."""
            if self.cycle is None and self in self.connections:
                self.transport.close()

    return Patient


@contextlib.contextmanager
def _listening(port: int | None) -> Iterator[socket.socket]:
    """A socket that listens on this machine only: on a port, or on the usual one, or on any that is free."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for number in [PORT, 0] if port is None else [port]:
            try:
                listener.bind(("127.0.0.1", number))
                break
            except OSError as error:
                if port is not None:
                    raise UsageError(f"port {port} cannot be used: {error.strerror}; leave `--port` out") from None
        yield listener


def _when_idle(server: uvicorn.Server, library: Library) -> None:
    """Read the library before it is opened, but not while the first page is made."""
    time.sleep(FIRST_PAGE)
    if server.started and not server.should_exit:
        library.entries()


def _when_started(server: uvicorn.Server, opened: Callable[[str, Path], None], address: str, folder: Path) -> None:
    while not server.started and not server.should_exit:
        time.sleep(0.02)
    if server.started:
        page = folder / "open.html"
        write_whole(page, OPENING.format(address=address).encode())
        opened(address, page)
