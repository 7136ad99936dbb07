"""REST: estimates without anything stored — one, many, and how far a cost moves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Le, MaxLen, MinLen
from django.http import HttpRequest, HttpResponse
from ninja import Body, Router
from pydantic import PlainValidator

from accounts.bearer import Bearer, Caller, caller_of
from engine.answer import Change, CostModel, Lever, Money, Option, Recommendation
from engine.inputs.currency import DIGITS
from engine.inputs.spec import Spec, SpecError
from engine.money.cost import draw, drivers
from planner.api.bodies import Amount, SpecBody, amount_or_number, item_of, refused
from planner.api.expansion import EXPAND, Expand
from planner.body import amount_body, decimal_text, estimate_body, levers_body
from planner.frozen.snapshot import Plan
from planner.levers.steps import levers_for
from planner.planned import plan_of
from planner.request.parse import spec_from
from planner.telling import told
from rest.answers import answer
from rest.bodies import read_body
from rest.door import BODY, answers
from rest.limits import spend
from rest.parts import in_part
from rest.problems import Problem, ProblemBody, ProblemItem, invalid
from voice.speech import error_text

router = Router(tags=["Estimates"])
MOST_ITEMS = 100


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Up to 100 specs; each is answered on its own."""

    __pydantic_config__ = {"extra": "forbid"}

    items: Annotated[tuple[Spec, ...], MinLen(1), MaxLen(MOST_ITEMS)]


@dataclass(frozen=True, kw_only=True)
class BatchItem:
    """The answer to one spec of a batch: an estimate with status 200, or a problem with its own status."""

    index: int
    status: int
    estimate: Recommendation | None
    problem: ProblemBody | None


@dataclass(frozen=True, kw_only=True)
class BatchAnswer:
    """One answer for each spec, in their order."""

    data: tuple[BatchItem, ...]


@dataclass(frozen=True, kw_only=True)
class SensitivityOptions:
    """How to look at the recommended option's cost: one input after the other, or all at random."""

    __pydantic_config__ = {"extra": "forbid"}

    method: Literal["one_at_a_time", "monte_carlo"] = "one_at_a_time"
    inputs: Annotated[tuple[Annotated[str, MaxLen(80)], ...], MaxLen(50)] = ()
    """Only these inputs of the cost model; empty = all (`one_at_a_time`: the eight that matter most)."""
    seed: Annotated[int, Ge(0), Le(2**31 - 1)] = 0
    draws: Annotated[int, Ge(100), Le(20_000)] = 2000


@dataclass(frozen=True, kw_only=True)
class Sensitivity(SensitivityOptions):
    """A spec and how to look at its cost."""

    spec: Spec


@dataclass(frozen=True, kw_only=True)
class Bar:
    """How far the total moves when one input goes to its low and its high."""

    name: str
    label: str
    unit: str
    low_value: Amount | float
    high_value: Amount | float
    low_total: Amount
    high_total: Amount


@dataclass(frozen=True, kw_only=True)
class CostBand:
    """Percentiles of the total over all draws: decimal text in `currency`."""

    p05: str
    p10: str
    p25: str
    p50: str
    p75: str
    p90: str
    p95: str
    mean: str
    currency: str
    draws: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class SensitivityAnswer:
    """Bars of the tornado, largest first, or the band."""

    plan_sha256: str
    option_id: str
    method: str
    total: Amount
    bars: tuple[Bar, ...]
    band: CostBand | None


@dataclass(frozen=True, kw_only=True)
class LeversAnswer:
    """Each lever with what it saves, what saves nothing, and what the commitment of the plan saves."""

    cost: Money | None
    """Total of what is recommended; null where nothing is, or something else than cost decides."""
    levers: tuple[Lever, ...]
    idle: tuple[Change, ...]
    signed: Lever | None


def _read_batch(data: Any) -> list[Any]:
    """The items, unread: each is answered on its own."""
    items = data.get("items")
    unknown = [ProblemItem(pointer=f"/{key[:80]}", code="unknown", detail=f"“{key[:80]}” is not a known field: send “items”.")
               for key in data if key != "items"]  # fmt: skip
    if unknown:
        raise invalid(unknown)
    if not isinstance(items, list) or not 1 <= len(items) <= MOST_ITEMS:
        raise invalid(
            [ProblemItem(pointer="/items", code="length", detail=f"“items” must be a list of 1 to {MOST_ITEMS} specs.")]
        )
    return items


def _read_sensitivity(data: Any) -> Sensitivity:
    """The spec with its pointers below /spec, and the options beside it. Problem 422."""
    options = read_body(SensitivityOptions, {key: value for key, value in data.items() if key != "spec"})
    if "spec" not in data:
        raise invalid([ProblemItem(pointer="/spec", code="missing", detail="“spec” is missing: give a workload.")])
    try:
        return Sensitivity(spec=spec_from(data["spec"]), **vars(options))
    except SpecError as error:
        raise refused(error, "spec") from error


BatchBody = Annotated[list[Any], PlainValidator(_read_batch, json_schema_input_type=Batch), Body()]
SensitivityBody = Annotated[Sensitivity, PlainValidator(_read_sensitivity, json_schema_input_type=Sensitivity), Body()]
_BEARER = Bearer("plans:read", bucket="estimate")


