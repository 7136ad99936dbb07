"""How sentences are spoken: the language of their words, and the way amounts, numbers and days are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from engine.inputs.finding import Ref


@dataclass(frozen=True, kw_only=True)
class Voice:
    """Messages are English with named placeholders, as those of documents."""

    tr: Callable[..., str]
    """The message with its placeholders filled."""
    trn: Callable[..., str]
    """The form of a message that agrees with a count, which fills `{count}`."""
    amount: Callable[[float], str]
    """An amount in the currency of the plan."""
    number: Callable[[float], str]
    """A number as it was given."""
    scaled: Callable[[float], str]
    """A large number in words: “15 billion”."""
    percent: Callable[[float], str]
    days: Callable[[float], str]
    day: Callable[[date], str]
    name: Callable[[str], str]
    """A name that somebody typed or a provider gave, as it is safe to print."""

    thing: Callable[[Ref], str]
    """What a thing of the catalog is called."""

    def release_day(self, text: str) -> str:
        """The day of a catalog release, “2026-08-22”; what is no day stays."""
        try:
            return self.day(date.fromisoformat(text))
        except ValueError:
            return self.name(text)
