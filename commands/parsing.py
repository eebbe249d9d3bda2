"""How command lines are read: `argparse`, with errors in one sentence, suggestions, and an example of what is right."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from ..models.text import closest, suggest
from ..parameters import Command, lines, settings
from .streams import Exit

if TYPE_CHECKING:
    from ..lab.executors import Executor


class Parser(argparse.ArgumentParser):
    """A parser whose errors are a sentence and a help line.

    `examples` are command lines that work; they stand at the end of the help, and one that uses the option in question
    under an error. `later` adds arguments when they are first needed: `budge --help` does not wait for those of every
    command.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **more: Any) -> None:
        defaults = {"epilog": _shown(examples), "formatter_class": _Help, "allow_abbrev": False}
        super().__init__(*args, **defaults | more)
        for name in (None, "store"):
            self.register("action", name, _Once)
        self.examples = examples
        self.later: Callable[[Parser], None] | None = None

    def add(self, arguments: str, more: Mapping[str, Mapping[str, Any]] = {}, into: Any = None) -> None:
        """Add the parameters of some lines (`parameters`). `more`: further settings of `argparse`, by the name;
        `into`: a group.
        """
        for name, line in lines(arguments).items():
            flags, about = settings(line)
            (into or self).add_argument(*flags, **(about | dict(more.get(name, {}))))

    def describe(self, name: str, command: Command, module: ModuleType) -> None:
        """Take the parameters of a command, as the table has them unless its module has `add_NAME`, and say how it is
        used.
        """
        run = getattr(module, f"run_{name}")
        self.description, self.examples, self.epilog = run.__doc__, command.examples, _shown(command.examples)
        self.set_defaults(run=run)
        getattr(module, f"add_{name}", Parser.add)(self, command.parameters)

    def complete(self) -> None:
        """Add the arguments whose making was put off until this command is used."""
        later, self.later = self.later, None
        if later:
            later(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.complete()
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        self.complete()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        text = f"budge: error: {self._sentence(message)}\n  help: {self._help(message)}\n"
        self.exit(Exit.USAGE, text)

    def _get_value(self, action: argparse.Action, text: str) -> Any:
        """As argparse does, with the message of the reader."""
        try:
            return (action.type or str)(text)  # type: ignore[operator]
        except ValueError as error:
            raise argparse.ArgumentError(action, str(error)) from None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """As argparse does, with a suggestion in place of the list of all choices."""
        if action.choices is None or value in action.choices:
            return
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"no command `{value}`; {meant(str(value), action.choices)}")
        names = suggest(str(value), map(str, action.choices))
        raise argparse.ArgumentError(action, f"cannot be `{value}`; {names}")

    def unknown(self, words: list[str]) -> NoReturn:
        """Report arguments that the parser does not know."""
        word = words[0].split("=")[0]
        command = self.prog.removeprefix("budge").strip()
        if not word.startswith("-"):
            self.error(f"`{word}` is one argument too many")
        flags = [flag for flag in self._option_string_actions if flag.startswith("--")]
        near = closest(word, flags)
        hint = f"; did you mean `{near}`?" if near else ""
        self.error(f"{f'`{command}`' if command else 'budge'} has no option `{word}`{hint}")

    def _sentence(self, message: str) -> str:
        """An error of argparse as a sentence for people."""
        if match := re.fullmatch(r"argument ([^:]*): (.*)", message, re.DOTALL):
            names, rest = match[1], match[2]
            name = next((n for n in names.split("/") if n.startswith("--")), names)
            rest = re.sub(r"^expected (one|at least one) argument$", "needs a value", rest)
            return f"{name} {rest}"
        if match := re.fullmatch(r"the following arguments are required: (.*)", message):
            return f"{match[1].replace(', ', ' and ')} {'are' if ', ' in match[1] else 'is'} missing"
        return message

    def _help(self, message: str) -> str:
        """A hint under an error: a command line that works, and where to read more."""
        option = re.search(r"--[a-z-]+", message)
        fitting = [example for example in self.examples if option and option[0] in example] or list(self.examples)
        more = re.sub(r"^budge\b", "budge help", self.prog)
        example = fitting[0].split("   ")[0] if fitting else ""  # without what is said about it
        return f"for example `{example}`; more by `{more}`" if example else f"`{more}` shows what there is"


class _Once(argparse._StoreAction):
    """An option that is given at most once (of several the last would count, and nobody would say so), and not as an
    empty text, unless that is what it is anyway.
    """

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        given = vars(namespace).setdefault("given", set())
        if option and self.dest in given:
            hint = "; put commas between the names" if self.metavar == "NAMES" else ""
            raise argparse.ArgumentError(self, f"is given twice{hint}")
        if option and values == "" != self.default:
            raise argparse.ArgumentError(self, "needs a value, not an empty text")
        given.add(self.dest)
        super().__call__(parser, namespace, values, option)


def _shown(examples: Sequence[str]) -> str | None:
    return "examples:\n" + "\n".join(f"  {example}" for example in examples) if examples else None


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, but not wider than is easy to read."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)
        self._width = min(self._width, 110)


def meant(word: str, commands: Iterable[str]) -> str:
    """A hint for a command that there is not."""
    near = closest(word, commands)
    return f"did you mean `{near}`?" if near else "`budge help` lists them"


# Options that say where work is done: on how many cores, or on which machines.


def executor_of(arguments: argparse.Namespace) -> closing[Executor]:
    """The executor that was asked for; as a context, it is closed at the end. Raises `UsageError`."""
    from ..lab.executors import LocalExecutor
    from ..runtime.environment import cores

    if not arguments.cluster:
        return closing(LocalExecutor(arguments.jobs or cores()))
    from ..lab.dask_executor import ClusterExecutor

    return closing(ClusterExecutor(arguments.cluster))
