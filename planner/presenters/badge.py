"""The badge of an option: whether it keeps what was asked, and how likely; never green beside a coin toss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.answer import Option
from engine.inputs.finding import Quantity
from engine.inputs.spec import Spec
from planner.asked.kinds import WORK
from planner.presenters.words import chance, percent
from planner.promises import asked_confidence, promise_chance
from planner.telling import PAGES
from voice.speech import write


@dataclass(frozen=True, kw_only=True)
class Badge:
    """Words and their tone: good, warn, bad, or none where nothing was asked."""

    words: str
    short: str
    """In a column that is called “Limits”."""
    tone: str = ""


def badge_of(option: Option | None, spec: Spec) -> Badge:
    """What the head of an answer says of its recommended option; None is recommended where nothing is feasible."""
    if option is None:
        return Badge(words="Not feasible", short="Not feasible", tone="bad")
    checks = (
        ("late", option.meets_deadline),
        ("over budget", option.meets_budget),
        ("runs too long", option.too_long is None),
    )
    missed = [name for name, kept in checks if not kept]
    if missed:
        words = " and ".join(missed).capitalize()
        return Badge(words=words, short=words, tone="bad")
    if short := _unavailable(option):
        return short
    known = list(_limits(option, spec))
    if not known:
        return Badge(words="Feasible, no limit set", short="none set")
    kept, name = min(known)
    asked = asked_confidence(spec)
    if kept >= asked * (1.0 - 1e-9) and option.kept:
        return Badge(words=f"{name} kept: {chance(kept)} likely", short=f"{chance(kept)} likely", tone="good")
    risk = "at risk" if kept >= 0.5 else "missed"
    likely = chance(kept, down=True)
    words = f"{name} {risk}: {likely} likely, {percent(asked)} asked"
    return Badge(words=words, short=f"{risk}, {likely}", tone="warn" if kept >= 0.5 else "bad")


def _unavailable(option: Option) -> Badge | None:
    """That a service is up for less of the time than is asked, however likely all else is kept; None where it is up for as long."""
    standing = option.standing
    if standing is None or standing.holds:
        return None
    up, asked = (write(Quantity(share, "availability"), PAGES) for share in (standing.availability, standing.asked))
    return Badge(words=f"Availability missed: {up}, {asked} asked", short=f"missed, up {up}", tone="bad")


def _limits(option: Option, spec: Spec) -> Iterator[tuple[float, str]]:
    """How likely all that was asked for is kept; in plans from before that was drawn, each limit by itself, deadline and
    budget in the same draw where both are set."""
    if option.chance is not None:
        limits = spec.constraints
        if WORK[spec.kind].limited(spec) or limits.budget_usd or not option.sure:
            yield option.chance.all, _name(option, spec)
        return
    promised = promise_chance(option, spec)
    if promised is not None:
        yield promised, "Promise"
    if option.probability_of_both is not None:
        yield option.probability_of_both, "Limits"
        return
    if spec.due_days and option.probability_in_time is not None:
        yield option.probability_in_time, "Deadline"
    if spec.constraints.budget_usd and option.probability_in_budget is not None:
        yield option.probability_in_budget, "Budget"


def _name(option: Option, spec: Spec) -> str:
    """What is kept: the one limit that there is, or all of them, which memory lowers, too: a deadline that is kept for certain
    beside memory that is not were two chances of one thing."""
    odds = option.chance
    named = {"deadline": "Deadline", "budget": "Budget", "promise": "Promise", "capacity": "Load"}
    known = {name: alone for key, name in named.items() if (alone := getattr(odds, key)) is not None}
    if len(known) == 1 and odds is not None:
        name, alone = next(iter(known.items()))
        return name if chance(alone) == chance(odds.all) else "Limits"
    return "Limits" if known else "Memory"
