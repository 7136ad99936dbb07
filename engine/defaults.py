"""All assumptions of the engine in one set, with a spec's own changes applied."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from engine.choice.gates import GATE_ASSUMPTIONS
from engine.choice.obtaining import OBTAIN_ASSUMPTIONS
from engine.choice.select import SELECT_ASSUMPTIONS
from engine.inputs.assumptions import Assumption, Assumptions
from engine.inputs.cover import BY_US, FEES, HOURS_COVERED, MANAGED_FEE, covered_by
from engine.inputs.finding import Typed, Value
from engine.inputs.origin import origin, quoted
from engine.inputs.rules import spec_faults
from engine.inputs.schedulers import MANAGED, SERVICES
from engine.inputs.spec import MOST_HINTS, Confidence, Fault, Spec, SpecError
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.kinds.service.costs import SERVICE_ASSUMPTIONS
from engine.kinds.training.best import TRAINING_ASSUMPTIONS
from engine.kinds.training.critical import CRITICAL_ASSUMPTIONS
from engine.money.carbon import CARBON_ASSUMPTIONS
from engine.money.cost import COST_ASSUMPTIONS
from engine.odds.programme import PROGRAMME_ASSUMPTIONS
from engine.physics.data_path import DATA_ASSUMPTIONS
from engine.reliability.assumptions import FLEET, FLEET_CODES, FLEETS, RELIABILITY_ASSUMPTIONS
from engine.reliability.outages import STANDBY_ASSUMPTIONS

GROUPS = (
    TRAINING_ASSUMPTIONS,
    CRITICAL_ASSUMPTIONS,
    PROGRAMME_ASSUMPTIONS,
    SERVING_ASSUMPTIONS,
    SERVICE_ASSUMPTIONS,
    RELIABILITY_ASSUMPTIONS,
    STANDBY_ASSUMPTIONS,
    COST_ASSUMPTIONS,
    CARBON_ASSUMPTIONS,
    DATA_ASSUMPTIONS,
    SELECT_ASSUMPTIONS,
    GATE_ASSUMPTIONS,
    OBTAIN_ASSUMPTIONS,
)
ASKED = origin("asked.confidence")
"""Source of how sure a plan must be, where the request says so."""
COVERED = origin("asked.hours")
"""Source of the hours in which somebody answers."""
NO_LINE = origin("asked.air_gapped")
"""Source of what there is no connection for."""


@cache
def default_assumptions() -> Assumptions:
    """Every coefficient at its central value."""
    return Assumptions({key: item for group in GROUPS for key, item in group.items()}, lasting=True)


def check_spec(spec: Spec) -> None:
    """Raise SpecError with every broken rule that spans fields, and every assumption that cannot be changed so."""
    if faults := [*spec_faults(spec), *assumption_faults(spec)]:
        raise SpecError(*faults)


def assumption_faults(spec: Spec) -> list[Fault]:
    """One sentence for each changed assumption that does not exist, is none of a plan, or lies outside its limits."""
    known = {item.id: item for item in default_assumptions().all()}
    found: list[Fault] = []
    for key, value in spec.assumptions.items():
        if fault := _fault(key, value, known, hint=len(found) < MOST_HINTS):
            found.append(fault)
    return found


def _fault(key: str, value: float, known: Mapping[str, Assumption], *, hint: bool) -> Fault | None:
    path = f"assumptions.{key[:80]}"
    if key not in known:
        near = difflib.get_close_matches(key, known, n=1, cutoff=0.3) if hint else []
        if near:
            return Fault(path, "unknown.assumption_near", {"near": Typed(near[0])})
        return Fault(path, "unknown.assumption")
    item, limits = known[key], known[key].limits
    if not item.editable:
        return Fault(path, "fixed.assumption")
    if limits is None or limits.admit(value):
        return None
    values: dict[str, Value] = {"value": Typed(f"{value:g}"), "least": limits.least, "most": limits.most}
    if limits.whole:  # of a switch or a preset the meaning says what each number stands for
        return Fault(path, "range.assumption_whole", {**values, "meaning": item.told})
    if item.unit in ("", "1"):
        return Fault(path, "range.assumption", values)
    return Fault(path, "range.assumption_unit", {**values, "unit": Typed(item.unit)})


def assumptions_for(spec: Spec) -> Assumptions:
    """The defaults with what the spec changes. SpecError names an unknown or impossible coefficient."""
    if faults := assumption_faults(spec):
        raise SpecError(*faults)
    defaults = _covered(spec, _disconnected(spec, _managed(spec, default_assumptions())))
    return defaults.override(_asked(spec), source=ASKED).override({**_fleet(spec), **spec.assumptions})


def _disconnected(spec: Spec, defaults: Assumptions) -> Assumptions:
    """Without an internet connection where there is an air gap."""
    return defaults.override({"onprem.transit_usd_year": 0.0}, source=NO_LINE) if spec.air_gapped else defaults


def _covered(spec: Spec, defaults: Assumptions) -> Assumptions:
    """With the hours of whoever answers for a service, or the fee for that, where the request states hours."""
    asked = spec.operations
    if asked.hours == "unstated":
        return defaults
    if covered_by(asked) == "own":
        return defaults.override({BY_US: HOURS_COVERED[asked.hours]}, source=COVERED)
    usual = defaults.get(FEES[asked.hours])
    fee = usual.at(spec.assumptions.get(usual.id, usual.value), usual.source)
    source = origin("asked.cover_managed", source=quoted(fee.source))
    stated = replace(defaults.get(MANAGED_FEE), value=fee.value, low=fee.low, high=fee.high, source=source)
    return Assumptions({**{item.id: item for item in defaults.all()}, stated.id: stated})


def _asked(spec: Spec) -> Mapping[str, float]:
    """How sure the plan must be, where the request says it otherwise than usual."""
    every = spec.assumptions.get("select.confidence", spec.confidence.all)
    asked, usual = replace(spec.confidence, all=every), Confidence()
    wanted = {"select.confidence": (asked.all, usual.all), "select.fits": (asked.fits, usual.fits)}
    return {name: value for name, (value, default) in wanted.items() if value != default}


def _fleet(spec: Spec) -> Mapping[str, float]:
    """The failure rates of the preset that the spec chooses; what it sets itself counts more."""
    name = FLEET_CODES.get(int(spec.assumptions.get(FLEET, 0.0)))
    return FLEETS[name] if name else {}


def _managed(spec: Spec, defaults: Assumptions) -> Assumptions:
    """With the surcharge of a managed service where the spec asks for one and does not state its own."""
    scheduler = spec.operations.scheduler
    asked = scheduler in MANAGED or (scheduler == "auto" and spec.operations.operator == "vendor")
    if not asked:
        return defaults
    usual = defaults.get("cost.managed_service_share")
    service = SERVICES.get(scheduler)
    if service and usual.id not in spec.assumptions:
        share = replace(usual, value=service.share, low=service.low, high=service.high, source=service.source)
    else:
        share = usual.at(spec.assumptions.get(usual.id, usual.value), usual.source)
    premium = replace(
        defaults.get("cost.managed_premium"),
        value=share.value,
        low=share.low,
        high=share.high,
        source=origin("asked.managed", which=Typed(scheduler if service else "managed"), source=quoted(share.source)),
    )
    return Assumptions({**{item.id: item for item in defaults.all()}, premium.id: premium})
