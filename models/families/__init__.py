"""The registry of families, and reading a puzzle of any of them.

A family from outside the package is known after `register(family)`, or if an installed distribution names it in the
entry-point group `budge.families`:

    [project.entry-points."budge.families"]
    jugs = "my_puzzles.jugs:FAMILY"
"""

from __future__ import annotations

import os
from collections.abc import Mapping as Map
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..documents.compose import Entry, Mapping, Node, Scalar, Sequence, Span, describe
from ..documents.document import Document, Report, parse, read_file
from ..documents.fields import HEADER_KEYS, Fields, names, read_header
from ..documents.files import FileError, inside
from ..documents.write import read_mapping
from ..errors import PuzzleError, UsageError
from ..family import Family, Form
from ..puzzle import Puzzle
from ..text import closest, suggest
from . import custom, n_puzzle, pddl, rush_hour, sliding_block, sokoban

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


# Puzzles whose family is a file: `family: lunar-lockout.family.yaml` names the rules, the puzzle adds what is its
# own.
#
# The named file is a puzzle file without what differs from puzzle to puzzle. Its keys are taken over; where both have
# a mapping (`types`, `legend`), the entries of both are, and the puzzle's own win. The file is looked for beside the
# puzzle, then among the shipped ones.

ENDING = ".family.yaml"
"""The ending of names of files with shared rules."""

SHIPPED = Path(__file__).resolve().parents[2] / "puzzles"

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


ENTRY_POINTS = "budge.families"
"""The entry-point group of families in other distributions."""

FAMILIES: dict[str, Family[Any, Any]] = {
    family.name: family
    for family in (rush_hour.FAMILY, sliding_block.FAMILY, n_puzzle.FAMILY, sokoban.FAMILY, custom.FAMILY, pddl.FAMILY)
}
"""The families known so far, by name; `families()` looks for more."""


def register(family: Family[Any, Any]) -> None:
    """Make a family known. Raises `UsageError` if another one has its name, or its name for a kind of moves."""
    if FAMILIES.setdefault(family.name, family) is not family:
        raise UsageError(f"there are two families with the name `{family.name}`")
    for other in FAMILIES.values():
        if other.moves.kind == family.moves.kind and other.moves is not family.moves:
            del FAMILIES[family.name]
            raise UsageError(f"the families {other.name} and {family.name} both name their moves `{family.moves.kind}`")


def families() -> Map[str, Family[Any, Any]]:
    """Every family by name, those of other distributions included. Raises `UsageError` if one cannot be loaded."""
    _load_entry_points()
    return FAMILIES


def forms(*, read: bool = True) -> dict[str, tuple[Family[Any, Any], Form[Any]]]:
    """The forms of other programs that are read (or written), by their names, each with its family."""
    every = ((family, form) for family in families().values() for form in family.forms)
    return {form.name: (family, form) for family, form in every if (form.levels if read else form.write)}


def family_of(name: str) -> Family[Any, Any] | None:
    """The family of a name; None if there is none. Other distributions are asked only if it is not known yet."""
    return FAMILIES.get(name) or families().get(name)


@cache
def _load_entry_points() -> None:
    """Register what other distributions offer, once."""
    from importlib.metadata import entry_points  # takes as long as all of Budge's families

    for entry in entry_points(group=ENTRY_POINTS):
        register(_loaded(entry))


def _loaded(entry: EntryPoint) -> Family[Any, Any]:
    try:
        family = entry.load()
    except Exception as error:  # whatever a module of others raises
        raise UsageError(f"the family `{entry.name}` ({entry.value}) cannot be loaded: {error!r}") from error
    if not isinstance(family, Family):
        raise UsageError(f"the entry point `{entry.name}` ({entry.value}) is no family, but a {type(family).__name__}")
    return family


def find_family(name: str) -> Family[Any, Any]:
    """The family of a name that a user has written. Raises `UsageError`, with a suggestion, if there is none."""
    family = family_of(name)
    if family is None:
        raise UsageError(f"there is no family `{name}`; {suggest(name, families(), _other_names())}")
    return family


def _other_names() -> dict[str, str]:
    """Other names of puzzles (`klotski`), each with the name of its family: suggestions for a misspelt name."""
    return {other: family.name for family in families().values() for other in family.other_names}


def read_puzzle(document: Document) -> Puzzle:
    """The puzzle that a document describes. Raises `PuzzleError` with all problems of the file."""
    document = completed(document)
    report, root = document.report, document.root
    version = root.get("format")
    if version is None:
        report.error(root, "a puzzle needs the key `format`", "add `format: 1` as the first line")
    elif not isinstance(version, Scalar) or version.text != "1":
        report.error(version, f"format {describe(version)} is not known", "this version reads `format: 1`")
    node = root.get("family")
    family = _meant_family(root) if node is None else family_of(node.text) if isinstance(node, Scalar) else None
    if family is None and node is not None:
        text = node.text if isinstance(node, Scalar) else ""
        if not text.endswith(ENDING):  # else it was said what is wrong with that file
            report.error(node, f"family {describe(node)} is not known", suggest(text, families(), _other_names()))
    elif family is None:
        allowed = dict.fromkeys(names((*HEADER_KEYS, *(key for kind in families().values() for key in kind.keys))))
        Fields(root, report, tuple(allowed)).missing("family", f"one of: {', '.join(families())}")
    else:
        fields = Fields(root, report, names((*HEADER_KEYS, *family.keys)))
        metrics = family.metrics_of(fields)
        header = read_header(document, fields, tuple(metric.name for metric in metrics))
        header, value = family.read(fields, header)
        report.raise_if_any()
        return Puzzle(family, header, value, metrics if family.own_metrics else None)
    report.raise_if_any()
    raise AssertionError


def _meant_family(root: Mapping) -> Family[Any, Any] | None:
    """The family that a misspelt key `family` names: with its keys the rest of the file is read, too."""
    meant = [entry.value for entry in root.entries if closest(entry.key.text, ("family",))]
    return family_of(meant[0].text) if meant and isinstance(meant[0], Scalar) else None


def load_file(path: Path) -> Puzzle:
    """Read a puzzle file. Raises `PuzzleError`."""
    return read_puzzle(read_file(path))


def load_text(text: str, name: str = "<text>") -> Puzzle:
    """Read a puzzle from YAML text. Raises `PuzzleError`."""
    if not isinstance(text, str):
        hint = "; for a dictionary there is `load_dict`" if isinstance(text, Map) else ""
        raise TypeError(f"`load_text` takes the text of a puzzle file, not a {type(text).__name__}{hint}")
    return read_puzzle(parse(text, name))


def load_dict(keys: Map[str, Any], name: str = "<dict>") -> Puzzle:
    """Make a puzzle of a dictionary with the keys and values of a puzzle file.

    Raises `PuzzleError`, which names what is wrong by its key path, as `actions.go.when`.
    """
    if not isinstance(keys, Map):
        raise TypeError(f"`load_dict` takes a dictionary with the keys of a puzzle file, not a {type(keys).__name__}")
    return read_mapping(keys, name, read_puzzle)
