"""Objects that no plan needs: the operators that touch them are left out.

    thirty blocks on the table, a tower of four wanted      the other 26 stay where they are
    a hundred balls, five of them wanted elsewhere          nobody picks up the other 95

States without an object o are the image of those with it: each fact that names o is mapped to a fact that it stands in
for, of a group of which exactly one is true, or to nothing.

    f(carry ball7 left) = free left    f(on b5 b7) = ontable b5    f(on b7 b5) = clear b5    f(at ball7 hall) = nothing

An operator that names o then does nothing (picking up ball7), or what another does (stacking b5 on b7: putting it
down). If that holds of all of them, a plan with o becomes one without it that costs no more. This is an endomorphism of
the task (Horcik and Fiser, *Endomorphisms of classical planning tasks*, AAAI 2021). Which one is tried is guessed from
the names of facts; that it is one is proven from the operators alone (`_Leaving.holds`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, product

from ..models.task import Operator, Task

# How many maps of facts are tried for an object, before it is taken to be needed.
MOST_WAYS = 32

Map = dict[int, int | None]


def without_spare_objects(task: Task) -> Task:
    """The task without the operators of objects that no plan needs: of the same cost, and its plans are plans of both.

    Only `operators` changes. Tasks with a walker or compound moves stay as they are.
    """
    if task.walker or task.compound_moves:
        return task
    leaving = _Leaving(task)
    for name in leaving.named:
        leaving.try_without(name)
    kept = [op for number, op in enumerate(task.operators) if number not in leaving.left_out]
    return replace(task, operators=tuple(kept)) if leaving.left_out else task


class _Leaving:
    """Leaves objects out, one after the other. `named`: of each, the facts that name it."""

    def __init__(self, task: Task) -> None:
        self.task, self.init = task, frozenset(task.init)
        self.words = [tuple(fact.split()) for fact in task.facts]
        self.groups = [group.facts if group.count == 1 else () for group in task.groups]
        self.named: dict[str, list[int]] = defaultdict(list)
        for fact, words in enumerate(self.words):
            for word in {*words[1:]}:
                self.named[word].append(fact)
        wanted = {word for clause in task.goal for fact in clause for word in self.words[fact]}
        self.named = {word: facts for word, facts in self.named.items() if word not in wanted}
        self.touching: dict[int, list[int]] = defaultdict(list)
        self.by_pre: dict[frozenset[int], list[int]] = defaultdict(list)
        for number, op in enumerate(task.operators):
            self.by_pre[frozenset(op.pre)].append(number)
            for fact in (*op.pre, *op.add):
                self.touching[fact].append(number)
        self.left_out: set[int] = set()
        self.last: dict[tuple[str, ...], str | None] = {}

    def try_without(self, name: str) -> None:
        """Leave an object out, if that can be."""
        touched = {number for fact in self.named[name] for number in self.touching[fact]} - self.left_out
        if touched and any(self.holds(f, touched) for f in islice(self._maps(name), MOST_WAYS)):
            self.left_out |= touched

    def _maps(self, name: str) -> Iterator[Map]:
        """What the facts of an object may stand in for: facts of their groups that name only what they name besides,
        chosen by predicate.
        """
        options: dict[tuple[str, ...], dict[str | None, None]] = {}
        fitting: dict[int, tuple[tuple[str, ...], dict[str | None, int]]] = {}
        for fact in self.named[name]:
            words = self.words[fact]
            pattern = (words[0], *["*" if word == name else "" for word in words[1:]])
            others = {*words[1:]} - {name}
            fits: dict[str | None, int] = {
                self.words[other][0]: other
                for n in self.task.groups_of[fact]
                for other in self.groups[n]
                if name not in self.words[other] and others.issuperset(self.words[other][1:])
            }
            fitting[fact] = pattern, fits
            options.setdefault(pattern, {self.last[pattern]: None} if pattern in self.last else {}).update(
                dict.fromkeys((*fits, None))
            )
        for choice in product(*options.values()):
            chosen = dict(zip(options, choice, strict=True))
            self.last = chosen
            yield {fact: fits.get(chosen[pattern]) for fact, (pattern, fits) in fitting.items()}

    def holds(self, f: Map, touched: set[int]) -> bool:
        """Whether every operator that is touched does nothing to the images of states, or what a kept one does.

        Those that are not touched do the same to both, as a fact stands in for another of its group only: where an
        operator deletes that, which it requires, the one standing in is false.
        """
        # 1. The image of the initial state has to lie in the initial state itself.
        if any(f[fact] is not None and f[fact] not in self.init for fact in self.init & f.keys()):
            return False
        standing_in: dict[int, list[int]] = defaultdict(list)
        for fact, image in f.items():
            if image is not None:
                standing_in[image].append(fact)
        # 2. Each touched operator: its image does nothing, or a kept operator does as much at no more cost.
        return all(self._passes(self.task.operators[number], f, standing_in, touched) for number in touched)

    def _passes(self, op: Operator, f: Map, standing_in: dict[int, list[int]], touched: set[int]) -> bool:
        before, after = _image(op.pre, f), _image(op.add, f)
        # What it adds holds already in the image: the step can be left out.
        if after <= before:
            return True
        return any(
            # As cheap; it gives all that the image must have; and what it takes away was taken away too, or was false.
            other.cost <= op.cost
            and after <= (before - {*other.delete}) | {*other.add}
            and all(
                fact in op.delete or self._excluded(fact, op.pre)
                for gone in other.delete
                for fact in (gone, *standing_in[gone])
            )
            for number in self.by_pre[before]
            if number not in touched and number not in self.left_out
            for other in (self.task.operators[number],)
        )

    def _excluded(self, fact: int, true: tuple[int, ...]) -> bool:
        """Whether a fact is false where some others are true."""
        groups = (self.groups[n] for n in self.task.groups_of[fact])
        return fact not in true and any(other in facts for facts in groups for other in true)


def _image(facts: Iterable[int], f: Map) -> frozenset[int]:
    return frozenset(image for fact in facts if (image := f.get(fact, fact)) is not None)
