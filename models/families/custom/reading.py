"""Custom families in files: reading them with everything that can be wrong.

First what is declared (types, map, tables, the parameters of definitions and actions), so that every name is known;
then the values at the start; then the expressions, each checked against the names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field, replace
from functools import partial

from ...cells import Rows
from ...documents.compose import Entry, Mapping, Node, Scalar, Sequence, describe
from ...documents.document import Report
from ...documents.fields import Fields, Grid, Header, entries, mapping, names, read_grid
from ...documents.write import flow, quoted
from ...errors import Problem, UsageError
from ...family import Keys
from ...moves import Metric, Unit
from ...plan import Plan, end_of
from ...task import OperatorTask
from ...text import counted, suggest
from . import KEYS
from .declarations import NAME, Declarations, Starts, Values, is_wall
from .drawing import read_look, read_looks
from .language.checking import Checker, Definitions
from .language.expressions import Conditional, Const, Expr, Value, text_of
from .language.syntax import Source, parse, sources
from .language.values import Locals, Type, example_of_goal
from .puzzle import (
    NEVER,
    Act,
    ActionSchema,
    Counting,
    Custom,
    Looks,
    Parameters,
    Part,
    TableAssignment,
    ValueTable,
    shown,
)
from .rules import CustomSimulator

# What a file counts: its metrics, and what each action costs in them.


@dataclass
class DeclaredAction:
    """An action whose parameters have been read; its cost is read later. `names`: parameters, and names of `let`."""

    fields: Fields
    entry: Entry
    parameters: Parameters
    names: Locals = field(default_factory=dict)
    cost: Expr = field(default_factory=lambda: Const(1))


def own_metrics(fields: Fields) -> tuple[Metric, ...]:
    """The metrics that a file declares: each component, and both orders of two."""
    node = fields.mapping.get("metrics")
    entries = node.entries if isinstance(node, Mapping) else ()
    units = [unit(entry.key.text.strip()) for entry in entries if entry.key.text.strip().isidentifier()]
    units = units or [unit("moves")]
    pairs = [Metric((units[0], units[1])), Metric((units[1], units[0]))] if len(units) == 2 else []
    return (*(Metric((component,)) for component in units), *pairs)


def unit(many: str) -> Unit:
    """A unit from its plural: `pushes` gives `push`, `moves` gives `move`."""
    if many.endswith(("shes", "ches", "sses", "xes")):
        return Unit(many[:-2], many)
    return Unit(many[:-1] if many.endswith("s") and len(many) > 2 else many, many)


def countings(entries: Iterable[Entry], actions: dict[str, DeclaredAction], checker: Checker) -> tuple[Counting, ...]:
    """For each metric of the file, what each action costs in it; without metrics, the actions' own costs."""
    counted, report = [], checker.report
    own = {name: action.cost for name, action in actions.items()}
    for entry in entries:
        name, value = entry.key.text.strip(), entry.value
        if not name.isidentifier():
            report.error(entry.key, f"`{name[:40]}` cannot be a name", "write a word, as `pushes`")
            continue
        costs: dict[str, Expr] = {}
        if isinstance(value, Scalar) and value.text == "cost":
            costs = own
        elif isinstance(value, Sequence | Mapping):
            listed = value.items if isinstance(value, Sequence) else [part.key for part in value.entries]
            for item in listed:
                action = item.text if isinstance(item, Scalar) else ""
                if action not in actions:
                    report.error(item, f"there is no action {describe(item)}", suggest(action, actions))
                    continue
                priced = value.get(action) if isinstance(value, Mapping) else None
                for source in sources(priced, report, f"`{name}`"):
                    cost = price(checker, source, actions[action].names, f"what `{action}` costs")
                    costs |= {} if cost is None else {action: cost}
                costs |= {} if priced else {action: Const(1)}
        else:
            hint = "write `minutes: cost`, a list of actions, or a mapping of actions to numbers"
            report.error(value, f"`{name}` cannot count {describe(value)}", hint)
        counted.append(Counting(name, costs))
    if not counted:
        counted = [Counting("moves", own)]
    return tuple(counted)


