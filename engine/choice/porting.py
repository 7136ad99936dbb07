"""What bringing a team's code to another vendor's software counts for when options are ranked.

Nobody pays a bill for it, so it is in no total: it is the time of people. Left out of the ranking it makes a run of three dollars on one
vendor's accelerator better than one of four on another's, with weeks of work beside it. Counted is the least of the weeks that it may
take (`PORTING_WEEKS`) at what a person-week costs, once for the plan; what it may take at most stays a risk of its own.
"""

from __future__ import annotations

from engine.answer import Option
from engine.context import Context
from engine.inputs.hardware import Device
from engine.inputs.software import PORTING_WEEKS
from engine.supply import Supply

WEEKS_PER_YEAR = 52.0


def porting_usd(context: Context, supply: Supply) -> float:
    """The least that it costs to bring the work to that source's software [USD]; 0 where the team has it running there."""
    return 0.0 if supply.kind == "owned" else _usd(context, supply.device)


def porting_of(context: Context, option: Option) -> float:
    """The same of an option that is described."""
    device = context.market.devices.get(option.accelerator)
    return 0.0 if option.kind == "owned" or device is None else _usd(context, device)


def week_usd(context: Context) -> float:
    """What a person-week of engineering costs [USD]."""
    return context.assume["onprem.usd_per_fte"] / WEEKS_PER_YEAR


def _usd(context: Context, device: Device) -> float:
    weeks = PORTING_WEEKS.get(device.runtime)
    return 0.0 if weeks is None or _runs_there(context, device) else weeks[0] * week_usd(context)


def _runs_there(context: Context, device: Device) -> bool:
    """Does the team say that its work runs on that software: accelerators that it names or owns, a framework that it has decided on, a
    step that it has measured there? A model is served by an engine that others maintain there."""
    spec, limits, devices = context.spec, context.spec.constraints, context.market.devices
    run = spec.training
    if run is None or limits.framework != "any" or run.framework not in ("auto", "any"):
        return True
    known = {*limits.accelerators, *(one.accelerator for one in spec.measured)}
    known |= {holding.accelerator for holding in spec.owned}
    return any(slug in devices and devices[slug].runtime == device.runtime for slug in known)
