"""Sign-ins that failed, in the audit trail: one shape whether or not anybody has such an account.

The address is not kept as it was typed: it may be a password in the wrong field, and a trail that told known addresses
from unknown ones would list the accounts. A keyed hash stands for it, by which the owner's page finds its own.
"""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from accounts import audit
from accounts.models import AuditEvent, User


def note(email: str, *, how: str) -> None:
    """Records that somebody who gave that address was not let in by `how`."""
    audit.record("sign_in.refused", _key(email), team=None, actor=None, data={"how": how})


def of(user: User) -> QuerySet[AuditEvent]:
    """The failed sign-ins to that person's account."""
    return AuditEvent.objects.filter(subject=_key(user.email), verb="sign_in.refused")


def _key(email: str) -> str:
    return salted_hmac("accounts.refusals", email.strip().lower(), algorithm="sha256").hexdigest()
