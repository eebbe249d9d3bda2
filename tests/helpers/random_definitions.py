"""Random small definitions of custom families, as text: every part of the language, in any combination that checks."""

from __future__ import annotations

import random

TYPES = {"thing": ["a", "b", "c"], "side": ["left", "right"]}


class Definitions:
    """Makes one definition. Names in scope are kept by kind, so that nearly all that is made is well typed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.draw = random.Random(f"how `first` is written {seed}")
        self.map = self.random.random() < 0.5
        self.names: dict[str, list[str]] = {"thing": [], "side": [], "cell": [], "direction": [], "number": []}
        self.fresh = 0

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    # Expressions

    def name(self, kind: str) -> list[str]:
        return self.names[kind]

    def thing(self, depth: int) -> str:
        return self.pick("a", "b", "c", *self.name("thing"), *self.name("thing"))

    def side(self, depth: int) -> str:
        options = ["left", "right", f"at[{self.thing(0)}]", "boat", *self.name("side")]
        if depth:
            options.append(f"other({self.side(depth - 1)})")
            options.append(f"({self.side(depth - 1)} if {self.truth(depth - 1)} else {self.side(depth - 1)})")
        return self.pick(*options)

    def number(self, depth: int) -> str:
        options = ["0", "1", "2", "n", f"level[{self.thing(0)}]", f"weight[{self.thing(0)}]", *self.name("number")]
        if depth:
            a, b = self.number(depth - 1), self.number(depth - 1)
            options += [f"({a} {self.pick('+', '-', '*', '//', '%')} {b})", f"min({a}, {b})", f"abs({a} - {b})"]
            options += [f"count({self.truth(0)} {self.loop()})", f"sum({self.number(0)} {self.loop()})", "count(lit)"]
            first = self.first("z6 for z6 in thing if lit[z6]", "c")
            options += [self.first(f"{self.number(0)} {self.loop()}", "1"), f"level[{first}]"]
            if self.map:
                options += [f"row({self.cell(depth - 1)})", f"max({self.number(0)} {self.loop()})"]
        return self.pick(*options)

    def cell(self, depth: int) -> str:
        options = ["me", "cell(1, 2)", *self.name("cell"), *self.name("cell")]
        if depth:
            way = self.pick("up", "down", "2*right", "-left", *self.name("direction"))
            options += [f"{self.cell(depth - 1)} + {way}", f"slide({self.cell(0)}, {self.pick('up', 'right')}, open)"]
            options += [
                self.first("z7 for z7 in cell if box[z7]", "me"),
                f"me + the(z8 for z8 in direction if box[{self.cell(0)} + z8])",
            ]
        return self.pick(*options)

    def first(self, loop: str, other: str) -> str:
        """The first value of a loop, half of the time with another one where there is none."""
        return self.draw.choice([f"the({loop})", f"first({loop})", *[f"first(({loop}), {other})"] * 2])

    def loop(self) -> str:
        """`for x in ...`, which is closed: its variable is not used outside, so its body is made before."""
        return "for " + self.pick("z1 in thing", "z2 in side", "z3 in 0..2 if z3 != n", "z4 in thing if lit[z4]")

    def bound(self, kind: str, depth: int) -> str:
        """A quantified condition whose body uses the variable."""
        self.fresh += 1
        name = f"q{self.fresh}"
        where = {"thing": "thing", "side": "side", "number": "0..2", "cell": "cell"}[kind]
        if kind == "cell" and self.random.random() < 0.7:
            where = self.pick(f"neighbours({self.cell(0)})", f"region({self.cell(0)}, {self.steps()})")
        self.names[kind].append(name)
        body = self.truth(depth)
        test = f" if {self.truth(0)}" if self.random.random() < 0.4 else ""
        self.names[kind].remove(name)
        return f"{self.pick('all', 'any')}({body} for {name} in {where}{test})"

    def closed_loop(self) -> str:
        end = self.pick("tip[z5]", self.thing(0))
        return f"loop((tail[z5], {end}) for z5 in link if {self.truth(0)} or lit[tip[z5]])"

    def steps(self) -> str:
        """A definition that allows steps from cell to cell."""
        return self.pick("open", "alike", "pushed")

    def different(self, depth: int) -> str:
        """A condition that values differ, in whose loop more or fewer turns take place."""
        self.fresh += 1
        name = f"q{self.fresh}"
        self.names["thing"].append(name)
        options = [self.number(depth), f"level[{name}] + {self.number(0)}", self.side(0)]
        options += [f"{self.cell(0)} + weight[{name}]*right"] if self.map else []
        test = f" if {self.truth(0)}" if self.random.random() < 0.5 else ""
        self.names["thing"].remove(name)
        return f"different({self.pick(*options)} for {name} in thing{test})"

    def truth(self, depth: int) -> str:
        options = [f"lit[{self.thing(0)}]", "done", "even(n)", f"at[{self.thing(0)}] == boat"]
        if self.map:
            options += [f"box[{self.cell(min(depth, 1))}]", f"goal[{self.cell(min(depth, 1))}]"]
        if depth:
            d = depth - 1
            options += [
                f"not {self.truth(d)}",
                f"({self.truth(d)} and {self.truth(d)})",
                f"({self.truth(d)} or {self.truth(d)})",
                f"{self.side(d)} {self.pick('==', '!=', '<', '>=')} {self.side(d)}",
                f"{self.number(d)} {self.pick('==', '!=', '<', '<=', '>', '>=')} {self.number(d)}",
                f"0 <= {self.number(d)} < {self.number(d)}",
                f"count({self.truth(0)} {self.loop()}) {self.pick('==', '<=', '>=', '!=')} {self.pick('0', '1')}",
                self.bound(self.pick("thing", "side", "number"), d),
                self.pick("", "not ", "not ") + self.pick(self.different(d), self.closed_loop()),
                f"({self.truth(d)} if {self.truth(d)} else {self.truth(d)})",
            ]
            if self.map:
                options += [
                    f"{self.cell(d)} {self.pick('==', '!=', '<')} {self.cell(d)}",
                    f"{self.cell(d)} {self.pick('in', 'not in')} cell",
                    self.bound("cell", d),
                    f"connected({self.cell(0)}, {self.cell(0)}, {self.steps()})",
                ]
        return self.pick(*options)

    # The file

    def action(self, number: int) -> list[str]:
        lines = [f"  act{number}:"]
        parameters = {"x": "thing", "s": "side", "k": "0..2", **({"p": "cell", "d": "direction"} if self.map else {})}
        chosen = self.random.sample(sorted(parameters), self.random.randint(0, 2))
        kinds = {"x": "thing", "s": "side", "k": "number", "p": "cell", "d": "direction"}
        if chosen:
            lines.append("    with: {" + ", ".join(f"{name}: {parameters[name]}" for name in chosen) + "}")
        for name in chosen:
            self.names[kinds[name]].append(name)
        if self.random.random() < 0.4:
            named = self.pick("number", "thing", "cell" if self.map else "side")
            value = {"number": self.number, "thing": self.thing, "side": self.side, "cell": self.cell}[named](1)
            lines += ["    let:", f"      it: {value}"]
            chosen.append("it")
            kinds["it"] = named
            self.names[named] += ["it"] * 3
        if self.random.random() < 0.8:
            lines += ["    when:", f"      - {self.truth(2)}", f"      - {self.truth(1)}"]
        sets = {
            f"lit[{self.thing(0)}]": self.truth(1),
            "done": self.truth(1),
            "n": self.number(2),
            f"at[{self.thing(0)}]": self.side(1),
            "boat": self.side(1),
            f"level[{self.thing(0)}]": self.number(1),
            f"lit[y] for y in thing if at[y] == {self.side(0)}": "not lit[y]",
        }
        if self.map:
            sets |= {f"box[{self.cell(1)}]": self.truth(1), "me": self.cell(2)}
            sets |= {f"box[y] for y in region({self.cell(0)}, {self.steps()})": self.pick("not box[y]", "done")}
        lines.append("    set:")
        lines += [
            f"      {target}: {sets[target]}" for target in self.random.sample(sorted(sets), self.random.randint(1, 3))
        ]
        if self.random.random() < 0.3:
            lines.append(f"    cost: {self.pick('0', '2', 'n', 'n + 1')}")
        for kind, known in self.names.items():
            self.names[kind] = [name for name in known if name not in chosen]
        return lines

    def text(self) -> str:
        lines = ["format: 1", "family: custom", "types:", "  thing: [a, b, c]", "  side: [left, right]", "  link: 1..4"]
        if self.map:
            rows = ["".join(self.pick(".", ".", "#", "b", "g") for _ in range(3)) for _ in range(2)]
            lines += ["grid: |", f"  @{rows[0]}", f"  .{rows[1]}", "legend:", '  "@": me', '  "b": box', '  "g": goal']
            lines[-6:-4] = [f"  @.{rows[0]}", f"  .{rows[1]}."]
        lines += [
            "state:",
            "  lit: {of: thing, start: [b]}",
            "  done: {start: false}",
            "  n: {in: 0..2, start: 1}",
            "  at: {of: thing, in: side, start: left}",
            "  boat: {in: side, start: left}",
            "  level: {of: thing, in: 0..2, start: [0, 1, 2]}",
        ]
        lines += ["  me: {in: cell}", "  box: {of: cell}"] if self.map else []
        lines += ["constants:", "  weight: {of: thing, in: 0..3, value: [1, 2, 3]}"]
        lines += [
            "  tail: {of: link, in: thing, value: [a, b, c, a]}",
            "  tip: {of: link, in: thing, value: [b, c, a, c]}",
        ]
        lines += ["  goal: {of: cell}"] if self.map else []
        lines += ["define:", "  even: {with: {i: 0..2}, is: i % 2 == 0}"]
        if self.map:
            lines += ["  open:", "    with: {o: cell}", "    is: not box[o]"]
            lines += [
                "  alike:",
                "    with: {o: cell, w: cell}",
                "    is: box[o] == box[w] and not (done and goal[w])",
            ]
            lines += ["  pushed:", "    with: {o: cell, d: direction}", "    is: box[o + d] or d == up and done"]
        lines.append("actions:")
        for number in range(self.random.randint(1, 3)):
            lines += self.action(number)
        if self.random.random() < 0.4:
            lines += ["always:", f"  - {self.truth(1)} or done or n == 1"]
        lines += ["goal:", f"  - {self.truth(2)}", f"  - {self.truth(1)} or {self.truth(0)}"]
        return "\n".join(lines) + "\n"