def price(checker: Checker, source: Source, names: Locals, what: str) -> Expr | None:
    """The expression of a cost; None, with the problem recorded, unless it is a number that is not negative, `never`,
    or either by a condition: `1 if n == 1 else never`.
    """
    tree = source.tree
    if isinstance(tree, ast.Name) and tree.id == "never":
        return NEVER
    if isinstance(tree, ast.IfExp) and isinstance(tree.orelse, ast.Name) and tree.orelse.id == "never":
        possible = checker.condition(replace(source, tree=tree.test), names, what)
        cost = price(checker, replace(source, tree=tree.body), names, what)
        return possible and cost and Conditional(possible, cost, NEVER)
    typed = checker.any(source, names)
    if typed is None:
        return None
    if typed[1].kind != "number" or typed[1].high < 0:
        given = typed[1].describe()
        if typed[1].kind == "number":
            given = str(typed[1].high) if typed[1].low == typed[1].high else f"one of {typed[1].low}..{typed[1].high}"
        message = f"{what} must be a number that is not negative, not {given}"
        checker.report.error(source.span(source.tree), message)
        return None
    return typed[0]


def read(fields: Fields, header: Header) -> tuple[Header, Custom]:
    """Read a `custom` document. Raises `PuzzleError` with all problems of the file."""
    return header, _CustomReader(fields).read()


