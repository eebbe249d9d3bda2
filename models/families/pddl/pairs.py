"""Pairs of facts that are never true together, the negations of atoms among them: reachability of pairs, h^2.

A pair is *met* if it is true at the start, or some step that can happen makes it true: it makes both facts true, or one
of them, while the other can be true beside all that it needs and stays (Haslum and Geffner, *Admissible heuristics for
optimal planning*, 2000; with negations as Alcázar and Torralba, *A reminder about the importance of computing and
exploiting invariants in planning*, 2015). The facts met beside a fact are the bits of one large number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from .reaching import LOOK

Step = tuple[Collection[int], Collection[int]]
"""The facts that a step needs, and those that hold after it whatever was before (2i + 1: atom i, 2i: not)."""

MAX_WORK = 1_500_000_000
"""Pairs are looked for in tasks of at most so many facts times steps: some 20 seconds."""


def apart(atoms: int, init: Iterable[int], steps: Sequence[Step], look: Callable[[int, str], None]) -> list[int] | None:
    """Of each fact, as bits, the facts that are never true together with it; None if that is too much work. `init`: the
    atoms that are true at the start; `look` is called now and then.
    """
    size = 2 * atoms
    if size * len(steps) > MAX_WORK:
        return None
    start = _bits(range(0, size, 2)) ^ _bits(fact for atom in init for fact in (2 * atom, 2 * atom + 1))
    beside = [start if start >> fact & 1 else 0 for fact in range(size)]
    read = [(needed, _bits(needed), made, _bits(made), _bits([fact ^ 1 for fact in made])) for needed, made in steps]
    last = [-1] * len(read)  # of each step: what could be true beside all that it needs
    reached = news = start
    while news:  # the facts of pairs that were met in the round before and in this one
        older, news = news, 0
        for n, (needed, asked, made, true, gone) in enumerate(read):
            if not n % LOOK:
                look(n, "pairs of facts")
            if asked and not asked & (news | older):
                continue
            kept = reached
            for fact in needed:
                kept &= beside[fact]
            if asked & ~kept or kept == last[n]:
                continue
            last[n] = kept
            kept = kept & ~gone | true
            reached |= true
            for fact in made:
                new = kept & ~beside[fact]
                beside[fact] |= new
                if new:
                    news |= new | 1 << fact
                while new:
                    other = new.bit_length() - 1
                    beside[other] |= 1 << fact
                    new ^= 1 << other
    every = (1 << size) - 1
    return [every ^ row for row in beside]


def _bits(facts: Iterable[int]) -> int:
    bits = 0
    for fact in facts:
        bits |= 1 << fact
    return bits
