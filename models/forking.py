"""A program (`program`) run with an unknown state: each run that does not fail is an operator.

A register holds a number, or a *function of one variable* that is not known: H + (variable << 32) + the place of its
results in `pool`, one for each value of the variable. A test of such a function forks into the classes of values that
answer it alike, so that a variable is told apart only as far as the program asks:

    OTHER r1 r2     r1: at[wolf], unknown; r2: left      ->     at[wolf] = left: jump     at[wolf] != left: go on

What a run has forked by are its conditions (a *leaf*: variables with the values that they may have), what it has
assigned are its effects. A fork is undone by a trail, as in Prolog's machine (Warren, *An abstract Prolog instruction
set*, 1983). Parameters of an action are variables, too, that nothing assigns. In which order is forked decides how many
leaves there are: parameters first unless an equation decides them, then what is read at a computed place, then what
the action assigns (`prefers`).

The functions are written for plain Python, over lists, and for numba, over arrays (`analysis.program_machine`): all
that a run knows is in the fields of `Enumeration`, so that it can pause after any instruction, and go on there.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import NamedTuple

from . import program as op
from .program import cell_at, computed, entry

PRICE = 37
"""An instruction that programs of engines do not have: `PRICE d a`, component d of what the action costs is r[a]."""

IN_DOMAIN = 50
"""A test within SET and PUT: whether a number is a value of a variable."""

H = 1 << 58
LOW = (1 << 32) - 1
WORD = 60
"""Values in a word of a mask."""

EQUAL = 1 << 31
"""Whether a variable has its value at position p: a function without results in `pool`, whose place is EQUAL + p."""

OTHERS = EQUAL + (1 << 30)
"""And whether it has another value than that at position p: the place is OTHERS + p."""

FORKED = -(1 << 61)

MERGED = 4_000
"""Where the leaves of a class of a fork take more numbers than this, they are not compared with those of its others."""

# Places in `ctr`: what changes while a program runs.
(
    TRAIL, POOL, FORKS, COUNT, DEPTH, RUN, BLOCKS, OUT, LEAVES, STEPS, BY, AT, NUMBER, STAMP, ACTION, ACTIVE, HUGE,
) = range(17)  # fmt: skip

# Places in `k`: what does not change. Of the registers: where masks, single values, returns and marks begin.
(
    VARIABLES, WORDS, MASKS, SINGLES, BACK, MARKS, OF_STATE, PHASE, MOST_LEAVES, MERGE, FAILING, EMPTY, PRICES, MARGIN,
    WIDEST,
) = range(15)  # fmt: skip

HEAD = 4
"""Numbers at the head of a leaf: its length, its action, how many conditions, how many effects."""

FORK = 11
"""Numbers of a fork: instruction, trail, pool, assignments, depth, variable, function, run, blocks, out, next value."""

FINISHED, PAUSED, TOO_MANY, NO_SPACE = range(4)
"""How `run` and `run_all` end: no run is left; the steps are spent; too many leaves; an array is full."""


Numbers = MutableSequence[int]


class Enumeration(NamedTuple):
    """What the runs of some programs know: lists, or arrays of 64-bit integers (`used`: bytes).

    code, table, k, ctr: instructions, five numbers each; tables; numbers that do not change, and that do
    r: registers, then a mask (in words) and, where it is one value, that value + 1 for each variable, and others
    pool, trail, forks, classes: results of functions; what to undo; forks, and the values that each has still to try
    merges, out, assigned: leaves that may be merged; leaves; variables that the run has assigned, with the values
    first, size, domain: the values of all variables, one after the other
    lookup: for each variable where a table with the positions of its values begins
    siblings: for each variable the first of those that differ from it, and how many
    reached, grown: for each value of `domain` whether it is reached; for each variable whether it has a new one
    used: for each action and variable, 1 if its leaves depend on the values reached, 2 if it assigns it
    entries, parameters, preset, dirty: of each action; `dirty`: it is to be run
    leaves: of each action where its leaves begin and end in `out`, and how many they are
    """

    code: Numbers
    table: Numbers
    k: Numbers
    ctr: Numbers
    r: Numbers
    pool: Numbers
    trail: Numbers
    forks: Numbers
    classes: Numbers
    merges: Numbers
    out: Numbers
    assigned: Numbers
    first: Numbers
    size: Numbers
    domain: Numbers
    lookup: Numbers
    siblings: Numbers
    reached: Numbers
    grown: Numbers
    mark: Numbers
    used: Numbers
    entries: Numbers
    parameters: Numbers
    preset: Numbers
    dirty: Numbers
    leaves: Numbers


def put(m: Enumeration, register: int, value: int) -> None:
    """Set a register, so that it can be undone."""
    if m.r[register] == value:
        return
    t = 2 * m.ctr[TRAIL]
    m.trail[t] = register
    m.trail[t + 1] = m.r[register]
    m.ctr[TRAIL] += 1
    m.r[register] = value


def has(words: Numbers, base: int, p: int) -> bool:
    """Whether the mask that begins at `base` allows the value at position p."""
    return words[base + p // WORD] >> (p % WORD) & 1 == 1


def alone(p: int, w: int) -> int:
    """Word w of the mask that allows the value at position p and no other."""
    return 1 << (p % WORD) if w == p // WORD else 0


def use(m: Enumeration, variable: int) -> None:
    """Note that the action's leaves depend on which values of a variable are reached."""
    m.used[m.ctr[ACTION] * m.k[VARIABLES] + variable] |= 1


