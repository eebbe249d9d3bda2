"""Files of other people: which form a file has (`Form`), its levels as puzzle files, and single levels as puzzles.

budge convert levels.xsb --out levels       each level as a puzzle file
budge solve levels.xsb                      all of them
budge solve levels.xsb#3                    the third
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from .documents.document import Report, parse
from .documents.fields import HEADER_KEYS, Fields, Header, names
from .documents.files import FileError
from .documents.text_levels import Level, Said, not_json, read_text
from .documents.write import to_yaml, write_levels
from .errors import Problem, PuzzleError, UsageError
from .families import forms, load_text
from .family import Conversion, Family, Form
from .puzzle import Puzzle
from .text import counted, suggest

NOTES = 4
"""The most ways in which levels were taken that are told one by one."""


@dataclass(frozen=True, slots=True)
class Collection:
    """The levels of a file in a form of a family; `report` has its lines, and what is wrong with them."""

    family: Family[Any, Any]
    form: Form[Any]
    report: Report
    levels: list[Level]

    @property
    def stem(self) -> str:
        return Path(self.report.file).stem

    def text(self, number: int) -> str | None:
        """Level `number`, from 1, as a puzzle file; None, with what is wrong reported at its place, if it is none."""
        level = self.levels[number - 1]
        if not level.keys:
            return None
        metric = self.family.metrics[0].name
        header = Header(
            file="",
            name=level.name or f"{self.stem} {number}",
            metric=metric,
            author=level.author,
            credit=level.credit or f"line {level.at.line + 1} of {Path(self.report.file).name}",
            notes=level.notes,
            expect=level.expect,
        )
        text = to_yaml(self.family.name, header, level.keys, metric)
        if level.checked:
            return text
        document = parse(text)
        try:
            self.family.read(Fields(document.root, document.report, names((*HEADER_KEYS, *self.family.keys))), header)
        except PuzzleError as error:
            self._tell(error, level, text)
            return None
        return text

    def _tell(self, error: PuzzleError, level: Level, text: str) -> None:
        """Report what is wrong with the puzzle file of a level, where that stands in the collection."""
        first = text.splitlines().index(f"{next(iter(level.keys))}: |2") + 2  # the line of the board's first row

        def line(number: re.Match[str]) -> str:
            row = int(number[0]) - first
            return str(level.rows[row][0].at.line + 1) if 0 <= row < len(level.rows) and level.rows[row] else number[0]

        for problem in error.problems if level.rows else error.problems[:1]:
            at, row = level.at, problem.line - first
            if 0 <= row < len(level.rows) and level.rows[row]:
                at = level.rows[row][min(max(problem.column - 3, 0), len(level.rows[row]) - 1)].at
            self.report.error(at, re.sub(r"(?<=line )\d+", line, problem.message), problem.hint)

    def problems(self, number: int) -> list[Problem]:
        """What has been reported of a level, from its first line to the next level."""
        here, *later = (level.at.line for level in self.levels[number - 1 : number + 1])
        return [bad for bad in self.report.problems if here < bad.line and not (later and later[0] < bad.line)]

    def notes(self) -> tuple[str, ...]:
        """What the file does not say and was chosen for it: `vehicle X leaves to the right (12 levels)`."""
        taken = Counter(level.took for level in self.levels if level.keys and level.took and not level.checked)
        many = len(taken) > 1
        told = [f"{how} ({counted(n, 'level')})" if many else how for how, n in taken.most_common(NOTES)]
        return (*told, *([f"{len(taken) - NOTES} other ways"] if len(taken) > NOTES else []))


def open_collection(path: Path, form: str | None = None, said: Said | None = None) -> Collection:
    """The levels of a file, in a form, or the one that it has. Raises `PuzzleError` if it cannot be read or has no
    level, and `UsageError` if it is in no form that is known, or in several.
    """
    report = Report(str(path))
    try:
        report.lines = read_text(path).split("\n")
    except FileError as error:
        if form is not None:
            _named(form)
        report.unreadable(error)
    report.raise_if_any()
    return collection_of(report, form, said)


def collection_of(report: Report, form: str | None = None, said: Said | None = None) -> Collection:
    """The levels in the lines of a report. Raises as `open_collection`."""
    said = said or Said()
    opened = _read(*_named(form), report, said) if form else _recognised(report, said)
    own = opened.report
    report.problems, report.errors, report.dropped = own.problems[:], own.errors, own.dropped
    if not opened.levels:
        if not opened.form.by_ending:  # else something is wrong with the text as a whole
            report.problems.clear()
        if not report.problems:
            report.error(None, f"the file holds no {opened.form.what}", opened.form.hint)
        report.raise_if_any()
    return replace(opened, report=report)


def _read(family: Family[Any, Any], form: Form[Any], report: Report, said: Said) -> Collection:
    """The levels of a text that is in a form, with a report of its own."""
    own = replace(report, problems=[], errors=0)
    return Collection(family, form, own, list(form.levels(own, said)) if form.levels else [])


def _named(name: str) -> tuple[Family[Any, Any], Form[Any]]:
    """The form of a name. Raises `UsageError` with a suggestion if there is none."""
    known = forms()
    if name not in known:
        raise UsageError(f"no format of collections is called `{name}`; {suggest(name, known)}")
    return known[name]


def fitting(report: Report, said: Said) -> list[Collection]:
    """The levels of a text in each form that it is in: the first of each family, by the ending of the file's name where
    that helps, and by how much would be wrong with the text.
    """
    return _fitting(report.file, "\n".join(report.lines), said)


@lru_cache(maxsize=1)  # whether a file is a collection is asked before it is opened
def _fitting(file: str, text: str, said: Said) -> list[Collection]:
    suffix, report = Path(file).suffix.lower(), Report(file, text.split("\n"))
    every = [_read(family, form, report, said) for family, form in forms().values() if form.guessed]
    fits = [one for one in every if any(level.took for level in one.levels) or suffix in one.form.by_ending]
    fits = [one for one in fits if suffix in one.form.endings] or fits
    fits = list({one.family.name: one for one in reversed(fits)}.values())
    return [one for one in fits if one.report.errors == min(other.report.errors for other in fits)]


def _recognised(report: Report, said: Said) -> Collection:
    """The levels of a text in the form that it is in. Raises `UsageError` if there is none or several: a wrong guess
    would say of each line that it is wrong.
    """
    if _is_game(report.lines):
        raise UsageError(
            f"{report.file} is a PuzzleScript game, which is not read here: its rules can be said in a puzzle of the "
            "family `custom` (`budge new custom`)"
        )
    fits = fitting(report, said)
    if len(fits) == 1:
        return fits[0]
    if not fits and report.lines and (why := not_json(report.lines)) is not None:
        report.error(*why)
        report.raise_if_any()
    listed = "; ".join(f"{form.name}: {form.help}" for _, form in forms().values())
    if fits:
        raise UsageError(f"{report.file}: say with `--from` which format this is: {listed}")
    raise UsageError(
        f"{report.file} holds nothing in a format that is read here ({listed}). If it is one of them, `--from` names "
        "it, and then says what is wrong; another puzzle can be written as a file of its own: `budge new --help`"
    )


_SECTION = re.compile(r"^(OBJECTS|LEGEND|SOUNDS|COLLISIONLAYERS|RULES|WINCONDITIONS|LEVELS)\s*$", re.IGNORECASE)


def _is_game(lines: list[str]) -> bool:
    """Whether a text is a game of PuzzleScript, whose levels look like those of other forms."""
    return len({found[1].upper() for line in lines if (found := _SECTION.match(line))}) > 2


def convert(path: Path, folder: Path, prefix: str | None, form: str | None, said: Said | None = None) -> Conversion:
    """Write each level of a file as a puzzle `PREFIX-001.yaml`, ... into a folder (made if needed).

    Levels that cannot be used are left out and reported with their places. Raises as `open_collection` and
    `write_levels` do.
    """
    opened = open_collection(path, form, said)
    texts = {number: text for number in range(1, len(opened.levels) + 1) if (text := opened.text(number)) is not None}
    done = write_levels(texts, len(opened.levels), opened.stem if prefix is None else prefix, folder, opened.report)
    return replace(done, form=opened.form.name, notes=opened.notes())


# Levels as puzzles


def is_collection(path: Path) -> bool:
    """Whether a file is a collection of levels; a `.txt` file may be of anything, and a puzzle file has any name."""
    suffix = path.suffix.lower()
    if not any(suffix in form.endings for _, form in forms().values() if form.guessed):
        return False
    try:
        report = Report(str(path), read_text(path).split("\n"))
    except FileError:
        return False
    own = any(re.match(r"(?:format|family)\s*:", line) for line in report.lines)
    fits = _is_game(report.lines) or any(suffix in one.form.endings for one in fitting(report, Said()))
    return not own and fits


def _opened(path: Path) -> Collection:
    """The levels of a file, as they were read last unless it has changed, with a report of its own."""
    about = path.stat()
    kept = _kept(path, about.st_mtime_ns, about.st_size)
    return replace(kept, report=replace(kept.report, problems=kept.report.problems[:]))


@lru_cache(maxsize=1)
def _kept(path: Path, _time: int, _size: int) -> Collection:
    return open_collection(path)


def level_names(path: Path) -> list[str]:
    """The names `FILE#1`, ... of the levels of a collection; behind them its own, if lines of it are lost."""
    opened = _opened(path)
    numbers = range(1, len(opened.levels) + 1)
    told = [bad for number in numbers if not opened.levels[number - 1].keys for bad in opened.problems(number)]
    lost = [str(path)] if any(bad not in told for bad in opened.report.problems) else []
    return [*(f"{path}#{number}" for number in numbers), *lost] if len(numbers) > 1 else [str(path)]


def load_level(path: Path, number: int | None = None) -> Puzzle:
    """A level of a collection as a puzzle; the only one if no number is said. Raises `PuzzleError`, `UsageError`."""
    opened = _opened(path)
    levels = counted(len(opened.levels), "level")
    if number is None:
        opened.report.raise_if_any()
        if len(opened.levels) > 1:
            raise UsageError(f"`{path}` has {levels}: name one, as `{path}#1`; `budge convert` writes them as files")
        number = 1
    if not 1 <= number <= len(opened.levels):
        raise UsageError(f"`{path}` has {levels}, so there is no `{path}#{number}`")
    text = opened.text(number)
    if text is None:
        raise PuzzleError(opened.problems(number) or opened.report.problems)
    puzzle = load_text(text)
    return replace(puzzle, header=replace(puzzle.header, file=f"{path}#{number}"))
