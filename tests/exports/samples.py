"""Whole plans, made by hand, for tests of documents: training, serving, tiny, huge, hostile, infeasible.

Numbers are realistic but simple: hours follow from FLOP ÷ (peak × MFU), and every cost model is evaluated by its own
expressions, so amounts, totals and cash agree to the cent as they must in a real plan.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from engine.answer import (
    CostModel,
    Driver,
    Flip,
    Layout,
    ModelSummary,
    Nearest,
    Option,
    Point,
    Recommendation,
    Rejection,
)
from engine.inputs.spec import Constraints, Serving, Spec, Training
from engine.money.expressions import Expression, cents
from planner.snapshot import Plan, freeze
from tests.exports.sample_options import (
    ADVICE,
    ASSUMPTIONS,
    MODEL,
    REJECTED,
    START,
    offer,
    serving_option,
    training_option,
)

HOSTILE = (
    '=HYPERLINK("http://evil.example","pay") +1+1 @SUM(A1) {=1} <b>a & b</b> <img src="/etc/passwd"> \x00\x01\x0b\x1f '
    "\ud800 \u202egnp.exe\u2066 \ufffe 東京の計画 مرحبا 🚀 " + "W" * 4000
)


def _drivers(model: CostModel) -> tuple[Driver, ...]:
    values = {item.name: item.value for item in model.inputs}
    base = _total_of(model, values)
    drivers = []
    for item in model.inputs:
        if item.low == item.high:
            continue
        low, high = (_total_of(model, {**values, item.name: value}) for value in (item.low, item.high))
        drivers.append(
            Driver(
                name=item.name,
                label=item.label,
                low_value=item.low,
                high_value=item.high,
                unit=item.unit,
                low_change=cents(low - base),
                high_change=cents(high - base),
            )
        )
    return tuple(sorted(drivers, key=lambda driver: -abs(driver.high_change - driver.low_change)))


def _total_of(model: CostModel, values: dict[str, float]) -> float:
    values = dict(values)
    for line in model.lines:
        values[line.name] = Expression(line.expression).evaluate(values)
    return values[model.total]


def _with_front(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """The points, those that none beats in both time and cost marked as the front."""
    least, front = float("inf"), set()
    for point in sorted(points, key=lambda point: (point.days, point.cost)):
        if point.cost < least:
            least = point.cost
            front.add(point.option_id)
    return tuple(replace(point, on_frontier=point.option_id in front) for point in points)


def _answer(best: Option, others: tuple[Option, ...], model: ModelSummary, headline: str) -> Recommendation:
    points = tuple(
        Point(
            option_id=option.id,
            label=f"{option.count} × {option.accelerator_name}",
            days=option.days.expected,
            cost=option.cost.total.expected,
            on_frontier=False,
            feasible=option.meets_deadline,
        )
        for option in (best, *others)
    )
    return Recommendation(
        feasible=True,
        headline=headline,
        model=model,
        recommended=best,
        alternatives=others,
        frontier=_with_front(points),
        rejected=REJECTED,
        nearest=(),
        drivers=_drivers(best.cost.model),
        flips=(
            Flip(
                name="price_per_accelerator_hour",
                label="Price of one accelerator-hour",
                now=2.99,
                threshold=3.62,
                unit="USD/h",
                then="64 × H200 SXM becomes the cheapest option",
            ),
        ),
        advice=ADVICE,
        assumptions=ASSUMPTIONS,
        searched=48_211,
        catalog_release="9f2c0a77d1e5b3",
        catalog_date="2026-12-20",
        engine_version="0.1.0",
    )


def training_plan() -> Plan:
    """Llama 3.1 70B, 15 billion tokens, 21 days, with five alternatives of which one is on-prem and one too slow."""
    spec = Spec(
        name="Support assistant, continued pre-training",
        workload="training",
        model="llama-3.1-70b",
        start=START,
        training=Training(
            method="continue", tokens=15e9, sequence_length=8192, global_batch_tokens=4.19e6, experiment_overhead=0.2
        ),
        constraints=Constraints(deadline_days=21, budget_usd=400_000),
        horizon_months=12,
    )
    best = training_option(
        "a",
        "h100-sxm5",
        "H100 SXM",
        32,
        offer("h100-sxm5", "Lambda", "gpu_8x_h100_sxm5", 2.99),
        989e12,
        0.43,
        memory_gb=71.4,
    )
    others = (
        training_option(
            "b",
            "h200-sxm5",
            "H200 SXM",
            32,
            offer("h200-sxm5", "Nebius", "gpu-h200-sxm", 3.5),
            989e12,
            0.45,
            memory_gb=71.4,
            capacity_gb=141,
        ),
        training_option(
            "c",
            "h100-sxm5",
            "H100 SXM",
            32,
            offer("h100-sxm5", "AWS", "p5.48xlarge", 6.88),
            989e12,
            0.43,
            memory_gb=71.4,
        ),
        training_option(
            "d",
            "b200",
            "B200",
            32,
            offer("b200", "GCP", "a4-highgpu-8g", 6.2, region="us-central1"),
            2250e12,
            0.37,
            memory_gb=71.4,
            capacity_gb=193,
        ),
        training_option(
            "e",
            "a100-sxm4-80g",
            "A100 SXM 80 GB",
            16,
            offer("a100-sxm4-80g", "Lambda", "gpu_8x_a100_80gb_sxm4", 0.79),
            312e12,
            0.5,
            memory_gb=78.8,
        ),
        training_option("f", "h100-sxm5", "H100 SXM", 32, None, 989e12, 0.43, memory_gb=71.4),
    )
    return freeze(spec, _answer(best, others, MODEL, "32 × H100 SXM at Lambda finish in time at the lowest cost."))


def serving_plan() -> Plan:
    """Qwen3 32B at 40 requests/s with a promise on the first token."""
    spec = Spec(
        name="Support assistant, chat",
        workload="serving",
        model="qwen3-32b",
        start=START,
        serving=Serving(requests_per_s=40, input_tokens=1500, output_tokens=400, ttft_p95_ms=800, tpot_p95_ms=50),
        horizon_months=12,
    )
    best = serving_option(
        "a", "h100-sxm5", "H100 SXM", 7, offer("h100-sxm5", "Lambda", "gpu_8x_h100_sxm5", 2.99), 290, 18
    )
    others = (
        serving_option("b", "l40s", "L40S", 21, offer("l40s", "Nebius", "gpu-l40s-d", 1.35, 4), 350, 22),
        serving_option("c", "h200-sxm5", "H200 SXM", 6, offer("h200-sxm5", "Nebius", "gpu-h200-sxm", 3.5), 270, 14),
    )
    model = ModelSummary(
        slug="qwen3-32b",
        name="Qwen3 32B",
        parameters=32_762_123_264,
        active_parameters=32_762_123_264,
        layers=64,
        hidden=5120,
        source="published config.json",
    )
    return freeze(
        spec, _answer(best, others, model, "Seven replicas of two H100 SXM keep both promises at the lowest cost.")
    )


def tiny_plan() -> Plan:
    """The least that an answer can hold: no alternatives, no drivers, no checkpoint, no offer, no budget."""
    plan = training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    bare = replace(
        best,
        kind="owned",
        offer=None,
        on_prem="",
        count=1,
        nodes=1,
        parallelism=Layout(),
        finish=None,
        checkpoint=None,
        probability_in_time=None,
        probability_in_budget=None,
        reasons=(),
        cost=replace(best.cost, cloud=None, on_prem=None, break_even=None),
        energy=replace(best.energy, kg_co2e=None, g_per_kwh=None),
    )
    answer = replace(
        plan.recommendation,
        recommended=bare,
        alternatives=(),
        frontier=(),
        rejected=(),
        drivers=(),
        flips=(),
        advice=(),
        assumptions=(),
    )
    spec = replace(plan.spec, name="x", constraints=Constraints(), horizon_months=0.0)
    return freeze(spec, answer)


def huge_plan(size: int = 5000) -> Plan:
    """As many alternatives, points and refusals as a plan may hold."""
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
            label=f"Option {i}",
            days=(days := 3 + (i * 37 % 991) / 40),
            cost=14_000 + (i * 91 % 4999) * 30 + 200_000 / days,
            on_frontier=False,
            feasible=i % 7 != 0,
        )
        for i in range(size)
    )
    rejected = tuple(
        Rejection(code=f"r{i}", reason=f"breaks rule {i}", count=i + 1, nearest=f"candidate {i} by {i + 1} GB")
        for i in range(300)
    )
    return freeze(plan.spec, replace(answer, alternatives=others, frontier=_with_front(points), rejected=rejected))


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
        inputs=tuple(replace(item, label=f"={item.name} {text}", source=text) for item in best.cost.model.inputs),
        lines=tuple(replace(line, label=f"@{text}") for line in best.cost.model.lines),
    )
    best = replace(
        best,
        offer=bad_offer,
        accelerator_name=text,
        reasons=(text,),
        warnings=(text,),
        cost=replace(best.cost, model=model),
    )
    others = tuple(replace(option, accelerator_name=f"-2+3 {text}") for option in answer.alternatives)
    answer = replace(
        answer,
        headline=text,
        recommended=best,
        alternatives=others,
        model=replace(answer.model, name=text, source=text),
        rejected=tuple(replace(item, reason=text, nearest=text) for item in answer.rejected),
        advice=tuple(replace(item, topic=text, choice=text, reason=text) for item in answer.advice),
        assumptions=tuple(replace(item, meaning=text, source=f"=1+{text}") for item in answer.assumptions),
        warnings=(text,),
    )
    return Plan(spec=replace(plan.spec, name=text), recommendation=answer, sha256=plan.sha256)


def infeasible_plan() -> Plan:
    """Nothing keeps the deadline: the answer says what would have to change."""
    plan = training_plan()
    spec = replace(plan.spec, name="Pre-training in a day", constraints=Constraints(deadline_days=1, budget_usd=5_000))
    answer = replace(
        plan.recommendation,
        feasible=False,
        headline="No option finishes within 1 day and USD 5,000.",
        recommended=None,
        alternatives=tuple(
            replace(option, meets_deadline=False, meets_budget=False) for option in plan.recommendation.alternatives[:2]
        ),
        frontier=tuple(replace(point, feasible=False) for point in plan.recommendation.frontier),
        nearest=(
            Nearest(
                field="constraints.deadline_days",
                now="1 day",
                needed="4.2 days",
                sentence="With 4.2 days instead of 1 day, 64 × H100 SXM at Lambda would do.",
            ),
            Nearest(
                field="constraints.budget_usd",
                now="USD 5,000",
                needed="USD 41,900",
                sentence="With a budget of USD 41,900 the plan on 32 × H100 SXM would be affordable.",
            ),
        ),
        drivers=(),
        flips=(),
    )
    return freeze(spec, answer)


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
