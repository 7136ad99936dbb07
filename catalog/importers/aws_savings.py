"""AWS's price list of savings plans, one region as CSV: what an hour of a machine costs under a plan of one or three years.

Only plans without payment in advance are read, and of those for one machine the plan of its family before the one for
all compute, which costs more. The price of an hour on demand stands in another file (`aws_bulk`).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from catalog.aliases import accelerator_slug, corrected_count
from catalog.importers.aws_bulk import publication
from catalog.importers.outcome import ImportFault, Outcome, amount, without_outliers
from catalog.progress import tell_read
from catalog.records import PriceRow

_NEEDED = (
    "Unit", "EffectiveDate", "DiscountedRate", "Currency", "DiscountedServiceCode", "DiscountedUsageType",
    "DiscountedOperation", "PurchaseOption", "LeaseContractLength", "LeaseContractLengthUnit", "Product Family",
    "DiscountedRegionCode", "DiscountedInstanceType",
)  # fmt: skip
_TERMS = {("1", "year"): "commit_1y", ("3", "year"): "commit_3y"}
_OF_FAMILY = "EC2InstanceSavingsPlans"


def address_of(path: Path, region: str) -> str:
    """Where the list of that region is, out of the index of all regions. ImportFault when it names none."""
    try:
        regions = json.loads(path.read_text(encoding="utf-8-sig"))["regions"]
        found = next(str(one["versionUrl"]) for one in regions if one["regionCode"] == region)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, StopIteration) as error:
        raise ImportFault(f"The index of AWS's savings plans names no list of {region}.") from error
    return found.removesuffix(".json") + ".csv"


def read_aws_savings(
    path: Path, *, source: str = "aws-savings", reference: Mapping[str, Decimal] | None = None
) -> Outcome:
    """Prices and refusals of that file, observed on its own publication date. ImportFault when it is another file."""
    outcome, seen, whole = Outcome(), set[PriceRow](), dict[PriceRow, str]()
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            day = publication(stream, path.name)
            for number, line in _lines(csv.DictReader(stream), path.name):
                outcome.lines += 1
                tell_read(number, stream, path)
                _take(number, line, outcome, seen, whole, base=(day, source))
    except (csv.Error, UnicodeDecodeError) as error:
        raise ImportFault(f"{path.name} is not a CSV file in UTF-8: {error}.") from error
    return without_outliers(_settled(outcome, whole), reference)


def _lines(reader: csv.DictReader[str], name: str) -> Iterator[tuple[int, dict[str, str]]]:
    for column in _NEEDED:
        if column not in (reader.fieldnames or ()):
            raise ImportFault(f"{name} lacks the column {column}; is it a price list of savings plans as CSV?")
    for line in reader:
        yield reader.line_num, {column: line[column] or "" for column in _NEEDED}


def _take(
    number: int,
    line: Mapping[str, str],
    outcome: Outcome,
    seen: set[PriceRow],
    whole: dict[PriceRow, str],
    *,
    base: tuple[date, str],
) -> None:
    if (about := _not_ours(line)) is not None:
        outcome.skipped[about] += 1
        return
    try:
        row = _row(line, base)
    except ValueError as error:
        said = " ".join(line[name] for name in ("DiscountedInstanceType", "DiscountedRegionCode", "DiscountedRate"))
        outcome.refuse(number, str(error), said)
        return
    outcome.take(row, seen)
    whole[row] = line["Product Family"]


def _not_ours(line: Mapping[str, str]) -> str | None:
    """Why the line is about something that no plan buys, or None."""
    if line["DiscountedServiceCode"] != "AmazonEC2":
        return "The rate is of another service."
    if accelerator_slug("", provider="aws", instance=line["DiscountedInstanceType"]) is None:
        return "The line is about no accelerator of the catalog."
    if line["DiscountedOperation"] != "RunInstances":
        return "The price holds software that no plan needs."
    if not _shared(line["DiscountedUsageType"]):
        return "Dedicated tenancy, or capacity that is not used."
    if line["PurchaseOption"] != "No Upfront":
        return "Paid upfront; a plan reckons with none."
    return None


def _shared(usage: str) -> bool:
    """Is the usage that of a machine like everybody's? “BoxUsage:p5.48xlarge”, elsewhere with the region before it."""
    return usage.partition(":")[0].rpartition("-")[2] == "BoxUsage"


def _row(line: Mapping[str, str], base: tuple[date, str]) -> PriceRow:
    (day, source), instance = base, line["DiscountedInstanceType"]
    option = _TERMS.get((line["LeaseContractLength"], line["LeaseContractLengthUnit"]))
    value, count = amount(line["DiscountedRate"]), corrected_count("aws", instance)
    if line["Unit"] != "Hrs" or line["Currency"] != "USD":
        raise ValueError("The price is not per hour in US dollars.")
    if option is None:
        raise ValueError("The term is neither one nor three years.")
    if value is None or not count or not line["DiscountedRegionCode"]:
        raise ValueError("The line has no price, no region, or no number of accelerators.")
    return PriceRow(
        provider="aws",
        instance=instance,
        region=line["DiscountedRegionCode"],
        zone="",
        accelerator=accelerator_slug("", provider="aws", instance=instance) or "",
        count=count,
        option=option,
        amount=value,
        currency="USD",
        date=day,
        source=source,
        valid_from=_start(line["EffectiveDate"]),
    )


def _start(text: str) -> date | None:
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00")).date()
    except ValueError:
        return None


def _settled(outcome: Outcome, whole: Mapping[PriceRow, str]) -> Outcome:
    """One price for each machine, region and term: that of the plan of its family, of two the lower."""
    chosen: dict[tuple[str, str, str], PriceRow] = {}
    for row in sorted(outcome.rows, key=lambda row: (whole[row] != _OF_FAMILY, row.amount)):
        if chosen.setdefault((row.instance, row.region, row.option), row) is not row:
            outcome.drop(
                0,
                "A plan of the machine's own family stands in its place.",
                f"{row.instance} {row.region} {row.amount}",
            )
    kept = set(chosen.values())
    outcome.rows = [row for row in outcome.rows if row in kept]
    return outcome