@dataclass
class _CustomReader:
    """Reads one file."""

    fields: Fields
    places: dict[Part, Problem] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.report: Report = self.fields.report
        self.declarations = Declarations(self.report)
        self.scope = self.declarations.scope
        self.starts = Starts(self.report, self.scope)
        self.definitions = Definitions(self.report)
        self.checker = Checker(self.scope, self.report, self.definitions.result_of)

    def read(self) -> Custom:
        # Names first: types, map, tables, then the parameters of definitions and actions.
        grid = self._map()
        legend = self.fields.node("legend")
        self.declarations.types(self.fields.node("types"))
        state, constants = self._tables("state", "the state"), self._tables("constants", "constants")
        self.scope.state = {name: signature for name, (signature, _, _) in state.items()}
        self.scope.constants = {name: signature for name, (signature, _, _) in constants.items()}
        if grid is not None:
            self.starts.place(grid, legend)
        defined = self.declarations.entries(self.fields.node("define"), "define", "solved: all(lit)")
        self.definitions.declare(defined, self.declarations)
        actions = self._declare_actions()
        # Then values at the start, and last the expressions, which may use all names.
        values = {name: self._values(*table, "start") for name, table in state.items()}
        fixed = {name: self._values(*table, "value") for name, table in constants.items()}
        self._unknown_starts()
        self._check_different(state, values)
        self.definitions.check(self.checker)
        actions = [replace(action, names=self._names(action)) for action in actions]
        read_actions = [self._action(action) for action in actions]
        always = self._conditions(self.fields.node("always"), {}, "`always`", ("always",))
        goal_node = self.fields.node("goal", required=True, example=f"goal: {example_of_goal(self.scope)}")
        goal = self._conditions(goal_node, {}, "`goal`", ("goal",))
        entries = self.declarations.entries(self.fields.node("metrics"), "metrics", "minutes: cost")
        counted = countings(entries, {action.entry.key.text: action for action in actions}, self.checker)
        looks = self._looks(grid)
        empty = {"actions": ("there are no actions", "add one"), "state": ("there is no state", "add a table")}
        for key, (message, hint) in empty.items():
            node = self.fields.node(key, required=True, example=f"{key}:")
            if isinstance(node, Mapping) and not node.entries:
                self.report.error(self.fields.mapping.key(key), message, f"{hint} below `{key}:`")
        self.report.raise_if_any()
        assert looks is not None
        self._place(entries)
        return Custom(
            directions=dict(self.scope.directions),
            state={name: replace(table, values=values[name]) for name, table in self.scope.state.items()},
            constants={name: replace(table, values=fixed[name]) for name, table in self.scope.constants.items()},
            definitions={name: typed[0] for name, typed in self.definitions.checked.items() if typed is not None},
            actions={action.name: action for action in read_actions if action is not None},
            always=always,
            goal=goal,
            countings=counted,
            goal_words=(aim,) if (aim := self.fields.text("aim")) else _words(goal_node),
            grid=grid.rows if grid is not None else (),
            cells=self.scope.cells,
            looks=looks,
            signs=self._signs(grid, legend),
            texts=_texts(self.fields.mapping, self.report),
            places=self.places,
        )

    def _place(self, metrics: Iterable[Entry]) -> None:
        """Keep the places in the file of `actions`, `draw` and the costs in `metrics`, for later messages."""
        places: dict[Part, str] = {(): "actions", ("draw",): "draw"}
        for part, key in places.items():
            self.places[part] = self.report.problem(self.fields.mapping.key(key))
        for entry in metrics:
            for cost in entry.value.entries if isinstance(entry.value, Mapping) else ():
                self.places["metrics", entry.key.text.strip(), cost.key.text] = self.report.problem(cost.value)

    # What is declared

    def _map(self) -> Grid | None:
        """The map and its cells."""
        node, legend = self.fields.node("grid"), self.fields.node("legend")
        grid = read_grid(node, self.report, "grid") if node is not None else None
        ways = self.fields.node("directions")
        if grid is None:
            for key, said, what in (("legend", legend, "a `legend`"), ("directions", ways, "`directions`")):
                if said is not None and node is None:
                    self.report.error(self.fields.mapping.key(key), f"{what} without a `grid`", "add `grid: |`")
            if node is not None:  # with errors: go on with one cell, so that `cell` is a type
                self.declarations.directions(ways, [(0, 0)])
            return None
        self.declarations.directions(ways, self.starts.cells(grid, legend))
        if not self.scope.cells:
            self.report.error(grid.node, "the map has no cell, only walls")
        return grid

    def _tables(self, key: str, kind: str) -> dict[str, tuple[ValueTable, Node | None, Scalar]]:
        """The tables of the state or of constants, each with the node of its values and its own key."""
        tables = {}
        for entry in self.declarations.entries(self.fields.node(key), key, "at: {of: item, in: bank}"):
            value = entry.value
            if kind == "constants" and isinstance(value, Scalar):
                value = self._number(value)
            read = self.declarations.signature(entry.key, value, kind)
            if read is not None:
                signature, fields = read
                tables[signature.name] = (signature, fields.node("start" if key == "state" else "value"), entry.key)
        return tables

    @staticmethod
    def _number(value: Scalar) -> Node:
        """The constant `size: 5` written out as a table with this one value."""
        if not isinstance(value.value, int):
            return value

        def word(text: str) -> Scalar:
            return Scalar(text, value.span)

        text = f"{value.value}..{value.value}" if not isinstance(value.value, bool) else "bool"
        return Mapping((Entry(word("in"), word(text)), Entry(word("value"), value)), value.span)

    def _declare_actions(self) -> list[DeclaredAction]:
        actions = []
        for entry in self.declarations.entries(self.fields.node("actions"), "actions", "row:"):
            if not NAME.fullmatch(entry.key.text):
                message = f"`{entry.key.text[:40]}` cannot be the name of an action"
                self.report.error(entry.key, message, "write letters, digits and `_`, as `push_left`")
            what = f"the action `{entry.key.text}`"
            value = mapping(entry.value, self.report, what, "write `when:` and `set:` below it")
            if value is None:
                continue
            inner = Fields(value, self.report, names(KEYS, "actions"), what)
            parameters = self.declarations.parameters(inner.node("with"), what)
            actions.append(DeclaredAction(inner, entry, parameters))
        return actions

    # Values

    def _values(self, signature: ValueTable, node: Node | None, key: Scalar, what: str) -> Values:
        start = self.fields.mapping.get("start")
        if what == "start" and isinstance(start, Mapping) and start.get(signature.name) is not None:
            node = start.get(signature.name)
            self.starts.placed.pop(signature.name, None)  # `start` says all of a table, and the map nothing
        return self.starts.table(signature, node, key, what)

    def _unknown_starts(self) -> None:
        for entry in self.declarations.entries(self.fields.node("start"), "start", "boat: left"):
            if entry.key.text not in self.scope.state:
                message = f"there is no table `{entry.key.text[:40]}` in `state`"
                self.report.error(entry.key, message, suggest(entry.key.text, self.scope.state))

    def _check_different(
        self, tables: dict[str, tuple[ValueTable, Node | None, Scalar]], values: dict[str, Values]
    ) -> None:
        """Report tables marked as `different` in which two values are equal at the start."""
        for name, (signature, _, key) in tables.items():
            seen: dict[Value, tuple[Value, ...]] = {}
            for args, value in values[name].items() if signature.different else ():
                first = seen.setdefault(value, args)
                if first != args:
                    both = " and ".join(f"`{shown((name, place))}`" for place in (first, args))
                    self.report.error(key, f"{both} are equal at the start, and are to be different")
                    break

    # Expressions

    def _conditions(self, node: Node | None, names: Locals, what: str, part: Part) -> tuple[Expr, ...]:
        conditions = []
        for source in sources(node, self.report, what):
            if (expr := self.checker.condition(source, names, what)) is not None:
                conditions.append(expr)
                self.places[*part, len(conditions)] = self.report.problem(source.span(source.tree))
        return tuple(conditions)

    def _action(self, action: DeclaredAction) -> ActionSchema | None:
        name, fields = action.entry.key.text, action.fields
        names = action.names
        self.places["actions", name] = self.report.problem(action.entry.key)
        when = self._conditions(fields.node("when"), names, f"`when` of `{name}`", ("actions", name, "when"))
        node = fields.node("set", required=True, example="set:")
        assignments = []
        example = "write one assignment a line below `set:`, as `boat: other(boat)`"
        for entry in entries(node, self.report, "`set`", example):
            if (assignment := self._assignment(entry, names)) is not None:
                assignments.append(assignment)
                self.places["actions", name, "set", len(assignments)] = self.report.problem(entry.value)
        for source in sources(fields.node("cost"), self.report, f"`cost` of `{name}`"):
            action.cost = price(self.checker, source, names, f"`cost` of `{name}`") or Const(1)
            self.places["actions", name, "cost"] = self.report.problem(source.span(source.tree))
        return ActionSchema(name, action.parameters, when, tuple(assignments))

    def _names(self, action: DeclaredAction) -> Locals:
        """The names that the expressions of an action may use: its parameters, and those of `let`."""
        title = action.entry.key.text
        names: dict[str, Type] = {parameter: Type.of(domain) for parameter, domain in action.parameters}
        for entry in self.declarations.entries(action.fields.node("let"), "let", "next: at[x] + d"):
            name = entry.key.text
            self.declarations.local(entry.key, names, f"a name in `let` of `{title}`")
            for source in sources(entry.value, self.report, f"`{name}`"):
                names[name] = self.definitions.let(self.checker, f"{title}.{name}", source, action.parameters, names)
        return names

    def _assignment(self, entry: Entry, names: Locals) -> TableAssignment | None:
        """One assignment of `set`: `at[x]: left`, or `lit[n] for n in neighbours(c): not lit[n]`."""
        what = "a place in `set`"
        target = parse(entry.key, self.report, what)
        if target is None:
            return None
        if not isinstance(entry.value, Scalar):
            self.report.error(entry.value, f"the value of `{entry.key.text[:40]}` must be an expression")
            return None
        source = parse(entry.value, self.report, f"the value of `{entry.key.text[:40]}`")
        if source is not None and isinstance(source.tree, ast.GeneratorExp):
            written = source.written(source.tree.elt)
            message = "the loop belongs to the place that is set, not to its value"
            hint = f"write `{target.written(target.tree)} {source.behind(source.tree.elt)}: {written}`"
            self.report.error(source.span(source.tree), message, hint)
            return None
        place = self.checker.target(target, names)
        if place is None and source is not None and not isinstance(target.tree, ast.GeneratorExp):
            self.checker.any(source, names)  # for its own errors
        if place is None or source is None:
            return None
        name, args, loops, inner = place
        value = self.checker.value(source, inner, self.scope.state[name].domain, f"the new value of `{name}`")
        return None if value is None else TableAssignment(name, args, value, loops)

    # Metrics, and how it looks

    def _looks(self, grid: Grid | None) -> Looks | None:
        looks = read_looks(self.fields.node("draw"), self.report, self.checker, grid is not None)
        if looks is None:
            return None
        legend = self.fields.node("legend")
        named = [entry.key.text for entry in legend.entries] if isinstance(legend, Mapping) else []
        chars = {*named, *"".join(grid.rows)} if grid is not None else set[str]()
        look = self.fields.node("look")
        own = {key for key in ("look", "draw", "legend", "types") if self._is_own(self.fields.node(key))}
        kept = read_look(look, self.report, self.checker, looks, chars, inherited=bool(own) and "look" not in own)
        return replace(looks, look=kept)

    def _is_own(self, node: Node | None) -> bool:
        """Whether a value stands in the puzzle's own file, not in that of its family."""
        return node is not None and self.report.problem(node).file == self.report.file

    def _signs(self, grid: Grid | None, legend: Node | None) -> dict[str, frozenset[str]]:
        """What each character of the legend but a wall puts on a cell, in words, to draw states as the map is drawn."""
        if grid is None or not isinstance(legend, Mapping):
            return {}
        signs = {}
        for entry in legend.entries:
            if is_wall(entry.value, entry.key.text):
                continue
            words = set()
            for name, value, _ in self.starts._legend(entry.value):
                if value is None and name not in self.starts.tables and (homes := self.starts.homes(name)):
                    words.add(f"{homes[0].name}={name}")
                    continue
                items = value.items if isinstance(value, Sequence) else (value,)
                for item in items:
                    text = item.text if isinstance(item, Scalar) else ""
                    words.add(f"{name}={text}" if text and text not in ("here", "true") else name)
            signs[entry.key.text] = frozenset(words)
        return signs


