"""The server of the studio: on 127.0.0.1 only, behind the guard, with its child processes ended when it ends."""

from __future__ import annotations

import asyncio
import contextlib
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
from .asked import Studio
from .library import Library
from .reading import Helper, Reader
from .runs import Runs
from .stores import Stores

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

PORT = 8427
"""The port unless another is asked for, or this one is taken: shared links name it."""

FIRST_WORDS = 20.0
"""Seconds after which a connection is closed on which no request has come."""

OPENING = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Budge studio</title>
<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">Open the studio</a>
"""
"""The page that a browser opens first: a file, as everybody on the machine can see the command line of a browser."""

TERMINATED = 143
"""The exit code after SIGTERM, as of all commands."""

LEAST, COMPRESSION = 1000, 5
"""Bytes below which no answer is compressed, and how hard others are (1 to 9). Events are never held back for it."""

LEAVING = 2
"""Seconds that open connections are given when the server ends."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of the command line: at most how many runs at a time, each with at most how many seconds and MiB.
    `first`: the key of the puzzle to open, if one was named.
    """

    folder: Path
    runs: int
    seconds: float
    memory: int
    first: str | None = None
    port: int | None = None


def serve(settings: Settings, opened: Callable[[str, Path], None]) -> None:
    """Serve the studio until Ctrl-C or SIGTERM. `opened` is called when it can be opened, with its address and with the
    file of a page that goes there, which only this user can read.

    Raises `UsageError` if Starlette or uvicorn is missing, or the port is taken.
    """
    with _listening(settings.port) as listener, tempfile.TemporaryDirectory(prefix="budge-studio-") as storage:
        try:
            from .service import application
        except ImportError as error:
            raise UsageError(
                f"the studio needs Starlette and uvicorn ({error}): `pip install 'budge[studio]'`"
            ) from None
        port, token = listener.getsockname()[1], secrets.token_urlsafe(24)
        reader, helper, runs = Reader(), Helper(), Runs(settings.runs)
        library = Library(settings.folder, helper)
        limits = settings.seconds, settings.memory
        studio = Studio(library, reader, helper, runs, Stores(library), *limits, settings.first)
        server = _server(application(studio, Path(storage)), token, port)
        studio.leaving = lambda: server.should_exit
        address = f"http://127.0.0.1:{port}/?token={token}"
        for early in (reader.start, partial(_when_started, server, opened, address, Path(storage))):
            threading.Thread(target=early, daemon=True).start()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # uvicorn raises it again when it has ended
        try:
            server.run(sockets=[listener])
        finally:
            runs.close()
            reader.close()
            helper.close()


def _server(app: ASGIApp, token: str, port: int) -> uvicorn.Server:
    """The service, behind the guard."""
    import uvicorn
    from starlette.middleware.gzip import GZipMiddleware

    from .guard import Guard

    config = uvicorn.Config(
        GZipMiddleware(Guard(app, token, port), LEAST, COMPRESSION),
        http=_patient(),
        ws="none",
        lifespan="off",
        log_level="error",
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
            """Close a connection on which no request has come."""
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


def _when_started(server: uvicorn.Server, opened: Callable[[str, Path], None], address: str, folder: Path) -> None:
    while not server.started and not server.should_exit:
        time.sleep(0.02)
    if server.started:
        page = folder / "open.html"
        write_whole(page, OPENING.format(address=address).encode())
        opened(address, page)
