"""Memory, against measured peaks and by its laws."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.inputs.architecture import Architecture
from engine.kinds.training.parts import memory_block
from engine.odds.bands import memory_band
from engine.physics.activations import POLICIES, Tensors, stored, tensors_of
from engine.physics.holding import holding_of
from engine.physics.layout import Spread
from engine.physics.memory import MemoryParts, memory_parts
from engine.physics.profile import profile_of
from engine.physics.shape import shape_of
from engine.physics.tuning import adapter_weights
from tests.engine.devices import LLAMA_8B, LLAMA_70B
from tests.engine.training_helpers import ASSUME

TWELVE_LAYERS = replace(LLAMA_70B, layers=12)


def spread(**changes: float) -> Spread:
    values = dict.fromkeys(Spread.__dataclass_fields__, 0.0)
    values |= {"sequence": 4096, "tp": 1, "pp": 1, "vpp": 1, "cp": 1, "ep": 1, "dp": 1, "zero": 1, "micro_batch": 1}
    values |= {"accumulation": 4, "kept": 1, "grad_bytes": 4, "trained": 1, "weight_bytes": 2, "optimizer_bytes": 12}
    return Spread(**{name: np.asarray(float(value)) for name, value in (values | changes).items()})


def parts_of(framework: str, **changes: float) -> MemoryParts:
    shape, habits = shape_of(TWELVE_LAYERS), holding_of(framework, ASSUME)
    return memory_parts(shape, spread(**changes), profile_of(framework, ASSUME), habits, ASSUME)


def allocated_gb(framework: str = "megatron-plain", **changes: float) -> float:
    return float(parts_of(framework, **changes).allocated) / 1e9


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


def test_activations_of_single_precision_take_twice_as_much() -> None:
    """In BF16 and in FP32 a ResNet-50 kept 46 GB of activations alike, and "fitted" where FP32 runs out of memory."""
    half, single = (parts_of("fsdp", weight_bytes=size, micro_batch=2) for size in (2, 4))
    assert float(single.activations) == pytest.approx(2 * float(half.activations))


@pytest.mark.parametrize(("arch", "millions"), [(LLAMA_8B, 41.94), (LLAMA_70B, 207.09)])
def test_adapters_have_two_matrices_beside_each_linear_one(arch: Architecture, millions: float) -> None:
    """As PEFT prints it for all linear matrices at rank 16."""
    assert adapter_weights(shape_of(arch), 16) / 1e6 == pytest.approx(millions, abs=0.01)


GPT = replace(LLAMA_70B, kv_heads=64, ffn=4 * 8192, gated=False)


def tensors(framework: str, **changes: float) -> Tensors:
    return tensors_of(shape_of(GPT), spread(**changes), holding_of(framework, ASSUME), ASSUME)


def test_activations_of_a_fused_gpt_layer_are_those_of_the_closed_form() -> None:
    """Korthikanti et al. 2022 (arXiv 2205.05198), equation 2: 34 bytes a token and hidden unit, 2 of them dropout masks."""
    tokens_and_hidden = 4096 * 8192
    assert float(tensors("megatron").whole) == pytest.approx(32 * tokens_and_hidden)
    assert float(tensors("megatron", tp=8, sequence_parallel=1).whole) == pytest.approx(32 / 8 * tokens_and_hidden)
    # Without sequence parallelism the inputs and outputs of both norms stay whole (equation 1).
    assert float(tensors("megatron", tp=8).whole) == pytest.approx((8 + 24 / 8) * tokens_and_hidden)


def test_a_layer_norm_keeps_no_copies_that_an_rms_norm_of_several_kernels_keeps() -> None:
    """Under autocast its input in FP32 and its output in 16 bits, 4 bytes beyond the input in 16 bits that is counted by itself; in FP32
    input and output as they are."""
    both, elements = [replace(GPT, norm_weights=count) for count in (1, 2)], 2 * 4096 * 8192  # two norms of a layer

    def held(framework: str, wide: float) -> list[float]:
        habits, layout = holding_of(framework, ASSUME), spread(weight_bytes=wide)
        return [float(tensors_of(shape_of(arch), layout, habits, ASSUME).norm_out) / elements for arch in both]

    assert held("pytorch", 2.0) == pytest.approx([10.0, 4.0])
    assert held("pytorch", 4.0) == pytest.approx([20.0, 4.0])
    assert held("megatron", 2.0) == pytest.approx([2.0, 2.0])


def test_scores_are_kept_by_unfused_attention_alone() -> None:
    """The same paper: five bytes for each score and head."""
    assert float(tensors("megatron").scores) == 0
    assert float(tensors("megatron-2022").scores) == pytest.approx(5 * 4096 * 4096 * 64)


@pytest.mark.parametrize(
    ("policy", "kept"), [("all", 32), ("core", 32), ("light", 20), ("wide", 12), ("operators", 11)]
)
def test_a_policy_says_which_tensors_stay(policy: str, kept: float) -> None:
    """In bytes a token and hidden unit; the layer's input is among them. A list of operators keeps the outputs of every
    second product (half of 3 + 1 + 4 + 1 widths) and the attention's, beside the layer's input."""
    which = spread(policy=POLICIES.index(policy))
    boundary = np.asarray(2.0 * 4096 * 8192)
    held = stored(tensors("megatron"), which, boundary)
    assert float(held) == pytest.approx(
        kept * 4096 * 8192 + (2 * 4096 * 8192 if policy == "operators" else 0), rel=0.02
    )


def test_layers_that_run_again_keep_their_input() -> None:
    boundary = np.asarray(2.0 * 4096 * 8192)
    whole, none = (float(stored(tensors("megatron"), spread(kept=share), boundary)) for share in (1.0, 0.0))
    assert none == pytest.approx(2 * 4096 * 8192)
    assert float(stored(tensors("megatron"), spread(kept=27 / 32), boundary)) == pytest.approx(
        none + 27 / 32 * (whole - none)
    )


def test_kernels_one_by_one_keep_more_than_fused_ones() -> None:
    assert allocated_gb("fsdp", dp=64, zero=3) > 1.2 * allocated_gb("fsdp-compiled", dp=64, zero=3)


def test_the_update_counts_only_where_it_is_the_peak() -> None:
    """Without activations to speak of, the optimizer's temporaries are the peak; with many of them they change nothing."""
    short = parts_of("pytorch", sequence=16)
    assert float(short.update) > 0.9 * 4 * 12e9
    assert float(parts_of("pytorch", micro_batch=64).update) == 0


def test_vocabulary_tables_stay_wide_under_quantised_layers() -> None:
    """Meta-Llama-3-70B's two tables of 128,256 rows in 16 bits are more than twelve layers in 4 bits."""
    tables = 2 * 2 * LLAMA_70B.vocab * LLAMA_70B.hidden
    layers = 0.56 * (TWELVE_LAYERS.parameters - 2 * LLAMA_70B.vocab * LLAMA_70B.hidden)
    assert float(parts_of("pytorch", weight_bytes=0.56).weights) == pytest.approx(tables + layers, rel=0.02)


def test_a_peak_near_the_capacity_may_not_fit() -> None:
    """Half of the peaks lie above the expected one, and kernels one by one scatter more."""
    parts = parts_of("fsdp")
    total = float(parts.total)
    wide, narrow = memory_band("fsdp", ASSUME), memory_band("megatron", ASSUME)
    assert memory_block(parts, total, wide).probability_fits == pytest.approx(0.5)
    assert (
        0.9
        < memory_block(parts, 1.3 * total, wide).probability_fits
        < memory_block(parts, 1.3 * total, narrow).probability_fits
    )  # type: ignore[operator]
