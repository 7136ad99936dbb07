"""REST: estimates, models, plans, their versions and what budgets read from them."""

from __future__ import annotations

from planner.api import budget, estimates, models, plans, schemas, versions

routers = (estimates.router, models.router, versions.router, budget.router, plans.router)
"""In this order: an address such as `/plans/{id}:duplicate` must be asked before `/plans/{id}`."""

__all__ = ["routers", "schemas"]
