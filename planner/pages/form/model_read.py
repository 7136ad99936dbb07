"""What a form's model was read as, so that whoever pasted a config sees at once that it was understood."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog.hf_config import parse_config
from catalog.presets import find_model
from engine.inputs.architecture import Architecture, counts_of
from engine.inputs.finding import Finding, Ref, Typed, Value, finding
from engine.inputs.spec import SpecError
from planner.telling import told

_SIZE = re.compile(r" \([\d.]+ [BM]\)$")


@dataclass(frozen=True, kw_only=True)
class ModelRead:
    """What the form says below its model; empty while there is none that can be read."""

    words: str = ""
    counts: str = ""
    """What its work is counted in: token, image, recording, text or sample."""


def model_read(draft: Mapping[str, Any]) -> ModelRead:
    """“OLMo-2-13B: 13.7 billion parameters, 40 layers.”, and what its work is counted in where that is no token."""
    try:
        model = _model(draft.get("model"))
    except (KeyError, SpecError):
        return ModelRead()
    if model is None:
        return ModelRead()
    counts = counts_of(model)
    said = [told(read_as(model))]
    if counts != "token":
        said.append(told(finding("model.counts", thing=Ref("word", f"many.{counts}"))))
    pasted = isinstance(draft.get("model"), Mapping)
    return ModelRead(words=" ".join([*said, model.notes] if pasted and model.notes else said), counts=counts)


def _model(given: object) -> Architecture | None:
    if isinstance(given, Mapping):
        return parse_config(given)
    return find_model(given[:200]) if isinstance(given, str) and given else None


def read_as(model: Architecture) -> Finding:
    """Name, size and depth of that model; of a mixture of experts what works on one token too."""
    # A config without a name is called by its family and size, and the size is told anyway.
    name = _SIZE.sub("", model.name)
    values: dict[str, Value] = {"name": Typed(name), "parameters": model.parameters}
    if not model.layers:
        return finding("model.read", **values)
    if model.active_parameters < model.parameters:
        return finding("model.read.experts", **values, active=model.active_parameters, layers=model.layers)
    return finding("model.read.layers", **values, layers=model.layers)
