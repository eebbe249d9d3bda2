"""How many lines of code have to be trusted for each kind of claim that a certificate makes.

    python benchmarks/trusted_lines.py [FOLDER]        of this checkout, or of another one

A line of code holds a token other than a comment or a docstring, as `docs/rooms.md` counts.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.helpers.lines_of_code import code_and_comments

ANY = ("core/limits", "core/problem", "core/claim", "core/exhaustion", "core/check")
CUSTOM = ("rules_custom", "terms", "expressions", "acting")
RULES = ("same_problem", "games", "puzzles", "reading")
CLAIMS = {
    "exhausted, or shown by invariants": ANY,
    "searched": (*ANY, "searching", "at_once"),
    "refuted": (*ANY, "core/formula", "core/lrat"),
    "refuted, with clauses about changes": (*ANY, "core/formula", "core/lrat", "changing"),
    "with parallel steps": (*ANY, "core/formula", "core/lrat", "changing", "parallel", "counting"),
    "visited by the rules of a custom puzzle": ("exhaustion", "games", "puzzles", "reading", *CUSTOM),
    "by distances": ("exhaustion", "games", "puzzles", "reading", *CUSTOM, "endings", "distances"),
    "the whole core": (*ANY, "core/formula", "core/lrat", "core/__init__", "core/__main__"),
    "that the text is a rush-hour board": (*RULES, "rules_rush_hour", "pieces", "sliding"),
    "that the text is a sliding-block board": (*RULES, "rules_sliding_block", "pieces", "sliding"),
    "that the text is an n-puzzle": (*RULES, "rules_n_puzzle", "pieces", "sliding"),
    "that the text is a sokoban level": (*RULES, "rules_sokoban", "boxes"),
    "that the text is a custom puzzle": (*RULES, *CUSTOM),
}


def main() -> None:
    """Print the table."""
    proofs = (Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]) / "proofs"
    for claim, files in CLAIMS.items():
        texts = [(proofs / f"{name}.py").read_text(encoding="utf-8") for name in files]
        print(f"{claim:42}{sum(code_and_comments(text)[0] for text in texts):6,}")


if __name__ == "__main__":
    main()
