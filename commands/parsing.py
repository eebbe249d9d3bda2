"""How command lines are read: `argparse`, with errors in one sentence, suggestions, and an example of what is right."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from ..models.text import closest, suggest
from ..runtime import budget
from .streams import Exit

if TYPE_CHECKING:
    from ..lab.executors import Executor


N = TypeVar("N")

SHARED = """
    puzzles PUZZLE...     a puzzle file, a folder of them, `-`, a shipped name, or DOMAIN.pddl PROBLEM.pddl
    --metric NAME         what counts as one move; default: the puzzle's own
    --time-limit TIME     for each puzzle: 90, 10s, 2m (default 10m)
    --memory-limit SIZE   of processes at work, in MiB or as 512M, 4G (default 4G)
    --quiet,-q            no progress
    --json                one JSON object a line, on standard output
    --color,--colour auto|always|never  whether drawings are in colour; auto: on a terminal (default auto)
    --jobs N              runs at once on this machine (default: its cores)
    --cluster ADDRESS     run on the workers of a Dask scheduler: tcp://HOST:8786
    """
"""The arguments of several commands, see `Parser.add`."""

LIMITS = """
    --metric
    --time-limit
    --memory-limit
    --quiet
    --json
    --color
    """
"""The options of every command that searches."""


Run = Callable[[argparse.Namespace], int]
"""What a command does with its arguments; it gives the exit code."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command: what it does, the lines about its arguments (`Parser.add`), examples, values that are no arguments,
    and a function that adds what a line cannot say.
    """

    run: Run
    arguments: str
    examples: tuple[str, ...]
    defaults: Mapping[str, Any]
    more: Callable[[Parser], None]


def command(
    arguments: str, *examples: str, more: Callable[[Parser], None] = lambda _: None, **defaults: Any
) -> Callable[[Run], Command]:
    """Make a function a `Command`: what it takes and how it is used. Its docstring describes it."""
    return lambda run: Command(run, arguments, examples, defaults, more)


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

    def add(self, arguments: str, more: Mapping[str, Mapping[str, Any]] = {}, into: Any = None) -> None:
        """Add arguments that are given as the help shows them, a line each; what it says goes on in lines further in.

            file [FILE]       default: FAMILY.yaml
            --length N        random moves from it (default 60)
            --known yes|no    only those whose file knows the optimum, or does not
            --out DIR         the folder to write to (required)
            --json

        The word behind a name says what is read (`VALUES`), and `(default 60)` what is taken where nothing is given; an
        option that `may be repeated` is a list. An argument without more words is that of `SHARED`, or an option
        without a value. `more`: further settings of `argparse`, by the name; `into`: a group.
        """
        for name, line in _lines(arguments).items():
            names, settings = _settings(line if " " in line else _lines(SHARED).get(name, line))
            (into or self).add_argument(*names, **(settings | dict(more.get(name, {}))))

    def describe(self, command: Command) -> None:
        """Take the arguments of a command, and say how it is used."""
        self.description, self.examples, self.epilog = command.run.__doc__, command.examples, _shown(command.examples)
        self.set_defaults(run=command.run, **command.defaults)
        self.add(command.arguments)
        command.more(self)

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
            hint = "; put commas between the names" if self.type is names else ""
            raise argparse.ArgumentError(self, f"is given twice{hint}")
        if option and values == "" != self.default:
            raise argparse.ArgumentError(self, "needs a value, not an empty text")
        given.add(self.dest)
        super().__call__(parser, namespace, values, option)


def _shown(examples: tuple[str, ...]) -> str | None:
    return "examples:\n" + "\n".join(f"  {example}" for example in examples) if examples else None


def _lines(arguments: str) -> dict[str, str]:
    """Lines about arguments by the arguments' names: `{"--length": "--length N  random moves"}`. Of two lines about one
    argument the first counts: so a command says what a shared one means there.
    """
    listed: dict[str, str] = {}
    for line in re.sub(r"\n {20,}", " ", arguments).split("\n"):
        if line.strip():
            listed.setdefault(re.split(r"[\s,]", line.strip())[0], line.strip())
    return listed


def _settings(line: str) -> tuple[list[str], dict[str, Any]]:
    """The names of an argument and the settings for `argparse` by a line of the help."""
    what, _, said = line.partition("  ")
    flags, _, value = what.partition(" ")
    settings: dict[str, Any] = {"help": said.strip()}
    if not value:
        settings["action"] = "store_true"
        return flags.split(","), settings
    settings["metavar"] = word = value.strip("[.]")
    if value != word:
        settings["nargs"] = "?" if value[0] == "[" else "+"
    if word.islower():
        settings |= {"choices": word.split("|"), "metavar": word if flags[0] == "-" else flags.upper()}
    if word in VALUES:
        settings["type"] = VALUES[word]
    if default := re.search(r"\(default ([^\s:)]+)[:)]", said):
        settings["default"] = default[1]
    if "(required)" in said:
        settings["required"] = True
    if "may be repeated" in said:
        settings |= {"action": "append", "default": []}
    if iskeyword(flags.strip("-")):  # `--from` is read as `arguments.from_`
        settings["dest"] = f"{flags.strip('-')}_"
    return flags.split(","), settings


class _Help(argparse.RawDescriptionHelpFormatter):
    """Help as wide as the terminal, but not wider than is easy to read."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)
        self._width = min(self._width, 110)


