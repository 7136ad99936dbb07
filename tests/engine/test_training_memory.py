"""Memory, against measured peaks and by its laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.physics.layout import Spread
from engine.physics.memory import memory_parts
from engine.physics.profile import profile_of
from engine.physics.shape import shape_of
from tests.engine.devices import LLAMA_70B
from tests.engine.training_helpers import ASSUME

TWELVE_LAYERS = replace(LLAMA_70B, layers=12)


def spread(**changes: float) -> Spread:
    values = dict.fromkeys(Spread.__dataclass_fields__, 0.0)
    values |= {"sequence": 4096, "tp": 1, "pp": 1, "vpp": 1, "cp": 1, "ep": 1, "dp": 1, "zero": 1, "micro_batch": 1}
    values |= {"accumulation": 4, "kept": 1, "grad_bytes": 4, "trained": 1, "weight_bytes": 2, "optimizer_bytes": 12}
    return Spread(**{name: np.asarray(float(value)) for name, value in (values | changes).items()})


def allocated_gb(**changes: float) -> float:
    parts = memory_parts(shape_of(TWELVE_LAYERS), spread(**changes), profile_of("megatron-plain", ASSUME), ASSUME)
    return float(parts.allocated) / 1e9


@pytest.mark.parametrize(
    ("layout", "measured"),
    [
        ({"pp": 2, "dp": 4}, 71.458),
        ({"tp": 2, "dp": 4, "sequence_parallel": 1}, 65.155),
        ({"tp": 4, "dp": 2, "sequence_parallel": 1}, 41.951),
        ({"tp": 8, "dp": 1, "sequence_parallel": 1}, 30.376),
        ({"tp": 2, "cp": 4, "sequence_parallel": 1, "sequence": 32768}, 73.476),
    ],
)
def test_peaks_of_twelve_llama_layers_on_b200(layout: dict[str, float], measured: float) -> None:
    assert allocated_gb(**layout) == pytest.approx(measured, rel=0.05)


def test_each_zero_stage_holds_less() -> None:
    sizes = [allocated_gb(zero=stage, dp=8) for stage in (0, 1, 2, 3)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[3] < 0.5 * sizes[0]


def test_full_recomputation_keeps_only_boundaries() -> None:
    assert allocated_gb(kept=0, recompute=1, micro_batch=4) < allocated_gb(micro_batch=4) - 30


def test_frozen_four_bit_weights_need_a_fraction() -> None:
    assert allocated_gb(weight_bytes=0.56, trained=0.001) < 0.35 * allocated_gb()
