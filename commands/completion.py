"""The commands `help`, `setup`, and `completion`: what a shell needs to complete commands, options, puzzles, engines
and metrics.

Exit codes of `setup`: 0 all kernels are there; 2 they cannot be kept; 70 they could not be compiled; 130 interrupted.
"""

from __future__ import annotations

import argparse
import re
import time
from functools import partial

from ..models.errors import UsageError
from .common import Interrupted, print_json, reporter_of, until_interrupted
from .parsing import Parser, meant
from .streams import Exit

# The command `help`, and what `budge` alone says.


def run_help(arguments: argparse.Namespace) -> int:
    """List the commands, or explain one of them."""
    print(parser_of(arguments.parser, arguments.topic).format_help(), end="")
    return Exit.OPTIMAL


def parsers(parser: Parser) -> dict[str, Parser]:
    """The parsers of all commands by name."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: subparser for action in actions for name, subparser in action.choices.items()}


def parser_of(parser: Parser, command: str | None) -> Parser:
    """The parser of a command; without one, of the whole. Raises `UsageError` if there is no such command."""
    if not command:
        return parser
    commands = parsers(parser)
    if command not in commands:
        raise UsageError(f"no command `{command}`; {meant(command, commands)}")
    return commands[command]


def run_completion(arguments: argparse.Namespace) -> int:
    """Print a completion script for bash or zsh: put the line of the example into ~/.bashrc or ~/.zshrc."""
    try:
        import shtab
    except ImportError:
        raise UsageError("completion needs the package shtab: pip install shtab") from None
    parser: Parser = arguments.parser
    for each in parsers(parser).values():
        each.complete()
        for action in each._actions:
            _say_what_it_takes(action)
    script = shtab.complete(parser, shell=arguments.shell, preamble=_preamble(parser)[arguments.shell])
    print(re.sub("^# AUTOMATICALLY GENERATED.*", f"# budge, for {arguments.shell}", script, flags=re.MULTILINE))
    return Exit.OPTIMAL


KINDS = {name: name for name in ("engine", "engines", "metric", "family", "to")}
KINDS |= {"PUZZLE": "puzzle", "SPEC|PUZZLE": "puzzle", "FILE|FOLDER": "puzzle", "COMMAND": "command", "from_": "form"}
"""What some arguments take, by their names or by the words that stand for their values: see `_preamble`."""


def _say_what_it_takes(action: argparse.Action) -> None:
    """Set for shtab how the values of an argument are completed: by a function, by words, by files or folders."""
    kind = KINDS.get(str(action.metavar)) or KINDS.get(action.dest)
    if kind:
        action.complete = dict.fromkeys(("bash", "zsh"), f"_budge_{kind}")  # type: ignore[attr-defined]
    elif words := getattr(action, "words", None):
        action.choices = words
    elif action.metavar in ("FILE", "PATH", "DIR"):
        import shtab

        action.complete = shtab.DIRECTORY if action.metavar == "DIR" else shtab.FILE  # type: ignore[attr-defined]


def _preamble(parser: Parser) -> dict[str, str]:
    """Shell functions that complete the names of puzzles, engines, metrics, families and commands."""
    from ..engines.table import all_engines
    from ..models.families import families, forms
    from ..models.library import shipped
    from ..workflows.exporting import formats

    lists = {
        "puzzle": [name.rsplit("/", 1)[-1] for name in shipped()],  # without the folder
        "engine": list(all_engines()),
        "metric": list(dict.fromkeys(name for family in families().values() for name in family.metric_names)),
        "family": list(families()),
        "command": list(parsers(parser)),
        "to": formats(),
        "form": list(forms()),
    }
    bash, zsh = [], []
    for kind, names in lists.items():
        words = " ".join(names)
        files = ' ; compgen -f -- "$1"' if kind == "puzzle" else ""
        bash.append(f'_budge_{kind}() {{ compgen -W "{words}" -- "$1"{files} ; }}')
        more = " ; _files" if kind == "puzzle" else ""
        zsh.append(f"_budge_{kind}() {{ compadd -- {words}{more} ; }}")
    several = " ".join(lists["engine"])
    bash.append(
        f"_budge_engines() {{ local done=; [[ $1 == *,* ]] && done=${{1%,*}},; "
        f'compgen -P "$done" -W "{several}" -- "${{1##*,}}" ; }}'
    )
    zsh.append(f"_budge_engines() {{ compset -P '*,' ; compadd -S '' -- {several} ; }}")
    return {"bash": "\n".join(bash), "zsh": "\n".join(zsh)}


def run_setup(arguments: argparse.Namespace) -> int:
    """Compile all kernels, and keep them. Otherwise that happens when the first is needed."""
    return until_interrupted(partial(_set_up, arguments))


def _set_up(arguments: argparse.Namespace, interrupted: Interrupted) -> int:
    from ..runtime import kernels
    from ..runtime.budget import Budget

    budget = Budget(None, None)
    began = time.monotonic()
    budget.interrupted = interrupted
    with reporter_of(arguments) as progress:
        compiled = kernels.ensure_kernels(progress, budget)
    seconds, folder, there = time.monotonic() - began, kernels.folder(), kernels.loaded()
    said = {
        "type": "result",
        "command": "setup",
        "compiled": compiled > 0 and there,
        "folder": None if folder is None else str(folder),
        "interrupted": interrupted.is_set(),
        "seconds": {"total": round(seconds, 4)},
    }
    words = f"all kernels were compiled in {compiled:.1f} s" if compiled else "all kernels were there"
    if not there:
        why = "interrupted" if interrupted.is_set() else "not compiled"
        words = f"{why}: kernels are compiled when the first is needed, or by `budge setup`"
    if arguments.json:
        print_json(said)
    else:
        print(f"{words}\n{kernels.NOT_KEPT if folder is None else f'kept in {folder}'}")
    if not there:
        return Exit.FAULT
    return Exit.USAGE if folder is None else Exit.OPTIMAL
