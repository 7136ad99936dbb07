"""Secrets that must be readable again (of authenticator apps, of webhooks) are stored sealed, never as they are.

A sealed text is a Fernet token: encrypted with AES-128-CBC, authenticated with HMAC-SHA-256. Its key is derived by HKDF
(RFC 5869) from ``SECRETS_KEY``. Several keys may be given, newest first: the first seals, all of them unseal, and
``manage.py reseal`` seals everything anew under the first, so that an old one can be dropped.
"""

from __future__ import annotations

import base64
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import models

_PURPOSE = b"sextant: secrets at rest, version 1"


class BrokenSeal(Exception):
    """A sealed text was changed, or none of today's keys made it."""


class SealedText(models.TextField):  # type: ignore[type-arg]  # no argument at run time
    """A column that holds what `seal` returned. Marks it for ``manage.py reseal``; it does not seal by itself."""


def seal(text: str) -> str:
    """The text, encrypted under the newest key: about 4/3 of its length and 100 characters, all of them ASCII."""
    return _box().encrypt(text.encode()).decode("ascii")


def unseal(sealed: str) -> str:
    """The text that was sealed; BrokenSeal when it was changed or its key is gone."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise BrokenSeal("A stored secret cannot be read: is the key that sealed it still in SECRETS_KEY?") from None


def reseal(sealed: str) -> str:
    """The same secret under the newest key; BrokenSeal as for `unseal`."""
    return seal(unseal(sealed))


def _box() -> MultiFernet:
    return _box_of(tuple(settings.SECRETS_KEYS))


@lru_cache(maxsize=4)
def _box_of(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived(key))) for key in keys])


def _derived(key: str) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=_PURPOSE).derive(key.encode())
