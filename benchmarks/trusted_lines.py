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
REFUTED = (*ANY, "core/pairs", "core/formula", "core/lrat")
CUSTOM = ("rules_custom", "terms", "expressions", "acting")
READ = ("games", "reading")
DERIVED = ("derivation", "core/pairs", "state_classes", "fact_groups", *READ)
VISITED = ("by_rules", "core/exhaustion", *READ)
CLAIMS = {
    "exhausted": ANY,
    "shown by pairs": (*ANY, "core/pairs"),
    "searched": (*ANY, "searching", "grouped_states"),
    "refuted": REFUTED,
    "refuted, with clauses about changes": (*REFUTED, "one_variable_formula"),
    "with parallel steps": (*REFUTED, "one_variable_formula", "end_state_formula"),
    "visited by the rules of a custom puzzle, or by distances": (*VISITED, *CUSTOM, "state_classes"),
    "the whole core": (*REFUTED, "core/__init__", "core/__main__"),
    "that the text is a board of a built-in family (and its page)": (*DERIVED, *CUSTOM, "boards", "pages"),
    "that the text is a custom puzzle": (*DERIVED, *CUSTOM),
    "that the text is a problem in PDDL": (*DERIVED, "rules_pddl", "terms", "expressions", "acting"),
}


def main() -> None:
    """Print the table."""
    proofs = (Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]) / "proofs"
    for claim, files in CLAIMS.items():
        texts = [(proofs / f"{name}.py").read_text(encoding="utf-8") for name in files]
        print(f"{claim:68}{sum(code_and_comments(text)[0] for text in texts):6,}")


if __name__ == "__main__":
    main()
