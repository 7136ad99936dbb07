"""On which kind of price what is paid rests: quotes that hold, public prices, or less; told before anybody signs."""

from __future__ import annotations

from datetime import date

from engine.answer import Backing
from engine.choice.backing import shares_of
from planner.asked.voice import Voice
from planner.frozen.snapshot import Plan


def backing_text(plan: Plan, voice: Voice) -> str:
    """“62% (until 31 Dec 2026) of USD 9,000 is quoted to the team and valid …”; empty in plans made before that was kept."""
    parts = plan.recommendation.backing
    whole = sum(part.amount for part in parts)
    if not whole:
        return ""
    shares = shares_of(parts)
    quoted = _quoted(parts, shares["quoted"], voice)
    words = {
        "whole": voice.amount(whole),
        "quoted": quoted,
        "public": voice.percent(shares["public"]),
        "indicative": voice.percent(shares["indicative"]),
    }
    return voice.tr(
        "{quoted} of {whole} is quoted to the team and valid when it is needed, {public} a list price that anybody can buy at, "
        "{indicative} an indication: spot, a range, a comparison, an old price, a quote without an end or an assumption.",
        **words,
    )


def backing_short(plan: Plan, voice: Voice) -> str:
    """The same in a few words, for page 1."""
    parts = plan.recommendation.backing
    if not sum(part.amount for part in parts):
        return ""
    shares = shares_of(parts)
    return voice.tr(
        "Prices: {quoted} quoted and valid, {public} public list, {indicative} indication.",
        quoted=_quoted(parts, shares["quoted"], voice),
        public=voice.percent(shares["public"]),
        indicative=voice.percent(shares["indicative"]),
    )


def _quoted(parts: tuple[Backing, ...], share: float, voice: Voice) -> str:
    first = first_end(parts)
    if first is None:
        return voice.percent(share)
    return voice.tr("{share} (until {day})", share=voice.percent(share), day=voice.day(first))


def first_end(parts: tuple[Backing, ...]) -> date | None:
    """The day on which the first of the quotes that count ends; None without any."""
    return min((part.valid_until for part in parts if part.standing == "quoted" and part.valid_until), default=None)


def run_out(plan: Plan, today: date) -> tuple[Backing, ...]:
    """The quotes behind that plan, whether they counted or not, which hold no more on that day."""
    return tuple(part for part in plan.recommendation.backing if part.valid_until and part.valid_until < today)
