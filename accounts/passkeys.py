"""Passkeys (WebAuthn, level 2): made, and shown, to this site only. py_webauthn judges what a browser answers.

A challenge is kept in the session for one purpose, for five minutes and for one answer: a visitor's session is a cookie,
which could be sent again, so an answer that was right is remembered as long. The site's name and origin come
from SITE_URL, never from the request. A passkey that signs somebody in alone must have checked the person (PIN, finger,
face); one shown after a password need not have.
"""

from __future__ import annotations

import json
import time
from typing import Any, Final
from urllib.parse import urlsplit

import webauthn
from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest
from django.utils import timezone
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from accounts import audit, throttle
from accounts.authenticator import end_codes_without_factor
from accounts.models import Passkey, User
from accounts.typed import one_line

CHALLENGE_S: Final = 5 * 60
MOST: Final = 20
LONGEST_ID: Final = 1023  # bytes of a credential's id (WebAuthn level 2, section 4)
_KEY: Final = "challenge"
_OVER: Final = "This took too long or was answered already; try again."
# What text from outside that is no such answer makes the parsers raise; a deep nest is a RecursionError.
_ODD: Final = (WebAuthnException, ValueError, KeyError, TypeError, AttributeError, RecursionError)
_REQUIRED = UserVerificationRequirement.REQUIRED
_PREFERRED = UserVerificationRequirement.PREFERRED


class Refused(Exception):
    """The answer of the browser is not taken; the text says what to do."""


def site() -> tuple[str, str]:
    """The name under which passkeys are made (a host) and the origin they must come from, both of SITE_URL."""
    parts = urlsplit(settings.SITE_URL)
    return parts.hostname or "localhost", f"{parts.scheme}://{parts.netloc}"


def page(request: HttpRequest) -> dict[str, Any]:
    """What a page with a passkey button says: whether the visitor is at the address where passkeys work."""
    origin = site()[1]
    here = f"{request.scheme}://{request.get_host()}"
    return {"passkey_site": origin, "passkey_here": here == origin}


def to_make(request: HttpRequest, user: User) -> str:
    """Options, as JSON, for a browser to make a passkey of this person."""
    options = webauthn.generate_registration_options(
        rp_id=site()[0],
        rp_name="Sextant",
        user_id=user.public_id.encode(),  # opaque: a passkey tells nobody who its owner is
        user_name=user.email,
        user_display_name=str(user),
        exclude_credentials=[_descriptor(row) for row in Passkey.objects.filter(user=user)],
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=_REQUIRED
        ),
    )
    _keep(request, options.challenge, f"make {user.pk}")
    return webauthn.options_to_json(options)


def make(request: HttpRequest, user: User, *, answer: str, name: str) -> Passkey:
    """The new passkey, from the browser's answer; Refused with one sentence."""
    challenge = _spend(request, f"make {user.pk}")
    host, origin = site()
    try:
        found = webauthn.verify_registration_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=host,
            expected_origin=origin,
            require_user_verification=True,
        )
        transports = json.loads(answer).get("response", {}).get("transports", [])
    except _ODD as error:
        raise Refused("The passkey could not be checked; try again.") from error
    if len(found.credential_id) > LONGEST_ID:
        raise Refused("This device names its passkeys by more bytes than the standard allows; use another.")
    if Passkey.objects.filter(user=user).count() >= MOST:
        raise Refused(f"There are {MOST} passkeys already; remove one first.")
    try:
        with transaction.atomic():
            row = Passkey.objects.create(
                user=user,
                name=one_line(name)[:80] or "Passkey",
                credential_id=bytes_to_base64url(found.credential_id),
                public_key=found.credential_public_key,
                sign_count=found.sign_count,
                transports=_known(transports),
            )
            audit.record("passkey.added", row.public_id, team=None, actor=user, data={"name": row.name})
    except IntegrityError as error:
        raise Refused("This passkey is known already.") from error
    return row


