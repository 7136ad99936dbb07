"""A choice held against others that are drawn at random: which numbers a request draws, the same on every machine."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, replace

import numpy as np

from engine.choice.select import Ints
from engine.inputs.spec import Spec

DRAWN = 16
"""Others that are drawn: so many are costed exactly within some ten milliseconds."""


def drawn_places(spec: Spec, many: int) -> Ints:
    """Places in a list of so many, the best first, without repeats: the better half is drawn more than twice as often as
    the other, since what is far dearer can hardly be the better choice."""
    if many <= DRAWN:
        return np.arange(many)
    share = np.random.default_rng(_seed(spec)).random(4 * DRAWN) ** 2
    places = dict.fromkeys((share * many).astype(np.int64).tolist())
    return np.array(list(places)[:DRAWN], dtype=np.int64)


def _seed(spec: Spec) -> int:
    """A number of the request itself, whatever it is called and in whichever currency it is shown."""
    same = replace(spec, name="", cost_centre="", tags={}, currency="USD")
    return zlib.crc32(json.dumps(asdict(same), sort_keys=True, default=str).encode())
