"""REST: estimates, models, workloads, plans, their versions, scenarios and review, and what budgets read from them."""

from __future__ import annotations

from planner.api import (
    budget,
    estimates,
    feed,
    models,
    plans,
    quotations,
    review,
    scenarios,
    schemas,
    specs,
    versions,
    workloads,
)

routers = (
    estimates.router,
    specs.router,
    models.router,
    versions.router,
    scenarios.router,
    quotations.router,
    review.router,
    budget.router,
    feed.router,
    workloads.router,
    plans.router,
)
"""In this order: an address such as `/plans/{id}:duplicate` must be asked before `/plans/{id}`."""

__all__ = ["routers", "schemas"]
