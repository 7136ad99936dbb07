"""A canary: some steps on the planned layout, on hardware that can be had for so short a time, and what they cost at most."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from engine.answer import Layout
from engine.choice.gates import Test
from engine.choice.sure import asked_of
from engine.context import Context
from engine.inputs.finding import Finding
from engine.inputs.named import device_ref, hardware, source_of
from engine.inputs.spec import FixedLayout, Measurement, SpecError
from engine.kinds.training.best import TrainingDetail, seen_of
from engine.kinds.training.choice import Field
from engine.kinds.training.costed import Costed, authorised
from engine.money.schedule import ahead_days
from engine.odds.calibrate import Seen
from engine.supply import WHOLE_DAYS, Supply, cheapest_on_demand, instances

UNIT = "s"
_DAY_HOURS = 24.0


@dataclass(frozen=True, kw_only=True)
class Canary:
    """What is timed, and how the engine sees such a measurement."""

    test: Test
    seen: Seen
    """Of a step as long as predicted."""

    def too_late(self, context: Context) -> bool:
        """Does it leave no time, or no money, for the work?"""
        limits = context.spec.constraints
        return bool(limits.deadline_days and self.test.left_days <= 0) or bool(
            limits.budget_usd and self.test.left_budget <= 0
        )


def measurement_of(accelerator: str, count: int, micro_batch: int, layout: Layout, seconds: float) -> Measurement:
    """A step time of that very layout, as a request holds it."""
    fixed = FixedLayout(count=count, micro_batch=micro_batch, **asdict(layout))
    return Measurement(accelerator=accelerator, count=count, step_time_s=seconds, layout=fixed)


def canary_of(context: Context, field: Field, chosen: Costed, detail: TrainingDetail) -> Canary | None:
    """The canary of that option; None where no such hardware is had for an hour, or such a step cannot be predicted."""
    pair = chosen.pair
    source = cheapest_on_demand(context.supplies, pair.supply, pair.count)
    if source is None:
        return None
    one = measurement_of(
        pair.supply.device.slug, pair.count, detail.micro_batch, detail.layout, detail.step_time_s.expected
    )
    # Among all clusters, as the plan looks that is made again with it.
    try:
        seen = next(iter(seen_of(field.work, (one,), field.supplies.clusters, context.assume)), None)
    except SpecError:  # assumptions of the request under which the step is predicted faster than the hardware is
        return None
    return None if seen is None else Canary(test=_test(context, chosen, detail, source, one), seen=seen)


def _test(context: Context, chosen: Costed, detail: TrainingDetail, source: Supply, measurement: Measurement) -> Test:
    assume, limits, count = context.assume, context.spec.constraints, chosen.pair.count
    steps, least = round(assume["gate.steps"]), assume["gate.least_hours"]
    hours = assume.get("select.startup_h").high + steps * detail.step_time_s.high / 3600.0
    if source.offer:
        least = max(least, _DAY_HOURS if source.offer.option == WHOLE_DAYS else 0.0)
    paid = max(math.ceil(hours), least)
    fee = paid * _usd_per_hour(context, chosen, source, count)
    delay = max(paid / _DAY_HOURS + assume["gate.days"] - ahead_days(context), 0.0)
    return Test(
        measures="step_time",
        unit=UNIT,
        accelerator=source.device.slug,
        hardware=_hardware(source, count),
        count=count,
        steps=steps,
        hours=paid,
        fee=round(fee, 2),
        delay_days=delay,
        left_days=limits.deadline_days - delay if limits.deadline_days else 0.0,
        left_budget=limits.budget_usd - round(fee, 2) if limits.budget_usd else 0.0,
        expected=detail.step_time_s.expected,
        least=assume["gate.least_worth"] * authorised(chosen, asked_of(assume).all),
        measurement=measurement,
    )


def _hardware(source: Supply, count: int) -> Finding:
    return hardware(count, device_ref(source.device), source_of(source))


def _usd_per_hour(context: Context, chosen: Costed, source: Supply, count: int) -> float:
    """What an hour of it costs at most, with the tax on it that does not come back [USD]: spot capacity may have to be had on demand; an
    hour of owned hardware costs what the work pays for one."""
    if source.offer is None:
        return chosen.usd / (chosen.busy.expected * _DAY_HOURS)
    dearer = max(source.offer.usd_per_hour, source.fallback_usd_per_hour)
    return instances(source, count) * dearer * (1.0 + context.taxes.owed_on_services)
