"""How many of a kind one person, team or version may have: what a loop could make without end has an end."""

from __future__ import annotations

from django.conf import settings


class CapReached(Exception):
    """There are as many already as there may be; the message says how many, and what to do."""


def check(cap: str, count: int, *, whose: str, what: str, instead: str) -> None:
    """Raise CapReached when `count` has reached the setting `cap`: “This person has 20 live API tokens …”."""
    most: int = settings.CAPS[cap]
    if count >= most:
        raise CapReached(f"{whose} has {count:,} {what} and may have {most:,}: {instead}.")
