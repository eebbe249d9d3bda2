"""Effects of actions: `and`, `when` and `forall` in any order become a flat list of atoms with their conditions."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...moves import MOST_OF_A_STEP
from .conditions import NUMBER, TRUE, Bound, Conditions, Variables, is_plain
from .problem import AtomEffect, Formula, Increase, Junction, TypedName
from .refused import OTHER_COST, REFUSED_EFFECTS, refuse, refuse_as
from .syntax import Group, Node, PddlFile, Word
from .vocabulary import near


@dataclass
class Effects:
    """Reads the effects of one action into `atoms` and `costs`."""

    reader: Conditions
    names: frozenset[str]
    """The variables that the action has anywhere: a variable that hides another gets a name that is none of them."""
    atoms: list[AtomEffect] = field(default_factory=list)
    costs: list[Increase] = field(default_factory=list)

    def read(
        self, node: Node, variables: Variables, outer: tuple[TypedName, ...] = (), condition: Formula = TRUE
    ) -> None:
        """An effect for all values of the outer variables, where a condition holds."""
        file, predicates = self.reader.file, self.reader.vocabulary.predicates
        if isinstance(node, Word):
            file.error(
                node,
                f"an effect stands in brackets, and this is `{file.quote(node, 30)}`",
                f"write `({file.quote(node, 30)})`",
            )
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
            both = inner if condition == TRUE else Junction(True, (condition, inner))
            self.read(parts[1], variables, outer, both)
        elif head == "forall" and len(parts) == 2:
            names, bound = self._unhidden(*self.reader.parameters(parts[0]), variables)
            self.read(parts[1], {**variables, **bound}, (*outer, *names), condition)
        elif head == "increase" and len(parts) == 2:
            self._increase(node, variables, bool(outer) or condition != TRUE)
        else:
            self._no_effect(node)

    def _atom(
        self, node: Group, makes: bool, variables: Variables, outer: tuple[TypedName, ...], condition: Formula
    ) -> None:
        atom = self.reader.atom(node, variables)
        if atom:
            self.atoms.append(AtomEffect(atom, makes, outer, condition))

    def _unhidden(
        self, names: tuple[TypedName, ...], bound: dict[str, Bound], variables: Variables
    ) -> tuple[tuple[TypedName, ...], dict[str, Bound]]:
        """The variables of a `forall`, renamed (`?c` to `?c-2`) where a variable of the same name stands around it.

        Effects become flat lists, so that a condition from outside would else read the inner variable.
        """
        used = {variable.name for variable in variables.values()}
        if not used.isdisjoint(bound):
            new = {}
            for name, variable in bound.items():
                fresh, number = name, 2
                while fresh in used or (fresh != name and fresh in self.names):
                    fresh, number = f"{name}-{number}", number + 1
                used.add(fresh)
                new[name] = Bound(fresh, variable.types)
            names = tuple(TypedName(new[variable.name].name, variable.objects) for variable in names)
            bound = new
        return names, bound

    def _increase(self, node: Group, variables: Variables, conditional: bool) -> None:
        """What an action costs, from its effect `(increase (total-cost) N)`, N a number or a function."""
        file, vocabulary = self.reader.file, self.reader.vocabulary
        target, value = node.items[1:]
        if not isinstance(target, Group) or target.head != vocabulary.cost:
            word = target.items[0] if isinstance(target, Group) and target.items else target
            if isinstance(word, Word) and word.text == vocabulary.cost:
                file.error(word, "the total cost stands in brackets", f"write `({vocabulary.cost})`")
            else:
                refuse_as(file, word if isinstance(word, Word) else Word("", target.at), OTHER_COST)
        elif conditional:
            file.error(node, "a cost under `when` or `forall` is not read", "write an action for each case")
        elif isinstance(value, Word):
            number = whole(file, value, "a cost")
            if number is not None:
                self.costs.append(Increase("", (), number))
        elif value.head in vocabulary.functions and value.head != vocabulary.cost:
            terms = self.reader.terms(value, "function", vocabulary.functions[value.head], variables)
            if terms is not None:
                self.costs.append(Increase(value.head, terms))
        elif value.head in (*REFUSED_ARITHMETIC, vocabulary.cost):
            file.error(
                value,
                "a cost is a number or a function that no action changes, not a calculation",
                "declare a function, and give its values in `:init`",
            )
        else:
            unknown_function(self.reader, value)

    def _no_effect(self, node: Group) -> None:
        """Report a group that is no effect."""
        file, word = self.reader.file, node.items[0]
        if not isinstance(word, Word):
            hint = "for several effects write `(and ...)`"
            file.error(word, f"an effect starts with a word, and this with `{file.quote(word, 30)}`", hint)
        elif word.text in REFUSED_EFFECTS and not is_plain(node):
            refuse(file, word, REFUSED_EFFECTS)
        elif word.text in ("or", "imply", "exists", "="):
            file.error(
                word,
                f"`{word.text}` is a condition, and no effect",
                "say what becomes true; for a choice write an action for each case",
            )
        elif word.text == "not" and len(node.items) == 2 and isinstance(node.items[1], Group) and node.items[1].head:
            inner = node.items[1]
            assert isinstance(inner.items[0], Word)
            if inner.head in ("and", "or", "not", "forall", "when", "exists", "imply", "="):
                file.error(inner, "an effect makes one atom false: `(not (NAME ...))`", "write a `not` for each atom")
            else:
                self.reader.unknown_predicate(inner)
        elif word.text in ("not", "when", "forall", "increase"):
            takes = {
                "not": "an atom",
                "when": "a condition and an effect",
                "forall": "variables and an effect",
                "increase": "`(total-cost)` and a value",
            }[word.text]
            file.error(node, f"`{word.text}` takes {takes}", "check the brackets")
        else:
            self.reader.unknown_predicate(node)


REFUSED_ARITHMETIC = ("+", "-", "*", "/")


def whole(file: PddlFile, word: Word, what: str) -> int | None:
    """A whole number, at least 0; None if it is not one, which is reported."""
    text = word.text
    if not NUMBER.fullmatch(text):
        file.error(word, f"{what} is a whole number, not `{file.quote(word, 30)}`", "write a number, as `1`")
        return None
    before, _, after = text.partition(".")
    if after.strip("0"):
        file.error(
            word,
            f"{what} is a whole number, not {file.quote(word, 30)}",
            "multiply all costs by the same number, so that they are whole",
        )
    elif len(before) > 20 or abs(int(before or "0")) > MOST_OF_A_STEP:
        file.error(word, f"{what} is at most {MOST_OF_A_STEP:,}", "divide all costs by the same number")
    elif int(before or "0") < 0:
        file.error(word, f"{what} cannot be negative", "add the same number to all costs, if all plans are as long")
    else:
        return int(before or "0")
    return None


def unknown_function(reader: Conditions, node: Group) -> None:
    """Report a group whose first word should be a function."""
    word = node.items[0] if node.items else node
    functions = reader.vocabulary.functions

    def hint() -> str:
        return (near(word.text, functions) if isinstance(word, Word) else "") or "declare it in `:functions`"

    reader.file.error(word, f"there is no function `{reader.file.quote(word, 40)}`", hint, once=True)
