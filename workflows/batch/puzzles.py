"""The puzzles of an experiment: files, folders, shipped names and patterns, and collections of levels."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ...models.errors import PuzzleError
from ...models.families import importers, load_file
from ...models.family import Importer
from ...models.library import expand, files_below, load
from ...models.puzzle import Puzzle


def load_all(names: Iterable[str], folder: Path | None = None) -> list[Puzzle]:
    """The puzzles of these names, in their order; paths are from `folder`, if they are there.

    Raises `PuzzleError` with the problems of all files, and `UsageError` for a name that does not exist.
    """
    puzzles, problems = [], []
    for name in names:
        here = name if folder is None or not os.path.exists(folder / name) else str(folder / name)
        try:
            levels = _collection(Path(here))
        except PuzzleError as error:
            problems += error.problems
            continue
        puzzles += levels
        for one in [] if levels else expand([here]):
            try:
                puzzles.append(load(one))
            except PuzzleError as error:
                problems += error.problems
    if problems:
        raise PuzzleError(problems)
    return puzzles


def _collection(path: Path) -> list[Puzzle]:
    """The levels of a collection, or of all collections in a folder without puzzle files; an empty list for anything
    else.
    """
    known = importers().values()
    if os.path.isfile(path):
        found = [(path, one) for one in known if one.takes(path)]
    elif os.path.isdir(path) and next(files_below(path, (".yaml", ".yml")), None) is None:
        found = [(file, one) for one in known for file in files_below(path, one.endings) if one.takes(file)]
    else:
        return []
    return [puzzle for file, importer in found for puzzle in _levels(file, importer)]


def _levels(file: Path, importer: Importer) -> list[Puzzle]:
    """The levels of a collection; their file is noted as `FILE#NAME`. Raises `PuzzleError` if a level cannot be
    read.
    """
    with tempfile.TemporaryDirectory() as folder:
        done = importer.convert(file, Path(folder), None)
        if done.problems:
            raise PuzzleError(done.problems, done.dropped)
        puzzles = [load_file(path) for path in done.written]
        return [
            replace(puzzle, header=replace(puzzle.header, file=f"{file}#{path.stem}"))
            for puzzle, path in zip(puzzles, done.written, strict=True)
        ]
