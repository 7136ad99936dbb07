"""Can the data keep up? The read bandwidth of training, what each storage tier gives, and the loaders in between."""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.answer import DataPath
from engine.inputs.assumptions import SWITCH, Assumption, Assumptions, Limits, entries_in
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.inputs.origin import origin

_entry = entries_in("data")

_JUDGEMENT = origin("judgement.tables")

_ENTRIES = (
    _entry(
        "upload_bytes_per_s",
        1.25e8,
        1.25e7,
        1.25e9,
        Limits(1e4, 1e13),
        "byte/s",
    ),
    _entry(
        "kept_days",
        14.0,
        7.0,
        30.0,
        Limits(0, 3650),
        "day",
    ),
    _entry(
        "object_per_node",
        2e9,
        1e9,
        12e9,
        Limits(1e6, 1e14),
        "byte/s",
    ),
    _entry(
        "parallel_per_node",
        5e9,
        2e9,
        20e9,
        Limits(1e6, 1e14),
        "byte/s",
    ),
    _entry(
        "nfs_total",
        2e9,
        1e9,
        5e9,
        Limits(1e6, 1e14),
        "byte/s",
        _JUDGEMENT,
    ),
    _entry(
        "local_per_node",
        12e9,
        5e9,
        28e9,
        Limits(1e6, 1e14),
        "byte/s",
    ),
    _entry(
        "object_usd_per_tb_month",
        23.0,
        18.0,
        26.0,
        Limits(0, 1e5),
        "USD/(TB month)",
    ),
    _entry(
        "parallel_usd_per_tb_month",
        140.0,
        30.0,
        200.0,
        Limits(0, 1e5),
        "USD/(TB month)",
    ),
    _entry(
        "nfs_usd_per_tb_month",
        300.0,
        80.0,
        300.0,
        Limits(0, 1e5),
        "USD/(TB month)",
        _JUDGEMENT,
    ),
    _entry(
        "bytes_per_token",
        4.0,
        2.0,
        5.0,
        Limits(0.1, 1e6),
        "byte",
    ),
    _entry(
        "bytes_per_sample",
        110e3,
        20e3,
        1e6,
        Limits(1, 1e12),
        "byte",
    ),
    _entry(
        "bytes_per_lookup",
        4.0,
        2.0,
        8.0,
        Limits(0.1, 1e6),
        "byte",
    ),
    _entry(
        "local_nvme_bytes",
        15e12,
        3.8e12,
        30e12,
        Limits(0, 1e16),
        "byte",
        _JUDGEMENT,
    ),
    _entry(
        "headroom",
        2.0,
        1.5,
        3.0,
        Limits(1, 100),
        "",
    ),
    _entry(
        "token_worker",
        200e6,
        50e6,
        500e6,
        Limits(1e3, 1e12),
        "byte/s",
        _JUDGEMENT,
    ),
    _entry(
        "raw_text",
        0.0,
        0.0,
        0.0,
        SWITCH,
        "",
    ),
    _entry(
        "tokenised_per_cpu_s",
        5e5,
        1e5,
        2e6,
        Limits(1, 1e12),
        "token/s",
    ),
    _entry(
        "usd_per_cpu_hour",
        0.045,
        0.03,
        0.06,
        Limits(0, 1e6),
        "USD/h",
    ),
    _entry(
        "media_worker",
        16e6,
        5e6,
        50e6,
        Limits(1e3, 1e12),
        "byte/s",
    ),
)

DATA_ASSUMPTIONS: Mapping[str, Assumption] = {item.id: item for item in _ENTRIES}

TIERS = ("object", "nfs", "parallel", "local")
"""Where training data may lie: object storage, a network file server, a parallel file system, drives of the node."""
_UPGRADES = ("local", "parallel")
"""Where to move data that its tier cannot deliver, cheaper first; local drives come with the node."""


def token_bytes(sequence_length: int) -> float:
    """Bytes of one sequence of token ids: four each, as packed datasets of vocabularies beyond 65,536 store them."""
    return 4.0 * sequence_length


