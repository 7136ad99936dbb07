"""AWS Spot Advisor: how often spot instances of a type are reclaimed in a region → facts, not prices.

The feed gives a bucket (`r`, an index into `ranges`) and a saving in whole percent (`s`). The saving is too coarse to
be a price and is not read. A bucket becomes the middle of its range; the last one, open above, becomes 30 %.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from catalog.aliases import accelerator_slug
from catalog.importers.outcome import ImportFault, Outcome
from catalog.records import Record, Value

OPEN_BUCKET = 30.0
"""Percent a month where the feed says only “more than 20 %”."""
KIND, FIELD = "spot", "interruption_per_month"


def read_spot_advisor(path: Path, *, day: date, source: str = "spotinfo") -> tuple[Outcome, list[Record]]:
    """What was read, and one record for each region and accelerator machine. ImportFault when it is not this feed."""
    try:
        feed = json.loads(path.read_text(encoding="utf-8-sig"))
        shares = _shares(feed["ranges"])
        regions: dict[str, Any] = feed["spot_advisor"]
        lines = [line for region in sorted(regions) for line in _lines(region, regions[region])]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ImportFault(f"{path.name} is not a spot advisor file: {error!r}.") from error
    outcome, found = Outcome(), []
    for number, (region, instance, entry) in enumerate(lines, start=1):
        outcome.lines += 1
        try:
            found.append(_record(region, instance, _bucket(entry, shares), day=day, source=source))
            outcome.priced += 1
        except LookupError:
            outcome.skipped["The instance type has no accelerator of the catalog."] += 1
        except ValueError as error:
            outcome.refuse(number, str(error), f"{region} {instance} {entry}")
    return outcome, found


def _lines(region: str, systems: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Linux only: no plan runs on Windows."""
    for instance, entry in sorted(systems.get("Linux", {}).items()):
        yield region, instance, entry


def _shares(ranges: list[dict[str, Any]]) -> dict[int, float]:
    """Percent a month by bucket; the upper ends are the feed's own (5, 11, 16, 22, 100)."""
    ordered = sorted(ranges, key=lambda one: int(one["index"]))
    tops = [float(one["max"]) for one in ordered]
    middles = [(low + high) / 2 for low, high in zip([0.0, *tops], tops, strict=False)]
    return {int(one["index"]): middle for one, middle in zip(ordered, [*middles[:-1], OPEN_BUCKET], strict=True)}


def _bucket(entry: Any, shares: dict[int, float]) -> float:
    index = entry.get("r") if isinstance(entry, dict) else None
    if not isinstance(index, int) or isinstance(index, bool) or index not in shares:
        raise ValueError("The bucket of interruptions is missing or unknown.")
    return shares[index]


def _record(region: str, instance: str, percent: float, *, day: date, source: str) -> Record:
    if accelerator_slug("", provider="aws", instance=instance) is None:
        raise LookupError(instance)
    value = Value(
        text=f"{percent:g}", unit="%", dimension="share", source=source, date=day.isoformat(), confidence="repo"
    )
    return Record(kind=KIND, slug=f"aws/{instance}/{region}", values={FIELD: value})
