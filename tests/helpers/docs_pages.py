"""The pages of docs and the examples on them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

ENGINES = sorted(path.parent for path in (ROOT / "engines").glob("[!_]*/__init__.py") if path.parent.name != "common")

PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "SUPPORT.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *(folder / "README.md" for folder in ENGINES),
    *sorted((ROOT / "benchmarks" / "results").glob("*.md")),
]


def examples() -> list[tuple[str, str]]:
    """Every YAML block that is a whole puzzle, with its place."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(r"^```yaml\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            if match[1].startswith("format: 1\n"):
                line = text.count("\n", 0, match.start()) + 2
                found.append((f"{page.name}:{line}", match[1]))
    return found