def result(m: Enumeration, place: int, p: int) -> int:
    """The result of a function for the value of its variable at position p."""
    if place >= OTHERS:
        return 0 if place - OTHERS == p else 1
    if place >= EQUAL:
        return 1 if place - EQUAL == p else 0
    return m.pool[place + p]


def lone(m: Enumeration, v: int) -> int:
    """The position of the only value that a variable may have; -1 if it may have several, -2 if it has none left."""
    base, at = m.k[MASKS] + v * m.k[WORDS], -2
    for w in range(m.k[WORDS]):
        word = m.r[base + w]
        if word != 0:
            if at >= 0 or word & (word - 1) != 0:
                return -1
            at = w * WORD
            while word != 1:
                word >>= 1
                at += 1
    return at


def get(m: Enumeration, x: int) -> int:
    """What a register holds, as a number where its variable has one value only."""
    if x < H:
        return x
    v = (x - H) >> 32
    use(m, v)
    p = m.r[m.k[SINGLES] + v]
    return result(m, x & LOW, p - 1) if p > 0 else x


def resolved(m: Enumeration, x: int) -> int:
    """As `get`; also the number that a function is for all values that are left."""
    x = get(m, x)
    if x < H:
        return x
    v, place, first, number = (x - H) >> 32, x & LOW, True, 0
    if place == m.first[v]:
        return x
    base = m.k[MASKS] + v * m.k[WORDS]
    if place >= EQUAL:
        rest = 1 if place >= OTHERS else 0
        at = place - (OTHERS if rest == 1 else EQUAL)
        return x if has(m.r, base, at) else rest
    for p in range(m.size[v]):
        if has(m.r, base, p):
            if first:
                number, first = m.pool[place + p], False
            elif m.pool[place + p] != number:
                return x
    return number


def position(m: Enumeration, x: int, v: int) -> int:
    """The position of a value in the domain of a variable; -1 if it is not in there."""
    at = m.lookup[v]
    place = x - m.table[at]
    return m.table[at + 2 + place] if 0 <= place < m.table[at + 1] else -1


def compute(m: Enumeration, kind: int, x: int, y: int, b: int, c: int) -> int:
    """What an instruction computes of numbers; of a test, 1 if it holds."""
    if kind == op.VALUE:
        return 0 if x == op.NONE else 1
    if kind == IN_DOMAIN:
        return 1 if position(m, x, b) >= 0 else 0
    if kind == op.TRUE:
        return 1 if x == 1 else 0
    if kind == op.FALSE:
        return 1 if x == 0 else 0
    if kind >= op.SAME and kind <= op.MOST:
        return 1 if computed(op.EQ + kind - op.SAME, x, y, 0) == 1 else 0
    if x == op.NONE:
        return op.NONE
    if kind == op.MOVE:
        return x
    if kind == op.TABLE:
        return entry(m.table, b, x)
    if kind == op.CELL:
        return cell_at(m.table, b, x)
    if kind == op.NOT:
        return 1 - x
    # A number beyond H would be taken for a function.
    factor = y if kind == op.MUL else c if kind == op.SCALED else 0
    if y != op.NONE and x != 0 and abs(factor) > (H - 1) // abs(x):
        m.ctr[HUGE] = 1
        return op.NONE
    z = computed(kind, x, y, c)
    if z != op.NONE and not -H < z < H:
        m.ctr[HUGE] = 1
        return op.NONE
    return z