def _words(node: Node | None) -> Rows:
    """The goal as the author wrote it, in one line."""
    items = node.items if isinstance(node, Sequence) else (node,)
    return (" and ".join(" ".join(item.text.split()) for item in items if isinstance(item, Scalar)),)


def _texts(mapping: Mapping, report: Report) -> dict[str, str]:
    """The family's own keys as they stand in the file: the text behind each `key:`, up to the next key.

    A mapping of which one part stands in a file of rules and one in the puzzle is written anew.
    """
    files = [*(first for first, _ in report.included), len(report.lines)]
    starts = sorted([*(entry.key.span.line for entry in mapping.entries), *report.keys, *files])
    keys = names(KEYS)
    texts = {}
    for entry in mapping.entries:
        if entry.key.text in keys:
            first = entry.key.span.line
            file = next(line for line in files if line > first)  # where the next file begins
            lines = report.lines[first : next(line for line in starts if line > first)]
            head = lines[0].split(":", 1)[1].strip()
            texts[entry.key.text] = "\n".join([head, *lines[1:]]).rstrip()
            parts = entry.value.entries if isinstance(entry.value, Mapping) else ()
            if any(part.key.span.line >= file for part in parts):
                texts[entry.key.text] = written(entry.value)
    return texts


def write(puzzle: Custom, board: Rows) -> Keys:
    """The keys as they stand in the file of the puzzle. Other positions: `write_after`."""
    if tuple(board) != CustomSimulator(puzzle).board():
        raise UsageError(
            "a drawing of a custom puzzle may not show all of its position; give the plan that leads there (`after`)"
        )
    return dict(puzzle.texts)


