"""An uploaded logo becomes a small PNG of our own making: decoded within limits, laid on white, encoded anew."""

from __future__ import annotations

import warnings
from io import BytesIO

from PIL import Image, ImageOps

from exports.brand import Logo
from incoming.package import Refused

MOST_BYTES = 1024 * 1024
MOST_PIXELS = 12_000_000
LEAST_SIDE = 16
SHAPE = 12
"""Longest side over the shortest: a thinner picture could not be seen in a header."""
KEPT = (1000, 400)
"""Most pixels of what is kept: sharp in print at the size of a letterhead."""


def clean_logo(data: bytes) -> Logo:
    """The picture as PNG without anything but its pixels. Refused with one sentence for what is no plain PNG or JPEG."""
    if len(data) > MOST_BYTES:
        raise Refused(f"The logo has {len(data) / 2**20:.1f} MiB: upload a PNG or JPEG of at most 1 MiB.")
    if data.lstrip()[:5].lower() in (b"<?xml", b"<svg ", b"<svg>"):
        raise Refused(
            "The logo is an SVG, which can hold programs: save it as PNG, 1,000 pixels wide, and upload that."
        )
    try:
        with warnings.catch_warnings(), Image.open(BytesIO(data), formats=("PNG", "JPEG")) as picture:
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            _check_size(*picture.size)
            picture.load()
            flat = _on_white(ImageOps.exif_transpose(picture))
    except Refused:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise Refused("The logo promises far too many pixels: scale it to 1,000 pixels or less.") from error
    except Exception as error:  # a hostile picture fails anywhere inside the decoder, with any exception
        raise Refused("The logo cannot be read: upload a PNG or JPEG picture.") from error
    flat.thumbnail(KEPT, Image.Resampling.LANCZOS)
    kept = BytesIO()
    flat.save(kept, "PNG", optimize=True)
    return Logo(kept.getvalue(), *flat.size)


def _check_size(width: int, height: int) -> None:
    """Before a pixel is decoded: the header alone says how much memory the picture would take."""
    if width * height > MOST_PIXELS:
        raise Refused(f"The logo has {width:,} × {height:,} pixels: scale it to 1,000 pixels or less.")
    if min(width, height) < LEAST_SIDE or max(width, height) > SHAPE * min(width, height):
        raise Refused(
            f"The logo has {width:,} × {height:,} pixels: it needs {LEAST_SIDE} each way and a shape no longer than {SHAPE} to 1."
        )


def _on_white(picture: Image.Image) -> Image.Image:
    """Opaque RGB: a transparent logo stands on white, as it does on paper."""
    full = picture.convert("RGBA")
    ground = Image.new("RGBA", full.size, "white")
    ground.alpha_composite(full)
    return ground.convert("RGB")
