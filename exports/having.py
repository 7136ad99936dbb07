"""What each way of having accelerators is called in documents."""

from __future__ import annotations

from exports.wording import mark
from planner.rent_or_own import Way

TITLES: dict[Way, str] = {
    "rent": mark("Rented by the hour"),
    "commit": mark("Committed for a term"),
    "lease": mark("Leased"),
    "buy": mark("Bought"),
    "hybrid": mark("Rented until bought servers come"),
    "keep": mark("There already"),
    "api": mark("Hosted API, by the token"),
}
