"""From changes of variables to facts: what is true, what is not, and which facts exclude each other.

Each variable has a fact for each value. Preconditions are positive, so what must *not* be true needs facts of its own.
For a set F of facts of which at most one can be true there is a fact "none of F"; F and it are a mutex group. F is

- the values of one variable that a precondition excludes: at[A] is none of r1c1, r1c2; or
- everything that is at one place, of several variables: `none of at r1c1` while no robot is there. That at most one is,
  is an invariant: it holds at the start, and whoever comes there leaves another fact of F or requires that no other is
  true (Helmert, *Concise finite-domain representations for PDDL planning tasks*, 2009, on such invariants).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ....task import ExactlyInvariant, GroupKind
from ..language.expressions import Value, text_of
from ..puzzle import Place
from .cases import Compiler
from .instances import Fact, VariableChange
from .terms import bits


@dataclass
class Facts:
    """The facts of a task: "variable = value", and "none of some facts". `reached`: each variable's reachable values
    (a mask).
    """

    compiler: Compiler
    reached: list[int]
    start: dict[int, int]
    changes: list[VariableChange]
    names: list[str] = field(default_factory=list)
    number: dict[Fact, int] = field(default_factory=dict)
    nones: dict[frozenset[Fact], int] = field(default_factory=dict)
    nones_of: dict[Fact, list[frozenset[Fact]]] = field(default_factory=dict)
    exclusive: dict[frozenset[Fact], bool] = field(default_factory=dict)
    of_mask: dict[tuple[int, int], dict[Fact, None]] = field(default_factory=dict)
    with_value: dict[tuple[Value, frozenset[str]], frozenset[Fact]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.adders: dict[Fact, list[VariableChange]] = {}
        for change in self.changes:
            for fact in change.new.items():
                self.adders.setdefault(fact, []).append(change)
        self.varying = [v for v, mask in enumerate(self.reached) if mask & (mask - 1)]
        for variable in self.varying:
            for value in bits(self.reached[variable]):
                self.number[variable, value] = self._named(self._name(variable, value))
        self.permuted = list(self._permutations())

    def _named(self, name: str) -> int:
        self.names.append(name)
        return len(self.names) - 1

    def _name(self, variable: int, value: int) -> str:
        """`at wolf left`, `peg r1c3`, `not peg r1c3`."""
        table, args = self.compiler.places[variable]
        words = " ".join([table, *map(text_of, args)])
        found: Value = self.compiler.values[variable][value]
        if isinstance(found, bool):
            return words if found else f"not {words}"
        return f"{words} {text_of(found)}"

    # Preconditions

    def required(self, change: VariableChange) -> list[int] | None:
        """The preconditions of a change: facts that together say what its term says; None if no state has them all."""
        found: list[int] = []
        absent: dict[Fact, None] = {}
        single: dict[int, int] = {}
        for variable, mask in change.term.items():
            mask &= self.reached[variable]
            if variable not in self.compiler.places_varying:
                continue
            if mask & (mask - 1) == 0:
                single[variable] = mask.bit_length() - 1
                if any(single.get(other) == single[variable] for other in self.compiler.siblings.get(variable, ())):
                    return None
                found.append(self.number[variable, mask.bit_length() - 1])
            else:
                absent.update(self._facts(variable, self.reached[variable] & ~mask))
        if not absent:
            return found
        by_value: dict[Value, list[int]] = {}
        for variable, number in single.items():
            by_value.setdefault(self.compiler.values[variable][number], []).append(variable)
        tables_at: dict[Value, set[str]] = {}  # what has values that must be absent
        for variable, number in absent:
            tables_at.setdefault(self.compiler.values[variable][number], set()).add(self.compiler.places[variable][0])
        values = self.compiler.values
        left = {
            fact for fact in absent if values[fact[0]][fact[1]] not in by_value or not self._implied(fact, by_value)
        }
        for fact in absent:
            if fact in left:
                tables = frozenset(tables_at[self.compiler.values[fact[0]][fact[1]]])
                covered = self._place_set(fact, absent, tables, single)
                if covered is not None:
                    found.append(self.none_of(covered))
                    left -= covered
        for variable in {variable for variable, _ in left}:
            facts = frozenset(fact for fact in left if fact[0] == variable)
            found.append(self.none_of(facts))
        return found

    def _facts(self, variable: int, mask: int) -> dict[Fact, None]:
        """The facts "variable = value" for the values in a mask, in order; kept, because many changes exclude the
        same values.
        """
        if (variable, mask) not in self.of_mask:
            self.of_mask[variable, mask] = dict.fromkeys((variable, value) for value in bits(mask))
        return self.of_mask[variable, mask]

    def _implied(self, fact: Fact, by_value: dict[Value, list[int]]) -> bool:
        """Whether a fact is surely false, because another object is at its place and at most one can be there."""
        compiler = self.compiler
        value = compiler.values[fact[0]][fact[1]]
        for other in by_value.get(value, ()):
            if isinstance(value, bool) or other == fact[0]:
                continue
            tables = {compiler.places[fact[0]][0], compiler.places[other][0]}
            if self.mutex(self.at_value(value, frozenset(tables))):
                return True
        return False

    def _place_set(
        self, fact: Fact, absent: dict[Fact, None], tables: frozenset[str], single: dict[int, int]
    ) -> frozenset[Fact] | None:
        """All facts "x is at this place" that exclude each other, if each of them must be absent; None otherwise."""
        family = self.at_value(self.compiler.values[fact[0]][fact[1]], tables)
        if len(family) < 2:
            return None
        for variable, number in family:
            if (variable, number) not in absent and single.get(variable, number) == number:
                return None
        return family if self.mutex(family) else None

    def at_value(self, value: Value, tables: frozenset[str]) -> frozenset[Fact]:
        """All facts that give this value (for example, this cell) to a variable of one of these tables."""
        if (value, tables) not in self.with_value:
            compiler = self.compiler
            self.with_value[value, tables] = frozenset(
                (variable, compiler.bit[variable][value].bit_length() - 1)
                for variable in self.varying
                if compiler.places[variable][0] in tables
                and self.reached[variable] & compiler.bit[variable].get(value, 0)
            )
        return self.with_value[value, tables]

    def mutex(self, facts: frozenset[Fact]) -> bool:
        """Whether at most one of some facts is true in every reachable state; proven as an invariant of all changes."""
        if facts not in self.exclusive:
            first, *others = sorted(variable for variable, _ in facts)
            if set(others) <= set(self.compiler.siblings.get(first, ())) and len({value for _, value in facts}) == 1:
                self.exclusive[facts] = True  # the author says so, and no change makes them equal
        if facts not in self.exclusive:
            at_start = sum(self.start[variable] == value for variable, value in facts)
            self.exclusive[facts] = at_start <= 1 and all(
                self._keeps(change, facts) for fact in facts for change in self.adders.get(fact, ())
            )
        return self.exclusive[facts]

    def _keeps(self, change: VariableChange, facts: frozenset[Fact]) -> bool:
        """Whether there is at most one of the facts after a change if there was at most one before."""
        added = sum((variable, value) in facts for variable, value in change.new.items())
        if added > 1:
            return False
        for variable, value in facts:
            mask = change.term.get(variable, self.reached[variable])
            if variable in change.new:
                if mask == 1 << value:  # leaves it: there was no other
                    return True
            elif mask >> value & 1 and mask != 1 << value:
                continue
            elif mask == 1 << value:
                return False
        return all(
            variable in change.new or not change.term.get(variable, self.reached[variable]) >> value & 1
            for variable, value in facts
        )

    def none_of(self, facts: frozenset[Fact]) -> int:
        """The fact that is true if and only if none of some mutually exclusive facts is."""
        if len(facts) == 1:
            ((variable, value),) = facts
            rest = self.reached[variable] & ~(1 << value)
            if rest & (rest - 1) == 0:
                return self.number[variable, rest.bit_length() - 1]
        if facts not in self.nones:
            self.nones[facts] = self._named(self._none_name(facts))
            for fact in facts:
                self.nones_of.setdefault(fact, []).append(facts)
        return self.nones[facts]

    def _none_name(self, facts: frozenset[Fact]) -> str:
        variables = sorted({variable for variable, _ in facts})
        values = sorted({value for _, value in facts})
        places, texts = self.compiler.places, self.compiler.values
        if len(variables) == 1:
            table, args = places[variables[0]]
            words = " ".join([table, *map(text_of, args)])
            return f"{words} not {' '.join(text_of(texts[variables[0]][value]) for value in values)}"
        tables = dict.fromkeys(places[variable][0] for variable in variables)
        return f"no {' '.join(tables)} {text_of(texts[variables[0]][min(v for w, v in facts if w == variables[0])])}"

    # Effects

    def effects(self, change: VariableChange) -> tuple[list[int], list[int], list[int]] | None:
        """Facts that a change adds, deletes and needs besides, for the facts "none of" too; None if the change is
        impossible.
        """
        added, deleted, besides = [], [], []
        difference: dict[frozenset[Fact], int] = {}
        for variable, value in change.new.items():
            old = change.term[variable].bit_length() - 1
            added.append(self.number[variable, value])
            deleted.append(self.number[variable, old])
            for facts in self.nones_of.get((variable, value), ()):
                difference[facts] = difference.get(facts, 0) + 1
            for facts in self.nones_of.get((variable, old), ()):
                difference[facts] = difference.get(facts, 0) - 1
        for family, _ in self.permuted:  # whose values only change places
            changed = change.new.keys() & family
            if {change.new[v] for v in changed} != {change.term[v].bit_length() - 1 for v in changed}:
                return None
        for facts, more in difference.items():
            if abs(more) > 1:
                return None
            if more == 1:
                deleted.append(self.nones[facts])
                besides.append(self.nones[facts])
            elif more == -1:
                added.append(self.nones[facts])
        return added, deleted, besides

    # What is always so

    def initial(self) -> list[int]:
        """The facts of the initial state."""
        found = [self.number[variable, self.start[variable]] for variable in self.varying]
        for facts, number in self.nones.items():
            if not any(self.start[variable] == value for variable, value in facts):
                found.append(number)
        return sorted(found)

    def groups(self) -> Iterator[ExactlyInvariant]:
        """The groups of the task: each variable, each set completed by a fact "none of", and each value that only
        changes places.
        """
        for variable in self.varying:
            table, args = self.compiler.places[variable]
            name = " ".join([table, *map(text_of, args)])
            facts = tuple(self.number[variable, v] for v in bits(self.reached[variable]))
            yield ExactlyInvariant(name, GroupKind.OBJECT, facts)
        yield from self._permuted()
        for members, number in self.nones.items():
            inside = sorted([number, *(self.number[fact] for fact in members)])
            yield ExactlyInvariant(self.names[number], GroupKind.CELL, tuple(inside))

    def _permuted(self) -> Iterator[ExactlyInvariant]:
        """Groups for tables with as many values as variables, all different: each value is then in exactly one
        place.
        """
        for family, values in self.permuted:
            for value in bits(values):
                facts = [self.number[v, value] for v in family if (v, value) in self.number]
                if len(facts) > 1:
                    text = text_of(self.compiler.values[family[0]][value])
                    yield ExactlyInvariant(
                        f"{self.compiler.places[family[0]][0]} {text}", GroupKind.CELL, tuple(sorted(facts))
                    )

    def _permutations(self) -> Iterator[tuple[list[int], int]]:
        """The variables of each table with as many values (a mask) as variables, all different."""
        done: set[int] = set()
        for variable in self.varying:
            family = [variable, *self.compiler.siblings.get(variable, ())]
            values = 0
            for other in family:
                values |= self.reached[other]
            if len(family) > 1 and variable not in done and values.bit_count() == len(family):
                yield family, values
            done.update(family)

    def negatives(self) -> dict[int, int]:
        """For each fact that is a truth value, the fact that it is false."""
        return {self.number[v, 1]: self.number[v, 0] for v in self._truths()}

    def on_cells(self) -> dict[str, dict[Value, tuple[int, ...]]]:
        """For each table of cells with other values than truth values: the facts of each value, one for each cell."""
        puzzle, found = self.compiler.puzzle, dict[str, dict[Value, tuple[int, ...]]]()
        for (variable, number), fact in self.number.items():
            table = self.compiler.places[variable][0]
            declared, value = puzzle.state[table], self.compiler.values[variable][number]
            if not isinstance(value, bool) and [domain.kind for domain in declared.of] == ["cell"]:
                facts = found.setdefault(table, {})
                facts[value] = (*facts.get(value, ()), fact)
        return found

    def truths(self) -> dict[int, Place]:
        """The place in the state of each fact that says that a truth value is true."""
        return {self.number[v, 1]: self.compiler.places[v] for v in self._truths()}

    def _truths(self) -> list[int]:
        """The variables that are truth values and can change. (False is value 0, true is value 1: `puzzle.TRUTH`.)"""
        return [v for v in self.varying if isinstance(self.compiler.values[v][0], bool)]
