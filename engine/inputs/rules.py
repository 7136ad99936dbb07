"""Rules that span fields of a request; each broken one is a code at its field."""

from __future__ import annotations

from engine.inputs.finding import Ref, Typed
from engine.inputs.spec import AgreedPrice, Fault, Serving, Spec, Training

_YEARS = (2000, 2199)
"""Of all days in a request."""


def spec_faults(spec: Spec) -> list[Fault]:
    """Every broken rule that spans fields."""
    faults = [*_workload_faults(spec), *_training_faults(spec.training), *_serving_faults(spec.serving)]
    faults += _training_only_faults(spec)
    faults += _agreed_faults(spec.agreed)
    faults += _rate_faults(spec)
    faults += _day_faults(spec)
    faults += _horizon_faults(spec.horizon_months)
    return faults


def _workload_faults(spec: Spec) -> list[Fault]:
    wanted, other = ("training", "serving") if spec.workload == "training" else ("serving", "training")
    faults = []
    if getattr(spec, wanted) is None:
        faults.append(Fault(wanted, "missing.block", {"workload": Ref("word", wanted)}))
    if getattr(spec, other) is not None:
        faults.append(Fault(other, "unexpected.block", {"workload": Ref("word", wanted)}))
    return faults


def _agreed_faults(agreed: tuple[AgreedPrice, ...]) -> list[Fault]:
    """A price above zero for hours and servers, and one price for one thing."""
    faults, seen = [], set()
    for index, price in enumerate(agreed):
        where = f"agreed.{index}"
        if price.what in ("instance_hour", "server", "currency") and price.usd <= 0:
            faults.append(Fault(f"{where}.usd", "too_small.agreed"))
        if (price.item, price.what) in seen:
            faults.append(Fault(f"{where}.item", "conflict.agreed"))
        seen.add((price.item, price.what))
    return faults


def _rate_faults(spec: Spec) -> list[Fault]:
    """An agreed rate is that of the currency that the plan is shown in: any other would change nothing."""
    return [
        Fault(f"agreed.{index}.item", "unknown.rate", {"currency": Typed(spec.currency)})
        for index, price in enumerate(spec.agreed)
        if price.what == "currency" and (price.item != spec.currency or spec.currency == "USD")
    ]


def _horizon_faults(months: float) -> list[Fault]:
    """A month at least, or none: over less, nobody buys hardware, and a share of it per year has no value."""
    if months == 0 or months >= 1:
        return []
    return [Fault("horizon_months", "too_small.horizon", {"months": months})]


def _day_faults(spec: Spec) -> list[Fault]:
    """Days that a calendar with room for the work can hold; others are slips of the hand."""
    owned = ((f"owned.{index}.available_from", item.available_from) for index, item in enumerate(spec.owned))
    return [
        Fault(
            path, "range.day", {"day": Typed(str(day)), "first": Typed(str(_YEARS[0])), "last": Typed(str(_YEARS[1]))}
        )
        for path, day in (("start", spec.start), ("as_of", spec.as_of), *owned)
        if day and not _YEARS[0] <= day.year <= _YEARS[1]
    ]


def _training_faults(training: Training | None) -> list[Fault]:
    if training is None:
        return []
    faults = []
    if not training.tokens and not training.samples:
        faults.append(Fault("training.tokens", "missing.tokens", {"other": Ref("field", "training.samples")}))
    if training.tokens and training.samples:
        faults.append(Fault("training.samples", "conflict.pair", {"other": Ref("field", "training.tokens")}))
    if training.tokens and training.epochs != 1:
        faults.append(Fault("training.epochs", "conflict.epochs", {"other": Ref("field", "training.samples")}))
    if training.global_batch_tokens and training.global_batch_size:
        faults.append(
            Fault(
                "training.global_batch_size", "conflict.pair", {"other": Ref("field", "training.global_batch_tokens")}
            )
        )
    if training.global_batch_tokens and training.global_batch_tokens < training.sequence_length:
        faults.append(Fault("training.global_batch_tokens", "too_small.batch", {"length": training.sequence_length}))
    return faults


def _training_only_faults(spec: Spec) -> list[Fault]:
    """What only a training run has would change nothing of a service."""
    if spec.workload == "training":
        return []
    faults = []
    if spec.constraints.deadline_days:
        other = {"other": Ref("field", "serving.batch.deadline_hours")}
        faults.append(Fault("constraints.deadline_days", "unexpected.deadline", other))
    if spec.measured:
        faults.append(Fault("measured", "unexpected.measured"))
    return faults


def _serving_faults(serving: Serving | None) -> list[Fault]:
    """A service or a batch: what belongs to the one is refused beside the other, not left aside."""
    if serving is None:
        return []
    if serving.batch:
        return _batch_faults(serving)
    if serving.requests_per_s:
        return []
    return [Fault("serving.requests_per_s", "missing.rate", {"other": Ref("field", "serving.batch.requests")})]


def _batch_faults(serving: Serving) -> list[Fault]:
    beside = {
        "requests_per_s": "conflict.rate_beside_batch",
        "load_curve": "conflict.curve_beside_batch",
        "ttft_p95_ms": "conflict.promise_beside_batch",
        "tpot_p95_ms": "conflict.promise_beside_batch",
    }
    return [Fault(f"serving.{name}", code) for name, code in beside.items() if getattr(serving, name)]
