"""A block of capacity that is paid in advance: for how long it is booked, and how likely the work outlasts it.

Its end is a deadline of its own: what is not done by then needs another block, which may not be free.
"""

from __future__ import annotations

from engine.answer import Option
from engine.odds.chances import chance_within
from planner.asked.spans import work_days
from planner.asked.voice import Voice


def block_days(best: Option) -> float:
    """Days that are booked and paid [day]; 0 for what is no block."""
    if best.offer is None or best.offer.option != "capacity_block":
        return 0.0
    return next((line.amount / 24.0 for line in best.cost.model.lines if line.name == "paid_hours"), 0.0)


def outlasts(best: Option) -> float:
    """The chance that the work takes longer than its block, by the band of its days; 0 where there is none."""
    booked, work = block_days(best), work_days(best)
    if not booked or work.high <= work.expected:
        return 0.0
    return 1.0 - chance_within(booked, work.expected, work.high)


def booked(best: Option, voice: Voice) -> str:
    """“21 days of ”, before what is booked; nothing for what is no block."""
    days = round(block_days(best))
    return voice.trn("{number} day of ", "{number} days of ", days, number=voice.number(days)) if days else ""
