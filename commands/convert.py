"""The command `convert`: collections of other programs as puzzle files.

Exit codes: 0 every level was written, 2 bad usage, or a level that is none.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.errors import BudgeError, UsageError
from ..models.text import counted
from .common import OPTIMAL, USAGE, print_json, worst
from .parsing import Parser

if TYPE_CHECKING:
    from ..models.family import Importer


def add_convert(convert: Parser) -> None:
    """Add the arguments of `budge convert`."""
    convert.describe(_convert, "budge convert levels.xsb --out levels", "budge convert collections --out levels")
    convert.add_argument("collection", metavar="PATH", help="a collection of levels, or a folder of collections")
    convert.add_argument(
        "--from",
        dest="form",
        metavar="FORMAT",
        choices=_Formats(),
        help="the collection's format, one of %(choices)s; default: as its name ends",
    )
    convert.add_argument("--out", metavar="DIR", required=True, help="the folder to write to (made if needed)")
    convert.add_argument("--prefix", metavar="NAME", help="how the files' names begin; default: the collection's name")
    convert.add_argument("--json", action="store_true", help="one JSON object for each collection, on standard output")


def _convert(arguments: argparse.Namespace) -> int:
    """Write each level of a collection, or of all collections in a folder, as a puzzle file of its own."""
    from ..views.problems import conversion
    from ..workflows.checking import problems_of

    out = Path(arguments.out)
    written, codes = 0, [OPTIMAL]
    for importer, collection, folder in _work(arguments, Path(arguments.collection), out):
        files: list[Path] = []
        try:
            done = importer.convert(collection, folder, arguments.prefix)
            files, problems = done.written, done.problems
        except BudgeError as error:  # of this collection; others go on
            problems = problems_of(error, str(collection))
        if arguments.json:
            print_json(conversion(collection, files, problems))
        else:
            for problem in problems:
                print(problem.render(), file=sys.stderr)
            for file in files:
                print(f"wrote {file}", file=sys.stderr)
        written += len(files)
        codes.append(USAGE if problems else OPTIMAL)
    if not arguments.json:
        print(f"{counted(written, 'puzzle')} written to {out}")
    return worst(codes)


def _work(arguments: argparse.Namespace, path: Path, out: Path) -> Iterator[tuple[Importer, Path, Path]]:
    """Each collection with its importer and the folder for its puzzles: for one in a subfolder, a subfolder."""
    from ..models.library import files_below

    if not path.is_dir():
        yield _importer(arguments.form, path), path, out
        return
    chosen = [_importers()[arguments.form]] if arguments.form else _importers().values()
    found = [
        (importer, file)
        for importer in chosen
        for file in files_below(path, importer.endings)
        if importer.is_one is None or importer.is_one(file)
    ]
    if not found:
        endings = ", ".join(f"`*{ending}`" for importer in chosen for ending in importer.endings)
        raise UsageError(f"there is no collection of levels ({endings}) in the folder `{path}`")
    if arguments.prefix and len(found) > 1:
        raise UsageError(f"`--prefix` is for one collection; there are {len(found)} in the folder `{path}`")
    for importer, file in found:
        yield importer, file, out / file.parent.relative_to(path)


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
