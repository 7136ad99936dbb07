"""How long a replica takes from the first paid second to its first answer (guide §3 item 9)."""

from __future__ import annotations

from typing import TypeVar

from engine.inputs.assumptions import Assumptions
from engine.physics.token.step import Numbers

Bytes = TypeVar("Bytes", float, Numbers)


def start_seconds(weights: Bytes, assume: Assumptions) -> Bytes:
    """Boot, weights from the store [byte], compilation and graphs, one after the other."""
    fixed = assume["serving.boot_s"] + assume["serving.compile_s"] + assume["serving.graphs_s"]
    return weights / 1e9 / assume["serving.load_gb_s"] + fixed
