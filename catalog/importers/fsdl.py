"""The Full Stack's tables of GPU clouds (`cloud-gpus.csv`, `serverless-gpus.csv`).

They name no region, so a price stands for the provider's list price at an unstated place. `GPU RAM` is the total of
the machine, and `Per-GPU` is rounded: the price of the whole machine is what counts, and the two must agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path

from catalog.aliases import accelerator_slug
from catalog.importers.outcome import Outcome, amount, csv_lines, side, spot_fault, without_outliers
from catalog.records import PriceRow

UNSTATED = "unstated"
"""Region of a price whose list names none."""
_BOTH = ("GPU Type", "GPUs", "Per-GPU")
"""Columns that both tables have."""
_SIZE = re.compile(r"\((\d+) ?GB\)")
_NOISE = re.compile(r"\bnvidia\b|\bhgx\b", re.IGNORECASE)
_PLAIN_40_80 = {("A100", "40"): "a100-sxm4-40", ("A100", "80"): "a100-sxm4-80"}
_ROUNDING = Decimal("0.02")
_SLUGS = {"google cloud": "gcp", "gcp": "gcp", "lambda labs": "lambda", "oracle cloud": "oci"}


def read_fsdl(
    path: Path, *, day: date, source: str = "fsdl", reference: Mapping[str, Decimal] | None = None
) -> Outcome:
    """Prices and refusals of that table as of that day. ImportFault when it is neither of the two tables."""
    outcome, seen = Outcome(), set[tuple[str, ...]]()
    for number, line in csv_lines(path, *_BOTH, about="cloud-gpus.csv or serverless-gpus.csv"):
        outcome.lines += 1
        if (key := tuple(line.values())) in seen:
            outcome.duplicates += 1
            continue
        seen.add(key)
        _take(number, line, outcome, day=day, source=source)
    return without_outliers(outcome, reference)


def _take(number: int, line: dict[str, str], outcome: Outcome, *, day: date, source: str) -> None:
    text = " ".join(value for value in line.values() if value)
    try:
        base, spot = _row(line, day=day, source=source), amount(line.get("Spot", ""))
    except ValueError as error:
        outcome.refuse(number, str(error), text)
        return
    outcome.priced += 1
    outcome.rows.append(base)
    if fault := spot_fault(base.amount, spot):
        outcome.drop(number, fault, text)
    elif spot is not None:
        outcome.rows.append(replace(base, option="spot", amount=spot))


def _row(line: dict[str, str], *, day: date, source: str) -> PriceRow:
    owner = line.get("Cloud") or line.get("Vendor") or ""
    slug, count = _accelerator(line["GPU Type"]), _number(line["GPUs"])
    price = amount(line.get("On-demand") or line.get("Per-Hour") or "")
    if price is None:
        raise ValueError("The line has no price.")
    each = amount(line["Per-GPU"])
    if each is not None and abs(price / count - each) > max(_ROUNDING, each * _ROUNDING):
        raise ValueError("The price per GPU does not fit the price of the machine and its number of GPUs.")
    return PriceRow(
        provider=_SLUGS.get(owner.lower(), re.sub(r"[^a-z0-9]+", "-", owner.lower()).strip("-"))[:40],
        instance=(line.get("Name") or f"{count}x {line['GPU Type']}")[:120],
        region=UNSTATED,
        zone="",
        accelerator=slug,
        count=count,
        option="on_demand",
        amount=price,
        currency="USD",
        date=day,
        source=source,
        vcpus=side(line.get("vCPUs", "")),
        memory_gib=side(line.get("RAM", "")),
    )


def _accelerator(name: str) -> str:
    """`A100 (80 GB)`: the size tells variants of one name apart."""
    size = _SIZE.search(name)
    plain = " ".join(_NOISE.sub("", _SIZE.sub("", name)).split())
    slug = _PLAIN_40_80.get((plain, size[1] if size else ""))
    slug = slug or (accelerator_slug(f"{plain} {size[1]}GB") if size else None) or accelerator_slug(plain)
    if slug is None:
        raise ValueError(f"The accelerator “{name[:60]}” is not in the catalog.")
    return slug


def _number(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise ValueError("The number of GPUs is missing or not a number.") from error
    if not value.is_finite() or not 0 < value <= 1000:
        raise ValueError("The number of GPUs is not between 0 and 1,000.")
    return value
