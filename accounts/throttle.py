"""Slows down guessing: so many tries per account and per address, then a pause.

Tries from a place that is known for the account (`accounts.known`) are counted apart: a stranger uses up only what
strangers may try.

Counts live in the database, so that they hold for all processes together, survive a restart, and do not open the door
when Redis is away. A try is counted before it is judged, in one conditional UPDATE: a hundred tries at the same moment
get no further than a hundred in a row. What succeeds is given back.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import Attempts

FAILURES: Final = 10
PAUSE: Final = timedelta(minutes=15)
CODES: Final = 5  # of six digits: guessing one takes years at this pace
_PER_ADDRESS: Final = 50
_PER_ACCOUNT: Final = 100

Limits = Mapping[str, int]


def address_of(request: HttpRequest) -> str:
    """The visitor's address: what our own proxy adds last to X-Forwarded-For, else the other end of the connection."""
    forwarded = request.headers.get("X-Forwarded-For", "") if settings.TRUST_PROXY else ""
    return forwarded.rpartition(",")[2].strip()[:64] or str(request.META.get("REMOTE_ADDR", ""))


def sign_in(email: str, address: str, *, place: str) -> Limits:
    """What a password is counted under. From a `place` that is known for the account: that place alone. From others:
    this account from here, everything from here, and this account from all strangers together."""
    account, here = email.lower(), network_of(address)
    if place:
        return {f"sign-in {account} {place}": FAILURES}
    return {
        f"sign-in {account} {here}": FAILURES,
        f"sign-in from {here}": _PER_ADDRESS,
        f"sign-in to {account}": _PER_ACCOUNT,
    }


def codes(user_pk: int, *, place: str) -> Limits:
    """What a code of an app or for recovery is counted under: the account from a known place, or from all strangers."""
    return {f"code {user_pk} {place}": CODES}


def new_app(user_pk: int) -> Limits:
    """What the first code of a new app is counted under: only who is signed in types one."""
    return {f"new app {user_pk}": CODES}


def letters(email: str, address: str, *, place: str) -> Limits:
    """What a mail that anybody may ask for is counted under, so that nobody's mailbox is flooded and nobody waits for a
    stranger."""
    return {f"letter to {email.lower()} {place}": 3, f"letter from {network_of(address)}": 30}


def links(address: str) -> Limits:
    """What opening one-time links is counted under."""
    return {f"link from {network_of(address)}": _PER_ADDRESS}


def shared(link_id: str, address: str) -> Limits:
    """What the password of a share link is counted under: this link from here, and from anywhere."""
    return {f"shared {link_id} {network_of(address)}": FAILURES, f"shared {link_id}": _PER_ACCOUNT}


def invitations(team_pk: int) -> Limits:
    """What sending invitations is counted under: a team that mails more than this is not inviting colleagues."""
    return {f"invitation of {team_pk}": 60}


def take(limits: Limits) -> bool:
    """Counts one try under each name; False, with nothing counted, when one of them is used up for now."""
    taken: list[str] = []
    for name, most in limits.items():
        if not _take_one(_key(name), most):
            _give_back(taken)
            return False
        taken.append(name)
    return True


def give_back(limits: Limits) -> None:
    """Takes one try off the counts: it was none."""
    _give_back(list(limits))


def forget(limits: Limits) -> None:
    """A success: the strictest count starts anew, the others lose this one try."""
    strictest = min(limits, key=lambda name: limits[name])
    Attempts.objects.filter(key=_key(strictest)).delete()
    _give_back([name for name in limits if name != strictest])


def _take_one(key: str, most: int) -> bool:
    while True:  # once more only when somebody else has made, renewed or ended the count meanwhile
        now = timezone.now()
        counted = Attempts.objects.filter(key=key, ends_at__gt=now)
        if counted.filter(count__lt=most).update(count=F("count") + 1):
            return True
        if Attempts.objects.filter(key=key, ends_at__lte=now).update(count=1, ends_at=now + PAUSE):
            return True
        if counted.filter(count__gte=most).exists():
            return False
        Attempts.objects.filter(ends_at__lt=now - PAUSE).delete()
        _, made = Attempts.objects.get_or_create(key=key, defaults={"count": 1, "ends_at": now + PAUSE})
        if made:
            return True


def _give_back(names: list[str]) -> None:
    keys = [_key(name) for name in names]
    Attempts.objects.filter(key__in=keys, count__gt=0).update(count=F("count") - 1)


def _key(name: str) -> str:
    return hmac.new(settings.SECRET_KEY.encode(), b"attempts " + name.encode(), hashlib.sha256).hexdigest()


def network_of(address: str) -> str:
    """The address, of IPv6 its /64: whoever has one address there has all of them."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else str(found)
