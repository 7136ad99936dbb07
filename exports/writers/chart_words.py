"""How a drawing in a document speaks: in the document's language, its numbers as the team writes them."""

from __future__ import annotations

from charts.words import Words
from exports.numbers import local, significant
from exports.wording import tr


def document_words() -> Words:
    """Equal for equal language, so that what is drawn with them can be remembered."""
    return Words(
        number=_number,
        value=significant,
        free=tr("Free up to {limit}"),
        span=tr("{low} to {high}"),
        band=tr("{label} (bar from {low} to {high}, mark at {middle})"),
    )


def _number(english: str) -> str:
    """A number on a figure: the team's separators, and a minus instead of a hyphen."""
    return local(english).replace("-", "−")
