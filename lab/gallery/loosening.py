"""A looser request is never answered worse: each limit of a request loosened, alone, and the answers compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from engine.inputs.spec import LONGEST_DEADLINE, MOST_ACCELERATORS, Constraints, FixedLayout, Spec
from engine.odds.chances import within_surely
from lab.kinds import JUDGED
from planner.promises import asked_confidence

Json = dict[str, Any]
Plan = Callable[[Spec], Json]
ENDS: dict[str, Any] = {
    "accelerators": (),
    "providers": (),
    "regions": (),
    "certificates": (),
    "residency": "any",
    "spot": True,
    "commitments": True,
    "framework": "any",
    "custom_kernels": False,
}
"""Each limit of `Constraints` that is either set or open, and what it is when it is open."""
SLACK = 0.005
"""What a looser request may cost more, beyond what counts as equal."""


def loosened(spec: Spec) -> Iterator[tuple[str, Spec]]:
    """The request with one limit loosened, for each that it has: what was done to it, and the request."""
    limits = spec.constraints
    for name, end in ENDS.items():
        if getattr(limits, name) != end:
            yield f"{name} open", _limited(spec, **{name: end})
    if limits.max_accelerators != Constraints().max_accelerators:
        yield (
            "max_accelerators × 2",
            _limited(spec, max_accelerators=min(limits.max_accelerators * 2, MOST_ACCELERATORS)),
        )
    for name, most in (("deadline_days", LONGEST_DEADLINE), ("budget_usd", math.inf)):
        if value := getattr(limits, name):
            yield f"{name} × 2", _limited(spec, **{name: min(value * 2, most)})
            yield f"no {name}", _limited(spec, **{name: 0.0})
    yield from JUDGED[spec.kind].looser(spec)
    sure = JUDGED[spec.kind].least_sure
    if spec.confidence != sure:
        yield "half as sure", replace(spec, confidence=sure)
    if spec.operations.security:
        yield "no rules", replace(spec, operations=replace(spec.operations, security=()))
    if spec.operations.hours != "unstated":
        free = replace(spec.operations, hours="unstated", covered_by="auto")
        yield "nobody covers hours", replace(spec, operations=free)
    if spec.fixed != FixedLayout():
        yield "layout open", replace(spec, fixed=FixedLayout())


def chosen_again(spec: Spec, body: Json) -> Iterator[tuple[str, Spec]]:
    """The request held to what was chosen, which the free answer must not be dearer than: the layout, the accelerator."""
    best = body["recommended"]
    if not best:
        return
    allowed = spec.constraints.accelerators
    if (
        not allowed or best["accelerator"] in allowed
    ):  # what is owned may be used beside the list: naming it would allow more
        yield "only its accelerator", _limited(spec, accelerators=(best["accelerator"],))
    layout = {name: best["parallelism"][name] for name in ("tp", "pp")}
    yield f"only TP {layout['tp']} PP {layout['pp']}", replace(spec, fixed=replace(spec.fixed, **layout))


def worsened(spec: Spec, plan: Plan, body: Json, *, near_equal: float) -> list[str]:
    """Where loosening made the answer worse, or holding it to its own choice made it better."""
    found = []
    for name, looser in loosened(spec):
        found += _compared(f"loosened ({name})", (body, spec), (plan(looser), looser), near_equal, ported=True)
    for name, tighter in chosen_again(spec, body):
        # Hardware that a request names runs the team's software already: held to it, there is nothing to port.
        found += _compared(
            f"held to its choice ({name})", (plan(tighter), tighter), (body, spec), near_equal, ported=False
        )
    return found


def _at_risk(body: Json) -> bool:
    """Is its promise kept less surely than was asked, because nothing keeps it so surely?"""
    return any(found["code"] == "warning.at_risk" for found in body["recommended"]["warnings"])


def _compared(
    what: str, tighter: tuple[Json, Spec], looser: tuple[Json, Spec], near_equal: float, *, ported: bool
) -> list[str]:
    """Is the looser answer worse than the tighter one, each as surely as its own request asks?"""
    (tight, _), (loose, spec) = tighter, looser
    if not tight["feasible"]:
        return []
    if not loose["feasible"]:
        return [f"{what}: feasible before, refused after"]
    if _begins_later(tight) and not _begins_later(loose):
        return []  # nothing served from the start, so that less was served, and paid for
    if _at_risk(tight) and not _at_risk(loose):
        return []  # the looser one is as sure as was asked, and that is what it costs
    before, after = (score(body, asked, ported=ported) for body, asked in (tighter, looser))
    if after <= before * (1 + near_equal + SLACK):
        return []
    ids = [body["recommended"]["id"] for body in (tight, loose)]
    return [f"{what}: {spec.objective} is {after:,.4g} with {ids[1]} instead of {before:,.4g} with {ids[0]}"]


def _begins_later(body: Json) -> bool:
    """Does a service wait for servers that nothing stands in for?"""
    best = body["recommended"]
    lines = {line["name"] for line in best["cost"]["lines"]} if best and "ttft_ms" in best else set()
    return "lead_hours" in lines and "work_hours" not in lines


def score(body: Json, spec: Spec, *, ported: bool = False) -> float:
    """What the request asked to be least, as surely as it asks: money, days (of a service, which has no end, the time to the first
    token), money × days or emissions. With `ported`, what it takes to bring the software there counts as it does in the ranking."""
    best, sure = body["recommended"], asked_confidence(spec)
    usd = float(best["cost"]["npv_at_confidence"]["amount"])
    if ported and best["porting"]:
        usd += float(best["porting"]["values"]["least"]["amount"])
    days = within_surely(best["days"]["expected"], best["days"]["high"], sure)
    match spec.objective:
        case "time":
            return JUDGED[spec.kind].ranked_by_time(best, days)
        case "balanced":
            return usd * days
        case "carbon":
            return JUDGED[spec.kind].emitted(best["energy"]["kg_co2e"], sure)
    return usd


def _limited(spec: Spec, **changes: Any) -> Spec:
    limits: Constraints = replace(spec.constraints, **changes)
    return replace(spec, constraints=limits)
