"""Azure Retail Prices API: pages of meters → on-demand, spot, reservation and savings-plan prices.

Traps: a reservation's price is for its whole term (divide by 8,760 or 26,280 hours), though its unit says “1 Hour”;
Windows, Cloud Services and Dev/Test meters carry the same machine name; “Low Priority” is another product than spot; a
meter may start in the future, have ended, or be priced per month; one price may stand on several pages. A machine has
up to thirteen meters in one region, three or four of which count (`tests/catalog/recorded`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from catalog.aliases import accelerator_slug, corrected_count
from catalog.importers.outcome import ImportFault, Outcome, amount, spot_fault, without_outliers
from catalog.progress import Stage, tell
from catalog.records import PriceRow

_TERM_HOURS = {"1 Year": ("commit_1y", 8_760), "3 Years": ("commit_3y", 26_280)}
_CENT = Decimal("0.00000001")
"""Eight decimals, as the database keeps."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Context:
    day: date
    source: str


def read_azure_retail(
    pages: Iterable[Path],
    *,
    day: date,
    source: str = "azure-retail",
    reference: Mapping[str, Decimal] | None = None,
) -> Outcome:
    """Prices and refusals of those pages as observed on that day. ImportFault when one is not a page of this API."""
    outcome, context = Outcome(), _Context(day=day, source=source)
    seen: set[PriceRow] = set()
    for number, item in _items(pages, outcome):
        _take(number, item, context, outcome=outcome, seen=seen)
    return without_outliers(_settled(outcome), reference)


def page_of(path: Path) -> tuple[list[Any], str]:
    """Items of one page and the address of the next (empty on the last). ImportFault when it is something else."""
    try:
        page = json.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
        items, after = page["Items"], page.get("NextPageLink") or ""
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ImportFault(f"{path.name} is not a page of the Azure Retail Prices API: {error!r}.") from error
    if not isinstance(items, list) or not isinstance(after, str):
        raise ImportFault(f"{path.name} is not a page of the Azure Retail Prices API: Items must be a list.")
    return items, after


def _items(pages: Iterable[Path], outcome: Outcome) -> Iterator[tuple[int, Any]]:
    paths = list(pages)
    for done, path in enumerate(paths):
        tell(Stage.READING, done, len(paths))
        for item in page_of(path)[0]:
            outcome.lines += 1
            yield outcome.lines, item


def _take(number: int, item: Any, context: _Context, *, outcome: Outcome, seen: set[PriceRow]) -> None:
    if not isinstance(item, dict):
        outcome.refuse(number, "The item is not an object.", str(item))
        return
    if (about := _not_ours(item, context.day)) is not None:
        outcome.skipped[about] += 1
        return
    text = f"{item.get('armSkuName')} {item.get('armRegionName')} {item.get('type')} {item.get('retailPrice')}"
    try:
        rows = _rows(number, item, context, outcome)
    except ValueError as error:
        outcome.refuse(number, str(error), text)
        return
    if all(row in seen for row in rows):
        outcome.duplicates += 1
        return
    outcome.priced += 1
    outcome.rows += [row for row in rows if row not in seen]
    seen.update(rows)


def _not_ours(item: Mapping[str, Any], day: date) -> str | None:
    """Why the meter is about something else, or None."""
    product = str(item.get("productName") or "")
    if item.get("serviceName") not in (None, "Virtual Machines"):
        return "The meter is of another service."
    if product.endswith((" Windows", " Win")) or "Cloud Services" in product or "CloudServices" in product:
        return "The meter is for Windows or Cloud Services."
    if "Dedicated" in product:
        return "The meter is of a dedicated host."
    if item.get("type") == "DevTestConsumption":
        return "The price holds for subscriptions of developers and testers only."
    if _kind(item, "Low Priority"):
        return "Low Priority is for batch pools only."
    if item.get("isPrimaryMeterRegion") is False:
        return "The meter repeats the one of its primary region."
    if accelerator_slug("", provider="azure", instance=str(item.get("armSkuName") or "").strip()) is None:
        return "The instance type has no accelerator of the catalog."
    if _ended(item, day):
        return "The meter has ended."
    return None


def _kind(item: Mapping[str, Any], words: str) -> bool:
    """Do the names of the meter end in those words? Pages write them with and without blanks before."""
    return any(str(item.get(name) or "").strip().endswith(words) for name in ("skuName", "meterName"))


def _ended(item: Mapping[str, Any], day: date) -> bool:
    try:
        end = datetime.fromisoformat(str(item.get("effectiveEndDate") or "").replace("Z", "+00:00")).date()
    except ValueError:
        return False
    return end <= day


