"""All assumptions of the engine in one set, with a spec's own changes applied."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from engine.choice.select import SELECT_ASSUMPTIONS
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Typed
from engine.inputs.spec import Fault, Spec, SpecError
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.kinds.service.options import SERVICE_ASSUMPTIONS
from engine.kinds.training.best import TRAINING_ASSUMPTIONS
from engine.money.carbon import CARBON_ASSUMPTIONS
from engine.money.cost import COST_ASSUMPTIONS
from engine.physics.data_path import DATA_ASSUMPTIONS
from engine.reliability.assumptions import FLEET, FLEET_CODES, FLEETS, RELIABILITY_ASSUMPTIONS

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


@cache
def default_assumptions() -> Assumptions:
    """Every coefficient at its central value."""
    return Assumptions({key: item for group in GROUPS for key, item in group.items()})


def assumptions_for(spec: Spec) -> Assumptions:
    """The defaults with what the spec changes. SpecError names an unknown or impossible coefficient."""
    defaults = default_assumptions()
    known = {item.id: item for item in defaults.all()}
    faults = _fleet_faults(spec)
    for key, value in spec.assumptions.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.3)
            path = f"assumptions.{key[:80]}"
            faults.append(
                Fault(path, "unknown.assumption_near", {"near": Typed(near[0])})
                if near
                else Fault(path, "unknown.assumption")
            )
        elif not 0 <= value <= max(1e6, 1e3 * abs(known[key].high)) or 0 < value < 1e-6 * known[key].low:
            faults.append(Fault(f"assumptions.{key}", "range.assumption", {"value": value}))
    if faults:
        raise SpecError(*faults)
    return _managed(spec, defaults).override({**_fleet(spec), **spec.assumptions})


def _fleet(spec: Spec) -> Mapping[str, float]:
    """The failure rates of the preset that the spec chooses; what it sets itself counts more."""
    name = FLEET_CODES.get(int(spec.assumptions.get(FLEET, 0.0)))
    return FLEETS[name] if name else {}


def _fleet_faults(spec: Spec) -> list[Fault]:
    code = spec.assumptions.get(FLEET, 0.0)
    if code in (0, *FLEET_CODES):
        return []
    choices = Typed(", ".join(f"{number} ({name})" for number, name in FLEET_CODES.items()))
    return [Fault(f"assumptions.{FLEET}", "range.fleet", {"value": code, "choices": choices})]


def _managed(spec: Spec, defaults: Assumptions) -> Assumptions:
    """With the surcharge of a managed service where the spec asks for one and does not state its own."""
    asked = spec.operations.scheduler == "managed" or (
        spec.operations.scheduler == "auto" and spec.operations.operator == "vendor"
    )
    if not asked:
        return defaults
    usual = {**spec.assumptions}.get("cost.managed_service_share")
    share = defaults.get("cost.managed_service_share")
    scale = 1.0 if usual is None else usual / share.value
    premium = replace(
        defaults.get("cost.managed_premium"),
        value=share.value * scale,
        low=share.low * scale,
        high=share.high * scale,
        source=f"operations.scheduler: managed. {share.source}",
    )
    return Assumptions({**{item.id: item for item in defaults.all()}, premium.id: premium})