def restrict(m: Enumeration, v: int, p: int, single: bool) -> bool:
    """After the values of v were cut: note a single one, which the variables that differ from v lose. False if one of
    them has no value left.
    """
    if not single:
        return True
    put(m, m.k[SINGLES] + v, p + 1)
    first, n = m.siblings[2 * v], m.siblings[2 * v + 1]
    for u in range(first, first + n):
        if u == v:
            continue
        use(m, u)
        if m.r[m.k[SINGLES] + u] == p + 1:
            return False
        base = m.k[MASKS] + u * m.k[WORDS]
        if has(m.r, base, p):
            word = base + p // WORD
            put(m, word, m.r[word] & ~(1 << (p % WORD)))
            only = lone(m, u)
            if only == -2:
                return False
            if only >= 0:
                put(m, m.k[SINGLES] + u, only + 1)
    return True


def next_class(m: Enumeration, s: int) -> int:
    """Take the next class of a fork. 1: it may go on; 0: that class is impossible; -1: there is no other."""
    fork, words = FORK * s, m.k[WORDS]
    own = words * s
    v, place, base = m.forks[fork + 5], m.forks[fork + 6], m.k[MASKS] + m.forks[fork + 5] * words
    m.ctr[STEPS] += words // 4
    if place >= EQUAL:
        turn, only = m.forks[fork + 10], place - (OTHERS if place >= OTHERS else EQUAL)
        if turn == 2:
            return -1
        m.forks[fork + 10] = turn + 1
        for w in range(words):
            keep = alone(only, w)
            if turn == 1:
                keep = m.classes[own + w] & ~keep
            put(m, base + w, keep)
        if turn == 1:
            only = lone(m, v)
        return 1 if restrict(m, v, only, only >= 0) else 0
    n, at = m.size[v], -1
    for p in range(m.forks[fork + 10], n):
        if has(m.classes, own, p):
            at = p
            break
    if at < 0:
        return -1
    m.forks[fork + 10] = at + 1
    key, total = m.pool[place + at], 0
    if place == m.first[v]:  # the variable itself: a class is a value
        for w in range(words):
            keep = alone(at, w)
            m.classes[own + w] &= ~keep
            put(m, base + w, keep)
        return 1 if restrict(m, v, at, True) else 0
    for w in range(words):
        word = m.classes[own + w]
        keep = 0
        if word != 0:
            for q in range(min(WORD, n - w * WORD)):
                if word >> q & 1 and m.pool[place + w * WORD + q] == key:
                    keep |= 1 << q
                    total += 1
            m.classes[own + w] = word & ~keep
        put(m, base + w, keep)
    return 1 if restrict(m, v, at, total == 1) else 0


def split(m: Enumeration, x: int, at: int, number: int) -> bool:
    """Fork by the classes of a function, and go on with the first; False if that is impossible."""
    s, v, ctr = m.ctr[FORKS], (x - H) >> 32, m.ctr
    use(m, v)
    fork = FORK * s
    m.forks[fork], m.forks[fork + 1], m.forks[fork + 2] = at, ctr[TRAIL], ctr[POOL]
    m.forks[fork + 3], m.forks[fork + 4], m.forks[fork + 5] = ctr[COUNT], ctr[DEPTH], v
    m.forks[fork + 6], m.forks[fork + 7], m.forks[fork + 8] = x & LOW, number, ctr[BLOCKS]
    m.forks[fork + 9], m.forks[fork + 10] = ctr[OUT], 0
    for w in range(m.k[WORDS]):
        m.classes[m.k[WORDS] * s + w] = m.r[m.k[MASKS] + v * m.k[WORDS] + w]
    ctr[FORKS] = s + 1
    return next_class(m, s) == 1


def values_left(m: Enumeration, v: int) -> int:
    """How many values a variable may have."""
    total = 0
    for w in range(m.k[WORDS]):
        word = m.r[m.k[MASKS] + v * m.k[WORDS] + w]
        while word:
            word &= word - 1
            total += 1
    return total


