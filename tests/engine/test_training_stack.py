"""What a team runs beyond the framework's name: tuned, as documented, own; the attention kernel; compiled or not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.kinds.training.best import describe, search
from engine.physics.chip import chip_of
from engine.physics.layout import Spread
from engine.physics.network import data_time, offload_time, rank_weights, ring_latency, tensor_time
from engine.physics.profile import Stack, profile_of, tuning_of
from engine.physics.shape import shape_of
from engine.physics.step import stage_terms
from tests.engine.devices import LLAMA_8B, LLAMA_70B, NODES
from tests.engine.test_training_memory import spread
from tests.engine.training_helpers import ASSUME, work


def expected(stack: Stack, **changes: object) -> float:
    job = replace(work(LLAMA_8B, **changes), stack=stack)
    rows = search(job, [NODES], max_count=64, assume=ASSUME).rows
    return describe(job, NODES, rows, rows.count.tolist().index(64), ASSUME).step_time_s.expected


def test_the_less_tuned_the_slower_and_documented_is_what_is_meant() -> None:
    tuned, documented, own = (expected(Stack(tuning=name)) for name in ("tuned", "documented", "own"))
    assert tuned < documented < own
    assert expected(Stack()) == documented


def test_frameworks_of_the_hardwares_maker_are_its_recipe() -> None:
    assert [tuning_of("auto", name) for name in ("maxtext", "neuron", "fsdp")] == ["tuned", "tuned", "documented"]
    assert tuning_of("own", "maxtext") == "own"


def test_an_older_attention_kernel_is_slower_and_unfused_slowest() -> None:
    newest, second, unfused = (
        expected(Stack(attention=name), framework="fsdp") for name in ("newest", "flash-2", "unfused")
    )
    assert newest < second < unfused
    assert expected(Stack(), framework="fsdp") == second


def test_a_compiled_model_spends_less_on_the_host_and_on_passes() -> None:
    compiled = profile_of("pytorch", ASSUME, stack=Stack(compiled="yes"))
    plain = profile_of("pytorch", ASSUME)
    assert compiled.host_layer < plain.host_layer
    assert compiled.elementwise < plain.elementwise


def test_the_answer_names_the_assumption_it_rests_on() -> None:
    job = replace(work(LLAMA_8B), stack=Stack(tuning="own"))
    rows = search(job, [NODES], max_count=8, assume=ASSUME).rows
    detail = describe(job, NODES, rows, 0, ASSUME)
    assert "training.stack.own" in detail.step_time_s.because
    tuned = replace(job, stack=Stack(tuning="tuned"))
    known = describe(tuned, NODES, rows, 0, ASSUME)
    assert not any(reason.startswith("training.stack") for reason in known.step_time_s.because)
    assert known.log_sigma < detail.log_sigma


def test_a_ring_over_many_nodes_takes_a_hop_for_every_rank() -> None:
    chip = chip_of(NODES, "bf16", ASSUME)
    inside, wide, wider = (float(ring_latency(np.asarray(n), np.asarray(1.0), chip)) for n in (8.0, 64.0, 512.0))
    assert inside < wide < wider
    assert wider == pytest.approx(63 * float(chip.nic_latency) + (512 - 64) * float(chip.ring_hop))


def test_small_buckets_cost_a_ring_each_over_hundreds_of_ranks() -> None:
    chip, shape = chip_of(NODES, "bf16", ASSUME), shape_of(LLAMA_8B)
    layout = spread(dp=512.0)
    weights = rank_weights(shape, layout)
    many, few = (float(data_time(layout, chip, profile_of(name, ASSUME), weights)) for name in ("pytorch", "megatron"))
    assert many > 1.3 * few


def test_tensor_parallel_over_nodes_waits() -> None:
    chip, shape = chip_of(NODES, "bf16", ASSUME), shape_of(LLAMA_70B)
    inside, outside = (float(tensor_time(shape, spread(tp=tp), chip)) for tp in (8.0, 16.0))
    assert outside > 1.5 * inside


def test_stages_cut_by_their_work_count_the_head() -> None:
    shape, layout = shape_of(LLAMA_8B), spread(pp=4.0)
    cut = stage_terms(shape, layout, profile_of("fsdp", ASSUME), ASSUME)
    plain = stage_terms(shape, layout, profile_of("deepspeed", ASSUME), ASSUME)
    assert float(cut.lighter) > float(plain.lighter)
    assert float(cut.widest) >= float(plain.widest)


def streamed_s(layout: Spread, weights: tuple[float, float]) -> float:
    dense, experts = (np.asarray(one) for one in weights)
    chip = chip_of(NODES, "bf16", ASSUME)
    return float(offload_time(layout, chip, np.asarray(1e9), (dense, experts), ASSUME)[1])


def test_only_stage_three_shares_the_fetching_of_weights_from_the_host() -> None:
    dense, bus = 8e9, float(chip_of(NODES, "bf16", ASSUME).pcie)
    shared = streamed_s(spread(dp=8.0, zero=3.0, offload=2.0), (dense, 0.0))
    own = streamed_s(spread(dp=8.0, zero=1.0, offload=2.0), (dense, 0.0))
    assert own == pytest.approx(3 * 2 * dense / bus)
    assert shared == pytest.approx(own / 8)
    assert streamed_s(spread(dp=8.0, zero=1.0, offload=1.0), (dense, 0.0)) == 0.0


def test_weights_beyond_the_hosts_memory_are_read_from_the_drives() -> None:
    room, bus = ASSUME["training.offload.host_bytes"], float(chip_of(NODES, "bf16", ASSUME).pcie)
    layout = spread(dp=1.0, zero=1.0, offload=2.0)
    fits, beyond = (streamed_s(layout, (share * room / 2, 0.0)) for share in (1.0, 1.5))
    assert fits == pytest.approx(3 * room / bus)
    assert beyond == pytest.approx(3 * (1.5 * room / bus + 0.5 * room / ASSUME["training.offload.nvme_rate"]))