# Custom puzzles as keys of a file, from any position: the keys as the author wrote them, and the position as `start`.
#
#     start:
#       at: {wolf: left, goat: right, cabbage: left}
#       boat: right
#       lit: [r1c1, r2c3]
#
# A drawing may leave out a part of the state, so a position is given by the plan that leads to it.

ValuesByPlace = AbstractMapping[tuple[Value, ...], Value]


def write_after(puzzle: Custom, plan: Plan) -> Keys:
    """The keys of the puzzle that starts where a plan ends. Raises `ReplayError` if the rules forbid the plan."""
    state = end_of(plan, partial(CustomSimulator, puzzle), Act).state
    if state == puzzle.start():
        return dict(puzzle.texts)
    lines = [""]
    for table in puzzle.state.values():
        values = {args: state[table.name, args] for args in table.values}
        lines.append(f"  {table.name}: {flow(_written(table, values))}")
    return {**puzzle.texts, "start": "\n".join(lines)}


def _written(table: ValueTable, values: ValuesByPlace, before: tuple[Value, ...] = ()) -> object:
    """The values of a table below some arguments, as a file has them.

    One value as it is; of truth values, the arguments for which they are true; a list in the order of numbers; else a
    mapping from arguments to values.
    """
    domains = table.of[len(before) :]
    if not domains:
        return _word(values[before])
    first = domains[0]
    names_truth = {"true", "false"} & set(map(text_of, first.values))
    if len(domains) == 1 and table.domain.kind == "truth" and not names_truth:
        return [_word(arg) for arg in first.values if values[*before, arg]]
    parts = {_word(arg): _written(table, values, (*before, arg)) for arg in first.values}
    if first.kind == "number" and table.domain.kind != "truth":
        return list(parts.values())
    if table.domain.kind == "truth":  # what is not named is false
        parts = {arg: inner for arg, inner in parts.items() if inner != []}
    return parts


