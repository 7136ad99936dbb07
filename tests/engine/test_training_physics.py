"""Single physical terms, against what can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.inputs.architecture import Architecture, Moe, Ssm
from engine.inputs.hardware import Cluster
from engine.inputs.spec import FixedLayout
from engine.kinds.training.best import describe, search
from engine.kinds.training.flops import matmul_flops, train_flops
from engine.physics.chip import Chip, chip_of
from engine.physics.columns import Array
from engine.physics.compute import _attention_rate
from engine.physics.layout import Spread
from engine.physics.network import expert_time
from engine.physics.profile import FRAMEWORKS, Stack, profile_of
from engine.physics.shape import shape_of
from engine.physics.step import stage_terms, step_time
from engine.physics.token.shape import shape_of as token_shape
from tests.engine.devices import H100, LLAMA_8B, LLAMA_70B, NODES, QWEN_MOE
from tests.engine.training_helpers import ASSUME, work

HYBRID = Architecture(
    slug="hybrid",
    name="Hybrid",
    family="hybrid",
    layers=52,
    attention_layers=6,
    ffn_layers=23,
    hidden=2688,
    heads=32,
    kv_heads=2,
    head_dim=128,
    gated=False,
    vocab=131072,
    norms_per_layer=1,
    ssm=Ssm(layers=23, heads=64, head_dim=64, state=128),
    moe=Moe(experts=128, top_k=6, expert_ffn=1856, shared_experts=1, shared_ffn=3712),
)


def spread(**changes: float) -> Spread:
    values = dict.fromkeys(Spread.__dataclass_fields__, 0.0)
    values |= dict.fromkeys(("tp", "pp", "vpp", "cp", "ep", "dp", "zero", "micro_batch", "kept", "trained"), 1.0)
    values |= {"sequence": 4096, "accumulation": 8, "grad_bytes": 2, "weight_bytes": 2, "optimizer_bytes": 12}
    return Spread(**{name: np.asarray(float(value)) for name, value in (values | changes).items()})


def seconds(arch: Architecture, framework: str = "megatron", chip: Chip | None = None, **layout: float) -> float:
    chip = chip or chip_of(NODES, "bf16", ASSUME)
    return float(step_time(shape_of(arch), spread(**layout), chip, profile_of(framework, ASSUME), ASSUME).total)


def exchange(framework: str, chip: Chip, **layout: float) -> float:
    free: Array = np.zeros(())
    return float(expert_time(shape_of(QWEN_MOE), spread(**layout), chip, profile_of(framework, ASSUME), free, ASSUME))


def test_a_token_goes_once_to_each_rank_that_holds_one_of_its_experts() -> None:
    chip = chip_of(NODES, "bf16", ASSUME)
    once, often = exchange("megatron", chip, ep=8), exchange("deepspeed", chip, ep=8)
    # 8 of 128 experts on 8 ranks: 7 · (1 − (7/8)^8) other ranks against 8 · 7/8 copies.
    assert once / often == pytest.approx(7 * (1 - (7 / 8) ** 8) / 7, rel=0.02)


def test_experts_beyond_the_scale_up_domain_wait_for_their_own_network_link() -> None:
    chip = chip_of(NODES, "bf16", ASSUME)
    fast = chip_of(replace(NODES, nic_bandwidth=400e9), "bf16", ASSUME)
    assert exchange("megatron", chip, ep=32) > 2 * exchange("megatron", chip, ep=8)
    assert exchange("megatron", fast, ep=32) < 0.5 * exchange("megatron", chip, ep=32)


def test_a_torus_shares_its_links_among_passing_messages() -> None:
    device = replace(H100, scaleup_domain=256, scaleup_name="ICI 2D torus", runtime="xla", generation="tpu-v6e")
    torus = chip_of(Cluster(device=device, devices_per_node=8, nic_bandwidth=25e9, max_devices=256), "bf16", ASSUME)
    switched = replace(torus, torus=np.zeros(()))
    assert exchange("maxtext", torus, ep=64) == pytest.approx(4 * exchange("maxtext", switched, ep=64), rel=0.05)
    assert exchange("maxtext", torus, ep=4) == pytest.approx(exchange("maxtext", switched, ep=4))


def test_an_oversubscribed_fabric_is_slower_only_between_nodes() -> None:
    shared = ASSUME.override({"training.oversubscription": 2.0})
    assert float(chip_of(NODES, "bf16", shared).nic) == pytest.approx(float(chip_of(NODES, "bf16", ASSUME).nic) / 2)
    assert float(chip_of(NODES, "bf16", shared).link) == float(chip_of(NODES, "bf16", ASSUME).link)


def test_bridges_that_join_two_leave_the_rest_of_a_node_to_the_hosts_bus() -> None:
    """Eight H100 NVL in one server were eight H100 with NVLink throughout; services had it right."""
    bridged = replace(NODES, device=replace(H100, scaleup_domain=2, pcie_bandwidth=64e9))
    whole, pairs = (chip_of(cluster, "bf16", ASSUME) for cluster in (NODES, bridged))
    sharded = {"zero": 3.0, "dp": 8.0, "micro_batch": 1.0, "accumulation": 1.0}
    assert seconds(LLAMA_8B, "fsdp", pairs, **sharded) > 1.5 * seconds(LLAMA_8B, "fsdp", whole, **sharded)
    boards = replace(NODES, devices_per_node=16, device=replace(H100, scaleup_domain=8))
    assert float(chip_of(boards, "bf16", ASSUME).joined) == 16, "two boards with switches are one fabric"
    two = {"tp": 2.0, "sequence_parallel": 1.0}
    assert seconds(LLAMA_8B, chip=pairs, **two) == pytest.approx(seconds(LLAMA_8B, chip=whole, **two))
    four = {"tp": 4.0, "sequence_parallel": 1.0}
    assert seconds(LLAMA_8B, chip=pairs, **four) > seconds(LLAMA_8B, chip=whole, **four)


def test_single_precision_exchanges_and_passes_on_twice_as_much() -> None:
    chip = chip_of(NODES, "bf16", ASSUME)
    for layout in ({"zero": 3.0, "dp": 16.0}, {"tp": 8.0}):
        half, single = (
            seconds(LLAMA_8B, "fsdp", chip, weight_bytes=size, accumulation=1.0, **layout) for size in (2.0, 4.0)
        )
        assert single > 1.02 * half


@pytest.mark.parametrize(("layers", "whole"), [(26, 4), (34, 5), (62, 10)])
def test_services_and_training_count_the_same_layers_with_a_window(layers: int, whole: int) -> None:
    """Gemma 3 of 1, 4 and 27 billion: every sixth layer sees all (arXiv 2503.19786, section 2.1)."""
    arch = replace(LLAMA_8B, layers=layers, window=1024, global_every=6)
    assert arch.global_layers == whole
    assert float(shape_of(arch).window_share) == pytest.approx(1 - whole / layers)
    assert token_shape(arch).score_full == pytest.approx(whole / (layers - whole) * token_shape(arch).score_window)


def test_the_last_stage_gets_the_spare_layers() -> None:
    arch = replace(LLAMA_70B, layers=61)
    terms = stage_terms(shape_of(arch), spread(pp=16.0), profile_of("megatron", ASSUME), ASSUME)
    # 16 stages of 4 hold 64 layers: three are spare. Older frameworks move one at most.
    assert (float(terms.widest), float(terms.lighter)) == (4.0, 3.0)
    old = stage_terms(shape_of(arch), spread(pp=16.0), profile_of("megatron-2022", ASSUME), ASSUME)
    assert float(old.lighter) == 1.0


def test_older_attention_kernels_are_slower_on_long_sequences() -> None:
    times = [seconds(LLAMA_8B, name, sequence=32768.0) for name in ("fsdp", "fsdp-2023")]
    assert 1.1 < times[1] / times[0] < 2.0


def test_a_head_narrower_than_a_systolic_array_is_padded() -> None:
    narrow = replace(LLAMA_8B, heads=64, kv_heads=16, head_dim=64)
    tpu = replace(H100, generation="tpu-v5p", runtime="xla")
    chip = chip_of(replace(NODES, device=tpu), "bf16", ASSUME)
    loss = {}
    for name, one in (("tpu", chip), ("gpu", chip_of(NODES, "bf16", ASSUME))):
        loss[name] = seconds(narrow, "maxtext", one, sequence=65536.0) / seconds(
            LLAMA_8B, "maxtext", one, sequence=65536.0
        )
    assert loss["tpu"] > loss["gpu"] > 1.0


def test_a_window_costs_less_than_the_whole_sequence_and_more_than_nothing() -> None:
    whole, windowed = seconds(LLAMA_8B, sequence=65536.0), seconds(replace(LLAMA_8B, window=1024), sequence=65536.0)
    none = seconds(replace(LLAMA_8B, attention="none"), sequence=65536.0)
    assert none < windowed < 0.7 * whole


def test_a_window_that_is_a_mask_saves_nothing() -> None:
    """PyTorch's own attention as documented works through all keys, those of the future too; a kernel asked by name skips them."""
    windowed = replace(LLAMA_8B, window=1024)
    whole, masked = (seconds(arch, "pytorch", sequence=65536.0) for arch in (LLAMA_8B, windowed))
    assert masked > 1.3 * whole
    chip, layout = chip_of(NODES, "bf16", ASSUME), spread(sequence=65536.0)

    def attention(stack: Stack, arch: Architecture = windowed) -> float:
        return float(
            step_time(shape_of(arch), layout, chip, profile_of("pytorch", ASSUME, stack=stack), ASSUME).attention
        )

    usual, own, named = (attention(stack) for stack in (Stack(), Stack(tuning="own"), Stack(attention="flash-2")))
    assert usual == pytest.approx(2.0 * attention(Stack(), LLAMA_8B), rel=1e-6)
    assert named < 0.1 * usual
    assert own < 0.1 * usual
    short = replace(LLAMA_8B, window=65536)
    assert seconds(short, "pytorch", sequence=65536.0) == pytest.approx(whole), "no mask where the window holds all"


