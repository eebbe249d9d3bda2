"""Puzzles whose family is a file: `family: lunar-lockout.family.yaml` names the rules, the puzzle adds what is its own.

The named file is a puzzle file without what differs from puzzle to puzzle. Its keys are taken over; where both have a
mapping (`types`, `legend`), the entries of both are, and the puzzle's own win. The file is looked for beside the
puzzle, then among the shipped ones.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from .documents.document import Document, Entry, Mapping, Node, Report, Scalar, Sequence, Span, read_file
from .documents.fields import HEADER_KEYS, names
from .documents.files import FileError, inside
from .errors import PuzzleError
from .text import suggest

ENDING = ".family.yaml"
"""The ending of names of files with shared rules."""

SHIPPED = Path(__file__).resolve().parent.parent / "puzzles"

OWN = frozenset(names(HEADER_KEYS)) - {"family", "metric"}
"""Keys of the header that a puzzle does not take over from the file with its rules."""


def completed(document: Document) -> Document:
    """The document with the keys of the file that its `family` names; the same one if it names no file.

    What is wrong with that file goes to the report; then the document stays as it is.
    """
    node = document.root.get("family")
    if not isinstance(node, Scalar) or not node.text.endswith(ENDING):
        return document
    report = document.report
    path = _find(node, document.path, report)
    if path is None:
        return document
    try:
        rules = read_file(path)
        rules.report.raise_if_any()
    except PuzzleError as error:
        report.problems += error.problems
        return document
    family = rules.root.get("family")
    if isinstance(family, Scalar) and family.text.endswith(ENDING):
        report.error(node, f"the family of `{node.text}` is a file again", "name the file that has the rules")
        return document
    first = report.include(rules.report)
    shifted = _shifted(rules.root, first)
    assert isinstance(shifted, Mapping)
    report.keys += [entry.key.span.line for entry in shifted.entries]
    return replace(document, root=_merged(document.root, shifted))


def _find(node: Scalar, puzzle: Path | None, report: Report) -> Path | None:
    """The path of a file with rules: beside the puzzle, else the shipped file of this name."""
    if puzzle is not None:
        try:
            path = inside(puzzle.parent, node.text)
        except FileError as error:
            report.error(node, f"`{node.text}` cannot be read: {error.reason}", error.hint)
            return None
        if os.path.exists(path):  # False for a name that no file can have
            return path
    shipped = {path.name: path for path in sorted(SHIPPED.rglob(f"*{ENDING}"))}
    if node.text not in shipped:
        message = f"there is no file `{node.text[:80]}` beside the puzzle or among the shipped ones"
        report.error(node, message, suggest(node.text, shipped))
    return shipped.get(node.text)


def _merged(own: Mapping, rules: Mapping) -> Mapping:
    """The entries of the puzzle and of its rules in one mapping; `family` is taken from the rules."""
    entries = {entry.key.text: entry for entry in own.entries}
    for entry in rules.entries:
        key, mine = entry.key.text, entries.get(entry.key.text)
        if key == "family" or (mine is None and key not in OWN):
            entries[key] = entry
        elif (
            mine is not None and isinstance(mine.value, Mapping) and isinstance(entry.value, Mapping) and key not in OWN
        ):
            both = {inner.key.text: inner for inner in (*entry.value.entries, *mine.value.entries)}
            entries[key] = Entry(mine.key, Mapping(tuple(both.values()), mine.value.span))
    return Mapping(tuple(entries.values()), own.span)


def _shifted(node: Node, lines: int) -> Node:
    """A node of the file with the rules, its line numbers counted on behind the lines of the puzzle."""

    def move(span: Span) -> Span:
        return replace(span, line=span.line + lines)

    if isinstance(node, Scalar):
        return replace(node, span=move(node.span))
    if isinstance(node, Sequence):
        return Sequence(tuple(_shifted(item, lines) for item in node.items), move(node.span))
    entries = []
    for entry in node.entries:
        key = _shifted(entry.key, lines)
        assert isinstance(key, Scalar)
        entries.append(Entry(key, _shifted(entry.value, lines)))
    return Mapping(tuple(entries), move(node.span))
