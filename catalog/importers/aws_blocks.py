"""AWS's page of capacity blocks as a repository keeps it (JSON): what an hour of a block costs by machine and region.

AWS has no price list of blocks: its bulk file tells their hours at 0 dollars. Of UltraServers the file gives the rate
of one accelerator and none of the whole, so it is multiplied. Its own day is the day of the observation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from catalog.aliases import accelerator_slug, corrected_count
from catalog.importers.outcome import ImportFault, Outcome, amount, without_outliers
from catalog.records import PriceRow


def read_aws_blocks(
    path: Path, *, source: str = "aws-blocks-feed", reference: Mapping[str, Decimal] | None = None
) -> Outcome:
    """Prices and refusals of that file. ImportFault when it is another file."""
    outcome, seen = Outcome(), set[PriceRow]()
    try:
        root = json.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
        day = datetime.fromisoformat(str(root["metadata"]["last_updated"]).replace("Z", "+00:00")).date()
        lines = list(_lines(root["instance_types"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ImportFault(f"{path.name} is not a list of AWS's capacity blocks: {error!r}.") from error
    for number, (instance, machine, price) in enumerate(lines, start=1):
        outcome.lines += 1
        slug = accelerator_slug("", provider="aws", instance=instance)
        if slug is None:
            outcome.skipped["The instance type has no accelerator of the catalog."] += 1
            continue
        try:
            row = _row(instance, slug, machine, price, base=(day, source))
        except (ValueError, ArithmeticError) as error:
            outcome.refuse(number, str(error) or "The price is not a number.", f"{instance} {price}")
            continue
        outcome.take(row, seen)
    return without_outliers(outcome, reference)


def _lines(machines: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for instance, machine in machines.items():
        for price in machine["pricing"]:
            yield instance, machine, price


def _row(
    instance: str, slug: str, machine: Mapping[str, Any], price: Mapping[str, Any], *, base: tuple[date, str]
) -> PriceRow:
    (day, source), region = base, str(price.get("region_code") or "")
    count = corrected_count("aws", instance) or Decimal(str(machine.get("accelerator_count") or 0))
    hour, each = (Decimal(str(price.get(name) or 0)) for name in ("hourly_rate_usd", "accelerator_hourly_rate_usd"))
    if not region or not count:
        raise ValueError("The line has no region, or the number of accelerators is not known.")
    multiplied = instance.startswith("u-") and not each
    value = amount(str(hour * count if multiplied else hour))
    if value is None:
        raise ValueError("The line has no price.")
    return PriceRow(
        provider="aws",
        instance=instance,
        region=region,
        zone="",
        accelerator=slug,
        count=count,
        option="capacity_block",
        amount=value,
        currency="USD",
        date=day,
        source=source,
        confidence="derived" if multiplied else "repo",
    )
