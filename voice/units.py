"""Units as they stand behind a number: codes and symbols are the same everywhere, the few nouns among them are words of a language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from voice.catalogs import Catalog

NOUNS: Mapping[str, str] = {
    "byte": "byte",
    "day": "day",
    "element": "element",
    "month": "month",
    "nodes": "nodes",
    "parameter": "parameter",
    "pass": "pass",
    "sequence": "sequence",
    "share": "share",
    "step": "step",
    "token": "token",
    "year": "year",
}
"""The nouns of units, by their code."""
_NOUN = re.compile(rf"\b({'|'.join(NOUNS)})\b")


def unit_in(unit: str, catalog: Catalog) -> str:
    """“USD/(GB Monat)” of “USD/(GB month)”."""
    return _NOUN.sub(lambda found: catalog.one(NOUNS[found[0]]), unit)
