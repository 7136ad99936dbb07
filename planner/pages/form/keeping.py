"""What somebody types is kept for them on the server until they send it: one row for each form and window.

Two windows never write the same row, so neither loses anything to the other; whoever opens the form again is shown what
the other windows hold and takes it up or drops it. Rows are private to their author, small, and gone after a while.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import access
from accounts.models import Membership
from planner.models import KeptForm

MOST = 5
"""Windows of one form that are kept for one person: the newest."""
LIFE = timedelta(days=14)
LARGEST = 300_000
"""Characters of one form."""
TAB = re.compile(r"[A-Za-z0-9]{8,32}")


def keep(member: Membership, *, form: str, tab: str, typed: Mapping[str, str]) -> bool:
    """Keeps what is typed in that window; True when another window holds something of the same form.

    ValueError for a form that is too large or a window without a proper name.
    """
    if not TAB.fullmatch(tab) or len(form) > 40:
        raise ValueError("This window has no name to keep it under: reload the page.")
    filled = {key: value for key, value in typed.items() if value}
    check_size(filled)
    rows = _rows(member, form)
    if not rows.filter(tab=tab).update(typed=filled, kept_at=timezone.now()):
        _insert(member, form, tab, filled)
    return rows.exclude(tab=tab).exists()


def check_size(typed: Mapping[str, object]) -> None:
    """ValueError for a form that is too large to be kept."""
    if len(json.dumps(typed, default=str)) > LARGEST:
        raise ValueError("The form is too large to be kept: it may hold 300,000 characters.")


def _insert(member: Membership, form: str, tab: str, typed: Mapping[str, str]) -> None:
    try:
        with transaction.atomic():
            KeptForm.objects.create(team=member.team, user=member.user, form=form, tab=tab, typed=dict(typed))
    except IntegrityError:  # the same window was faster by another request
        _rows(member, form).filter(tab=tab).update(typed=dict(typed), kept_at=timezone.now())
    KeptForm.objects.filter(kept_at__lt=timezone.now() - LIFE).delete()
    extra = _rows(member, form).order_by("-kept_at", "-pk").values_list("pk", flat=True)[MOST:]
    KeptForm.objects.filter(pk__in=list(extra)).delete()


def kept(member: Membership, form: str) -> list[KeptForm]:
    """What is kept of that form for this person, newest first."""
    fresh = _rows(member, form).filter(kept_at__gt=timezone.now() - LIFE)
    return list(fresh.order_by("-kept_at", "-pk")[:MOST])


def drop(member: Membership, *, form: str, tab: str) -> None:
    """Forgets what that window held; a second call changes nothing."""
    _rows(member, form).filter(tab=tab).delete()


def _rows(member: Membership, form: str) -> QuerySet[KeptForm]:
    return access.rows_of(member.team, KeptForm).filter(user=member.user, form=form)
