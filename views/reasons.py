"""What `budge explain --why` and `budge plans` print, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

from ..models.text import columns, counted, listing
from ..workflows.why.laws import PARITY, Law
from ..workflows.why.milestones import Milestone
from ..workflows.why.plans import Counted, Intended
from ..workflows.why.reasons import Reasons
from ..workflows.why.shares import Share, Shares
from .board import position
from .json_lines import about, head
from .terminal import PLAIN, Screen, fill, labelled
from .text import heading

FIRST = 12
"""First moves that are shown."""

ROUTE = 12
"""Moves of a route that are shown."""


def as_text(found: Reasons, screen: Screen = PLAIN) -> str:
    """The board, why no plan is shorter, what every plan passes, and how many shortest plans there are."""
    parts = [heading(found.puzzle, screen), "", position(found.puzzle, screen), ""]
    if found.avoid or found.through:
        parts.append(labelled("conditions", _conditions(found), screen.width))
    if found.stopped_by:
        if found.removals or found.optimum is not None:
            parts.append(labelled("optimum", best(found), screen.width))
        if found.shares:
            parts += ["", *_shares(found, found.shares, screen)]
        parts += [*_laws(found, screen), ""]
        parts += [labelled(name, text, screen.width) for name, text in removed(found)]
        parts.append(labelled("states", f"not all visited: {found.stopped_by}", screen.width))
    elif found.optimum is None and found.optimum_of_all is not None:
        parts.append(labelled("unsolvable", "no plan, however long, keeps them", screen.width))
    elif found.optimum is None:
        text = f"no plan exists: none of the {found.states:,} states that can be reached is a goal"
        parts.append(labelled("unsolvable", text, screen.width))
    else:
        more = found.optimum - (found.optimum_of_all or found.optimum)
        than = f", {more:,} more than without conditions" if more else ", as without conditions"
        than = "" if found.optimum_of_all is None else than
        parts.append(labelled("optimum", f"{best(found)}{than}", screen.width))
        if found.shares:
            parts += ["", *_shares(found, found.shares, screen)]
        parts += _laws(found, screen)
        if found.milestones:
            parts += ["", *_milestones(found, screen)]
        parts += [""] * bool(found.shares) + [labelled(name, text, screen.width) for name, text in facts(found)]
    if found.states is not None:
        parts.append(labelled("states", f"{found.states:,}, all that can be reached", screen.width))
    parts.append(f"time         {found.seconds:.2f} s")
    if found.contradicts:
        parts.append(labelled("MISMATCH", found.contradicts, screen.width))
    return "\n".join(parts)


def _conditions(found: Reasons) -> str:
    """The conditions on plans in words."""
    named = {"avoid": found.avoid, "pass": found.through}
    parts = [f"{verb} {listing([f'`{one}`' for one in some])}" for verb, some in named.items() if some]
    return f"plans that {' and '.join(parts)}"


def _cost(found: Reasons, cost: int) -> str:
    return found.puzzle.metric(found.metric).counted((cost,))


def _shares(found: Reasons, shares: Shares, screen: Screen) -> Iterator[str]:
    """What each owner needs, a line each; and what all need together."""
    yield from fill(intro(found).split(), screen.width)
    if not shares.bound:
        return
    shown = [share for share in shares.single if share.least]
    wide = max((columns(share.owners[0]) for share in shown), default=0)
    digits = max((len(str(share.least)) for share in shown), default=0)
    for share in shown:
        name = share.owners[0]
        start = f"  {name}{' ' * (wide - columns(name))}  {share.least:>{digits}}"
        route = found.routes.get(name)
        words = [*_commas(route[:ROUTE])] if route else []
        if route and len(route) > ROUTE:
            words += ["...", f"{len(route) - ROUTE:,}", "more"]
        yield from fill(words, screen.width, first=f"{start}  ", rest=" " * (len(start) + 2)) if words else [start]
    if none := len(shares.single) - len(shown):
        yield f"  and {counted(none, 'other')} none"
    yield from fill(together(found, shares).split(), screen.width)


def best(found: Reasons) -> str:
    """The optimum, or what is proven of it: `23 slides`, `at least 25 slides`."""
    if found.optimum is not None:
        return _cost(found, found.optimum)
    assert found.removals
    return f"at least {_cost(found, found.removals.least)}"


def removed(found: Reasons) -> Iterator[tuple[str, str]]:
    """How a solver proved the optimum, and what it is without pieces: names and texts."""
    known = found.removals
    if known is None:
        return
    yield "proof", known.proof
    if known.left_out:
        yield (
            "needless",
            f"{listing(known.left_out)}: without {'all of them' if known.left_out[1:] else 'it'} still {best(found)}",
        )
    if known.without:
        shown = ", ".join(f"{name} {cost:,}" for name, cost in sorted(known.without, key=lambda pair: pair[1]))
        yield (
            "without",
            f"one more piece the optimum is {shown}" if known.left_out else f"one piece the optimum is {shown}",
        )
    if known.undecided:
        many = len(known.undecided)
        yield "undecided", f"in the time given: {listing(known.undecided) if many <= FIRST else counted(many, 'other')}"


def intro(found: Reasons) -> str:
    """The sentence before the shares; units may have no plural (`work`)."""
    unit, thing = found.puzzle.metric(found.metric).units[0].many, _thing(found)
    if found.shares and not found.shares.bound and (found.removals or not found.shares.complete):
        return f"Nothing that single {'boxes' if thing == 'box' else thing + 's'} need was found in the time given."
    if found.shares and not found.shares.bound:
        said = "is in every plan" if thing == ACTION else "has a move of its own in every plan"
        return f"No {thing} {said}: what single ones need explains nothing here."
    if found.removals:
        return f"What each {thing} needs if all others are away, and so in any plan, counted in {unit}:"
    whose = "; a move of several is that of the first of them" if thing != ACTION and _several(found) else ""
    return (
        f"What each {thing} needs in any plan, however long, counted in {unit}{whose} (where a way is shown, no other "
        "is as short):"
    )


def _several(found: Reasons) -> bool:
    """Whether one move may be of several pieces: shares count it for one."""
    return found.puzzle.family in ("custom", "pddl")


def _thing(found: Reasons) -> str:
    """What shares are of: `box`, `tile`, `action`, else `piece`."""
    names = [share.owners[0] for share in found.shares.single] if found.shares else []
    for start, thing in (("the box on ", "box"), ("tile ", "tile")):
        if names and all(name.startswith(start) for name in names):
            return thing
    acts = [name.endswith(")") and not name[name.rfind("(") :].strip("()").isdigit() for name in names]
    return ACTION if names and all(acts) else "piece"


def passes(found: Reasons) -> str:
    """The sentence before the milestones."""
    unit = found.puzzle.metric(found.metric).units[0].many
    return f"At some time every plan has (in brackets: {unit} until then, at least):"


ACTION = "action"


def together(found: Reasons, shares: Shares) -> str:
    """The sum, joint shares, and what follows from both."""
    total = sum(share.least for share in shares.single)
    text = f"Together {total:,}"
    if shares.joint:
        text += ". But they cannot all be so few at once: "
        text += ", ".join(f"{listing(share.owners)} together need at least {share.least:,}" for share in shares.joint)
        text += f". That makes {shares.bound:,}"
    if shares.bound == found.optimum:
        text += ": no plan is shorter"
        if not shares.joint and not found.removals:
            text += ", and in every shortest plan each has just as many"
        return f"{text}."
    if found.explained > shares.bound:
        text += f", and {found.explained:,} with what follows"
    if found.explained == found.optimum:
        return f"{text}: no plan is shorter."
    if found.removals:
        text += f", of {found.removals.least:,}. The rest is how they get in each other's way"
    else:
        text += f", of {found.optimum:,}. The rest is not explained; that no plan is shorter is known from all states"
    return text + ("." if shares.complete else "; not all pieces were counted together in the time given.")


def _laws(found: Reasons, screen: Screen) -> list[str]:
    lines = [fill(law_text(found, law).split(), screen.width) for law in found.laws]
    return ["", *chain.from_iterable(lines)] if lines else []


def law_text(found: Reasons, law: Law) -> str:
    """A law in words, with what follows from it."""
    unit = found.puzzle.metric(found.metric).units[0]
    least = unit.counted(law.least)
    if law.kind == PARITY:
        kind = "odd" if law.least % 2 else "even"
        return f"Every plan has an {kind} number of {unit.many}." if unit.one != unit.many else f"All plans are {kind}."
    does, many = ("takes" if law.step < 0 else "adds"), f"{abs(law.step):,} `{law.what}`"
    change = f"Each {unit.one} {does} {many}" if law.exact else f"No {unit.one} {does} more than {many}"
    so = f"every plan has exactly {least}" if law.exact else f"every plan has at least {least}"
    return f"{change}: there are {law.first:,}, and in the goal {law.last:,}. So {so}."


def _milestones(found: Reasons, screen: Screen) -> Iterator[str]:
    assert found.milestones
    chain, others = found.milestones.chain, found.milestones.others
    yield from fill(passes(found).split(), screen.width)
    if chain:
        yield labelled("  in order", listed(chain), screen.width)
    if others:
        yield labelled("  besides" if chain else "", listed(others), screen.width)
    if not chain and not others:
        yield "  nothing but the goal"
    if not found.milestones.complete:
        yield "  not all positions were tried in the time given"


def _without(found: Reasons) -> str:
    """What the optimum is without each single piece, the most important first."""
    least = sorted(found.without.items(), key=lambda pair: pair[1])
    needed = [f"{name} {cost:,}" for name, cost in least if found.optimum is None or cost < found.optimum]
    others = [name for name, cost in least if cost == found.optimum]
    text = f"one piece the optimum is {', '.join(needed)}" if needed else ""
    if not others:
        return f"{text}: each is needed"
    shown = f"{listing(others)} could be left out"
    return f"{text}; {shown}" if text else f"one piece it is the same: {shown}"


def listed(milestones: Sequence[Milestone]) -> str:
    """Milestones with the cost after which each can be reached: `B at r4c1 (1), A at r3c1 (2)`."""
    return ", ".join(f"{one.text} ({one.earliest})" for one in milestones)


def facts(found: Reasons) -> Iterator[tuple[str, str]]:
    """What is known of the pieces' worth and of all shortest plans: names and texts."""
    if found.shares and found.optimum:
        thing = _thing(found)
        yield "boxes" if thing == "box" else f"{thing}s", _pieces(found, found.shares)
    if found.without:
        yield "without", _without(found)
    yield from _plans(found)
    if found.intended:
        yield "intended", _intended(found, found.intended)
    if found.example:
        yield "one of them", " ".join(found.example)


