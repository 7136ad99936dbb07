"""What the rooms together say of the API, beside what each operation says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from config.choices import CHOICES
from config.derived import derive
from config.events import MESSAGE, SCHEMAS, webhooks
from config.meanings import ALIKE, MEANINGS, PARAMETERS
from rest.contract import About

TAGS: Final = {
    "Estimates": "A workload in, a recommendation out; nothing is stored.",
    "Plans": "A plan: a draft that may change, and its frozen versions.",
    "Versions": "Frozen versions, what differs between them, what they would cost today, and their review.",
    "Scenarios": "What-ifs of a version.",
    "Review": "Remarks on a version, and links to read one without an account.",
    "Quotations": "What a version asks sellers for, and their answers: prices with their validity.",
    "Budget": "What a budget reads from plans: lines by month, under the names of FOCUS where wanted.",
    "Workloads": "The drafts of plans, before anything is frozen.",
    "Exports": "Documents of a version, and workbooks that come back.",
    "Catalog": "Accelerators, models and prices, each fact with its source; and the team's own entries.",
    "Price lists": "Prices that the team has agreed: read in, looked at, published.",
    "Webhooks": "Where a team's own programs are told, and what they were sent.",
    "Messages": "What a webhook is sent: requests that Sextant makes and a team's own program answers.",
    "Account": "Who is asking, the team, its tokens and its audit log.",
}
EXAMPLES: Final = json.loads((Path(__file__).parent / "examples.json").read_text(encoding="utf-8"))
"""Real answers, with fixed ids and moments: tests/api/examples.py writes them."""
ABOUT: Final = About(
    tags=TAGS,
    examples=EXAMPLES,
    meanings=MEANINGS,
    alike=ALIKE,
    parameters=PARAMETERS,
    choices=CHOICES,
    schemas={**SCHEMAS, "EventMessage": MESSAGE},
    derive=derive,
    webhooks=webhooks,
)
