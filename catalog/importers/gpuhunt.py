"""gpuhunt: one CSV per provider (v3), and its table of TPU prices per chip-hour (JSON).

A row with the flag of Google's calendar mode is a capacity block, not on-demand. Rows with count 0 are plain
machines. The place of Google's rows is a zone. A part of an accelerator is told as one with less memory (an eighth of an
RTX PRO 6000 as “1” with 12 GB), and accelerators of one name by their memory only (A100 with 40 or 80 GB). The CSV
carries no date: it is as old as the file, so the day is given.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from pathlib import Path
from typing import Any

from catalog.aliases import accelerator_slug, corrected_count
from catalog.facts import load
from catalog.importers.outcome import ImportFault, Outcome, amount, csv_lines, side, spot_fault, without_outliers
from catalog.records import PriceRow

_NEEDED = ("instance_name", "location", "price", "gpu_count", "gpu_name", "gpu_memory", "spot")
_PROVIDERS = {"lambdalabs": "lambda", "datacrunch": "verda", "vastai": "vast"}
_ZONE = re.compile(r"(.+\d)-[a-z]")
_PARTS = (1, 2, 3, 4, 6, 8)
"""Into how many parts sellers divide an accelerator."""
_NEAR = Decimal("0.09")
"""Memory is told in GB or GiB, and less what the card keeps for itself."""
_TPU_HOSTS = {
    "TPU v4": ("ct4p-hightpu-4t", 4),
    "TPU v5e": ("ct5lp-hightpu-8t", 8),
    "TPU v5p": ("ct5p-hightpu-4t", 4),
    "TPU v6e": ("ct6e-standard-8t", 8),
}
"""The machine of one host and its chips; older generations are not in the catalog."""


def read_gpuhunt(
    path: Path, provider: str, *, day: date, source: str = "gpuhunt", reference: Mapping[str, Decimal] | None = None
) -> Outcome:
    """Prices and refusals of one provider's CSV. ImportFault when the file is not of this format."""
    owner, outcome, seen = _PROVIDERS.get(provider, provider), Outcome(), set[tuple[str, ...]]()
    for number, line in csv_lines(path, *_NEEDED, about="a gpuhunt catalog (v3)"):
        outcome.lines += 1
        if (key := tuple(line.values())) in seen:
            outcome.duplicates += 1
            continue
        seen.add(key)
        _take(number, line, outcome, base=(owner, day, source))
    return without_outliers(_checked_spot(outcome), reference)


def _take(number: int, line: dict[str, str], outcome: Outcome, *, base: tuple[str, date, str]) -> None:
    if (about := _not_ours(line)) is not None:
        outcome.skipped[about] += 1
        return
    try:
        outcome.rows.append(_row(line, base))
    except ValueError as error:
        outcome.refuse(number, str(error), " ".join(line[name] for name in _NEEDED))
        return
    outcome.priced += 1


def _not_ours(line: dict[str, str]) -> str | None:
    """Why the line is about something else, or None."""
    if line["gpu_count"] in ("", "0") or not line["gpu_name"]:
        return "The machine has no accelerator."
    if "edgegpu" in line["instance_name"].lower():
        return "The machine stands on a customer's own site."
    if line.get("gpu_vendor", "").lower() == "google" or line["gpu_name"].lower().startswith("tpu-"):
        return "TPU prices are read from gpuhunt's table of them."
    return None


def _row(line: dict[str, str], base: tuple[str, date, str]) -> PriceRow:
    provider, day, source = base
    price = amount(line["price"])
    if price is None:
        raise ValueError("The line has no price.")
    if not line["location"]:
        raise ValueError("The line has no region.")
    slug, count = _accelerators(line, provider)
    zone = _ZONE.fullmatch(line["location"]) if provider == "gcp" else None
    return PriceRow(
        provider=provider,
        instance=line["instance_name"] or line["gpu_name"],
        region=zone[1] if zone else line["location"],
        zone=line["location"] if zone else "",
        accelerator=slug,
        count=count,
        option=_option(line),
        amount=price,
        currency="USD",
        date=day,
        source=source,
        vcpus=side(line.get("cpu", "")),
        memory_gib=side(line.get("memory", "")),
    )


