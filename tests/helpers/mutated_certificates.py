"""Mutants of certificates: in every file and every field, by bytes and by what they mean.

Whoever forges has the checker too. So the numbers of clauses, states and positions are made those of the mutant, and a
changed problem is given a plan and evidence of its own: only the logic protects.
"""

from __future__ import annotations

import lzma
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import budge
from budge.encoders.exports.problem_writing import write as problem_text
from budge.models.errors import BudgeError, UsageError
from budge.models.plan import cost_in
from budge.proofs.by_rules import ENDINGS, claim_text, endings_in, is_by_rules, less
from budge.proofs.check import check_folder
from budge.proofs.core.check import formula_of
from budge.proofs.core.claim import EXHAUSTION, OPTIMUM, PLAN, PROOF, PUZZLE, REFUTATION, read_claim
from budge.proofs.core.claim import FILE as CLAIM
from budge.proofs.core.exhaustion import exhaust
from budge.proofs.core.limits import Limits, Rejected
from budge.proofs.core.problem import FILE as PROBLEM
from budge.proofs.core.problem import Action, Literals, Problem, read
from budge.proofs.folder import LARGEST
from budge.proofs.games import puzzle_of
from budge.proofs.one_variable_formula import LAYERS
from budge.proofs.searching import SEARCH, Search, claims_in, is_by_search
from budge.proofs.verdict import FOR_PROBLEM, INVALID, VALID, CertificateVerdict
from budge.runtime.outcome import Status
from budge.workflows.solving import solve

from .made_certificates import KINDS, Files, Kind, files_of
from .second_core import Cost, Game, read_game, read_told
from .two_readers import differ
from .visited import exhausted

Mutate = Callable[[Files, random.Random], Files]


# What a mutant says, made to fit


def fitted(files: Files) -> Files:
    """The files with the numbers of variables and clauses, states or positions that their claim has. What cannot be
    read keeps its numbers.
    """
    limits = Limits(20, 512)
    with suppress(Rejected, ValueError, KeyError, IndexError, UnicodeError):
        lines = files[CLAIM].decode("ascii").split("\n")
        if is_by_rules(files) and lines[2].startswith(f"by {ENDINGS} "):
            made = endings_in(files, limits)
            lines[2] = f"by {ENDINGS} {made.variables} {len(made.clauses)}"
            return files | {CLAIM: "\n".join(lines).encode()}
        if is_by_rules(files):
            claim = None if lines[1] == "unsolvable" else tuple(map(int, lines[1].split(" ")[1].split(",")))
            metric = lines[3].removeprefix("count ")
            kind = lines[2].split(" ")[1]
            found = exhausted(puzzle_of(files[PUZZLE].decode()), metric, less(claim), limits, kind)
            return files | {CLAIM: claim_text(OPTIMUM, claim, kind, (found.states,), (), metric).encode()}
        problem = read(files[PROBLEM].decode("ascii"), limits)
        told = read_claim(problem, as_the_core_reads(files), limits)
        if is_by_search(files):
            sums = [one.tables for one in claims_in(problem, "\n".join(lines), limits)]
            lines[2] = f"by {SEARCH} {Search(problem, told.below, sums, limits).run().states}"
        elif told.kind == EXHAUSTION:
            lines[2] = f"by {EXHAUSTION} {exhaust(problem, told.below, told.tables, limits)[0]}"
        if told.kind == REFUTATION:
            formula = formula_of(told, limits, LAYERS)
            lines[2] = f"by {REFUTATION} {formula.variables} {sum(1 for _ in formula.clauses())}"
        return files | {CLAIM: "\n".join(lines).encode()}
    return files


def as_the_core_reads(files: Files) -> str:
    """claim.txt as the core reads it: what is shown by a search as if it were by exhaustion."""
    return files[CLAIM].decode("ascii").replace(f"by {SEARCH} ", f"by {EXHAUSTION} ")


def shown_anew(files: Files, problem: Problem) -> Files:
    """Another problem text, with a claim, a plan and evidence that are right for it: only that it is not the puzzle
    can be said against them.
    """
    text = problem_text(problem)
    best = least(text)
    result = {name: data for name, data in files.items() if name in (PUZZLE,)} | {PROBLEM: text.encode()}
    says = "unsolvable"
    if best is not None:
        says = "optimum " + ",".join(map(str, best[0]))
        result[PLAN] = "".join(f"{name}\n" for name in best[1]).encode()
    by = SEARCH if is_by_search(files) else EXHAUSTION
    return fitted(result | {CLAIM: f"budge claim 1\n{says}\nby {by} 0\n".encode()})


