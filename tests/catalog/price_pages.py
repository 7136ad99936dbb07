"""Answers of price feeds that a test changes one thing of; answers as they were read are in `recorded/`."""

from __future__ import annotations

import json
from typing import Any


def azure_item(**changes: Any) -> dict[str, Any]:
    """A meter of the Azure Retail Prices API: eight H100 on demand in East US."""
    return {
        "currencyCode": "USD",
        "tierMinimumUnits": 0.0,
        "retailPrice": 98.32,
        "unitPrice": 98.32,
        "armRegionName": "eastus",
        "location": "US East",
        "effectiveStartDate": "2023-11-01T00:00:00Z",
        "meterName": "ND96isr H100 v5",
        "productName": "Virtual Machines NDsr H100 v5 Series",
        "skuName": "Standard_ND96isr_H100_v5",
        "serviceName": "Virtual Machines",
        "unitOfMeasure": "1 Hour",
        "type": "Consumption",
        "isPrimaryMeterRegion": True,
        "armSkuName": "Standard_ND96isr_H100_v5",
        **changes,
    }


def azure_page(items: list[Any], after: str | None = None) -> bytes:
    """One page of the API."""
    return json.dumps({"BillingCurrency": "USD", "Items": items, "NextPageLink": after, "Count": len(items)}).encode()


AWS_PREAMBLE = """"FormatVersion","v1.0"
"Disclaimer","This pricing list is for informational purposes only."
"Publication Date","2026-08-20T18:13:31Z"
"Version","20260820181331"
"OfferCode","AmazonEC2"
"""
AWS_COLUMNS = (
    "SKU", "OfferTermCode", "RateCode", "TermType", "PriceDescription", "EffectiveDate", "StartingRange", "EndingRange",
    "Unit", "PricePerUnit", "Currency", "RelatedTo", "LeaseContractLength", "PurchaseOption", "OfferingClass",
    "Product Family", "serviceCode", "Location", "Location Type", "Instance Type", "vCPU", "Memory", "Tenancy",
    "Operating System", "License Model", "CapacityStatus", "Pre Installed S/W", "Region Code", "MarketOption",
)  # fmt: skip


def aws_line(**changes: str) -> str:
    """One line of the AWS price list: eight H100 on demand in us-east-1. Blanks in names are written as `_`."""
    cells = dict.fromkeys(AWS_COLUMNS, "") | {
        "SKU": "X1",
        "TermType": "OnDemand",
        "EffectiveDate": "2025-06-01",
        "Unit": "Hrs",
        "PricePerUnit": "55.0400000000",
        "Currency": "USD",
        "Instance Type": "p5.48xlarge",
        "vCPU": "192",
        "Memory": "2,048 GiB",
        "Tenancy": "Shared",
        "Operating System": "Linux",
        "CapacityStatus": "Used",
        "Pre Installed S/W": "NA",
        "Region Code": "us-east-1",
        "MarketOption": "OnDemand",
    }
    cells |= {name.replace("_", " ").replace("SlashW", "/W"): value for name, value in changes.items()}
    return ",".join(f'"{value}"' for value in cells.values()) + "\n"


def aws_file(*lines: str) -> str:
    """The whole price list."""
    return AWS_PREAMBLE + ",".join(f'"{name}"' for name in AWS_COLUMNS) + "\n" + "".join(lines)
