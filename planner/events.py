"""What other programs are told about plans: ids, hash and links, and the confidential part for those who ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.urls import reverse

from accounts.models import User
from planner.body import amount_body
from planner.models import PlanVersion, Workload
from webhooks import outbox


def version_told(
    version: PlanVersion, type_: str, by: User | None = None, *, figures: Mapping[str, Any] | None = None, **more: Any
) -> None:
    """Tells what happened to that version; call it inside the step. `figures`: what is confidential besides its own."""
    outbox.emit(
        version.workload.team,
        type_,
        data={**version_data(version), "by": by.public_id if by else None, **more},
        figures={**_figures(version), **(figures or {})},
    )


def workload_told(workload: Workload, type_: str, by: User) -> None:
    """Tells what happened to the plan as a whole."""
    data = {
        "plan_id": workload.public_id,
        "by": by.public_id,
        "links": {
            "self": f"{settings.SITE_URL}/api/v1/plans/{workload.public_id}",
            "page": settings.SITE_URL + reverse("planner:answer", args=[workload.public_id]),
        },
    }
    outbox.emit(workload.team, type_, data=data, figures={"name": workload.name})


def version_data(version: PlanVersion) -> dict[str, Any]:
    """Names a version to a program, and where to read the rest."""
    plan = f"{settings.SITE_URL}/api/v1/plans/{version.workload.public_id}"
    return {
        "plan_id": version.workload.public_id,
        "version_id": version.public_id,
        "version": version.number,
        "state": version.state,
        "sha256": version.sha256,
        "links": {
            "self": f"{plan}/versions/{version.number}",
            "budget_lines": f"{plan}/budget-lines?version={version.number}",
            "page": settings.SITE_URL + reverse("planner:plan", args=[version.public_id]),
        },
    }


def _figures(version: PlanVersion) -> dict[str, Any]:
    return {
        "name": version.workload.name,
        "headline": version.headline,
        "feasible": version.feasible,
        "cost": _amount(version.cost, version.currency),
        "signed": _amount(version.signed, version.currency),
        "reason": version.reason,
    }


def _amount(value: Decimal | None, currency: str) -> dict[str, Any] | None:
    return None if value is None else amount_body(float(value), currency)
