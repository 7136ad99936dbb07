"""All assumptions of the engine in one set, with a spec's own changes applied."""

from __future__ import annotations

import difflib

from planner.engine.assumptions import Assumptions
from planner.engine.carbon import CARBON_ASSUMPTIONS
from planner.engine.cost import COST_ASSUMPTIONS
from planner.engine.data_path import DATA_ASSUMPTIONS
from planner.engine.reliability import RELIABILITY_ASSUMPTIONS
from planner.engine.select import SELECT_ASSUMPTIONS
from planner.engine.serving import SERVING_ASSUMPTIONS
from planner.engine.serving_options import SERVICE_ASSUMPTIONS
from planner.engine.spec import Fault, Spec, SpecError
from planner.engine.training import TRAINING_ASSUMPTIONS

GROUPS = (
    TRAINING_ASSUMPTIONS,
    SERVING_ASSUMPTIONS,
    SERVICE_ASSUMPTIONS,
    RELIABILITY_ASSUMPTIONS,
    COST_ASSUMPTIONS,
    CARBON_ASSUMPTIONS,
    DATA_ASSUMPTIONS,
    SELECT_ASSUMPTIONS,
)


def default_assumptions() -> Assumptions:
    """Every coefficient at its central value."""
    return Assumptions({key: item for group in GROUPS for key, item in group.items()})


def assumptions_for(spec: Spec) -> Assumptions:
    """The defaults with what the spec changes. SpecError names an unknown or impossible coefficient."""
    defaults = default_assumptions()
    known = {item.id: item for item in defaults.all()}
    faults = []
    for key, value in spec.assumptions.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.3)
            hint = f"did you mean “{near[0]}”?" if near else "the reference lists them all."
            faults.append(Fault(f"assumptions.{key}", "unknown", f"“assumptions.{key[:80]}” does not exist: {hint}"))
        elif not 0 <= value <= max(1e6, 1e3 * abs(known[key].high)):
            faults.append(Fault(f"assumptions.{key}", "range", f"“assumptions.{key}” cannot be {value:g}."))
    if faults:
        raise SpecError(*faults)
    return defaults.override(spec.assumptions)
