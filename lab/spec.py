"""Reading the file of an experiment. Its errors are reported like those of a puzzle file, all at once.

format: 1
puzzles: [boards/, bird-1, levels.xsb]      # files, folders, collections, shipped names
metrics: [slides, steps]                    # default: each puzzle's own
engines:
  - bfs
  - {name: cp-sat, options: {strategy: linear}}
limits: {time: 10s, memory: 2G}             # or a list of such
repetitions: 3
seeds: [1, 2]                               # for engines that have the option `seed`
store: results.sqlite
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..engines.table import all_engines, find
from ..models.documents.compose import Mapping, Node, Scalar, Sequence, describe
from ..models.documents.document import Report, read_file
from ..models.documents.fields import Fields, integer
from ..models.errors import PuzzleError, UsageError
from ..models.families import importers, load_file
from ..models.family import Importer
from ..models.library import ENDINGS, expand, files_below, load
from ..models.moves import canonical_metric
from ..models.puzzle import Puzzle
from ..models.text import suggest
from ..runtime import budget
from .experiment import Entrant, Experiment, Limit

# The puzzles of an experiment: files, folders, shipped names and patterns, and collections of levels.


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
        for file in [] if levels else expand([here]):
            try:
                puzzles.append(load(file))
            except PuzzleError as error:
                problems += error.problems
    if problems:
        raise PuzzleError(problems)
    return puzzles


def _collection(path: Path) -> list[Puzzle]:
    """The levels of a collection, or of all collections in a folder without puzzle files; an empty list for anything
    else.
    """
    forms = importers().values()
    if os.path.isfile(path):
        files = [(path, form) for form in forms if form.takes(path)]
    elif os.path.isdir(path) and next(files_below(path, (".yaml", ".yml")), None) is None:
        files = [(file, form) for form in forms for file in files_below(path, form.endings) if form.takes(file)]
    else:
        return []
    return [puzzle for file, importer in files for puzzle in _levels(file, importer)]


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


KEYS = ("format", "puzzles", "metrics", "engines", "limits", "repetitions", "seeds", "store")


@dataclass(frozen=True, slots=True)
class Spec:
    """An experiment, and the store that its file names."""

    experiment: Experiment
    store: Path | None


def read_spec(path: Path) -> Spec:
    """Read the file of an experiment, and its puzzles. Raises `PuzzleError` with everything that is wrong."""
    document = read_file(path)
    report = document.report
    fields = Fields(document.root, report, KEYS, "an experiment")
    reader = _SpecReader(report)
    if (version := fields.text("format", required=True, example="format: 1")) not in (None, "1"):
        report.error(document.root.get("format"), f"format `{version}` is not known", "write `format: 1`")
    names = reader.words(fields.node("puzzles", required=True, example="puzzles: [boards/, bird-1]"), "a puzzle")
    metrics = reader.words(fields.node("metrics"), "a metric")
    entrants = reader.entrants(fields.node("engines", required=True, example="engines: [bfs, cp-sat]"))
    limits = reader.limits(fields.node("limits"))
    repetitions = fields.integer("repetitions", minimum=1)
    seeds = [integer(node, report, "a seed") for node in _items(fields.node("seeds"))]
    store = fields.text("store")
    report.raise_if_any()
    puzzles = []
    for node in names:
        try:
            puzzles += load_all([node.text], path.parent)
        except UsageError as error:
            report.error(node, str(error))
        except PuzzleError as error:
            report.problems += error.problems
    report.raise_if_any()
    experiment = Experiment(
        puzzles=puzzles,
        entrants=entrants,
        metrics=[canonical_metric(node.text) for node in metrics],
        limits=limits or [Limit()],
        repetitions=repetitions or 1,
        seeds=[seed for seed in seeds if seed is not None],
    )
    try:
        return Spec(experiment.checked(), None if store is None else path.parent / store)
    except UsageError as error:
        report.error(document.root.key("seeds") or document.root.key("engines"), str(error))
    report.raise_if_any()
    raise AssertionError


def is_spec(path: Path) -> bool:
    """Whether a file is an experiment: YAML with the key `puzzles`, and without `family`."""
    if not os.path.isfile(path) or path.suffix.lower() not in ENDINGS:
        return False
    try:
        root = read_file(path).root
    except PuzzleError:
        return False
    return root.get("puzzles") is not None and root.get("family") is None


def _items(node: Node | None) -> tuple[Node, ...]:
    """The items of a list; a value that is not a list counts as a list of one."""
    if node is None:
        return ()
    return tuple(node.items) if isinstance(node, Sequence) else (node,)


@dataclass(frozen=True, slots=True)
class _SpecReader:
    report: Report

    def words(self, node: Node | None, what: str) -> list[Scalar]:
        """The words of a list, or of one."""
        words = []
        for item in _items(node):
            if isinstance(item, Scalar) and item.text.strip():
                words.append(item)
            else:
                self.report.error(item, f"{what} must be a name, not {describe(item)}")
        return words

    def entrants(self, node: Node | None) -> list[Entrant]:
        """Engines: names, or mappings with `name` and `options`."""
        entrants = []
        for item in _items(node):
            options: Node | None = None
            name: Node | None = item
            if isinstance(item, Mapping):
                fields = Fields(item, self.report, ("name", "options"), "an engine")
                name, options = fields.node("name", required=True, example="name: cp-sat"), fields.node("options")
            if name is None:
                continue
            text = name.text.strip() if isinstance(name, Scalar) else ""
            if text not in all_engines():
                self.report.error(name, f"no engine {describe(name)}", suggest(text, all_engines()))
            else:
                entrants.append(Entrant(text, self._options(text, options)))
        return entrants

    def _options(self, engine: str, node: Node | None) -> tuple[tuple[str, Any], ...]:
        if node is None:
            return ()
        if not isinstance(node, Mapping):
            self.report.error(
                node, f"`options` must be a mapping, not {describe(node)}", "write `options: {name: value}`"
            )
            return ()
        checked: dict[str, Any] = {}
        for entry in node.entries:
            value = entry.value.value if isinstance(entry.value, Scalar) else None
            try:
                checked |= find(engine).checked({entry.key.text.strip().replace("-", "_"): value})
            except UsageError as error:
                self.report.error(entry.key, str(error))
        return tuple(sorted(checked.items()))

    def limits(self, node: Node | None) -> list[Limit]:
        """One mapping of limits, or a list of them."""
        limits = []
        for item in _items(node):
            if not isinstance(item, Mapping):
                self.report.error(
                    item, f"limits must be a mapping, not {describe(item)}", "write `limits: {time: 10s}`"
                )
                continue
            fields = Fields(item, self.report, ("time", "memory"), "`limits`")
            time = self._quantity(fields, "time", budget.seconds, Limit().seconds)
            limits.append(Limit(time, self._quantity(fields, "memory", budget.mebibytes, Limit().memory_mib)))
        return limits

    def _quantity(self, fields: Fields, key: str, convert: Callable[[str], Any], default: Any) -> Any:
        text = fields.text(key)
        if text is None:
            return default
        try:
            return convert(text)
        except ValueError as error:
            self.report.error(fields.mapping.get(key), f"`{key}` {error}")
            return default
