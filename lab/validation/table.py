"""Measured runs as arrays, and their step time by the engine's formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.physics.chip import Chip, chip_of
from engine.physics.columns import stack, take
from engine.physics.layout import Spread
from engine.physics.profile import FRAMEWORKS, STACKS, Profile, Stack, profile_of
from engine.physics.shape import Shape, shape_of
from engine.physics.step import StepTime, step_time
from lab.validation.rows import Run


@dataclass(frozen=True)
class Table:
    """Runs as arrays, ready to be predicted again and again with other assumptions."""

    shape: Shape
    spread: Spread
    runs: tuple[Run, ...]
    chips: tuple[int, ...]
    """Place of each run's (cluster, precision) among `kinds`."""
    kinds: tuple[int, ...]
    """A run of each (cluster, precision)."""


def table(runs: Sequence[Run]) -> Table:
    """The runs as one struct of arrays."""
    places: dict[tuple[str, int, float, str], int] = {}
    kinds: list[int] = []
    chips: list[int] = []
    for number, run in enumerate(runs):
        key = (run.cluster.device.slug, run.cluster.devices_per_node, run.cluster.nic_bandwidth, run.precision)
        if key not in places:
            places[key] = len(places)
            kinds.append(number)
        chips.append(places[key])
    return Table(
        shape=stack([shape_of(run.arch) for run in runs]),
        spread=stack([spread_of(run) for run in runs]),
        runs=tuple(runs),
        chips=tuple(chips),
        kinds=tuple(kinds),
    )


def spread_of(run: Run) -> Spread:
    """The layout of one run."""
    values = {
        "sequence": run.sequence,
        "tp": run.tp,
        "pp": run.pp,
        "vpp": run.vpp,
        "cp": run.cp,
        "ep": run.ep,
        "dp": run.dp,
        "zero": run.zero,
        "shard_group": run.shard_group,
        "micro_batch": run.micro_batch,
        "accumulation": max(1.0, float(np.ceil(run.global_batch / (run.dp * run.micro_batch) - 1e-9))),
        "recompute": run.recompute,
        "policy": run.policy,
        "kept": run.kept,
        "sequence_parallel": run.sequence_parallel,
        "grad_bytes": run.grad_bytes,
        "trained": run.tuning.trained,
        "weight_bytes": run.tuning.weight_bytes,
        "optimizer_bytes": run.tuning.optimizer_bytes,
        "offload": 0.0,
        "dropped": run.dropped,
    }
    return Spread(**{name: np.asarray(value, dtype=np.float64) for name, value in values.items()})


def chips_and_profiles(rows: Table, assume: Assumptions) -> tuple[Chip, Profile]:
    """Rates and framework habits of each run."""
    chips = stack([chip_of(rows.runs[kind].cluster, rows.runs[kind].precision, assume) for kind in rows.kinds])
    kinds = [(name, tuning) for name in FRAMEWORKS for tuning in STACKS]
    profiles = stack([profile_of(name, assume, stack=Stack(tuning=tuning)) for name, tuning in kinds])
    which = np.array([kinds.index((run.framework, run.stack)) for run in rows.runs], dtype=np.intp)
    usual = take(profiles, which)
    stated = np.array([run.tensor_overlap for run in rows.runs])
    told = np.where(stated > 0, assume["training.tp_exposed_overlap"], assume["training.tp_exposed_plain"])
    profile = replace(usual, tp_exposed=np.where(stated < 0, usual.tp_exposed, told))
    return take(chips, np.array(rows.chips, dtype=np.intp)), profile


def predict(rows: Table, assume: Assumptions) -> StepTime:
    """Step time of every run [s]."""
    chips, profiles = chips_and_profiles(rows, assume)
    return step_time(rows.shape, rows.spread, chips, profiles, assume)


def errors(rows: Table, assume: Assumptions) -> NDArray[np.float64]:
    """Signed relative error of every run's step time."""
    measured = np.array([run.measured for run in rows.runs])
    relative: NDArray[np.float64] = predict(rows, assume).total / measured - 1.0
    return relative
