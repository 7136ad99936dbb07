"""Names of the engine's own few words; what the catalog names brings its name along."""

from __future__ import annotations

from collections.abc import Mapping

from engine.inputs.finding import Ref
from voice.catalogs import Catalog

TERMS: Mapping[str, Mapping[str, str]] = {
    "terms": {
        "on_demand": "on demand",
        "spot": "spot",
        "commit_1y": "one-year commitment",
        "commit_3y": "three-year commitment",
        "capacity_block": "capacity block",
        "owned": "owned",
    },
    "word": {
        "training": "training",
        "serving": "serving",
        "long_number": "a number of more than 18 digits",
        "list": "a list",
        "object": "an object",
        "nothing": "nothing",
        "other_value": "a value of another kind",
    },
}


def name_of(thing: Ref, catalog: Catalog, fields: Mapping[str, str]) -> str:
    """The owner's spelling; else our word for it. A field is quoted as a form labels it, or as the request spells it."""
    if thing.kind == "field":
        return f"“{fields.get(thing.id, thing.id[:120])}”"
    if thing.name:
        return thing.name
    known = TERMS.get(thing.kind, {}).get(thing.id)
    if known is not None:
        return catalog.one(known)
    return thing.id.upper() if thing.kind == "precision" else thing.id
