"""The command `convert`: collections of other programs as puzzle files.

Exit codes: 0 every level was written, 2 bad usage, or a level that is none.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..models.errors import UsageError
from ..models.text import counted
from .common import OPTIMAL, USAGE

if TYPE_CHECKING:
    from ..models.family import Importer


def add_commands(commands: Any) -> None:
    """Add the command to the parser's subcommands."""
    convert = commands.add_parser(
        "convert",
        help="write a collection as puzzle files",
        description=_convert.__doc__,
        examples=("budge convert levels.xsb --out levels",),
    )
    convert.add_argument("collection", metavar="FILE", help="a collection of levels")
    convert.add_argument(
        "--from",
        dest="form",
        metavar="FORMAT",
        choices=_Formats(),
        help="the collection's format, one of %(choices)s; default: as its name ends",
    )
    convert.add_argument("--out", metavar="DIR", required=True, help="the folder to write to (made if needed)")
    convert.add_argument("--prefix", metavar="NAME", help="how the files' names begin; default: the collection's name")
    convert.set_defaults(run=_convert)


def _convert(arguments: argparse.Namespace) -> int:
    """Write each level of a collection as a puzzle file of its own."""
    path = Path(arguments.collection)
    done = _importer(arguments.form, path).convert(path, Path(arguments.out), arguments.prefix)
    for problem in done.problems:
        print(problem.render(), file=sys.stderr)
    for path in done.written:
        print(f"wrote {path}", file=sys.stderr)
    print(f"{counted(len(done.written), 'puzzle')} written to {arguments.out}")
    return USAGE if done.problems else OPTIMAL


def _importer(form: str | None, path: Path) -> Importer:
    """The importer of a format; without one, that of the file's ending, or the only one that there is."""
    known = _importers()
    if form:
        return known[form]
    fits = [importer for importer in known.values() if path.suffix.lower() in importer.endings]
    if len(fits) == 1 or len(known) == 1:
        return (fits or list(known.values()))[0]
    formats = ", ".join(f"{name} ({importer.help})" for name, importer in known.items())
    raise UsageError(f"{path}: say with `--from` which format this is: {formats}")


def _importers() -> dict[str, Importer]:
    from ..models.families import families

    return {importer.name: importer for family in families().values() for importer in family.importers}


class _Formats(Collection[str]):
    """The names of all formats, looked up when they are asked for: `--help` need not load the families."""

    def __iter__(self) -> Iterator[str]:
        return iter(_importers())

    def __len__(self) -> int:
        return len(_importers())

    def __contains__(self, name: object) -> bool:
        return name in _importers()
