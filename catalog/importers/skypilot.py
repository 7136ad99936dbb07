"""SkyPilot catalog files (`vms.csv`, schema v6–v8) of AWS, Azure, Google Cloud, OCI, Lambda, Nebius, RunPod and others (`PROVIDERS`).

Column order differs by cloud, so columns are read by name. GpuInfo is a Python literal, not JSON, and its memory is
total, per device or marketing GB by turns: the count and our own accelerator table decide, GpuInfo only tells
variants of one name apart. Google prices a machine as host + accelerators and is in `skypilot_gcp`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from catalog.aliases import accelerator_slug, corrected_count
from catalog.importers.outcome import (
    ImportFault,
    Outcome,
    Refusal,
    amount,
    csv_lines,
    side,
    spot_fault,
    without_outliers,
)
from catalog.importers.skypilot_gcp import assemble
from catalog.records import PriceRow

PROVIDERS = ("aws", "azure", "gcp", "jarvislabs", "lambda", "nebius", "oci", "runpod", "verda")
"""Others have files there that nothing renews (Hyperstack, Spheron, Yotta), so that the day of a fetch is not that of their prices, or that
tell what hosts of a marketplace ask (Vast, Shadeform), which is no list price."""
_NEEDED = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "SpotPrice", "Region")
_TOO_LONG = 4000
"""A cell longer than this is not a price file's."""


@dataclass(frozen=True, slots=True)
class _Context:
    """What is true of every row of one file."""

    provider: str
    day: date
    source: str


def read_skypilot(
    path: Path, provider: str, *, day: date, source: str = "", reference: Mapping[str, Decimal] | None = None
) -> Outcome:
    """Prices and refusals of that file as observed on that day. ImportFault when the file is not of this format."""
    if provider not in PROVIDERS:
        raise ImportFault(f"“{provider}” is not one of {', '.join(PROVIDERS)}.")
    context = _Context(provider, day, source or f"skypilot-{provider}")
    outcome, seen = Outcome(), set[bytes]()
    lines: Iterable[tuple[int, dict[str, str]]] = _counted(
        csv_lines(path, *_NEEDED, about="a SkyPilot vms.csv"), outcome
    )
    if provider == "gcp":
        lines = assemble(list(lines), outcome)
    for number, line in lines:
        _take(number, line, context, outcome=outcome, seen=seen)
    if provider == "oci":
        outcome.rows = _one_price_everywhere(outcome.rows)
    return without_outliers(outcome, reference)


def _counted(lines: Iterable[tuple[int, dict[str, str]]], outcome: Outcome) -> Iterator[tuple[int, dict[str, str]]]:
    for line in lines:
        outcome.lines += 1
        yield line


def _one_price_everywhere(rows: list[PriceRow]) -> list[PriceRow]:
    """OCI has one price for the world, and its file repeats it: a region after the first is derived, not observed."""
    seen: dict[tuple[str, str, Decimal], str] = {}
    return [
        row
        if seen.setdefault((row.instance, row.option, row.amount), row.region) == row.region
        else replace(row, confidence="derived")
        for row in rows
    ]


def _take(number: int, line: dict[str, str], context: _Context, *, outcome: Outcome, seen: set[bytes]) -> None:
    """Put that line's prices, or the reason against them, into the outcome."""
    key = blake2b("\x1f".join(line.values()).encode(), digest_size=16).digest()
    if key in seen:
        outcome.duplicates += 1
        return
    seen.add(key)
    try:
        found, dropped = _rows(line, context)
    except ValueError as error:
        outcome.refused.append(Refusal(line=number, reason=str(error), text=_shown(line)))
        return
    outcome.priced += 1
    outcome.rows += found
    outcome.dropped += [Refusal(line=number, reason=reason, text=_shown(line)) for reason in dropped]


def _shown(line: dict[str, str]) -> str:
    return " ".join(
        filter(None, (line.get("InstanceType"), line.get("AcceleratorName"), line.get("Region"), line.get("Price")))
    )[:200]


def _rows(line: dict[str, str], context: _Context) -> tuple[list[PriceRow], list[str]]:
    """On-demand and spot rows of one line, and why one of them was left out. ValueError says why there is none."""
    machine = _machine(line, context)
    on_demand, spot = amount(line["Price"]), amount(line["SpotPrice"])
    if on_demand is None and spot is None:
        raise ValueError("The line has neither an on-demand nor a spot price.")
    fault = spot_fault(on_demand, spot)
    if fault is None and on_demand is not None and spot is not None:
        spot = min(spot, on_demand)
    rows = [PriceRow(**machine, option="on_demand", amount=on_demand)] if on_demand is not None else []
    if spot is not None and fault is None:
        rows.append(PriceRow(**machine, option="spot", amount=spot))
    return rows, [fault] if fault else []


def _machine(line: dict[str, str], context: _Context) -> dict[str, Any]:
    """The fields that all prices of one line share. ValueError says what is missing."""
    name, instance = line["AcceleratorName"], line["InstanceType"] or line["AcceleratorName"]
    if max(map(len, line.values())) > _TOO_LONG:
        raise ValueError("A cell is longer than any price file's.")
    slug, chips = tpu_slice(name) if name.lower().startswith("tpu-") else (None, None)
    slug = slug or accelerator_slug(
        name, provider=context.provider, instance=instance, memory_gib=_memory_gib(line.get("GpuInfo", ""))
    )
    if not slug:
        raise ValueError(
            f"The accelerator “{name[:60]}” is not in the catalog." if name else "The line names no accelerator."
        )
    count = chips or corrected_count(context.provider, instance) or _count(line["AcceleratorCount"])
    if not line["Region"]:
        raise ValueError("The line has no region.")
    return {
        "provider": context.provider,
        "instance": instance,
        "region": line["Region"],
        "zone": line.get("AvailabilityZone", ""),
        "accelerator": slug,
        "count": count,
        "currency": "USD",
        "date": context.day,
        "source": context.source,
        "vcpus": side(line.get("vCPUs", "")),
        "memory_gib": side(line.get("MemoryGiB", "")),
        "confidence": line.get("confidence", "repo"),
    }


def tpu_slice(name: str) -> tuple[str | None, Decimal]:
    """Slug and chips of a slice such as `tpu-v5p-1024`: v2 to v5p count two cores a chip, v5e and v6e count chips."""
    parts = name.lower().split("-")
    if len(parts) != 3 or not parts[2].isdigit() or int(parts[2]) == 0:
        raise ValueError(f"“{name[:60]}” is not the name of a TPU slice.")
    cores_per_chip = 2 if parts[1] in ("v2", "v3", "v4", "v5p") else 1
    return accelerator_slug(f"tpu-{parts[1]}"), Decimal(int(parts[2])) / cores_per_chip


@lru_cache(maxsize=1024)
def _count(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise ValueError("The accelerator count is missing or not a number.") from error
    if not value.is_finite() or not 0 < value <= 100_000:
        raise ValueError("The accelerator count is not between 0 and 100,000.")
    return value


@lru_cache(maxsize=1024)
def _memory_gib(info: str) -> float:
    """Memory of one device in GiB as GpuInfo has it, 0 where it has none. RunPod writes GB into SizeInMiB."""
    if not info.startswith("{"):
        return 0.0
    try:
        size = float(ast.literal_eval(info)["Gpus"][0]["MemoryInfo"]["SizeInMiB"])
    except (ValueError, SyntaxError, KeyError, IndexError, TypeError, MemoryError, RecursionError):
        return 0.0
    return size if size < 1000 else size / 1024
