"""`(define (domain ...) ...)` and `(define (problem ...) ...)`: which of the two a file is, and its sections."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial

from ...text import closest, suggest
from .refused import REFUSED_SECTIONS, REQUIREMENTS, refuse
from .syntax import Group, Node, PddlFile, Word, is_name, read_groups

SECTIONS = {
    "domain": (":requirements", ":types", ":constants", ":predicates", ":functions", ":action"),
    "problem": (":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length"),
}
"""The sections that are read; `:length` of old files is advice to planners, and ignored."""

_YAML = re.compile(r"^(format|family|actions|board|map|goal)\s*:", re.MULTILINE)


@dataclass
class Definition:
    """A domain or a problem (`kind`): its name, its sections by their words, and its actions.

    `start`: what to point at if something is missing.
    """

    file: PddlFile
    kind: str
    name: str
    start: Node
    sections: dict[str, Group] = field(default_factory=dict)
    actions: list[Group] = field(default_factory=list)

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
            other = "problem" if first.kind == "domain" else "domain"
            problem.error(
                second.start,
                f"both files are the same {first.kind}",
                f"name the domain, then its {other}"
                if other == "problem"
                else "name the domain first, then the problem",
            )
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
        meant = "did you mean `define`?" if closest(start.head, ["define"]) else _START
        file.error(first, f"a PDDL file starts with `(define`, not with `({file.quote(first, 30)}`", meant)
        return None
    for other in top[1:2]:
        if isinstance(other, Group) and other.head == "define":
            file.error(
                other.items[0],
                "a second `(define`: a file has one domain or one problem",
                "put the domain and the problem into two files",
            )
        else:
            file.error(
                other,
                f"text after the end of `(define` of line {file.line(start.at)}",
                "remove it, or remove a `)` before it",
            )
    return _named(file, start)


_START = "a domain starts with `(define (domain NAME)`, a problem with `(define (problem NAME)`"


def _named(file: PddlFile, start: Group) -> Definition | None:
    """The kind and name of `(define (domain NAME) ...)`."""
    title = start.items[1] if len(start.items) > 1 else start.items[0]
    kind = title.head if isinstance(title, Group) else ""
    if kind not in SECTIONS:
        meant = closest(kind, SECTIONS) if kind else None
        hint = f"did you mean `{meant}`?" if meant else _START
        at = title.items[0] if isinstance(title, Group) and kind else title
        file.error(at, "`(domain NAME)` or `(problem NAME)` must follow `(define`", hint)
        return None
    assert isinstance(title, Group)
    name = title.items[1] if len(title.items) == 2 else None
    if not isinstance(name, Word) or not is_name(name):
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
            file.error(
                node,
                f"`{file.quote(node, 30)}` is no section",
                "a section is `(:action ...)`, `(:init ...)` and the like",
            )
            continue
        name = word.text
        if name in REFUSED_SECTIONS:
            refuse(file, word, REFUSED_SECTIONS)
            continue
        if name not in allowed:
            other = "problem" if definition.kind == "domain" else "domain"
            elsewhere = name in SECTIONS[other]
            hint = f"it belongs into the {other}" if elsewhere else suggest(name, allowed)
            file.error(word, f"a {definition.kind} has no section `{file.quote(word, 30)}`", hint)
            # Read on as what is most likely meant, so that what it declares is known.
            name = "" if elsewhere else closest(name, set(allowed) - set(definition.sections)) or ""
        if name == ":action":
            definition.actions.append(node)
        elif name in definition.sections:
            line = file.line(definition.sections[name].at)
            file.error(word, f"the section `{name}` stands twice; the first is on line {line}", "write it once")
        elif name:
            definition.sections[name] = node
    for node in definition.items(":requirements"):
        text = node.text if isinstance(node, Word) else ""
        if text not in REQUIREMENTS:
            file.error(node, f"`{file.quote(node, 30)}` is not a requirement of PDDL", partial(_requirement_hint, text))


def _requirement_hint(text: str) -> str:
    meant = closest(text, REQUIREMENTS)
    return f"did you mean `{meant}`?" if meant else "remove it"
