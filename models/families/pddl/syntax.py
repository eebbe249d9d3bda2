"""The brackets of a PDDL file: words and groups of words, which know where they stand.

A bracket that is missing or too many is found where the next section (`(:action`, `(:goal`) starts at the wrong depth,
and the file is read on as if it were mended, so that all that is wrong with it is reported at once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ...documents.document import MAX_BYTES, Report, Span, clip, lines_of
from ...documents.traps import find_unreadable

MAX_DEPTH = 100
"""How deep brackets may be nested; published domains have up to 15."""

_TOKEN = re.compile(r";[^\n]*|[()]|-(?=[A-Za-z])|\??[^\s();?]+|\?")
"""No name begins with `-`: `?c -car` is `?c - car`."""

_SECTIONS = frozenset(
    (
        ":requirements",
        ":types",
        ":constants",
        ":predicates",
        ":functions",
        ":action",
        ":durative-action",
        ":derived",
        ":domain",
        ":objects",
        ":init",
        ":goal",
        ":metric",
    )
)
"""Words that start a section of `(define ...)`: they stand one bracket deep and nowhere else."""


@dataclass(slots=True)
class Word:
    """A word in lower case, and its place: characters before it."""

    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)


def is_name(word: Word) -> bool:
    """Whether a word can name something: variables begin with `?`, keys with `:`."""
    return word.text[0] not in "?:-"


@dataclass(slots=True)
class Group:
    """What stands between two brackets; `at`: the place of `(`, `end`: that behind `)`."""

    items: list[Word | Group]
    at: int
    end: int = 0

    @property
    def head(self) -> str:
        """The first word; empty if there is none."""
        return self.items[0].text if self.items and isinstance(self.items[0], Word) else ""


Node = Word | Group


@dataclass
class PddlFile:
    """The text of a file, and the report of what is wrong with it."""

    text: str
    report: Report
    starts: list[int] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, text: str, file: str) -> PddlFile:
        """A file with its lines. Too large ones, and what is no text, are reported; nothing of them is read."""
        report = Report(file)
        if len(text) > MAX_BYTES:
            hint = "check that this is the file that you mean"
            report.error(None, f"the file is too large: at most {MAX_BYTES:,} characters are read", hint)
            return cls("", report)
        report.lines = lines_of(text)
        for trap in find_unreadable(report.lines):
            char = report.lines[trap.span.line][trap.span.column]
            if "\udc80" <= char <= "\udcff":
                report.error(trap.span, f"byte 0x{ord(char) - 0xDC00:02x} is not valid UTF-8", "save the file as UTF-8")
            else:
                report.error(trap.span, trap.message, trap.hint)
        starts = [0]
        for line in report.lines:
            starts.append(starts[-1] + len(line) + 1)
        return cls("\n".join(report.lines), report, starts)

    def line(self, at: int) -> int:
        """The line of a character, counted from 1."""
        return bisect_right(self.starts, at)

    def span(self, node: Node) -> Span:
        """Where a word or the first line of a group stands."""
        line = self.line(node.at) - 1
        end = min(node.end or node.at + 1, self.starts[line] + len(self.report.lines[line].rstrip()))
        return Span(line, node.at - self.starts[line], max(1, end - node.at))

    def error(self, node: Node | None, message: str, hint: str | Callable[[], str] = "", *, once: bool = False) -> None:
        """Report a problem. A hint that takes time to find is asked for only if the problem is shown. `once`: not if
        the file has another one with the same message.
        """
        if once and message in self.said:
            return
        self.said.add(message)
        shown = hint if isinstance(hint, str) else "" if self.report.full else hint()
        self.report.error(self.span(node) if node else None, message, shown)

    def place(self, node: Node) -> tuple[str, Span, str]:
        """The file, the place in it and the line, for messages later."""
        span = self.span(node)
        return self.report.file, span, self.report.lines[span.line]

    def quote(self, node: Node, length: int = 60) -> str:
        """A word or group as its author wrote it, on one line and not too long."""
        return clip(" ".join(self.text[node.at : min(node.end, node.at + 4 * length)].split()), length)


def read_groups(file: PddlFile) -> list[Node]:
    """What stands in a file outside of all brackets; nothing if its brackets are nested too deeply."""
    top: list[Node] = []
    open_groups: list[Group] = []
    stray = False
    for token, at in _tokens(file.text):
        if token == "(":
            group = Group([], at)
            (open_groups[-1].items if open_groups else top).append(group)
            open_groups.append(group)
            if len(open_groups) > MAX_DEPTH:
                group.end = at + 1
                message = f"brackets are nested more than {MAX_DEPTH} deep"
                file.error(group, message, "state the condition with fewer `and`, `or`, `not` inside each other")
                return []
        elif token == ")":
            if open_groups:
                open_groups.pop().end = at + 1
            elif not stray:
                stray = True
                file.error(Word(token, at), "this `)` closes nothing", "remove it, or add the `(` that it should close")
        else:
            word = Word(_seen(file, token, at).lower(), at)
            if not word.text:
                continue
            if open_groups:
                if word.text in _SECTIONS and not open_groups[-1].items and len(open_groups) != 2:
                    _mend(file, word, top, open_groups)
                open_groups[-1].items.append(word)
            else:
                top.append(word)
    if open_groups:
        group, missing = open_groups[-1], len(open_groups)
        for unclosed in open_groups:
            unclosed.end = len(file.text)
        hint = "add a `)` where its part ends" if missing == 1 else f"add {missing} `)`, each where its part ends"
        file.error(Word("(", group.at), "this `(` is not closed: the file ends before", hint)
    return top


def _seen(file: PddlFile, token: str, at: int) -> str:
    """A word without the characters that nobody sees, which are reported: names that differ only by them look equal."""
    if token.isascii() or token.isprintable():
        return token
    for place, char in enumerate(token):
        if not char.isprintable():
            file.error(Word(char, at + place), f"an invisible character, U+{ord(char):04X}", "remove it")
    return "".join(filter(str.isprintable, token))


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    return ((match[0], match.start()) for match in _TOKEN.finditer(text) if match[0][0] != ";")


def _mend(file: PddlFile, word: Word, top: list[Node], open_groups: list[Group]) -> None:
    """A section starts at the wrong depth: report the bracket before it, and put the section where it belongs."""
    section, line = open_groups[-1], file.line(word.at)
    if len(open_groups) > 2:
        missing = open_groups[1:-1]
        for group in missing:
            group.end = section.at
        missing[-1].items.pop()
        many = "a `)`" if len(missing) == 1 else f"{len(missing)} `)`"
        hint = f"add {many} before line {line}, where the part ends"
        message = f"this `(` is not closed before `({word.text}` on line {line}"
        file.error(Word("(", missing[-1].at), message, hint)
        outer = open_groups[0]
    elif len(top) > 1 and isinstance(top[-2], Group) and top[-2].head == "define":
        outer = top[-2]
        top.pop()
        message = f"this `)` closes `(define` of line {file.line(outer.at)}, but `({word.text}` follows on line {line}"
        file.error(Word(")", outer.end - 1), message, "remove one `)`: there is one too many here or further up")
    else:
        return
    outer.items.append(section)
    open_groups[:] = [outer, section]
