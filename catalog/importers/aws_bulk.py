"""AWS bulk price list of EC2 (`index.csv` of one region or of all): on-demand and reserved instances.

Five lines of preamble come before the header. The file is read line by line, because the one of all regions has
several gigabytes; nearly all lines are about other machines and are only counted. The hours of a capacity block stand
in it at 0 dollars, since they are paid when the block is booked: only `MarketOption` tells them from hours on demand.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO

from catalog.aliases import accelerator_slug, corrected_count
from catalog.importers.outcome import ImportFault, Outcome, amount, side, without_outliers
from catalog.progress import tell_read
from catalog.records import PriceRow

_PREAMBLE = ("FormatVersion", "Disclaimer", "Publication Date", "Version", "OfferCode")
_COLUMNS = (
    "TermType",
    "EffectiveDate",
    "Unit",
    "PricePerUnit",
    "Currency",
    "LeaseContractLength",
    "PurchaseOption",
    "OfferingClass",
    "Instance Type",
    "Tenancy",
    "Operating System",
    "CapacityStatus",
    "Pre Installed S/W",
    "Region Code",
    "MarketOption",
    "vCPU",
    "Memory",
)
_OPTIONAL = {"MarketOption", "vCPU", "Memory", "EffectiveDate"}
_TERMS = {"1yr": "commit_1y", "3yr": "commit_3y"}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Context:
    day: date
    source: str


def read_aws_bulk(path: Path, *, source: str = "aws-bulk", reference: Mapping[str, Decimal] | None = None) -> Outcome:
    """Prices and refusals of that file, observed on its own publication date. ImportFault when it is another file."""
    outcome, seen = Outcome(), set[PriceRow]()
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            context = _Context(day=publication(stream, path.name), source=source)
            for number, line in _lines(stream, path.name):
                outcome.lines += 1
                tell_read(number, stream, path)
                _take(number, line, context, outcome=outcome, seen=seen)
    except (csv.Error, UnicodeDecodeError) as error:
        raise ImportFault(f"{path.name} is not a CSV file in UTF-8: {error}.") from error
    return without_outliers(outcome, reference)


def publication(stream: IO[str], name: str) -> date:
    """The date in the preamble, which this reads off."""
    preamble = [next(csv.reader([stream.readline(4096)]), []) for _ in _PREAMBLE]
    if tuple(line[0] if line else "" for line in preamble) != _PREAMBLE:
        raise ImportFault(f"{name} does not begin with the five lines of an AWS price list ({', '.join(_PREAMBLE)}).")
    try:
        return datetime.fromisoformat(preamble[2][1].replace("Z", "+00:00")).date()
    except (IndexError, ValueError) as error:
        raise ImportFault(f"{name} has no publication date in its third line.") from error


def _lines(stream: IO[str], name: str) -> Iterator[tuple[int, dict[str, str]]]:
    reader = csv.reader(stream)
    header = next(reader, [])
    places = {column: header.index(column) for column in _COLUMNS if column in header}
    if missing := [column for column in _COLUMNS if column not in places and column not in _OPTIONAL]:
        raise ImportFault(f"{name} lacks the column {missing[0]}; is it the EC2 price list as CSV?")
    for cells in reader:
        if cells:
            yield (
                reader.line_num + len(_PREAMBLE),
                {column: cells[place] if place < len(cells) else "" for column, place in places.items()},
            )


def _take(number: int, line: dict[str, str], context: _Context, *, outcome: Outcome, seen: set[PriceRow]) -> None:
    if (about := _not_ours(line)) is not None:
        outcome.skipped[about] += 1
        return
    try:
        row = _row(line, context)
    except ValueError as error:
        text = " ".join(line[name] for name in ("Instance Type", "Region Code", "TermType", "PricePerUnit"))
        outcome.refuse(number, str(error), text)
        return
    outcome.take(row, seen)


def _not_ours(line: Mapping[str, str]) -> str | None:
    """Why the line is about something that no plan buys, or None."""
    if accelerator_slug("", provider="aws", instance=line["Instance Type"]) is None:
        return "The line is about no accelerator of the catalog."
    if line["Operating System"] != "Linux" or line["Pre Installed S/W"] not in ("", "NA"):
        return "The price holds software that no plan needs."
    if line["Tenancy"] != "Shared":
        return "Dedicated tenancy."
    if line.get("MarketOption") == "CapacityBlock" and _is_zero(line["PricePerUnit"]):
        return "The hours of a capacity block, which were paid when it was booked."
    if line["CapacityStatus"] not in ("", "Used"):
        return "Reserved capacity that is not used, or its surcharge."
    if line["TermType"] == "Reserved" and (
        line["OfferingClass"] != "standard" or line["PurchaseOption"] != "No Upfront"
    ):
        return "Convertible, or paid upfront; a plan reckons with standard and no upfront."
    return None


def _is_zero(text: str) -> bool:
    return bool(text) and not text.strip("0.")


def _row(line: Mapping[str, str], context: _Context) -> PriceRow:
    instance, region = line["Instance Type"], line["Region Code"]
    if line["Unit"] != "Hrs":
        raise ValueError("The price is not per hour.")
    if line["Currency"] != "USD" or region.startswith("cn-"):
        raise ValueError("China is a cloud of its own, in CNY.")
    if "gov" in region:
        raise ValueError("Government regions are not offered to everyone.")
    if not region:
        raise ValueError("The line has no region.")
    value, count = amount(line["PricePerUnit"]), corrected_count("aws", instance)
    if value is None or not count:
        raise ValueError("The line has no price, or the number of accelerators is not known.")
    return PriceRow(
        provider="aws",
        instance=instance,
        region=region,
        zone="",
        accelerator=accelerator_slug("", provider="aws", instance=instance) or "",
        count=count,
        option=_option(line),
        amount=value,
        currency="USD",
        date=context.day,
        source=context.source,
        vcpus=side(line.get("vCPU", "")),
        memory_gib=side(line.get("Memory", "").removesuffix(" GiB")),
        valid_from=_start(line.get("EffectiveDate", ""), context.day),
    )


def _option(line: Mapping[str, str]) -> str:
    if line["TermType"] == "Reserved":
        if line["LeaseContractLength"] not in _TERMS:
            raise ValueError("The term is neither one nor three years.")
        return _TERMS[line["LeaseContractLength"]]
    if line["TermType"] != "OnDemand":
        raise ValueError("The line is neither on-demand nor reserved.")
    return "capacity_block" if line.get("MarketOption") == "CapacityBlock" else "on_demand"


def _start(text: str, day: date) -> date | None:
    try:
        start = date.fromisoformat(text)
    except ValueError:
        return None
    if start > day:
        raise ValueError("The price starts in the future.")
    return start
