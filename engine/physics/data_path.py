"""Can the data keep up? The read bandwidth of training, what each storage tier gives, and the loaders in between."""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.answer import DataPath
from engine.inputs.assumptions import Assumption, Assumptions, Limits
from engine.inputs.finding import Finding, Quantity, Ref, finding


def _entry(
    name: str, value: float, low: float, high: float, limits: Limits, unit: str, meaning: str, source: str
) -> Assumption:
    return Assumption(
        id=f"data.{name}", value=value, low=low, high=high, limits=limits, unit=unit, meaning=meaning, source=source
    )


_JUDGEMENT = "Planning judgement from published tables; measure your own"

_ENTRIES = (
    _entry(
        "object_per_node",
        2e9,
        1e9,
        12e9,
        Limits(1e6, 1e14),
        "byte/s",
        "Read bandwidth of one node from object storage",
        "1–12 GB/s per node, bound by its network card",
    ),
    _entry(
        "parallel_per_node",
        5e9,
        2e9,
        20e9,
        Limits(1e6, 1e14),
        "byte/s",
        "Read bandwidth of one node from a parallel file system",
        "BLOOM 57.5 GB/s over 48 nodes; Lustre services 0.125–1 GB/s per TiB",
    ),
    _entry(
        "nfs_total",
        2e9,
        1e9,
        5e9,
        Limits(1e6, 1e14),
        "byte/s",
        "Read bandwidth of one network file server, all nodes together",
        _JUDGEMENT,
    ),
    _entry(
        "local_per_node",
        12e9,
        5e9,
        28e9,
        Limits(1e6, 1e14),
        "byte/s",
        "Read bandwidth of the local NVMe drives of one node",
        "3–7 GB/s per drive, two or more drives",
    ),
    _entry(
        "object_usd_per_tb_month",
        23.0,
        18.0,
        26.0,
        Limits(0, 1e5),
        "USD/(TB month)",
        "Price of object storage",
        "List price of the large clouds",
    ),
    _entry(
        "parallel_usd_per_tb_month",
        140.0,
        30.0,
        200.0,
        Limits(0, 1e5),
        "USD/(TB month)",
        "Price of a parallel file system",
        "Managed Lustre: about 30 (archive) to 140 and more",
    ),
    _entry(
        "nfs_usd_per_tb_month",
        300.0,
        80.0,
        300.0,
        Limits(0, 1e5),
        "USD/(TB month)",
        "Price of a managed network file system",
        _JUDGEMENT,
    ),
    _entry(
        "bytes_per_token",
        4.0,
        2.0,
        5.0,
        Limits(0.1, 1e6),
        "byte",
        "Bytes read for each token of training text where no dataset is described",
        "Packed token ids: two bytes up to a vocabulary of 65,536, four beyond; raw English text about four",
    ),
    _entry(
        "bytes_per_sample",
        110e3,
        20e3,
        1e6,
        Limits(1, 1e12),
        "byte",
        "Bytes read for each sample of other models where no dataset is described",
        "ImageNet: 150 GB for 1.28 million images, 110 kB each",
    ),
    _entry(
        "bytes_per_lookup",
        4.0,
        2.0,
        8.0,
        Limits(0.1, 1e6),
        "byte",
        "Bytes read for each table row that a sample of a recommender looks up, where no dataset is described",
        "32-bit indices; the multi-hot set of MLPerf DLRM-DCNv2 takes 3.8 TB for 4.2 billion samples of 214 rows",
    ),
    _entry(
        "local_nvme_bytes",
        15e12,
        3.8e12,
        30e12,
        Limits(0, 1e16),
        "byte",
        "Local NVMe of one node with eight accelerators where its system does not say",
        _JUDGEMENT,
    ),
    _entry(
        "headroom",
        2.0,
        1.5,
        3.0,
        Limits(1, 100),
        "",
        "Bandwidth that a tier should have over the mean need",
        "Shuffles, restarts and checkpoints share the tier",
    ),
    _entry(
        "token_worker",
        200e6,
        50e6,
        500e6,
        Limits(1e3, 1e12),
        "byte/s",
        "Tokenised or packed data that one loader worker delivers",
        _JUDGEMENT,
    ),
    _entry(
        "media_worker",
        16e6,
        5e6,
        50e6,
        Limits(1e3, 1e12),
        "byte/s",
        "Compressed images, sound or video that one loader worker decodes",
        "About 150 ImageNet images of 110 kB per second and core",
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