# Mutations of the problem


def other_literals(part: Literals, problem: Problem, random_: random.Random) -> Literals:
    """A clause or a condition in which a literal is weaker, stronger, gone, or about another variable."""
    at, how = random_.randrange(len(part)), random_.randrange(4)
    x, mask = part[at]
    if how == 0 and len(part) > 1:
        return part[:at] + part[at + 1 :]
    if how == 1:
        others = [y for y in range(len(problem.names)) if y not in dict(part)]
        if others:
            y = random_.choice(others)
            return tuple(sorted((*part, (y, 1 << random_.randrange(len(problem.domains[y]))))))
    mask ^= 1 << random_.randrange(len(problem.domains[x]))
    return part if mask in (0, problem.full(x)) else (*part[:at], (x, mask), *part[at + 1 :])


def other_action(action: Action, problem: Problem, random_: random.Random) -> Action:
    """An action with another cost, need or effect."""
    how = random_.randrange(8)
    needs, effects = list(action.needs), dict(action.effects)
    if how <= 1:
        part = random_.randrange(len(action.cost))
        cost = max(0, action.cost[part] + random_.choice((-1, -1, 1, 2)))
        return replace(action, cost=(*action.cost[:part], cost, *action.cost[part + 1 :]))
    if how == 2 and needs:
        del needs[random_.randrange(len(needs))]
    elif how == 3 and needs:
        at = random_.randrange(len(needs))
        needs[at] = other_literals(needs[at], problem, random_)
    elif how == 4:
        x = random_.randrange(len(problem.names))
        needs.append(((x, 1 << random_.randrange(len(problem.domains[x]))),))
    else:
        x = random_.choice(list(effects))
        some = list(effects[x])
        at = random_.randrange(len(some))
        when, value = some[at]
        if how == 5 and len(effects) > 1:
            del effects[x]
            return replace(action, effects=effects)
        if how == 6 and when:
            some[at] = (other_literals(when, problem, random_), value)
        else:
            some[at] = (when, random_.randrange(len(problem.domains[x])))
        effects[x] = tuple(some)
    return replace(action, needs=tuple(needs), effects=effects)


def other_problem(problem: Problem, random_: random.Random) -> Problem:
    """A problem with another start, goal, count, or action; or one action more, or less."""
    actions, how = list(problem.actions), random_.randrange(12)
    if how == 0:
        x, start = random_.randrange(len(problem.names)), list(problem.start)
        start[x] = random_.randrange(len(problem.domains[x]))
        return replace(problem, start=tuple(start))
    if how == 1 and problem.goal:
        at = random_.randrange(len(problem.goal))
        part = other_literals(problem.goal[at], problem, random_)
        more = (part,) if random_.random() < 0.7 else ()
        return replace(problem, goal=problem.goal[:at] + more + problem.goal[at + 1 :])
    if how == 2:
        names = random_.sample(["moves", "pushes", "steps", "slides", "cost", "minutes"], len(problem.counts))
        return replace(problem, counts=tuple(names))
    at = random_.randrange(len(actions))
    if how == 3:
        del actions[at]
    elif how == 4:
        actions.append(replace(other_action(actions[at], problem, random_), name="more"))
    elif how == 5:
        other = random_.randrange(len(actions))
        one, two = actions[at], actions[other]
        actions[at], actions[other] = replace(one, name=two.name), replace(two, name=one.name)
    elif how == 6:
        return replace(problem, actions=tuple(replace(one, cost=one.cost[::-1]) for one in actions))
    elif how == 7:
        x = random_.randrange(len(problem.names))
        domains = list(problem.domains)
        domains[x] = (*domains[x], "more")
        return replace(problem, domains=tuple(domains))
    else:
        actions[at] = other_action(actions[at], problem, random_)
    return replace(problem, actions=tuple(actions))


def changed_problem(files: Files, random_: random.Random) -> Files:
    """Another problem with the evidence of the first."""
    if PROBLEM not in files:
        return other_claim(files, random_)
    problem = other_problem(read(files[PROBLEM].decode()), random_)
    return files | {PROBLEM: problem_text(problem).encode()}


