"""What one own measurement is worth: a row of the same source, model, accelerator and precision shifts the estimate of another.

The rule is the engine's own (`engine.odds.calibrate`). Of each group every row is predicted from every other that has another
layout; a row's error is the median over them, relative as everywhere: |predicted / measured − 1|.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.odds.calibrate import posterior
from lab.validation.fit import Floats
from lab.validation.ordering import layout_of_run
from lab.validation.rows import Run


def after_one(errors: Floats, log_sigmas: Floats, runs: Sequence[Run], assume: Assumptions) -> Floats:
    """Absolute relative error of each row after one own measurement; NaN where its group has no other layout."""
    noise, shared = assume["training.measurement_noise"], assume["training.shared_error"]
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, run in enumerate(runs):
        shape = f"{run.arch.name} {run.arch.layers} {run.arch.hidden}"
        groups.setdefault((run.source, shape, run.cluster.device.slug, run.precision), []).append(place)
    found = np.full(len(runs), np.nan)
    for members in groups.values():
        shifts = {
            place: posterior([-float(errors[place])], float(log_sigmas[place]), noise, shared) for place in members
        }
        for place in members:
            mine = layout_of_run(runs[place])
            others = [one for one in members if layout_of_run(runs[one]) != mine]
            left = [abs(float(np.expm1(errors[place] + shifts[one].log_shift))) for one in others]
            found[place] = np.median(left) if left else np.nan
    return found
