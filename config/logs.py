"""How log lines look: JSON for machines in production, short coloured lines on a developer's screen."""

from __future__ import annotations

import logging
import re
from typing import Any

import structlog

_KEYS = ("/shared/", "/accounts/invitation/", "/accounts/reset/")
_KEYED = re.compile(rf"({'|'.join(_KEYS)})[^\s?#\"]+")
_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


def without_secret(path: str) -> str:
    """The path for the log: some addresses are themselves the key to what they lead to."""
    return next((f"{start}…" for start in _KEYS if path.startswith(start)), path)


class WithoutSecrets(logging.Filter):
    """Takes such keys out of what Django itself says of a request ("Not Found: /shared/…", "Forbidden (CSRF …): /shared/…")."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Always lets the record pass, with its paths made harmless."""
        if isinstance(record.args, tuple):
            record.args = tuple(_KEYED.sub(r"\1…", value) if isinstance(value, str) else value for value in record.args)
        record.__dict__.pop("request", None)  # a formatter that prints what it finds would print the address too
        return True


def configuration(*, level: str, as_json: bool) -> dict[str, Any]:
    """Configures structlog and returns Django's LOGGING, so that both kinds of logger print one shape on stderr."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Any = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(colors=False)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"without_secrets": {"()": WithoutSecrets}},
        "formatters": {
            "line": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": _SHARED,
                "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.request": {"filters": ["without_secrets"]},
            "django.security.csrf": {"filters": ["without_secrets"]},
            "django.server": {"handlers": [], "propagate": True, "filters": ["without_secrets"]},
            "celery": {"level": "WARNING" if level == "INFO" else level},
            "kombu": {"level": "WARNING" if level == "INFO" else level},
            "reportlab": {"level": "WARNING"},
        },
    }
