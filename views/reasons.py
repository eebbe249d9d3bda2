"""What `budge explain --why` and `budge plans` print, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from ..models.text import counted, listing
from ..workflows.why.laws import PARITY, Law
from ..workflows.why.milestones import Milestone, Milestones
from ..workflows.why.plans import Counted, Intended
from ..workflows.why.reasons import Reasons
from ..workflows.why.shares import Share, Shares
from .json_lines import about, head, picked
from .sections import Conclusion, Lines, Pictured, Section, Table, Value

FIRST = 12
"""First moves that are shown."""

ROUTE = 12
"""Moves of a route that are shown."""


def of_reasons(why: Reasons) -> Iterator[Section]:
    """Why no plan is shorter, what every plan passes, and how many shortest plans there are."""
    if why.avoid or why.through:
        yield Value("conditions", _conditions(why))
    if why.optimum is not None or why.removals:
        yield Value("optimum", best(why) + _than(why))
    elif not why.stopped_by and why.optimum_of_all is not None:
        yield Value("unsolvable", "no plan, however long, keeps them")
    elif not why.stopped_by:
        yield Value("unsolvable", f"no plan exists: none of the {why.states:,} states that can be reached is a goal")
    if why.shares:
        yield from ("", intro(why))
        if why.shares.bound:
            yield from (Pictured("shares", [*_shares(why, why.shares)]), together(why, why.shares), Pictured("routes"))
    if why.laws:
        yield from ("", *(law_text(why, law) for law in why.laws))
    if why.milestones:
        yield from ("", passes(why), *_milestones(why.milestones))
    if why.stopped_by or why.shares:
        yield ""
    yield from (Value(label, text) for label, text in (removed(why) if why.stopped_by else facts(why)))
    seen = f"not all visited: {why.stopped_by}" if why.states is None else f"{why.states:,}, all that can be reached"
    yield Value("states", seen)
    yield Value("time", f"{why.seconds:.2f} s")
    if why.contradicts:
        yield Conclusion(why.contradicts, "bad", "MISMATCH")


def _than(why: Reasons) -> str:
    """How much more conditions make a plan cost, as the end of a sentence; nothing without conditions."""
    if why.optimum is None or why.optimum_of_all is None:
        return ""
    more = why.optimum - why.optimum_of_all
    return f", {more:,} more than without conditions" if more else ", as without conditions"


def _conditions(why: Reasons) -> str:
    """The conditions on plans in words."""
    named = {"avoid": why.avoid, "pass": why.through}
    parts = [f"{verb} {listing([f'`{fact}`' for fact in some])}" for verb, some in named.items() if some]
    return f"plans that {' and '.join(parts)}"


def _cost(why: Reasons, cost: int) -> str:
    return why.puzzle.metric(why.metric).counted((cost,))


def _shares(why: Reasons, shares: Shares) -> Iterator[Section]:
    """What each owner needs, a line each, with its only route if it has one."""
    shown = [share for share in shares.single if share.least]
    lines = [[share.owners[0], f"{share.least}", _way(why.routes.get(share.owners[0], ()))] for share in shown]
    if lines:
        yield Table((), {"": lines}, numbers=(1,), indent="  ")
    if none := len(shares.single) - len(shown):
        yield Lines([f"  and {counted(none, 'other')} none"])


def _way(route: Sequence[str]) -> str:
    """A route in words: its first moves, and how many more there are."""
    more = f", ... {len(route) - ROUTE:,} more" if len(route) > ROUTE else ""
    return ", ".join(route[:ROUTE]) + more


def best(why: Reasons) -> str:
    """The optimum, or what is proven of it: `23 slides`, `at least 25 slides`."""
    if why.optimum is not None:
        return _cost(why, why.optimum)
    assert why.removals
    return f"at least {_cost(why, why.removals.least)}"


def removed(why: Reasons) -> Iterator[tuple[str, str]]:
    """How a solver proved the optimum, and what it is without pieces: names and texts."""
    known = why.removals
    if known is None:
        return
    yield "proof", known.proof
    if known.left_out:
        yield (
            "needless",
            f"{listing(known.left_out)}: without {'all of them' if known.left_out[1:] else 'it'} still {best(why)}",
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


def intro(why: Reasons) -> str:
    """The sentence before the shares; units may have no plural (`work`)."""
    unit, thing = why.puzzle.metric(why.metric).units[0].many, _thing(why)
    if why.shares and not why.shares.bound and (why.removals or not why.shares.complete):
        return f"Nothing that single {'boxes' if thing == 'box' else thing + 's'} need was found in the time given."
    if why.shares and not why.shares.bound:
        said = "is in every plan" if thing == ACTION else "has a move of its own in every plan"
        return f"No {thing} {said}: what single ones need explains nothing here."
    if why.removals:
        return f"What each {thing} needs if all others are away, and so in any plan, counted in {unit}:"
    whose = "; a move of several is that of the first of them" if thing != ACTION and _several(why) else ""
    return (
        f"What each {thing} needs in any plan, however long, counted in {unit}{whose} (where a way is shown, no other "
        "is as short):"
    )


def _several(why: Reasons) -> bool:
    """Whether one move may be of several pieces: shares count it for one."""
    return why.puzzle.family in ("custom", "pddl")


def _thing(why: Reasons) -> str:
    """What shares are of: `box`, `tile`, `action`, else `piece`."""
    names = [share.owners[0] for share in why.shares.single] if why.shares else []
    for start, thing in (("the box on ", "box"), ("tile ", "tile")):
        if names and all(name.startswith(start) for name in names):
            return thing
    acts = [name.endswith(")") and not name[name.rfind("(") :].strip("()").isdigit() for name in names]
    return ACTION if names and all(acts) else "piece"


def passes(why: Reasons) -> str:
    """The sentence before the milestones."""
    unit = why.puzzle.metric(why.metric).units[0].many
    return f"At some time every plan has (in brackets: {unit} until then, at least):"


ACTION = "action"


def together(why: Reasons, shares: Shares) -> str:
    """The sum, joint shares, and what follows from both."""
    total = sum(share.least for share in shares.single)
    text = f"Together {total:,}"
    if shares.joint:
        text += ". But they cannot all be so few at once: "
        text += ", ".join(f"{listing(share.owners)} together need at least {share.least:,}" for share in shares.joint)
        text += f". That makes {shares.bound:,}"
    if shares.bound == why.optimum:
        text += ": no plan is shorter"
        if not shares.joint and not why.removals:
            text += ", and in every shortest plan each has just as many"
        return f"{text}."
    if why.explained > shares.bound:
        text += f", and {why.explained:,} with what follows"
    if why.explained == why.optimum:
        return f"{text}: no plan is shorter."
    if why.removals:
        text += f", of {why.removals.least:,}. The rest is how they get in each other's way"
    else:
        text += f", of {why.optimum:,}. The rest is not explained; that no plan is shorter is known from all states"
    return text + ("." if shares.complete else "; not all pieces were counted together in the time given.")


def law_text(why: Reasons, law: Law) -> str:
    """A law in words, with what follows from it."""
    unit = why.puzzle.metric(why.metric).units[0]
    least = unit.counted(law.least)
    if law.kind == PARITY:
        kind = "odd" if law.least % 2 else "even"
        return f"Every plan has an {kind} number of {unit.many}." if unit.one != unit.many else f"All plans are {kind}."
    does, many = ("takes" if law.step < 0 else "adds"), f"{abs(law.step):,} `{law.what}`"
    change = f"Each {unit.one} {does} {many}" if law.exact else f"No {unit.one} {does} more than {many}"
    so = f"every plan has exactly {least}" if law.exact else f"every plan has at least {least}"
    return f"{change}: there are {law.first:,}, and in the goal {law.last:,}. So {so}."


def _milestones(milestones: Milestones) -> Iterator[Section]:
    chain, others = milestones.chain, milestones.others
    if chain:
        yield Pictured("milestones", [Value("  in order", listed(chain))])
    if others:
        yield Value("  besides" if chain else "", listed(others))
    if not chain and not others:
        yield Lines(["  nothing but the goal"])
    if not milestones.complete:
        yield Lines(["  not all positions were tried in the time given"])


def _without(why: Reasons) -> str:
    """What the optimum is without each single piece, the most important first."""
    least = sorted(why.without.items(), key=lambda pair: pair[1])
    needed = [f"{name} {cost:,}" for name, cost in least if why.optimum is None or cost < why.optimum]
    others = [name for name, cost in least if cost == why.optimum]
    text = f"one piece the optimum is {', '.join(needed)}" if needed else ""
    if not others:
        return f"{text}: each is needed"
    shown = f"{listing(others)} could be left out"
    return f"{text}; {shown}" if text else f"one piece it is the same: {shown}"


def listed(milestones: Sequence[Milestone]) -> str:
    """Milestones with the cost after which each can be reached: `B at r4c1 (1), A at r3c1 (2)`."""
    return ", ".join(f"{milestone.text} ({milestone.earliest})" for milestone in milestones)


def facts(why: Reasons) -> Iterator[tuple[str, str]]:
    """What is known of the pieces' worth and of all shortest plans: names and texts."""
    if why.optimum is None:
        return
    if why.shares and why.optimum:
        thing = _thing(why)
        yield "boxes" if thing == "box" else f"{thing}s", _pieces(why, why.shares)
    if why.without:
        yield "without", _without(why)
    yield from _plans(why)
    if why.intended:
        yield "intended", _intended(why, why.intended)
    if why.example:
        yield "one of them", " ".join(why.example)


