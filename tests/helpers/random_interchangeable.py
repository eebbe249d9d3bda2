"""Random small definitions whose objects are often interchangeable, with now and then what tells them apart."""

from __future__ import annotations

import random


class Game:
    """Makes one definition. Things are names or numbers; most rules speak of them only by parameters and loops."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers = self.random.random() < 0.35
        self.count = self.random.randint(2, 4)
        self.things = [str(n + 1) if self.numbers else "abcd"[n] for n in range(self.count)]
        self.places = ["p", "q", "r"][: self.random.randint(2, 3)]
        self.spoiler = self.random.choice([0.0, 0.0, 0.03, 0.15, 0.4])
        self.map = self.random.random() < 0.15
        self.names: dict[str, list[str]] = {"thing": [], "place": [], "number": []}
        self.fresh = 0

    def maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    # Expressions

    def thing(self, depth: int) -> str:
        """A thing: nearly always a parameter or the variable of a loop."""
        if self.maybe(self.spoiler):
            return self.pick(*self.things)
        options = list(self.names["thing"]) * 4
        if depth or not options:
            options += ["last", "last"]
            options += [f"friend[{self.thing(depth - 1)}]"] if depth > 0 else []
            if self.maybe(self.spoiler):
                options += ["the(t0 for t0 in thing if lit[t0])", "the(t0 for t0 in thing)"] * 3
            if self.maybe(self.spoiler) and self.numbers:
                options += [f"min({self.thing(0)}, {self.thing(0)})", f"{self.thing(0)} + 1"]
            if depth > 0:
                options += [f"({self.thing(0)} if {self.truth(0)} else {self.thing(0)})"]
        return self.pick(*options)

    def place(self, depth: int) -> str:
        if self.maybe(2 * self.spoiler):
            return self.pick(*self.places)
        options = [f"at[{self.thing(depth)}]", *self.names["place"] * 3]
        options += [f"home[{self.thing(0)}]"]
        if len(self.places) == 2 and depth:
            options += [f"other({self.place(0)})"]
        return self.pick(*options)

    def number(self, depth: int) -> str:
        options = ["0", "1", "n", f"level[{self.thing(depth)}]", f"size[{self.thing(0)}]", *self.names["number"] * 2]
        if depth:
            loop = self.loop("thing", 0)
            options += [f"count({self.bound('thing', 0)})", f"{self.pick('min', 'max', 'sum')}({loop})"]
            options += [f"({self.number(0)} {self.pick('+', '-', '*')} {self.number(0)})"]
        return self.pick(*options)

    def bound(self, kind: str, depth: int) -> str:
        """The inside of a quantifier whose body is true or false."""
        self.fresh += 1
        name = f"v{self.fresh}"
        where = {
            "thing": self.pick("thing", "thing", "thing", "some", "lit" if self.maybe(0.3) else "thing"),
            "place": "place",
        }[kind]
        if kind == "thing" and self.maybe(self.spoiler):
            where = f"[{self.things[0]}, {self.things[-1]}]" if self.things[0] != self.things[-1] else "thing"
        self.names[kind].append(name)
        body, test = self.truth(depth), self.truth(0)
        self.names[kind].remove(name)
        return f"{body} for {name} in {where}" + (f" if {test}" if self.maybe(0.4) else "")

    def loop(self, kind: str, depth: int) -> str:
        """The inside of a quantifier of numbers."""
        self.fresh += 1
        name = f"v{self.fresh}"
        self.names[kind].append(name)
        body, test = self.number(depth), self.truth(0)
        self.names[kind].remove(name)
        return f"{body} for {name} in thing" + (f" if {test}" if self.maybe(0.4) else "")

    def truth(self, depth: int) -> str:
        things, places = self.thing(0), self.place(0)
        options = [
            f"lit[{things}]",
            f"lit[{self.thing(depth)}]",
            f"at[{things}] == {places}",
            f"likes[{things}, {self.thing(0)}]",
            f"open[{places}, {self.place(0)}]",
            f"guard[{places}] == {things}",
            f"held == {things}",
            f"{things} {self.pick('==', '!=')} {self.thing(depth)}",
            f"{self.number(0)} {self.pick('==', '<', '<=')} {self.number(0)}",
            f"held in {self.pick('thing', 'some')}",
        ]
        if self.maybe(self.spoiler):
            options += [f"{things} < {self.thing(0)}", f"held == {self.pick(*self.things)}", "held == nobody"] * 3
            options += ["connected(me, me + right, light)"] * self.map
        if self.map:
            options += ["me == where[" + things + "]"] * 2
        if depth:
            d = depth - 1
            options += [
                f"not {self.truth(d)}",
                f"({self.truth(d)} and {self.truth(d)})",
                f"({self.truth(d)} or {self.truth(d)})",
                f"{self.pick('all', 'any')}({self.bound(self.pick('thing', 'place'), d)})",
                f"count({self.bound('thing', d)}) {self.pick('==', '<=', '>=')} {self.pick('1', '2', 'n')}",
                f"{self.number(d)} {self.pick('==', '!=', '<', '<=')} {self.number(d)}",
                f"different(at[z] for z in thing if {self.truth(0)})",
                f"alike({self.thing(0)}, {self.thing(0)})",
                "loop((z, friend[z]) for z in thing if lit[z])",
                f"({self.truth(d)} if {self.truth(d)} else {self.truth(d)})",
            ]
        return self.pick(*options)

    # The file

    def action(self, number: int) -> list[str]:
        kinds = {"x": "thing", "y": "thing", "u": "some", "g": "place", "k": "0..2"}
        chosen = self.random.sample(sorted(kinds), self.random.randint(1, 3))
        chosen = chosen if {"x", "y", "u"} & {*chosen} else [*chosen, "x"]
        lines = [f"  act{number}:", "    with: {" + ", ".join(f"{name}: {kinds[name]}" for name in chosen) + "}"]
        home = {"x": "thing", "y": "thing", "u": "thing", "g": "place", "k": "number"}
        for name in chosen:
            self.names[home[name]].append(name)
        if self.maybe(0.8):
            lines += ["    when:", f"      - {self.truth(1)}"]
            lines += [f"      - {self.truth(2)}"] if self.maybe(0.5) else []
        sets = {
            f"lit[{self.thing(1)}]": self.truth(1),
            f"at[{self.thing(0)}]": self.place(1),
            f"level[{self.thing(0)}]": self.number(1),
            "n": self.number(1),
            "last": self.thing(1),
            "held": self.pick(self.thing(1), "nobody"),
            f"guard[{self.place(0)}]": self.thing(0),
            f"likes[{self.thing(0)}, {self.thing(0)}]": self.truth(1),
            f"lit[w] for w in thing if at[w] == {self.place(0)}": "not lit[w]",
            f"at[w] for w in some if lit[w] and w != {self.thing(0)}": self.place(0),
        }
        if self.map:
            sets |= {"me": self.pick("me + right", f"where[{self.thing(0)}]", "cell(1, 1)", "me - right")}
        lines.append("    set:")
        for target in self.random.sample(sorted(sets), self.random.randint(1, 3)):
            lines.append(f"      {target}: {sets[target]}")
        if self.maybe(0.3):
            lines.append(f"    cost: {self.pick('2', '0', '3')}")
        for name in chosen:
            self.names[home[name]].remove(name)
        return lines

    def values(self, of: list[str], values: list[str], alike: float = 0.6) -> str:
        """The values of a table: often the same for all."""
        if self.maybe(alike):
            return self.pick(*values)
        return "{" + ", ".join(f"{key}: {self.pick(*values)}" for key in of) + "}"

    def goal(self) -> list[str]:
        if self.maybe(0.3):
            place = self.pick(*self.places)
            named = [f"at[{t}] == {place}" for t in self.random.sample(self.things, self.random.randint(1, self.count))]
            return [" and ".join(named)] if self.maybe(0.5) else named
        if self.maybe(0.2):
            return [f"lit[{t}]" for t in self.random.sample(self.things, 2)] + [self.truth(1)]
        return [self.truth(2) for _ in range(self.random.randint(1, 2))]

    def text(self) -> str:
        things, places = self.things, self.places
        every = "1.." + str(self.count) if self.numbers else "[" + ", ".join(things) + "]"
        some = every if self.maybe(0.6) else ("1..2" if self.numbers else f"[{things[0]}, {things[1]}]")
        nobody = "0.." + str(self.count) if self.numbers else "[nobody, thing]"
        pairs = [
            "{" + ", ".join(f"{t}: [{', '.join(self.pick('true', 'false') for _ in things)}]" for t in things) + "}",
            "false",
            "true",
        ]
        steps = "{" + ", ".join(f"{t}: [{', '.join(self.pick('true', 'false') for _ in places)}]" for t in places) + "}"
        friends = self.random.choice([things, self.random.sample(things, self.count), [*things[1:], things[0]]])
        lines = ["format: 1", "family: custom", "name: random", "types:"]
        lines += [f"  thing: {every}", f"  some: {some}", f"  holder: {nobody}", f"  place: [{', '.join(places)}]"]
        lines += ["grid: |", "  .1..", "legend:", "  '1': floor"] if self.map else []
        lines += [
            "constants:",
            f"  size: {{of: thing, in: 0..2, value: {self.values(things, ['0', '1', '2'])}}}",
            f"  home: {{of: thing, in: place, value: {self.values(things, places)}}}",
            f"  friend: {{of: thing, in: thing, value: [{', '.join(friends)}]}}",
            f"  open: {{of: [place, place], value: {self.pick('true', steps)}}}",
            "state:",
            f"  at: {{of: thing, in: place, start: {self.values(things, places, 0.3)}}}",
            f"  lit: {{of: thing, start: {self.values(things, ['true', 'false'], 0.3)}}}",
            f"  level: {{of: thing, in: 0..2, start: {self.values(things, ['0', '1'], 0.5)}}}",
            f"  likes: {{of: [thing, thing], start: {self.pick(*pairs)}}}",
            f"  guard: {{of: place, in: thing, start: {self.values(places, things, 0.5)}}}",
            f"  last: {{in: thing, start: {self.pick(*things)}}}",
            f"  held: {{in: holder, start: {'0' if self.numbers else 'nobody'}}}",
            "  n: {in: 0..2, start: 0}",
        ]
        lines += ["  me: {in: cell, start: r1c1}", "  where: {of: thing, in: cell, start: r1c2}"] if self.map else []
        lines = [line.replace("nobody", "0") if self.numbers and "start" in line else line for line in lines]
        lines += ["define:"]
        self.names["thing"] += ["f", "h"]
        lines += ["  alike:", "    with: {f: thing, h: thing}", f"    is: {self.plain()}"]
        self.names["thing"] = []
        lines += ["  light:", "    with: {z9: cell}", "    is: z9 != r1c4"] if self.map else []
        lines.append("actions:")
        for number in range(self.random.randint(2, 4)):
            lines += self.action(number)
        lines += ["always:", f"  - {self.truth(2)}"] if self.maybe(0.25) else []
        lines += ["goal:", *[f"  - {part}" for part in self.goal()]]
        text = "\n".join(lines) + "\n"
        return text.replace("nobody", "0") if self.numbers else text

    def plain(self) -> str:
        return self.pick(
            "lit[f] == lit[h]",
            "at[f] == at[h] and f != h",
            "likes[f, h] or likes[h, f]",
            "friend[f] == h",
            "level[f] < level[h]",
        )
