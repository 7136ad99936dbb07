"""On-demand price lists that karpenter's AWS and Azure providers generate: instance type, region, price, time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from catalog.aliases import accelerator_slug, corrected_count
from catalog.importers.outcome import ImportFault, Outcome, Refusal, amount, csv_lines, without_outliers
from catalog.records import PriceRow

_NAMES = {"aws": "InstanceType", "azure": "ArmSkuName"}


@dataclass(frozen=True, slots=True)
class _Context:
    provider: str
    source: str


def read_karpenter(
    path: Path, provider: str, *, source: str = "", reference: Mapping[str, Decimal] | None = None
) -> Outcome:
    """Prices and refusals of that file, each dated by its own time stamp. ImportFault when it is not of this format."""
    if provider not in _NAMES:
        raise ImportFault(f"“{provider}” is not one of {', '.join(_NAMES)}.")
    needed = (_NAMES[provider], "Region", "OnDemandUSDPerHour", "GeneratedAt")
    outcome = Outcome()
    seen: set[tuple[str, str]] = set()
    context = _Context(provider, source or f"karpenter-{provider}")
    for number, line in csv_lines(path, *needed, about="a karpenter price list"):
        outcome.lines += 1
        _take(number, [line[name] for name in needed], context, outcome, seen)
    return without_outliers(outcome, reference)


def _take(number: int, cells: list[str], context: _Context, outcome: Outcome, seen: set[tuple[str, str]]) -> None:
    instance, region, price, stamp = cells
    if (instance, region) in seen:
        outcome.duplicates += 1
        return
    seen.add((instance, region))
    try:
        outcome.rows.append(_row(instance, region, price, _day(stamp), context))
    except ValueError as error:
        outcome.refused.append(Refusal(line=number, reason=str(error), text=f"{instance} {region} {price}"[:200]))
        return
    outcome.priced += 1


def _row(instance: str, region: str, price: str, day: date, context: _Context) -> PriceRow:
    slug = accelerator_slug("", provider=context.provider, instance=instance)
    count = corrected_count(context.provider, instance)
    if not slug or not count:
        raise ValueError("The instance type has no accelerator of the catalog.")
    if "gov" in region:
        raise ValueError("Government regions are not offered to everyone.")
    value = amount(price)
    if value is None:
        raise ValueError("The line has no price.")
    return PriceRow(
        provider=context.provider,
        instance=instance,
        region=region,
        zone="",
        accelerator=slug,
        count=count,
        option="on_demand",
        amount=value,
        currency="USD",
        date=day,
        source=context.source,
    )


def _day(stamp: str) -> date:
    try:
        return datetime.fromisoformat(stamp.replace("Z", "+00:00")).date()
    except ValueError as error:
        raise ValueError("The time of the price is not a date.") from error
