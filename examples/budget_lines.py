"""Pull the budget of every approved plan as one CSV under FOCUS column names.

SEXTANT_URL=http://localhost:8000 SEXTANT_TOKEN=sxt_… python examples/budget_lines.py > budget.csv
"""

import json
import os
import sys
import urllib.request

URL = os.environ.get("SEXTANT_URL", "http://localhost:8000")
HEADERS = {"Authorization": f"Bearer {os.environ['SEXTANT_TOKEN']}"}


def get(path: str) -> str:
    """The text at that address; urllib raises for any status above 299."""
    request = urllib.request.Request(URL + path, headers=HEADERS)  # noqa: S310  # the address is your own
    with urllib.request.urlopen(request) as answer:  # noqa: S310
        return answer.read().decode()


def main() -> None:
    """Every page of approved plans, and the lines of each; the column names once."""
    path, written = "/api/v1/plans?status=approved&limit=200", False
    while path:
        page = json.loads(get(path))
        for plan in page["data"]:
            head, _, rows = get(f"/api/v1/plans/{plan['id']}/budget-lines?format=focus&version=approved").partition(
                "\r\n"
            )
            sys.stdout.write(rows if written else f"{head}\r\n{rows}")
            written = True
        cursor = page["next_cursor"]
        path = f"/api/v1/plans?status=approved&limit=200&cursor={cursor}" if cursor else ""


main()