def weight(m: Enumeration, v: int, place: int, kind: int) -> int:
    """How good it is to fork by a variable: see at the head of this file."""
    score = 4 * m.r[m.k[MARKS] + v] + (m.used[m.ctr[ACTION] * m.k[VARIABLES] + v] & 2) * 2
    if place != m.first[v]:
        score += 1
    if v >= m.k[OF_STATE]:
        score += -32 if kind == op.SAME or kind == op.EQ else 32
    return score


def lifted(m: Enumeration, kind: int, x: int, y: int, b: int, c: int) -> int:
    """What an instruction computes: a number, a function, or FORKED where it reads two that are not known; then
    `ctr[BY]` is the one to fork by.
    """
    x, y = get(m, x), get(m, y)
    if x < H and y < H:
        return compute(m, kind, x, y, b, c)
    vx = (x - H) >> 32 if x >= H else -1
    vy = (y - H) >> 32 if y >= H else -1
    if vx >= 0 and vy >= 0 and vx != vy:
        own = (x & LOW) == m.first[vx] and (y & LOW) == m.first[vy]
        if own and m.siblings[2 * vx + 1] > 0 and m.siblings[2 * vx] == m.siblings[2 * vy]:
            if kind == op.SAME or kind == op.EQ:
                return 0
            if kind == op.OTHER or kind == op.NE:
                return 1
        kx, ky = resolved(m, x), resolved(m, y)
        if kx >= H and ky >= H:
            for_x, for_y = weight(m, vx, x & LOW, kind), weight(m, vy, y & LOW, kind)
            m.ctr[BY] = x if for_x > for_y or (for_x == for_y and values_left(m, vx) <= values_left(m, vy)) else y
            return FORKED
        x, y = kx, ky
        if x < H and y < H:
            return compute(m, kind, x, y, b, c)
        vx = (x - H) >> 32 if x >= H else -1
        vy = (y - H) >> 32 if y >= H else -1
    v = vx if vx >= 0 else vy
    use(m, v)
    if kind == op.MOVE:
        return x
    if (kind == op.SAME or kind == op.EQ or kind == op.OTHER or kind == op.NE) and (vx < 0 or vy < 0):
        fixed, function = (x, y) if vx < 0 else (y, x)
        if fixed == op.NONE:
            return 0 if kind == op.SAME or kind == op.OTHER else op.NONE
        if function & LOW == m.first[v]:
            at, rest = position(m, fixed, v), 1 if kind == op.OTHER or kind == op.NE else 0
            if at < 0 or not has(m.r, m.k[MASKS] + v * m.k[WORDS], at):
                return rest
            return H + (v << 32) + (OTHERS if rest == 1 else EQUAL) + at
    top, constant, first, number = m.ctr[POOL], True, True, 0
    base, of_x, of_y = m.k[MASKS] + v * m.k[WORDS], x & LOW, y & LOW
    for p in range(m.size[v]):
        if has(m.r, base, p):
            z = compute(m, kind, result(m, of_x, p) if vx >= 0 else x, result(m, of_y, p) if vy >= 0 else y, b, c)
            m.pool[top + p] = z
            if first:
                number, first = z, False
            elif z != number:
                constant = False
    m.ctr[STEPS] += m.size[v] // 4
    if constant:
        return number
    m.ctr[POOL] = top + m.size[v]
    return H + (v << 32) + top


def test(m: Enumeration, kind: int, x: int, y: int, b: int) -> int:
    """Whether a test holds, 1 or 0; or the function to fork by before that is known."""
    z = lifted(m, kind, x, y, b, 0)
    return m.ctr[BY] if z == FORKED else z


