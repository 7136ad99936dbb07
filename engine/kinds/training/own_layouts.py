"""Layouts that the team measured itself, beside those that a search prefers.

A search keeps the fastest layout of each cluster, count and precision by what it predicts. One that was measured and is faster
takes its place: the measurement is known better than any prediction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster
from engine.inputs.spec import Measurement
from engine.kinds.training.pace import measured_rows, own_times
from engine.kinds.training.search import Candidates, TrainingSearch, search
from engine.kinds.training.work import TrainingWork
from engine.odds.calibrate import Calibration


def with_own_layouts(
    found: TrainingSearch,
    work: TrainingWork,
    measured: Sequence[Measurement],
    clusters: Sequence[Cluster],
    assume: Assumptions,
    learnt: Calibration,
) -> TrainingSearch:
    """That search with each measured layout in the place of a slower one, or where none was found.

    `learnt`: what those measurements say (`best.calibrate`). Of another batch than the planned one they say nothing of layouts.
    """
    rows = found.rows
    for one in measured:
        batch = round(one.global_batch_tokens / work.sequence) or work.global_batch
        if not (one.layout.tp and one.layout.pp) or batch != work.global_batch:
            continue
        places = [place for place, cluster in enumerate(clusters) if _ran_on(one, cluster)]
        there = tuple(clusters[place] for place in places)
        same = replace(work, fixed=replace(one.layout, count=one.count))
        own = search(same, there, max_count=one.count, assume=assume, calibration=learnt).rows
        for index in measured_rows(own, there, learnt):
            rows = _placed(rows, clusters, own, index, places[int(own.cluster[index])], learnt)
    return replace(found, rows=rows)


def _ran_on(one: Measurement, cluster: Cluster) -> bool:
    return cluster.device.slug == one.accelerator and cluster.poolable >= one.count


def _placed(
    rows: Candidates, clusters: Sequence[Cluster], own: Candidates, index: int, place: int, learnt: Calibration
) -> Candidates:
    """Those rows with that own one on the cluster at `place`, unless what stands there is as fast."""
    one = {item.name: getattr(own, item.name)[index : index + 1] for item in fields(Candidates)}
    one["cluster"] = np.array([place], dtype=rows.cluster.dtype)
    there = np.flatnonzero(
        (rows.cluster == place) & (rows.count == one["count"]) & (rows.precision == one["precision"])
    )
    if len(there) and _seconds(rows, clusters, there[:1], learnt) <= _seconds(
        Candidates(**one), clusters, np.zeros(1, dtype=np.intp), learnt
    ):
        return rows
    at = there[0] if len(there) else np.searchsorted(rows.cluster, place, side="right")
    columns = {name: np.insert(np.delete(getattr(rows, name), there), at, value) for name, value in one.items()}
    return Candidates(**columns)


def _seconds(rows: Candidates, clusters: Sequence[Cluster], index: NDArray[np.intp], learnt: Calibration) -> float:
    """Of a step of that row, as it was measured where it was."""
    part = Candidates(**{item.name: getattr(rows, item.name)[index] for item in fields(Candidates)})
    return float(own_times(clusters, part, learnt, part.step_time_s)[0])
