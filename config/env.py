"""Typed readers of environment variables. Only config/settings.py calls them.

Each reader returns its default when the variable is unset or empty, and raises ImproperlyConfigured with one
sentence (which variable, what is wrong, what to write) when the value makes no sense. Values of secrets are
never repeated in a message.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


def text(name: str, default: str = "") -> str:
    """The value of ``name``, without white space at its ends."""
    return os.environ.get(name, "").strip() or default


def boolean(name: str, default: bool) -> bool:
    """True or False; accepts 1/0, true/false, yes/no, on/off in any case."""
    value = text(name).lower()
    if not value:
        return default
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name} is {value!r}; write true or false.")


def integer(name: str, default: int, *, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``, both included."""
    value = text(name)
    if not value:
        return default
    if not value.isascii() or not value.isdigit() or not low <= int(value[:12]) <= high:
        raise ImproperlyConfigured(f"{name} is {value[:40]!r}; write a whole number from {low} to {high}.")
    return int(value)


def choice(name: str, default: str, *, options: Collection[str]) -> str:
    """One of ``options``."""
    value = text(name, default)
    if value not in options:
        raise ImproperlyConfigured(f"{name} is {value!r}; write one of {', '.join(sorted(options))}.")
    return value


def words(name: str) -> list[str]:
    """The comma-separated parts of ``name``; empty when it is unset."""
    return [part.strip() for part in text(name).split(",") if part.strip()]


def ports(name: str) -> list[int]:
    """The comma-separated port numbers of ``name``; empty when it is unset."""
    found = words(name)
    for word in found:
        if not word.isascii() or not word.isdigit() or not 0 < int(word[:6]) < 65536:
            raise ImproperlyConfigured(f"{name} holds {word[:40]!r}; write port numbers such as 443,8443.")
    return [int(word) for word in found]


def networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """The comma-separated networks of ``name``; empty when it is unset."""
    try:
        return [ipaddress.ip_network(word) for word in words(name)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}; write networks such as 10.20.0.0/16.") from error


def secret(name: str) -> str:
    """The secret ``name``, or the content of the file that ``NAME_FILE`` points to; empty when neither is set."""
    path = text(f"{name}_FILE")
    if not path:
        return text(name)
    if text(name):
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; keep one of them.")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise ImproperlyConfigured(f"{name}_FILE cannot be read: {reason}; point it to a text file.") from error


def redis_url(name: str) -> str:
    """A redis:// or rediss:// address (a secret: it may hold a password); empty when unset."""
    value = secret(name)
    if value:
        parts = _address(name, value)
        if parts.scheme not in {"redis", "rediss"} or not parts.hostname:
            raise ImproperlyConfigured(f"{name} is not a Redis address; write redis://HOST:PORT/DATABASE.")
    return value


def bucket(name: str) -> tuple[str, str] | None:
    """Bucket and folder of an s3://BUCKET/FOLDER address; None when unset."""
    value = text(name)
    if not value:
        return None
    parts = _address(name, value)
    if parts.scheme != "s3" or not parts.hostname or parts.port or parts.username:
        raise ImproperlyConfigured(f"{name} is not a bucket; write s3://BUCKET or s3://BUCKET/FOLDER.")
    return parts.netloc, parts.path.strip("/")


def postgres(name: str) -> dict[str, Any] | None:
    """Django's database settings for a postgresql:// address (a secret); None when unset."""
    value = secret(name)
    if not value:
        return None
    parts = _address(name, value)
    database = unquote(parts.path.lstrip("/"))
    if parts.scheme not in {"postgres", "postgresql"} or not database:
        raise ImproperlyConfigured(
            f"{name} is not a PostgreSQL address; write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, "
            "or leave it out to use SQLite."
        )
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": database,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "OPTIONS": dict(parse_qsl(parts.query)),
    }


def _address(name: str, value: str) -> SplitResult:
    try:
        parts = urlsplit(value)
        _ = parts.port  # reading it is what checks it
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is not an address; its host or port cannot be read.") from error
    return parts