def forged_problem(files: Files, random_: random.Random) -> Files:
    """Another problem with evidence of its own."""
    if PROBLEM not in files:
        return changed_puzzle(files, random_)
    problem = read(files[PROBLEM].decode())
    for _ in range(random_.choice((1, 1, 2))):
        problem = other_problem(problem, random_)
    try:
        read(problem_text(problem))
    except Rejected:
        return files | {PROBLEM: problem_text(problem).encode()}
    return shown_anew(files, problem)


# Mutations of claim and evidence


def other_claim(files: Files, random_: random.Random) -> Files:
    """Another number, or another thing that is claimed: then what was claimed for it goes."""
    lines = files[CLAIM].decode().split("\n")
    words, result = lines[1].split(" "), dict(files)
    how = random_.random()
    if how < 0.2:
        words = ["unsolvable"] if words[0] != "unsolvable" else ["optimum", "1"]
    elif how < 0.4 and len(words) > 1:
        words[0] = "at-least"
    if len(words) > 1 and random_.random() < 0.8:
        numbers = [int(n) for n in words[1].split(",")]
        at = random_.randrange(len(numbers))
        numbers[at] = max(0, numbers[at] + random_.choice((-2, -1, 1, 1, 2, 10**6)))
        words[1] = ",".join(map(str, numbers))
    if words[0] != "optimum" and random_.random() < 0.9:
        result.pop(PLAN, None)
    lines[1] = " ".join(words)
    return result | {CLAIM: "\n".join(lines).encode()}


def at_least(files: Files, random_: random.Random) -> Files:
    """The claim is a lower bound, of up to two less, or one more."""
    lines = files[CLAIM].decode().split("\n")
    if not lines[1].startswith("optimum"):
        return other_claim(files, random_)
    numbers = [int(n) for n in lines[1].split(" ")[1].split(",")]
    numbers[0] = max(0, numbers[0] - random_.randrange(-1, 3))
    lines[1] = "at-least " + ",".join(map(str, numbers))
    return {name: data for name, data in files.items() if name != PLAN} | {CLAIM: "\n".join(lines).encode()}


