"""AWS's public feed of spot prices (`spot.js`): one price an hour for each region and machine, without zones.

The file is a call with one object in it, or that object alone. Old regions have names of their own; a machine that is
not sold as spot has “N/A*”. What a zone asks may differ threefold, and the feed does not say which one it tells.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from catalog.aliases import accelerator_slug, corrected_count
from catalog.importers.outcome import ImportFault, Outcome, amount, without_outliers
from catalog.records import PriceRow

_REGIONS = {
    "us-east": "us-east-1",
    "us-west": "us-west-1",
    "eu-ireland": "eu-west-1",
    "apac-sin": "ap-southeast-1",
    "apac-syd": "ap-southeast-2",
    "apac-tokyo": "ap-northeast-1",
}


def read_aws_spot(
    path: Path, *, day: date, source: str = "aws-spot", reference: Mapping[str, Decimal] | None = None
) -> Outcome:
    """Prices and refusals of that file as observed on that day. ImportFault when it is another file."""
    outcome, seen = Outcome(), set[PriceRow]()
    try:
        lines = list(_lines(json.loads(_object(path.read_text(encoding="utf-8-sig")))))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ImportFault(f"{path.name} is not AWS's feed of spot prices: {error!r}.") from error
    for number, (region, instance, text) in enumerate(lines, start=1):
        outcome.lines += 1
        if accelerator_slug("", provider="aws", instance=instance) is None:
            outcome.skipped["The instance type has no accelerator of the catalog."] += 1
        elif text.startswith("N/A"):
            outcome.skipped["The machine is not sold as spot there."] += 1
        else:
            _take(number, (region, instance, text), outcome, seen, base=(day, source))
    return without_outliers(outcome, reference)


def _object(text: str) -> str:
    """The object without the call around it."""
    text = text.strip()
    return text[len("callback(") :].rstrip(";").rstrip().removesuffix(")") if text.startswith("callback(") else text


def _lines(feed: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Region, machine and what Linux costs in dollars; no plan runs on Windows."""
    for region in feed["config"]["regions"]:
        for family in region["instanceTypes"]:
            for size in family["sizes"]:
                for column in size["valueColumns"]:
                    if column["name"] == "linux":
                        yield (
                            _REGIONS.get(region["region"], region["region"]),
                            size["size"],
                            str(column["prices"]["USD"]),
                        )


def _take(
    number: int, line: tuple[str, str, str], outcome: Outcome, seen: set[PriceRow], *, base: tuple[date, str]
) -> None:
    (region, instance, text), (day, source) = line, base
    count = corrected_count("aws", instance)
    try:
        price = amount(text)
    except ValueError as error:
        outcome.refuse(number, str(error), " ".join(line))
        return
    if price is None or not count or not region:
        outcome.refuse(number, "The line has no price, no region, or no number of accelerators.", " ".join(line))
        return
    row = PriceRow(
        provider="aws",
        instance=instance,
        region=region,
        zone="",
        accelerator=accelerator_slug("", provider="aws", instance=instance) or "",
        count=count,
        option="spot",
        amount=price,
        currency="USD",
        date=day,
        source=source,
    )
    outcome.take(row, seen)
