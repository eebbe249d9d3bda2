"""Values as the objects that `--json` prints: what `to_dict` and `to_json` give."""

from __future__ import annotations

from typing import Any

from ..models.puzzle import Puzzle
from ..workflows.checking import Check
from ..workflows.comparison import Comparison
from ..workflows.explaining import Explanation
from ..workflows.exploration import Answer
from ..workflows.rows import Row, as_object
from ..workflows.solving import Solution
from ..workflows.verdict import Verification
from . import compare_text, explanation, explore, json_lines, problems, puzzle_json, verify_text


def as_dict(value: object) -> dict[str, Any]:
    """The object of a value."""
    match value:
        case Solution():
            return json_lines.result(value)
        case Row():
            return as_object(value)
        case Comparison():
            return compare_text.as_json(value)
        case Verification():
            return verify_text.as_json(value)
        case Answer():
            return explore.as_json(value)
        case Explanation():
            return explanation.as_json(value)
        case Check():
            return problems.check_object(value)
        case Puzzle():
            return puzzle_json.whole(value)
    raise TypeError(f"a {type(value).__name__} has no form as JSON")
