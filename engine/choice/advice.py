"""The operational approach around a plan: every choice with the rule that made it and a reason with numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from engine.answer import Advice, Option
from engine.choice.advising.facts import Case
from engine.choice.advising.platform import platform_advice
from engine.choice.advising.serving import batch_advice, serving_advice
from engine.choice.advising.sourcing import sourcing_advice
from engine.choice.advising.training import training_advice
from engine.context import Context
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.inputs.kind import PerKind
from engine.inputs.software import software_fit
from engine.inputs.spec import Spec

__all__ = ["advise", "software_fit"]


def advise(spec: Spec, option: Option, *, device: Device, assume: Assumptions) -> tuple[Advice, ...]:
    """Advice for running that option of that spec, in order: sourcing, training or serving, platform."""
    case = Case(spec=spec, option=option, device=device, assume=assume)
    return (*sourcing_advice(case), *_OF_WORK[case.kind](case), *platform_advice(case))


def advised(context: Context, best: Option | None) -> tuple[Advice, ...]:
    """The same for the option that an answer recommends; nothing where there is none."""
    if best is None:
        return ()
    return advise(context.spec, best, device=context.market.devices[best.accelerator], assume=context.assume)


_OF_WORK: Final[PerKind[Callable[[Case], Iterator[Advice]]]] = {
    "run": training_advice,
    "service": serving_advice,
    "batch": batch_advice,
}
