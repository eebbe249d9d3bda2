"""The command `studio`: write, see, play, solve and compare puzzles in the browser."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..models.errors import UsageError
from .parsing import SIZE, TIME, Parser, count, mebibytes, seconds
from .streams import Exit


def add_studio(studio: Parser) -> None:
    """Add the arguments of `budge studio`."""
    studio.describe(
        _studio, "budge studio", "budge studio my-puzzles", "budge studio bird-2", "budge studio --port 9000"
    )
    studio.add_argument(
        "opened",
        nargs="?",
        metavar="FILE|FOLDER",
        help="a puzzle or a folder of them; default: the current folder. Files are read and written below it only",
        takes="puzzle",
    )
    studio.add_argument("--port", type=count, metavar="N", help="default: 8427, or any that is free")
    studio.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    studio.add_argument("--runs", type=count, metavar="N", help="that may go on at once (default 4)")
    studio.add_argument(
        "--time-limit", type=seconds, metavar=TIME, help="the longest that a run may ask for (default 1h)"
    )
    studio.add_argument(
        "--memory-limit", type=mebibytes, metavar=SIZE, help="the most that a run may take, as 512M, 4G (default 4G)"
    )


def _studio(arguments: argparse.Namespace) -> int:
    """Open the studio: a page, served on this machine to this machine only, on which puzzles are written, played,
    solved with their bounds rising live, replayed, explored, compared and shared. It ends with Ctrl-C."""
    from ..studio.server import Settings, serve

    folder, first = _opened(arguments.opened)
    limits = {"runs": arguments.runs, "seconds": arguments.time_limit, "memory": arguments.memory_limit}
    given = {name: value for name, value in limits.items() if value is not None}
    settings = Settings(folder, first, arguments.port, **given)

    def opened(address: str, page: Path) -> None:
        print(f"the studio is at {address}\nit ends with Ctrl-C", flush=True)
        if not arguments.no_browser:
            import webbrowser

            webbrowser.open(page.as_uri())

    try:
        serve(settings, opened)
    except KeyboardInterrupt:
        print("the studio has ended", file=sys.stderr)
        return Exit.INTERRUPTED
    return Exit.OPTIMAL


def _opened(name: str | None) -> tuple[Path, str | None]:
    """The folder, and the key of the puzzle that is opened first. Raises `UsageError`."""
    from ..models.families import SHIPPED
    from ..models.library import find, shipped
    from ..studio.library import FILE
    from ..studio.library import SHIPPED as FROM_SHIPPED

    if name is None or Path(name).is_dir():
        return Path(name or "."), None
    path = find(name)
    if not path.is_file():
        raise UsageError(f"there is no file `{name}`")
    if path.is_relative_to(SHIPPED):
        key = next(key for key, file in shipped().items() if file == path)
        return Path("."), FROM_SHIPPED + key
    return path.parent, FILE + path.name
