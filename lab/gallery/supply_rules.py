"""What must hold of how hardware is had: what its prices rest on, and what is asked for by when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from engine.choice.obtaining import first_working_day

Json = dict[str, Any]
_SUM = 1e-6
_FRIDAY = 4
_BOOKED = ("obtain.block", "obtain.order", "obtain.order.late", "obtain.order.unset")
"""Steps that pay."""
_BEFORE = ("obtain.quota", "obtain.quote", "obtain.server_quote")
"""Steps without which nobody can pay."""


def faults_of_backing(body: Json) -> Iterator[str]:
    """The parts are all that is paid, the shares add up to one, and a quote that counts holds when it is needed."""
    backing, best = body["backing"], body["recommended"]
    if best is None:
        if backing["parts"]:
            yield "prices rest on something where nothing is recommended"
        return
    parts = [(part, float(part["amount"]["amount"])) for part in backing["parts"]]
    paid = float(backing["paid"]["amount"])
    if abs(sum(amount for _, amount in parts) - paid) > 0.01 * (len(parts) + 1):
        yield f"parts add up to {sum(amount for _, amount in parts):,.2f}, {paid:,.2f} are paid"
    if parts and abs(sum(backing["shares"].values()) - 1.0) > _SUM:
        yield f"shares add up to {sum(backing['shares'].values())}"
    if parts and paid < float(best["cost"]["total"]["expected"]) * 0.5 and best["kind"] == "cloud":
        yield f"{paid:,.2f} are paid for a rental of {best['cost']['total']['expected']}"
    for part, _ in parts:
        yield from _part_faults(part, body, best)


def _part_faults(part: Json, body: Json, best: Json) -> Iterator[str]:
    needed = body["as_of"] if part["line"] == "purchase" else body["start"]
    if part["standing"] == "quoted" and (part["valid_until"] is None or part["valid_until"] < needed):
        yield f"{part['line']} counts as quoted until {part['valid_until']}, needed on {needed}"
    spot = best["offer"] is not None and best["offer"]["option"] == "spot"
    if spot and part["line"] == "compute" and part["standing"] != "indicative":
        yield f"spot counts as {part['standing']}"


def faults_of_obtaining(body: Json) -> Iterator[str]:
    """Each step has a working day after that of the request, in order, and none comes after the work has begun; a block is booked when
    its quota and its price have been asked for."""
    best = body["recommended"]
    days = [step["values"]["by"] for step in body["obtaining"]]
    if best is not None and best["kind"] != "owned" and not days:
        yield "nothing is asked for, and something is bought or rented"
    if days != sorted(days):
        yield f"steps are out of order: {days}"
    booked = [step["values"]["by"] for step in body["obtaining"] if step["code"] in _BOOKED]
    for step in body["obtaining"]:
        day = date.fromisoformat(step["values"]["by"])
        if (
            not body["as_of"]
            < day.isoformat()
            <= max(body["start"], first_working_day(date.fromisoformat(body["as_of"])).isoformat())
        ):
            yield f"a step on {day}, between {body['as_of']} and {body['start']} it cannot be"
        if (
            day.weekday() > _FRIDAY and step["code"] != "obtain.block"
        ):  # which is a click, on the first day on which it works
            yield f"a step on {day}, a weekend"
        if booked and step["code"].startswith(_BEFORE) and day.isoformat() > min(booked):
            yield f"{step['code']} on {day}, after the booking on {min(booked)}"


def faults_of_blocks(body: Json) -> Iterator[str]:
    """A block is paid by whole days, and beyond what its seller sells by the day by whole weeks."""
    for option in (body["recommended"], *body["alternatives"]):
        offer = option and option["offer"]
        if not offer or offer["option"] != "capacity_block":
            continue
        hours = next(line["amount"] for line in option["cost"]["lines"] if line["name"] == "paid_hours")
        steps = offer["day_steps_until"]
        step = 168 if steps and hours > steps * 24 else 24
        if hours % step:
            yield f"{option['id']}: {hours} hours of a block"
