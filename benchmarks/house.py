"""How large the package is and how it reads, by room: files, lines of code, comments in a hundred lines.

    python benchmarks/house.py [FOLDER]            of this checkout, or of another one

A line of code holds a token other than a comment or a docstring. Tests, benchmarks and documentation are left out.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.helpers.lines_of_code import ROOT, code_and_comments, modules


def main() -> None:
    """Print the table."""
    rooms: dict[str, list[list[int]]] = defaultdict(list)
    for room, path in modules(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT):
        code, comments = code_and_comments(path.read_text(encoding="utf-8"))
        for name in (room, "in all"):
            rooms[name].append([code, comments])
    print(f"{'':24}{'files':>6}{'code':>8}{'median':>8}{'largest':>8}{'comments in 100':>17}")
    for name in sorted(rooms, key=lambda name: (name == "in all", name)):
        sizes = sorted(code for code, _ in rooms[name])
        code = sum(sizes)
        comments = 100 * sum(comments for _, comments in rooms[name]) / max(code, 1)
        print(f"{name:24}{len(sizes):6}{code:8,}{sizes[len(sizes) // 2]:8}{sizes[-1]:8}{comments:17.1f}")


if __name__ == "__main__":
    main()
