"""The command `help`, and what `budge` alone says."""

from __future__ import annotations

import argparse

from ..models.errors import UsageError
from ..models.text import closest
from .exit_codes import Exit
from .parsing import Parser


def add_help(helping: Parser) -> None:
    """Add the arguments of `budge help`."""
    helping.describe(_help, "budge help solve")
    helping.add_argument(
        "topic", nargs="?", default="", metavar="COMMAND", help="one of those that `budge help` lists", takes="command"
    )


def introduce(arguments: argparse.Namespace) -> int:
    """What `budge` alone prints: what it is for, and how to begin."""
    parser: Parser = arguments.parser
    listed = "\n".join(f"  {example}" for example in parser.examples)
    print(f"{parser.description}\n\n{listed}\n\n`budge help` lists all commands, `budge help solve` explains one.")
    return Exit.OPTIMAL


def _help(arguments: argparse.Namespace) -> int:
    """List the commands, or explain one of them."""
    print(parser_of(arguments.parser, arguments.topic).format_help(), end="")
    return Exit.OPTIMAL


def parsers(parser: Parser) -> dict[str, Parser]:
    """The parsers of all commands by name."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: known for action in actions for name, known in action.choices.items()}


def parser_of(parser: Parser, command: str | None) -> Parser:
    """The parser of a command; without one, of the whole. Raises `UsageError` if there is no such command."""
    if not command:
        return parser
    known = parsers(parser)
    if command not in known:
        near = closest(command, known)
        hint = f"did you mean `{near}`?" if near else "`budge help` lists them"
        raise UsageError(f"no command `{command}`; {hint}")
    return known[command]
