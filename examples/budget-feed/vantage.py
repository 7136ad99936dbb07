"""Writes the budget of all approved plans as files that Vantage takes as the costs of a custom provider.

    pip install ./client
    SEXTANT_URL=https://sextant.example SEXTANT_TOKEN=sxt_… python examples/budget-feed/vantage.py out/
    for file in out/*.csv; do curl -s "https://api.vantage.sh/v2/integrations/$PROVIDER/costs.csv" \\
      -H "Authorization: Bearer $VANTAGE_TOKEN" -F "csv=@$file"; done

Vantage reads some columns of FOCUS alone, has no purchases and no adjustments among its categories, and takes at most 10,000 rows
and 2 MB in a file (docs.vantage.sh/connecting_custom_providers); a file takes the place of an earlier one of its name. Give the
provider a name of its own, such as “Sextant, planned”: these are plans, no invoices.
"""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sextant_client import Sextant

COLUMNS = (
    "ChargePeriodStart", "ChargePeriodEnd", "ChargeCategory", "BilledCost", "BillingCurrency", "ConsumedQuantity", "ConsumedUnit",
    "RegionId", "ServiceCategory", "ServiceName", "Tags",
)  # fmt: skip
AS_THEIRS = {"Purchase": "Usage", "Adjustment": "Usage"}
MOST_ROWS, MOST_BYTES = 10_000, 2_000_000


def rows_of(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The rows that bill something, under those columns; `ResourceId` is the plan and `ResourceType` the line of its budget."""
    for row in csv.DictReader(lines):
        if float(row["BilledCost"]):
            kept = {name: row[name] for name in COLUMNS}
            category = AS_THEIRS.get(row["ChargeCategory"], row["ChargeCategory"])
            yield {
                **kept,
                "ChargeCategory": category,
                "ResourceId": row["x_PlanId"],
                "ResourceType": row["ChargeDescription"],
            }


def files_of(rows: Iterable[dict[str, str]]) -> Iterator[str]:
    """The rows as CSV, in as many files as it takes."""
    names = (*COLUMNS, "ResourceId", "ResourceType")
    head, lines, size = _line(names), list[str](), 0
    for row in rows:
        line = _line(row[name] for name in names)
        if len(lines) == MOST_ROWS or len(head) + size + len(line.encode()) > MOST_BYTES:
            yield head + "".join(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line.encode())
    if lines:
        yield head + "".join(lines)


def _line(cells: Iterable[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def main() -> int:
    """Writes into the folder that the first argument names."""
    if len(sys.argv) != 2:
        sys.stderr.write("Name a folder: python vantage.py out/\n")
        return 2
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    api = Sextant(os.environ.get("SEXTANT_URL", "http://localhost:8000"), os.environ["SEXTANT_TOKEN"])
    for number, file in enumerate(files_of(rows_of(api.budgets_csv())), start=1):
        (folder / f"sextant-planned-{number:03}.csv").write_text(file, encoding="utf-8", newline="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