def emit(m: Enumeration) -> None:
    """Write a leaf: its length, its action, the numbers of conditions and effects; prices, values of parameters,
    conditions (variable, mask) in the order of the forks, effects (variable, position of its value).
    """
    k, ctr, r, out = m.k, m.ctr, m.r, m.out
    begin, words, a = ctr[OUT], k[WORDS], ctr[ACTION]
    at = begin + HEAD
    for i in range(k[PRICES]):
        out[at + i] = 0
    for i in range(ctr[COUNT]):
        if m.assigned[2 * i] < 0:
            out[at - 1 - m.assigned[2 * i]] = resolved(m, m.assigned[2 * i + 1])
    at += k[PRICES]
    for i in range(m.parameters[2 * a + 1]):
        out[at] = r[k[SINGLES] + m.parameters[2 * a] + i] - 1
        at += 1
    conditions, effects = 0, 0
    ctr[STAMP] += 1
    for s in range(ctr[FORKS]):
        v = m.forks[FORK * s + 5]
        if v >= k[OF_STATE] or m.mark[v] == ctr[STAMP]:
            continue
        m.mark[v] = ctr[STAMP]
        out[at] = v
        for w in range(words):
            out[at + 1 + w] = r[k[MASKS] + v * words + w]
        at += 1 + words
        conditions += 1
    ctr[STAMP] += 1
    for i in range(ctr[COUNT] - 1, -1, -1):
        v = m.assigned[2 * i]
        if v < 0 or m.mark[v] == ctr[STAMP]:
            continue
        m.mark[v] = ctr[STAMP]
        x, p = resolved(m, m.assigned[2 * i + 1]), r[k[SINGLES] + v]
        if x >= H:
            continue
        if p > 0 and m.domain[m.first[v] + p - 1] == x:  # no change, as long as v has no other value
            use(m, v)
            continue
        p = position(m, x, v)
        out[at], out[at + 1] = v, p
        at += 2
        effects += 1
        place = m.first[v] + p
        if m.reached[place] == 0:
            m.reached[place] = 1
            m.grown[v] = 1
    ctr[STEPS] += 2 * ctr[COUNT] + ctr[FORKS]
    if effects == 0 and k[EMPTY] == 0:
        return
    out[begin], out[begin + 1], out[begin + 2], out[begin + 3] = at - begin, a, conditions, effects
    ctr[STEPS] += (at - begin) // 4
    ctr[OUT] = at
    ctr[LEAVES] += 1


def at_mask(m: Enumeration, leaf: int, v: int) -> int:
    """Where in a leaf the mask of a variable is; -1 if it is no condition."""
    at = leaf + HEAD + m.k[PRICES] + m.parameters[2 * m.out[leaf + 1] + 1]
    for _ in range(m.out[leaf + 2]):
        if m.out[at] == v:
            return at + 1
        at += 1 + m.k[WORDS]
    return -1


def alike(m: Enumeration, begin: int, other: int, end: int, v: int) -> bool:
    """Whether the leaves from `begin` to `end` are those from `other` on but for the masks of v."""
    at = begin
    while at < end:
        mask, n = at_mask(m, at, v), m.out[at]
        for i in range(at, at + n):
            if not mask <= i < mask + m.k[WORDS] and m.out[i] != m.out[i - begin + other]:
                return False
        at += n
    return True


def merge(m: Enumeration, s: int) -> None:
    """Join two classes of a fork that led to the same leaves: `at = left: go` and `at = right: go` become one leaf with
    `at` in left, right. The class that has just ended is looked for among those before it.
    """
    fork, ctr, out = FORK * s, m.ctr, m.out
    begin, end, v = m.forks[fork + 9], m.ctr[OUT], m.forks[fork + 5]
    m.forks[fork + 9] = end
    if begin == end or end - begin > MERGED or m.forks[fork + 6] == m.first[v]:
        return
    ctr[STEPS] += (end - begin) // 8 + ctr[BLOCKS] - m.forks[fork + 8]
    for block in range(m.forks[fork + 8], ctr[BLOCKS]):
        at = m.merges[2 * block]
        length = m.merges[2 * block + 1] - at
        if length == end - begin and alike(m, begin, at, end, v):
            shift, stop = begin - at, at + length
            while at < stop:
                mask = at_mask(m, at, v)
                if mask >= 0:
                    for w in range(m.k[WORDS]):
                        out[mask + w] |= out[mask + shift + w]
                ctr[LEAVES] -= 1
                at += out[at]
            ctr[OUT] = m.forks[fork + 9] = begin
            return
    block = ctr[BLOCKS]
    m.merges[2 * block], m.merges[2 * block + 1] = begin, end
    ctr[BLOCKS] = block + 1


def undo(m: Enumeration, height: int) -> None:
    """Set registers back to what they were when the trail had this height."""
    for t in range(m.ctr[TRAIL] - 1, height - 1, -1):
        m.r[m.trail[2 * t]] = m.trail[2 * t + 1]
    m.ctr[TRAIL] = height


