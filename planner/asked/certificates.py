"""On which statement each certificate rests that was asked for: whose, what it covers, where it was read and when."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Certified
from planner.asked.voice import Voice
from planner.frozen.snapshot import Plan


def certificates_text(plan: Plan, voice: Voice) -> str:
    """A sentence for each certificate and provider; empty where none was asked."""
    return " ".join(_told(one, voice) for one in plan.recommendation.certificates)


def certificates_short(plan: Plan, voice: Voice) -> str:
    """The same in a few words, for page 1."""
    found = ", ".join(_named(plan.recommendation.certificates, voice))
    return voice.tr("Certificates: {certificates}.", certificates=found) if found else ""


def _named(certified: tuple[Certified, ...], voice: Voice) -> Iterator[str]:
    for one in certified:
        who = voice.name(one.seller) if one.seller else voice.tr("to be held by the team for its own site")
        yield f"{voice.name(one.name)} ({who})"


def _told(one: Certified, voice: Voice) -> str:
    words = {"certificate": voice.name(one.name), "provider": voice.name(one.seller)}
    if one.by == "own_site":
        return voice.tr(
            "{certificate}: the hardware stands in rooms of the team’s own, of which no provider’s certificate speaks; its own has to "
            "cover them.",
            **words,
        )
    if one.by == "request":
        return voice.tr(
            "{certificate}: {provider} has shown it to the team, as the request says; nothing else is known of it.",
            **words,
        )
    return voice.tr(
        "{certificate}: {provider} states it. Covered: {scope}. Source of {day}: {source}.",
        **words,
        scope=voice.name(one.scope.rstrip(".")),
        day=voice.release_day(one.date),
        source=voice.name(one.source),
    )
