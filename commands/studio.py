"""The command `studio`: write, see, play, solve and compare puzzles in the browser."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..models.errors import UsageError
from .streams import Exit


def run_studio(arguments: argparse.Namespace) -> int:
    """Open the studio: a page, served on this machine to this machine only, on which puzzles are written, played,
    solved with their bounds rising live, replayed, explored, compared and shared. It ends with Ctrl-C."""
    from ..studio.server import Settings, serve

    folder, first = _opened(arguments.opened)
    settings = Settings(folder, arguments.runs, arguments.time_limit, arguments.memory_limit, first, arguments.port)

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
