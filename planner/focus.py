"""Budget lines under the column names of FOCUS 1.2 (FinOps Open Cost and Usage Specification).

A plan is planned cost, not billed cost: columns that only a bill can fill stay empty, ours begin with `x_`.

List, contracted, effective and billed cost are what FOCUS says: the list price is the provider's, without commitment
and without agreement; the contracted one has the team's agreement but no commitment; effective cost spreads what is paid
ahead over the months that use it; billed cost is the cash of the month. A total is the same in effective and billed cost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from engine.answer import Option
from engine.inputs.currency import Currency
from engine.inputs.hardware import Offer
from engine.money.cash import line_by_month
from planner.body import decimal_text
from planner.budget import BudgetLine
from planner.models import PlanVersion
from planner.snapshot import Plan

COLUMNS = (
    "BillingCurrency", "BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd",
    "ChargeCategory", "ChargeFrequency", "ChargeDescription", "ListUnitPrice", "ListCost", "ContractedUnitPrice",
    "ContractedCost", "EffectiveCost", "BilledCost", "PricingQuantity", "PricingUnit", "PricingCategory",
    "ConsumedQuantity", "ConsumedUnit", "ProviderName", "PublisherName", "InvoiceIssuerName", "RegionId", "RegionName",
    "AvailabilityZone", "ServiceCategory", "ServiceName", "SkuId", "SkuPriceId", "CommitmentDiscountCategory",
    "CommitmentDiscountType", "Tags", "x_PlanId", "x_PlanVersion", "x_Scenario", "x_CostLow", "x_CostHigh",
    "x_PriceSourceUrl", "x_PriceAsOf", "x_ContentHash", "x_State", "x_SignedKind", "x_SignedTotal",
)  # fmt: skip
VERSION = "1.2"
_PRICING = {"on_demand": "Standard", "spot": "Dynamic", "commit_1y": "Committed", "commit_3y": "Committed",
            "capacity_block": "Committed"}  # fmt: skip
_SERVICES = {
    **dict.fromkeys(
        ("compute", "spares", "fallback", "managed", "bridge", "purchase", "residual_value"),
        ("Compute", "Accelerated computing"),
    ),
    **dict.fromkeys(("storage", "dataset", "registry"), ("Storage", "Object and block storage")),
    **dict.fromkeys(("egress", "transit"), ("Networking", "Data transfer")),
    **dict.fromkeys(("balancer", "gateway"), ("Networking", "Load balancing and gateways")),
    "monitoring": ("Management and Governance", "Monitoring and logs"),
    **dict.fromkeys(
        ("energy", "hosting", "maintenance", "staff", "software", "cost_of_capital"),
        ("Other", "Operation of own hardware"),
    ),
}
"""Category and name of the service of each line of a cost model."""
_OTHER = ("Other", "Other")
_INSTANCES = ("compute", "spares")
"""Lines that are hours of the recommended offer at its price."""
_COSTS = ("ListCost", "ContractedCost", "EffectiveCost", "BilledCost")

Row = dict[str, str]


def focus_rows(version: PlanVersion, plan: Plan, option: Option, lines: Iterable[BudgetLine]) -> list[Row]:
    """One row for each line and month; what is paid ahead for several months has a row for each of them, too."""
    common = _common(version, plan, option)
    return [common | _signed(option, line) | row for line in lines for row in _rows(plan, option, line)]


def _signed(option: Option, line: BudgetLine) -> Row:
    """All that is signed, beside the share of it that this work carries."""
    return {"x_SignedKind": option.cost.signed.what, "x_SignedTotal": line.signed} if line.signed else {}


def _common(version: PlanVersion, plan: Plan, option: Option) -> Row:
    offer = option.offer
    provider = offer.provider if offer else "on-premises"
    tags = {"team": version.workload.team.slug, "project": plan.name, "plan": version.workload.public_id}
    return {
        "BillingCurrency": option.cost.total.currency,
        "ProviderName": provider,
        "PublisherName": provider,
        "InvoiceIssuerName": provider,
        "RegionId": offer.region if offer else "",
        "RegionName": offer.region if offer else "",
        "Tags": json.dumps(tags, ensure_ascii=False, sort_keys=True),
        "x_PlanId": version.workload.public_id,
        "x_PlanVersion": str(version.number),
        "x_Scenario": "recommended",
        "x_PriceSourceUrl": offer.source if offer else "",
        "x_PriceAsOf": offer.price_date if offer else "",
        "x_ContentHash": version.sha256,
        "x_State": version.state,
    }


def _rows(plan: Plan, option: Option, line: BudgetLine) -> Iterator[Row]:
    row = _row(line)
    if line.line not in _INSTANCES or option.offer is None:
        yield row
        return
    used = _use_by_month(plan, option, line.line)
    if set(used) <= {line.month}:
        yield row | _compute(option.offer, float(line.amount), plan.recommendation.currency)
        return
    money = plan.recommendation.currency
    none = decimal_text(0.0, money.digits)
    yield row | dict.fromkeys(("ListCost", "ContractedCost", "EffectiveCost"), none) | _paid_ahead(option.offer)
    for month, units in used.items():
        amount = units / 10**money.digits
        share = _row(replace(line, month=month, amount=decimal_text(amount, money.digits), low=none, high=none))
        yield share | _compute(option.offer, amount, money) | {"BilledCost": none}


def _use_by_month(plan: Plan, option: Option, name: str) -> dict[str, int]:
    """The months over which compute that is paid ahead is used, in its smallest unit; empty where it is paid as used."""
    model = option.cost.model
    line = next(line for line in model.lines if line.name == name)
    if line.schedule != "upfront":
        return {}
    start = plan.start
    return {
        month: units for month, units in line_by_month(replace(line, schedule="run"), model, start).items() if units
    }


def _row(line: BudgetLine) -> Row:
    first, after = _month(line.month)
    category, service = _SERVICES.get(line.line, _OTHER)
    purchase = line.kind == "capex"
    charge = "Purchase" if purchase else "Usage"
    return {
        "BillingPeriodStart": first,
        "BillingPeriodEnd": after,
        "ChargePeriodStart": first,
        "ChargePeriodEnd": after,
        "ChargeCategory": "Credit" if line.amount.startswith("-") else charge,
        "ChargeFrequency": "One-Time" if purchase else "Usage-Based",
        "ChargeDescription": line.label,
        **dict.fromkeys(_COSTS, line.amount),
        "ServiceCategory": category,
        "ServiceName": service,
        "x_CostLow": line.low,
        "x_CostHigh": line.high,
    }


def _paid_ahead(offer: Offer) -> Row:
    """A purchase whose use has rows of its own."""
    return {
        "ChargeCategory": "Purchase",
        "ChargeFrequency": "One-Time",
        "PricingCategory": _PRICING.get(offer.option, "Other"),
        "SkuId": offer.instance,
        "SkuPriceId": offer.id,
    }


def _compute(offer: Offer, amount: float, money: Currency) -> Row:
    """Unit prices, quantity and the costs that follow from them, where the line is hours of instances."""
    price = money.of(offer.usd_per_hour)
    listed = money.of(offer.listed_usd_per_hour) or price
    committed = offer.term_months > 0
    contracted = listed if committed else price
    hours = amount / price if price else 0.0
    quantity = f"{hours:.4f}" if price else ""
    return {
        "ListUnitPrice": f"{listed:.6f}",
        "ContractedUnitPrice": f"{contracted:.6f}",
        "ListCost": decimal_text(hours * listed, money.digits),
        "ContractedCost": decimal_text(hours * contracted, money.digits),
        "PricingQuantity": quantity,
        "PricingUnit": "Hours",
        "PricingCategory": _PRICING.get(offer.option, "Other"),
        "ConsumedQuantity": quantity,
        "ConsumedUnit": "Hours",
        "SkuId": offer.instance,
        "SkuPriceId": offer.id,
        "CommitmentDiscountCategory": "Usage" if committed else "",
        "CommitmentDiscountType": f"{offer.term_months} months" if committed else "",
    }


def _month(month: str) -> tuple[str, str]:
    """Start of the month and of the next one (end exclusive), RFC 3339."""
    first = date.fromisoformat(f"{month}-01")
    after = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    return f"{first.isoformat()}T00:00:00Z", f"{after.isoformat()}T00:00:00Z"
