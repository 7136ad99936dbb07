"""Codes of authenticator apps (TOTP, RFC 6238: SHA-1, six digits, 30 seconds), and the codes that stand in for them."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets as random
import time
from datetime import timedelta
from typing import Final

import pyotp
import segno
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts import audit, letters, throttle
from accounts.models import AuditEvent, Authenticator, RecoveryCode, User
from accounts.secrets import seal, unseal

STEP_S: Final = 30
RECOVERY_CODES: Final = 10
OFFERED_FOR: Final = timedelta(hours=1)
_LETTERS = "23456789abcdefghjkmnpqrstuvwxyz"  # without 0, 1, i, l, o: read aloud and typed without doubt
_DIGITS = re.compile(r"\d{6}")


class WrongCode(Exception):
    """The code does not fit, was used before, or too many were tried; the text says which."""


def offer(user: User) -> str:
    """The secret to put into an app, in Base32: the one offered before, if it is not confirmed yet."""
    stale = Authenticator.objects.filter(user=user, confirmed_at=None, created_at__lt=timezone.now() - OFFERED_FOR)
    stale.delete()  # somebody may have seen it since
    row, made = Authenticator.objects.get_or_create(user=user, defaults={"secret": seal(pyotp.random_base32())})
    if not made and row.confirmed_at is not None:
        raise ValueError("There is an authenticator app already; turn it off first.")
    return unseal(row.secret)


def picture(user: User, secret: str) -> str:
    """The QR code of the secret as the address of a picture: black on white in both themes, or no camera would read it."""
    address = pyotp.TOTP(secret).provisioning_uri(name=user.email, issuer_name="Sextant")
    return segno.make(address, error="m").svg_data_uri(omitsize=True, dark="#000", light="#fff")


@transaction.atomic
def confirm(user: User, code: str) -> None:
    """Turns the app on, once a first code has shown that it holds the secret; WrongCode else."""
    row = Authenticator.objects.select_for_update().filter(user=user, confirmed_at=None).first()
    if row is None:
        raise WrongCode("There is no authenticator app to confirm; begin again.")
    if not _accept(row, code):
        raise WrongCode("This code does not fit; check that the phone's clock is right and type the newest one.")
    Authenticator.objects.filter(pk=row.pk).update(confirmed_at=timezone.now())
    audit.record("authenticator.added", user.public_id, team=None, actor=user)


@transaction.atomic
def remove(user: User) -> bool:
    """Turns the app off; False when there was none."""
    gone = Authenticator.objects.filter(user=user).exclude(confirmed_at=None).delete()[0] > 0
    if gone:
        audit.record("authenticator.removed", user.public_id, team=None, actor=user)
        end_codes_without_factor(user)
    return gone


def end_codes_without_factor(user: User) -> None:
    """Recovery codes stand in for a second factor: with the last factor they end, and do not wait for the next one."""
    if not (Authenticator.objects.filter(user=user).exclude(confirmed_at=None).exists() or user.passkeys.exists()):
        RecoveryCode.objects.filter(user=user).delete()


def check(user: User, typed: str, *, place: str) -> str:
    """What was shown: ``authenticator`` or ``recovery code``. WrongCode for all else, counted against the account at that
    known place, or against all strangers."""
    limits = throttle.codes(user.pk, place=place)
    if not throttle.take(limits):
        _tell_of_guessing(user)
        raise WrongCode("Too many codes were tried; wait 15 minutes and try again.")
    code = "".join(typed.split()).lower()
    if _DIGITS.fullmatch(code):
        row = Authenticator.objects.filter(user=user).exclude(confirmed_at=None).first()
        shown = "authenticator" if row is not None and _accept(row, code) else ""
    else:
        shown = "recovery code" if code and _use(user, code) else ""
    if not shown:
        audit.record("code.refused", user.public_id, team=None, actor=user)
        raise WrongCode("This code does not fit or was used already; type the newest one of the app.")
    throttle.forget(limits)
    return shown


def _tell_of_guessing(user: User) -> None:
    """Records, and tells the person, once in a pause: whoever types codes here knows the first factor already."""
    lately = AuditEvent.objects.filter(
        subject=user.public_id, verb="second_factor.paused", at__gt=timezone.now() - throttle.PAUSE
    )
    if not lately.exists():
        audit.record("second_factor.paused", user.public_id, team=None, actor=user)
        letters.changed(user, f"Somebody who had shown your first factor typed {throttle.CODES} wrong codes.")


@transaction.atomic
def new_recovery_codes(user: User) -> list[str]:
    """Ten codes to show once; those of before end."""
    codes = [_new_code() for _ in range(RECOVERY_CODES)]
    RecoveryCode.objects.filter(user=user).delete()
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, digest=_digest(user, code)) for code in codes)
    audit.record("recovery_codes.made", user.public_id, team=None, actor=user, data={"count": len(codes)})
    return codes


def recovery_codes_left(user: User) -> int:
    """How many recovery codes can still be used."""
    return RecoveryCode.objects.filter(user=user, used_at=None).count()


def _accept(row: Authenticator, code: str) -> bool:
    """Whether the code is that of now, the step before or after, and of a later step than any accepted before."""
    generator, now = pyotp.TOTP(unseal(row.secret)), int(time.time()) // STEP_S
    typed = "".join(code.split())
    fitting = [
        step for step in (now - 1, now, now + 1) if pyotp.utils.strings_equal(typed, generator.generate_otp(step))
    ]
    # The condition is what refuses a replay, also of two requests at the same moment.
    return any(
        Authenticator.objects.filter(pk=row.pk, last_step__lt=step).update(last_step=step) == 1 for step in fitting
    )


@transaction.atomic
def _use(user: User, code: str) -> bool:
    digest = _digest(user, code)
    used = RecoveryCode.objects.filter(user=user, digest=digest, used_at=None).update(used_at=timezone.now())
    if used:
        audit.record("recovery_code.used", user.public_id, team=None, actor=user)
    return used == 1


def _new_code() -> str:
    """Twelve letters (59 bits) in three groups."""
    return "-".join("".join(random.choice(_LETTERS) for _ in range(4)) for _ in range(3))


def _digest(user: User, code: str) -> str:
    plain = f"recovery {user.pk} {code.replace('-', '')}"
    return hmac.new(settings.TOKEN_PEPPER.encode(), plain.encode(), hashlib.sha256).hexdigest()
