"""The command line: its commands and its exit codes.

Exit codes of `budge solve`: 0 every puzzle optimal, or solved by an engine that promises no optimum; 1 proven
unsolvable; 2 bad usage or input; 3 a limit was reached; 4 a plan that does not replay, or a proven value that
contradicts another or the file's `expect`; 70 a fault of Budge or of a process that it started; 74 output that cannot
be written; 130 interrupted by Ctrl-C; 143, 129, 131 by SIGTERM, SIGHUP, SIGQUIT. Of several puzzles the gravest code
counts, in the order 0, 1, 3, 2, 70, 4, 74, 130, 129, 131, 143. `check` and `show`: 0 or 2; every command: 70 and 74.
Results go to standard output, progress and errors to standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module

from .commands.parsing import Parser
from .commands.streams import Ended, Exit, OutputError, end, guarded_streams, handled
from .parameters import TABLE, Command
from .version import __version__

EXAMPLES = (
    "budge list                             the puzzles that come with Budge",
    "budge solve bird-1                     a shortest plan, and its proof",
    "budge new rush-hour my.yaml            a puzzle file to fill in",
    "budge check my.yaml                    every error in it, with its place",
    "budge compare my.yaml --html out.html  all engines on it",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; gives the exit code."""
    try:
        with handled(end), guarded_streams():
            return ended(partial(_run, sys.argv[1:] if argv is None else argv))
    except Ended as signalled:
        return signalled.code


def _run(argv: Sequence[str]) -> int:
    arguments = _parsed(argv)
    arguments.typed = shlex.join(["budge", *argv])
    from .commands.common import expand_puzzles

    expand_puzzles(arguments)
    code: int = arguments.run(arguments)
    return code


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments. Options that are not known may be those of engines of other packages: these are looked up."""
    parser = _parser()
    arguments: argparse.Namespace
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        from .commands.completion import parser_of
        from .engines.table import all_engines
        from .models.errors import BudgeError

        with contextlib.suppress(BudgeError):  # then the options stay unknown, which is an error below
            all_engines()
        parser = _parser()
        arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        parser_of(parser, arguments.command).unknown(unknown)
    return arguments


def _parser() -> Parser:
    parser = Parser(
        prog="budge",
        description="Solve moving-piece puzzles written in YAML, and prove the answer shortest.",
        examples=EXAMPLES,
    )
    parser.add_argument("-V", "--version", action="version", version=f"budge {__version__}")
    parser.set_defaults(run=_introduce, parser=parser, command="")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", parser_class=Parser)
    for name, command in TABLE.items():
        if command.sentence:
            subparser: Parser = commands.add_parser(name, help=command.sentence)
            subparser.later = partial(_describe, name, command)
    return parser


def _describe(name: str, command: Command, parser: Parser) -> None:
    """Import the module of a command, when it is used or explained: `budge --help` imports none."""
    parser.describe(name, command, import_module(f".commands.{command.module}", __package__))


def _introduce(arguments: argparse.Namespace) -> int:
    """What `budge` alone prints: what it is for, and how to begin."""
    parser: Parser = arguments.parser
    listed = "\n".join(f"  {example}" for example in parser.examples)
    print(f"{parser.description}\n\n{listed}\n\n`budge help` lists all commands, `budge help solve` explains one.")
    return Exit.OPTIMAL


# How a command line ends that could not do its work: a sentence on standard error, and the exit code.

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
"""Errors of the system that mean that a file cannot be written."""

NO_PLACE = "No usable temporary directory"
"""The start of the message of `tempfile` when no folder for temporary files can be written to."""

UNUSABLE = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENOENT)
"""Errors of the system that mean that a path given by the user cannot be used."""


def ended(run: Callable[[], int]) -> int:
    """Run a command; its exit code, or that of the exception with which it ended."""
    try:
        try:
            return run()
        finally:
            sys.stdout.flush()
    except (KeyboardInterrupt, Exception) as error:
        code, sentence = _judged(error)
        if sentence:
            print(sentence, file=sys.stderr)
        return code


def _judged(error: BaseException) -> tuple[int, str]:
    """The exit code and the message of an exception."""
    from .commands.common import code_of, message
    from .models.errors import BudgeError, FaultError

    match error:
        case Ended():
            return error.code, ""
        case KeyboardInterrupt():
            return Exit.INTERRUPTED, ""
        case OutputError():  # the reader of a pipe has gone: nothing more to say
            return (Exit.OPTIMAL, "") if error.reader_gone else (Exit.OUTPUT, f"budge: error: {error}")
        case BudgeError():
            return code_of(error), message(error)
        case MemoryError():
            return Exit.LIMIT, "budge: error: there is not enough memory"
        case OSError() if error.errno in FULL or NO_PLACE in str(error.strerror):
            where = f" to {os.fsdecode(error.filename)}" if isinstance(error.filename, str | bytes) else ""
            return Exit.OUTPUT, f"budge: error: cannot write{where}: {error.strerror}"
        case OSError() if error.errno in UNUSABLE and error.filename:
            return Exit.USAGE, f"budge: error: cannot use {os.fsdecode(error.filename)}: {error.strerror}"
    assert isinstance(error, Exception)
    return Exit.FAULT, message(FaultError.of(error))
