"""Predicates as functions: of which arguments the others leave one choice, in every state at rest or for good.

    (at ?node ?x ?y)     at[node] = "x y"        each node is on one place
    (heading ?node ?d)   heading[node] = d       what has none at the start never has one: the last node
    (free ?x ?y)         no node is at "x y"     each action that makes it false puts a node there, and the other way
    (next ?d ?r ?e)      next[d, r] = e          no action changes it

The first two are guesses from the initial state, to which `macro_moves` holds every move. The last two are proven here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod

from ..custom.language import expressions as ex
from ..custom.language.expressions import Expr, Loop, Value, used
from ..custom.puzzle import BOOL, Domain, ValueTable
from .ground_actions import Atoms, Query, Slots, split
from .problem import Pddl, PddlAction, Truths

MOST_ATOMS = 50_000
"""A predicate with more atoms than this (the product of what its arguments can be) is given up."""

MOST_VALUE_WORDS = 2
"""The most arguments that are a value together: a place is "x y"."""


class NoMovesError(Exception):
    """The problem is not of the kind that moves from rest to rest are made of."""


@dataclass(frozen=True, slots=True)
class Function:
    """A predicate as a table. `value_at`: the places of the arguments that are the value; none for truth values.
    `different`: no two of its values are equal at rest, which each move has to show; `apart`: nor ever, as proven by
    `free_of`.
    """

    table: ValueTable
    value_at: tuple[int, ...] = ()
    different: bool = False
    apart: bool = False

    def parted(self, terms: Sequence[str]) -> tuple[tuple[str, ...], str]:
        """Terms of an atom as arguments and value of the table: (card7, cell3) of `at` is at[card7] = cell3, and
        (node4, x1, y2) is at[node4] = "x1 y2".
        """
        key = tuple([term for n, term in enumerate(terms) if n not in self.value_at])
        return key, " ".join([terms[n] for n in self.value_at])


def joined(domains: Iterable[Sequence[Value]]) -> tuple[Value, ...]:
    """The values that are one of each domain: "x1 y1", "x1 y2", ... Raises `NoMovesError` if these are too many."""
    several = [*domains]
    if prod(map(len, several)) > MOST_ATOMS:
        raise NoMovesError
    return tuple([" ".join(map(str, words)) for words in product(*several)])


def truths(puzzle: Pddl, name: str) -> ValueTable:
    """A predicate as a table of truth values, as they are at the start."""
    domains = puzzle.predicates[name]
    if prod(map(len, domains)) > MOST_ATOMS:
        raise NoMovesError
    of = tuple(type_of(puzzle, each) for each in domains)
    return ValueTable(name, of, BOOL, {args: (name, *args) in puzzle.init for args in product(*domains)})


def type_of(puzzle: Pddl, objects: Sequence[str]) -> Domain:
    """The type of an argument that can be some objects, named as their type in PDDL: `robot`, of robot1 and robot2."""
    return Domain("/".join(sorted({puzzle.objects[name] for name in objects})), "object", tuple(objects))


def functions_of(puzzle: Pddl, name: str) -> Iterator[Function]:
    """The ways in which a predicate is a function at the start, `(at ?node ?x ?y)` as at[node] = "x y": those with a
    value for all other arguments, in as few words as can be; else those that only some objects have; else truth values.
    """
    true = sorted(atom[1:] for atom in puzzle.init if atom[0] == name)
    places = range(len(puzzle.predicates[name]))
    ways = [(chosen, True) for many in range(1, MOST_VALUE_WORDS + 1) for chosen in combinations(places, many)]
    kinds: dict[tuple[int, bool], list[Function]] = {}
    for chosen, whole in [*ways, *[((n,), False) for n in places if len(places) > 1]]:
        found: dict[tuple[Value, ...], Value] = {}
        bare = Function(ValueTable(name, (), BOOL, {}), chosen)
        for terms in true:
            key, value = bare.parted(terms)
            found[key] = value
        domains = [puzzle.predicates[name][n] for n in places if n not in chosen]
        if not whole:  # of those that have a value
            domains = [tuple(v for v in each if any(key[n] == v for key in found)) for n, each in enumerate(domains)]
        if found and len(found) == len(true) == prod(map(len, domains)):
            of = tuple(type_of(puzzle, each) for each in domains)
            values = joined([puzzle.predicates[name][n] for n in chosen])
            table = ValueTable(name, of, Domain(f"{name} of", "object", values), {})
            table = replace(table, values={key: found[key] for key in table.every_key()})
            different = bool(of) and len({*found.values()}) == len(true)
            kinds.setdefault((len(chosen), whole), []).append(replace(bare, table=table, different=different))
    for kind in [*[(many, True) for many in range(1, MOST_VALUE_WORDS + 1)], (1, False)]:
        if kind in kinds:
            yield from kinds[kind]
            return
    yield Function(truths(puzzle, name))


def free_of(puzzle: Pddl, free: str, functions: Mapping[str, Function]) -> str | None:
    """The function of which a predicate says that a value is nobody's: `(free ?x ?y)` and `(at ?node ?x ?y)`.

    For each value the number of objects that have it, and 1 if it is free, is 1 together: at the start, and after each
    action, as each makes at most one value free, takes it off an object that it asks for, and the other way round.
    """
    for name, function in functions.items():
        if [puzzle.predicates[name][n] for n in function.value_at] != [*puzzle.predicates[free]] or name == free:
            continue
        start = [atom[1:] for atom in puzzle.init if atom[0] == free]
        taken = [function.parted(atom[1:])[1] for atom in puzzle.init if atom[0] == name]
        both = [*map(" ".join, start), *taken]
        if len({*both}) != len(both) or len(both) != prod(map(len, puzzle.predicates[free])):
            continue
        if all(_in_turn(action, free, name, function) for action in puzzle.actions):
            return name
    return None


def _in_turn(action: PddlAction, free: str, name: str, function: Function) -> bool:
    """Whether an action makes `(free v)` true just when an object loses v, and false just when one gets it."""
    asked = {(atom[0], *atom[1:]) for atom in split(action.precondition)[0]}
    for makes in (True, False):
        freed = [e for e in action.effects if e.atom[0] == free and e.makes == makes]
        given = [e for e in action.effects if e.atom[0] == name and e.makes != makes]
        if len(freed) != len(given) or len(freed) > 1 or not all(e.certain for e in (*freed, *given)):
            return False
        if freed and " ".join(freed[0].atom[1:]) != function.parted(given[0].atom[1:])[1]:
            return False
        if freed and (given if makes else freed)[0].atom not in asked:
            return False
    return True


@dataclass(frozen=True, slots=True)
class Computed:
    """A term that is an entry of a constant table, ?e = next[?d], and the conditions that say so, `(next ?d ?e)`."""

    term: str
    table: ValueTable
    of: tuple[str, ...]
    said: tuple[Expr, ...]


def computed_of(
    puzzle: Pddl, action: PddlAction, term: str, said: Sequence[Expr], terms: Mapping[str, str]
) -> Computed | None:
    """A term as a function of the others of some conditions on what never changes; None if it is none. `terms`: of each
    variable the term in which it is a word.
    """
    values = {parameter.name: parameter.values for parameter in action.parameters}
    own = {name for part in said for name in used(part)} - {*term.split()}
    of = tuple(dict.fromkeys(terms[name] for name in values if name in own))
    names = [name for each in (*of, term) for name in each.split()]
    entries: dict[tuple[Value, ...], Value] = {}
    for words in _solutions(puzzle, [Loop(name, values[name], ()) for name in names], said):
        given = dict(zip(names, words, strict=True))
        *key, value = (" ".join(given[name] for name in each.split()) for each in (*of, term))
        if entries.setdefault(tuple(key), value) != value or len(entries) > MOST_ATOMS:
            return None
    domains = [Domain(each, "object", joined([values[name] for name in each.split()])) for each in (*of, term)]
    return Computed(term, ValueTable(f"{action.name} {term}", tuple(domains[:-1]), domains[-1], entries), of, (*said,))


def _solutions(puzzle: Pddl, variables: Sequence[Loop], parts: Sequence[Expr]) -> Iterator[tuple[str, ...]]:
    """The objects of variables for which conditions hold that nothing changes; some may come twice."""
    holds, known = puzzle.evaluators().evaluator, Truths(puzzle.init.__contains__)
    names = [variable.name for variable in variables]
    atoms = Atoms()
    for atom in sorted(puzzle.init):
        if atom[0] in puzzle.static:
            atoms.add(atom)
    for chosen in product(*[part.parts if isinstance(part, ex.Or) else (part,) for part in parts]):
        asked, same, rest = split(ex.And(chosen))
        query, found = Query(atoms, variables, asked, same), dict[tuple[str, ...], None]()

        def last(slots: Slots, found: dict[tuple[str, ...], None] = found) -> None:
            found[tuple(slots[: len(names)])] = None
            if len(found) > MOST_ATOMS:
                raise NoMovesError

        query.plan(last)(query.start())
        for words in found:
            given: dict[str, Value] = dict(zip(names, words, strict=True))
            if all(holds(part)(given, known) is True for part in rest):
                yield words
