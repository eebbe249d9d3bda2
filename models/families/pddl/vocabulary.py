"""What a domain and a problem name (types, objects, predicates, functions), and conditions and effects that use it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...moves import MOST_OF_A_STEP
from ...text import counted, meant, with_article
from ..custom.language import expressions as ex
from ..custom.language.expressions import Expr, Loop, in_order
from .problem import TRUE, Atom, AtomEffect, Price, atom_of, term
from .syntax import ARITHMETIC, NUMBERS, OBJECT_FUNCTIONS, OTHER_COST, REFUSED, Group, Node, PddlFile, Word, refuse

# What a domain and a problem name: types, objects, predicates, functions.

TypeNames = tuple[str, ...]
"""Types of which something has one: `("truck",)`, or several for `(either truck ship)`."""

ANY: TypeNames = ("object",)
UNKNOWN: TypeNames = ("",)
"""In place of a type that is wrong: whatever has it fits everywhere, so that nothing more is reported."""
RESERVED = frozenset(("and", "or", "not", "imply", "forall", "exists", "when", "increase"))
MOST = 5_000_000
"""How many entries the lists of supertypes may have together."""


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
    _lists: dict[TypeNames, tuple[str, ...]] = field(default_factory=dict)
    _overlaps: dict[tuple[TypeNames, TypeNames], bool] = field(default_factory=dict)

    def typed(
        self, file: PddlFile, items: Sequence[Node], what: str, declared: bool = True
    ) -> list[tuple[Word, TypeNames]]:
        """The names of `a b - t c`, each with its types. `what` they are: "variable" if they begin with `?`.

        `declared`: whether the types must have been declared.
        """
        typed_words: list[tuple[Word, TypeNames]] = []
        first, nodes = 0, iter(items)
        for node in nodes:
            if isinstance(node, Word) and node.text == "-":
                if first == len(typed_words):
                    file.error(node, f"no {what} stands before this `-`", "write `NAME - TYPE`")
                kind = next(nodes, None)
                if kind is None:
                    file.error(node, "a type is missing after `-`", "write `NAME - TYPE`, or remove the `-`")
                types = self._types(file, kind, declared) if kind else UNKNOWN
                typed_words[first:] = [(word, types) for word, _ in typed_words[first:]]
                first = len(typed_words)
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
        spent = 0

        def circle(names: list[str]) -> None:
            in_circles.update(names)
            shown = " - ".join(names if len(names) <= 6 else [*names[:5], "..."])
            message = f"the type `{names[0]}` is its own supertype: {shown}"
            file.error(words[names[0]], message, "remove one of these `-`")

        declared = {name: [parent for parent in own if parent != "object"] for name, own in parents.items()}
        for name in in_order(declared, circle):
            inherited = [self.above[parent] for parent in declared[name] if parent in self.above]
            self.above[name] = frozenset((name, *ANY, *(UNKNOWN if name in in_circles else ()))).union(*inherited)
            spent += len(self.above[name])
            if spent > MOST:
                file.error(None, "there are too many types below each other", "use fewer types, or a flatter hierarchy")
                file.report.raise_if_any()

    def read_objects(self, file: PddlFile, items: Sequence[Node]) -> None:
        """Objects of `:constants` or `:objects`."""
        for word, types in self.typed(file, items, "object"):
            if self.objects.setdefault(word.text, types) != types:
                before = " ".join(self.objects[word.text])
                hint = "give it one type; one that has both is `(either A B)`"
                file.error(word, f"the object `{file.quote(word, 40)}` has the type `{before}` already", hint)

    def above_of(self, types: TypeNames) -> frozenset[str]:
        """Some types and all of their supertypes."""
        return self.above[types[0]] if len(types) == 1 else frozenset().union(*(self.above[kind] for kind in types))

    def objects_of(self, types: TypeNames) -> tuple[str, ...]:
        """The objects that have one of some types, in the order of their declaration, once all objects are read."""
        if types not in self._lists:
            objects = self.objects.items()
            self._lists[types] = tuple([name for name, own in objects if not self.above_of(own).isdisjoint(types)])
        return self._lists[types]

    def fits(self, own: TypeNames, asked: TypeNames) -> bool:
        """Whether something of its own types can stand where one of some types is asked for."""
        above = self.above_of(own)
        return "" in above or "" in asked or not above.isdisjoint(asked)

    def overlap(self, left: TypeNames, right: TypeNames) -> bool:
        """Whether something can have one of the left types and one of the right ones."""
        if (left, right) not in self._overlaps:
            kinds = (self.above_of(types) for types in (*((name,) for name in self.above), *self.objects.values()))
            self._overlaps[left, right] = any(not (k.isdisjoint(left) or k.isdisjoint(right)) for k in kinds)
        return self._overlaps[left, right]

    def read_predicates(self, file: PddlFile, items: Sequence[Node]) -> None:
        """Declarations in `:predicates`."""
        for node in items:
            self._declare(file, node, "predicate", self.predicates)

    def read_functions(self, file: PddlFile, items: Sequence[Node]) -> None:
        """Declarations in `:functions`: `(road-length ?a ?b - place) - number`, where the last two may be missing."""
        nodes = iter(items)
        for node in nodes:
            if isinstance(node, Word) and node.text == "-":
                value = next(nodes, node)
                if not isinstance(value, Word) or value.text not in ("number", "-"):
                    refuse(file, value if isinstance(value, Word) else node, OBJECT_FUNCTIONS)
                elif value is node:
                    file.error(node, "a type is missing after `-`", "write `- number`")
            else:
                self._declare(file, node, "function", self.functions)

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


# Effects of actions: `and`, `when` and `forall` in any order become a flat list of atoms with their conditions.

# Conditions of actions and goals: every name is looked up, every argument's type checked.

NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)")


@dataclass(frozen=True, slots=True)
class Bound:
    """A variable within its parameters or quantifier: the name that it gets, and its types."""

    name: str
    types: TypeNames


Variables = Mapping[str, Bound]
NO_VARIABLES: Variables = {}


_NO_CONDITIONS = {"when": ("`when` stands in effects, not in conditions", "write `imply`, or move it to `:effect`")}


@dataclass
class ConditionReader:
    """Reads the conditions of a file."""

    file: PddlFile
    vocabulary: Vocabulary

    def parameters(self, node: Node | None, around: Variables = NO_VARIABLES) -> tuple[tuple[Loop, ...], Variables]:
        """The variables of `(?x ?y - t)`, each once, and what names stand for within their brackets.

        One that hides a variable `around` gets a name that nobody can write (`?c` becomes `?c?`): conditions from
        outside, which join its own in an effect, would else read the inner variable.
        """
        bound: dict[str, Bound] = {}
        if not isinstance(node, Group):
            if node:
                self.file.error(node, "variables stand in brackets", "write `(?x - TYPE)`, or `()` for none")
            return (), around
        hidden = {variable.name for variable in around.values()}
        for word, types in self.vocabulary.typed(self.file, node.items, "variable"):
            if word.text in bound:
                self.file.error(word, f"the variable `{self.file.quote(word)}` is declared twice", "rename one of them")
            name = word.text
            while name in hidden:
                name += "?"
            bound.setdefault(word.text, Bound(name, types))
        loops = tuple(Loop(own.name, self.vocabulary.objects_of(own.types), ()) for own in bound.values())
        return loops, {**around, **bound}

    def formula(self, node: Node, variables: Variables) -> Expr:
        """A condition; a true one in place of what is wrong."""
        if isinstance(node, Word):
            self.file.needs_brackets(node, "a condition stands", "(NAME ?x ...)")
            return TRUE
        if not node.items:
            return TRUE
        head, parts = node.head, node.items[1:]
        if head in self.vocabulary.derived:
            terms = self.terms(node, "predicate", self.vocabulary.predicates[head], variables)
            return TRUE if terms is None else ex.Use(head, tuple(map(term, terms)))
        if head in self.vocabulary.predicates:
            return self.atom(node, variables) or TRUE
        if head in ("and", "or"):
            return (ex.And if head == "and" else ex.Or)(tuple([self.formula(part, variables) for part in parts]))
        if head == "not" and self._takes(node, 1, "a condition"):
            return ex.Not(self.formula(parts[0], variables))
        if head == "imply" and self._takes(node, 2, "conditions"):
            return ex.Or((ex.Not(self.formula(parts[0], variables)), self.formula(parts[1], variables)))
        if head in ("forall", "exists") and self._takes(node, 2, "variables and a condition"):
            loops, inner = self.parameters(parts[0], variables)
            return ex.Quantifier("all" if head == "forall" else "any", self.formula(parts[1], inner), loops)
        if head == "=" and self._takes(node, 2, "objects or variables"):
            return self._same(node, variables)
        if head not in ("not", "imply", "forall", "exists", "="):
            self.misplaced(node, "condition", _NO_CONDITIONS)
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

    def _same(self, node: Group, variables: Variables) -> Expr:
        for part in node.items[1:]:
            inner = part.items[0] if isinstance(part, Group) and part.items else part
            if (
                isinstance(inner, Word)
                and (isinstance(part, Group) or NUMBER.fullmatch(inner.text))
                and (inner.text not in self.vocabulary.objects)
            ):
                refuse(self.file, inner, NUMBERS)
                return TRUE
        first, second = (self.term(part, None, variables) for part in node.items[1:])
        return TRUE if first is None or second is None else ex.Compare("==", term(first), term(second))

    def misplaced(self, node: Group, what: str, others: Mapping[str, tuple[str, str]]) -> None:
        """Report a group that is no condition, effect or atom (`what`). `others`: what to say of some words."""
        word = node.items[0]
        if not isinstance(word, Word):
            message = f"{with_article(what)} starts with a word, and this with `{self.file.quote(word, 30)}`"
            self.file.error(word, message, f"for several {what}s write `(and ...)`")
        elif word.text in others:
            self.file.error(word, *others[word.text])
        elif word.text in REFUSED and not is_plain(node):
            refuse(self.file, word)
        else:
            self.unknown_predicate(node)

    def unknown_predicate(self, node: Group) -> None:
        """Report a group whose first word should be a predicate."""
        word = node.items[0]
        assert isinstance(word, Word)
        if word.text in self.vocabulary.functions:
            refuse(self.file, word, NUMBERS)
        else:
            around = () if is_plain(node) else ("and", "or", "not", "imply", "forall", "exists", "when")
            words = [*self.vocabulary.predicates, *around]
            self.file.unknown(word, "predicate", words, "declare it in `:predicates` of the domain")

    def unknown_function(self, node: Group) -> None:
        """Report a group whose first word should be a function."""
        word = node.items[0] if node.items else node
        self.file.unknown(word, "function", self.vocabulary.functions, "declare it in `:functions`")

    def atom(self, node: Group, variables: Variables) -> ex.Read | None:
        """An atom of a known predicate that actions may change; None if something is wrong with it."""
        if node.head in self.vocabulary.derived:
            message = f"`{node.head}` is derived: it is true where its condition is, and nowhere else"
            self.file.error(node, message, "make true or false what its condition asks for")
            return None
        terms = self.terms(node, "predicate", self.vocabulary.predicates[node.head], variables)
        return None if terms is None else ex.Read(node.head, tuple(map(term, terms)))

    def counts(self, node: Group, what: str, types: tuple[TypeNames, ...], many: int) -> bool:
        """Whether a predicate or function has as many arguments as it takes; if not, it is reported."""
        if many != len(types):
            message = f"`{node.head}` takes {counted(len(types), 'argument')}, and has {many:,}"
            self.file.error(node, message, self._signature(what, node.head))
        return many == len(types)

    def terms(
        self, node: Group, what: str, types: tuple[TypeNames, ...], variables: Variables
    ) -> tuple[str, ...] | None:
        """The objects and variables of a predicate or function; None if something is wrong with them."""
        if not self.counts(node, what, types, len(node.items) - 1):
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
                refuse(self.file, word, OBJECT_FUNCTIONS)
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
                hint = lambda: meant(text, variables) or "add it to `:parameters`, or to a quantifier around it"  # noqa: E731
                message = f"the variable `{name}` is not declared here"
                self.file.error(node, message, hint if variables else "write an object: there are no variables here")
                return None
            own, result = bound.types, bound.name
            fits = types is None or self.vocabulary.fits(own, types) or self.vocabulary.overlap(own, types)
        else:
            if text not in self.vocabulary.objects:
                variable = f"write `?{name}` for the variable" if f"?{text}" in variables else ""
                self.file.unknown(node, "object", self.vocabulary.objects, variable or "declare it in `:objects`")
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


@dataclass
class EffectReader:
    """Reads the effects of one action into `atoms` and `costs`."""

    reader: ConditionReader
    atoms: list[AtomEffect] = field(default_factory=list)
    costs: list[Price] = field(default_factory=list)

    def read(self, node: Node, variables: Variables, outer: tuple[Loop, ...] = (), condition: Expr = TRUE) -> None:
        """An effect for all values of the outer variables, where a condition holds."""
        file, predicates = self.reader.file, self.reader.vocabulary.predicates
        if isinstance(node, Word):
            file.needs_brackets(node, "an effect stands", "(NAME ?x ...)")
            return
        if not node.items:
            return
        head, parts = node.head, node.items[1:]
        if head in predicates:
            self._atom(node, True, variables, outer, condition)
        elif head == "and":
            for part in parts:
                self.read(part, variables, outer, condition)
        elif head == "not" and len(parts) == 1 and isinstance(parts[0], Group) and parts[0].head in predicates:
            self._atom(parts[0], False, variables, outer, condition)
        elif head == "when" and len(parts) == 2:
            inner = self.reader.formula(parts[0], variables)
            both = inner if condition == TRUE else ex.And((condition, inner))
            self.read(parts[1], variables, outer, both)
        elif head == "forall" and len(parts) == 2:
            loops, inside = self.reader.parameters(parts[0], variables)
            self.read(parts[1], inside, (*outer, *loops), condition)
        elif head == "increase" and len(parts) == 2:
            if (amount := self._increase(node, variables)) is not None:
                self.costs.append(Price(amount, outer, condition))
        else:
            self._no_effect(node)

    def _atom(self, node: Group, makes: bool, variables: Variables, outer: tuple[Loop, ...], condition: Expr) -> None:
        atom = self.reader.atom(node, variables)
        if atom:
            self.atoms.append(AtomEffect(atom_of(atom), makes, outer, condition))

    def _increase(self, node: Group, variables: Variables) -> int | Atom | None:
        """What an action costs, from its effect `(increase (total-cost) N)`, N a number or a function; None if that is
        not one, which is reported.
        """
        file, vocabulary = self.reader.file, self.reader.vocabulary
        target, value = node.items[1:]
        if not isinstance(target, Group) or target.head != vocabulary.cost:
            word = target.items[0] if isinstance(target, Group) and target.items else target
            if isinstance(word, Word) and word.text == vocabulary.cost:
                file.error(word, "the total cost stands in brackets", f"write `({vocabulary.cost})`")
            else:
                refuse(file, word if isinstance(word, Word) else Word("", target.at), OTHER_COST)
        elif isinstance(value, Word):
            return whole(file, value, "a cost")
        elif value.head in vocabulary.functions and value.head != vocabulary.cost:
            terms = self.reader.terms(value, "function", vocabulary.functions[value.head], variables)
            return None if terms is None else (value.head, *terms)
        elif value.head in (*ARITHMETIC, vocabulary.cost):
            message = "a cost is a number or a function that no action changes, not a calculation"
            file.error(value, message, "declare a function, and give its values in `:init`")
        else:
            self.reader.unknown_function(value)
        return None

    def _no_effect(self, node: Group) -> None:
        """Report a group that is no effect."""
        file, inner = self.reader.file, node.items[-1]
        if node.head == "not" and len(node.items) == 2 and isinstance(inner, Group) and inner.head:
            if inner.head in RESERVED or inner.head == "=":
                file.error(inner, "an effect makes one atom false: `(not (NAME ...))`", "write a `not` for each atom")
            else:
                self.reader.unknown_predicate(inner)
        elif node.head in _TAKES:
            file.error(node, f"`{node.head}` takes {_TAKES[node.head]}", "check the brackets")
        else:
            self.reader.misplaced(node, "effect", _NO_EFFECTS)


_TAKES = {
    "not": "an atom",
    "when": "a condition and an effect",
    "forall": "variables and an effect",
    "increase": "`(total-cost)` and a value",
}
"""What stands behind a word of effects."""

_CHOICE = "say what becomes true; for a choice write an action for each case"
_NO_EFFECTS = {word: (f"`{word}` is a condition, and no effect", _CHOICE) for word in ("or", "imply", "exists", "=")}


def whole(file: PddlFile, word: Word, what: str) -> int | None:
    """A whole number, at least 0; None if it is not one, which is reported."""
    text = word.text
    if not NUMBER.fullmatch(text):
        file.error(word, f"{what} is a whole number, not `{file.quote(word, 30)}`", "write a number, as `1`")
        return None
    before, _, after = text.partition(".")
    if after.strip("0"):
        message = f"{what} is a whole number, not {file.quote(word, 30)}"
        file.error(word, message, "multiply all costs by the same number, so that they are whole")
    elif len(before) > 20 or abs(int(before or "0")) > MOST_OF_A_STEP:
        file.error(word, f"{what} is at most {MOST_OF_A_STEP:,}", "divide all costs by the same number")
    elif int(before or "0") < 0:
        file.error(word, f"{what} cannot be negative", "add the same number to all costs, if all plans are as long")
    else:
        return int(before or "0")
    return None
