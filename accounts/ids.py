"""Opaque public ids: a short prefix that says what it is, and 120 random bits. Never a sequence number."""

from __future__ import annotations

import re
import secrets

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # without i, l, o, u: unambiguous when read aloud
_LENGTH = 24
MAX_LENGTH = 32
_SHAPE = re.compile(rf"[a-z]{{3,6}}_[{_ALPHABET}]{{{_LENGTH}}}")


def new_id(prefix: str) -> str:
    """A new id such as ``pln_7k3...``; ``prefix`` is three to six small letters."""
    if not re.fullmatch(r"[a-z]{3,6}", prefix):
        raise ValueError(f"An id prefix has three to six small letters, not {prefix!r}.")
    return prefix + "_" + "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))


def is_id(value: str) -> bool:
    """Whether ``value`` has the shape of an id; asked before a query sees text from outside."""
    return _SHAPE.fullmatch(value) is not None


# Django stores the name of a default in migrations, so each kind of row has a named one.


def team_id() -> str:
    """A new public id of a team."""
    return new_id("team")


def user_id() -> str:
    """A new public id of a user."""
    return new_id("usr")


def token_id() -> str:
    """A new public id of an API token."""
    return new_id("tok")


def event_id() -> str:
    """A new public id of an audit event."""
    return new_id("evt")


def job_id() -> str:
    """A new public id of a job."""
    return new_id("job")


def passkey_id() -> str:
    """A new public id of a passkey."""
    return new_id("psk")


def identity_id() -> str:
    """A new public id of an identity at a provider."""
    return new_id("idn")


def invitation_id() -> str:
    """A new public id of an invitation."""
    return new_id("inv")


def session_id() -> str:
    """A new public id of a session."""
    return new_id("ses")
