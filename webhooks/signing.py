"""Signatures of Standard Webhooks 1.0 (standardwebhooks.com): HMAC-SHA-256 over id, timestamp and body."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = 32


def new_secret() -> str:
    """A new secret: 256 random bits, in the form that every library of the standard takes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii")


def signatures(keys: Iterable[str], *, message_id: str, timestamp: int, body: bytes) -> str:
    """The header `webhook-signature`: one signature for each secret, so that a receiver may hold either.

    `timestamp` is the second of the attempt (Unix time): a receiver refuses one that is more than five minutes off.
    """
    signed = f"{message_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_mac(key, signed)}" for key in keys)


def _mac(key: str, signed: bytes) -> str:
    raw = base64.b64decode(key.removeprefix(PREFIX))
    return base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode("ascii")
