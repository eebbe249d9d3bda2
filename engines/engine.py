"""What an engine is: a record of how to call it, what it promises, and all that is special about it.

No other room names an engine, and the table of engines (`table`) finds them by looking through the folders of this
room. The command line makes its options and their help from the records, the portfolio lines its members up by their
`PortfolioRole`, the plots draw by their `PlotStyle`, `budge verify` asks those that say so.
`tests/engines/test_toy_engine.py` adds an engine from outside the package.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from ..analysis.heuristics import SHARED_RULES, heuristic_names
from ..analysis.parity import impossible
from ..models.errors import UsageError
from ..models.program import ProgramTask
from ..models.task import Costs, Form, OperatorTask, Task
from ..models.text import suggest
from ..runtime.budget import Budget
from ..runtime.events import Progress, silent, told_by
from ..runtime.kernels import library
from ..runtime.outcome import Outcome

if TYPE_CHECKING:
    from ..models.puzzle import Puzzle

MOMENT = 0.1
"""Seconds for which plain search is tried before anything that is compiled."""

Solve = Callable[..., Outcome]
"""`solve(task, budget, progress, **options) -> Outcome`. It asks `budget.stopped()` often, tells what it proves and
finds to `progress`, and makes its outcome by a `runtime.outcome.Recorder`."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an engine: a keyword of its `solve`, and `--name` on the command line.

    `type` is int, float or str; a value of None stands for the `default` that the engine chooses itself. A word is one
    of `choices`, if there are any, or `several` of them with commas between; a number is at least `least` and at most
    `most`. `sentence` says what it is for.
    """

    name: str
    type: type[int] | type[float] | type[str]
    default: int | float | str | None
    sentence: str
    choices: tuple[str, ...] = ()
    several: bool = False
    least: float | None = None
    most: float | None = None

    @property
    def flag(self) -> str:
        """The name of the option on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def metavar(self) -> str:
        return {int: "N", float: "X", str: "NAME"}[self.type]

    def parse(self, text: str) -> int | float | str:
        """The value that a text on the command line means. Raises `UsageError`."""
        try:
            return self.checked(self.type(text))
        except ValueError:
            raise UsageError(f"{self.flag} needs {self._wanted} (got `{text}`)") from None

    def checked(self, value: Any) -> int | float | str:
        """The value, after checking type, choices and range. Raises `UsageError`."""
        if self.choices:
            for word in str(value).split(",") if self.several else [str(value)]:
                if word not in self.choices:
                    kind = "heuristic or pruning rule" if self.several else self.name.replace("_", " ")
                    raise UsageError(f"no {kind} `{word}`; {suggest(word, self.choices)}")
            return str(value)
        kinds = (int, float) if self.type is float else self.type
        fits = isinstance(value, kinds) and not isinstance(value, bool)
        if not fits or not self._within(value):
            raise UsageError(f"{self.flag} needs {self._wanted} (got `{value}`)")
        result: int | float | str = value
        return result

    def _within(self, value: Any) -> bool:
        """Whether a number is within its bounds, and not NaN."""
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    @property
    def _wanted(self) -> str:
        kind = {int: "a whole number", float: "a number", str: "a word"}[self.type]
        if self.least is None:
            return kind
        return f"{kind} from {self.least:g} " + ("on" if self.most is None else f"to {self.most:.0f}")


class TaskKind(Enum):
    """The kind of a task, seen without any analysis; the portfolio chooses engines by it. The value says it in
    words.
    """

    PROGRAMS = "actions are programs"
    COSTS_DIFFER = "steps differ in cost"
    ONE_OBJECT = "one movable object takes part in every operator"
    SEVERAL_GOALS = "the goal has several clauses"
    ONE_GOAL = "the goal has one clause"


@dataclass(frozen=True, slots=True)
class PortfolioRole:
    """What an engine does in the portfolio `auto`.

    The engines of a `queue` work one after the other, the queues next to each other. `rank_by_kind`: for which kinds of
    tasks it is lined up, and where; the least rank comes first. `seconds`: the time that it has at most. `memory`: the
    part of the memory limit that it may have, if it would fill all of it but goes on with less. `niceness`: how much it
    stands back behind the others where cores are few (nice(2)); a search for a quick plan only when it has had a moment
    or has its plan. `to_the_limit`: with this word, its `solve` improves plans as long as it may. `try_first`: it is
    tried for a moment before the queues begin, for it solves small tasks at once; first those that run no compiled
    code.
    """

    queue: Literal["search", "solver", "quick plan"]
    rank_by_kind: Mapping[TaskKind, int] = field(default_factory=lambda: dict.fromkeys(TaskKind, 0))
    seconds: float | None = None
    memory: float = 1.0
    niceness: int = 0
    to_the_limit: bool = False
    try_first: bool = False


