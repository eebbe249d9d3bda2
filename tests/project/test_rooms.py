"""Each room of the package keeps to its budget of lines, and all of them to that of files (docs/rooms.md)."""

from __future__ import annotations

import re
from collections import Counter

from tests.helpers.lines_of_code import ROOT, code_and_comments, modules


def budgets() -> dict[str, list[int]]:
    """The rows of the table of budgets: [lines, files] of each room, files only where a number stands."""
    page = (ROOT / "docs" / "rooms.md").read_text(encoding="utf-8")
    table = page.split("\n## Budgets\n")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \|[^|]*\| ([\d,]+) \|(?: ([\d,]+) \|)?", table, re.MULTILINE)
    return {name.strip("* "): [int(n.replace(",", "")) for n in numbers if n] for name, *numbers in rows}


def test_every_room_keeps_to_its_budget() -> None:
    lines: Counter[str] = Counter()
    files = 0
    for room, path in modules():
        lines[room] += code_and_comments(path.read_text(encoding="utf-8"))[0]
        files += 1
    budget = budgets()
    most_files = budget.pop("in all")[1]
    assert set(lines) == set(budget)
    over = {room: (lines[room], most[0]) for room, most in budget.items() if lines[room] > most[0]}
    assert not over, f"(lines, budget): {over}. Take them from somewhere: docs/rooms.md"
    assert files <= most_files, f"{files} files, {most_files} allowed: an idea is a file of 100 to 500 lines"


def test_the_whole_is_the_sum_of_its_rooms() -> None:
    budget = budgets()
    whole = budget.pop("in all")[0]
    assert sum(most[0] for most in budget.values()) == whole


SOURCE = '''"""Head."""

# why
LEAST = 3  # of them
"""What it is."""


def f() -> str:
    """Does."""
    return (
        "a"
    )
'''


def test_what_counts_as_a_line_of_code() -> None:
    assert code_and_comments(SOURCE) == (5, 2)
