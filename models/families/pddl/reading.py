"""Reading PDDL: the texts of a domain and a problem become a `Pddl`, or an error with all that is wrong with them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import dedent, fill

from ...cells import Rows
from ...documents.fields import Fields, Header
from ...documents.files import FileError
from ...errors import Problem, PuzzleError
from ...family import Keys
from ...plan import Plan, end_of
from ...text import suggest
from ..custom.language import expressions as ex
from ..custom.language.expressions import Expr, in_order, parts
from ..custom.puzzle import Act, Domain
from ..custom.puzzle import Definition as CustomDefinition
from .files import decoded, is_translated, text_of_key
from .problem import TRUE, AtomEffect, GroundAtom, Pddl, PddlAction, PddlSimulator, Price, atom_of
from .sas import read_sas, started
from .syntax import OBJECT_FUNCTIONS, REFUSED, TIMED, Definition, Group, Node, PddlFile, Word, read_definitions, refuse
from .vocabulary import ConditionReader, EffectReader, Vocabulary, whole

STEPS = "total-time"
"""The metric that, where no action takes time, counts the actions of a plan."""


def read_pddl(domain_text: str, domain_file: str, problem_text: str, problem_file: str) -> Pddl:
    """Read a domain and a problem. Raises `PuzzleError` with everything that is wrong in both files."""
    files = PddlFile.of(domain_text, domain_file), PddlFile.of(problem_text, problem_file)
    result = _read(*read_definitions(*files))
    problems = [problem for file in files for problem in file.report.problems]
    if problems:
        raise PuzzleError(problems, sum(file.report.dropped for file in files))
    assert result
    return result


def _read(domain: Definition | None, problem: Definition | None) -> Pddl | None:
    """What the two say together; as far as it can be read, if one of them is missing."""
    vocabulary = Vocabulary()
    if not domain:
        return None
    vocabulary.read_types(domain.file, domain.items(":types"))
    vocabulary.read_objects(domain.file, domain.items(":constants"))
    if problem:
        vocabulary.read_objects(problem.file, problem.items(":objects"))
    vocabulary.read_predicates(domain.file, domain.items(":predicates"))
    vocabulary.read_functions(domain.file, domain.items(":functions"))
    minimized = _minimized(problem) if problem else ""
    if vocabulary.functions.get(minimized) == () and minimized != STEPS:
        vocabulary.cost = minimized
    reader = ConditionReader(domain.file, vocabulary)
    derived = _derived(reader, domain.derived)
    actions: dict[str, PddlAction] = {}
    places: dict[tuple[str, ...], Problem] = {("domain",): domain.file.place(domain.start)}
    for group in domain.actions:
        action = _action(reader, group)
        if action and action.name in actions:
            line = places["action", action.name].line
            message = f"the action `{action.name}` is declared twice, first on line {line}"
            domain.file.error(group.items[1], message, "rename or remove one of them")
        elif action:
            actions[action.name] = action
            places["action", action.name] = domain.file.place(group)
    if not problem:
        return None
    places["problem",] = problem.file.place(problem.start)
    for section in (":goal", ":init", ":metric"):
        if section in problem.sections:
            places[section[1:],] = problem.file.place(problem.sections[section])
    _check_domain(problem, domain)
    reader = ConditionReader(problem.file, vocabulary)
    init, values = _start(reader, problem)
    goal = _goal(reader, problem)
    if minimized not in (vocabulary.cost, STEPS):
        hint = "write `(:metric minimize (total-cost))`, or leave it out: then every action costs 1"
        problem.file.error(problem.sections[":metric"], "only the total cost is minimized", hint)
    changed = {effect.atom[0] for action in actions.values() for effect in action.effects}
    return Pddl(
        domain=domain.name,
        name=problem.name,
        objects={name: types[0] for name, types in vocabulary.objects.items()},
        predicates={
            name: tuple([vocabulary.objects_of(kinds) for kinds in types])
            for name, types in vocabulary.predicates.items()
            if name not in derived
        },
        static=frozenset(vocabulary.predicates) - changed - derived.keys(),
        actions=tuple(actions.values()),
        init=frozenset(init),
        values=values,
        goal=goal,
        priced=minimized == vocabulary.cost,
        domain_text=domain.file.text,
        problem_text=problem.file.text,
        derived=derived,
        begun=values.get((vocabulary.cost,), 0) if minimized == vocabulary.cost else 0,
        places=places,
    )


def _derived(reader: ConditionReader, groups: list[Group]) -> dict[str, CustomDefinition]:
    """The predicates that conditions define: `(:derived (clear ?x - block) (not (exists ...)))`."""
    file, vocabulary = reader.file, reader.vocabulary
    heads: dict[str, tuple[Group, Node]] = {}
    for group in groups:
        head = group.items[1] if len(group.items) == 3 else group
        if head is group or not isinstance(head, Group) or not head.head:
            file.error(
                group, "a derived predicate has an atom and a condition", "write `(:derived (NAME ?x) CONDITION)`"
            )
        elif head.head not in vocabulary.predicates:
            reader.unknown_predicate(head)
        elif head.head in heads:
            file.error(head, f"`{head.head}` is derived twice", "join both conditions by `(or ...)`")
        else:
            heads[head.head] = head, group.items[2]
    vocabulary.derived.update(heads)
    derived = {}
    for name, (head, condition) in heads.items():
        loops, variables = reader.parameters(Group(head.items[1:], head.at, head.end))
        reader.counts(head, "predicate", vocabulary.predicates[name], len(loops))
        fits = [ex.Membership(ex.Local(loop.name), frozenset(loop.values)) for loop in loops]
        everything = Domain("object", "object", tuple(vocabulary.objects))
        body = ex.And((*fits, reader.formula(condition, variables)))
        derived[name] = CustomDefinition(tuple((loop.name, everything) for loop in loops), body)

    def circle(names: list[str]) -> None:
        for name in names[:-1]:
            message = f"the definition of `{name}` leads back to itself"
            file.error(heads[name][0], message, "make it an ordinary predicate, which actions keep true or false")

    asks = {name: [part.name for part in parts(own.body) if isinstance(part, ex.Use)] for name, own in derived.items()}
    in_order(asks, circle)
    return derived


_KEYS = (":parameters", ":precondition", ":effect")


def _action(reader: ConditionReader, group: Group) -> PddlAction | None:
    """An action; None if it has no name."""
    file = reader.file
    name = group.items[1] if len(group.items) > 1 else None
    if not isinstance(name, Word) or not name.is_name:
        file.error(name or group, "an action needs a name", "write `(:action NAME ...)`")
        return None
    parts: dict[str, Node] = {}
    position = 2
    while position < len(group.items):
        key = group.items[position]
        value = group.items[position + 1] if position + 1 < len(group.items) else None
        position += 1
        if not isinstance(key, Word) or not key.text.startswith(":"):
            message = f"one of `:parameters`, `:precondition`, `:effect` must stand here, not `{file.quote(key, 30)}`"
            file.error(key, message, "several conditions or effects are joined by `(and ...)`")
            continue
        if value is None or (isinstance(value, Word) and value.text.startswith(":")):
            file.error(key, f"`{key.text}` has no value", "write `()` for none")
            continue
        position += 1
        if key.text in REFUSED:
            refuse(file, key)
        elif key.text not in _KEYS:
            file.error(key, f"an action has no `{file.quote(key, 30)}`", suggest(key.text, _KEYS))
        elif key.text in parts:
            file.error(key, f"`{key.text}` stands twice in the action `{name.text}`", "join both by `(and ...)`")
        else:
            parts[key.text] = value
    parameters, variables = reader.parameters(parts.get(":parameters"))
    condition = reader.formula(parts[":precondition"], variables) if ":precondition" in parts else TRUE
    atoms: list[AtomEffect] = []
    costs: list[Price] = []
    if ":effect" in parts:
        EffectReader(reader, atoms, costs).read(parts[":effect"], variables)
    return PddlAction(name.text, parameters, condition, tuple(atoms), tuple(costs))


def _check_domain(problem: Definition, domain: Definition) -> None:
    """Whether a problem names its domain."""
    items = problem.items(":domain")
    word = items[0] if len(items) == 1 else None
    if not isinstance(word, Word):
        at = problem.sections.get(":domain") or problem.start
        problem.file.error(at, "a problem names its domain", f"write `(:domain {domain.name or 'NAME'})`")
    elif domain.name and word.text != domain.name:
        hint = f"write `{domain.name}`, or name the file of the domain that is meant"
        message = f"this is a problem of the domain `{problem.file.quote(word, 40)}`, not of `{domain.name}`"
        problem.file.error(word, message, hint)


_NO_ATOMS = {
    word: (f"`:init` lists atoms, and `{word}` is none", "write each atom by itself")
    for word in ("and", "or", "imply", "forall", "exists", "when", "not")
}


def _start(reader: ConditionReader, problem: Definition) -> tuple[set[GroundAtom], dict[GroundAtom, int]]:
    """The atoms that are true at the start, and the values of functions, from `:init`."""
    file, predicates = reader.file, reader.vocabulary.predicates
    true: set[GroundAtom] = set()
    false: dict[GroundAtom, Group] = {}
    values: dict[GroundAtom, int] = {}
    if ":init" not in problem.sections:
        file.error(problem.start, "the problem has no `:init`", "add `(:init ...)`, what is true at the start")
    for node in problem.items(":init"):
        if isinstance(node, Word) or not node.items:
            file.needs_brackets(node, "an atom stands", "(NAME OBJECT ...)")
            continue
        word, inner = node.items[0], node.items[-1]
        timed = node.head == "at" and len(node.items) == 3 and isinstance(inner, Group)
        negated = inner if node.head == "not" and len(node.items) == 2 and isinstance(inner, Group) else None
        said = negated or node
        if timed and isinstance(word, Word):
            refuse(file, word, TIMED)
        elif node.head == "=":
            _value(reader, node, values)
        elif not said.head:
            message = f"an atom starts with a word, and this is `{file.quote(said, 30)}`"
            file.error(said, message, "write `(NAME OBJECT ...)`")
        elif said.head not in predicates:
            reader.misplaced(said, "atom", _NO_ATOMS)
        elif (atom := reader.atom(said, {})) is not None:
            if negated:
                false[atom_of(atom)] = node
            else:
                true.add(atom_of(atom))
    for ground_atom in true & false.keys():
        file.error(false[ground_atom], f"`({' '.join(ground_atom)})` is true and false at the start", "remove one")
    return true, values


def _value(reader: ConditionReader, node: Group, values: dict[GroundAtom, int]) -> None:
    """Read the value of a function at the start: `(= (f a b) 3)`."""
    file, vocabulary = reader.file, reader.vocabulary
    target = node.items[1] if len(node.items) == 3 else None
    if not isinstance(target, Group):
        file.error(node, "`=` in `:init` gives a function its value", "write `(= (NAME OBJECT ...) 3)`")
        return
    value = node.items[2]
    if target.head not in vocabulary.functions and target.head != vocabulary.cost:
        reader.unknown_function(target)
    elif not isinstance(value, Word) or value.text in vocabulary.objects:
        refuse(file, value if isinstance(value, Word) else Word("", value.at), OBJECT_FUNCTIONS)
    else:
        number = whole(file, value, "a value")
        types = vocabulary.functions.get(target.head, ())
        terms = reader.terms(target, "function", types, {}) if types or len(target.items) == 1 else None
        if number is not None and terms is not None and values.setdefault((target.head, *terms), number) != number:
            key = (target.head, *terms)
            message = f"`({' '.join(key)})` has the value {values[key]:,} already"
            file.error(target, message, "remove one of the two")


def _goal(reader: ConditionReader, problem: Definition) -> Expr:
    items = problem.items(":goal")
    if ":goal" not in problem.sections:
        reader.file.error(problem.start, "the problem has no `:goal`", "add `(:goal ...)`, what is true at the end")
    elif not items:
        reader.file.error(problem.sections[":goal"], "the goal is empty", "write `(:goal (and ...))`")
    elif len(items) > 1:
        reader.file.error(items[1], "a goal is one condition", "join several by `(and ...)`")
    return reader.formula(items[0], {}) if items else TRUE


def _minimized(problem: Definition) -> str:
    """The function that the metric minimizes, which needs no declaration if it is `total-cost`; empty for others."""
    group = problem.sections.get(":metric")
    parts = group.items[1:] if group else [Word("minimize", 0), Word(STEPS, 0)]
    what = parts[1] if len(parts) == 2 and isinstance(parts[0], Word) and parts[0].text == "minimize" else None
    return what.text if isinstance(what, Word) else what.head if what and len(what.items) == 1 else ""


# PDDL puzzles: read from two files or from a puzzle file, and written as one.


def read(fields: Fields, header: Header) -> tuple[Header, Pddl]:
    """The problem of a puzzle file. Raises `PuzzleError` with all that is wrong in it and in the files it names."""
    given = text_of_key(fields, "problem")
    if given and is_translated(given[0]):
        if fields.has("domain"):
            fields.report.error(
                fields.mapping.get("domain"), "a task in `.sas` has its domain in it", "remove `domain`"
            )
        fields.report.raise_if_any()
        return header, read_sas(*given)
    texts = [text_of_key(fields, "domain"), given]
    for key, text in zip(("domain", "problem"), texts, strict=True):
        if text is None and not fields.has(key):
            fields.missing(key, f"add `{key}: {'domain' if key == 'domain' else 'p01'}.pddl`")
    fields.report.raise_if_any()
    (domain, domain_file), (problem, problem_file) = [text for text in texts if text is not None]
    return header, read_pddl(domain, domain_file, problem, problem_file)


def write(puzzle: Pddl, _board: Rows) -> Keys:
    """The keys of the puzzle file of a problem: the text of both files."""
    texts = {"domain": puzzle.domain_text, "problem": puzzle.problem_text}
    return {
        key: tuple(line.rstrip() for line in dedent(text).strip().split("\n")) for key, text in texts.items() if text
    }


def write_after(puzzle: Pddl, plan: Plan) -> Keys:
    """The keys of the problem that starts where a plan ends: its `:init` has the atoms that are true there, and the
    values of functions. Raises `ReplayError` if the rules forbid the plan.
    """
    state = end_of(plan, partial(PddlSimulator, puzzle), Act).state
    if puzzle.translated:
        return write(replace(puzzle, problem_text=started(puzzle, state)), ())
    files = PddlFile.of(puzzle.domain_text, ""), PddlFile.of(puzzle.problem_text, "")
    problem = read_definitions(*files)[1]
    assert problem
    init, text = problem.sections[":init"], puzzle.problem_text
    values = [
        text[node.at : node.end] for node in problem.items(":init") if isinstance(node, Group) and node.head == "="
    ]
    atoms = [f"({' '.join(atom)})" for atom in sorted(state)]
    inside = fill(" ".join([":init", *atoms, *values]), 100, subsequent_indent="    ", break_on_hyphens=False)
    return write(replace(puzzle, problem_text=f"{text[: init.at]}({inside}){text[init.end :]}"), ())


def load_paths(*paths: Path) -> tuple[Header, Pddl]:
    """The problem of two files, or of one in `.sas`, and a header. Raises `PuzzleError`."""
    texts, problems = [], []
    for path in paths:
        try:
            texts.append(decoded(path))
        except FileError as error:
            problems.append(Problem(str(path), 0, 0, f"cannot read the file: {error.reason}", error.hint))
    if problems:
        raise PuzzleError(problems)
    said = [part for text, path in zip(texts, paths, strict=True) for part in (text, str(path))]
    puzzle = read_pddl(*said) if len(paths) > 1 else read_sas(*said)
    return Header(file=said[-1], name=paths[-1].stem, metric=puzzle.metrics[0].name), puzzle
