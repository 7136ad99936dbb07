"""Who answers for a service, and in which hours: what the request asks, as the assumptions that its cost is made of."""

from __future__ import annotations

from collections.abc import Mapping

from engine.inputs.spec import CoveredBy, Hours, Operations

OFFICE_HOURS = 2080.0
"""A year of office hours: forty a week."""
ALL_HOURS = 8760.0
HOURS_COVERED: Mapping[Hours, float] = {"unstated": 0.0, "office": OFFICE_HOURS, "24x7": ALL_HOURS}
"""Hours of a year in which somebody answers."""
BY_US = "cost.cover_hours"
"""The assumption that says for how many hours of a year people of one's own are paid to answer."""
MANAGED_FEE = "cost.cover_managed_usd_month"
"""The assumption that says what somebody else asks for it."""
FEES: Mapping[Hours, str] = {"office": "cost.managed_office_usd_month", "24x7": "cost.managed_24x7_usd_month"}
"""What is usual of that, by hours."""


def covered_by(asked: Operations) -> CoveredBy:
    """Who answers: as asked, else whoever operates it."""
    if asked.covered_by != "auto":
        return asked.covered_by
    return "managed" if asked.operator == "vendor" else "own"