def plan_data_path(
    *,
    samples_per_s: float,
    bytes_per_sample: float,
    nodes: int,
    dataset_bytes: float,
    location: str,
    assume: Assumptions,
    local_nvme_bytes: float = 0.0,
    packed: bool = True,
    vcpus_per_node: float = 0.0,
) -> DataPath:
    """Bandwidth, loader workers and tier for reading so many samples a second; `vcpus_per_node` 0 = not known.

    `packed` data needs no decoding; `local_nvme_bytes` is what one node has. ValueError names an unknown location or a
    rate that is not a number above zero.
    """
    if location not in TIERS:
        raise ValueError(f"There is no storage tier “{location}”: use one of {', '.join(TIERS)}.")
    need = samples_per_s * bytes_per_sample
    if not (math.isfinite(need) and need > 0):
        raise ValueError(
            f"The input pipeline needs samples and bytes above zero, not {samples_per_s} × {bytes_per_sample}."
        )
    wanted = need * assume["data.headroom"]
    tier = (
        location
        if tier_bandwidth(location, nodes, assume) >= wanted
        else _better(wanted, nodes, dataset_bytes, local_nvme_bytes, assume)
    )
    available = tier_bandwidth(tier, nodes, assume)
    here = tier_bandwidth(location, nodes, assume)
    workers = math.ceil(need / nodes / assume["data.token_worker" if packed else "data.media_worker"])
    crowded = 0 < vcpus_per_node < workers
    return DataPath(
        read_bandwidth=need,
        tier=tier,
        tier_bandwidth=available,
        workers_per_node=workers,
        cost_per_month=_price({tier, location}, dataset_bytes, assume),
        starves=here < need or crowded,
        told=(
            finding("data.path", need=_rate(need), tier=_tier(tier), given=_rate(available), nodes=nodes),
            _workers(workers, vcpus_per_node, crowded=crowded),
        ),
        warning=_warning(
            need, here=here, location=location, tier=tier, available=available, workers=workers, vcpus=vcpus_per_node
        ),
    )


def tier_bandwidth(tier: str, nodes: int, assume: Assumptions) -> float:
    """What that tier gives to so many nodes together [byte/s]."""
    return assume["data.nfs_total"] if tier == "nfs" else nodes * assume[f"data.{tier}_per_node"]


def _better(wanted: float, nodes: int, dataset_bytes: float, local_nvme_bytes: float, assume: Assumptions) -> str:
    """The first tier that is fast enough; a dataset larger than one node's drives is split over all."""
    fits = [tier for tier in _UPGRADES if tier != "local" or 0 < dataset_bytes <= local_nvme_bytes * nodes * 0.8]
    enough = [tier for tier in fits if tier_bandwidth(tier, nodes, assume) >= wanted]
    return enough[0] if enough else max(fits, key=lambda tier: tier_bandwidth(tier, nodes, assume))


def _price(tiers: set[str], dataset_bytes: float, assume: Assumptions) -> float:
    paid = sorted(tier for tier in tiers if tier != "local")
    return sum(dataset_bytes / 1e12 * assume[f"data.{tier}_usd_per_tb_month"] for tier in paid)


def _workers(workers: int, vcpus: float, *, crowded: bool) -> Finding:
    """Whether the loaders keep up."""
    if crowded:
        return finding("data.workers.crowded", workers=workers, vcpus=round(vcpus))
    return finding("data.workers", workers=workers)


def _warning(
    need: float, *, here: float, location: str, tier: str, available: float, workers: int, vcpus: float
) -> tuple[Finding, ...]:
    slow = _slow_tier(need, here=here, location=location, tier=tier, available=available)
    if not 0 < vcpus < workers:
        return slow
    return (*slow, finding("data.starves.decoding", workers=workers, vcpus=round(vcpus)))


def _slow_tier(need: float, *, here: float, location: str, tier: str, available: float) -> tuple[Finding, ...]:
    """What to do where the storage does not give enough; nothing where it does."""
    if available < need:
        return (finding("data.starves", need=_rate(need), tier=_tier(tier), given=_rate(available)),)
    if tier == location:
        return ()
    code = "data.slow" if here < need else "data.narrow"
    return (finding(code, here=_tier(location), given=_rate(here), need=_rate(need), tier=_tier(tier)),)


def _tier(key: str) -> Ref:
    return Ref("word", f"tier.{key}")


def _rate(value: float) -> Quantity:
    return Quantity(value, "byte/s")


def tokenising_hours(tokens: float, assume: Assumptions) -> float:
    """Processor-hours that making token ids of so much text takes."""
    return tokens / assume["data.tokenised_per_cpu_s"] / 3600.0