def back(m: Enumeration) -> int:
    """Undo what was done since the last fork that has another class, and take that; the instruction at which it goes
    on, or -1 if there is none.
    """
    ctr = m.ctr
    while ctr[FORKS] > 0:
        s = ctr[FORKS] - 1
        fork = FORK * s
        undo(m, m.forks[fork + 1])
        ctr[POOL], ctr[COUNT], ctr[DEPTH] = m.forks[fork + 2], m.forks[fork + 3], m.forks[fork + 4]
        ctr[NUMBER] = m.forks[fork + 7]
        if m.k[MERGE] == 1:
            merge(m, s)
        taken = next_class(m, s)
        if taken == 1:
            return m.forks[fork]
        if taken < 0:
            ctr[BLOCKS] = m.forks[fork + 8]
            ctr[FORKS] = s
    undo(m, 0)
    return -1


def assign(m: Enumeration, v: int, register: int) -> int:
    """Note an assignment. 0: done; -1: the program fails; or the function to fork by."""
    x = resolved(m, m.r[register])
    if x != H + (v << 32) + m.first[v]:
        inside = test(m, IN_DOMAIN, x, 0, v)
        if inside != 1:
            return inside or -1
    m.assigned[2 * m.ctr[COUNT]], m.assigned[2 * m.ctr[COUNT] + 1] = v, x
    m.ctr[COUNT] += 1
    return 0


def assign_all(m: Enumeration, once: int) -> int:
    """Give variables their new values. 0: done; -1: one was given two (where `once` is asked); or what to fork by."""
    m.ctr[STAMP] += 1
    m.ctr[STEPS] += m.ctr[COUNT]
    for i in range(m.ctr[COUNT] if once == 1 else 0):
        v = m.assigned[2 * i]
        if v < 0:
            continue
        if m.mark[v] != m.ctr[STAMP]:
            m.mark[v] = m.ctr[STAMP]
            continue
        for j in range(i):
            if m.assigned[2 * j] == v:
                same = test(m, op.SAME, m.assigned[2 * i + 1], m.assigned[2 * j + 1], 0)
                if same != 1:
                    return same or -1
    for i in range(m.ctr[COUNT]):
        if m.assigned[2 * i] >= 0:
            put(m, m.assigned[2 * i], m.assigned[2 * i + 1])
    put(m, m.k[PHASE], 1)
    m.ctr[RUN] += 1
    m.ctr[NUMBER] = m.ctr[RUN]
    return 0


def distinct(m: Enumeration, d: int, a: int, b: int) -> int:
    """DISTINCT: 0, or what to fork by."""
    none, answer = False, 1
    for i in range(a, a + b):
        x = get(m, m.r[i])
        some = test(m, op.VALUE, x, 0, 0)
        if some >= H:
            return some
        if some == 0:
            none = True
            continue
        for j in range(a, i):
            same = test(m, op.SAME, x, m.r[j], 0)
            if same >= H:
                return same
            if same == 1:
                put(m, d, 0)
                return 0
    put(m, d, op.NONE if none else answer)
    return 0


def reach(m: Enumeration, d: int, a: int, b: int, c: int) -> int:
    """REACH: 0, or what to fork by."""
    nodes, start = m.table[b], resolved(m, m.r[a])
    if start >= H:
        return start
    for i in range(d, d + nodes):
        put(m, i, op.NONE if start == op.NONE else 0)
    if start == op.NONE:
        return 0
    put(m, d + start, 1)
    m.r[d + nodes] = start
    head, tail = d + nodes, d + nodes + 1
    while head < tail:
        node = m.r[head]
        head += 1
        for link in range(m.table[b + 1 + node], m.table[b + 2 + node]):
            place = b + nodes + 2 + 2 * link
            if m.r[d + m.table[place]] == 0:
                open_link = test(m, op.TRUE, m.r[c + m.table[place + 1]], 0, 0)
                if open_link >= H:
                    return open_link
                if open_link == 1:
                    put(m, d + m.table[place], 1)
                    m.r[tail] = m.table[place]
                    tail += 1
    return 0


