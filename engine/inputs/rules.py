"""Rules that span fields of a request; each broken one is a code at its field."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from engine.inputs.finding import Ref, Typed
from engine.inputs.spec import AgreedPrice, Confidence, Fault, FixedLayout, Serving, Spec, Taxes, Training
from engine.inputs.terms_rules import terms_faults

TRAINING_LAYOUT = ("vpp", "cp", "dp", "zero_stage", "micro_batch", "schedule")
"""Parts of a layout that a replica does not have."""
SERVICE_OPERATIONS = ("availability", "on_call", "pattern", "keep_capacity")
OWN_SPARES = ("n", "n+1", "n+n", "active-active")
"""Patterns that say themselves how many replicas are spare."""
TOKEN_FIELDS = (
    "length_spread", "burstiness", "kv_precision", "prefix_hit_share", "speculative_accepted", "api_price",
)  # fmt: skip
"""Of a service, where answers are made token by token."""
_REPLICA = ("count", "tp", "pp", "ep")
"""Parts of a replica's layout; one of another model is one accelerator."""
LEAST = 1e-9
"""Of a number in a request that is not 0, in whatever unit: of each, a billionth is next to nothing."""
_YEARS = (2000, 2199)
"""Of all days in a request."""


def spec_faults(spec: Spec) -> list[Fault]:
    """Every broken rule that spans fields."""
    faults = [*_workload_faults(spec), *_training_faults(spec.training), *_serving_faults(spec.serving)]
    faults += _training_only_faults(spec)
    faults += _service_only_faults(spec)
    faults += _pattern_faults(spec)
    faults += _agreed_faults(spec.agreed)
    faults += terms_faults(spec)
    faults += _rate_faults(spec)
    faults += _day_faults(spec)
    faults += _horizon_faults(spec.horizon_months)
    faults += _tax_faults(spec.taxes)
    faults += _confidence_faults(spec)
    faults += _fits_faults(spec)
    faults += _slight_faults(spec)
    return faults


def _confidence_faults(spec: Spec) -> list[Fault]:
    """How sure a plan must be is said once: the assumption of that name is what the field sets."""
    assumed, asked = spec.assumptions.get("select.confidence"), spec.confidence.all
    if assumed is None or asked in (assumed, Confidence().all):
        return []
    return [Fault("assumptions.select.confidence", "conflict.pair", {"other": Ref("field", "confidence.all")})]


def _fits_faults(spec: Spec) -> list[Fault]:
    """Whether something fits surely is asked of a run; a replica takes as many requests as its memory holds."""
    if spec.workload == "training" or spec.confidence.memory == Confidence().memory:
        return []
    return [Fault("confidence.memory", "unexpected.fits")]


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


def _slight_faults(part: Any, path: str = "") -> list[Fault]:
    """Positive numbers so small that what is divided by them has no end; whoever means none writes 0."""
    if isinstance(part, float):
        return [Fault(path, "too_small.slight", {"least": LEAST})] if 0 < part < LEAST else []
    if isinstance(part, tuple):
        inside = [(str(index), item) for index, item in enumerate(part)]
    elif is_dataclass(part):
        inside = [(one.name, getattr(part, one.name)) for one in fields(part)]
    else:
        return []
    return [fault for name, item in inside for fault in _slight_faults(item, f"{path}.{name}" if path else name)]


def _horizon_faults(months: float) -> list[Fault]:
    """A month at least, or none: over less, nobody buys hardware, and a share of it per year has no value."""
    if months == 0 or months >= 1:
        return []
    return [Fault("horizon_months", "too_small.horizon", {"months": months})]


def _tax_faults(taxes: Taxes | None) -> list[Fault]:
    """A part of a tax needs the tax; all of it comes back whatever it is."""
    if taxes is None or taxes.purchases or taxes.services or taxes.recovered in (0.0, 1.0):
        return []
    others = {"first": Ref("field", "taxes.purchases"), "second": Ref("field", "taxes.services")}
    return [Fault("taxes.recovered", "missing.tax", others)]


def _day_faults(spec: Spec) -> list[Fault]:
    """Days that a calendar with room for the work can hold; others are slips of the hand."""
    owned = [(f"owned.{index}.available_from", item.available_from) for index, item in enumerate(spec.owned)]
    owned += [(f"spend_commitments.{index}.until", item.until) for index, item in enumerate(spec.spend_commitments)]
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
    if training.method not in ("lora", "qlora") and _is_set(training, "lora_rank"):
        faults.append(Fault("training.lora_rank", "unexpected.lora_rank"))
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
    if spec.constraints.framework not in ("any", "auto"):
        faults.append(
            Fault("constraints.framework", "unexpected.framework", {"other": Ref("field", "serving.framework")})
        )
    faults += [Fault(f"fixed.{name}", "unexpected.layout") for name in TRAINING_LAYOUT if _divides(spec.fixed, name)]
    return faults


def _service_only_faults(spec: Spec) -> list[Fault]:
    """How available something is that nobody waits for says nothing of a run or a batch."""
    if spec.serving and not spec.serving.batch:
        return []
    names = (name for name in SERVICE_OPERATIONS if _is_set(spec.operations, name))
    return [Fault(f"operations.{name}", "unexpected.operation") for name in names]


def _pattern_faults(spec: Spec) -> list[Fault]:
    """Spares are counted once; and capacity that nothing gives back is kept already."""
    if spec.serving is None or spec.serving.batch:
        return []
    faults, asked = [], spec.operations
    if asked.pattern in OWN_SPARES and _is_set(spec.serving, "spare_replicas"):
        faults.append(Fault("serving.spare_replicas", "conflict.pattern_spares", {"pattern": Typed(asked.pattern)}))
    if asked.keep_capacity and not spec.serving.load_curve:
        faults.append(Fault("operations.keep_capacity", "unexpected.keep_capacity"))
    return faults


def sample_faults(spec: Spec) -> list[Fault]:
    """What is set of a service or a batch of a model that writes no text token by token, and changes nothing of it."""
    if spec.serving is None:
        return []
    faults = [Fault(f"serving.{name}", "unexpected.tokens") for name in TOKEN_FIELDS if _is_set(spec.serving, name)]
    return faults + [Fault(f"fixed.{name}", "unexpected.replica") for name in _REPLICA if _divides(spec.fixed, name)]


def _divides(layout: FixedLayout, name: str) -> bool:
    """Is that part of a layout set to something? 1 is true of what is not divided."""
    return _is_set(layout, name) and (name == "zero_stage" or getattr(layout, name) != 1)


def _is_set(block: Any, name: str) -> bool:
    """Does it say something else than it says when it is left out?"""
    default = next(item.default for item in fields(block) if item.name == name)
    return bool(getattr(block, name) != default)


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
    faults = [Fault(f"serving.{name}", code) for name, code in beside.items() if getattr(serving, name)]
    if serving.spare_replicas > 1:
        faults.append(Fault("serving.spare_replicas", "conflict.spares_beside_batch"))
    return faults
