"""A layout that the team measured can be chosen, whatever the search thinks of it."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from engine.inputs.spec import FixedLayout, Measurement
from engine.kinds.training.best import search
from engine.kinds.training.own_layouts import with_own_layouts
from engine.kinds.training.pace import layout_key, own_times
from engine.kinds.training.search import Candidates, TrainingSearch
from engine.odds.calibrate import Calibration, Shift
from tests.engine.devices import NODES
from tests.engine.training_helpers import ASSUME, work

RUN = work()
TENSOR = FixedLayout(tp=8, pp=1)


@pytest.fixture(scope="module")
def every() -> TrainingSearch:
    return search(RUN, (NODES,), max_count=32, assume=ASSUME)


def own(factor: float, count: int = 8) -> tuple[Calibration, Measurement, float]:
    """What a measurement of eight tensor-parallel accelerators says, and the step that it found: `factor` times the predicted."""
    same = replace(RUN, fixed=replace(TENSOR, count=count))
    rows = search(same, (NODES,), max_count=count, assume=ASSUME).rows
    assert len(rows) == 1
    seconds = float(rows.step_time_s[0])
    shift = Shift(log_shift=float(np.log(factor)), log_sigma=0.02, measurements=1)
    key = layout_key(NODES, rows, 0)
    slug = NODES.device.slug
    measured = Measurement(accelerator=slug, count=count, step_time_s=seconds * factor, layout=TENSOR)
    return Calibration(exact={key: shift}), measured, seconds * factor


def chosen(found: TrainingSearch, learnt: Calibration) -> tuple[int, float]:
    """Tensor-parallel size and step time of the layout on eight accelerators."""
    rows = found.rows
    (index,) = np.flatnonzero(rows.count == 8)
    return int(rows.tp[index]), float(own_times((NODES,), rows, learnt, rows.step_time_s)[index])


def test_a_faster_one_takes_the_place_of_what_the_search_prefers(every: TrainingSearch) -> None:
    learnt, measured, seconds = own(0.4)
    assert chosen(every, learnt)[0] != 8
    found = with_own_layouts(every, RUN, (measured,), (NODES,), ASSUME, learnt)
    assert chosen(found, learnt) == (8, pytest.approx(seconds))
    assert len(found.rows) == len(every.rows)


def test_a_slower_one_does_not(every: TrainingSearch) -> None:
    learnt, measured, _ = own(1.5)
    found = with_own_layouts(every, RUN, (measured,), (NODES,), ASSUME, learnt)
    assert chosen(found, learnt) == chosen(every, learnt)


def test_where_the_search_found_none_it_is_added_at_its_place(every: TrainingSearch) -> None:
    learnt, measured, seconds = own(0.9)
    clusters = (NODES, replace(NODES, devices_per_node=4))
    both = search(RUN, clusters, max_count=16, assume=ASSUME)
    kept = (both.rows.count != 8) | (both.rows.cluster != 0)
    part = Candidates(**{item.name: getattr(both.rows, item.name)[kept] for item in fields(Candidates)})
    found = with_own_layouts(replace(both, rows=part), RUN, (measured,), clusters, ASSUME, learnt).rows
    assert len(found) == len(part) + 1
    assert np.all(np.diff(found.cluster) >= 0), "rows of a cluster lie together"
    (index,) = np.flatnonzero((found.cluster == 0) & (found.count == 8))
    assert float(own_times(clusters, found, learnt, found.step_time_s)[index]) == pytest.approx(seconds)


@pytest.mark.parametrize(("batch", "layout"), [(8192.0 * 16, TENSOR), (0.0, FixedLayout())])
def test_another_batch_or_an_unknown_layout_says_nothing_of_layouts(
    every: TrainingSearch, batch: float, layout: FixedLayout
) -> None:
    learnt, measured, _ = own(0.4)
    other = replace(measured, global_batch_tokens=batch, layout=layout)
    assert chosen(with_own_layouts(every, RUN, (other,), (NODES,), ASSUME, learnt), learnt) == chosen(every, learnt)