def other_evidence(files: Files, random_: random.Random) -> Files:
    """A line of the evidence is left out, stands twice, or says another number, value, variable or kind."""
    lines = files[CLAIM].decode().split("\n")[:-1]
    at, how = random_.randrange(2, len(lines)), random_.randrange(7)
    words = lines[at].split(" ")
    if at == 2 or how == 0:
        kinds = ("refutation 10 10", "exhaustion 1", "pairs", "rules 1", "magic")
        if random_.random() < 0.4:
            lines[2] = f"by {random_.choice(kinds)}"
        elif PROBLEM in files:
            lines.append(new_evidence(read(files[PROBLEM].decode()), random_))
    elif how == 1:
        del lines[at]
    elif how == 2:
        other = random_.randrange(3, len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif words[0] == "table":
        for _ in range(random_.choice((1, 1, 3))):
            w = random_.randrange(2, len(words))
            number = -1 if words[w] == "-" else int(words[w])
            words[w] = random_.choice(("-", str(number + 1), str(number + 1), str(number - 1), "1000000"))
        lines[at] = " ".join(words)
    elif len(words) > 1:
        parts = re.split(r"([=,|]|!=)", words[1])
        w = random_.randrange(len(parts))
        parts[w] = random_.choice([*re.split(r"[=,|!]+", words[1]), "=", "!=", ",", "|"])
        lines[at] = f"{words[0]} {''.join(parts)}"
    return files | {CLAIM: "".join(f"{line}\n" for line in lines).encode()}


def new_evidence(problem: Problem, random_: random.Random) -> str:
    """A line of evidence at random."""
    x = random_.randrange(len(problem.names))
    domain = problem.domains[x]
    if random_.randrange(2):
        return random_.choice(("changes", "parallel", "pairs", "invariant A!=1|B!=1"))
    return f"table {problem.names[x]} " + " ".join(random_.choice("-0011") for _ in domain)


# Mutations of proof and plan


def other_proof(files: Files, random_: random.Random) -> Files:
    """A line of the proof is left out, stands twice or elsewhere, or has another literal or hint."""
    if PROOF not in files:
        return other_evidence(files, random_)
    lines = lzma.decompress(files[PROOF]).decode().splitlines()
    at, other, how = random_.randrange(len(lines)), random_.randrange(len(lines)), random_.randrange(8)
    words = lines[at].split()
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(other, lines[at])
    elif how == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif how == 3:
        w = random_.randrange(len(words))
        words[w] = str(-int(words[w])) if words[w] != "d" else "0"
        lines[at] = " ".join(words)
    elif how == 4:
        words[random_.randrange(len(words))] = str(random_.choice((0, 1, 2, 10**9, 10**40, random_.randrange(2000))))
        lines[at] = " ".join(words)
    elif how == 5:
        gone = " ".join(map(str, random_.sample(range(1, 500), 60)))
        lines.insert(at, f"{words[0]} d {gone} 0")
    elif how == 6:
        words.remove("0")  # literals and hints run into each other
        lines[at] = " ".join(words)
    else:
        lines = [*lines[:at], f"{10**6} 0 {' '.join(map(str, range(1, 40)))} 0"]
    return files | {PROOF: lzma.compress("".join(f"{line}\n" for line in lines).encode(), preset=0)}


def other_plan(files: Files, random_: random.Random) -> Files:
    """A line of the plan is left out, stands twice, or changes places with another; the claim may follow it."""
    if PLAN not in files:
        return files | {PLAN: random_.choice((b"", b"\n", b"x\n"))}
    lines = files[PLAN].decode().splitlines()
    names = [action.name for action in read(files[PROBLEM].decode()).actions] if PROBLEM in files else lines
    at, how = random_.randrange(len(lines) + 1), random_.randrange(4)
    if how == 0:
        del lines[at : at + 1]
    elif how == 1:
        lines.insert(at, random_.choice(names))
    elif how == 2 and at < len(lines):
        other = random_.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:  # to and fro
        state = None if PROBLEM not in files else read_game(files[PROBLEM].decode())
        pair = [] if state is None else there_and_back(state, lines[:at], random_)
        lines[at:at] = pair
    result = files | {PLAN: "".join(f"{line}\n" for line in lines).encode()}
    cost = read_game(files[PROBLEM].decode()).replayed(lines) if PROBLEM in files else None
    if cost is not None and random_.random() < 0.7:
        claim = files[CLAIM].decode().split("\n")
        claim[1] = "optimum " + ",".join(map(str, cost))
        result[CLAIM] = "\n".join(claim).encode()
    return result


def there_and_back(game: Game, names: list[str], random_: random.Random) -> list[str]:
    """Two actions behind some others that lead nowhere, if there are such."""
    by_name, state = {step.name: step for step in game.steps}, game.start
    for name in names:
        state = game.after(state, by_name[name])
    there = [step for step in game.steps if game.holds(state, step.needs)]
    for step in random_.sample(there, len(there)):
        then = game.after(state, step)
        for back in game.steps:
            if then != state and game.holds(then, back.needs) and game.after(then, back) == state:
                return [step.name, back.name]
    return []


# Mutations of the puzzle, and of files


def changed_puzzle(files: Files, random_: random.Random) -> Files:
    """A line of the puzzle is another, or a cell of its map; the text stays as it was."""
    text = files[PUZZLE].decode()
    if random_.random() < 0.5:
        cells = [
            m.start() for m in re.finditer(r"(?<=[.#$@A-Za-z0-9 ])[.#$@A-Za-z0-9 ](?=.*\n)", text) if m.start() > 40
        ]
        at = random_.choice(cells)
        return files | {PUZZLE: (text[:at] + random_.choice(".#$@ABCX1235") + text[at + 1 :]).encode()}
    lines = text.splitlines()
    at, other = random_.randrange(len(lines)), random_.randrange(len(lines))
    how = random_.randrange(6)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        words = re.findall(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9]+", lines[at]) or [""]
        words[random_.randrange(len(words))] = random_.choice(
            ["0", "1", "2", "9", "true", "none", "not", "or", "==", "<", "any", *re.findall(r"\w+", lines[other])]
        )
        lines[at] = "".join(words)
    return files | {PUZZLE: ("\n".join(lines) + "\n").encode()}


def other_bytes(files: Files, random_: random.Random) -> Files:
    """Some bytes of a file are others; a proof is changed inside as well as outside of its packing."""
    name = random_.choice(sorted(files))
    inside = name == PROOF and random_.random() < 0.6
    data = lzma.decompress(files[name]) if inside else files[name]
    for _ in range(random_.choice((1, 1, 2, 5))):
        start = random_.randrange(len(data) + 1)
        end = min(len(data), start + random_.choice((0, 1, 1, 1, 2, 5)))
        wild = random_.random() < 0.3
        new = bytes(
            random_.randrange(256) if wild else random_.choice(b"ABCX.#$@ 0123456789-=!|,<d\n")
            for _ in range(random_.randrange(3))
        )
        data = data[:start] + new + data[end:]
    return files | {name: lzma.compress(data, preset=0) if inside else data}


def other_files(files: Files, random_: random.Random) -> Files:
    """A file is missing, cut off, empty, another one's, or one too many."""
    name, result, how = random_.choice(sorted(files)), dict(files), random_.randrange(6)
    if how == 0:
        del result[name]
    elif how == 1:
        result[name] = files[name][: random_.randrange(len(files[name]) + 1)]
    elif how == 2:
        result[random_.choice(sorted(LARGEST))] = files[name]
    elif how == 3:
        result[random_.choice(("json.py", ".hidden", "formula.cnf", "board.txt"))] = files[name]
    else:  # from the certificate of another puzzle, or with other evidence
        other = files_of(random_.choice(KINDS))
        for name in random_.sample(sorted(other), random_.randint(1, 2)):
            result[name] = other[name]
    return result


MUTATIONS: list[Mutate] = [
    changed_problem,
    forged_problem,
    forged_problem,
    other_claim,
    at_least,
    other_evidence,
    other_evidence,
    other_proof,
    other_proof,
    other_plan,
    changed_puzzle,
    other_bytes,
    other_bytes,
    other_files,
]


def mutant(kind: Kind, number: int, random_: random.Random) -> Files:
    """A mutant of a certificate; most say the numbers that they have."""
    files = MUTATIONS[number % len(MUTATIONS)](files_of(kind), random_)
    return fitted(files) if random_.random() < 0.8 else files


# Whether a claim is so


class Judged(NamedTuple):
    """What the checker says, how long it took, and what that is: `invalid`, `unsupported`, `true`, `FALSE`, `fault`
    (the checker failed) or `limit`.
    """

    verdict: CertificateVerdict
    seconds: float
    column: str


def judged(folder: Path, files: Files, seconds: float, mebibytes: int) -> Judged:
    """Check the certificate in a folder as `budge verify` does, and hold what is accepted against plain search."""
    began = time.monotonic()
    limits = Limits(seconds, mebibytes)
    verdict = check_folder(folder, limits)
    column = {VALID: "true", FOR_PROBLEM: "true", INVALID: "invalid"}.get(verdict.status, "unsupported")
    if verdict.problem.startswith("not decided"):
        column = "fault" if "failed" in verdict.problem else "limit"
    took = time.monotonic() - began
    if column == "true":
        compared = verdict.status == VALID
        try:
            if verdict.puzzle and differ(verdict.puzzle):
                column = "invalid"
        except (Rejected, BudgeError):
            column = "invalid"
        shown = column == "true" or not is_by_rules(files)  # Budge cannot solve a puzzle that it cannot read
        if shown and not is_true(files, verdict.metric, compared and column == "true"):
            column = "FALSE"
    return Judged(verdict, took, column)


@cache
def least(text: str) -> tuple[Cost, list[str]] | None:
    """The optimum of a problem with a plan, by the second reader and plain search (Dijkstra); None if it has none."""
    return read_game(text).search(whole=False)[1]


def is_true(files: Files, metric: str, compared: bool) -> bool:
    """Whether the claim of a certificate that was accepted is so: of its problem text, and of its puzzle if the checker
    says that it is the same (`compared`).
    """
    if is_by_rules(files):
        _says, *numbers = files[CLAIM].decode().split("\n")[1].split(" ")
        claimed = tuple(map(int, numbers[0].split(","))) if numbers else None
        return solved(files[PUZZLE].decode(), metric) == claimed
    text = files[PROBLEM].decode()
    told = read_told(read_game(text), as_the_core_reads(files))
    best = least(text)
    found = [None if best is None else best[0]]
    if compared:
        found.append(solved(files[PUZZLE].decode(), metric))
    if told.says == "at-least":
        assert told.below is not None
        return all(one is None or one >= told.below for one in found)
    return all(one == told.below for one in found)


@cache
def solved(text: str, metric: str) -> Cost | None:
    """The optimum of a puzzle by plain search of Budge's engines (`bfs`, or `plain` where that does not count it)."""
    puzzle = budge.load_text(text)
    try:
        solution = solve(puzzle, "bfs", metric)
    except UsageError:
        solution = solve(puzzle, "plain", metric)
    assert solution.status in (Status.OPTIMAL, Status.UNSOLVABLE)
    return None if solution.replay is None else cost_in(solution.replay, metric)
