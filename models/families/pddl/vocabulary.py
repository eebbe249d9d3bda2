"""What a domain and a problem name: types, objects, predicates, functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...text import with_article
from ..custom.language.expressions import in_order
from .syntax import OBJECT_FUNCTIONS, Group, Node, PddlFile, Word, refuse

TypeNames = tuple[str, ...]
"""Types of which something has one: `("truck",)`, or several for `(either truck ship)`."""

ANY: TypeNames = ("object",)
UNKNOWN: TypeNames = ("",)
"""In place of a type that is wrong: whatever has it fits everywhere, so that nothing more is reported."""
RESERVED = frozenset(("and", "or", "not", "imply", "forall", "exists", "when", "increase"))
MOST = 5_000_000
"""How many entries the lists of supertypes, and of objects of types, may have together."""


@dataclass
class Vocabulary:
    """Everything that has a name. `above`: of each type, itself and its supertypes; `cost`: the function that actions
    increase by what they cost; `derived`: the predicates that conditions define.
    """

    above: dict[str, frozenset[str]] = field(
        default_factory=lambda: {"object": frozenset(ANY), "": frozenset((*ANY, *UNKNOWN))}
    )
    objects: dict[str, TypeNames] = field(default_factory=dict)
    predicates: dict[str, tuple[TypeNames, ...]] = field(default_factory=dict)
    functions: dict[str, tuple[TypeNames, ...]] = field(default_factory=dict)
    cost: str = "total-cost"
    derived: set[str] = field(default_factory=set)
    declared: dict[tuple[str, str], tuple[PddlFile, Node]] = field(default_factory=dict)
    _members: dict[str, list[int]] = field(default_factory=dict)
    _lists: dict[TypeNames, tuple[str, ...]] = field(default_factory=dict)
    _overlaps: dict[tuple[TypeNames, TypeNames], bool] = field(default_factory=dict)
    _below: dict[str, set[str]] = field(default_factory=dict)
    _spent: int = 0

    def typed(
        self, file: PddlFile, items: Sequence[Node], what: str, declared: bool = True
    ) -> list[tuple[Word, TypeNames]]:
        """The names of `a b - t c`, each with its types. `what` they are: "variable" if they begin with `?`.

        `declared`: whether the types must have been declared.
        """
        typed_words: list[tuple[Word, TypeNames]] = []
        first, position = 0, 0
        while position < len(items):
            node = items[position]
            position += 1
            if isinstance(node, Word) and node.text == "-":
                if first == len(typed_words):
                    file.error(node, f"no {what} stands before this `-`", "write `NAME - TYPE`")
                if position == len(items):
                    file.error(node, "a type is missing after `-`", "write `NAME - TYPE`, or remove the `-`")
                types = self._types(file, items[position], declared) if position < len(items) else UNKNOWN
                typed_words[first:] = [(word, types) for word, _ in typed_words[first:]]
                first = len(typed_words)
                position += 1
            elif not isinstance(node, Word):
                file.error(
                    node, f"{with_article(what)} must be a word, not `{file.quote(node, 30)}`", "remove the brackets"
                )
            elif (what == "variable") != node.text.startswith("?"):
                name = file.quote(node, 40)
                hint = f"write `?{name.lstrip('-')}`" if what == "variable" else f"write `{name.lstrip('?')}`"
                begins = "begins" if what == "variable" else "does not begin"
                file.error(node, f"{with_article(what)} {begins} with `?`, and this is `{name}`", hint)
                right = f"?{node.text}" if what == "variable" else node.text.lstrip("?")
                if right:
                    typed_words.append((Word(right, node.at), ANY))
            elif node.text == "?":
                file.error(node, "a variable needs a name behind its `?`", "write `?x`, or another name")
            else:
                typed_words.append((node, ANY))
        return typed_words

    def _types(self, file: PddlFile, node: Node, declared: bool) -> TypeNames:
        """The types of `truck` or `(either truck ship)`."""
        words: Sequence[Node] = [node]
        if isinstance(node, Group):
            words = node.items[1:]
            if node.head != "either" or not words:
                hint = "write a type, or `(either TYPE TYPE)`"
                file.error(node, f"`{file.quote(node, 30)}` is no type", hint)
                return UNKNOWN
        types = []
        for word in words:
            if not isinstance(word, Word):
                file.error(word, f"`{file.quote(word, 30)}` is no type", "write the name of a type")
            elif declared and word.text not in self.above:
                file.unknown(word, "type", filter(None, self.above), "declare it in `:types` of the domain")
            else:
                types.append(word.text)
        return tuple(dict.fromkeys(types)) if len(types) == len(words) else UNKNOWN

    def read_types(self, file: PddlFile, items: Sequence[Node]) -> None:
        """The hierarchy of `:types`. A type named only to the right of `-` is a type, too."""
        parents: dict[str, dict[str, None]] = {}
        words: dict[str, Word] = {}
        for word, types in self.typed(file, items, "type", declared=False):
            if word.text == "object":
                if types != ANY:
                    file.error(word, "`object` is the type of everything, and has no supertype", "remove its supertype")
                continue
            words.setdefault(word.text, word)
            parents.setdefault(word.text, {}).update(dict.fromkeys(types))
        for name in [name for own in parents.values() for name in own if name != "object"]:
            parents.setdefault(name, dict.fromkeys(ANY))
        in_circles: set[str] = set()

        def circle(names: list[str]) -> None:
            in_circles.update(names)
            shown = " - ".join(names if len(names) <= 6 else [*names[:5], "..."])
            message = f"the type `{names[0]}` is its own supertype: {shown}"
            file.error(words[names[0]], message, "remove one of these `-`")

        declared = {name: [parent for parent in own if parent != "object"] for name, own in parents.items()}
        for name in in_order(declared, circle):
            inherited = [self.above[parent] for parent in declared[name] if parent in self.above]
            self.above[name] = frozenset((name, *ANY, *(UNKNOWN if name in in_circles else ()))).union(*inherited)
            self._spend(file, len(self.above[name]))
        for name, above in self.above.items():
            for kind in above:
                self._below.setdefault(kind, set()).add(name)

    def _spend(self, file: PddlFile, many: int) -> None:
        self._spent += many
        if self._spent > MOST:
            file.error(None, "there are too many types for so many objects", "use fewer types, or a flatter hierarchy")
            file.report.raise_if_any()

    def read_objects(self, file: PddlFile, items: Sequence[Node]) -> None:
        """Objects of `:constants` or `:objects`."""
        for word, types in self.typed(file, items, "object"):
            if self.objects.setdefault(word.text, types) != types:
                before = " ".join(self.objects[word.text])
                hint = "give it one type; one that has both is `(either A B)`"
                file.error(word, f"the object `{file.quote(word, 40)}` has the type `{before}` already", hint)

    def index(self, file: PddlFile) -> None:
        """List the objects of each type, once all objects are read."""
        for number, types in enumerate(self.objects.values()):
            above = self.above_of(types)
            self._spend(file, len(above))
            for kind in above:
                self._members.setdefault(kind, []).append(number)
        self._names = tuple(self.objects)

    def above_of(self, types: TypeNames) -> frozenset[str]:
        """Some types and all of their supertypes."""
        return self.above[types[0]] if len(types) == 1 else frozenset().union(*(self.above[kind] for kind in types))

    def objects_of(self, types: TypeNames) -> tuple[str, ...]:
        """The objects that have one of some types, in the order of their declaration."""
        if types not in self._lists:
            numbers = self._members.get(types[0], [])
            if len(types) > 1:
                numbers = sorted(set().union(*(self._members.get(kind, ()) for kind in types)))
            self._lists[types] = tuple(self._names[number] for number in numbers)
        return self._lists[types]

    def fits(self, own: TypeNames, asked: TypeNames) -> bool:
        """Whether something of its own types can stand where one of some types is asked for."""
        above = self.above_of(own)
        return "" in above or "" in asked or not above.isdisjoint(asked)

    def overlap(self, left: TypeNames, right: TypeNames) -> bool:
        """Whether something can have one of the left types and one of the right ones."""
        if (left, right) not in self._overlaps:
            below = [set().union(*(self._below.get(kind, {kind}) for kind in types)) for types in (left, right)]
            alike = not below[0].isdisjoint(below[1])
            self._overlaps[left, right] = alike or not set(self.objects_of(left)).isdisjoint(self.objects_of(right))
        return self._overlaps[left, right]

    def read_predicates(self, file: PddlFile, items: Sequence[Node]) -> None:
        """Declarations in `:predicates`."""
        for node in items:
            self._declare(file, node, "predicate", self.predicates)

    def read_functions(self, file: PddlFile, items: Sequence[Node]) -> None:
        """Declarations in `:functions`: `(road-length ?a ?b - place) - number`, where the last two may be missing."""
        position = 0
        while position < len(items):
            node = items[position]
            if isinstance(node, Word) and node.text == "-":
                value = items[position + 1] if position + 1 < len(items) else node
                if not isinstance(value, Word) or value.text not in ("number", "-"):
                    refuse(file, value if isinstance(value, Word) else node, OBJECT_FUNCTIONS)
                elif value is node:
                    file.error(node, "a type is missing after `-`", "write `- number`")
                position += 2
                continue
            self._declare(file, node, "function", self.functions)
            position += 1

    def _declare(self, file: PddlFile, node: Node, what: str, table: dict[str, tuple[TypeNames, ...]]) -> None:
        name = node.items[0] if isinstance(node, Group) and node.items else None
        if not isinstance(node, Group) or not isinstance(name, Word):
            file.needs_brackets(node, f"a {what} is declared", "(NAME ?x - TYPE)")
            if isinstance(node, Word):
                table.setdefault(node.text, ())
                self.declared.setdefault((what, node.text), (file, node))
            return
        types = tuple(types for _, types in self.typed(file, node.items[1:], "variable"))
        if not name.is_name:
            file.error(name, f"`{file.quote(name, 40)}` cannot name a {what}", "write a name that begins with a letter")
        if name.text == "=":
            return  # some domains declare it
        before = self.declared.get(("predicate", name.text)) or self.declared.get(("function", name.text))
        if name.text in RESERVED:
            file.error(name, f"`{name.text}` has a meaning in PDDL, and cannot name a {what}", "choose another name")
        elif before:
            line = before[0].line(before[1].at)
            file.error(name, f"`{file.quote(name, 40)}` is declared twice, first on line {line}", "remove one of them")
        else:
            self.declared[what, name.text] = (file, node)
            table[name.text] = types
