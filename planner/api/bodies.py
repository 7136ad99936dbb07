"""The Spec as a request body, and plans as the API shows them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from django.db.models import Prefetch, QuerySet
from ninja import Body
from pydantic import PlainValidator

from engine.answer import Recommendation
from engine.inputs.currency import DIGITS
from engine.inputs.spec import Fault, Spec, SpecError
from planner.body import decimal_text, measured
from planner.models import PlanVersion, Workload
from planner.request.parse import spec_from
from planner.review import approvals
from planner.versions import VersionRows, approved_in
from rest.problems import Problem, ProblemItem, invalid, pointer
from voice.speech import fault_text


def read_spec(data: Any) -> Spec:
    """The Spec of that JSON object. Problem 422 with every fault."""
    try:
        return spec_from(data)
    except SpecError as error:
        raise refused(error) from error


def refused(error: SpecError, *parents: object) -> Problem:
    """The faults of a spec that stands at that place of the body, as a problem."""
    return invalid(item_of(fault, *parents) for fault in error.faults)


def item_of(fault: Fault, *parents: object) -> ProblemItem:
    """One fault with its JSON Pointer."""
    deep = (
        1 if fault.path.startswith(("assumptions.", "tags.")) else -1
    )  # the name of an assumption or a tag has dots of its own
    parts = fault.path.split(".", deep) if fault.path else []
    return ProblemItem(pointer=pointer(*parents, *parts), code=fault.code, detail=fault_text(fault))


SpecBody = Annotated[Spec, PlainValidator(read_spec, json_schema_input_type=Spec), Body()]
"""Strictly read by `planner.request.parse`, described by the dataclass itself."""


@dataclass(frozen=True, kw_only=True)
class Amount:
    """Money: decimal text and its currency (ISO 4217)."""

    amount: str
    currency: str


def amount_in(value: Decimal | None, currency: str) -> Amount | None:
    """That amount of a row in its currency; None where it has none."""
    return None if value is None else Amount(amount=decimal_text(float(value), DIGITS[currency]), currency=currency)


def amount_or_number(value: float, unit: str) -> Amount | float:
    """An amount when the unit is a currency or a price in one, else the number."""
    found = measured(value, unit)
    return Amount(**found) if isinstance(found, dict) else found


@dataclass(frozen=True, kw_only=True)
class ApprovalBody:
    """One person's yes to a version, by the hash of the plan that it is for."""

    by: str
    at: datetime
    plan_sha256: str
    reason: str
    proof: str
    """How the person had shown who they are: second factor, password, single sign-on, token; empty where it was not noted."""


@dataclass(frozen=True, kw_only=True)
class VersionSummary:
    """A frozen version with its review state, without the snapshot."""

    id: str
    plan_id: str
    number: int
    state: str
    plan_sha256: str
    feasible: bool
    headline: str
    cost: Amount | None
    signed: Amount | None
    """What is signed as a whole, a purchase or a commitment, of which `cost` may hold a share."""
    catalog_release: str
    engine_version: str
    created_at: datetime
    created_by: str | None
    submitted_by: str | None
    decided_by: str | None
    decided_at: datetime | None
    reason: str
    approvals_needed: int
    """How many people must approve it, none of them its author; what the team demanded when it was submitted."""
    approvals: tuple[ApprovalBody, ...]
    """Those that count; while there are fewer than needed, the state stays submitted."""
    superseded_by: int | None
    """Number of the version that took its place."""


@dataclass(frozen=True, kw_only=True)
class PlanBody:
    """A plan: the draft that may change and, of its frozen versions, the newest and the approved one."""

    id: str
    name: str
    status: str
    """Of the newest version: draft, submitted, approved, returned or superseded; draft also before the first."""
    archived: bool
    revision: int
    draft: dict[str, Any]
    latest_version: VersionSummary | None
    approved_version: VersionSummary | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, kw_only=True)
class VersionBody:
    """The whole immutable snapshot of one version: what was asked and what was answered."""

    id: str
    plan_id: str
    number: int
    plan_sha256: str
    created_at: datetime
    spec: Spec
    estimate: Recommendation


def version_summary(version: PlanVersion) -> VersionSummary:
    """The version as lists show it."""
    return VersionSummary(
        id=version.public_id,
        plan_id=version.workload.public_id,
        number=version.number,
        state=version.state,
        plan_sha256=version.sha256,
        feasible=version.feasible,
        headline=version.headline,
        cost=amount_in(version.cost, version.currency),
        signed=amount_in(version.signed, version.currency),
        catalog_release=version.catalog_release,
        engine_version=version.engine_version,
        created_at=version.created_at,
        created_by=_person(version.created_by),
        submitted_by=_person(version.submitted_by),
        decided_by=_person(version.decided_by),
        decided_at=version.decided_at,
        reason=version.reason,
        approvals_needed=version.approvals_needed,
        approvals=tuple(
            ApprovalBody(
                by=item.user.public_id, at=item.at, plan_sha256=item.sha256, reason=item.reason, proof=item.proof
            )
            for item in approvals.of(version)
        ),
        superseded_by=version.superseded_by.number if version.superseded_by else None,
    )


def plan_body(workload: Workload) -> PlanBody:
    """The plan as the API shows it; in a list its versions are read along by `with_shown`."""
    shown: list[PlanVersion] | None = getattr(workload, "shown", None)
    if shown is None:
        shown = list(_shown().filter(workload=workload))
    newest = next(iter(shown), None)
    approved = approved_in(shown)
    return PlanBody(
        id=workload.public_id,
        name=workload.name,
        status=newest.state if newest else "draft",
        archived=workload.archived_at is not None,
        revision=workload.revision,
        draft=workload.draft,
        latest_version=version_summary(newest) if newest else None,
        approved_version=version_summary(approved) if approved else None,
        created_at=workload.created_at,
        updated_at=workload.updated_at,
    )


def with_shown() -> Prefetch[str]:
    """For a query of plans: reads along the versions that `plan_body` shows, of all plans of a page at once."""
    return Prefetch("versions", _shown(), to_attr="shown")


def _shown() -> QuerySet[PlanVersion]:
    """The newest version of each plan and the approved one, the newest first."""
    return for_summaries(PlanVersion.objects.newest_or_approved()).newest_first()


def for_summaries(versions: VersionRows[PlanVersion]) -> VersionRows[PlanVersion]:
    """The same versions with all that `version_summary` reads, and without their bodies."""
    return versions.with_people().prefetch_related(approvals.with_versions())


def _person(user: Any) -> str | None:
    return user.public_id if user else None
