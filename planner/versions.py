"""Which plan versions there are: the states of a review, and the rows of `PlanVersion` by what they are to a plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Protocol, Self, TypeVar

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _

from planner.frozen.stored import Unopened

M = TypeVar("M", bound=models.Model)


class Version(Protocol):
    """What of a row of `PlanVersion` is asked here."""

    pk: Any
    workload_id: Any
    number: Any
    state: Any


V = TypeVar("V", bound=Version)


class State(models.TextChoices):
    """Where a plan version stands; the steps between are in planner/plans.py."""

    DRAFT = "draft", _("Draft")
    SUBMITTED = "submitted", _("Waiting for approval")
    APPROVED = "approved", _("Approved")
    RETURNED = "returned", _("Returned for changes")
    SUPERSEDED = "superseded", _("Superseded")


OPEN: Final = (State.DRAFT, State.RETURNED)
"""States from which a version can be submitted."""
PEOPLE: Final = ("created_by", "submitted_by", "decided_by", "superseded_by")
"""Who had a hand in a version, and the version that took its place."""


class VersionRows(models.QuerySet[M]):
    """Rows of plan versions, each question about them under its name."""

    def newest_first(self) -> Self:
        """The highest number of each plan first."""
        return self.order_by("-number")

    def approved(self) -> Self:
        """Those that are approved; of one plan at most one."""
        return self.filter(state=State.APPROVED)

    def waiting(self) -> Self:
        """Those that wait for approval; of one plan at most one."""
        return self.filter(state=State.SUBMITTED)

    def newest(self) -> Self:
        """The newest version of each plan."""
        newer = self.model._default_manager.filter(workload=OuterRef("workload"), number__gt=OuterRef("number"))
        return self.filter(~Exists(newer))

    def newest_or_approved(self) -> Self:
        """Of each plan the newest version and the approved one, which may be the same."""
        newer = self.model._default_manager.filter(workload=OuterRef("workload"), number__gt=OuterRef("number"))
        return self.filter(~Exists(newer) | Q(state=State.APPROVED))

    def counting(self) -> Self:
        """Those that a budget counts: approved, of a plan that is not archived."""
        return self.filter(_COUNTS)

    def counting_or_ended(self) -> Self:
        """Those that count, and those that did until a newer one was approved or their plan was archived."""
        return self.filter(_COUNTS | _ENDED)

    def before(self, version: Version) -> Self:
        """Earlier ones of the same plan, the newest first."""
        return self.filter(workload=version.workload_id, number__lt=version.number).newest_first()

    def others_in(self, state: State, version: Version) -> Self:
        """Those of the same plan in that state, without that version."""
        return self.filter(workload=version.workload_id, state=state).exclude(pk=version.pk)

    def with_people(self) -> Self:
        """With their plan and all whom a summary names, no body of any of them."""
        return self.defer("superseded_by__body").select_related("workload", *PEOPLE)


_COUNTS: Final = Q(state=State.APPROVED, workload__archived_at=None)
_ENDED: Final = Q(state=State.APPROVED, workload__archived_at__isnull=False) | Q(
    state=State.SUPERSEDED, superseded_by__decided_at__isnull=False, decided_at__isnull=False
)
VersionManager = Unopened.from_queryset(VersionRows)


def approved_in(versions: Iterable[V]) -> V | None:
    """The approved one of a plan's versions that are read already."""
    return next((version for version in versions if version.state == State.APPROVED), None)


def decisive(versions: Iterable[V]) -> V | None:
    """Which version of a plan figures are taken from: the approved one, else the newest. `versions` are read, newest first."""
    listed = list(versions)
    return approved_in(listed) or next(iter(listed), None)