def test_a_hybrid_counts_each_block_once() -> None:
    tables = HYBRID.vocab * HYBRID.hidden
    assert HYBRID.parameters == pytest.approx(31.6e9, rel=0.002)
    # Beyond the embedding, nearly every active weight multiplies once for each token.
    assert matmul_flops(HYBRID) == pytest.approx(2 * (HYBRID.active_parameters - tables), rel=0.01)
    dense = replace(HYBRID, ssm=None, attention_layers=0)
    assert seconds(HYBRID, sequence=262144.0) < seconds(dense, sequence=262144.0)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_framework_has_a_positive_time(framework: str) -> None:
    assert 0.1 < seconds(LLAMA_8B, framework, micro_batch=1.0, recompute=1.0) < 60.0


@pytest.mark.parametrize("framework", ["auto", "fsdp", "deepspeed"])
def test_a_row_of_the_search_is_what_its_description_says(framework: str) -> None:
    for arch in (LLAMA_70B, QWEN_MOE, HYBRID):
        job = work(arch, framework=framework, sequence_length=4096)
        rows = search(job, [NODES], max_count=128, assume=ASSUME).rows
        for place in range(0, len(rows), 3):
            detail = describe(job, NODES, rows, place, ASSUME)
            assert detail.step_time_s.expected == pytest.approx(float(rows.step_time_s[place]), rel=1e-9)
            assert detail.memory.total_gb.expected * 1e9 == pytest.approx(float(rows.memory_bytes[place]), rel=1e-9)