def _pieces(found: Reasons, shares: Shares) -> str:
    """How many pieces have to move, how much beyond once, and back: facts for whoever judges difficulty."""
    assert found.optimum is not None
    said = "are in every plan" if _thing(found) == ACTION else "have to move"
    said = "have moves of their own in every plan" if said == "have to move" and _several(found) else said
    text = f"{found.must_move or 'none'} of {len(shares.single):,} {said}"
    if 0 < found.must_move < found.optimum and found.plans and found.plans.length == found.optimum:
        text += f", and {_cost(found, found.optimum - found.must_move)} come on top of one for each"
    if found.moves_back:
        text += f"; on their only routes they come back {counted(found.moves_back, 'time')} to where they have been"
    return text


def _plans(found: Reasons) -> Iterator[tuple[str, str]]:
    """How many shortest plans there are, and what they have in common."""
    if found.plans is None:
        yield "plans", "not counted: they have free steps, which may be repeated, or steps of several actions at once"
        return
    plans = found.plans
    yield "plans", number(plans)
    if plans.length and plans.number > 1:
        same = "the same" if plans.forced == plans.length else f"{plans.forced or 'none'} of the"
        yield "in common", f"{same} {plans.length:,} moves are in all of them"
    if plans.longer is not None:
        one, two = plans.longer
        yield "longer ones", f"{one:,} of one more, {two:,} of two more, detours included"
    if found.first:
        shown = ", ".join(found.first[:FIRST]) + (", ..." if len(found.first) > FIRST else "")
        yield "first move", f"{shown} ({len(found.first):,} of {plans.first_possible:,} that are possible)"
    if plans.part_after is not None:
        yield "they part", f"after {_cost(found, plans.part_after)}" if plans.part_after else "from the first move on"


