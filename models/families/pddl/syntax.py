"""The brackets of a PDDL file: words and groups of words, which know where they stand.

A bracket that is missing or too many is found where the next section (`(:action`, `(:goal`) starts at the wrong depth,
and the file is read on as if it were mended, so that all that is wrong with it is reported at once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from ...documents.compose import Span
from ...documents.document import MAX_BYTES, Report, lines_of
from ...documents.traps import find_unreadable
from ...errors import Problem
from ...text import clip, closest, meant, suggest

MAX_DEPTH = 100
"""How deep brackets may be nested; published domains have up to 15."""

_TOKEN = re.compile(r";[^\n]*|[()]|-(?=[A-Za-z])|\??[^\s();?]+|\?")
"""No name begins with `-`: `?c -car` is `?c - car`."""


@dataclass(slots=True)
class Word:
    """A word in lower case, and its place: characters before it."""

    text: str
    at: int

    @property
    def end(self) -> int:
        return self.at + len(self.text)

    @property
    def is_name(self) -> bool:
        """Whether it can name something: variables begin with `?`, keys with `:`."""
        return self.text[0] not in "?:-"


@dataclass(slots=True)
class Group:
    """What stands between two brackets; `at`: the place of `(`, `end`: that behind `)`."""

    items: list[Word | Group]
    at: int
    end: int = 0

    @property
    def head(self) -> str:
        """The first word; empty if there is none."""
        return self.items[0].text if self.items and isinstance(self.items[0], Word) else ""


Node = Word | Group


@dataclass
class PddlFile:
    """The text of a file, and the report of what is wrong with it."""

    text: str
    report: Report
    starts: list[int] = field(default_factory=list)
    said: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, text: str, file: str) -> PddlFile:
        """A file with its lines. Too large ones, and what is no text, are reported; nothing of them is read."""
        report = Report(file)
        if len(text) > MAX_BYTES:
            hint = "check that this is the file that you mean"
            report.error(None, f"the file is too large: at most {MAX_BYTES:,} characters are read", hint)
            return cls("", report)
        report.lines = lines_of(text)
        for trap in find_unreadable(report.lines):
            char = report.lines[trap.span.line][trap.span.column]
            if "\udc80" <= char <= "\udcff":
                report.error(trap.span, f"byte 0x{ord(char) - 0xDC00:02x} is not valid UTF-8", "save the file as UTF-8")
            else:
                report.error(trap.span, trap.message, trap.hint)
        starts = [0]
        for line in report.lines:
            starts.append(starts[-1] + len(line) + 1)
        return cls("\n".join(report.lines), report, starts)

    def line(self, at: int) -> int:
        """The line of a character, counted from 1."""
        return bisect_right(self.starts, at)

    def span(self, node: Node) -> Span:
        """Where a word or the first line of a group stands."""
        line = self.line(node.at) - 1
        end = min(node.end or node.at + 1, self.starts[line] + len(self.report.lines[line].rstrip()))
        return Span(line, node.at - self.starts[line], max(1, end - node.at))

    def error(self, node: Node | None, message: str, hint: str | Callable[[], str] = "", *, once: bool = False) -> None:
        """Report a problem. A hint that takes time to find is asked for only if the problem is shown. `once`: not if
        the file has another one with the same message.
        """
        if once and message in self.said:
            return
        self.said.add(message)
        shown = hint if isinstance(hint, str) else "" if self.report.full else hint()
        self.report.error(self.span(node) if node else None, message, shown)

    def needs_brackets(self, node: Node, what: str, form: str) -> None:
        """Report what should stand in brackets as a word alone (`form`: what to write for anything else)."""
        text = self.quote(node, 30)
        hint = f"write `({text})`" if isinstance(node, Word) else f"write `{form}`"
        self.error(node, f"{what} in brackets, and this is `{text}`", hint)

    def unknown(self, word: Node, what: str, words: Iterable[str], otherwise: str) -> None:
        """Report a name that is not declared, once, with a near one of about its length, or what else to do."""

        def hint() -> str:
            text = word.text if isinstance(word, Word) else ""
            return meant(text, [name for name in words if abs(len(name) - len(text)) <= 3][:2000]) or otherwise

        self.error(word, f"there is no {what} `{self.quote(word, 40)}`", hint, once=True)

    def place(self, node: Node) -> Problem:
        """The place of a word or group, for messages later."""
        return self.report.problem(self.span(node))

    def quote(self, node: Node, length: int = 60) -> str:
        """A word or group as its author wrote it, on one line and not too long."""
        return clip(" ".join(self.text[node.at : min(node.end, node.at + 4 * length)].split()), length)


def read_groups(file: PddlFile) -> list[Node]:
    """What stands in a file outside of all brackets; nothing if its brackets are nested too deeply."""
    top: list[Node] = []
    open_groups: list[Group] = []
    stray = False
    for match in _TOKEN.finditer(file.text):
        token, at = match[0], match.start()
        if token[0] == ";":
            continue
        if token == "(":
            group = Group([], at)
            (open_groups[-1].items if open_groups else top).append(group)
            open_groups.append(group)
            if len(open_groups) > MAX_DEPTH:
                group.end = at + 1
                message = f"brackets are nested more than {MAX_DEPTH} deep"
                file.error(group, message, "state the condition with fewer `and`, `or`, `not` inside each other")
                return []
        elif token == ")":
            if open_groups:
                open_groups.pop().end = at + 1
            elif not stray:
                stray = True
                file.error(Word(token, at), "this `)` closes nothing", "remove it, or add the `(` that it should close")
        else:
            word = Word(_seen(file, token, at).lower(), at)
            if not word.text:
                continue
            if open_groups:
                if word.text in _ONE_DEEP and not open_groups[-1].items and len(open_groups) != 2:
                    _mend(file, word, top, open_groups)
                open_groups[-1].items.append(word)
            else:
                top.append(word)
    if open_groups:
        group, missing = open_groups[-1], len(open_groups)
        for unclosed in open_groups:
            unclosed.end = len(file.text)
        hint = "add a `)` where its part ends" if missing == 1 else f"add {missing} `)`, each where its part ends"
        file.error(Word("(", group.at), "this `(` is not closed: the file ends before", hint)
    return top


def _seen(file: PddlFile, token: str, at: int) -> str:
    """A word without the characters that nobody sees, which are reported: names that differ only by them look equal."""
    if token.isascii() or token.isprintable():
        return token
    for place, char in enumerate(token):
        if not char.isprintable():
            file.error(Word(char, at + place), f"an invisible character, U+{ord(char):04X}", "remove it")
    return "".join(filter(str.isprintable, token))


def _mend(file: PddlFile, word: Word, top: list[Node], open_groups: list[Group]) -> None:
    """A section starts at the wrong depth: report the bracket before it, and put the section where it belongs."""
    section, line = open_groups[-1], file.line(word.at)
    if len(open_groups) > 2:
        missing = open_groups[1:-1]
        for group in missing:
            group.end = section.at
        missing[-1].items.pop()
        many = "a `)`" if len(missing) == 1 else f"{len(missing)} `)`"
        hint = f"add {many} before line {line}, where the part ends"
        message = f"this `(` is not closed before `({word.text}` on line {line}"
        file.error(Word("(", missing[-1].at), message, hint)
        outer = open_groups[0]
    elif len(top) > 1 and isinstance(top[-2], Group) and top[-2].head == "define":
        outer = top[-2]
        top.pop()
        message = f"this `)` closes `(define` of line {file.line(outer.at)}, but `({word.text}` follows on line {line}"
        file.error(Word(")", outer.end - 1), message, "remove one `)`: there is one too many here or further up")
    else:
        return
    outer.items.append(section)
    open_groups[:] = [outer, section]


# Words of PDDL that are refused: what each is, and what its author can do; and the words of `:requirements`.

_AXIOMS = ("axioms of old PDDL", "write `(:derived (NAME ?x) CONDITION)`")
_TIME = ("actions that take time", "write `:action`, and give what counts as an action cost")
_TRAJECTORY = (
    "constraints on whole plans",
    "add a predicate that actions keep, and ask for it in preconditions and `:goal`",
)
_PREFERENCE = ("preferences", "make it a part of `:goal`, or an action with a cost that forgoes it")
_TASKS = ("hierarchical tasks", "state a `:goal` that actions reach")
_CHANCE = ("effects by chance or by choice", "write an action for each outcome, if the plan may choose")
NUMBERS = ("numbers other than action costs", "use objects for the values, as `(next n1 n2)`")
_HIDDEN = ("sensing", "state all that is true in `:init`")

ARITHMETIC = ("+", "-", "*", "/")

_TRAJECTORIES = """
always sometime within at-most-once sometime-after sometime-before always-within hold-during hold-after
"""
REFUSED = {
    # sections, and keys of actions
    ":axiom": _AXIOMS,
    **dict.fromkeys((":durative-action", ":process", ":event", ":duration", ":condition"), _TIME),
    ":constraints": _TRAJECTORY,
    **dict.fromkeys((":task", ":tasks", ":method", ":htn", ":expansion"), _TASKS),
    ":observe": _HIDDEN,
    ":vars": ("variables of an action beside its parameters", "move them to `:parameters`"),
    # conditions and effects, unless the domain has a predicate of that name
    **dict.fromkeys(("<", "<=", ">", ">=", *ARITHMETIC), NUMBERS),
    **dict.fromkeys(("assign", "decrease", "scale-up", "scale-down", "change"), NUMBERS),
    **dict.fromkeys(_TRAJECTORIES.split(), _TRAJECTORY),
    "preference": _PREFERENCE,
    **dict.fromkeys(("at", "over"), _TIME),
    **dict.fromkeys(("probabilistic", "oneof"), _CHANCE),
}
"""Words that are refused: what each is, and what to do."""

OBJECT_FUNCTIONS = ("functions whose values are objects", "use a predicate with one more argument")
OTHER_COST = (NUMBERS[0], f"if it is what the plan costs, name it in `:metric`; else {NUMBERS[1]}")
TIMED = ("facts that become true at a time", "state what is true at the start, and let actions change it")

_REQUIREMENTS = """
:strips :typing :negative-preconditions :disjunctive-preconditions :equality :existential-preconditions
:universal-preconditions :quantified-preconditions :conditional-effects :fluents :numeric-fluents :object-fluents
:adl :durative-actions :duration-inequalities :continuous-effects :derived-predicates :timed-initial-literals
:timed-initial-fluents :preferences :constraints :action-costs :goal-utilities :time :domain-axioms
:subgoal-through-axioms :safety-constraints :expression-evaluation :dag-expressions :foreach-expressions
:action-expansions :open-world :true-negation :ucpop :hierarchy :htn :method-preconditions :rewards
:probabilistic-effects :non-deterministic :partial-observability :multi-agent :factored-privacy :unfactored-privacy
:universal-effects
"""
REQUIREMENTS = frozenset(_REQUIREMENTS.split())
"""Words that files in use have. None is asked for: what a file uses is read, or refused where it stands."""


def refuse(file: PddlFile, word: Word, what: tuple[str, str] | None = None) -> None:
    """Report a word, or what begins with it, as something that is refused: what that is, and what to do; as `REFUSED`
    says if it is not given.
    """
    kind, remedy = what or REFUSED[word.text]
    file.error(word, f"{kind} (`{file.quote(word, 30)}`) are not read", remedy)


# `(define (domain ...) ...)` and `(define (problem ...) ...)`: which of the two a file is, and its sections.

SECTIONS = {
    "domain": (":requirements", ":types", ":constants", ":predicates", ":functions", ":derived", ":action"),
    "problem": (":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length"),
}
"""The sections that are read; `:length` of old files is advice to planners, and ignored."""

_ONE_DEEP = {*SECTIONS["domain"], *SECTIONS["problem"], ":durative-action"} - {":length"}
"""Words that start a section of `(define ...)`: they stand one bracket deep and nowhere else."""

_YAML = re.compile(r"^(format|family|actions|board|map|goal)\s*:", re.MULTILINE)


@dataclass
class Definition:
    """A domain or a problem (`kind`): its name, its sections by their words, its actions and derived predicates.

    `start`: what to point at if something is missing.
    """

    file: PddlFile
    kind: str
    name: str
    start: Node
    sections: dict[str, Group] = field(default_factory=dict)
    actions: list[Group] = field(default_factory=list)
    derived: list[Group] = field(default_factory=list)

    def items(self, section: str) -> list[Node]:
        """What stands in a section, without its word; nothing if it is not there."""
        group = self.sections.get(section)
        return group.items[1:] if group else []


def read_definitions(domain: PddlFile, problem: PddlFile) -> tuple[Definition | None, Definition | None]:
    """The domain and the problem of two files, each None if its file is not one; two swapped files are reported."""
    first, second = _read_file(domain), _read_file(problem)
    if first and second:
        if first.kind == "problem" and second.kind == "domain":
            domain.error(first.start, "this is the problem, and the other file is its domain", "swap the two files")
            return None, None
        if first.kind == second.kind and domain.text == problem.text:
            hint = f"name the domain{', then its' if first.kind == 'domain' else ' first, then the'} problem"
            problem.error(second.start, f"both files are the same {first.kind}", hint)
            return None, None
    if first and first.kind != "domain":
        domain.error(first.start, "this is a problem, and the first file must be a domain", "name the domain's file")
        first = None
    if second and second.kind != "problem":
        problem.error(second.start, "this is a domain, and the second file must be a problem", "name a problem's file")
        second = None
    for definition in (first, second):
        if definition:
            _sort(definition)
    return first, second


def _read_file(file: PddlFile) -> Definition | None:
    """The outermost group of a file with its kind and name."""
    if file.report.problems:
        return None
    top = read_groups(file)
    if not top:
        if not file.report.problems:
            file.error(None, "the file is empty" + (" but for comments" if file.text.strip() else ""), _START)
        return None
    start = top[0]
    if not isinstance(start, Group):
        if _YAML.search(file.text):
            file.error(None, "this is a YAML file, not PDDL", "a puzzle in YAML is one file: name it alone")
        else:
            file.error(start, f"a PDDL file starts with `(define`, not with `{file.quote(start)}`", _START)
        return None
    if start.head != "define":
        first = start.items[0] if start.items else start
        message = f"a PDDL file starts with `(define`, not with `({file.quote(first, 30)}`"
        file.error(first, message, meant(start.head, ["define"]) or _START)
        return None
    for other in top[1:2]:
        if isinstance(other, Group) and other.head == "define":
            message = "a second `(define`: a file has one domain or one problem"
            file.error(other.items[0], message, "put the domain and the problem into two files")
        else:
            message = f"text after the end of `(define` of line {file.line(start.at)}"
            file.error(other, message, "remove it, or remove a `)` before it")
    return _named(file, start)


_START = "a domain starts with `(define (domain NAME)`, a problem with `(define (problem NAME)`"


def _named(file: PddlFile, start: Group) -> Definition | None:
    """The kind and name of `(define (domain NAME) ...)`."""
    title = start.items[1] if len(start.items) > 1 else start.items[0]
    kind = title.head if isinstance(title, Group) else ""
    if kind not in SECTIONS:
        hint = meant(kind, SECTIONS) or _START
        at = title.items[0] if isinstance(title, Group) and kind else title
        file.error(at, "`(domain NAME)` or `(problem NAME)` must follow `(define`", hint)
        return None
    assert isinstance(title, Group)
    name = title.items[1] if len(title.items) == 2 else None
    if not isinstance(name, Word) or not name.is_name:
        file.error(title, f"`({kind} ...)` takes one name", f"write `({kind} NAME)`")
    definition = Definition(file, kind, name.text if isinstance(name, Word) else "", title)
    definition.sections[""] = start
    return definition


def _sort(definition: Definition) -> None:
    """Put the groups of a definition into its sections."""
    file, allowed = definition.file, SECTIONS[definition.kind]
    for node in definition.sections.pop("").items[2:]:
        word = node.items[0] if isinstance(node, Group) and node.items else node
        if not isinstance(node, Group) or not isinstance(word, Word):
            hint = "a section is `(:action ...)`, `(:init ...)` and the like"
            file.error(node, f"`{file.quote(node, 30)}` is no section", hint)
            continue
        name = word.text
        if name in REFUSED:
            refuse(file, word)
            continue
        if name not in allowed:
            other = "problem" if definition.kind == "domain" else "domain"
            elsewhere = name in SECTIONS[other]
            hint = f"it belongs into the {other}" if elsewhere else suggest(name, allowed)
            file.error(word, f"a {definition.kind} has no section `{file.quote(word, 30)}`", hint)
            # Read on as what is most likely meant, so that what it declares is known.
            name = "" if elsewhere else closest(name, set(allowed) - set(definition.sections)) or ""
        if name in (":action", ":derived"):
            (definition.actions if name == ":action" else definition.derived).append(node)
        elif name in definition.sections:
            line = file.line(definition.sections[name].at)
            file.error(word, f"the section `{name}` stands twice; the first is on line {line}", "write it once")
        elif name:
            definition.sections[name] = node
    for node in definition.items(":requirements"):
        text = node.text if isinstance(node, Word) else ""
        if text not in REQUIREMENTS:
            message = f"`{file.quote(node, 30)}` is not a requirement of PDDL"
            file.error(node, message, partial(_of_requirement, text))


def _of_requirement(text: str) -> str:
    return meant(text, REQUIREMENTS) or "remove it"
