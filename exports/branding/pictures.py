"""Pictures of a template: looked at before they are taken over, whatever their name says."""

from __future__ import annotations

import warnings
from io import BytesIO

from PIL import Image

from exports.branding.package import PICTURES, Parts
from incoming.package import Refused

MOST_PIXELS = 40_000_000


def picture_of(parts: Parts, name: str) -> tuple[bytes, str]:
    """Its bytes and media type. Refused for other kinds than PNG, JPEG and GIF, and for what is none of them."""
    ending = name.rpartition(".")[2].lower()
    if ending not in PICTURES or name not in parts.by_name:
        raise Refused(f"The template shows a picture of the kind {ending[:8].upper() or 'unknown'}: use PNG or JPEG.")
    data = parts.by_name[name]
    try:
        with warnings.catch_warnings(), Image.open(BytesIO(data), formats=("PNG", "JPEG", "GIF")) as picture:
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            if picture.width * picture.height > MOST_PIXELS:
                raise Refused("A picture of the template has more than 40 million pixels: scale it down.")
            picture.verify()
    except Refused:
        raise
    except Exception as error:  # a hostile picture fails anywhere inside the decoder, with any exception
        raise Refused(f"A picture of the template cannot be read (“{name[-60:]}”): replace it.") from error
    return data, PICTURES[ending]
