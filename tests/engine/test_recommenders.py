"""Recommenders: tables are dealt out over all accelerators, rows are looked up, and only dense gradients are exchanged."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from catalog.presets import find_model
from engine.inputs.architecture import Architecture, Tables
from engine.inputs.hardware import Cluster, Device
from engine.inputs.spec import FixedLayout
from engine.kinds.training.best import TrainingDetail, describe, search
from engine.kinds.training.pairs import trained_parameters
from tests.engine.devices import A100, H100
from tests.engine.training_helpers import ASSUME, work
from tests.refused import refused

DLRM = find_model("dlrm-dcnv2")
SAMPLES = 4_195_197_692.0
"""Of the training split of Criteo 1TB (mlcommons/training, recommendation_v2/torchrec_dlrm/README.MD)."""


def node(device: Device = H100, *, count: int = 8, per_node: int = 8) -> Cluster:
    return Cluster(device=device, devices_per_node=per_node, nic_bandwidth=50e9, max_devices=count)


def run(
    count: int, *, arch: Architecture = DLRM, device: Device = H100, batch: int = 65_536, per_node: int = 8
) -> TrainingDetail:
    """The best layout on exactly so many accelerators."""
    task = work(arch, samples=SAMPLES, global_batch_size=batch, fixed=FixedLayout(count=count))
    cluster = node(device, count=count, per_node=per_node)
    rows = search(task, (cluster,), max_count=count, assume=ASSUME).rows
    assert len(rows), f"nothing runs on {count}"
    return describe(task, cluster, rows, 0, ASSUME)


def part(detail: TrainingDetail, key: str) -> float:
    """Bytes [GB] of that part of the memory; 0 without it."""
    return next((item.value for item in detail.memory.parts if item.key == key), 0.0)


def seconds(detail: TrainingDetail, key: str) -> float:
    return next((item.value for item in detail.time if item.key == key), 0.0)


def test_the_preset_is_what_its_source_says() -> None:
    assert DLRM.tables == Tables(count=26, rows=204_184_588, width=128, lookups=214)
    assert DLRM.parameters == 26_151_671_809
    cross = 3 * 2 * 3456 * 512
    dense = 13 * 512 + 512 * 256 + 256 * 128 + 3456 * 1024 + 1024 * 1024 + 1024 * 512 + 512 * 256 + 256
    assert DLRM.flops_per_sample == pytest.approx(2.0 * (cross + dense), rel=1e-3)


def test_mlperf_on_eight_h100_is_minutes_at_millions_of_samples_a_second() -> None:
    """MLPerf Training takes about four minutes for one pass with captured graphs; the band holds half and twice that."""
    detail = run(8)
    rate = detail.tokens_per_s
    assert 5e6 < rate.expected < 15e6
    assert rate.low < 5.4e6
    assert rate.high > 11e6
    assert detail.framework == "torchrec"


def test_torchrec_on_eight_a100_is_within_a_factor_of_two() -> None:
    """One-hot DLRM, 91 GiB of tables, 8,192 samples each: 5,373,952 samples/s (same README); dense part near 2.4 M weights."""
    one_hot = replace(
        DLRM,
        tables=Tables(count=26, rows=191_000_000, width=128, lookups=26),
        generic_parameters=2.4e6,
        flops_per_sample=4.8e6,
    )
    found = run(8, arch=one_hot, device=A100).tokens_per_s.expected
    assert 5_373_952 / 2 < found < 5_373_952 * 2


def test_tables_are_split_and_the_dense_part_is_copied() -> None:
    few, many = run(8), run(64)
    assert part(few, "tables") == pytest.approx(8 * part(many, "tables"))
    whole = (4.0 * 204_184_588 * 128 + 4.0 * 204_184_588) / 1e9
    assert part(few, "tables") == pytest.approx(whole / 8 * ASSUME["training.tables_imbalance"])
    assert part(few, "weights") == pytest.approx(part(many, "weights")) == pytest.approx(2.0 * 16_044_545 / 1e9)


def test_what_does_not_fit_on_one_fits_on_more() -> None:
    task = work(DLRM, samples=SAMPLES, global_batch_size=65_536, fixed=FixedLayout(count=1))
    assert not len(search(task, (node(count=1, per_node=1),), max_count=1, assume=ASSUME).rows)
    assert run(2).memory.total_gb.expected < H100.memory_bytes / 1e9


@pytest.mark.parametrize("count", [8, 16, 64])
def test_gradients_of_tables_are_never_exchanged_densely(count: int) -> None:
    """Sixteen times the tables change neither the exchange of gradients nor the optimizer of the dense part."""
    small = run(count)
    tables = DLRM.tables
    assert tables is not None
    wide = run(count, arch=replace(DLRM, tables=replace(tables, rows=tables.rows // 16)))
    for key in ("data", "optimizer", "gemm"):
        assert seconds(small, key) == pytest.approx(seconds(wide, key), rel=1e-6), key


def test_time_follows_lookups_and_tables() -> None:
    tables = DLRM.tables
    assert tables is not None
    plain, more = run(8), run(8, arch=replace(DLRM, tables=replace(tables, lookups=2 * tables.lookups)))
    assert seconds(more, "lookup") == pytest.approx(2 * seconds(plain, "lookup"), rel=1e-6)
    pooled = run(8, arch=replace(DLRM, tables=replace(tables, count=4 * tables.count)))
    assert seconds(pooled, "pooled") > 3 * seconds(plain, "pooled")


def test_nodes_exchange_rows_more_slowly_than_a_node() -> None:
    """The same samples on each accelerator: beyond a node the all-to-all goes through its network cards."""
    assert seconds(run(32, batch=4 * 65_536), "pooled") > 2 * seconds(run(8), "pooled")


def test_time_and_memory_add_up_to_their_totals() -> None:
    detail = run(16)
    assert math.fsum(item.value for item in detail.time) == pytest.approx(detail.step_time_s.expected)
    assert math.fsum(item.value for item in detail.memory.parts) == pytest.approx(detail.memory.total_gb.expected)


def test_a_checkpoint_holds_rows_and_one_scalar_each() -> None:
    task = work(DLRM, samples=SAMPLES, global_batch_size=0)
    assert trained_parameters(task) * 14.0 / 1e9 == pytest.approx(105.4 + 0.22, abs=0.5)
    assert task.global_batch == 65_536


def test_a_recommender_without_tables_is_refused_by_name() -> None:
    with refused("embedding tables"):
        work(replace(DLRM, tables=None, generic_parameters=25.6e9), samples=SAMPLES)
