"""Certificates that were made to fill time or memory: each is small, or costs nothing to make."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from itertools import combinations

from budge.proofs.core.claim import PLAN, PROOF, PUZZLE
from budge.proofs.core.problem import FILE as PROBLEM

from .hostile_texts import (
    CLAIMED,
    EMPTY_PROOF,
    LINE,
    Make,
    as_file,
    claim,
    files,
    names,
    packed,
    problem,
    proof,
    sparse,
    unproven,
    wide,
)

NO_MATTER = {1, 3}


def blown_up(chunk: bytes, times: int) -> Callable[[], bytes]:
    """What unpacks to a chunk many times: made without holding it."""

    def make() -> bytes:
        packer = lzma.LZMACompressor(preset=0)
        return b"".join([*(packer.compress(chunk) for _ in range(times)), packer.flush()])

    return make


def large_dictionary() -> bytes:
    return lzma.compress(b"27 0 1 0\n", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 29}])


def many_clauses() -> str:
    """Half a million clauses about one variable."""
    values = names("v", 22)
    sets = [",".join(some) for size in (9,) for some in combinations(values, size)]
    clauses = sorted({f"A={one}" for one in sets})
    return problem([f"A {' '.join(values)}"], "v0", clauses, ["a 1 then A=v1"])


def many_actions(count: int, values: int = 3) -> str:
    """Actions that all change the same variable."""
    return problem([f"A {' '.join(wide(values))}"], "0", ["A=2"], [f"a{i} 1 then A={1 + i % 2}" for i in range(count)])


def many_effects() -> str:
    """Actions that change a variable of 4,000 values in 4,000 ways, which all exclude each other."""
    values = wide(4000)
    domain = " ".join(values)
    turned = " ".join(f"A={(i + 1) % 4000}?B={i}" for i in range(4000))
    return problem([f"A {domain}", f"B {domain}"], "0 0", ["A=3"], [f"a{i} 1 then {turned}" for i in range(100)])


def many_copies() -> str:
    values = " ".join(wide(4000))
    return problem([f"A {values}", f"B {values}"], "0 0", ["A=3"], [f"a{i} 1 then A<B" for i in range(200_000)])


def single_conditions() -> str:
    """Effects with one condition each on a variable of 4,000 values: each looks like the beginning of a copy."""
    values = " ".join(wide(4000))
    return problem(
        [f"A {values}", f"B {values}"], "0 0", ["A=3"], [f"a{i} 1 then A={i % 4000}?B=7" for i in range(200_000)]
    )


def many_variables(count: int, values: int) -> str:
    each = " ".join(wide(values))
    return problem([f"{x} {each}" for x in names("x", count)], " ".join(["0"] * count), ["x0=1"], ["a 1 then x0=1"])


def tangled() -> str:
    """An action whose effects all depend on a variable that no table has."""
    twenty = names("x", 20)
    effects = " ".join(f"{x}=1?y=1" for x in twenty)
    variables = [f"{x} 0 1" for x in [*twenty, "y"]]
    return problem(variables, " ".join(["0"] * 21), ["y=1"], [f"a 1 then {effects}", "b 1 then y=1"])


def rooms(cells: int) -> str:
    """A walker on a line of cells, and one thing to do."""
    walks = [f"w{i} 0 if P={i} D=0 then P={i + 1}" for i in range(cells - 1)]
    ends = [f"P {' '.join(wide(cells))}", "D 0 1"]
    return problem(ends, "0 0", ["D=1"], [*walks, f"do 1 if P={cells - 1} then D=1"])


def counter(bits: int, cost: int = 1) -> str:
    """Counts in binary: 2^bits states, one way through all of them."""
    digits = names("b", bits)
    actions = []
    for i in range(bits):
        low = [f"b{j}=1" for j in range(i)]
        does = " ".join([*(f"b{j}=0" for j in range(i)), f"b{i}=1"])
        actions.append(f"a{i} {cost} if {' '.join([*low, f'b{i}=0'])} then {does}")
    return problem([f"{x} 0 1" for x in digits], " ".join(["0"] * bits), [f"{x}=1" for x in digits], actions)


def free_bits(bits: int) -> str:
    """Bits that can be switched in every order: 2^bits states, most of them large."""
    digits = names("b", bits)
    actions = [f"a{i} 1 if b{i}=0 then b{i}=1" for i in range(bits)]
    return problem([f"{x} 0 1" for x in digits], " ".join(["0"] * bits), [f"{x}=1" for x in digits], actions)


def backwards(length: int) -> str:
    """A line whose actions stand in an order in which each look at all of them reaches one value more."""
    moves = [f"a{i} 1 if A={i} then A={i + 1}" for i in reversed(range(length - 1))]
    return problem([f"A {' '.join(wide(length))}", "B 0 1"], "0 0", ["B=1"], [*moves, "b 1 if B=1 then B=0"])


def all_different(count: int) -> str:
    """Pieces each of which needs that all the others are elsewhere."""
    cells = " ".join(wide(60))
    pieces = names("p", count)
    actions = [
        f"{x}:{i} 1 if {' '.join(f'{y}={i}' if y == x else f'{y}!={i + 1}' for y in pieces)} then {x}={i + 1}"
        for x in pieces
        for i in range(count, 59)
    ]
    return problem([f"{x} {cells}" for x in pieces], " ".join(wide(count)), [f"{pieces[0]}=59"], actions)


CASES: dict[str, tuple[Make, set[int]]] = {
    "half a million clauses on a variable": (unproven(many_clauses, "unsolvable", "pairs"), NO_MATTER),
    "200,000 actions on a variable": (unproven(lambda: many_actions(200_000)), {3}),
    "200,000 actions, in pairs": (unproven(lambda: many_actions(200_000), "unsolvable", "pairs"), NO_MATTER),
    "effects that exclude each other, in pairs": (unproven(many_effects, "unsolvable", "pairs"), NO_MATTER),
    "effects that exclude each other": (unproven(many_effects), {3}),
    "copies of large variables": (unproven(many_copies), {3}),
    "conditions that look like copies": (unproven(single_conditions), {3}),
    "4,096 values in each of 100 variables": (unproven(lambda: many_variables(100, 4096)), {3}),
    "4,096 values in each of 100 variables, visited": (
        unproven(lambda: many_variables(100, 4096), "at-least 2", "exhaustion 1"),
        NO_MATTER,
    ),
    "too many values to be visited": (unproven(lambda: many_variables(40, 4096), "at-least 2", "exhaustion 1"), {3}),
    "50,000 variables": (unproven(lambda: many_variables(50_000, 2), "at-least 2", "exhaustion 1"), NO_MATTER),
    "a million variables": (unproven(lambda: many_variables(1_000_000, 2)), NO_MATTER),
    "20,000 tables": (
        unproven(lambda: many_actions(2000), "at-least 2", "exhaustion 1", *["table A 0 0 0"] * 20_000),
        NO_MATTER,
    ),
    "a table of a million numbers": (
        unproven(
            tangled, "at-least 2", "exhaustion 1", f"table {','.join(names('x', 20))} " + " ".join("0" * (1 << 19))
        ),
        {1},
    ),
    "a table that an action changes in every way": (
        unproven(
            tangled, "at-least 2", "exhaustion 1", f"table {','.join(names('x', 18))} " + " ".join("0" * (1 << 18))
        ),
        {3},
    ),
    "a table of thousands of variables": (
        unproven(
            lambda: many_variables(5000, 2), "at-least 2", "exhaustion 1", f"table {','.join(names('x', 5000))} 0"
        ),
        {1},
    ),
    "a walk of four thousand steps that cost nothing": (
        unproven(lambda: rooms(4000), "at-least 2", "refutation 1 1"),
        {3},
    ),
    "pairs that are reached one after the other": (unproven(lambda: backwards(4000), "unsolvable", "pairs"), {0, 3}),
    "pairs of 50,000 variables": (unproven(lambda: many_variables(50_000, 2), "unsolvable", "pairs"), {3}),
    "4,096 values in each of 100 variables, in pairs": (
        unproven(lambda: many_variables(100, 4096), "unsolvable", "pairs"),
        {3},
    ),
    "pairs of all pieces, in every layer": (
        unproven(lambda: all_different(40), "at-least 9", "refutation 1 1", "pairs"),
        NO_MATTER,
    ),
    "a refutation of many layers": (unproven(lambda: counter(20), "at-least 1000000"), {3}),
    "2^40 states": (unproven(lambda: free_bits(40), "unsolvable", "exhaustion 1"), {3}),
    "large states": (unproven(lambda: free_bits(20_000), "unsolvable", "exhaustion 1"), {3}),
    "a plan of a million steps": (files(plan="a\n" * 1_000_000), {1}),
    "a plan of a million lines that say nothing": (files(plan="\n" * 1_000_000), {1}),
    "a claim of 2^30 less 1 by refutation": (
        files(claim=claim("at-least 1073741823", "refutation 3 3"), plan=None, proof=EMPTY_PROOF),
        {3},
    ),
    "costs of 2^30 less 1": (
        unproven(lambda: LINE.replace(" 1 if", " 1073741823 if"), "at-least 1073741823", "refutation 9 9"),
        NO_MATTER,
    ),
    "a slack of 2^29": (
        unproven(lambda: LINE.replace("a 1 ", "a 536870912 ").replace("b 1 ", "b 536870911 "), "at-least 1073741823"),
        {3},
    ),
    "one line of 60 megabytes": (files(problem=lambda: LINE[:-1] + "x" * 60_000_000 + "\n"), NO_MATTER),
    "60 million lines": (files(problem=lambda: LINE + "\n" * 60_000_000), NO_MATTER),
    "60 million blanks": (files(problem=lambda: LINE[:-1] + " " * 60_000_000 + "\n"), NO_MATTER),
    "a claim of 60 megabytes": (files(claim=lambda: CLAIMED + "x" * 60_000_000), NO_MATTER),
    **{f"a terabyte as {name}": (as_file(name, sparse(1 << 40)), NO_MATTER) for name in (PROBLEM, PLAN, PROOF, PUZZLE)},
    "a gigabyte as proof": (as_file(PROOF, sparse(1 << 30)), NO_MATTER),
    "deletions without end": (packed(blown_up(b"1 d 99999 0\n" * 100_000, 200)), {3}),
    "empty lines without end": (packed(blown_up(b"\n" * 1_000_000, 50)), {1}),
    "steps without end": (proof(lambda: b"".join(b"%d 1 0 1 0\n" % i for i in range(27, 1_500_000))), NO_MATTER),
    "one long line of numbers": (proof(lambda: b"5000 " + b"1 " * 8_000_000 + b"0 1 0\n"), NO_MATTER),
    "one line without end": (packed(blown_up(b"1 " * 500_000, 50)), {1}),
    "one line of signs": (proof(lambda: b"27 " + b"-" * 10_000_000 + b" 0 1 0\n"), NO_MATTER),
    "a long clause as a hint": (
        proof(lambda: b"27 " + b"1 " * 300_000 + b"0 1 0\n28 2 0" + b" 27" * 300_000 + b" 0\n"),
        NO_MATTER,
    ),
    "200 megabytes of zeros": (packed(blown_up(b"\0" * 1_000_000, 200)), {1}),
    "a dictionary of half a gigabyte": (packed(large_dictionary), {1}),
}
"""Folders, and the exit codes that the checker may have: 0 valid, 1 invalid, 3 unsupported or stopped at a limit."""
