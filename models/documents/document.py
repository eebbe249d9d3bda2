"""A puzzle file as a document: its nodes, and the report of everything that is wrong with it.

Errors are collected in a `Report`, all of a file at once, and raised together as `PuzzleError`. A file with
an error is never used, but it is read on as far as that makes sense, so that its author sees all of them.
Lines and columns count from 0 in this module and from 1 in every message.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..errors import Problem, PuzzleError
from ..text import clip
from . import syntax, traps
from .compose import READ_BACK, Composed, Mapping, Node, Scalar, Span, compose, describe
from .files import FileError, read_regular

MAX_BYTES = 4 * 1024 * 1024
MAX_PROBLEMS = 100
MAX_PASSES = 50
LONGEST = 1_000
"""The most characters of a message, and of its hint; longer ones are cut, as names in files have any length."""


@dataclass(slots=True)
class Report:
    """Collects the problems of one file, each once, and at most `MAX_PROBLEMS` of them.

    `included`: files whose lines follow those of the first, each with the number of its first line; `keys`: the lines
    of those files on which a key of the outermost mapping stands; `folder`: where the files are that it names, unless
    that is where `file` is. `errors`: how often something was found to be wrong, also where `problems` is full.
    """

    file: str
    lines: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    errors: int = 0
    dropped: int = 0
    included: list[tuple[int, str]] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    folder: Path | None = None

    def include(self, other: Report) -> int:
        """Append the lines of another file to those of this report; gives the number of the first of them."""
        first = len(self.lines)
        self.included.append((first, other.file))
        self.lines = self.lines + other.lines
        return first

    def error(self, at: Span | Node | None, message: str, hint: str = "") -> None:
        """Record a problem; `at` None means the file as a whole."""
        self.errors += 1
        if self.full:
            self.dropped += 1
            return
        problem = self.problem(at, message, hint)
        if problem not in self.problems:
            self.problems.append(problem)

    def problem(self, at: Span | Node | None, message: str = "", hint: str = "") -> Problem:
        """A problem at a place, not recorded. Without a message it is the place, for problems that are found later."""
        message, hint = clip(message, LONGEST), clip(hint, LONGEST)
        if at is None:
            return Problem(self.file, 0, 0, message, hint)
        span = at if isinstance(at, Span) else at.span
        source = self.lines[span.line] if span.line < len(self.lines) else ""
        first, file = max(((n, name) for n, name in self.included if n <= span.line), default=(0, self.file))
        return Problem(file, span.line - first + 1, span.column + 1, message, hint, source, span.width)

    @property
    def full(self) -> bool:
        """Whether the report has the most problems that it keeps: further ones are only counted."""
        return len(self.problems) >= MAX_PROBLEMS

    def unreadable(self, error: FileError) -> None:
        """Record that the file cannot be read."""
        self.error(None, f"cannot read the file: {error.reason}", error.hint or "check its name and its permissions")

    def raise_if_any(self) -> None:
        if self.problems:
            raise PuzzleError(self.problems, self.dropped)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file: its root mapping and the report that its readers add problems to.

    The report may hold problems already: whoever reads a document calls `Report.raise_if_any` at the end.
    """

    root: Mapping
    report: Report
    path: Path | None = None


def read_file(path: Path) -> Document:
    """Read and parse a puzzle file. Raises `PuzzleError` if it cannot be read or is not a YAML mapping."""
    path = Path(path)
    report = Report(str(path))
    try:
        data = read_regular(path, MAX_BYTES)
    except FileError as error:
        if error.kind:
            hint = "name the files in it" if error.kind == "folder" else "name a file, or `-` for standard input"
            report.error(None, f"this is a {error.kind}, not a puzzle file", hint)
        else:
            report.unreadable(error)
        report.raise_if_any()
        raise AssertionError from None
    return parse_bytes(data, str(path), path)


def parse_bytes(data: bytes, file: str, path: Path | None = None) -> Document:
    """Parse YAML in UTF-8, or in UTF-16 with a byte order mark. Raises `PuzzleError` as `parse` does."""
    report = Report(file)
    _check_size(len(data), report)
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    text = ""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        report.lines = lines_of(data.decode(encoding, "replace"))
        before = lines_of(error.object[: error.start].decode(encoding, "replace"))
        name = encoding.removesuffix("-sig").upper()
        message = f"byte 0x{error.object[error.start]:02x} is not valid {name}"
        report.error(Span(len(before) - 1, len(before[-1])), message, "save the file as UTF-8")
    report.raise_if_any()
    return parse(text, file, path)


def _check_size(size: int, report: Report) -> None:
    if size > MAX_BYTES:
        message = f"the file is too large: a puzzle file has at most {MAX_BYTES:,} bytes"
        report.error(None, message, "check that this is the file that you mean")
    report.raise_if_any()


def lines_of(text: str) -> list[str]:
    """The lines of a text, whatever ends them; a byte order mark is no part of the first."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def parse(text: str, file: str = "<text>", path: Path | None = None) -> Document:
    """Parse YAML text. Raises `PuzzleError` with everything that is wrong, if it cannot be read on."""
    report = Report(file, folder=path.parent if path else None)
    _check_size(len(text), report)
    report.lines = lines_of(text)
    for trap in traps.find_unreadable(report.lines):
        report.error(trap.span, trap.message, trap.hint)
    report.raise_if_any()
    root = _compose(report).root
    if isinstance(root, Mapping):
        return Document(root, report, path)
    start = "a puzzle starts with `format: 1` and `family: ...`"
    if root is None or (isinstance(root, Scalar) and root.value is None):
        report.error(None, "the file is empty", start)
    else:
        report.error(root, f"a puzzle is a mapping of keys to values, this is {describe(root)}", start)
    report.raise_if_any()
    raise AssertionError


def _compose(report: Report) -> Composed:
    """Parse the lines of a report, making repairs in a copy of them until the parser gets through.

    Raises `PuzzleError` if it does not, or after a fatal trap.
    """
    lines = list(report.lines)
    fatal = False
    for _ in range(MAX_PASSES):  # the parser stops at the first error: each pass gets behind one more
        composed = compose(lines)
        caught = traps.find(lines, composed)
        if composed.error and not any(trap.repairs or trap.fatal for trap in caught):
            caught.append(syntax.explain(composed.error, lines, composed))
        for trap in caught:
            report.error(trap.span, trap.message.translate(READ_BACK), trap.hint.translate(READ_BACK))
            fatal = fatal or trap.fatal
        if report.full or not traps.repair(lines, caught):
            break
    for span, message, hint in composed.problems:
        report.error(span, message, hint)
    if fatal or composed.error or composed.root is None or report.full:
        report.raise_if_any()
    return composed