def test_context_parallel_exchange_is_a_ring_or_all_to_all() -> None:
    job = work(LLAMA_8B, fixed=FixedLayout(count=8, tp=1, pp=1, cp=8))
    ring = search(job, [NODES], max_count=8, assume=ASSUME).rows
    heads = ASSUME.override({"training.cp_all_to_all": 1.0})
    exchanged = search(job, [NODES], max_count=8, assume=heads).rows
    parts = [
        {part.key: part.value for part in describe(job, NODES, rows, 0, assume).time}
        for rows, assume in ((ring, ASSUME), (exchanged, heads))
    ]
    # Queries and results travel too, and nothing hides them: it takes longer inside one node.
    assert parts[1]["context"] > parts[0].get("context", 0.0)
    assert exchanged.step_time_s[0] > ring.step_time_s[0]


def test_more_ranks_than_heads_cannot_exchange_heads() -> None:
    wide = work(LLAMA_8B, fixed=FixedLayout(count=64, tp=1, pp=1, cp=64))
    heads = ASSUME.override({"training.cp_all_to_all": 1.0})
    rows = [search(wide, [NODES], max_count=64, assume=assume).rows.step_time_s.tolist() for assume in (ASSUME, heads)]
    assert rows[0]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("precision", ["fp32", "tf32"])
