"""What all plans of a team cost, for a budgeting tool: the lines of every approved version, and which ones count no more.

A version begins to count when it is approved, and again when its plan comes back from the archive. It ends to count when a
newer one is approved in its place or its plan is archived. Each is a change with a moment; the feed gives them in that order, so
that who has read it up to a moment asks on from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final, Literal

from django.db.models import Case, Count, DateTimeField, F, Max, QuerySet, When

from accounts import access
from accounts.models import Team
from planner.budgets.focus_days import active_days, shared
from planner.budgets.lines import BudgetLine
from planner.budgets.sheets.sheet import Sheet
from planner.models import PlanVersion
from planner.versions import State

Granularity = Literal["day", "month"]
OVERLAP: Final = timedelta(seconds=60)
"""A step may have begun before another that is seen already: who asks on from a moment asks from a minute before it."""


@dataclass(frozen=True, kw_only=True)
class FeedLine:
    """What one line of an approved plan pays on one day or in one month. Plans of several currencies stand side by side."""

    plan_id: str
    version: int
    plan: str
    """Name of the plan."""
    plan_sha256: str
    approved_at: datetime
    """When the version was approved."""
    period: str
    """The month, YYYY-MM, or the day, YYYY-MM-DD."""
    line: str
    """Name of the line in the cost model."""
    label: str
    kind: str
    """opex or capex."""
    amount: str
    """What is paid, decimal text."""
    low: str
    """Its part of the low end of the plan's band, decimal text."""
    high: str
    """Its part of the high end of the plan's band, decimal text."""
    currency: str
    signed: str | None
    """The whole purchase or commitment of which this line is a share, decimal text: the same on each of its lines, not to be
    added up."""
    authorised: str
    """The sum for which approval was asked, decimal text: the same on each line of a plan, not to be added up. Lines add up to
    the expected cost."""
    actual: str | None
    """What was billed for it, decimal text: null, as long as no invoices come in."""
    cost_centre: str
    """Of the request; empty without one."""
    tags: dict[str, str]
    """Of the request."""


@dataclass(frozen=True, kw_only=True)
class Withdrawn:
    """A version whose lines count no more: drop what was kept of it."""

    plan_id: str
    version: int
    at: datetime
    """Since when."""
    why: str
    """superseded or archived."""


def changes(team: Team, since: datetime | None) -> QuerySet[PlanVersion]:
    """The versions that count, and with a moment those that ceased to since then; `changed_at` is when, without bodies."""
    began = When(workload__restored_at__gt=F("decided_at"), then=F("workload__restored_at"))
    ended = (
        When(state=State.SUPERSEDED, then=F("superseded_by__decided_at")),
        When(workload__archived_at__isnull=False, then=F("workload__archived_at")),
    )
    # Of those that count none has ended, and of very many that need not be looked up.
    cases = (began,) if since is None else (*ended, began)
    when = Case(*cases, default=F("decided_at"), output_field=DateTimeField())
    asked = PlanVersion.objects.counting() if since is None else PlanVersion.objects.counting_or_ended()
    rows = access.within(team, asked).annotate(changed_at=when).select_related("workload__team")
    return rows if since is None else rows.filter(changed_at__gte=since)


def state_of(rows: QuerySet[PlanVersion], *asked: object) -> str:
    """A tag that changes with what those rows say and with what is asked of them; no body is opened for it."""
    seen = rows.aggregate(count=Count("pk"), last=Max("changed_at"), key=Max("pk"))
    return hashlib.sha256(repr((sorted(seen.items()), asked)).encode()).hexdigest()[:32]


def withdrawn(row: Any) -> Withdrawn:
    """What is told of a version whose lines count no more; a row of `changes`."""
    return Withdrawn(
        plan_id=row.workload.public_id,
        version=row.number,
        at=row.changed_at,
        why="superseded" if row.state == State.SUPERSEDED else "archived",
    )


def lines_of(row: PlanVersion, sheet: Sheet, granularity: Granularity) -> Iterator[FeedLine]:
    """The lines of a version that counts, from its sheet."""
    for line in sheet.lines:
        for period, amount, low, high in _periods(line, sheet, granularity):
            yield FeedLine(
                plan_id=row.workload.public_id,
                version=row.number,
                plan=sheet.name,
                plan_sha256=row.sha256,
                approved_at=row.decided_at or row.created_at,
                period=period,
                line=line.line,
                label=line.label,
                kind=line.kind,
                amount=amount,
                low=low,
                high=high,
                currency=line.currency,
                signed=line.signed,
                authorised=sheet.authorised,
                actual=None,
                cost_centre=sheet.cost_centre,
                tags=sheet.tags,
            )


def _periods(line: BudgetLine, sheet: Sheet, granularity: Granularity) -> Iterator[tuple[str, str, str, str]]:
    """The month as it is, or its days: the smallest coins are shared out so that days add up to the month."""
    if granularity == "month":
        yield line.month, line.amount, line.low, line.high
        return
    days = active_days(date.fromisoformat(f"{line.month}-01"), sheet.begins, sheet.ends)
    if line.kind == "capex":
        days = days[:1]
    shares = [shared(text, len(days)) for text in (line.amount, line.low, line.high)]
    for index, day in enumerate(days):
        amount, low, high = (share[index] for share in shares)
        yield day.isoformat(), amount, low, high
