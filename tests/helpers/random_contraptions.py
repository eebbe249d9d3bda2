"""Random small puzzles put together from parts that move many things at once: a ring of numbers, stacks, a snake, a
flooded map, a robot that slides, edges of a loop. Guards, costs and goals speak of all parts of a puzzle at once.
"""

from __future__ import annotations

import random
import re

NUMBERED = re.compile(r"(\w+): (?:\d|small|spot|slot|edge|link)")
"""A parameter that is a number, in `k: 1..3, x: thing`."""


class Contraption:
    """Makes one definition. `numbers` and `truths`: what the parts so far offer to guards, costs and goals; `effects`:
    what any action may change besides, and to what.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: dict[str, list[str]] = {
            "types": ["thing: [a, b, c]", "small: 0..2"],
            "state": ["phase: {in: small, start: 0}"],
            "constants": ["weight: {of: thing, in: 0..4, value: [1, 3, 2]}", "limit: 3"],
            "define": [],
        }
        self.actions: list[str] = []
        self.names: list[str] = []
        self.numbers = ["phase", "weight[a]", "limit", "1", "2"]
        self.truths = ["phase == 0", "phase + 1 < limit"]
        self.effects = {"phase": ["(phase + 1) % 3", "2 - phase", "min(phase + 1, 2)", "phase - 1"]}
        self.rows: list[str] = []
        self.cells: list[str] = []
        self.loops = 0

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def chance(self, chance: float) -> bool:
        return self.random.random() < chance

    # What guards, costs and goals say

    def fresh(self, text: str) -> str:
        """An expression whose variables of loops, X and Y, have names that nothing else has."""
        self.loops += 1
        return re.sub(r"\b[XY]\b", lambda name: f"{name[0].lower()}{self.loops}", text)

    def number(self, depth: int, own: tuple[str, ...] = ()) -> str:
        """A number; `own`: numbers that are known in one place only, as parameters are."""
        if depth == 0:
            return self.fresh(self.pick(*self.numbers, *own, *own))
        one, other = self.number(depth - 1, own), self.number(depth - 1, own)
        return self.fresh(
            self.pick(
                f"({one} {self.pick('+', '-', '*', '//', '%')} {other})",
                f"{self.pick('min', 'max')}({one}, {other})",
                f"abs({one} - {other})",
                f"({one} if {self.truth(0, own)} else {other})",
                f"sum(weight[X] for X in thing if weight[X] {self.pick('<', '!=', '>=')} {one})",
                f"count(X {self.pick('<', '<=', '==')} {one} for X in small)",
                f"{self.pick('min', 'max')}(X + {other} for X in small if X != {one})",
            )
        )

    def truth(self, depth: int, own: tuple[str, ...] = ()) -> str:
        if depth == 0:
            return self.fresh(self.pick(*self.truths))
        less = depth - 1
        factor = f"{self.pick('2 * ', '')}weight[X] * {self.number(0)}"
        return self.fresh(
            self.pick(
                f"not {self.truth(less, own)}",
                f"({self.truth(less, own)} and {self.truth(less, own)})",
                f"({self.truth(less, own)} or {self.truth(less, own)})",
                f"({self.truth(less, own)} if {self.truth(0, own)} else {self.truth(less, own)})",
                f"{self.number(less, own)} {self.pick('<', '<=', '==', '!=', '>')} {self.number(less, own)}",
                f"{self.pick('0', '1')} <= {self.number(less, own)} < {self.number(0, own)}",
                f"{self.pick('any', 'all')}(X {self.pick('==', '!=', '<')} {self.number(less, own)} for X in small)",
                f"different({self.number(0, own)} + {factor} for X in thing)",
                f"{self.number(0, own)} {self.pick('in', 'not in')} {self.pick('[0, 2]', '1..2', 'small')}",
            )
        )

    # Actions

    def action(self, text: str) -> None:
        """Add `name, k: 1..3 when this && that set place := value && other := value`, maybe with a guard, a condition
        with a name, a further effect or a cost.
        """
        head, _, sets = text.partition(" set ")
        head, _, asked = head.partition(" when ")
        name, _, parameters = head.partition(", ")
        own = tuple(NUMBERED.findall(parameters))
        when = asked.split(" && ") if asked else []
        changes = dict(one.split(" := ") for one in sets.split(" && "))
        lines = [f"  {name}:"]
        lines += [f"    with: {{{parameters}}}"] if parameters else []
        if self.chance(0.25):
            lines += ["    let:", f"      told: {self.truth(1, own)}", f"      much: {self.number(1, own)}"]
            when.append(self.pick("told or much > 1", "not told", "told if much == 2 else phase < 2"))
            own = (*own, "much")
        if self.chance(0.3):
            when.append(self.truth(self.random.randrange(3), own))
        lines += ["    when:", *(f"      - {condition}" for condition in when)] if when else []
        place = self.pick(*self.effects)
        if place not in changes and self.chance(0.35):
            value, condition = self.pick(*self.effects[place]), self.truth(1, own)
            changes[place] = self.pick(value, f"({value} if {condition} else {place})")
        lines += ["    set:", *(f"      {target}: {value}" for target, value in changes.items())]
        if self.chance(0.25):
            lines.append(f"    cost: {self.pick('0', '2', '3', '1 + limit', *own, self.number(1, own))}")
        self.actions += lines
        self.names.append(name)

    def some(self, *actions: str) -> None:
        """Add one or more of some actions."""
        for action in self.random.sample(actions, self.random.randint(1, 3)):
            self.action(action)

    # Parts

    def ring(self) -> None:
        most = self.random.choice((1, 2, 3))
        apart = most == 3 and self.chance(0.6)
        start = self.random.sample(range(4), 4) if apart else [self.random.randint(0, most) for _ in range(4)]
        different = ", different: true" if apart else ""
        self.lines["types"].append("spot: 0..3")
        self.lines["state"].append(f"ring: {{of: spot, in: 0..{most}, start: {start}{different}}}")
        self.numbers += ["ring[0]", "ring[phase]", "sum(ring[X] for X in spot)", "ring[ring[1]]"]
        self.numbers += ["count(ring[X] == 1 for X in spot)", "min(X for X in spot if ring[X] == 0)"]
        self.truths += ["different(ring[X] for X in spot)", "all(ring[X] <= ring[X + 1] for X in 0..2)"]
        self.truths += ["any(ring[X] == ring[Y] for X in spot for Y in spot if X < Y)", "ring[phase + 2] > 0"]
        if not apart:
            self.effects["ring[phase]"] = ["0", "ring[3]", f"(ring[1] + 1) % {most + 1}"]
        self.some(
            f"turn, k: 1..3 set ring[(s {self.pick('+', '-')} k) % 4] for s in spot := ring[s]",
            "flip, k: 1..3 set ring[s] for s in spot if s <= k := ring[k - s]",
            "trade, i: spot, j: spot when i < j set ring[i] := ring[j] && ring[j] := ring[i]",
            "jump, i: spot when ring[i] == 0 set ring[i] := ring[(i + 1) % 4] && ring[(i + 1) % 4] := 0",
            f"bump set ring[ring[0]] := (ring[ring[0]] + 1) % {most + 1}",
            f"lift set ring[s] for s in spot if ring[s] < {self.number(0)} := ring[s] + 1",
            "order, i: 0..2 set ring[i] := min(ring[i], ring[i + 1]) && ring[i + 1] := max(ring[i], ring[i + 1])",
            "found, i: spot, v: 0..3 when v == ring[i] + 1 set ring[i] := v && ring[(i + v) % 4] := 0",
        )

    def stacks(self) -> None:
        slots = self.random.randint(2, 3)
        full = [self.random.randint(0, slots) for _ in range(3)]
        tubes = [[self.pick("red", "blue") if s < height else "none" for s in range(slots)] for height in full]
        self.lines["types"] += [f"slot: 1..{slots}", "ball: [none, red, blue]"]
        self.lines["state"].append(f"tube: {{of: [thing, slot], in: ball, start: {tubes}}}".replace("'", ""))
        self.lines["define"] += [
            "height: {with: {t: thing}, is: 'count(tube[t, s] != none for s in slot)'}",
            "top: {with: {t: thing}, is: 'tube[t, height(t)]'}",
        ]
        self.numbers += ["height(a)", "count(tube[X, 1] == red for X in thing)", "max(height(X) for X in thing)"]
        self.numbers += ["sum(weight[X] for X in thing if top(X) == red)"]
        self.truths += ["top(a) == red", "top(a) == top(b)", "height(c) == 0", "different(height(X) for X in thing)"]
        self.truths += ["top(b) < top(c)", "all(tube[X, 1] >= top(X) for X in thing if height(X) > 0)"]
        fits = self.pick("true", "(height(y) == 0 or top(y) == top(x))", "top(x) != top(y)")
        self.some(
            f"pour, x: thing, y: thing when x != y && height(x) > 0 && {fits}"
            " set tube[y, height(y) + 1] := top(x) && tube[x, height(x)] := none",
            "pick, x: thing, z: ball when z == top(x) && z != none set tube[x, height(x)] := none",
            "drop, x: thing, z: [red, blue] set tube[x, height(x) + 1] := z",
            f"tip, x: thing set tube[x, s] for s in slot := tube[x, {slots + 1} - s]",
            "sink, x: thing when tube[x, 1] == none"
            " set tube[x, s] for s in slot := tube[x, s + 1] if s + 1 in slot else none",
        )

    def board(self) -> None:
        """A map, which several parts share."""
        if self.rows:
            return
        rows, columns = self.random.choice(((2, 3), (3, 3), (2, 4)))
        cells = [f"r{r}c{c}" for r in range(1, rows + 1) for c in range(1, columns + 1)]
        walls = self.random.sample(cells, self.random.randint(0, 2))
        signs = ["#" if cell in walls else "." for cell in cells]
        self.rows = ["".join(signs[r * columns : (r + 1) * columns]) for r in range(rows)]
        self.cells = [cell for cell in cells if cell not in walls]
        self.lines["constants"].append(f"mark: {{of: cell, value: [{', '.join(self.random.sample(self.cells, 2))}]}}")

    def robot(self) -> None:
        self.board()
        here, there, box = (self.pick(*self.cells) for _ in range(3))
        test, paint = self.pick("free", "door"), self.pick("free", "door")
        self.lines["state"] += [f"me: {{in: cell, start: {here}}}", f"box: {{of: cell, start: [{box}]}}"]
        self.lines["define"] += [
            "free: {with: {o: cell}, is: 'not box[o]'}",
            "door: {with: {o: cell, w: direction}, is: 'not box[o + w] and (phase != 1 or mark[o])'}",
        ]
        self.numbers += ["row(me)", "col(me)", "count(box[X] for X in neighbours(me))", "count(box)"]
        self.numbers += ["count(mark[X] for X in region(me, free))"]
        self.truths += ["mark[me]", "box[me + right]", "me + down in cell", f"connected(me, {there}, free)"]
        self.truths += ["any(mark[X] for X in region(me, door))", "all(box[X] or mark[X] for X in neighbours(me))"]
        self.truths += ["slide(me, right, free) == me", f"me < {there}"]
        self.effects["box[me]"] = ["true", "false", "not box[me]"]
        pushed = self.pick("box[me + 2*d]", f"box[slide(me + d, d, {test})]")
        self.some(
            "walk, d: direction when free(me + d) set me := me + d",
            f"glide, d: direction set me := slide(me, d, {test})",
            f"push, d: direction when box[me + d] set me := me + d && box[me + d] := false && {pushed} := true",
            "mirror set me := cell(col(me), row(me))",
            f"hop, o: cell when me == o && not box[o] set me := o + {self.pick('down', '2*right')} && box[o] := true",
            f"paint set box[o] for o in region(me, {paint}) := {self.pick('not box[o]', 'mark[o]', 'o != me')}",
            "call, o: cell, d: direction when o + d == me set me := o && box[o] := box[me]",
        )

    def flood(self) -> None:
        self.board()
        colours = ", ".join(self.pick("grey", "green") for _ in self.cells)
        one, other, test = self.pick(*self.cells), self.pick(*self.cells), self.pick("same", "rising")
        self.lines["types"].append("hue: [grey, green, pink]")
        self.lines["state"].append(f"colour: {{of: cell, in: hue, start: [{colours}]}}")
        self.lines["define"] += [
            "same: {with: {o: cell, n: cell}, is: 'colour[o] == colour[n]'}",
            "rising: {with: {o: cell, n: cell}, is: 'colour[o] <= colour[n] or mark[n]'}",
        ]
        self.numbers += [f"count(true for X in region({one}, {test}))", "count(colour[X] == grey for X in cell)"]
        self.truths += [f"connected({one}, {other}, {test})", f"colour[{one}] == colour[{other}]"]
        self.truths += [f"colour[{one}] < pink", f"all(colour[X] == green for X in neighbours({one}))"]
        self.some(
            f"flood, h: hue when h != colour[{one}] set colour[o] for o in region({one}, {test}) := h",
            "swap, o: cell, d: [right, down] set colour[o] := colour[o + d] && colour[o + d] := colour[o]",
            "spread, o: cell set colour[n] for n in neighbours(o) := colour[o]",
            "grow, h: hue set colour[o] for o in cell if any(colour[n] == h for n in neighbours(o)) := h",
        )

    def snake(self) -> None:
        self.board()
        links = self.random.randint(2, 3)
        start = ", ".join(self.random.sample(self.cells, links))
        self.lines["types"].append(f"link: 1..{links}")
        self.lines["state"].append(f"at: {{of: link, in: cell, different: true, start: [{start}]}}")
        self.lines["define"].append("empty: {with: {o: cell}, is: 'all(at[i] != o for i in link)'}")
        self.numbers += ["row(at[1])", f"col(at[{links}])"]
        self.truths += ["mark[at[1]]", "any(mark[at[X]] for X in link)", "at[1] + right == at[2]", "at[1] < at[2]"]
        self.truths += [f"connected(at[1], {self.pick(*self.cells)}, empty)"]
        self.some(
            "crawl, d: direction set at[1] := at[1] + d && at[i] for i in link if i > 1 := at[i - 1]",
            f"back, d: direction set at[{links}] := at[{links}] + d && at[i] for i in link if i < {links} := at[i + 1]",
            f"reverse set at[i] for i in link := at[{links + 1} - i]",
            "dart, d: direction set at[1] := slide(at[1], d, empty)",
            "coil, i: link, o: cell when at[i] == o set at[i] := o + up",
        )

    def pegs(self) -> None:
        """Disks of different size on pegs: the order of objects."""
        start = ", ".join(self.pick("a", "b", "c") for _ in range(3))
        self.lines["types"].append("disk: [tiny, mid, large]")
        self.lines["state"].append(f"on: {{of: disk, in: thing, start: [{start}]}}")
        self.numbers += ["count(on[X] == a for X in disk)", "weight[on[mid]]"]
        self.truths += ["on[tiny] == a", "on[tiny] < on[large]", "different(on[X] for X in disk)"]
        self.truths += ["all(on[X] <= on[Y] for X in disk for Y in disk if X < Y)"]
        self.effects["on[tiny]"] = ["on[large]", "b", "(a if on[mid] == b else c)"]
        alone = "all(on[y] != on[x] and on[y] != p for y in disk if y < x)"
        self.some(
            f"move, x: disk, p: thing when on[x] != p && {alone} set on[x] := p",
            "all_from, p: thing, q: thing when p != q set on[x] for x in disk if on[x] == p := q",
            "cycle set on[x] for x in disk := b if on[x] == a else c if on[x] == b else a",
            "take, x: disk, p: thing when on[x] == p && p != c set on[x] := c && on[tiny] := p",
        )

    def edges(self) -> None:
        count = self.random.randint(4, 6)
        one, two = ([self.random.randint(1, 4) for _ in range(count)] for _ in range(2))
        self.lines["types"].append(f"edge: 1..{count}")
        self.lines["constants"] += [f"one: {{of: edge, in: 1..4, value: {one}}}"]
        self.lines["constants"] += [f"two: {{of: edge, in: 1..4, value: {two}}}"]
        self.lines["state"].append("drawn: {of: edge}")
        self.numbers += ["count(drawn)", "sum(one[X] for X in edge if drawn[X])"]
        self.truths += ["loop((one[X], two[X]) for X in edge if drawn[X])", "drawn[1]", "drawn[one[2]] or drawn[3]"]
        self.truths += ["all(count(drawn[X] for X in edge if one[X] == Y or two[X] == Y) <= 2 for Y in 1..4)"]
        self.effects["drawn[phase + 1]"] = ["true", "not drawn[2]"]
        self.some(
            "draw, e: edge when not drawn[e] set drawn[e] := true",
            "toggle, e: edge set drawn[e] := not drawn[e]",
            "wipe, n: 1..4 set drawn[e] for e in edge if one[e] == n or two[e] == n := false",
        )

    # The file

    def body(self) -> str:
        """All but the goal."""
        parts = [self.ring, self.stacks, self.robot, self.flood, self.snake, self.pegs, self.edges]
        for part in self.random.sample(parts, self.random.choice((1, 1, 2, 2, 3))):
            part()
        lines = ["format: 1", "family: custom", *(["grid: |", *(f"  {row}" for row in self.rows)] if self.rows else [])]
        for key, own in self.lines.items():
            lines += [f"{key}:", *(f"  {line}" for line in own)] if own else []
        lines += ["actions:", *self.actions]
        if self.chance(0.3):
            lines += ["always:", f"  - {self.truth(self.random.randrange(3))} or phase == 0"]
        if self.chance(0.25):
            few = self.random.sample(self.names, self.random.randint(1, len(self.names)))
            lines += ["metrics:", "  effort: cost", f"  few: [{', '.join(few)}]"]
        return "\n".join(lines) + "\n"

    def goal(self) -> str:
        return f"goal:\n  - {self.truth(1)}\n  - {self.truth(2)} or {self.truth(0)}\n"
