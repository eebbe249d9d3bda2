"""The command `schema`: puzzle files as a JSON Schema, for editors."""

from __future__ import annotations

import argparse
import json

from .parsing import Parser
from .streams import Exit


def add_schema(schema: Parser) -> None:
    """Add the arguments of `budge schema`."""
    schema.describe(_schema, "budge schema > budge.schema.json")
    schema.add_argument(
        "--family", metavar="NAME", help="only this family; default: all that are known", takes="family"
    )


def _schema(arguments: argparse.Namespace) -> int:
    """Print a JSON Schema of puzzle files, for editors: see docs/editors.md."""
    from ..models.families import families, find_family
    from ..views.schema import puzzle_schema

    chosen = [find_family(arguments.family)] if arguments.family else families().values()
    print(json.dumps(puzzle_schema(chosen), ensure_ascii=False, indent=2))
    return Exit.OPTIMAL