def _intended(found: Reasons, plan: Intended) -> str:
    """Whether the author's plan is a shortest one, and where it is not."""
    assert found.optimum is not None
    if plan.cost == found.optimum:
        plans = found.plans
        if plans is None:
            return "a shortest plan"
        only = (plans.number if plans.up_to_order is None else plans.up_to_order) == 1
        return "a shortest plan, and there is no other" if only else "a shortest plan, one of several"
    cost, more = _cost(found, plan.cost), plan.cost - found.optimum
    text = f"there is a shortcut: the plan has {cost}, {more:,} more than needed"
    if plan.detours is None:
        return f"{text}; its positions could not be followed"
    lost = [f"{loses:,} at move {number:,} (`{move}`)" for number, move, loses in plan.detours]
    return f"{text}; it loses {', '.join(lost)}"


def number(plans: Counted) -> str:
    """How many shortest plans there are: `8 shortest plans, the same one if moves that do not touch
    each other may swap`.
    """
    text = counted(plans.number, "shortest plan")
    if plans.number == 1:
        return f"{text}: it is the only one"
    if plans.up_to_order is None:
        return text
    if plans.up_to_order == plans.number:
        return f"{text}, all different even if moves that do not touch each other may swap"
    many = "the same one" if plans.up_to_order == 1 else f"{plans.up_to_order:,} different ones"
    return f"{text}, {many} if moves that do not touch each other may swap"