def to_show(request: HttpRequest, user: User | None) -> str:
    """Options, as JSON, for a browser to show a passkey: of this person, or of whoever it has one of."""
    options = webauthn.generate_authentication_options(
        rp_id=site()[0],
        allow_credentials=[_descriptor(row) for row in Passkey.objects.filter(user=user)] if user else None,
        user_verification=_PREFERRED if user else _REQUIRED,
    )
    _keep(request, options.challenge, f"show {user.pk if user else 'any'}")
    return webauthn.options_to_json(options)


def show(request: HttpRequest, user: User | None, *, answer: str) -> User:
    """Whose passkey was shown; Refused with one sentence. With ``user``, only a passkey of theirs will do."""
    challenge = _spend(request, f"show {user.pk if user else 'any'}")
    row = _row_of(answer)
    if row is None or not row.user.is_active or (user is not None and row.user_id != user.pk):
        raise _refused(row, user, "not known here", "This passkey is not known here; was it removed?")
    host, origin = site()
    try:
        found = webauthn.verify_authentication_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=host,
            expected_origin=origin,
            credential_public_key=bytes(row.public_key),
            credential_current_sign_count=row.sign_count,
            require_user_verification=user is None,
        )
    except _ODD as error:
        reason = one_line(str(error))[:200]  # it repeats what the browser sent
        raise _refused(row, user, reason, "The passkey could not be checked; try again.") from error
    if not throttle.take({f"challenge {bytes_to_base64url(challenge)}": 1}):
        raise _refused(row, user, "answered twice", _OVER)
    # The condition refuses a second answer with the same count at the same moment.
    unchanged = Passkey.objects.filter(pk=row.pk, sign_count=row.sign_count)
    if not unchanged.update(sign_count=found.new_sign_count, last_used_at=timezone.now()):
        told = "The passkey was used elsewhere at the same moment; try again."
        raise _refused(row, user, "used elsewhere at the same moment", told)
    return row.user


def _refused(row: Passkey | None, user: User | None, reason: str, told: str) -> Refused:
    """What to raise, after recording it for the owner of the passkey, or for whom it was shown where nobody has it."""
    whose = row.user if row else user
    subject = row.public_id if row else user.public_id if user else "unknown"
    audit.record("passkey.refused", subject, team=None, actor=whose, data={"reason": reason})
    return Refused(told)


@transaction.atomic
def remove(row: Passkey, *, actor: User) -> None:
    """Forgets the passkey."""
    row.delete()
    end_codes_without_factor(row.user)
    audit.record("passkey.removed", row.public_id, team=None, actor=actor, data={"name": row.name})


def _row_of(answer: str) -> Passkey | None:
    try:
        shown = json.loads(answer)
        # Read and written anew, so that only its own alphabet reaches the database.
        credential_id = bytes_to_base64url(base64url_to_bytes(shown["rawId"]))
        handle = shown["response"].get("userHandle")
        row = Passkey.objects.select_related("user").filter(credential_id=credential_id).first()
        if row is not None and handle and base64url_to_bytes(handle) != row.user.public_id.encode():
            return None
    except _ODD:
        return None
    return row


def _keep(request: HttpRequest, challenge: bytes, purpose: str) -> None:
    request.session[_KEY] = {"value": bytes_to_base64url(challenge), "purpose": purpose, "at": time.time()}


def _spend(request: HttpRequest, purpose: str) -> bytes:
    kept = request.session.pop(_KEY, None)
    if not kept or kept["purpose"] != purpose or not 0 <= time.time() - kept["at"] < CHALLENGE_S:
        raise Refused(_OVER)
    return base64url_to_bytes(kept["value"])


def _descriptor(row: Passkey) -> PublicKeyCredentialDescriptor:
    transports = [AuthenticatorTransport(name) for name in row.transports]
    return PublicKeyCredentialDescriptor(id=base64url_to_bytes(row.credential_id), transports=transports or None)


def _known(transports: Any) -> list[str]:
    known = {item.value for item in AuthenticatorTransport}
    return sorted(known.intersection(map(str, transports))) if isinstance(transports, list) else []
