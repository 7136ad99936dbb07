"""Sessions as rows that their owner can see and end; of visitors nothing is stored here.

Django names this module by SESSION_ENGINE. The row's key is a hash of the cookie: who reads the table cannot use it.
Before a sign-in there is no owner, only a step on the way in (a challenge, a first factor, an invitation): that travels in
the cookie itself, sealed and for an hour, so that no flood of visitors makes rows. What must work once only is held to it
where it is used: codes and invitations by their rows, answers of passkeys by `accounts.passkeys`.
"""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import Any, Final

from django.contrib.sessions.backends import db
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import Session, User
from accounts.secrets import BrokenSeal, seal, unseal

SEEN_EVERY: Final = timedelta(minutes=5)
VISITORS_LIFE: Final = timedelta(hours=1)
_CARRIED: Final = "v."
"""How the cookie of a visitor begins; a key of a row has letters and digits only."""
_LONGEST: Final = 3_800  # characters: browsers keep cookies of 4,096 bytes with name and attributes


class SessionStore(db.SessionStore):
    """Django's session in the database, with a hashed key, the person, the browser and when it was last seen."""

    row: Session | None = None

    def load(self) -> dict[str, Any]:
        """What the session holds: of a visitor what the cookie carries, else what the row says."""
        if not _is_carried(self.session_key):
            return super().load()
        carried = _unpacked(self.session_key or "")
        if carried is None:
            self._session_key = None
        return carried or {}

    def save(self, must_create: bool = False) -> None:
        """Keeps what the session holds: of a visitor in the cookie, else in a row, under a key that no visitor had."""
        data = self._get_session(no_load=must_create)  # type: ignore[attr-defined]  # unknown to its stubs
        packed = "" if data.get("_auth_user_id") else _packed(data)
        if packed and len(packed) <= _LONGEST:
            self._session_key = packed
        elif _is_carried(self.session_key):
            self.create()
        else:
            super().save(must_create)

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
        """Whether there is a row under this cookie."""
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
        if cookie and not _is_carried(cookie):
            Session.objects.filter(session_key=stored_key(cookie)).delete()


def stored_key(cookie: str) -> str:
    """What stands in the table for a cookie: the first 160 bits of its SHA-256, hexadecimal."""
    return hashlib.sha256(cookie.encode()).hexdigest()[:40]


def _is_carried(cookie: str | None) -> bool:
    return bool(cookie) and str(cookie).startswith(_CARRIED)


def _packed(data: dict[str, Any]) -> str:
    """What a visitor's session holds as their cookie; only this server reads it, for an hour."""
    until = (timezone.now() + VISITORS_LIFE).timestamp()
    return _CARRIED + seal(json.dumps({"until": until, "visitor": data}, separators=(",", ":")))


def _unpacked(cookie: str) -> dict[str, Any] | None:
    """What that cookie carries; None when it is over, changed or not ours."""
    try:
        carried = json.loads(unseal(cookie.removeprefix(_CARRIED)))
        found: dict[str, Any] = carried["visitor"]
    except (BrokenSeal, ValueError, TypeError, KeyError):  # also what was sealed for something else
        return None
    return found if timezone.now().timestamp() < carried["until"] else None


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
