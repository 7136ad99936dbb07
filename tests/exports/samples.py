"""Whole plans for tests of documents and pages: four as the engine made them, two of them pushed to what a plan may hold.

``tests/plans`` holds requests and answers; ``make plans`` makes the answers anew.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from engine.answer import Point, Rejection
from engine.inputs.finding import Finding, Ref, Typed, finding
from engine.inputs.named import cluster
from planner.frozen.snapshot import Plan
from tests.plans import stored

HOSTILE = (
    '=HYPERLINK("http://evil.example","pay") +1+1 @SUM(A1) {=1} <b>a & b</b> <img src="/etc/passwd"> \x00\x01\x0b\x1f '
    "\ud800 \u202egnp.exe\u2066 \ufffe 東京の計画 مرحبا 🚀 " + "W" * 4000
)


def training_plan() -> Plan:
    """Llama 3.1 70B, 15 billion tokens, 21 days; among the alternatives some to buy, over the budget, and one too slow."""
    return stored("training")


def serving_plan() -> Plan:
    """Qwen3 32B at 40 requests/s with promises on the first token and on the following ones."""
    return stored("serving")


def tiny_plan() -> Plan:
    """The least that the engine says: one card that is there, no alternative, no limit."""
    return stored("tiny")


def infeasible_plan() -> Plan:
    """Nothing keeps deadline and budget: the answer says what would have to change."""
    return stored("infeasible")


def _with_front(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The points, those that none beats in both time and cost marked as the front."""
    least, front = float("inf"), set()
    for point in sorted(points, key=lambda point: (point.days, point.cost)):
        if point.cost < least:
            least = point.cost
            front.add(point.option_id)
    return tuple(replace(point, on_frontier=point.option_id in front) for point in points)


def huge_plan(size: int = 5000) -> Plan:
    """As many alternatives, points and refusals as a plan may hold: 90 MB of text, which is not hashed."""
    plan = training_plan()
    answer = plan.recommendation
    pool = answer.alternatives
    others = tuple(
        replace(pool[i % len(pool)], id=f"x{i}", accelerator_name=f"{pool[i % len(pool)].accelerator_name} variant {i}")
        for i in range(size)
    )
    points = tuple(
        Point(
            option_id=f"x{i}",
            label=cluster(i + 1, Ref("accelerator", "x", "Option")),
            days=(days := 3 + (i * 37 % 991) / 40),
            cost=14_000 + (i * 91 % 4999) * 30 + 200_000 / days,
            on_frontier=False,
            feasible=i % 7 != 0,
        )
        for i in range(size)
    )
    rejected = tuple(
        Rejection(code=f"r{i}", reason=_because(f"rule {i}"), count=i + 1, nearest=_because(f"by {i + 1} GB"))
        for i in range(300)
    )
    answer = replace(answer, alternatives=others, frontier=_with_front(points), rejected=rejected)
    return Plan(spec=plan.spec, recommendation=answer, sha256=plan.sha256)


def _because(text: str) -> Finding:
    """A finding that quotes what others wrote."""
    return finding("example.because", accelerator=Ref("accelerator", "x", text), why=Typed(text))


def _told(text: str) -> Finding:
    """What something is called in a text of others."""
    return finding("told", text=Typed(text))


def hostile_plan() -> Plan:
    """Every text of others is hostile: markup, formulas, control characters, bidi, emoji, 4,000 letters in a row."""
    plan = training_plan()
    answer, text = plan.recommendation, HOSTILE
    best = answer.recommended
    assert best is not None
    assert best.offer is not None
    bad_offer = replace(best.offer, provider=text, instance=text, region=text, source=text)
    model = replace(
        best.cost.model,
        inputs=tuple(replace(item, told=_told(f"={item.name} {text}"), source=text) for item in best.cost.model.inputs),
        lines=tuple(replace(line, told=_told(f"@{text}")) for line in best.cost.model.lines),
    )
    best = replace(
        best,
        offer=bad_offer,
        accelerator_name=text,
        reasons=(_because(text),),
        warnings=(_because(text),),
        cost=replace(best.cost, model=model),
    )
    others = tuple(replace(option, accelerator_name=f"-2+3 {text}") for option in answer.alternatives[:5])
    answer = replace(
        answer,
        headline=_because(text),
        recommended=best,
        alternatives=others,
        model=replace(answer.model, name=text, source=text),
        rejected=tuple(replace(item, reason=_because(text), nearest=_because(text)) for item in answer.rejected),
        advice=tuple(replace(item, choice=_because(text), reason=(_because(text),)) for item in answer.advice),
        assumptions=tuple(replace(item, meaning=text, source=f"=1+{text}") for item in answer.assumptions),
        warnings=(_because(text),),
    )
    return Plan(spec=replace(plan.spec, name=text), recommendation=answer, sha256=plan.sha256)


ALL = {
    # Built once: a plan never changes.
    name: cache(make)
    for name, make in {
        "training": training_plan,
        "serving": serving_plan,
        "tiny": tiny_plan,
        "huge": huge_plan,
        "hostile": hostile_plan,
        "infeasible": infeasible_plan,
    }.items()
}
