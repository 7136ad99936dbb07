"""A Hugging Face config.json as an architecture: the same shape that a preset has."""

from __future__ import annotations

import re
from collections.abc import Mapping

from catalog.hf_families import FAMILIES, usual
from catalog.hf_reader import Config
from planner.engine.architecture import Architecture
from planner.engine.spec import Fault, SpecError

MOST_PARAMETERS = 1e14
_SLUG = re.compile(r"[^a-z0-9.]+")


def parse_config(data: object) -> Architecture:
    """The architecture that this config.json describes. SpecError names the key that is wrong, and what to change."""
    if not isinstance(data, Mapping) or not data:
        kind = {"list": "a list", "str": "a text", "NoneType": "empty"}.get(type(data).__name__, "not one")
        raise SpecError(Fault("model", "type", f"“model” must be a config.json object in braces; this is {kind}."))
    outer = Config({str(key): value for key, value in data.items()})
    config = outer.inner("text_config") if outer.data.get("text_config") is not None else outer
    family = config.text("model_type") or outer.text("model_type") or "unknown"
    if family not in FAMILIES and outer.flag("is_encoder_decoder", False):
        raise outer.fault(
            "model_type",
            "unsupported",
            f"is “{family}”, an encoder-decoder that cannot be read; give parameters and FLOPs per sample.",
        )
    fields = FAMILIES.get(family, usual)(config)
    arch = Architecture(
        slug=_slug(outer, family),
        name=_name(outer, family),
        family=family,
        source="config.json given with the request",
        notes=_notes(family, config is not outer),
        **fields,
    )
    if not 0 < arch.parameters <= MOST_PARAMETERS:
        raise SpecError(
            Fault(
                "model",
                "range",
                f"“model” has {arch.parameters:.3g} parameters; at most {MOST_PARAMETERS:.0e} are planned.",
            )
        )
    return arch


def _name(config: Config, family: str) -> str:
    path = config.text("_name_or_path").rstrip("/").split("/")[-1].strip()
    return path[:80] or f"{family} from config.json"


def _slug(config: Config, family: str) -> str:
    return _SLUG.sub("-", _name(config, family).lower()).strip("-.")[:80] or "config"


def _notes(family: str, inner: bool) -> str:
    notes = []
    if family not in FAMILIES:
        notes.append(f"The family “{family}” is not known; read as a Llama-like decoder.")
    if inner:
        notes.append("The text model only; other towers are left out.")
    return " ".join(notes)
