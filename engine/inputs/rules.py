"""Rules that span fields of a request; each broken one is a code at its field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, Final, TypeVar

from engine.inputs.finding import Ref, Typed
from engine.inputs.kind import PerKind
from engine.inputs.schedulers import SERVICES, places_on
from engine.inputs.spec import AgreedPrice, Confidence, Fault, FixedLayout, Operations, Serving, Spec, Taxes, Training
from engine.inputs.terms_rules import terms_faults

TRAINING_LAYOUT = ("vpp", "cp", "dp", "zero_stage", "micro_batch", "schedule")
"""Parts of a layout that a replica does not have."""
SERVICE_OPERATIONS = ("availability", "on_call", "pattern", "keep_capacity", "hours", "covered_by")
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


Part = TypeVar("Part", Training, Serving)


def spec_faults(spec: Spec) -> list[Fault]:
    """Every broken rule that spans fields."""
    faults = _workload_faults(spec)
    faults += [fault for rule in _OF_KIND[spec.kind] for fault in rule(spec)]
    faults += _agreed_faults(spec.agreed)
    faults += terms_faults(spec)
    faults += _rate_faults(spec)
    faults += _day_faults(spec)
    faults += _horizon_faults(spec.horizon_months)
    faults += _tax_faults(spec.taxes)
    faults += _scheduler_faults(spec)
    faults += _cover_faults(spec.operations)
    faults += _confidence_faults(spec)
    faults += [fault for rule in _LAST_OF_KIND[spec.kind] for fault in rule(spec)]
    faults += _slight_faults(spec)
    return faults


def _scheduler_faults(spec: Spec) -> list[Fault]:
    """Work that never leaves the house is not placed by a service of a provider, and one service only places on its own instances."""
    scheduler, providers = spec.operations.scheduler, spec.constraints.providers
    if spec.air_gapped and scheduler in SERVICES:
        return [Fault("operations.scheduler", "conflict.air_gapped", {"other": Ref("field", "operations.security")})]
    if providers and not any(places_on(scheduler, provider) for provider in providers):
        return [Fault("operations.scheduler", "conflict.providers", {"other": Ref("field", "constraints.providers")})]
    return []


def _cover_faults(asked: Operations) -> list[Fault]:
    """Who covers no hours changes nothing, and who is on call day and night covers more than office hours."""
    if asked.hours == "unstated" and asked.covered_by != "auto":
        return [Fault("operations.hours", "missing.hours", {"other": Ref("field", "operations.covered_by")})]
    if asked.hours == "office" and asked.on_call:
        return [Fault("operations.hours", "conflict.on_call", {"other": Ref("field", "operations.on_call")})]
    return []


def _confidence_faults(spec: Spec) -> list[Fault]:
    """How sure a plan must be is said once: the assumption of that name is what the field sets."""
    assumed, asked = spec.assumptions.get("select.confidence"), spec.confidence.all
    if assumed is None or asked in (assumed, Confidence().all):
        return []
    return [Fault("assumptions.select.confidence", "conflict.pair", {"other": Ref("field", "confidence.all")})]


def _fits_faults(spec: Spec) -> list[Fault]:
    """Whether something fits surely is asked of a run; a replica takes as many requests as its memory holds."""
    if spec.confidence.memory == Confidence().memory:
        return []
    return [Fault("confidence.memory", "unexpected.fits")]


def _workload_faults(spec: Spec) -> list[Fault]:
    wanted, other = _BLOCKS[spec.workload]
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


def _training_faults(spec: Spec) -> list[Fault]:
    faults: list[Fault] = []
    for training in _there(spec.training):
        faults += _run_faults(training)
    return faults


def _run_faults(training: Training) -> list[Fault]:
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
    names = (name for name in SERVICE_OPERATIONS if _is_set(spec.operations, name))
    return [Fault(f"operations.{name}", "unexpected.operation") for name in names]


def _pattern_faults(spec: Spec) -> list[Fault]:
    """Spares are counted once; and capacity that nothing gives back is kept already."""
    faults, asked = [], spec.operations
    for served in _there(spec.serving):
        if asked.pattern in OWN_SPARES and _is_set(served, "spare_replicas"):
            faults.append(Fault("serving.spare_replicas", "conflict.pattern_spares", {"pattern": Typed(asked.pattern)}))
        if asked.keep_capacity and not served.load_curve:
            faults.append(Fault("operations.keep_capacity", "unexpected.keep_capacity"))
    return faults


def sample_faults(spec: Spec) -> list[Fault]:
    """What is set of a service or a batch of a model that writes no text token by token, and changes nothing of it."""
    faults: list[Fault] = []
    for served in _there(spec.serving):
        faults += [Fault(f"serving.{name}", "unexpected.tokens") for name in TOKEN_FIELDS if _is_set(served, name)]
        faults += [Fault(f"fixed.{name}", "unexpected.replica") for name in _REPLICA if _divides(spec.fixed, name)]
    return faults


def _divides(layout: FixedLayout, name: str) -> bool:
    """Is that part of a layout set to something? 1 is true of what is not divided."""
    return _is_set(layout, name) and (name == "zero_stage" or getattr(layout, name) != 1)


def _is_set(block: Any, name: str) -> bool:
    """Does it say something else than it says when it is left out?"""
    default = next(item.default for item in fields(block) if item.name == name)
    return bool(getattr(block, name) != default)


def _rate_asked_faults(spec: Spec) -> list[Fault]:
    """A service has a rate."""
    other = {"other": Ref("field", "serving.batch.requests")}
    return [
        Fault("serving.requests_per_s", "missing.rate", other)
        for served in _there(spec.serving)
        if not served.requests_per_s
    ]


def _batch_faults(spec: Spec) -> list[Fault]:
    """What belongs to a service is refused beside a batch, not left aside."""
    beside = {
        "requests_per_s": "conflict.rate_beside_batch",
        "load_curve": "conflict.curve_beside_batch",
        "ttft_p95_ms": "conflict.promise_beside_batch",
        "tpot_p95_ms": "conflict.promise_beside_batch",
    }
    faults = []
    for asked in _there(spec.serving):
        faults += [Fault(f"serving.{name}", code) for name, code in beside.items() if getattr(asked, name)]
        if asked.spare_replicas > 1:
            faults.append(Fault("serving.spare_replicas", "conflict.spares_beside_batch"))
    return faults


def _there(part: Part | None) -> tuple[Part, ...]:
    """That part of the request, if it is there: one that misses is a fault of its own."""
    return () if part is None else (part,)


_Rule = Callable[[Spec], list[Fault]]
_OF_KIND: Final[PerKind[tuple[_Rule, ...]]] = {
    "run": (_training_faults, _service_only_faults),
    "service": (_rate_asked_faults, _training_only_faults, _pattern_faults),
    "batch": (_batch_faults, _training_only_faults, _service_only_faults),
}
"""The rules of each kind of work, in the order in which they are told."""
_LAST_OF_KIND: Final[PerKind[tuple[_Rule, ...]]] = {
    "run": (),
    "service": (_fits_faults,),
    "batch": (_fits_faults,),
}
_BLOCKS: Final = {"training": ("training", "serving"), "serving": ("serving", "training")}
"""The part that a request needs, and the one that it may not have."""
