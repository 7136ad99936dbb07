"""Rules that span fields of a request; each broken one is a sentence that names its field."""

from __future__ import annotations

from engine.inputs.spec import AgreedPrice, Fault, Serving, Spec, SpecError, Training

_YEARS = (2000, 2199)
"""Of all days in a request."""


def check_spec(spec: Spec) -> None:
    """Raise SpecError with every broken rule that spans fields."""
    faults = [*_workload_faults(spec), *_training_faults(spec.training), *_serving_faults(spec.serving)]
    faults += _agreed_faults(spec.agreed)
    faults += _rate_faults(spec)
    faults += _day_faults(spec)
    faults += _horizon_faults(spec.horizon_months)
    if faults:
        raise SpecError(*faults)


def _workload_faults(spec: Spec) -> list[Fault]:
    wanted, other = ("training", "serving") if spec.workload == "training" else ("serving", "training")
    faults = []
    if getattr(spec, wanted) is None:
        faults.append(Fault(wanted, "missing", f"“{wanted}” is missing: a {wanted} workload needs it."))
    if getattr(spec, other) is not None:
        faults.append(Fault(other, "unexpected", f"“{other}” does not belong to a {wanted} workload: leave it out."))
    return faults


def _agreed_faults(agreed: tuple[AgreedPrice, ...]) -> list[Fault]:
    """A price above zero for hours and servers, and one price for one thing."""
    faults, seen = [], set()
    for index, price in enumerate(agreed):
        where = f"agreed.{index}"
        if price.what in ("instance_hour", "server", "currency") and price.usd <= 0:
            faults.append(Fault(f"{where}.usd", "too_small", f"“{where}.usd” must be above 0 USD."))
        if (price.item, price.what) in seen:
            faults.append(Fault(f"{where}.item", "conflict", f"“{where}.item” is priced twice: keep one price."))
        seen.add((price.item, price.what))
    return faults


def _rate_faults(spec: Spec) -> list[Fault]:
    """An agreed rate is that of the currency that the plan is shown in: any other would change nothing."""
    return [
        Fault(
            f"agreed.{index}.item",
            "unknown",
            f"“agreed.{index}.item”: a rate is agreed for the currency that the plan is shown in, {spec.currency}.",
        )
        for index, price in enumerate(spec.agreed)
        if price.what == "currency" and (price.item != spec.currency or spec.currency == "USD")
    ]


def _horizon_faults(months: float) -> list[Fault]:
    """A month at least, or none: over less, nobody buys hardware, and a share of it per year has no value."""
    if months == 0 or months >= 1:
        return []
    return [
        Fault(
            "horizon_months",
            "too_small",
            f"“horizon_months” is {months:g} months: give 1 month or more, or 0 for this work alone.",
        )
    ]


def _day_faults(spec: Spec) -> list[Fault]:
    """Days that a calendar with room for the work can hold; others are slips of the hand."""
    owned = ((f"owned.{index}.available_from", item.available_from) for index, item in enumerate(spec.owned))
    return [
        Fault(path, "range", f"“{path}” is {day}: give a day of the years {_YEARS[0]} to {_YEARS[1]}.")
        for path, day in (("start", spec.start), ("as_of", spec.as_of), *owned)
        if day and not _YEARS[0] <= day.year <= _YEARS[1]
    ]


def _training_faults(training: Training | None) -> list[Fault]:
    if training is None:
        return []
    faults = []
    if not training.tokens and not training.samples:
        faults.append(
            Fault(
                "training.tokens",
                "missing",
                "“training.tokens” is missing: say how many tokens, or give “training.samples”.",
            )
        )
    if training.tokens and training.samples:
        faults.append(
            Fault("training.samples", "conflict", "“training.tokens” and “training.samples” are both given: keep one.")
        )
    if training.global_batch_tokens and training.global_batch_size:
        faults.append(
            Fault(
                "training.global_batch_size",
                "conflict",
                "“training.global_batch_tokens” and “training.global_batch_size” are both given: keep one.",
            )
        )
    if training.global_batch_tokens and training.global_batch_tokens < training.sequence_length:
        faults.append(
            Fault(
                "training.global_batch_tokens",
                "too_small",
                f"“training.global_batch_tokens” is smaller than one sequence of "
                f"{training.sequence_length:,} tokens: raise it or shorten the sequence.",
            )
        )
    return faults


def _serving_faults(serving: Serving | None) -> list[Fault]:
    """A service or a batch: what belongs to the one is refused beside the other, not left aside."""
    if serving is None:
        return []
    if serving.batch:
        return _batch_faults(serving)
    if serving.requests_per_s:
        return []
    return [
        Fault(
            "serving.requests_per_s",
            "missing",
            "“serving.requests_per_s” is missing: say the peak rate, or describe a “serving.batch”.",
        )
    ]


def _batch_faults(serving: Serving) -> list[Fault]:
    beside = {
        "requests_per_s": "a plan serves a rate or works off a batch",
        "load_curve": "a batch has no hours of a day",
        "ttft_p95_ms": "nobody waits for the answers of a batch",
        "tpot_p95_ms": "nobody waits for the answers of a batch",
    }
    return [
        Fault(
            f"serving.{name}",
            "conflict",
            f"“serving.{name}” stands beside an offline batch: {why}. Leave one of them out; a service and a batch "
            "are planned apart.",
        )
        for name, why in beside.items()
        if getattr(serving, name)
    ]