def written(node: Node) -> str:
    """A value of a file as YAML in one line."""
    if isinstance(node, Scalar):
        return quoted(node.text) if isinstance(node.value, str) else node.text
    if isinstance(node, Sequence):
        return f"[{', '.join(map(written, node.items))}]"
    return f"{{{', '.join(f'{written(entry.key)}: {written(entry.value)}' for entry in node.entries)}}}"


def _word(value: Value) -> str | int:
    return text_of(value) if isinstance(value, tuple) else value


# What `budge explain` says of a custom puzzle: actions that never apply, and state that never changes.
#
# Both are asked of the delete relaxation (`leaves`), in which what a variable once was it stays: an action that
# does not apply there, and a variable that keeps its value there, do so for certain.

NAMED = 4


def remarks(puzzle: Custom, task: OperatorTask) -> Iterator[str]:
    """Sentences on what is suspicious. `task`: the puzzle, grounded."""
    relaxed = puzzle.relaxed[task.metric]
    for name in puzzle.within(task.metric).actions:
        if name not in relaxed.actions:
            yield f"the action `{name}` can never apply, whatever its parameters"
    still: dict[str, list[str]] = {}
    for (table, args), reached in zip(puzzle.start(), relaxed.reached, strict=True):
        if not reached & (reached - 1):
            still.setdefault(table, []).append(shown((table, args)))
    for table, places in still.items():
        if len(places) == len(puzzle.state[table].values):
            yield f"`{table}` never changes: a constant says the same, and makes a smaller task"
        elif not puzzle.cells:  # of a map, many cells keep what stands on them
            more = f" and {len(places) - NAMED:,} more" if len(places) > NAMED else ""
            yield f"{counted(len(places), 'variable')} of `{table}` never change: {', '.join(places[:NAMED])}{more}"
