"""What is taken of an uploaded logo or template, as JSON carries it: read in a process of its own (`incoming.apart`)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

from exports.brand import Logo
from exports.branding.deck import deck_template
from exports.branding.logo import clean_logo
from exports.branding.word import word_template
from incoming.apart import read_apart


def logo_of(data: bytes) -> Logo:
    """The uploaded picture as we keep it. Refused."""
    found = read_apart(f"{__name__}:logo", data)
    return Logo(b64decode(found["png"]), found["width"], found["height"])


def check_word(data: bytes) -> None:
    """Refused for a Word template that cannot be taken over."""
    read_apart(f"{__name__}:word", data)


def colours_of_slides(data: bytes) -> dict[str, str]:
    """The theme's colours of a PowerPoint template. Refused for one that cannot be taken over."""
    return dict(read_apart(f"{__name__}:slides", data))


def logo(data: bytes) -> dict[str, Any]:
    """The picture as PNG in base64, with its size."""
    found = clean_logo(data)
    return {"png": b64encode(found.png).decode(), "width": found.width, "height": found.height}


def word(data: bytes) -> None:
    """Nothing: that it can be read is the answer."""
    word_template(data)


def slides(data: bytes) -> dict[str, str]:
    """Colours by the theme's name."""
    return deck_template(data).colours