@pytest.mark.parametrize("sequence", [256.0, 1024.0, 8192.0])
def test_wide_attention_pays_for_products_and_for_what_is_beside_them(precision: str, sequence: float) -> None:
    """A share of the slower peak counted softmax and the filling of the kernel as many times longer as the products are."""
    wide, narrow = chip_of(NODES, precision, ASSUME), chip_of(NODES, "bf16", ASSUME)
    shape, profile = shape_of(LLAMA_8B), profile_of("megatron", ASSUME)
    layout = spread(sequence=sequence)
    rate, sixteen = (float(_attention_rate(shape, layout, chip, profile, ASSUME)) for chip in (wide, narrow))
    products, kernel = 1.0 / float(wide.gemm_rate), 1.0 / sixteen
    assert 1.0 / rate == pytest.approx(products + max(kernel - 1.0 / float(narrow.bf16_rate), 0.0))
    assert rate < min(sixteen, float(wide.gemm_rate)) * (1 + 1e-12), (
        "no faster than in 16 bits, nor than other products"
    )
    share = float(wide.gemm_rate) / float(narrow.gemm_rate)
    assert rate > sixteen * share * 0.99, "no slower than a share of the slower peak"
    if precision == "fp32" and sequence <= 1024:
        assert rate > 1.4 * sixteen * share, "short sequences were planned too slow"


@pytest.mark.parametrize("precision", ["bf16", "fp16", "fp8"])
def test_attention_in_sixteen_bits_and_below_is_as_before(precision: str) -> None:
    chip, sixteen = chip_of(NODES, precision, ASSUME), chip_of(NODES, "bf16", ASSUME)
    assert float(chip.wide_rate) == 0.0
    assert (float(chip.attention_rate), float(chip.attention_old)) == (
        float(sixteen.attention_rate),
        float(sixteen.attention_old),
    )


@pytest.mark.parametrize("precision", ["fp32", "tf32", "bf16", "fp8"])
def test_use_of_flops_is_told_against_the_peak_of_the_precision_that_runs(precision: str) -> None:
    asked = work(precision=precision)
    rows = search(asked, (NODES,), max_count=64, assume=ASSUME).rows
    index = int(np.flatnonzero(rows.count == 64)[0])
    found = describe(asked, NODES, rows, index, ASSUME)
    top = NODES.device.dense_flops[precision]
    flops = train_flops(asked, found.global_batch)
    assert found.mfu.expected == pytest.approx(flops / found.step_time_s.expected / (64 * top))
    assert 0.1 < found.mfu.expected < 0.9
