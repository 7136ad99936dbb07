"""The price of certainty: what other degrees of confidence cost, and what buys each step from one to the next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.answer import Certainty
from engine.choice.sure import Asked
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.inputs.hardware import Offer
from engine.inputs.named import device_ref, hardware, source_of
from engine.supply import Supply

LEVELS = (0.5, 0.6, 0.8, 0.9, 0.95)
"""Told of every plan, and what it was asked for."""
STEPS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
"""Where a slider may stand: those, and degrees between them."""
SUPPORTED = 0.9
"""Bands are judged by how often measured rows fall into their 80 %: what lies beyond their ends is extrapolated."""
_EQUAL = 1e-6


@dataclass(frozen=True, kw_only=True)
class Taken:
    """What would be recommended at one confidence: which option, what it costs at most and when it is done with that
    confidence; `supply` is None where nothing is so sure."""

    confidence: float
    supply: Supply | None = None
    second: Offer | None = None
    """What is rented at the other site, where there are two."""
    option_id: str = ""
    count: int = 0
    usd: float = 0.0
    authorised: float = 0.0
    """What has to be authorised to be so sure [USD]: all that is signed, and what is paid besides."""
    days: float | None = None
    chance: float | None = None
    """How likely that option keeps all limits together."""


def levels(*more: float) -> tuple[float, ...]:
    """The degrees of confidence that are worked out, the least first: every step, and those."""
    return tuple(sorted({*STEPS, *more}))


def told(taken: Iterable[Taken], asked: Asked, *more: float) -> tuple[Certainty, ...]:
    """Those rows, each with what buys the step from the row of the table before it: rows of `LEVELS`, of what was asked and of
    `more`."""
    found: list[Certainty] = []
    shown, before = {*LEVELS, asked.all, *more}, None
    for one in _in_steps(list(taken), asked):
        found.append(_row(before, one, asked, between=one.confidence not in shown))
        before = one if one.supply and one.confidence in shown else before
    return tuple(found)


def _in_steps(taken: list[Taken], asked: Asked) -> list[Taken]:
    """The same where what is surer costs no less. What was asked for costs what its option does; where a surer row costs less than one
    before it, as weeks of porting count in the choice and not in the sum, that holds the less sure one as well, and where one beyond
    what was asked has draws that end lower, the limit of the row before still holds it."""
    able = [place for place, one in enumerate(taken) if one.supply]
    start = next((place for place in able if taken[place].confidence == asked.all), able[0] if able else 0)
    found = list(taken)
    for place, later in reversed([*pairwise(place for place in able if place <= start)]):
        one, surer = found[place], found[later]
        if surer.usd < one.usd:
            days = one.days if one.option_id == surer.option_id else surer.days
            found[place] = replace(surer, confidence=one.confidence, days=days)
    for earlier, place in pairwise(place for place in able if place >= start):
        one, last = found[place], found[earlier]
        # What is signed belongs to its option: of another one it says nothing.
        held = last.authorised if one.option_id == last.option_id else 0.0
        found[place] = replace(one, usd=max(one.usd, last.usd), authorised=max(one.authorised, held, last.usd))
    return found


def _row(before: Taken | None, one: Taken, asked: Asked, *, between: bool) -> Certainty:
    return Certainty(
        confidence=one.confidence,
        cost=one.usd if one.supply else None,
        days=one.days if one.supply else None,
        authorised=one.authorised if one.supply else None,
        option_id=one.option_id,
        asked=one.confidence == asked.all,
        extrapolated=one.confidence > SUPPORTED + _EQUAL,
        change=() if between and one.supply else _change(before, one),
        hardware=_named(one) if one.supply else None,
        chance=one.chance if one.supply else None,
        between=between,
    )


def _change(before: Taken | None, now: Taken) -> tuple[Finding, ...]:
    """What buys the step; of the first, on what it stands."""
    if now.supply is None:
        return (finding("certainty.none"),)
    if before is None or before.supply is None:
        return (finding("certainty.other", hardware=_named(now)),)
    if now.option_id == before.option_id:
        return tuple(_head_room(before, now))
    offers = (before.supply.offer, now.supply.offer)
    if offers[0] and offers[1] and (offers[0].option, offers[1].option) == ("spot", "on_demand"):
        step = finding("certainty.on_demand", hardware=_named(now))
    elif now.supply.id == before.supply.id and now.count > before.count:
        step = finding("certainty.more", more=now.count - before.count, accelerator=device_ref(now.supply.device))
    else:
        step = finding("certainty.other", hardware=_named(now))
    return (step, *_head_room(before, now))


def _head_room(before: Taken, now: Taken) -> Iterable[Finding]:
    """Money and days that are held ready beyond the step before."""
    if now.usd > before.usd * (1 + _EQUAL):
        yield finding("certainty.money", more=Sum(now.usd - before.usd))
    if now.days is not None and before.days is not None and now.days > before.days * (1 + _EQUAL):
        yield finding("certainty.days", more=Quantity(now.days - before.days, "day"))


def _named(one: Taken) -> Finding:
    assert one.supply is not None
    return hardware(one.count, device_ref(one.supply.device), source_of(one.supply, one.second))
