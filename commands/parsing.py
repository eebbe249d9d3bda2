"""How command lines are read: `argparse`, with errors in one sentence, suggestions, and an example of what is right."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..models.text import closest, suggest
from ..runtime import quantities
from .streams import Exit

if TYPE_CHECKING:
    from ..lab.executors import Executor


N = TypeVar("N")

PUZZLE_HELP = "a puzzle file, a folder of them, `-`, a shipped name, or DOMAIN.pddl PROBLEM.pddl"
TIME, SIZE = "TIME", "SIZE"
"""Examples of a time limit and of a size, as help shows them."""

TAKES = "takes"
"""The attribute of an argument that says what it takes, for the shell's completion: `puzzle`, `engine`, ..."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are a sentence and a help line.

    `examples` are command lines that work; they stand at the end of the help, and one that uses the option in question
    under an error. `later` adds arguments when they are first needed: `budge --help` does not wait for those of every
    command.
    """

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **more: Any) -> None:
        defaults = {"epilog": _shown(examples), "formatter_class": _Help, "allow_abbrev": False}
        super().__init__(*args, **defaults | more)
        for name in (None, "store"):
            self.register("action", name, _Once)
        self.examples = examples
        self.later: Callable[[Parser], None] | None = None

    def describe(self, run: Callable[[argparse.Namespace], int], *examples: str, **defaults: Any) -> None:
        """Say what runs the command, whose docstring describes it, and how it is used."""
        self.description, self.examples, self.epilog = run.__doc__, examples, _shown(examples)
        self.set_defaults(run=run, **defaults)

    def add_argument(self, *names: str, takes: object = None, **more: Any) -> argparse.Action:
        """As argparse does; `takes`: what kind of word it is (`puzzle`, `engine`, ...), or the words to choose from."""
        action = super().add_argument(*names, **more)
        setattr(action, TAKES, takes)
        return action

    def add_puzzles(self, many: bool = True) -> None:
        """Add the argument for the puzzles, or the puzzle, of a command. A PDDL puzzle may be two names."""
        self.add_argument("puzzles", nargs="+", metavar="PUZZLE", help=PUZZLE_HELP, takes="puzzle")
        self.set_defaults(one_puzzle=not many)

    def add_metric(self, default: str = "the puzzle's own") -> None:
        """Add the option for the metric: what counts as a move."""
        self.add_argument(
            "--metric", metavar="NAME", help=f"what counts as one move; default: {default}", takes="metric"
        )

    def add_engines(self, which: str) -> None:
        """Add the option for several engines."""
        self.add_argument("--engines", type=names, metavar="NAMES", help=f"separated by commas{which}", takes="engines")

    def add_colour(self) -> None:
        """Add the option for drawings in colour."""
        self.add_argument(
            "--color",
            "--colour",
            dest="colour",
            choices=("auto", "always", "never"),
            default="auto",
            metavar="WHEN",
            help="auto (on a terminal; the default), always or never",
        )

    def add_budget(self, whose: str, time: str) -> None:
        """Add the options for the time limit and the memory limit."""
        self.add_argument("--time-limit", type=seconds, metavar=TIME, help=f"for {whose}: 90, 10s, 2m (default {time})")
        memory = "of processes at work, in MiB or as 512M, 4G (default 4G)"
        self.add_argument("--memory-limit", type=mebibytes, metavar=SIZE, help=memory)

    def add_json(self, what: str = "one JSON object a line, on standard output") -> None:
        """Add the option `--json`."""
        self.add_argument("--json", action="store_true", help=what)

    def add_quiet(self) -> None:
        """Add the option `--quiet`: no progress is shown."""
        self.add_argument("--quiet", "-q", action="store_true", help="no progress")

    def add_limits(self, time: str = "10m") -> None:
        """The options of every command that searches; `time`: its default limit for each puzzle."""
        self.add_metric()
        self.add_budget("each puzzle", time)
        self.add_quiet()
        self.add_json()
        self.add_colour()

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

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """As argparse does, with a suggestion in place of the list of all choices."""
        if action.choices is None or value in action.choices:
            return
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"no command `{value}`; {_meant(str(value), list(action.choices))}")
        names = suggest(str(value), map(str, action.choices))
        raise argparse.ArgumentError(action, f"cannot be `{value}`; {names}")

    def unknown(self, words: list[str]) -> NoReturn:
        """Report arguments that the parser does not know."""
        word = words[0].split("=")[0]
        command = self.prog.removeprefix("budge").strip()
        if not word.startswith("-"):
            self.error(f"`{word}` is one argument too many")
        known = [flag for flag in self._option_string_actions if flag.startswith("--")]
        near = closest(word, known)
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
            hint = "; put commas between the names" if self.type is names else ""
            raise argparse.ArgumentError(self, f"is given twice{hint}")
        if option and values == "" != self.default:
            raise argparse.ArgumentError(self, "needs a value, not an empty text")
        given.add(self.dest)
        super().__call__(parser, namespace, values, option)


def _shown(examples: tuple[str, ...]) -> str | None:
    return "examples:\n" + "\n".join(f"  {example}" for example in examples) if examples else None


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, but not wider than is easy to read."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)
        self._width = min(self._width, 110)


def _meant(word: str, known: list[str]) -> str:
    near = closest(word, known)
    return f"did you mean `{near}`?" if near else "`budge help` lists them"


class LateNames(Collection[str]):
    """The names that a function gives, which is called when they are used: `--help` need not load the families."""

    def __init__(self, find: Callable[[], Iterable[str]]) -> None:
        self._find = find

    def __iter__(self) -> Iterator[str]:
        return iter(self._find())

    def __len__(self) -> int:
        return len(list(self._find()))

    def __contains__(self, name: object) -> bool:
        return name in list(self._find())


# Types of arguments


def _reader(convert: Callable[[str], N]) -> Callable[[str], N]:
    def read(text: str) -> N:
        try:
            return convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


seconds = _reader(quantities.seconds)
"""Read a length of time: `10`, `10s`, `2m`."""

mebibytes = _reader(quantities.mebibytes)
"""Read a size in mebibytes: `512`, `512M`, `4G`."""

count = _reader(partial(quantities.whole, least=1))
"""Read a whole number from 1 on."""

number = _reader(quantities.whole)
"""Read a whole number from 0 on."""


def span(text: str) -> tuple[int, int]:
    """Read a range: `20-25`, or `20` for both ends."""
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", text)
    if not match or (match[2] and int(match[2]) < int(match[1])):
        raise argparse.ArgumentTypeError(f"needs a number or a range, such as 20-25 (got `{text}`)")
    return int(match[1]), int(match[2] or match[1])


def names(text: str) -> list[str]:
    """Read names with commas between them; at least one."""
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise argparse.ArgumentTypeError("needs at least one name, such as `astar,cp-sat`")
    return found


# Options that say where work is done: on how many cores, or on which machines.


def add_executor(command: argparse.ArgumentParser) -> None:
    """Add the options for work in parallel: `--jobs` and `--cluster`."""
    command.add_argument("--jobs", type=count, metavar="N", help="runs at once on this machine (default: its cores)")
    command.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="run on Dask workers: tcp://HOST:8786 of a scheduler, or local:N workers here",
    )


def executor_of(arguments: argparse.Namespace) -> closing[Executor]:
    """The executor that was asked for; as a context, it is closed at the end. Raises `UsageError`."""
    from ..lab.executors import LocalExecutor
    from ..runtime.environment import cores

    if not arguments.cluster:
        return closing(LocalExecutor(arguments.jobs or cores()))
    from ..lab.dask_executor import ClusterExecutor

    return closing(ClusterExecutor(arguments.cluster))
