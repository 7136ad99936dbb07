"""What fine-tuning adds to a step: adapters, unpacked weights, launches."""

from __future__ import annotations

import numpy as np
import pytest

from engine.inputs.hardware import Cluster
from engine.physics.chip import chip_of
from engine.physics.layout import Spread
from engine.physics.profile import profile_of
from engine.physics.shape import dense_layer_weights, shape_of
from engine.physics.step import StepTime, step_time
from engine.physics.tuning import unpacking_time
from tests.engine.devices import H100, LLAMA_8B
from tests.engine.training_helpers import ASSUME

SHAPE = shape_of(LLAMA_8B)
CHIP = chip_of(Cluster(device=H100, devices_per_node=8, nic_bandwidth=50e9, max_devices=64), "bf16", ASSUME)
ADAPTERS = 0.003


def spread(**changes: float) -> Spread:
    values = dict.fromkeys(Spread.__dataclass_fields__, 0.0)
    values |= {
        "sequence": 256,
        "tp": 1,
        "pp": 1,
        "vpp": 1,
        "cp": 1,
        "ep": 1,
        "dp": 1,
        "micro_batch": 1,
        "accumulation": 8,
    }
    values |= {"kept": 1, "grad_bytes": 2, "trained": 1, "weight_bytes": 2, "optimizer_bytes": 12}
    return Spread(**{name: np.asarray(float(value)) for name, value in (values | changes).items()})


def step(framework: str = "pytorch", **changes: float) -> StepTime:
    return step_time(SHAPE, spread(**changes), CHIP, profile_of(framework, ASSUME), ASSUME)


def test_four_bit_weights_are_unpacked_in_every_pass() -> None:
    """Three passes over 32 layers under full recomputation, for each of eight micro-batches."""
    small = step(weight_bytes=0.56, trained=ADAPTERS, recompute=1)
    moved = ASSUME["training.unpack_bytes"] * float(dense_layer_weights(SHAPE)) * 32 * 3 * 8
    expected = moved / float(CHIP.memory_rate) * ASSUME["training.stack.documented"]
    assert float(small.unpack) == pytest.approx(expected, rel=1e-6)
    assert float(unpacking_time(SHAPE, spread(), CHIP, ASSUME)) == 0


def test_short_sequences_wait_for_the_host_and_adapters_for_more_of_it() -> None:
    """A step of a few hundred tokens hardly gets shorter with fewer of them (QLoRA and LoRA tables of QwenLM/Qwen)."""
    few, fewer = (float(step(trained=ADAPTERS, sequence=tokens, recompute=1).total) for tokens in (64, 32))
    assert few == pytest.approx(fewer, rel=0.05)
    assert float(step(trained=ADAPTERS, sequence=32).host) > float(step(sequence=32).host)


def test_fused_adapters_cost_no_passes_of_their_own() -> None:
    eager, fused = (
        float(step(name, trained=ADAPTERS, sequence=8192).memory) / float(step(name, sequence=8192).memory)
        for name in ("pytorch", "megatron")
    )
    assert eager > 1.3
    assert fused == pytest.approx(1.0)


def test_fetching_weights_layer_by_layer_takes_the_host_of_deepspeed() -> None:
    extra = float(step("deepspeed", zero=3, sequence=32).host) - float(step("deepspeed", zero=1, sequence=32).host)
    slower = ASSUME["training.class.deepspeed"] * ASSUME["training.stack.documented"]
    assert extra == pytest.approx(32 * 8 * ASSUME["training.host_gather"] * slower, rel=1e-6)
