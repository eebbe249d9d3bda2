"""Text of any length in any place of a puzzle file is read in about linear time: work is counted, not seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from budge import BudgeError, load, load_text
from budge.models.documents.compose import Mapping, Node, Scalar, Sequence
from budge.models.documents.document import Report, parse
from budge.models.families import families
from budge.models.families.custom.language import syntax

KINDS: dict[str, Callable[[int], str]] = {
    "digits": lambda n: "1" * n,
    "brackets": lambda n: "(" * n,
    "braces": lambda n: "{" * n,
    "places": lambda n: "{1}" * (n // 3),
    "commas": lambda n: "f(x, " * (n // 5),
    "words": lambda n: "a " * (n // 2),
    "rows": lambda n: "\n  #@.#" * (n // 7),
    "keys": lambda n: "".join(f"\n  k{i}: 1" for i in range(n // 10)),
    "items": lambda n: "[" + ",".join(f"k{i}" for i in range(n // 8)) + "]",
}


def scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from scalars(item)
    elif isinstance(node, Mapping):
        for entry in node.entries:
            yield entry.key
            yield from scalars(entry.value)


def work(text: str) -> int:
    """The lines of Python that reading a text runs."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        load_text(text)
    except BudgeError:
        pass
    finally:
        sys.settrace(None)
    return count


def samples() -> list[str]:
    return [text for family in families().values() for text in (family.sample, *family.samples)]


@pytest.mark.weekly
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", range(len(samples())))
def test_work_grows_as_the_text(number: int, kind: str) -> None:
    text = samples()[number]
    lines = text.split("\n")
    for scalar in list(scalars(parse(text).root))[number % 3 :: 3]:  # each sample other places
        if scalar.style in ("|", ">"):
            continue
        at, column = scalar.span.line, scalar.span.column

        def made(size: int, at: int = at, column: int = column) -> str:
            row = lines[at][:column] + KINDS[kind](size) + lines[at][column:]
            return "\n".join([*lines[:at], row, *lines[at + 1 :]])

        once, twice = work(made(400)), work(made(1600))
        assert twice < 6 * once + 20_000, (scalar.text, once, twice)


def test_each_character_of_a_template_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Text that the file and the scalar share takes one place of the file each, however long the line is."""
    seen = 0
    written = syntax._written

    def counted(lines: list[str], line: int, column: int) -> Iterator[tuple[int, int]]:
        nonlocal seen
        for place in written(lines, line, column):
            seen += 1
            yield place

    monkeypatch.setattr(syntax, "_written", counted)
    size = 100_000
    source = Scalar("1" * size + "\n", parse("a: |\n  1\n").root.entries[0].value.span, "|")
    places = syntax.places_of(source, Report("f", ["a: |", "  " + "1" * size]))
    assert places[:2] == ((1, 2), (1, 3))
    assert places[size - 1] == (1, size + 1)
    assert seen <= size + 1


def test_text_behind_the_places_of_a_drawing() -> None:
    """The line is half a million characters long; with a copy of its rest for each of them this takes minutes."""
    place = "{d for d in disc if at[d] == p}"
    text = load("hanoi-8").to_yaml()
    assert text.count(place) == 1
    assert load_text(text.replace(place, place + "1" * 500_000)).board()[-1].endswith("1" * 1000)
    with pytest.raises(BudgeError, match="this expression is too long"):
        load_text(text.replace(place, "{" + "1+" * 100_000 + "1}"))


@pytest.mark.parametrize("name", ["9" * 300, "9" * 5000, "a/" * 3000 + "b"])
def test_names_that_no_file_can_have(name: str, tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    file.write_text(f"format: 1\nfamily: {name}.family.yaml\n")
    with pytest.raises(BudgeError, match=r"there is no file|cannot be read"):
        load(file)
    with pytest.raises(BudgeError, match="no file and no shipped puzzle"):
        load(name)