def meant(word: str, commands: Iterable[str]) -> str:
    """A hint for a command that there is not."""
    near = closest(word, commands)
    return f"did you mean `{near}`?" if near else "`budge help` lists them"


# Types of arguments


def _reader(convert: Callable[[str], N]) -> Callable[[str], N]:
    def read(text: str) -> N:
        try:
            return convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read


seconds = _reader(budget.seconds)
"""Read a length of time: `10`, `10s`, `2m`."""

mebibytes = _reader(budget.mebibytes)
"""Read a size in mebibytes: `512`, `512M`, `4G`."""

count = _reader(partial(budget.whole, least=1))
"""Read a whole number from 1 on."""

number = _reader(budget.whole)
"""Read a whole number from 0 on."""


def span(text: str) -> tuple[int, int]:
    """Read a range: `20-25`, or `20` for both ends."""
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", text)
    if not match or (match[2] and int(match[2]) < int(match[1])):
        raise argparse.ArgumentTypeError(f"needs a number or a range, such as 20-25 (got `{text}`)")
    return int(match[1]), int(match[2] or match[1])


def names(text: str) -> list[str]:
    """Read names with commas or spaces between them; at least one."""
    listed = re.findall(r"[^\s,]+", text)
    if not listed:
        raise argparse.ArgumentTypeError("needs at least one name, such as `astar,cp-sat`")
    return listed


def size(text: str) -> tuple[int, int]:
    """Read a size such as `6x6`: columns, then rows."""
    match = re.fullmatch(r"(\d{1,2})[x×](\d{1,2})", text)
    if not match or not int(match[1]) or not int(match[2]):
        raise argparse.ArgumentTypeError(f"needs columns and rows, such as 6x6 (got `{text}`)")
    return int(match[1]), int(match[2])


VALUES: dict[str, Callable[[str], Any]] = {
    "N": count,
    "NUMBER": number,
    "N,N": lambda text: [number(word) for word in names(text)],
    "N-M": span,
    "WxH": size,
    "TIME": seconds,
    "SIZE": mebibytes,
    "NAMES": names,
}
"""How values are read, by the word that stands for them in the help; others are texts."""


# Options that say where work is done: on how many cores, or on which machines.


def executor_of(arguments: argparse.Namespace) -> closing[Executor]:
    """The executor that was asked for; as a context, it is closed at the end. Raises `UsageError`."""
    from ..lab.executors import LocalExecutor
    from ..runtime.environment import cores

    if not arguments.cluster:
        return closing(LocalExecutor(arguments.jobs or cores()))
    from ..lab.dask_executor import ClusterExecutor

    return closing(ClusterExecutor(arguments.cluster))