@router.post("/estimates:batch", auth=_BEARER, response=answers(*BODY, ok=BatchAnswer), summary="Estimate many")
def create_estimates(request: HttpRequest, items: BatchBody, expand: Expand = EXPAND) -> HttpResponse:
    """Up to 100 specs, each answered with its own status; nothing is stored."""
    caller = caller_of(request)
    if len(items) > 1:
        request.allowance = spend(caller.key, "estimate", len(items) - 1, person=caller.person)  # type: ignore[attr-defined]  # for the headers
    return answer({"data": [_batch_item(request, caller, index, item, expand) for index, item in enumerate(items)]})


@router.post(
    "/estimates/sensitivity",
    auth=_BEARER,
    response=answers(*BODY, ok=SensitivityAnswer),
    summary="How far a cost moves",
)
def create_sensitivity(request: HttpRequest, wanted: SensitivityBody) -> HttpResponse:
    """The tornado (`one_at_a_time`) or the band (`monte_carlo`) of the recommended option's cost model."""
    plan = estimated(caller_of(request), wanted.spec, "spec")
    option = plan.recommendation.recommended
    if option is None:
        item = ProblemItem(
            pointer="/spec", code="infeasible", detail="Nothing is feasible, so there is no cost to vary: "
            "see “nearest” of POST /api/v1/estimates.",
        )  # fmt: skip
        raise invalid([item])
    model = _only(option.cost.model, wanted.inputs)
    bars = _bars(option, model) if wanted.method == "one_at_a_time" else ()
    band = _band(model, wanted) if wanted.method == "monte_carlo" else None
    return answer(
        SensitivityAnswer(
            plan_sha256=plan.sha256,
            option_id=option.id,
            method=wanted.method,
            total=_amount(option, option.cost.total.expected),
            bars=bars,
            band=band,
        )
    )


@router.post(
    "/estimates/levers",
    auth=_BEARER,
    response=answers(*BODY, ok=LeversAnswer),
    summary="What would cost less",
)
def create_levers(request: HttpRequest, spec: SpecBody) -> HttpResponse:
    """What of that workload could be given up, signed or brought along for less money, one at a time; nothing is stored.

    What is told of a lever is what the estimate of the changed request gives. None where nothing is recommended, or something else than
    cost decides.
    """
    try:
        found = levers_for(spec, caller_of(request).team)
    except SpecError as error:
        raise refused(error) from error
    return answer(levers_body(found))


@router.post("/estimates", auth=_BEARER, response=answers(*BODY, ok=Recommendation), summary="Estimate one workload")
@in_part
def create_estimate(request: HttpRequest, spec: SpecBody, expand: Expand = EXPAND) -> HttpResponse:
    """The recommendation for that workload on today's catalog; nothing is stored. Equal requests give equal answers.

    It weighs no more than 60 kB, unless `expand` names what is to come whole.
    """
    return answer(estimate_body(estimated(caller_of(request), spec), expand=expand))


def estimated(caller: Caller, spec: Spec, *parents: object) -> Plan:
    """The plan of that spec on the team's market. Problem 422 when it names what the catalog lacks."""
    try:
        return plan_of(spec, caller.team)
    except SpecError as error:
        raise refused(error, *parents) from error


def _batch_item(request: HttpRequest, caller: Caller, index: int, item: Any, expand: Collection[str]) -> dict[str, Any]:
    try:
        found = estimate_body(plan_of(spec_from(item), caller.team), expand=expand)
        return {"index": index, "status": 200, "estimate": found, "problem": None}
    except SpecError as error:
        problem = Problem(
            422, error_text(error)[:2000], errors=[item_of(fault, "items", index) for fault in error.faults]
        )
        return {"index": index, "status": 422, "estimate": None, "problem": problem.body(request)}


def _only(model: CostModel, names: tuple[str, ...]) -> CostModel:
    """The model in which only those inputs are uncertain."""
    known = {item.name for item in model.inputs}
    wrong = [(index, name) for index, name in enumerate(names) if name not in known]
    if wrong:
        raise invalid(
            ProblemItem(
                pointer=f"/inputs/{index}",
                code="unknown",
                detail=f"“{name}” is no input of this cost model: choose from {', '.join(sorted(known))}.",
            )
            for index, name in wrong
        )
    if not names:
        return model
    fixed = (item if item.name in names else replace(item, low=item.value, high=item.value) for item in model.inputs)
    return replace(model, inputs=tuple(fixed))


def _bars(option: Option, model: CostModel) -> tuple[Bar, ...]:
    return tuple(
        Bar(
            name=bar.name,
            label=told(bar.label),
            unit=bar.unit,
            low_value=amount_or_number(bar.low_value, bar.unit),
            high_value=amount_or_number(bar.high_value, bar.unit),
            low_total=_amount(option, option.cost.total.expected + bar.low_change),
            high_total=_amount(option, option.cost.total.expected + bar.high_change),
        )
        for bar in drivers(model)
    )


def _amount(option: Option, value: float) -> Amount:
    return Amount(**amount_body(value, option.cost.total.currency))


def _band(model: CostModel, wanted: Sensitivity) -> CostBand:
    totals = draw(model, seed=wanted.seed, draws=wanted.draws).total
    points = np.percentile(totals, (5, 10, 25, 50, 75, 90, 95))
    names = ("p05", "p10", "p25", "p50", "p75", "p90", "p95")
    digits = DIGITS[model.currency]
    return CostBand(
        **{name: decimal_text(float(value), digits) for name, value in zip(names, points, strict=True)},
        mean=decimal_text(float(np.mean(totals)), digits),
        currency=model.currency,
        draws=wanted.draws,
        seed=wanted.seed,
    )
