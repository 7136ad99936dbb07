"""How pages write a day: in one style, in a sentence, a table and a chart."""

from __future__ import annotations

import re
from datetime import date

_DAY = re.compile(r"(?<![\w./@-])\d{4}-\d{2}-\d{2}(?![\w/-])")


def plain_date(value: date | None) -> str:
    """“11 Jan 2027”; nothing for no day."""
    return f"{value.day} {value:%b %Y}" if value else ""


def dated(text: str) -> str:
    """That text with its days, “2027-01-11”, as pages write them; what is no day stays."""
    return _DAY.sub(_as_written, text)


def _as_written(found: re.Match[str]) -> str:
    try:
        return plain_date(date.fromisoformat(found[0]))
    except ValueError:
        return found[0]
