"""The data path warns before accelerators wait for data."""

from __future__ import annotations

from typing import Any

import pytest

from engine.physics.data_path import DataPath, plan_data_path, tier_bandwidth, token_bytes
from tests.engine.money_samples import ASSUME
from tests.told import told


def path(**changes: Any) -> DataPath:
    """Images of 110 kB read by four nodes, changed."""
    plain: dict[str, Any] = {
        "samples_per_s": 20_000.0,
        "bytes_per_sample": 110e3,
        "nodes": 4,
        "dataset_bytes": 150e9,
        "location": "object",
        "local_nvme_bytes": 15e12,
        "packed": False,
        "assume": ASSUME,
    }
    return plan_data_path(**{**plain, **changes})


def test_tokens_need_almost_no_bandwidth() -> None:
    found = path(samples_per_s=100.0, bytes_per_sample=token_bytes(8192), packed=True)
    assert found.read_bandwidth == pytest.approx(3_276_800.0)
    assert found.tier == "object"
    assert found.workers_per_node == 1
    assert not found.warning


def test_a_slow_tier_starves_and_names_a_better_one() -> None:
    found = path(location="nfs")
    assert found.starves
    assert found.tier == "local"
    assert "would wait" in told(found.warning)


def test_a_tier_without_headroom_is_replaced_before_it_starves() -> None:
    found = path(samples_per_s=60_000.0)
    assert not found.starves
    assert "no headroom" in told(found.warning)


def test_data_larger_than_the_drives_goes_to_a_parallel_file_system() -> None:
    assert path(location="nfs", dataset_bytes=1e15).tier == "parallel"


def test_a_need_beyond_every_tier_is_said() -> None:
    found = path(samples_per_s=1e7)
    assert "will wait" in told(found.warning)
    assert found.tier_bandwidth < found.read_bandwidth


def test_workers_beyond_the_processors_are_said() -> None:
    found = path(vcpus_per_node=16.0)
    assert found.workers_per_node == 35  # 2.2 GB/s over four nodes at 16 MB/s each
    assert "35 loader workers" in told(found.warning)


def test_storage_is_priced_with_its_origin() -> None:
    assert path().cost_per_month == pytest.approx(0.15 * 23)
    assert path(location="nfs", dataset_bytes=1e15).cost_per_month == pytest.approx(1000 * (300 + 140))


def test_a_file_server_is_shared_by_all_nodes() -> None:
    assert tier_bandwidth("nfs", 4, ASSUME) == tier_bandwidth("nfs", 1, ASSUME)
    assert tier_bandwidth("object", 4, ASSUME) == 4 * tier_bandwidth("object", 1, ASSUME)


def test_bad_numbers_and_places_are_refused() -> None:
    with pytest.raises(ValueError, match="tape"):
        path(location="tape")
    with pytest.raises(ValueError, match="above zero"):
        path(samples_per_s=0.0)


@pytest.mark.parametrize("location", ["object", "nfs", "local"])
def test_loaders_without_processors_starve_the_accelerators(location: str) -> None:
    """More loader workers than the node has vCPUs: it says so wherever the data lies, and never that they keep up."""
    few = path(samples_per_s=40_000.0, location=location, vcpus_per_node=16.0)
    assert few.workers_per_node > 16
    assert few.starves
    assert "16 vCPUs" in told(few.warning)
    assert "16 vCPUs" in told(few.told)
    assert "keep up." not in told(few.told).replace("would keep up", "")
    enough = path(samples_per_s=40_000.0, location="local", vcpus_per_node=512.0)
    assert not enough.starves
    assert "keep up." in told(enough.told)