def loop(m: Enumeration, d: int, a: int, b: int, c: int) -> int:
    """LOOP: 0, or what to fork by. Each node has two edges or none, and from one of them all others are reached."""
    nodes, edges, r, table = m.table[b], m.table[b + 1], m.r, m.table
    for i in range(c, c + 2 * nodes):
        r[i] = 0
    for e in range(edges):
        drawn = test(m, op.TRUE, r[a + e], 0, 0)
        if drawn >= H:
            return drawn
        if drawn == 1:
            r[c + table[b + 2 + 2 * e]] += 1
            r[c + table[b + 3 + 2 * e]] += 1
    used, first, good = 0, -1, True
    for i in range(nodes):
        if r[c + i] != 0:
            used, first = used + 1, i
            good = good and r[c + i] == 2
    if good and first >= 0:
        r[c + nodes + first] = 1
        count, more = 1, True
        while more:
            more = False
            for e in range(edges):
                this, that = table[b + 2 + 2 * e], table[b + 3 + 2 * e]
                if test(m, op.TRUE, r[a + e], 0, 0) != 1:
                    continue
                if this == that:
                    good = False
                elif r[c + nodes + this] != r[c + nodes + that]:
                    r[c + nodes + this] = r[c + nodes + that] = 1
                    count += 1
                    more = True
        good = good and count == used
    put(m, d, 1 if good and first >= 0 else 0)
    return 0


def end(m: Enumeration) -> int:
    """What to fork by before a run may end: `x := y + 1` is an operator for each y, as operators assign numbers, and
    have a price and arguments. 0 if all of that is known.
    """
    for i in range(m.ctr[COUNT]):
        v, x = m.assigned[2 * i], resolved(m, m.assigned[2 * i + 1])
        if x >= H and (v < 0 or x != H + (v << 32) + m.first[v]):
            return x
    a = m.ctr[ACTION]
    for u in range(m.parameters[2 * a], m.parameters[2 * a] + m.parameters[2 * a + 1]):
        if m.r[m.k[SINGLES] + u] == 0:
            return H + (u << 32) + m.first[u]
    return 0


def untouched(m: Enumeration, a: int) -> bool:
    """Whether what a part of a rule reads (variables listed at a - 1) was not assigned: then it still holds."""
    if a == 0 or m.r[m.k[PHASE]] == 0:
        return False
    for i in range(a, a + m.table[a - 1]):
        for j in range(m.ctr[COUNT]):
            if m.assigned[2 * j] == m.table[i]:
                return False
    m.ctr[STEPS] += m.table[a - 1] * m.ctr[COUNT] // 8
    return True


def start(m: Enumeration, begin: int) -> None:
    """Begin with a program: all values that are reached are possible, but for parameters that are preset."""
    ctr = m.ctr
    ctr[TRAIL], ctr[POOL], ctr[FORKS], ctr[COUNT], ctr[DEPTH] = 0, m.first[-1] + m.size[-1], 0, 0, 0
    ctr[BLOCKS] = 0
    ctr[RUN] += 1
    ctr[NUMBER], ctr[AT] = ctr[RUN], begin