def _commas(words: Sequence[str]) -> list[str]:
    return [f"{word}," for word in words[:-1]] + [*words[-1:]]


# JSON


def as_json(found: Reasons) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    plans = found.plans
    value: dict[str, Any] = {
        **head(found.command),
        **about(found.puzzle),
        "metric": found.metric,
        "cost": found.optimum,
        "states": found.states,
        "plans": plans and plans.number,
        "plans_up_to_order": plans and plans.up_to_order,
        "moves_in_all_plans": plans and plans.forced,
        "plan_length": plans and plans.length,
        "first_moves": list(found.first),
        "first_moves_possible": plans and plans.first_possible,
        "plans_part_after": plans and plans.part_after,
        "longer_plans": plans and plans.longer and list(plans.longer),
        "intended": found.intended and _plan(found.intended),
        "contradicts": found.contradicts,
    }
    if found.avoid or found.through:
        value |= {
            "avoid": list(found.avoid),
            "through": list(found.through),
            "cost_without_conditions": found.optimum_of_all,
            "example": list(found.example),
        }
    if found.shares:
        shares = found.shares
        value |= {
            "shares": [_share(share, found) for share in shares.single],
            "joint_shares": [_share(share, found) for share in shares.joint],
            "explained": found.explained,
            "pieces_that_must_move": found.must_move,
            "moves_back": found.moves_back,
        }
    if found.laws:
        value["laws"] = [asdict(law) for law in found.laws]
        value["explained"] = found.explained
    if found.stopped_by:
        value["stopped_by"] = found.stopped_by
    if found.removals:
        value |= {
            "least": found.removals.least,
            "proof": found.removals.proof,
            "left_out": list(found.removals.left_out),
            "without": dict(found.removals.without),
            "undecided": list(found.removals.undecided),
        }
    if found.without:
        value["without"] = found.without
    if found.milestones:
        value["milestones"] = {
            "in_order": [_milestone(one) for one in found.milestones.chain],
            "besides": [_milestone(one) for one in found.milestones.others],
        }
    return {**value, "seconds": round(found.seconds, 4)}


def _plan(intended: Intended) -> dict[str, Any]:
    detours = None
    if intended.detours is not None:
        detours = [{"move": number, "notation": move, "loses": loses} for number, move, loses in intended.detours]
    return {"cost": intended.cost, "detours": detours}


def _share(share: Share, found: Reasons) -> dict[str, Any]:
    route = found.routes.get(share.owners[0]) if len(share.owners) == 1 else None
    return {"owners": list(share.owners), "least": share.least, "only_route": route and list(route)}


def _milestone(one: Milestone) -> dict[str, Any]:
    return {"fact": one.text, "earliest": one.earliest}
