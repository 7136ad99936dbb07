"""Sessions as rows that their owner can see and end.

Django names this module by SESSION_ENGINE. The row's key is a hash of the cookie: who reads the table cannot use it.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any, Final

from django.contrib.sessions.backends import db
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import Session, User

SEEN_EVERY: Final = timedelta(minutes=5)
VISITORS_LIFE: Final = timedelta(hours=1)


class SessionStore(db.SessionStore):
    """Django's session in the database, with a hashed key, the person, the browser and when it was last seen."""

    row: Session | None = None

    @classmethod
    def get_model_class(cls) -> type[Session]:
        """Our own table."""
        return Session

    def _get_session_from_db(self) -> Session | None:
        live = Session.objects.filter(session_key=stored_key(self.session_key or ""), expire_date__gt=timezone.now())
        self.row = live.first()
        if self.row is None:
            self._session_key = None  # as Django does: an unknown key is never taken over
        return self.row

    def exists(self, session_key: str) -> bool:
        """Whether there is a session under this cookie."""
        return Session.objects.filter(session_key=stored_key(session_key)).exists()

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        """The row to write: what is known about the session stays, what it holds is new."""
        key = stored_key(self._get_or_create_session_key())  # type: ignore[attr-defined]  # unknown to its stubs
        kept = self.row if self.row is not None and self.row.pk == key else Session(session_key=key)
        kept.session_data = self.encode(data)
        kept.user_id = int(data["_auth_user_id"]) if data.get("_auth_user_id") else None
        # A visitor's holds a step on the way in and no more: a flood of them is gone soon.
        kept.expire_date = self.get_expiry_date() if kept.user_id else timezone.now() + VISITORS_LIFE
        kept.agent, kept.address = str(data.get("agent", "")), str(data.get("address", ""))
        kept.last_seen_at = timezone.now()
        self.row = kept
        return kept

    def delete(self, session_key: str | None = None) -> None:
        """Ends the session under this cookie, or this one."""
        cookie = session_key or self.session_key
        if cookie:
            Session.objects.filter(session_key=stored_key(cookie)).delete()


def stored_key(cookie: str) -> str:
    """What stands in the table for a cookie: the first 160 bits of its SHA-256, hexadecimal."""
    return hashlib.sha256(cookie.encode()).hexdigest()[:40]


def touch(request: HttpRequest) -> None:
    """Notes that the session of a signed-in person is in use; writes at most every five minutes."""
    row = getattr(request.session, "row", None) if request.session.accessed else None
    if isinstance(row, Session) and row.user_id and timezone.now() - row.last_seen_at >= SEEN_EVERY:
        row.last_seen_at = timezone.now()
        Session.objects.filter(pk=row.pk).update(last_seen_at=row.last_seen_at)


def sessions_of(user: User) -> QuerySet[Session]:
    """The live sessions of a person, the one in use last first."""
    return Session.objects.filter(user=user, expire_date__gt=timezone.now()).order_by("-last_seen_at", "-created_at")


def is_this(request: HttpRequest, row: Session) -> bool:
    """Whether the row is the session of this very request."""
    return bool(request.session.session_key) and row.pk == stored_key(request.session.session_key or "")


def end_others(request: HttpRequest, user: User) -> int:
    """Ends all sessions of the person but this one; how many there were. They end with their next request."""
    others = Session.objects.filter(user=user).exclude(pk=stored_key(request.session.session_key or ""))
    return others.delete()[0]


def end_all(user: User) -> int:
    """Ends all sessions of the person."""
    return Session.objects.filter(user=user).delete()[0]


def drop_expired() -> None:
    """Removes what is over, so that the table does not grow with every sign-in."""
    Session.objects.filter(expire_date__lte=timezone.now()).delete()
