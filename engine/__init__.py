"""Planning of accelerators as a pure function: `recommend(spec, market)` says what to run on, how long and at what cost.

Rooms, lowest first: `inputs` (what is asked, what models and hardware are), `answer` (what is said back), `physics` (one step,
one token), `reliability` (failures, checkpoints), `odds` (how sure), `money` (what it costs), `choice` (what is best), `kinds`
(training, service). Nothing here reads a file of a user, a clock or the network, and nothing is kept between calls.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.answer import Glance
    from engine.entry import glance, recommend

__all__ = ["Glance", "glance", "recommend"]
_HOMES = {"Glance": "engine.answer", "glance": "engine.entry", "recommend": "engine.entry"}


def __getattr__(name: str) -> Any:
    """The public names, imported when they are asked for: who needs a noun of `inputs` does not load the whole engine."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
