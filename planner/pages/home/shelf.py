"""A team's plans as the start page lists them: where each stands, what it costs, when it ends, what it needs."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Prefetch, Q

from accounts import access
from accounts.models import Membership, Role
from catalog import clock
from planner.models import PlanVersion, Workload
from planner.price_age import age_of
from planner.versions import OPEN, State

A_PAGE = 50
"""Plans of one page of the list."""
MOST_WAITING = 100
"""Versions that are listed as waiting for one person."""


@dataclass(frozen=True, kw_only=True)
class ShelfRow:
    """One plan of the list."""

    workload: Workload
    version: PlanVersion | None
    """The newest; none while nothing was frozen."""
    price: str
    """Of which day its price is, and how old where it is old."""
    stale: bool
    comments: int
    """That are open on the newest version."""
    needs: tuple[str, ...]
    """Codes of what it waits for, the most urgent first: the template words them."""


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """One page of the list."""

    page: Page[Any]
    rows: tuple[ShelfRow, ...]


def shelf(
    member: Membership, *, words: str = "", archived: bool = False, waiting: Collection[int] = (), page: str = ""
) -> Shelf:
    """The team's plans whose name holds those words, changed last first; the nearest page there is to that number.

    archived: those that were taken out of the list instead. waiting: keys of the versions that this member may decide on.
    """
    open_comments = Count("comments", filter=Q(comments__resolved_at=None))
    versions = PlanVersion.objects.annotate(open_comments=open_comments).newest_first()
    ours = access.rows_of(member.team, Workload)
    found = ours.filter(archived_at__isnull=not archived, name__icontains=words).order_by("-updated_at", "-pk")
    # Which they are is asked apart: of all those that are passed by only the index is read.
    listed = Paginator(found, A_PAGE).get_page(page or 1)
    first = max(listed.start_index() - 1, 0)
    rows = (
        ours.filter(pk__in=found.values("pk")[first : first + A_PAGE])
        .prefetch_related(Prefetch("versions", versions, to_attr="listed"))
        .order_by("-updated_at", "-pk")
    )
    today = clock.today()
    return Shelf(
        page=listed,
        rows=tuple(_row(row, row.listed[0] if row.listed else None, today, waiting) for row in rows),
    )


def is_known(member: Membership) -> bool:
    """Whether the team has planned anything yet, archived plans included."""
    return access.rows_of(member.team, Workload).exists()


def waiting_for(member: Membership) -> list[PlanVersion]:
    """Versions that wait for the member: submitted by somebody else, in a team where they approve and have not yet."""
    if not access.has_role(member, Role.APPROVER):
        return []
    rows = access.within(member.team, PlanVersion.objects.waiting()).filter(workload__archived_at=None)
    # Not by `exclude`: a person who has left is nobody, and nobody is not the member.
    mine = Q(submitted_by=member.user_id) | Q(created_by=member.user_id) | Q(approvals__user=member.user_id)
    others = rows.exclude(pk__in=rows.filter(mine).values("pk"))
    return list(others.select_related("workload", "submitted_by").order_by("created_at")[:MOST_WAITING])


def _row(workload: Workload, version: PlanVersion | None, today: date, waiting: Collection[int]) -> ShelfRow:
    price, stale = age_of(version.price_day, today) if version and version.price_day else ("", False)
    comments = version.open_comments if version else 0  # type: ignore[attr-defined]  # annotated above
    return ShelfRow(
        workload=workload,
        version=version,
        price=price,
        stale=stale,
        comments=comments,
        needs=tuple(_needs(version, stale=stale, comments=comments, waiting=waiting)),
    )


def _needs(version: PlanVersion | None, *, stale: bool, comments: int, waiting: Collection[int]) -> Iterator[str]:
    """What somebody has to do with it; nothing for a plan that is approved at prices of these weeks."""
    if version is None:
        yield "save"
        return
    if version.pk in waiting:
        yield "decide"
    elif version.state == State.SUBMITTED:
        yield "wait"
    elif version.state == State.RETURNED:
        yield "change"
    elif version.state in OPEN:
        yield "submit" if version.feasible else "infeasible"
    if comments:
        yield "comments"
    if stale:
        yield "prices"
