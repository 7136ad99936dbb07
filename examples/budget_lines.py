"""Pull the budget of every approved plan as one CSV under FOCUS column names.

pip install ./client
SEXTANT_URL=http://localhost:8000 SEXTANT_TOKEN=sxt_… python examples/budget_lines.py > budget.csv
"""

import os
import sys

from sextant_client import Sextant, SextantError


def main() -> None:
    """Every approved plan, as the server sends them; the column names once."""
    api = Sextant(os.environ.get("SEXTANT_URL", "http://localhost:8000"), os.environ["SEXTANT_TOKEN"])
    for lines in api.budgets_csv(focus=True):
        sys.stdout.write(lines)


try:
    main()
except SextantError as error:
    sys.exit(f"The budget is not complete: {error}")
