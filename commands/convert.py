"""The command `convert`: collections of other programs as puzzle files.

Exit codes: 0 every level was written, 2 bad usage, or a level that cannot be used.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from ..models.errors import printable
from ..models.text import counted
from .common import print_json, tell_written
from .parsing import LateNames, Parser
from .streams import Exit, worst


def add_convert(convert: Parser) -> None:
    """Add the arguments of `budge convert`."""
    convert.describe(_convert, "budge convert levels.xsb --out levels", "budge convert collections --out levels")
    convert.add_argument("collection", metavar="PATH", help="a collection of levels, or a folder of collections")
    convert.add_argument(
        "--from",
        dest="form",
        metavar="FORMAT",
        choices=LateNames(_formats),
        help="the collection's format, one of %(choices)s; default: as its name ends",
    )
    convert.add_argument("--out", metavar="DIR", required=True, help="the folder to write to (made if needed)")
    convert.add_argument("--prefix", metavar="NAME", help="how the files' names begin; default: the collection's name")
    convert.add_json("one JSON object for each collection, on standard output")


def _convert(arguments: argparse.Namespace) -> int:
    """Write each level of a collection, or of all collections in a folder, as a puzzle file of its own."""
    from ..views.problems import conversion as as_json
    from ..workflows.converting import convert

    out = Path(arguments.out)
    written, codes = 0, [Exit.OPTIMAL]
    done = convert(Path(arguments.collection), out, arguments.form, arguments.prefix)
    for collection, conversion in done:
        files, problems = conversion.written, conversion.problems
        if arguments.json:
            print_json(as_json(collection, conversion))
        else:
            for problem in problems:
                print(problem.render(), file=sys.stderr)
            if conversion.dropped:
                print(f"... and {counted(conversion.dropped, 'more problem')}", file=sys.stderr)
            for file in files:
                tell_written(file)
        written += len(files)
        codes.append(Exit.USAGE if problems else Exit.OPTIMAL)
    if not arguments.json and (written or worst(codes) == Exit.OPTIMAL):
        print(f"{counted(written, 'puzzle')} written to {printable(str(out))}")
    return worst(codes)


def _formats() -> Iterable[str]:
    from ..models.families import importers

    return importers()