def _pieces(why: Reasons, shares: Shares) -> str:
    """How many pieces have to move, how much beyond once, and back: facts for whoever judges difficulty."""
    assert why.optimum is not None
    said = "are in every plan" if _thing(why) == ACTION else "have to move"
    said = "have moves of their own in every plan" if said == "have to move" and _several(why) else said
    text = f"{why.must_move or 'none'} of {len(shares.single):,} {said}"
    if 0 < why.must_move < why.optimum and why.plans and why.plans.length == why.optimum:
        text += f", and {_cost(why, why.optimum - why.must_move)} come on top of one for each"
    if why.moves_back:
        text += f"; on their only routes they come back {counted(why.moves_back, 'time')} to where they have been"
    return text


def _plans(why: Reasons) -> Iterator[tuple[str, str]]:
    """How many shortest plans there are, and what they have in common."""
    if why.plans is None:
        yield "plans", "not counted: they have free steps, which may be repeated, or steps of several actions at once"
        return
    plans = why.plans
    yield "plans", number(plans)
    if plans.length and plans.number > 1:
        same = "the same" if plans.forced == plans.length else f"{plans.forced or 'none'} of the"
        yield "in common", f"{same} {plans.length:,} moves are in all of them"
    if plans.longer is not None:
        by_one, by_two = plans.longer
        yield "longer ones", f"{by_one:,} of one more, {by_two:,} of two more, detours included"
    if why.first:
        shown = ", ".join(why.first[:FIRST]) + (", ..." if len(why.first) > FIRST else "")
        yield "first move", f"{shown} ({len(why.first):,} of {plans.first_possible:,} that are possible)"
    if plans.part_after is not None:
        yield "they part", f"after {_cost(why, plans.part_after)}" if plans.part_after else "from the first move on"


