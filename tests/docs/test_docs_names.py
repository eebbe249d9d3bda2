"""The documentation names what exists: paths, modules, identifiers; and the blocks of code in it do what they show."""

from __future__ import annotations

import doctest
import re
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "engines").glob("*/README.md")),
    ROOT / "benchmarks" / "results" / "README.md",
    *sorted((ROOT / ".github").rglob("*.md")),
]
SOURCES = sorted(path for path in ROOT.rglob("*.py") if "__pycache__" not in path.parts)

PATH = re.compile(r"(?:\.?[\w-]+/)+[\w.-]*|[\w-]+\.(?:py|toml|md|cff)|\.importlinter")
"""What looks like a path in the repository: it has a slash, or the ending of a source."""

OTHERS = re.compile(
    r"src/.*|pddl/.*|toy\w*(?:/.*|\.py)|proofs/|my-.*|two\.yaml|work/.*|var/cache/.*|/tmp/types.*|\.vscode/.*|rush_hour/[\w.-]*|rush-hour/[\w.-]*"
)
"""Paths that are not meant to exist: in examples, or spoken against."""

IDENTIFIER = re.compile(
    r"[A-Z]{5,}|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[A-Z][A-Z0-9]*_[A-Z0-9_]+|[a-z0-9]+(?:_[a-z0-9]+)+"
)
"""Names of classes of several words, of constants and functions with an underscore; nothing that could be prose."""


ENTRY_POINTS = {"budge.families", "budge.schema.json"}
"""Groups of entry points, and a file: names like modules, which need not be any."""

EXAMPLES = re.compile(r"(?:fact|operator|idle_step)_.*\d|[A-Z]+\.md|MYPYPATH|ProcessPoolExecutor")
"""Names that a page takes as examples, of variables in an exported model; and names of other programs."""


def ids(page: Path) -> str:
    return str(page.relative_to(ROOT))


def quoted(page: Path) -> list[str]:
    """What stands in backticks in the running text of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [match.replace("\n", " ") for match in re.findall(r"`([^`]+)`", text)]


@cache
def words() -> frozenset[str]:
    """Every word of the sources, with the keys and parameters that stand in texts there."""
    return frozenset(word for path in SOURCES for word in re.findall(r"\w+", path.read_text(encoding="utf-8")))


def names_in(word: str) -> list[str]:
    if EXAMPLES.fullmatch(word):
        return []
    return [part for part in word.split(".") if IDENTIFIER.fullmatch(part) and not EXAMPLES.fullmatch(part)]


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_paths_exist(page: Path) -> None:
    named = {word for word in quoted(page) if PATH.fullmatch(word) and not OTHERS.fullmatch(word)} - ENTRY_POINTS
    assert [path for path in named if not (ROOT / path).exists() and not (page.parent / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_modules_and_identifiers_exist(page: Path) -> None:
    missing = []
    for word in set(quoted(page)) - ENTRY_POINTS:
        called = re.sub(r"\(.*\)$", "", word)
        if re.fullmatch(r"budge(?:\.\w+)+", called):
            module, _, name = called.rpartition(".")
            try:
                found = hasattr(import_module(module), name)
            except ModuleNotFoundError:
                found = False
            if not found:
                try:
                    import_module(called)
                except ModuleNotFoundError:
                    missing.append(word)
        elif any(part not in words() for part in names_in(called)):
            missing.append(word)
    assert missing == []


@pytest.mark.parametrize(("name", "least"), [("architecture", 40), ("walk-through-a-star", 20)])
def test_the_puzzle_of_a_page_goes_through_as_shown(name: str, least: int) -> None:
    page = ROOT / "docs" / f"{name}.md"
    blocks = re.findall(r"^```pycon\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    told: list[str] = []
    failed, tried = doctest.DocTestRunner().run(example, out=told.append)
    assert tried > least
    assert not failed, "".join(told)
