"""The commands `export`: a puzzle, its task, or its task at a horizon, in other programs' formats; and `convert`:
collections of other programs as puzzle files.

Exit codes of `convert`: 0 every level was written, 2 bad usage, or a level that cannot be used.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.documents.files import write_named, writing
from ..models.documents.text_levels import Said
from ..models.errors import UsageError, printable
from ..models.families import forms
from ..models.text import counted
from .common import LimitedWork, print_json, reporter_of, search_each, tell_written
from .streams import Exit, worst

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle
    from ..workflows.exporting import Files


def run_export(arguments: argparse.Namespace) -> int:
    """Write puzzles in other programs' formats, to standard output or to files (docs/exports.md)."""
    from ..workflows.exporting import MAP, Export, export
    from ..workflows.solving import is_small

    binary = bool(arguments.out and arguments.out.endswith(".pb"))
    wanted = Export(arguments.to, arguments.metric, arguments.horizon, arguments.steps, binary)
    wanted.check()
    if arguments.out and len(arguments.puzzles) > 1 and _is_file(Path(arguments.out)):
        raise UsageError(f"--out {arguments.out} is one file for {len(arguments.puzzles)} puzzles; name a folder")
    written: list[Puzzle] = []

    def export_one(name: str, arguments: argparse.Namespace, watch: LimitedWork) -> int:
        with reporter_of(arguments, json=False) as progress:
            puzzle = watch.load(name, progress)
            exported = watch.run(partial(export, puzzle, wanted), progress, prompt=is_small(puzzle))
        for note in exported.notes:
            print(f"{note} (choose another with --horizon)", file=sys.stderr)
        if arguments.out:
            _save(puzzle, exported.files, arguments)
        else:
            shown = [str(text) for end, text in exported.files.items() if end != MAP]
            print(("\n" if written else "") + "\n".join(shown), end="")
        written.append(puzzle)
        return Exit.OPTIMAL

    return search_each(arguments, export_one, spaced=False)


def _save(puzzle: Puzzle, files: Files, arguments: argparse.Namespace) -> None:
    """Write the files of one puzzle into the folder, or to the file, that `--out` names.

    A file is named as it is asked for; if there are several, they stand beside each other under that name.
    """
    from ..workflows.exporting import MAP

    out = Path(arguments.out)
    named = _is_file(out)
    several = sum(end != MAP for end in files) > 1
    stem = out.with_name(out.stem) if named else out / _stem(puzzle)
    path = stem
    for end, content in files.items():
        if end == MAP:  # beside the file before it
            path = path.with_name(path.name + MAP)
        else:
            path = out if named and not several else stem.with_name(stem.name + end)
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_named(path, content if isinstance(content, bytes) else content.encode())
        tell_written(path)


def _is_file(out: Path) -> bool:
    """Whether `--out` names a file: a path with an ending that is no folder."""
    return bool(out.suffix) and not out.is_dir()


def _stem(puzzle: Puzzle) -> str:
    """The beginning of the names of exported files: that of the puzzle's own file."""
    from ..encoders.exports.names import Identifiers

    path = Path(puzzle.header.file)
    return path.stem if path.suffix else Identifiers("-", "puzzle").new(puzzle.header.name)


# `convert`


def run_convert(arguments: argparse.Namespace) -> int:
    """Write each level of a collection, or of all collections in a folder, as a puzzle file of its own."""
    from ..views.json_lines import conversion as as_json
    from ..workflows.exporting import convert

    out = Path(arguments.out)
    written, codes = 0, [Exit.OPTIMAL]
    said = Said(arguments.piece or "", arguments.goal or "", arguments.signs or "")
    done = convert(Path(arguments.collection), out, arguments.from_, arguments.prefix, said)
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
            if conversion.form:
                print(f"{printable(str(collection))}: {forms()[conversion.form][1].help} ({conversion.form})")
            for note in conversion.notes:
                print(f"  {printable(note)}")
        written += len(files)
        codes.append(Exit.USAGE if problems else Exit.OPTIMAL)
    if not arguments.json and (written or worst(codes) == Exit.OPTIMAL):
        print(f"{counted(written, 'puzzle')} written to {printable(str(out))}")
    return worst(codes)