def _rows(number: int, item: Mapping[str, Any], context: _Context, outcome: Outcome) -> list[PriceRow]:
    """The meter's own price, and those of its savings plans. ValueError says why there is none.

    A savings plan that cannot be read is left out with its reason; the meter's own price stays.
    """
    if item.get("type") == "Reservation":
        return [_reservation(item, context)]
    if item.get("type") != "Consumption":
        raise ValueError("The meter is neither consumption nor a reservation.")
    if str(item.get("unitOfMeasure")) != "1 Hour":
        raise ValueError("The meter is not priced per hour.")
    if item.get("tierMinimumUnits") not in (None, 0, Decimal(0)):
        raise ValueError("The price holds only above a quantity.")
    machine = _machine(item, context)
    usual = _amount(item.get("retailPrice"))
    rows = [PriceRow(**machine, option="spot" if _kind(item, "Spot") else "on_demand", amount=usual)]
    for plan in item.get("savingsPlan") or ():
        try:
            if not isinstance(plan, dict):
                raise ValueError("The savings plan is not an object.")
            rows.append(PriceRow(**machine, option=_term(plan.get("term"))[0], amount=_amount(plan.get("retailPrice"))))
        except ValueError as error:
            outcome.drop(number, str(error), f"{item.get('armSkuName')} {item.get('armRegionName')} {plan}")
    return rows


def _reservation(item: Mapping[str, Any], context: _Context) -> PriceRow:
    option, hours = _term(item.get("reservationTerm"))
    whole = _whole_term(item.get("retailPrice"))
    hourly = (whole / hours).quantize(_CENT)
    return PriceRow(**_machine(item, context), option=option, amount=hourly, confidence="derived")


def _whole_term(value: object) -> Decimal:
    """The price of a term may pass what one hour can cost, so it is read in thousandths."""
    try:
        return _amount(Decimal(str(value)) / 1000) * 1000
    except ArithmeticError as error:
        raise ValueError("The meter has no price.") from error


def _term(text: object) -> tuple[str, int]:
    if text not in _TERM_HOURS:
        raise ValueError("The term is neither one nor three years.")
    return _TERM_HOURS[str(text)]


def _amount(value: object) -> Decimal:
    try:
        found = amount("" if value is None else str(value))
    except ValueError as error:
        raise ValueError("The price is not a finite number above 0; an unknown price is not free.") from error
    if found is None:
        raise ValueError("The meter has no price.")
    return found


def _machine(item: Mapping[str, Any], context: _Context) -> dict[str, Any]:
    """The fields that all prices of one meter share. ValueError says what is missing."""
    instance, region = str(item["armSkuName"]).strip(), str(item.get("armRegionName") or "").strip()
    start, count = _start(item, context.day), corrected_count("azure", instance)
    if not region:
        raise ValueError("The meter has no region.")
    if region.startswith("usgov") or region.startswith("china"):
        raise ValueError("Government and national clouds are not offered to everyone.")
    if str(item.get("currencyCode")) != "USD":
        raise ValueError("Prices in other currencies than USD are for reference only.")
    if not count:
        raise ValueError("The number of accelerators is not known.")
    return {
        "provider": "azure",
        "instance": instance,
        "region": region,
        "zone": "",
        "accelerator": accelerator_slug("", provider="azure", instance=instance) or "",
        "count": count,
        "currency": "USD",
        "date": context.day,
        "source": context.source,
        "valid_from": start,
    }


def _start(item: Mapping[str, Any], day: date) -> date:
    try:
        start = datetime.fromisoformat(str(item.get("effectiveStartDate")).replace("Z", "+00:00")).date()
    except ValueError as error:
        raise ValueError("The start of the price is not a date.") from error
    if start > day:
        raise ValueError("The price starts in the future.")
    return start


def _settled(outcome: Outcome) -> Outcome:
    """One price for each machine, region and option: a later start, and a reservation over a savings plan, win."""
    chosen: dict[tuple[str, str, str], PriceRow] = {}
    for row in outcome.rows:
        key = (row.instance, row.region, row.option)
        other = chosen.get(key)
        if other is None or _rank(row) > _rank(other):
            chosen[key], row = row, other or row
        if other is not None:
            outcome.drop(0, "A later price or a reservation of the same term stands in its place.", _text(row))
    kept = []
    for (instance, region, option), row in chosen.items():
        usual = chosen.get((instance, region, "on_demand"))
        if option == "spot" and (fault := spot_fault(usual.amount if usual else None, row.amount)):
            outcome.drop(0, fault, _text(row))
        else:
            kept.append(row)
    outcome.rows = kept
    return outcome


def _rank(row: PriceRow) -> tuple[bool, date, Decimal]:
    return row.confidence == "derived", row.valid_from or date.min, -row.amount


def _text(row: PriceRow) -> str:
    return f"{row.instance} {row.region} {row.option} {row.amount}"
