"""The rules that FOCUS 1.2 makes for its columns, read from the file that a plan gives; a sentence for what is broken.

After the specification (FinOps Foundation, May 2025): which columns may be empty, which values are allowed, and which of
them go together. Beside them what we promise of our own columns: sums that are the cash of the plan.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from decimal import Decimal

from engine.inputs.currency import DIGITS
from planner.budgets.files import focus_text
from planner.budgets.focus import COLUMNS, Origin
from planner.frozen.snapshot import Plan
from planner.money import accounts

Row = dict[str, str]
ALWAYS = ("BillingAccountId", "BillingAccountName", "BillingCurrency", "BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart",
          "ChargePeriodEnd", "ChargeCategory", "ChargeDescription", "ChargeFrequency", "ListCost", "ContractedCost",
          "EffectiveCost", "BilledCost", "ProviderName", "PublisherName", "InvoiceIssuerName", "ServiceCategory",
          "ServiceSubcategory", "ServiceName")  # fmt: skip
"""Columns that are never null."""
PRICED = (
    "PricingCategory",
    "PricingQuantity",
    "PricingUnit",
    "SkuId",
    "SkuPriceId",
    "ListUnitPrice",
    "ContractedUnitPrice",
)
"""Columns that use and purchases fill."""
COMMITMENT = ("CommitmentDiscountName", "CommitmentDiscountCategory", "CommitmentDiscountType", "CommitmentDiscountStatus",
              "CommitmentDiscountQuantity", "CommitmentDiscountUnit")  # fmt: skip
"""Columns that stand or fall with CommitmentDiscountId."""
SUBCATEGORIES = {
    "Compute": {"Virtual Machines", "Other (Compute)"},
    "Storage": {"Object Storage", "Other (Storage)"},
    "Networking": {"Data Transfer", "Load Balancing"},
    "Management and Governance": {"Observability"},
    "Other": {"Other (Other)"},
}
"""Of the values that the specification allows, those that a plan can have."""
ALLOWED = {
    "ChargeCategory": {"Usage", "Purchase", "Tax", "Adjustment"},
    "ChargeClass": {""},  # nothing of a plan corrects a bill
    "ChargeFrequency": {"One-Time", "Recurring", "Usage-Based"},
    "PricingCategory": {"", "Standard", "Dynamic", "Committed", "Other"},
    "CommitmentDiscountCategory": {"", "Usage", "Spend"},
    "CommitmentDiscountStatus": {"", "Used", "Unused"},
    "x_Planned": {"true"},
}
_COSTS = ("ListCost", "ContractedCost", "EffectiveCost", "BilledCost")
_MOMENT = re.compile(r"\d{4}-\d\d-01T00:00:00Z")
_CURRENCY = re.compile(r"[A-Z]{3}")


def rows_of(plan: Plan) -> list[Row]:
    """The rows as a program reads them from the file."""
    return list(csv.DictReader(io.StringIO(focus_text(plan, Origin()))))


def broken(plan: Plan) -> list[str]:
    """What breaks a rule in the file of that plan; nothing where nothing is feasible."""
    if plan.recommendation.recommended is None:
        return []
    rows, digits = rows_of(plan), DIGITS[plan.recommendation.currency.code]
    found = [f"{said} in the row {index} ({row['x_Line']})"
             for index, row in enumerate(rows) for rule in _ROWS for said in rule(row, digits)]  # fmt: skip
    return [f"FOCUS: {said}" for said in (*found, *_sums(plan, rows, digits))]


def _filled(row: Row, _: int) -> Iterator[str]:
    if tuple(row) != COLUMNS:
        yield "other columns than those of the header"
    yield from (f"{name} is empty" for name in ALWAYS if not row[name])
    if row["ChargeCategory"] in ("Usage", "Purchase"):
        yield from (f"{name} is empty" for name in PRICED if not row[name])
    if row["ChargeCategory"] == "Tax":  # it has neither quantity, price nor SKU of its own
        yield from (f"{name} of a tax is “{row[name]}”" for name in PRICED if row[name])


def _values(row: Row, _: int) -> Iterator[str]:
    yield from (f"{name} is “{row[name]}”" for name, allowed in ALLOWED.items() if row[name] not in allowed)
    if row["ServiceSubcategory"] not in SUBCATEGORIES.get(row["ServiceCategory"], ()):
        yield f"{row['ServiceSubcategory']} is no part of {row['ServiceCategory']}"
    if not _CURRENCY.fullmatch(row["BillingCurrency"]):
        yield f"BillingCurrency is “{row['BillingCurrency']}”"


def _periods(row: Row, _: int) -> Iterator[str]:
    for kind in ("Billing", "Charge"):
        starts, ends = row[f"{kind}PeriodStart"], row[f"{kind}PeriodEnd"]
        if not (_MOMENT.fullmatch(starts) and _MOMENT.fullmatch(ends) and starts < ends):
            yield f"{kind} period from {starts} to {ends}"
    if row["BillingPeriodStart"] != row["ChargePeriodStart"]:
        yield "a charge outside its billing period"


def _prices(row: Row, digits: int) -> Iterator[str]:
    if row["ChargeCategory"] not in ("Usage", "Purchase"):
        return
    unit = Decimal(10) ** -digits
    for cost, price in (("ListCost", "ListUnitPrice"), ("ContractedCost", "ContractedUnitPrice")):
        product = Decimal(row["PricingQuantity"]) * Decimal(row[price])
        if abs(product - Decimal(row[cost])) > unit * Decimal("0.51"):
            yield f"{cost} is {row[cost]}, quantity times price {product}"


def _charges(row: Row, _: int) -> Iterator[str]:
    kind = row["ChargeCategory"]
    if kind == "Purchase" and row["ChargeFrequency"] == "Usage-Based":
        yield "a purchase that is based on usage"
    if kind == "Purchase" and Decimal(row["EffectiveCost"]) != 0:
        yield f"a purchase with an effective cost of {row['EffectiveCost']}"
    if kind == "Adjustment" and row["EffectiveCost"] != row["BilledCost"]:
        yield f"an adjustment billed {row['BilledCost']} with an effective cost of {row['EffectiveCost']}"
    yield from (f"{name} is below zero" for name in _COSTS if kind != "Adjustment" and Decimal(row[name]) < 0)


def _consumption(row: Row, _: int) -> Iterator[str]:
    consumed = row["ChargeCategory"] == "Usage" and row["CommitmentDiscountStatus"] != "Unused"
    if not bool(row["ConsumedQuantity"]) == bool(row["ConsumedUnit"]) == consumed:
        yield f"ConsumedQuantity is “{row['ConsumedQuantity']}”, its unit “{row['ConsumedUnit']}”"
    elif consumed and Decimal(row["ConsumedQuantity"]) <= 0:
        yield f"{row['ConsumedQuantity']} {row['ConsumedUnit']} are consumed"


def _commitments(row: Row, _: int) -> Iterator[str]:
    covered = bool(row["CommitmentDiscountId"])
    if any(bool(row[name]) != covered for name in COMMITMENT):
        yield "columns of a commitment without one, or one without them"
    if (row["PricingCategory"] == "Committed") != covered:
        yield f"PricingCategory {row['PricingCategory']} beside the commitment “{row['CommitmentDiscountId']}”"
    if covered and Decimal(row["BilledCost"]) != 0:
        yield "what a commitment covers is billed again"
    if row["CommitmentDiscountStatus"] == "Unused" and row["x_CarriedBy"] != "nobody":
        yield f"unused hours that {row['x_CarriedBy']} carries"


_ROWS: tuple[Callable[[Row, int], Iterator[str]], ...] = (
    _filled, _values, _periods, _prices, _charges, _consumption, _commitments,
)  # fmt: skip


def _sums(plan: Plan, rows: list[Row], digits: int) -> Iterator[str]:
    """Billed and effective costs are the cash of the plan, month by month what is billed, and nothing is imputed."""
    found = accounts(plan)
    if found is None:
        return
    # What a spend commitment would have cost unused is no charge that is saved; what lapses of it is one.
    apart = [(one.month, -one.amount) for one in found.views.saved]
    apart += [(one.month, one.idle / 10**digits) for one in found.ledger.carried if one.contract == "spend"]
    paid = Decimal(f"{found.views.paid + sum(amount for _, amount in apart):.{digits}f}")
    for name in ("BilledCost", "EffectiveCost"):
        if _total(rows, name) != paid:
            yield f"{name} adds up to {_total(rows, name)}, the cash is {paid}"
    for month in found.views.cash:
        billed = _total([row for row in rows if row["ChargePeriodStart"].startswith(month.month)], "BilledCost")
        amount = month.amount + sum(part for when, part in apart if when == month.month)
        if billed != Decimal(f"{amount:.{digits}f}"):
            yield f"{billed} is billed in {month.month}, the cash is {amount}"
    if any(row["x_Line"] == "cost_of_capital" for row in rows):
        yield "imputed capital stands among charges"


def _total(rows: list[Row], name: str) -> Decimal:
    return sum((Decimal(row[name]) for row in rows), Decimal())
