"""Conditions of actions and goals: every name is looked up, every argument's type checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ...text import counted
from .problem import AtomOf, Formula, Junction, Negation, Quantified, SameObject, TypedName
from .refused import OBJECT_FUNCTIONS, REFUSED_CONDITIONS, refuse, refuse_as
from .syntax import Group, Node, PddlFile, Word
from .vocabulary import TypeNames, Vocabulary, near, refuse_numbers

TRUE = Junction(True, ())
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)")


@dataclass(frozen=True, slots=True)
class Bound:
    """A variable within its parameters or quantifier: the name that it gets, and its types."""

    name: str
    types: TypeNames


Variables = Mapping[str, Bound]


@dataclass
class Conditions:
    """Reads the conditions of a file."""

    file: PddlFile
    vocabulary: Vocabulary

    def parameters(self, node: Node | None) -> tuple[tuple[TypedName, ...], dict[str, Bound]]:
        """The variables of `(?x ?y - t)`, each once."""
        bound: dict[str, Bound] = {}
        if not isinstance(node, Group):
            if node:
                self.file.error(node, "variables stand in brackets", "write `(?x - TYPE)`, or `()` for none")
            return (), bound
        for word, types in self.vocabulary.typed(self.file, node.items, "variable"):
            if word.text in bound:
                self.file.error(word, f"the variable `{self.file.quote(word)}` is declared twice", "rename one of them")
            bound.setdefault(word.text, Bound(word.text, types))
        return tuple(TypedName(own.name, self.vocabulary.objects_of(own.types)) for own in bound.values()), bound

    def formula(self, node: Node, variables: Variables) -> Formula:
        """A condition; a true one in place of what is wrong."""
        if isinstance(node, Word):
            self.file.error(
                node,
                f"a condition stands in brackets, and this is `{self.file.quote(node, 30)}`",
                f"write `({self.file.quote(node, 30)})`",
            )
            return TRUE
        if not node.items:
            return TRUE
        head, parts = node.head, node.items[1:]
        if head in self.vocabulary.predicates:
            return self.atom(node, variables) or TRUE
        if head in ("and", "or"):
            return Junction(head == "and", tuple([self.formula(part, variables) for part in parts]))
        if head == "not" and self._takes(node, 1, "a condition"):
            return Negation(self.formula(parts[0], variables))
        if head == "imply" and self._takes(node, 2, "conditions"):
            negated = Negation(self.formula(parts[0], variables))
            return Junction(False, (negated, self.formula(parts[1], variables)))
        if head in ("forall", "exists") and self._takes(node, 2, "variables and a condition"):
            names, bound = self.parameters(parts[0])
            return Quantified(head == "forall", names, self.formula(parts[1], {**variables, **bound}))
        if head == "=" and self._takes(node, 2, "objects or variables"):
            return self._same(node, variables)
        if head not in ("not", "imply", "forall", "exists", "="):
            self._no_condition(node)
        return TRUE

    def _takes(self, node: Group, many: int, what: str) -> bool:
        """Whether a group has a number of parts; if not, it is reported."""
        if len(node.items) == many + 1:
            return True
        number = f"{many} {what}" if what.endswith("s") else what
        self.file.error(
            node, f"`{node.head}` takes {number}, and has {counted(len(node.items) - 1, 'part')}", "check the brackets"
        )
        return False

    def _same(self, node: Group, variables: Variables) -> Formula:
        first = node.items[1]
        for part in node.items[1:]:
            inner = part.items[0] if isinstance(part, Group) and part.items else part
            if (
                isinstance(inner, Word)
                and (isinstance(part, Group) or NUMBER.fullmatch(inner.text))
                and (inner.text not in self.vocabulary.objects)
            ):
                refuse_numbers(self.file, inner)
                return TRUE
        terms = [self.term(part, None, variables) for part in node.items[1:]]
        if None in terms or isinstance(first, Group):
            return TRUE
        return SameObject(str(terms[0]), str(terms[1]))

    def _no_condition(self, node: Group) -> None:
        """Report a group that is no condition."""
        word = node.items[0]
        if not isinstance(word, Word):
            hint = "for several conditions write `(and ...)`"
            self.file.error(word, f"a condition starts with a word, and this with `{self.file.quote(word, 30)}`", hint)
        elif word.text in REFUSED_CONDITIONS and not is_plain(node):
            refuse(self.file, word, REFUSED_CONDITIONS)
        elif word.text == "when":
            self.file.error(
                word, "`when` stands in effects, not in conditions", "write `imply`, or move it to `:effect`"
            )
        else:
            self.unknown_predicate(node)

    def unknown_predicate(self, node: Group) -> None:
        """Report a group whose first word should be a predicate."""
        word = node.items[0]
        assert isinstance(word, Word)
        name = self.file.quote(word, 40)
        if word.text in self.vocabulary.functions:
            refuse_numbers(self.file, word)
        else:
            around = () if is_plain(node) else ("and", "or", "not", "imply", "forall", "exists", "when")
            words = [*self.vocabulary.predicates, *around]
            hint = lambda: near(word.text, words) or "declare it in `:predicates` of the domain"  # noqa: E731
            self.file.error(word, f"there is no predicate `{name}`", hint, once=True)

    def atom(self, node: Group, variables: Variables) -> AtomOf | None:
        """An atom of a known predicate; None if something is wrong with it."""
        terms = self.terms(node, "predicate", self.vocabulary.predicates[node.head], variables)
        return None if terms is None else AtomOf(node.head, terms)

    def terms(
        self, node: Group, what: str, types: tuple[TypeNames, ...], variables: Variables
    ) -> tuple[str, ...] | None:
        """The objects and variables of a predicate or function; None if something is wrong with them."""
        if len(node.items) - 1 != len(types):
            message = f"`{node.head}` takes {counted(len(types), 'argument')}, and has {len(node.items) - 1:,}"
            self.file.error(node, message, self._signature(what, node.head))
            return None
        terms = []
        for position, part in enumerate(node.items[1:]):
            term = self.term(part, types[position], variables, (what, node.head, position))
            if term is None:
                return None
            terms.append(term)
        return tuple(terms)

    def _signature(self, what: str, name: str) -> str:
        file, node = self.vocabulary.declared[what, name]
        return f"line {file.line(node.at)} declares `{file.quote(node, 100)}`"

    def term(
        self, node: Node, types: TypeNames | None, variables: Variables, place: tuple[str, str, int] = ("", "", 0)
    ) -> str | None:
        """An object or a variable that can be of some types (None: of any), at a place of a predicate."""
        if isinstance(node, Group):
            word = node.items[0] if node.items else None
            if isinstance(word, Word) and word.text in self.vocabulary.functions:
                refuse_as(self.file, word, OBJECT_FUNCTIONS)
            else:
                self.file.error(
                    node,
                    f"an object or a variable must stand here, not `{self.file.quote(node, 30)}`",
                    "check the brackets",
                )
            return None
        text, name = node.text, self.file.quote(node, 40)
        if text.startswith("?"):
            bound = variables.get(text)
            if bound is None:
                hint = lambda: near(text, variables) or "add it to `:parameters`, or to a quantifier around it"  # noqa: E731
                self.file.error(
                    node,
                    f"the variable `{name}` is not declared here",
                    hint if variables else "write an object: there are no variables here",
                )
                return None
            own, result = bound.types, bound.name
            fits = types is None or self.vocabulary.fits(own, types) or self.vocabulary.overlap(own, types)
        else:
            if text not in self.vocabulary.objects:

                def hint() -> str:
                    return near(text, self.vocabulary.objects) or (
                        f"write `?{name}` for the variable" if f"?{text}" in variables else "declare it in `:objects`"
                    )

                self.file.error(node, f"there is no object `{name}`", hint, once=True)
                return None
            own, result = self.vocabulary.objects[text], text
            fits = types is None or self.vocabulary.fits(own, types)
        if not fits:
            assert types is not None
            mine, asked = " or ".join(f"`{name}`" for name in own), " or ".join(f"`{name}`" for name in types)
            message = f"`{name}` is of type {mine}, and argument {place[2] + 1} of `{place[1]}` of type {asked}"
            self.file.error(node, message, self._signature(*place[:2]))
            return None
        return result


def is_plain(node: Group) -> bool:
    """Whether a group is a word and what an atom can have: words, no groups."""
    return not any(isinstance(part, Group) for part in node.items[1:])
