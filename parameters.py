"""The one table of commands and parameters: what commands, functions in Python and the page take, how it is read.

A command has a sentence, examples, and a line for each parameter, as the help shows them. The word behind a name says
what is read (`KINDS`), of a text or of a value:

    new (puzzles): write a puzzle file to fill in    in the module `commands.puzzles`
    $ budge new rush-hour
    file [FILE]       default: FAMILY.yaml
    --length N        random moves from it (default 60)
    --known yes|no    only those whose file knows the optimum, or does not
    --out DIR         the folder to write to (required)
    --grid            an option without a value
    --metric --json   as `SHARED` says

`(default 60)` is what is taken where nothing is given; an option that `may be repeated` is a list. What a line says
goes on in lines further in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from keyword import iskeyword
from types import SimpleNamespace
from typing import Any, NamedTuple

from .models.plan import Plan
from .runtime import budget

RUN, DEFAULT = f"{budget.RUN_TIME_LIMIT / 60:g}m", f"{budget.DEFAULT_TIME_LIMIT / 60:g}m"
"""Time limits as people write them: of a run among many, and any."""

STORE = "results.sqlite"
"""The store of experiments that is used unless one is named."""

SHARED = f"""
    puzzles PUZZLE...     a puzzle file, a folder of them, `-`, a shipped name, DOMAIN.pddl PROBLEM.pddl, or TASK.sas
    --metric NAME         what counts as one move; default: the puzzle's own
    --time-limit TIME     for each puzzle: 90, 10s, 2m (default {DEFAULT})
    --memory-limit SIZE   of processes at work, in MiB or as 512M, 4G (default {budget.DEFAULT_MEMORY_LIMIT // 1024}G)
    --quiet,-q            no progress
    --json                one JSON object a line, on standard output
    --color,--colour auto|always|never  whether drawings are in colour; auto: on a terminal (default auto)
    --jobs N              runs at once on this machine (default: its cores)
    --cluster ADDRESS     run on the workers of a Dask scheduler: tcp://HOST:8786
    """

LIMITS = "puzzles --metric --time-limit --memory-limit --quiet --json --color"
"""The options of every command that searches."""

_TABLE = f"""
    solve: find a plan and prove it shortest
        $ budge solve bird-1
        $ budge solve my.yaml --time-limit 2m --memory-limit 2G
        $ budge solve eight-31-a --engine cp-sat --strategy linear
        $ budge solve microban-001 --metric pushes,moves --plan-out plan.txt
        --plan-out FILE       write the plan, in the notation of its family, to a file
        --certificate DIR     write a certificate of the optimum, which others can check
        --boards              show the board after every move, what moved marked
        --stats               show what the engines counted, and the parts of the time
        {LIMITS}
    explore: visit every reachable state
        $ budge explore bird-2
        $ budge explore microban-001 --metric moves --hardest hard.yaml
        --hardest FILE   write the state farthest from the goal as a puzzle
        {LIMITS}
    hint (explore): the distance to the goal and the best moves
        $ budge hint bird-2
        $ budge hint bird-2 --degree piece
        --degree far|milestone|piece|move  how much to say: how far the goal is; also a place that every plan passes;
                         which piece to move; the moves (default move)
        {LIMITS}
    explain (explore): why a puzzle is unsolvable or suspicious; `--why`: why no plan is shorter
        $ budge explain unsolvable-lane
        $ budge explain level-26 --why
        --why            why no plan is shorter: what each piece needs in any plan, and what every plan passes
        --html FILE      with `--why`: write it with pictures, one file for a browser
        --time-limit TIME  for each puzzle: 90, 10s, 2m (default {budget.EXPLAIN_TIME_LIMIT:g}s,
                         with `--why` {budget.WHY_TIME_LIMIT:g}s)
        {LIMITS}
    plans (explore): how many shortest plans there are, and what they have in common
        $ budge plans level-26
        $ budge plans microban-001 --metric moves
        --intended FILE  an author's solution (`-` for standard input), held against all shortest plans
        --avoid WHAT     count plans that never have a move (`B+3`) or a position (`'B at r4c1'`); may be repeated
        --through WHAT   count plans that have at some time a move or a position; may be repeated
        --time-limit TIME  for each puzzle: 90, 10s, 2m (default {budget.WHY_TIME_LIMIT:g}s)
        {LIMITS}
    replay: step through a plan, board by board
        $ budge replay bird-1 --plan plan.txt
        $ budge replay bird-1 --html bird.html
        $ budge solve bird-1 --json -q | budge replay bird-1 --plan -
        $ budge replay my.yaml --plan plan.txt --svg end.svg --at 12
        --plan FILE           a plan, as `solve --plan-out FILE` or `solve --json` writes it; `-` for standard input;
                              without it, the puzzle is solved first
        --html FILE           write a page that plays the plan, one file for a browser
        --svg FILE            write a picture that plays the plan; with --at, of a position
        --gif FILE            write an animated GIF (needs the extra `gif`)
        --at NUMBER           for --svg: the position after so many moves
        --all                 print all boards, also on a terminal
        --metric
        --time-limit TIME     for solving, without a plan: 90, 10s, 2m (default {DEFAULT})
        puzzles --memory-limit --quiet --color
    compare: run several engines on puzzles
        $ budge compare bird-1 bird-2
        $ budge compare bird-2 --engines astar,cp-sat --time-limit 30s --csv
        $ budge compare level-01 level-02 --html report.html
        --engines NAMES       separated by commas; default: all that know the family
        --metric NAME         what counts as one move; default: each puzzle's own
        --time-limit TIME     for each run: 90, 10s, 2m (default {RUN})
        --memory-limit
        --jobs N              runs at once (default 1: fair times)
        --html FILE           write a report with tables and plots
        --csv                 the rows as CSV, on standard output
        puzzles --json --quiet
    batch: run engines on many puzzles, on many cores or machines, into a store
        $ budge batch experiment.yaml
        $ budge batch boards/ --engines bfs,cp-sat --metrics slides,steps --jobs 2
        $ budge batch boards/ --engines bfs --again --label new-version
        $ budge batch boards/ --engines bfs --cluster tcp://10.0.0.1:8786
        names SPEC|PUZZLE...  the file of one experiment (docs/batch.md); or a puzzle file, a folder of them, a shipped
                              name, a collection
        --store FILE          the database (default: the file's `store`, or {STORE})
        --engines NAMES       separated by commas (default auto)
        --metrics NAMES       separated by spaces or commas; `pushes,moves` is one: use a file
        --time-limit TIME     for each run: 90, 10s, 2m (default {RUN})
        --memory-limit
        --repetitions N       run everything N times (default 1)
        --seeds N,N           run engines that choose by chance with each of these
        --jobs --cluster
        --label NAME          what to call these runs (default: Budge's version)
        --again               run also what is proven; only runs of this label count as done
        --json --quiet
    results: list, compare and export what a store of `batch` holds
        $ budge results results.sqlite
        $ budge results results.sqlite --engine bfs --status unknown --list
        $ budge results results.sqlite --compare old new
        $ budge results results.sqlite --csv > runs.csv
        $ budge results results.sqlite --html report.html
        store STORE     the database that `budge batch` has written
        --label TEXT    only runs of this one: of a session, or its number, or a version of Budge
        --engine TEXT   only runs of this one: its name
        --metric TEXT   only runs of this one: its name
        --family TEXT   only runs of this one: its name
        --puzzle TEXT   only runs of this one: a part of its name or file
        --status optimal|unsolvable|feasible|unknown|unsupported|error  only runs of this one
        --json
    results, one of:
        --sessions      list the sessions
        --list          list every run
        --compare ONE   two labels, sessions or versions
        --csv           every run as CSV, on standard output
        --html FILE     write a report with tables and plots
    site: write puzzles as a web site to play on, which needs no server
        $ budge site boards/ web
        $ budge site boards/ more/ web --time-limit 5m --title 'Our puzzles'
        puzzles
        out DIR             the folder to write: a new one, an empty one, or such a site
        --title TEXT        what the index is called (default Puzzles)
        --time-limit TIME   for each puzzle: 90, 10s, 2m (default {RUN})
        --memory-limit --quiet
    generate: make puzzles: random, hard, minimal, with an optimum that is proven
        $ budge generate rush-hour --seed 7 --time-limit 10m --out made/
        $ budge generate rush-hour --optimum 20-25 --count 10 --plans 1000 --out made/
        $ budge generate sliding-block --size 4x5 --pieces 8-11
        $ budge generate sokoban --size 8x8 --pieces 4 --rounds 20
        $ budge generate n-puzzle --size 3x3 --optimum 20-24
        $ budge generate custom --from my.yaml --length 40
        family FAMILY         rush-hour, sliding-block, sokoban, n-puzzle, or any with --from
        --from PUZZLE         play from this puzzle at random, in place of new boards
        --size WxH            columns and rows (Sokoban: within the outer walls)
        --pieces N-M          how many, the target included; Sokoban: boxes
        --walls NUMBER        on the board (default 0)
        --metric NAME         what the optimum counts; default: the family's own
        --length N            random moves from the puzzle of --from (default 60)
        --optimum N-M         of the puzzles; default: the harder the better
        --plans N             at most N shortest plans
        --dead-ends N         at least N percent of the states are dead ends
        --movers N            at least N pieces move in a shortest plan
        --not-minimal         keep pieces that make no difference
        --certify             write a certificate of each optimum beside its file
        --seed NUMBER         the same seed and rounds, the same puzzles (default 1)
        --rounds N            rounds of the search
        --time-limit TIME     for the search (default {RUN}, without --rounds)
        --count N             puzzles to write (default 1)
        --out DIR             the folder for the puzzle files (default .)
        --jobs --cluster --json --quiet
    verify (compare): check a plan, a claimed optimum, or a table of them
        $ budge verify bird-1
        $ budge verify bird-2 --claim 10
        $ budge verify bird-2 --plan plan.txt --engines none
        $ budge verify bird-1.certificate --puzzle bird-1
        $ budge verify claims.csv --time-limit 5m --json
        --plan FILE           the plan: `A+2 B-1`, LURD, JSON, a planner's actions or a SAT solver's model; `-` for
                              standard input
        --map FILE            what the variables of a model mean (default: FILE.cnf.map.json beside a plan FILE.txt or
                              FILE.cnf.txt)
        --claim COST          the optimum, as is said (`24`; two components: `8,31`), or `unsolvable`
        --puzzle FILE         the puzzle that a certificate has to be about, as it is now: a file, or a name
        --engines NAMES       separated by commas; that prove or refute it; `none`: only replay the plan
        {LIMITS}
    certify: write a certificate of an optimum, for others to check
        $ budge certify bird-1
        $ budge certify bird-1 --claim 23
        $ budge certify microban-001 --metric pushes,moves --claim 8,33
        $ budge certify servais-93 --metric steps --out proof-of-93
        $ budge certify uva-12x12 --at-least 20
        --out DIR         the folder to write (default: PUZZLE.certificate)
        --claim COST      the optimum as you believe it (`24`, `8,31`, or `unsolvable`): say if it is wrong
        --at-least COST   certify a lower bound alone: no plan costs less than this (`24`, `8,31`); the optimum need not
                          be known
        --evidence auto|rules|exhaustion|refutation  rules: all positions by the rules of the puzzle (default auto)
        --dimacs          also write formula.cnf and proof.lrat, for other checkers
        {LIMITS}
    check: read puzzles and report every error
        $ budge check my.yaml
        $ budge check my-puzzles --format github
        --format text|json|github  for people, as an object a line for each file, or as annotations of GitHub Actions
                              (default text)
        puzzles --time-limit --memory-limit --quiet
        --stats               say how large the planning tasks are
        --json                the same as --format json
    show (puzzles): draw puzzles
        $ budge show bird-1 heng-dao-li-ma
        puzzles --color --json
    list (puzzles): list the shipped puzzles
        $ budge list
        $ budge list rush-hour
        $ budge list 'second grid'
        $ budge list --family sokoban --optimum 1-20
        filter [TEXT]   only names, families or titles with it
        --family NAME   only of this family
        --optimum N-M   only with a known optimum in this range
        --known yes|no  only those whose file knows the optimum, or that there is no plan; or those whose file does not
        --json          one JSON object a line for each puzzle
    new (puzzles): write a puzzle file to fill in
        $ budge new rush-hour
        $ budge new sokoban my-level.yaml
        $ budge new custom --grid my.yaml
        family FAMILY   rush-hour, sliding-block, n-puzzle, sokoban, custom, ...
        --grid [FILE]   of `custom`: begin with a map and its legend
        file [FILE]     default: FAMILY.yaml; `-` prints it
    studio: write, play, solve and compare puzzles in the browser
        $ budge studio
        $ budge studio my-puzzles
        $ budge studio bird-2
        $ budge studio --port 9000
        opened [FILE|FOLDER]  a puzzle or a folder of them; default: the current folder. Files are read and written
                              below it only
        --port N              default: 8427, or any that is free
        --no-browser          print the address and open nothing
        --runs N              that may go on at once (default 4)
        --time-limit TIME     the longest that a run may ask for (default 1h)
        --memory-limit SIZE   the most that a run may take, as 512M, 4G (default 4G)
    convert (export): write a collection as puzzle files
        $ budge convert levels.xsb --out levels
        $ budge convert collections --out levels
        $ budge convert cars.csv --piece R --out boards
        $ budge convert odd.txt --signs wall=W,floor=.,box=b,goal=g --out levels
        collection PATH  a collection of levels, or a folder of collections
        --from FORMAT    what the file is: rush-hour-rows, rush-hour-lines, rush-hour-csv, rush-hour-json, klotski-rows,
                         klotski-lines, n-puzzle-rows, n-puzzle-lines, xsb, xsb-rle, slc; default: what it holds;
                         or rush-hour-optima, lines where the number before each board is its optimum
        --piece NAME     the vehicle that must get out, where that is none of those usual (X, R, A, 1)
        --goal WORD      of n-puzzles: blank-last, blank-first or spiral
        --signs SIGNS    of Sokoban, where they are not those of XSB: wall=W,floor=.,goal=o,box=b,player=p,
                         box-on-goal=B,player-on-goal=P; a word may stand there several times
        --out DIR        the folder to write to, made if needed (required)
        --prefix NAME    how the files' names begin; default: the collection's name
        --json           one JSON object for each collection, on standard output
    export: write a puzzle in another format
        $ budge export bird-2 --to dimacs --horizon 9 --out bird-2.cnf
        $ budge export microban-001 --to xsb
        --to FORMAT       the task as pddl, json or problem (for the checker), the model of a horizon as dimacs, cp-sat
                          or lp, or a form of the puzzle's own family: rush-hour-rows, rush-hour-lines, rush-hour-csv,
                          rush-hour-json, klotski-rows, klotski-lines, n-puzzle-rows, n-puzzle-lines, xsb, xsb-rle or
                          slc (required)
        --metric
        --horizon NUMBER  dimacs, cp-sat, lp: how many steps; default: the optimum that the file expects, else a lower
                          bound
        --steps exactly|at-most  dimacs, cp-sat, lp: plans of exactly so many steps (default of dimacs) or at most so
                          many (of the others)
        puzzles --time-limit --memory-limit --quiet
        --out PATH        a folder, or a file (a path with an ending); default: print
    schema (puzzles): print a JSON Schema of puzzle files
        $ budge schema > budge.schema.json
        --family NAME   only this family; default: all that are known
    setup (completion): compile all engines now
        $ budge setup
        $ budge setup --json
        --quiet --json
    completion: print a script that completes command lines in a shell
        $ eval "$(budge completion bash)"
        $ eval "$(budge completion zsh)"
        shell bash|zsh  bash or zsh
    help (completion): explain a command
        $ budge help solve
        topic [COMMAND]  one of those that `budge help` lists
    run of the studio:
        --time-limit TIME     how long it may work (default 60s)
        --memory-limit SIZE   how much its processes may take (default 2G)
    comparison of the studio:
        --time-limit TIME     for each run (default 20s)
        --memory-limit SIZE   of each run (default 2G)
    """


class Command(NamedTuple):
    """A command: a sentence about it, the module of `commands/` that has its function `run_NAME`, and its lines."""

    sentence: str
    module: str
    text: str

    @property
    def examples(self) -> list[str]:
        return re.findall(r"\$ (.*)", self.text)

    @property
    def parameters(self) -> str:
        """The lines of its parameters."""
        return re.sub(r" *\$ .*\n", "", self.text)


TABLE = {
    name: Command(sentence.strip(), module or name, text)
    for name, module, sentence, text in re.findall(
        r"^    (\w[^:(]*?)(?: \((\w+)\))?:(.*)\n((?: {8}.*\n)+)", _TABLE, re.M
    )
}
"""The commands, in the order of the help, and what else has parameters. A function in Python has those of the command
of its name.
"""


@cache
def lines(text: str) -> dict[str, str]:
    """Lines about parameters by the first of their names: `{"--length": "--length N  random moves"}`. Of two lines
    about one parameter the first counts: so a command says what a shared one means there.
    """
    listed: dict[str, str] = {}
    for line in map(str.strip, re.sub(r"\n {20,}", " ", text).split("\n")):
        for part in [line] if "  " in line else line.split():
            listed.setdefault(re.split(r"[\s,]", part)[0], part if "  " in part else lines(SHARED)[part])
    return listed


def settings(line: str) -> tuple[list[str], dict[str, Any]]:
    """The names of a parameter and the settings for `argparse`, by its line."""
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
    if word in KINDS and KINDS[word].of_text is not str:
        settings["type"] = KINDS[word].of_text
    if default := re.search(r"\(default ([^\s:)]+)[:)]", said):
        settings["default"] = default[1]
    if "(required)" in said:
        settings["required"] = True
    if "may be repeated" in said:
        settings |= {"action": "append", "default": []}
    if iskeyword(flags.strip("-")):  # `--from` is read as `arguments.from_`
        settings["dest"] = f"{flags.strip('-')}_"
    return flags.split(","), settings


# How values are read: of texts, on the command line; of values, in Python.


def span(text: str) -> tuple[int, int]:
    """Read a range: `20-25`, or `20` for both ends."""
    match = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", text)
    if not match or (match[2] and int(match[2]) < int(match[1])):
        raise ValueError(f"needs a number or a range, such as 20-25 (got `{text}`)")
    return int(match[1]), int(match[2] or match[1])


def names(text: str) -> list[str]:
    """Read names with commas or spaces between them; at least one."""
    listed = re.findall(r"[^\s,]+", text)
    if not listed:
        raise ValueError("needs at least one name, such as `astar,cp-sat`")
    return listed


def size(text: str) -> tuple[int, int]:
    """Read a size such as `6x6`: columns, then rows."""
    match = re.fullmatch(r"(\d{1,2})[x×](\d{1,2})", text)
    if not match or not int(match[1]) or not int(match[2]):
        raise ValueError(f"needs columns and rows, such as 6x6 (got `{text}`)")
    return int(match[1]), int(match[2])


def _instance(value: Any, types: Any, wanted: str) -> Any:
    if not isinstance(value, types) or (types is int and isinstance(value, bool)):
        raise TypeError(f"is {wanted}, not {shown(value)}")
    return value


_text = partial(_instance, types=str, wanted="a text")


def _whole(value: Any, least: int = 0) -> int:
    number: int = _instance(value, int, "a whole number")
    if number < least:
        raise ValueError(f"is a whole number from {least} on, not {value}")
    return number


def _pair(value: Any, least: int = 0) -> tuple[int, int]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"is two numbers such as (4, 6), not {shown(value)}")
    return _whole(value[0], least), _whole(value[1], least)


def _span(value: Any) -> tuple[int, int]:
    least, most = _pair(value)
    if least > most:
        raise ValueError(f"is the least and the most, and {least} is more than {most}")
    return least, most


def listed(values: Any, what: str, each: Callable[[Any], Any] = lambda value: value, alone: type = str) -> list[Any]:
    """The elements of a list, each read; one of the type `alone` stands for a list of it. Raises `TypeError`."""
    if isinstance(values, alone):
        values = [values]
    return [*map(each, _instance(values, Iterable, f"a list of {what}, or one alone"))]


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"is a list of names, and {shown(value)} is not a name")
    return value


def _plan(value: Any) -> Any:
    return value if isinstance(value, Plan | str) else " ".join(listed(value, "steps"))


def shown(value: object) -> str:
    """A value of the wrong type, in a message."""
    return f"{type(value).__name__} ({str(value)[:40]})"


class Kind(NamedTuple):
    """How values of a kind are read, of a text and of a value in Python. Both raise `ValueError`, with a message that
    fits behind the parameter's name; the second `TypeError`, too.
    """

    of_text: Callable[[str], Any]
    of_value: Callable[[Any], Any]


COST = "a number, a tuple (metrics of two components) or `unsolvable`"

TEXT = Kind(str, _text)

KINDS = dict.fromkeys(("NAME", "TEXT", "FAMILY", "FORMAT"), TEXT) | {
    "N": Kind(partial(budget.whole, least=1), partial(_whole, least=1)),
    "NUMBER": Kind(budget.whole, _whole),
    "N,N": Kind(
        lambda text: [*map(budget.whole, names(text))], partial(listed, what="numbers", each=_whole, alone=int)
    ),
    "N-M": Kind(span, _span),
    "WxH": Kind(size, partial(_pair, least=1)),
    "TIME": Kind(budget.seconds, budget.seconds),
    "SIZE": Kind(budget.mebibytes, budget.mebibytes),
    "NAMES": Kind(names, partial(listed, what="names", each=_name)),
    "WHAT": Kind(str, partial(listed, what="conditions", each=_text)),
    "PUZZLE": Kind(str, partial(listed, what="puzzles")),
    "PLAN": Kind(str, _plan),
    "COST": Kind(str, partial(_instance, types=(int, tuple, str), wanted=COST)),
    "FUNCTION": Kind(str, partial(_instance, types=Callable, wanted="a function")),
}
"""The kinds of values by the word that stands for one in the help; others are texts, and anything in Python."""

IN_PYTHON = """
    puzzles PUZZLE...    one alone stands for a list of it
    --on-event FUNCTION  called with each event
    --on-row FUNCTION    called with each row
    text TEXT            as `filter`
    --intended TEXT      a solution, as `--intended` has it in a file
    --plan PLAN          a plan, its text, or its steps
    answer PLAN          as `--plan`
    --at-least N,N       as `--at-least`
    --variables TEXT     as `--map` has them in a file
    --form NAME          as `--from`
    --steps NAME         as `--steps`
    --evidence NAME      as `--evidence` (default auto)
    """
"""Parameters of functions in Python with another name or kind than on the command line: `form` is its `--from`."""

LIMITED = ("TIME", "SIZE", "FUNCTION")
"""Kinds of values that may always be None in Python: no limit, no function."""


def defaults(command: str) -> dict[str, Any]:
    """What is taken where nothing is given, as it is written, by the names of parameters."""
    return {name: about["default"] for name, about in _by_name(TABLE[command].parameters) if "default" in about}


def read(command: str, given: Mapping[str, Any]) -> Any:
    """The arguments of a function in Python, or the fields of a request, read as the table says of the command of its
    name. Raises `TypeError` or `ValueError` that begin with the name of what cannot be meant.
    """
    asked = SimpleNamespace(**given)
    for name, about in _by_name(IN_PYTHON + TABLE[command].parameters):
        word, needed = about.get("metavar"), {"default", "required", "positional"} & about.keys()
        if name in given and word in KINDS and not (given[name] is None and (word in LIMITED or not needed)):
            try:
                setattr(asked, name, KINDS[word].of_value(given[name]))
            except (TypeError, ValueError) as error:
                raise type(error)(f"`{name}` {error}") from None
    return asked


@cache
def _by_name(text: str) -> list[tuple[str, dict[str, Any]]]:
    """The settings of the parameters in some lines, by the names that they have in Python."""
    found = []
    for flags, about in map(settings, lines(text).values()):
        positional = {} if flags[0][0] == "-" else {"positional": True}
        found.append((flags[0].strip("-").replace("-", "_"), about | positional))
    return found
