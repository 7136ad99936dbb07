"""The badge of an option: whether it keeps what was asked, and how likely; never green beside a coin toss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.answer import Option
from engine.inputs.spec import Spec
from planner.presenters.words import chance
from planner.promises import promise_chance

SURE = 0.9
"""From here a limit holds over the whole 80% band of what it limits: its upper end is the 90th percentile."""


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
    known = list(_limits(option, spec))
    if not known:
        return Badge(words="Feasible, no limit set", short="none set")
    kept, name = min(known)
    tone = "good" if kept >= SURE else "warn" if kept >= 0.5 else "bad"
    return Badge(words=f"{name} kept: {chance(kept)} likely", short=f"{chance(kept)} likely", tone=tone)


def _limits(option: Option, spec: Spec) -> Iterator[tuple[float, str]]:
    """How likely each limit that was asked for is kept; deadline and budget in the same draw where both are set."""
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