@dataclass(frozen=True, slots=True)
class PlotStyle:
    """An engine in plots: a colour and a marker (`views.plots.MARKERS`).

    `duel`: the side on which it stands where search is held against the solver; both sides promise an optimum. `blind`:
    it meets every state up to the optimum, so that their number says how large a puzzle is.
    """

    colour: str = "#808080"
    marker: str = "."
    duel: Literal["search", "solver"] | None = None
    blind: bool = False


@dataclass(frozen=True, slots=True)
class Programs:
    """What is special about how an engine solves tasks whose actions are programs (`models.program.ProgramTask`).

    `compiled`: it runs kernels on all of them, which have to be there before. `refuses`: the function `refusal(task)`
    of its module says why it cannot solve a task, or None; otherwise, it can solve all. `costs`: which it understands;
    the others it refuses.
    """

    compiled: bool = True
    refuses: bool = False
    costs: Costs = Costs.ANY


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One way of solving: what is special about it; all but the name has a default.

    `module`: the name of the module with its function `solve`, which is imported when the engine is first used; or
    `solve` itself. `order` is its place in lists and tables: the smallest number comes first, and is the default.
    `title` names it in headings, `sentence` says what it does. `also_loads`: modules that are loaded before the clock
    starts, beside its own. `compiled`: it runs kernels; if they differ from task to task, `compile_kernels(task,
    budget)` of its module calls all that it runs on the task of a sample (`lab.make_kernels`). `reads`: what its
    `solve` takes: the task, one of programs only, or a view of the puzzle that some families offer (`LaneBoard`); other
    puzzles it cannot solve. `costs`: which it understands in operators; it refuses others. `programs`: how it solves
    puzzles that have too many operators to enumerate, if it can. One that does not promise an optimum is done when it
    has a plan. One that is not `prompt` uses a solver that does not always look at the clock, or at Ctrl-C: where
    limits are to be hard it gets a process of its own. `refuses(task)`: why it cannot solve a task of operators, None
    if it can; without it, it can solve all. `verifies`: `budge verify` asks it unless other engines are
    named; those that do should have as little as possible in common. `certifies`: `budge verify` asks it first, for a
    moment, and the checker of certificates finds its answer again; it takes every task as it is. `portfolio`: it is
    made of other engines, `members()` of its module, and prepares them
    itself, when it needs them. `weight`: the factor on the estimates of a heuristic in plain Python (`HEURISTIC`), 1
    for A*; 0 for iterative deepening.
    """

    name: str
    module: str = ""
    solve: Solve | None = None
    order: int = 1000
    title: str = ""
    sentence: str = ""
    options: tuple[Option, ...] = ()
    also_loads: tuple[str, ...] = ()
    compiled: bool = False
    programs: Programs | None = None
    refuses: Callable[[OperatorTask], str | None] | None = None
    reads: type = OperatorTask
    costs: Costs = Costs.ANY
    promises_optimum: bool = True
    prompt: bool = True
    verifies: bool = False
    certifies: bool = False
    portfolio: bool = False
    role: PortfolioRole | None = None
    style: PlotStyle = PlotStyle()
    weight: int = 1

    @property
    def forms(self) -> Mapping[Form, Costs]:
        """The forms of tasks that the engine solves, each with the costs that it understands there."""
        operators = {Form.OPERATORS: self.costs} if self.reads is OperatorTask else {}
        return operators | ({Form.PROGRAMS: self.programs.costs} if self.programs else {})

    def runs(self, task: Task) -> bool:
        """Whether the engine solves a task in this form, of operators or programs."""
        return (Form.PROGRAMS if isinstance(task, ProgramTask) else Form.OPERATORS) in self.forms

    def imported(self) -> Any:
        """The engine's module, imported now."""
        return import_module(self.module)

    def refusal(self, task: Task) -> str | None:
        """Why the engine, which solves tasks in this form, cannot solve this one; None if it can."""
        if isinstance(task, OperatorTask):
            return self.refuses(task) if self.refuses else None
        if self.programs is None or not self.programs.refuses:
            return None
        reason: str | None = self.imported().refusal(task)
        return reason

    def takes(self, puzzle: Puzzle) -> bool:
        """Whether the engine solves such puzzles. One that refuses tasks is asked about the task in the puzzle's own
        metric.
        """
        if self.refuses is None or not puzzle.offers(self.reads):
            return puzzle.offers(self.reads)
        try:
            task = puzzle.form(puzzle.header.metric)
        except UsageError:
            return False
        return isinstance(task, OperatorTask) and self.refuses(task) is None

    def runs_compiled(self, view: Any) -> bool:
        """Whether all kernels have to be there before the engine begins with a view of a puzzle."""
        if isinstance(view, ProgramTask):
            return self.programs is not None and self.programs.compiled
        return self.compiled

    def load(self, view: Any = None) -> None:
        """Import the modules of the engine, or of the engines that it runs; for a `view` with actions that are programs
        only what runs these.
        """
        if self.module:
            self.imported()
        if not (self.programs and isinstance(view, ProgramTask)):
            for member in self.imported().members() if self.portfolio else ():
                member.load()
            for module in self.also_loads:
                import_module(module)
        if self.runs_compiled(view):
            library()

    def checked(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options, after checking that the engine has them and allows the values. Raises `UsageError`."""
        known = {option.name: option for option in self.options}
        for name in options:
            if name not in known:
                has = suggest(name, known) or "it has none"
                raise UsageError(f"the engine `{self.name}` has no option `{name}`; {has}")
        return {name: known[name].checked(value) for name, value in options.items() if value is not None}

    def guided(self, options: Mapping[str, Any]) -> Engine:
        """The engine to run: with the option `--heuristic FILE` its search in plain Python, guided by that file, for
        which nothing has to be compiled; otherwise this engine.
        """
        path = options.get(HEURISTIC.name)
        if path is None:
            return self
        from .common.plain_search import solve_with

        search = partial(solve_with, path=path, weight=self.weight)
        return replace(self, module="", also_loads=(), compiled=False, programs=Programs(compiled=False), solve=search)

    def run(self, view: Any, budget: Budget, progress: Progress = silent, **options: Any) -> Outcome:
        """Solve a task, of operators or programs, or the view that the engine reads. Its events carry its name."""
        if isinstance(view, OperatorTask) and (why := impossible(view)) and not view.unsolvable_because:
            view = replace(view, unsolvable_because=why)
        solve = self.solve or self.imported().solve
        outcome: Outcome = solve(view, budget, told_by(self.name, progress), **options)
        return outcome


# Options that several engines have: above all `--without`, which switches off heuristics and pruning rules by name
# (`--without conflicts,corrals`).

HORIZON_LIMIT = Option(
    "horizon_limit", int, None, "give up when it is proven that no plan has at most N steps", least=1
)

HEURISTIC = Option(
    "heuristic", str, None, "search in plain Python, with the function `value(state)` of a file: `--heuristic FILE.py`"
)
"""For searches with estimates: A*, IDA* and weighted A* with a heuristic of one's own (`common.own_heuristic`)."""

SEED = Option(
    "seed", int, None, "what its random choices begin with: the same seed, the same choices", least=0, most=2**31 - 1
)
"""For engines that make random choices. None, the default, is a seed too, always the same."""


SPARE_OBJECTS = "spare-objects"
"""With this word in `--without`, objects that no plan needs stay in the task (`analysis.spare_objects`)."""


INTERCHANGEABLE = "interchangeable"
"""With this word in `--without`, states that differ only by interchangeable objects are told apart."""


def without_option(rules: Iterable[str], shared: Iterable[str] = SHARED_RULES, *, blind: bool = False) -> Option:
    """The option `--without` of an engine: every heuristic (not of a `blind` search), the `shared` rules of estimates,
    `rules` of its own, and what a task is made simpler by.
    """
    known = () if blind else (*heuristic_names(), *shared, *rules)
    return Option(
        "without",
        str,
        None,
        "heuristics and pruning rules that are not used, with commas between their names",
        choices=(*known, SPARE_OBJECTS, INTERCHANGEABLE),
        several=True,
    )


def switched_off(option: Option, without: str | None) -> frozenset[str]:
    """The names that an option's value switches off. Raises `UsageError` for one that is not known."""
    return frozenset(str(option.checked(without)).split(",")) if without else frozenset()
