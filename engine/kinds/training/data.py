"""The data of a training run: how much is read, from which tier, and what keeping it there costs."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import DataPath
from engine.inputs.assumptions import Assumptions, resting_on
from engine.inputs.origin import REQUEST, Origin, origin
from engine.inputs.spec import Training
from engine.kinds.training.best import TrainingWork
from engine.money.rented import DataStore, Tier
from engine.physics.data_path import plan_data_path
from engine.supply import Supply

_PACKED = ("text",)
"""Modalities whose samples are token ids, ready to be read."""


@dataclass(frozen=True, kw_only=True)
class Dataset:
    """The data that a run reads: as described, or as assumed from the amount of work."""

    bytes: float
    """All of it, as stored."""
    bytes_per_unit: float
    """Read for one token, or for one sample of a model that counts samples."""
    location: str
    source: Origin
    """Where the size comes from, for the cost input."""
    packed: bool
    """Token ids or table indices, which need no decoding."""
    units_per_token: float
    """Units in one token of the plan's speed: below one where a sample is a sequence of patches."""
    raw_tokens: float
    """Tokens of text that is not tokenised yet; 0 where token ids are there, or the model reads none."""


def dataset_of(training: Training, work: TrainingWork, assume: Assumptions, *, own: bool = False) -> Dataset:
    """What the spec describes; where it does not, units × the assumed bytes, in object storage (own hardware: its own).

    The bytes of a unit are those of the dataset shared out over one pass, but at least the assumed ones for tokens:
    a dataset that is read several times has fewer bytes than the run reads.
    """
    tokens = work.sequence > 1 and work.arch.modality in _PACKED
    key = "data.bytes_per_token" if tokens else "data.bytes_per_sample"
    unit, units = assume[key], _units(training, work, tokens=tokens)
    if work.arch.tables:
        key = "data.bytes_per_lookup"
        unit = assume[key] * work.arch.tables.lookups
    given = training.dataset
    size, source = (
        units * unit,
        origin(
            f"sized.{'token' if tokens else 'sample'}", units=round(units), each=round(unit), which=assume.get(key).told
        ),
    )
    location = given.location if given else "parallel" if own else "object"
    if given is not None and given.bytes:
        size, source = given.bytes, REQUEST
        unit = max(size / units, unit) if tokens else size / units
    return Dataset(
        bytes=size,
        bytes_per_unit=unit,
        location=location,
        source=source,
        packed=tokens or work.arch.tables is not None,
        units_per_token=1.0 if tokens else 1.0 / work.sequence,
        raw_tokens=units if tokens and assume["data.raw_text"] >= 0.5 else 0.0,
    )


def _units(training: Training, work: TrainingWork, *, tokens: bool) -> float:
    """Tokens or samples of one pass over the data."""
    passes = training.epochs if training.samples else 1.0
    return max(work.total / passes / (1 if tokens else work.sequence), 1.0)


def data_path_of(
    supply: Supply, dataset: Dataset, assume: Assumptions, *, tokens_per_s: float, count: int, nodes: int
) -> DataPath:
    """The path of that data to so many accelerators that take in so many tokens (or samples) a second."""
    own = supply.system.local_nvme_bytes if supply.system else 0.0
    return plan_data_path(
        samples_per_s=tokens_per_s * dataset.units_per_token,
        bytes_per_sample=dataset.bytes_per_unit,
        nodes=nodes,
        dataset_bytes=dataset.bytes,
        location=dataset.location,
        assume=assume,
        local_nvme_bytes=own or assume["data.local_nvme_bytes"] * min(1.0, count / nodes / 8.0),
        packed=dataset.packed,
        vcpus_per_node=supply.offer.vcpus if supply.offer else 0.0,
    )


def data_store(path: DataPath, dataset: Dataset, assume: Assumptions) -> DataStore:
    """What keeping that data costs: where it lies and where it is copied to; local drives come with the node."""
    copied = path.tier not in ("local", dataset.location)
    return DataStore(
        gb=dataset.bytes / 1e9,
        size_source=dataset.source,
        kept=_tier(dataset.location, assume),
        copied=_tier(path.tier, assume) if copied else None,
        raw_tokens=dataset.raw_tokens,
    )


def _tier(name: str, assume: Assumptions) -> Tier:
    if name == "local":
        return Tier(name=name, usd_per_gb_month=0.0, low=0.0, high=0.0, source=origin("local"))
    price = assume.get(f"data.{name}_usd_per_tb_month")
    each = 1.0 / 1000.0
    return Tier(
        name=name,
        usd_per_gb_month=price.value * each,
        low=price.low * each,
        high=price.high * each,
        source=resting_on(price),
    )