def refresh(m: Enumeration, v: int, preset: int) -> None:
    """The mask of a variable from the values that are reached, or of a preset one."""
    base, total, last = m.k[MASKS] + v * m.k[WORDS], 0, -1
    for w in range(m.k[WORDS]):
        m.r[base + w] = 0
    for p in range(m.size[v]):
        if p == preset or (preset < 0 and m.reached[m.first[v] + p]):
            m.r[base + p // WORD] |= 1 << (p % WORD)
            total += 1
            last = p
    m.r[m.k[SINGLES] + v] = last + 1 if total == 1 else 0


def run(m: Enumeration, most: int) -> int:  # noqa: C901 (a case for each instruction)
    """Run a program on, through all its forks, up to a number of steps; how that ends."""
    code, r, ctr, k = m.code, m.r, m.ctr, m.k
    at = ctr[AT]
    while True:
        if (
            ctr[STEPS] > most
            or 2 * ctr[TRAIL] + k[MARGIN] > len(m.trail)
            or ctr[POOL] + k[MARGIN] > len(m.pool)
            or FORK * (ctr[FORKS] + 2) > len(m.forks)
            or 2 * (ctr[BLOCKS] + ctr[FORKS] + 2) > len(m.merges)
            or ctr[OUT] + k[MARGIN] > len(m.out)
        ):
            ctr[AT] = at
            return PAUSED if ctr[STEPS] > most else NO_SPACE
        here = 5 * at
        kind, d, a, b, c = code[here], code[here + 1], code[here + 2], code[here + 3], code[here + 4]
        now = at
        at += 1
        ctr[STEPS] += 1
        want = 0  # the function to fork by; -1: the run ends
        if kind == op.JUMP:
            at = d
        elif kind >= op.TRUE and kind <= op.MOST:
            z = test(m, kind, r[a], r[b] if kind >= op.SAME else 0, 0)
            if z >= H:
                want = z
            elif z == 0:
                at = d
        elif kind == op.VARIABLE:
            x = resolved(m, r[a])
            if x >= H:
                want = x
            else:
                y = r[b + x] if 0 <= x < c else op.NONE
                put(m, d, y)
                if y >= H and r[k[MARKS] + ((y - H) >> 32)] == 0:
                    put(m, k[MARKS] + ((y - H) >> 32), 1)
        elif kind <= op.NOT:
            two = kind >= op.ADD and kind <= op.LE and kind != op.CELL
            z = lifted(m, kind, r[a], r[b] if two else 0, b, c)
            if z == FORKED:
                want = ctr[BY]
            else:
                put(m, d, z)
        elif kind == op.DISTINCT:
            want = distinct(m, d, a, b)
        elif kind == op.REACH:
            want = reach(m, d, a, b, c)
        elif kind == op.LOOP:
            want = loop(m, d, a, b, c)
        elif kind == op.SET:
            want = assign(m, d, a)
        elif kind == op.PUT:
            x = resolved(m, r[b])
            want = x if x >= H else assign(m, d + x, a) if 0 <= x < c else -1
        elif kind == PRICE:
            m.assigned[2 * ctr[COUNT]], m.assigned[2 * ctr[COUNT] + 1] = -1 - d, r[a]
            ctr[COUNT] += 1
        elif kind == op.CALL:
            if r[a] != ctr[NUMBER]:
                put(m, a, ctr[NUMBER])
                put(m, k[BACK] + ctr[DEPTH], at)
                ctr[DEPTH] += 1
                at = d
        elif kind == op.RETURN:
            ctr[DEPTH] -= 1
            at = r[k[BACK] + ctr[DEPTH]]
        elif kind == op.CHECK:
            if untouched(m, a):
                at = d
        elif kind == op.APPLY:
            want = assign_all(m, d)
        elif kind == op.DONE or kind == op.FAIL:
            if (kind == op.DONE) == (k[FAILING] == 0):
                want = end(m)
                if want == 0:
                    emit(m)
                    if ctr[LEAVES] > k[MOST_LEAVES]:
                        return TOO_MANY
            if want == 0:
                want = -1
        if want > 0:
            want = 0 if split(m, want, now, ctr[NUMBER]) else -1
            at = now
        if want < 0:
            at = back(m)
            if at < 0:
                return FINISHED


def run_all(m: Enumeration, most: int) -> int:
    """Run all programs until no value is new, each again if a variable that it looked at has a new value: then its
    leaves are written again.
    """
    ctr, k, actions = m.ctr, m.k, len(m.entries)
    while True:
        if ctr[ACTIVE] == 0:
            a = -1
            for i in range(actions):
                if m.dirty[(ctr[ACTION] + i) % actions]:
                    a = (ctr[ACTION] + i) % actions
                    break
            if a < 0:
                return FINISHED
            ctr[ACTION], ctr[ACTIVE], m.dirty[a] = a, 1, 0
            ctr[LEAVES] -= m.leaves[3 * a + 2]
            m.leaves[3 * a], m.leaves[3 * a + 2] = ctr[OUT], -ctr[LEAVES]
            for i in range(m.parameters[2 * a + 1]):
                refresh(m, m.parameters[2 * a] + i, m.preset[a * k[WIDEST] + i])
            start(m, m.entries[a])
        ended = run(m, most)
        if ended != FINISHED:
            return ended
        a = ctr[ACTION]
        m.leaves[3 * a + 1], m.leaves[3 * a + 2] = ctr[OUT], m.leaves[3 * a + 2] + ctr[LEAVES]
        for v in range(k[OF_STATE]):
            if m.grown[v]:
                m.grown[v] = 0
                refresh(m, v, -1)
                for i in range(actions):
                    if m.used[i * k[VARIABLES] + v] & 1:
                        m.dirty[i] = 1
        ctr[ACTIVE], ctr[ACTION] = 0, (a + 1) % actions
