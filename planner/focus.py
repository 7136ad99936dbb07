"""Budget lines under the column names of FOCUS 1.2 (FinOps Open Cost and Usage Specification).

A plan is planned cost, not billed cost: columns that only a bill can fill stay empty, ours begin with `x_`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date

from planner.budget import BudgetLine
from planner.engine.result import Option
from planner.models import PlanVersion
from planner.snapshot import Plan

COLUMNS = (
    "BillingCurrency", "BillingPeriodStart", "BillingPeriodEnd", "ChargePeriodStart", "ChargePeriodEnd",
    "ChargeCategory", "ChargeFrequency", "ChargeDescription", "ListUnitPrice", "ListCost", "ContractedUnitPrice",
    "ContractedCost", "EffectiveCost", "BilledCost", "PricingQuantity", "PricingUnit", "PricingCategory",
    "ConsumedQuantity", "ConsumedUnit", "ProviderName", "PublisherName", "InvoiceIssuerName", "RegionId", "RegionName",
    "AvailabilityZone", "ServiceCategory", "ServiceName", "SkuId", "SkuPriceId", "CommitmentDiscountCategory",
    "CommitmentDiscountType", "Tags", "x_PlanId", "x_PlanVersion", "x_Scenario", "x_CostLow", "x_CostHigh",
    "x_PriceSourceUrl", "x_PriceAsOf", "x_ContentHash", "x_State",
)  # fmt: skip
_PRICING = {"on_demand": "Standard", "spot": "Dynamic", "commit_1y": "Committed", "commit_3y": "Committed",
            "capacity_block": "Committed"}  # fmt: skip
_SERVICES = {
    "storage": ("Storage", "Object and block storage"),
    "egress": ("Networking", "Data transfer"),
    **dict.fromkeys(("compute", "managed", "purchase", "capital"), ("Compute", "Accelerated computing")),
}
_OTHER = ("Other", "Operation of own hardware")
_COMPUTE = "compute"


def focus_rows(version: PlanVersion, plan: Plan, option: Option, lines: Iterable[BudgetLine]) -> list[dict[str, str]]:
    """One row for each line and month."""
    common = _common(version, plan, option)
    return [common | _row(option, line) for line in lines]


def _common(version: PlanVersion, plan: Plan, option: Option) -> dict[str, str]:
    offer = option.offer
    provider = offer.provider if offer else "on-premises"
    tags = {"team": version.workload.team.slug, "project": plan.name, "plan": version.workload.public_id}
    return {
        "BillingCurrency": "USD",
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


def _row(option: Option, line: BudgetLine) -> dict[str, str]:
    first, after = _month(line.month)
    category, service = _SERVICES.get(line.line, _OTHER)
    purchase = line.kind == "capex"
    charge = "Purchase" if purchase else "Usage"
    row = {
        "BillingPeriodStart": first,
        "BillingPeriodEnd": after,
        "ChargePeriodStart": first,
        "ChargePeriodEnd": after,
        "ChargeCategory": "Credit" if line.amount.startswith("-") else charge,
        "ChargeFrequency": "One-Time" if purchase else "Usage-Based",
        "ChargeDescription": line.label,
        **dict.fromkeys(("ListCost", "ContractedCost", "EffectiveCost", "BilledCost"), line.amount),
        "ServiceCategory": category,
        "ServiceName": service,
        "x_CostLow": line.low,
        "x_CostHigh": line.high,
    }
    return row | (_compute(option, line) if line.line == _COMPUTE else {})


def _compute(option: Option, line: BudgetLine) -> dict[str, str]:
    """Unit price and quantity, where the line is hours of instances."""
    offer = option.offer
    if offer is None:
        return {}
    price = offer.usd_per_hour
    quantity = f"{float(line.amount) / price:.4f}" if price else ""
    committed = offer.term_months > 0
    return {
        "ListUnitPrice": f"{price:.6f}",
        "ContractedUnitPrice": f"{price:.6f}",
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