def _intended(why: Reasons, plan: Intended) -> str:
    """Whether the author's plan is a shortest one, and where it is not."""
    assert why.optimum is not None
    if plan.cost == why.optimum:
        plans = why.plans
        if plans is None:
            return "a shortest plan"
        only = (plans.number if plans.up_to_order is None else plans.up_to_order) == 1
        return "a shortest plan, and there is no other" if only else "a shortest plan, one of several"
    cost, more = _cost(why, plan.cost), plan.cost - why.optimum
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


# JSON


def as_json(why: Reasons) -> dict[str, Any]:
    """The `result` object of a puzzle."""
    plans, shares = why.plans, why.shares
    counted = "plans=number plans_up_to_order=up_to_order moves_in_all_plans=forced plan_length=length"
    later = "first_moves_possible=first_possible plans_part_after=part_after longer_plans=longer"
    value: dict[str, Any] = {
        **head(why.command),
        **about(why.puzzle),
        **picked(why, "metric cost=optimum states"),
        **picked(plans, counted),
        "first_moves": list(why.first),
        **picked(plans, later),
        "intended": why.intended and _plan(why.intended),
        "contradicts": why.contradicts,
    }
    if why.avoid or why.through:
        value |= picked(why, "avoid through cost_without_conditions=optimum_of_all example")
    if shares:
        value["shares"] = [_share(share, why) for share in shares.single]
        value["joint_shares"] = [_share(share, why) for share in shares.joint]
        value |= picked(why, "explained pieces_that_must_move=must_move moves_back")
    if why.laws:
        value |= {"laws": [asdict(law) for law in why.laws], "explained": why.explained}
    if why.stopped_by:
        value["stopped_by"] = why.stopped_by
    if why.removals:
        value |= picked(why.removals, "least proof left_out") | {"without": dict(why.removals.without)}
        value |= picked(why.removals, "undecided")
    if why.without:
        value["without"] = why.without
    if why.milestones:
        lists = {"in_order": why.milestones.chain, "besides": why.milestones.others}
        value["milestones"] = {
            name: [picked(one, "fact=text earliest") for one in some] for name, some in lists.items()
        }
    return value | picked(why, "seconds")


def _plan(intended: Intended) -> dict[str, Any]:
    names = ("move", "notation", "loses")
    detours = intended.detours
    return {
        "cost": intended.cost,
        "detours": None if detours is None else [dict(zip(names, detour, strict=True)) for detour in detours],
    }


def _share(share: Share, why: Reasons) -> dict[str, Any]:
    route = why.routes.get(share.owners[0]) if len(share.owners) == 1 else None
    return picked(share, "owners least") | {"only_route": route and list(route)}