def _accelerators(line: dict[str, str], provider: str) -> tuple[str, Decimal]:
    """Which accelerator and how many of it, a part of one below 1. ValueError when name and memory contradict each other."""
    name, instance = line["gpu_name"], line["instance_name"]
    if known := corrected_count(provider, instance):
        return accelerator_slug(name, provider=provider, instance=instance) or "", known
    memory = _decimal(line["gpu_memory"], "memory")
    slug = accelerator_slug(f"{name}{memory.normalize():f}GB", provider=provider, instance=instance)
    slug = slug or accelerator_slug(name, provider=provider, instance=instance, memory_gib=float(memory))
    if slug is None:
        raise ValueError(f"The accelerator “{name[:60]}” is not in the catalog.")
    whole = memory / _memory_of(slug)
    parts = next((parts for parts in _PARTS if abs(whole * parts - 1) <= _NEAR), None)
    if parts is None or (parts > 1 and _others(name, memory) - {slug}):
        raise ValueError(f"The accelerator “{name[:60]}” does not have {memory.normalize():f} GB.")
    return slug, _decimal(line["gpu_count"], "accelerator count") / parts


def _others(name: str, memory: Decimal) -> set[str]:
    """Accelerators of that name of which so much memory would be a part."""
    found = (accelerator_slug(f"{name}{(memory * parts).normalize():f}GB") for parts in _PARTS)
    return {slug for slug in found if slug}


@cache
def _memory_of(slug: str) -> Decimal:
    """Memory of that accelerator of the catalog, in GiB."""
    found = next(record for record in load().of("accelerator") if record.slug == slug)
    return Decimal(str(found.number("memory_bytes"))) / 2**30


def _option(line: dict[str, str]) -> str:
    if "dws-calendar" in line.get("flags", "").lower():
        return "capacity_block"
    if line["spot"].lower() not in ("true", "false"):
        raise ValueError("The column spot must be True or False.")
    return "spot" if line["spot"].lower() == "true" else "on_demand"


def _decimal(text: str, what: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise ValueError(f"The {what} is missing or not a number.") from error
    if not value.is_finite() or not 0 < value <= 100_000:
        raise ValueError(f"The {what} is not between 0 and 100,000.")
    return value


def _checked_spot(outcome: Outcome) -> Outcome:
    """The outcome without spot prices above the on-demand price of the same machine and region."""
    usual = {(row.instance, row.region): row.amount for row in outcome.rows if row.option == "on_demand"}
    kept = []
    for row in outcome.rows:
        fault = spot_fault(usual.get((row.instance, row.region)), row.amount) if row.option == "spot" else None
        if fault:
            outcome.drop(0, fault, f"{row.instance} {row.region} {row.amount}")
        else:
            kept.append(row)
    outcome.rows = kept
    return outcome


def read_gpuhunt_tpu(
    path: Path, *, day: date, source: str = "gpuhunt", reference: Mapping[str, Decimal] | None = None
) -> Outcome:
    """TPU prices per chip-hour as the price of one host. ImportFault when the file is not this table."""
    outcome = Outcome()
    try:
        lines = list(_tpu_lines(json.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)))
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise ImportFault(f"{path.name} is not gpuhunt's table of TPU prices: {error!r}.") from error
    for number, (name, region, entry) in enumerate(lines, start=1):
        outcome.lines += 1
        _take_tpu(number, (name, region, entry), outcome, day=day, source=source)
    return without_outliers(outcome, reference)


def _tpu_lines(table: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name, regions in table.items():
        for region, entry in regions.items():
            yield name, region, entry


def _take_tpu(number: int, line: tuple[str, str, dict[str, Any]], outcome: Outcome, *, day: date, source: str) -> None:
    name, region, entry = line
    text = f"{name} {region} {entry}"
    if name not in _TPU_HOSTS:
        outcome.skipped["The TPU generation is not in the catalog."] += 1
        return
    try:
        on_demand, spot = (amount(str(entry.get(f"{kind} (USD)") or "")) for kind in ("On Demand", "Spot"))
    except ValueError as error:
        outcome.refuse(number, str(error), text)
        return
    if on_demand is None and spot is None:
        outcome.refuse(number, "The line has neither an on-demand nor a spot price.", text)
        return
    outcome.priced += 1
    if fault := spot_fault(on_demand, spot):
        outcome.drop(number, fault, text)
        spot = None
    outcome.rows += _tpu_rows(name, region, {"on_demand": on_demand, "spot": spot}, day=day, source=source)


def _tpu_rows(
    name: str, region: str, prices: Mapping[str, Decimal | None], *, day: date, source: str
) -> list[PriceRow]:
    instance, chips = _TPU_HOSTS[name]
    base = PriceRow(
        provider="gcp",
        instance=instance,
        region=region,
        zone="",
        accelerator=accelerator_slug(name.replace(" ", "-").lower()) or "",
        count=Decimal(chips),
        option="on_demand",
        amount=Decimal(1),
        currency="USD",
        date=day,
        source=source,
        confidence="derived",
    )
    return [replace(base, option=option, amount=each * chips) for option, each in prices.items() if each is not None]
