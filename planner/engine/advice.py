"""The operational approach around a plan: every choice with the rule that made it and a reason with numbers."""

from __future__ import annotations

from planner.engine.advising.facts import Case
from planner.engine.advising.platform import platform_advice
from planner.engine.advising.serving import serving_advice
from planner.engine.advising.sourcing import sourcing_advice
from planner.engine.advising.training import training_advice
from planner.engine.currency import DOLLARS, Currency
from planner.engine.hardware import Device
from planner.engine.result import Advice, Option
from planner.engine.software import software_fit
from planner.engine.spec import Spec

__all__ = ["advise", "software_fit"]


def advise(spec: Spec, option: Option, *, device: Device, currency: Currency = DOLLARS) -> tuple[Advice, ...]:
    """Advice for running that option of that spec, in order: sourcing, training or serving, platform."""
    case = Case(spec=spec, option=option, device=device, currency=currency)
    return (*sourcing_advice(case), *training_advice(case), *serving_advice(case), *platform_advice(case))
