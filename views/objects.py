"""Values as the objects that `--json` prints: what `to_dict` and `to_json` give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..models.puzzle import Puzzle
from ..workflows.checking import Check
from ..workflows.comparison import Comparison
from ..workflows.explaining import Explanation
from ..workflows.exploration import Answer
from ..workflows.rows import Row, as_object
from ..workflows.solving import Solution
from ..workflows.verdict import Verification
from ..workflows.why.reasons import Reasons
from . import compare_text, explore, json_lines, problems, reasons, verify_text
from . import json_lines as puzzle_json
from .explore import explanation_json

FORMS: dict[type, Callable[[Any], dict[str, Any]]] = {
    Solution: json_lines.result,
    Row: as_object,
    Comparison: compare_text.as_json,
    Verification: verify_text.as_json,
    Answer: explore.as_json,
    Explanation: explanation_json,
    Reasons: reasons.as_json,
    Check: problems.check_object,
    Puzzle: puzzle_json.whole,
}


def as_dict(value: object) -> dict[str, Any]:
    """The object of a value. Raises `TypeError` for a type that has none."""
    for kind, form in FORMS.items():
        if isinstance(value, kind):
            return form(value)
    raise TypeError(f"a {type(value).__name__} has no form as JSON")
