"""The charts of a plan, built once from its numbers: the page draws them as SVG, documents natively.

Conventions that every drawer relies on: `tornado` has two series of differences from the expected total, low end
and high end; `interval` has three series, low, expected and high; `stacked_bar` has one series for each part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date

from charts.chart import Chart, Series
from engine.answer import (
    CashMonth,
    Checkpoint,
    CostLine,
    CostModel,
    Driver,
    Money,
    Option,
    Part,
    Percentiles,
    Point,
    Recommendation,
)
from engine.inputs.spec import Spec
from planner.counting import kind_of
from planner.names import spelled
from planner.quantities import rounded

MOST_POINTS = 240
"""Points that a chart shows at most; the frontier and the recommendation are always among them."""
MOST_BARS = 10
_CENTS = 0.1
"""Amounts of money that differ by less do so by how they were rounded."""


def pareto(answer: Recommendation, spec: Spec) -> Chart | None:
    """Cost over days, or over the latency of a service; None when options do not differ in it."""
    if len({point.pace for point in answer.frontier}) < 2:
        return None
    chosen = answer.recommended.id if answer.recommended else ""
    groups: dict[str, list[Point]] = {"limits": [], "other": [], "front": [], "chosen": []}
    for point in answer.frontier:
        groups[_group(point, chosen)].append(point)
    room = MOST_POINTS - len(groups["front"]) - len(groups["chosen"])
    share = max(0.0, room / max(1, len(groups["limits"]) + len(groups["other"])))
    limits, money = spec.constraints, answer.currency
    scale, label = pace_axis(answer, spec)
    return Chart(
        id="pareto",
        kind="scatter",
        finding=_pareto_finding(answer, "latency" if _lasting(spec) else "time"),
        x_label=label,
        y_label=f"Total cost, {money.code}",
        series=tuple(
            series
            for series in (
                _points("Outside the limits", _thinned(groups["limits"], share), "muted", scale),
                _points("Within the limits", _thinned(groups["other"], share), "main", scale),
                _points("Pareto front", _front(groups), "front", scale),
                _points("Recommended", groups["chosen"], "highlight", scale),
            )
            if series.points
        ),
        limits=(("Budget", money.of(limits.budget_usd)),) if limits.budget_usd else (),
        x_limits=tuple((name, limit * scale) for name, limit in _x_limits(spec)),
        log_x=_wide(point.pace for point in answer.frontier),
        log_y=_wide(point.cost for point in answer.frontier),
    )


def pace_axis(answer: Recommendation, spec: Spec) -> tuple[float, str]:
    """What the pace of a point is multiplied by on the chart, and what the axis says: days of short runs are hours or
    minutes, as in the table beside it."""
    if _lasting(spec):
        return 1.0, f"Time to {'first token' if answer.model.counts == 'token' else 'the answer'} at p95, ms"
    longest = max(point.pace for point in answer.frontier)
    if longest >= 2:
        return 1.0, "Days to finish"
    return (24.0, "Hours to finish") if longest * 24 >= 2 else (1440.0, "Minutes to finish")


def _wide(values: Iterable[float]) -> bool:
    """Whether the values span more than a factor of twelve, so that a linear axis would crowd most of them."""
    found = sorted(values)
    return found[0] > 0 and found[-1] > 12 * found[0]


def _x_limits(spec: Spec) -> tuple[tuple[str, float], ...]:
    """The promise of a service or the deadline of a run, where there is one."""
    if spec.serving and spec.serving.batch:
        return (("Deadline", spec.serving.batch.deadline_hours / 24.0),)
    name, limit = (
        ("Promise", spec.serving.ttft_p95_ms) if spec.serving else ("Deadline", spec.constraints.deadline_days)
    )
    return ((name, limit),) if limit else ()


def _lasting(spec: Spec) -> bool:
    """Is it a service, which has no end?"""
    return bool(spec.serving and not spec.serving.batch)


def _group(point: Point, chosen: str) -> str:
    if chosen and point.option_id == chosen:
        return "chosen"
    if point.on_frontier:
        return "front"
    return "other" if point.feasible else "limits"


def _pareto_finding(answer: Recommendation, pace: str) -> str:
    """The recommended option counts only where it lies on the front: a smaller cluster may be preferred beside it."""
    total, best = len(answer.frontier), sum(point.on_frontier for point in answer.frontier)
    if answer.recommended is None:
        return f"None of {total:,} options keeps all limits"
    words = "is not beaten" if best == 1 else "are not beaten"
    return f"{best:,} of {total:,} options {words} by another in both {pace} and cost: the Pareto front"


def _front(groups: Mapping[str, list[Point]]) -> list[Point]:
    """The front as one line, through the recommended option where that is on it."""
    chosen = [point for point in groups["chosen"] if point.on_frontier]
    return [*groups["front"], *chosen] if groups["front"] else []


def _points(name: str, points: Iterable[Point], role: str, scale: float) -> Series:
    rows = sorted(points, key=lambda point: (point.pace, point.cost))
    return Series(
        name=name,
        points=tuple((point.pace * scale, point.cost) for point in rows),
        labels=tuple(spelled(point.label) for point in rows),
        role=role,  # type: ignore[arg-type]
    )


def _thinned(points: list[Point], share: float) -> list[Point]:
    """Every n-th point, so that the shape of the cloud stays."""
    if share >= 1 or not points:
        return points
    step = max(1, round(1 / share)) if share else len(points)
    return points[::step]


def rejections(answer: Recommendation, most: int = 8) -> Chart | None:
    """How many candidates each reason ruled out, most frequent first; None where that is no comparison.

    Only what is counted in the same thing as the first reason: layouts are not added to accelerators.
    """
    groups = sorted((group for group in answer.rejected if group.count), key=lambda group: -group.count)
    alike = [group for group in groups if kind_of(group) == kind_of(groups[0])]
    if len(alike) < 2:
        return None
    first, noun = alike[0], f"{kind_of(alike[0])}s"
    share = first.count / sum(group.count for group in alike)
    return Chart(
        id="rejections",
        kind="bar",
        finding=f"{_share(share)} of the {noun} were left out for one reason: {first.reason.rstrip('.')}",
        x_label="Reason",
        y_label=noun.capitalize(),
        categories=tuple(group.reason.rstrip(".") for group in alike[:most]),
        series=(Series(name=noun.capitalize(), values=tuple(float(group.count) for group in alike[:most])),),
    )


def memory(option: Option) -> Chart:
    """What fills the fullest accelerator, against its capacity [GB]."""
    used, room = option.memory.total_gb.expected, option.memory.capacity_gb
    return Chart(
        id="memory",
        kind="stacked_bar",
        finding=f"{_gb(used)} of {_gb(room)} GB are used on the fullest accelerator, {used / room:.0%} of its memory",
        x_label="",
        y_label="GB per accelerator",
        categories=(option.accelerator_name,),
        series=tuple(Series(name=part.label, values=(part.value,)) for part in option.memory.parts),
        limits=(("capacity", room),),
    )


def _gb(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}".removesuffix(".0")


def time_budget(option: Option) -> Chart | None:
    """Where one step's, or one request's, time goes, longest first; None without parts."""
    parts = sorted((part for part in option.time if part.value > 0), key=lambda part: -part.value)[:MOST_BARS]
    whole = sum(part.value for part in option.time)
    if not parts or whole <= 0:
        return None
    subject = "a training step"
    if option.serving:
        subject = "the time to first token" if option.counts == "token" else "the time to the answer"
    return Chart(
        id="time",
        kind="bar",
        finding=f"“{_named(parts[0])}” takes {parts[0].value / whole:.0%} of {subject}",
        x_label="",
        y_label=parts[0].unit,
        categories=tuple(part.label for part in parts),
        series=(Series(name=f"Time, {parts[0].unit}", values=tuple(part.value for part in parts)),),
    )


def _named(part: Part) -> str:
    return part.label[:1].upper() + part.label[1:]


def cost_lines(model: CostModel) -> Chart | None:
    """The lines that make up the total, largest first; None when there is only one."""
    lines = sorted((line for line in model.lines if is_cost(line) and line.amount), key=lambda line: -line.amount)
    whole = sum(line.amount for line in lines)
    if len(lines) < 2 or whole <= 0:
        return None
    return Chart(
        id="cost-lines",
        kind="bar",
        finding=f"“{lines[0].label}” is {_share(lines[0].amount / whole)} of the cost",
        x_label="",
        y_label=model.currency,
        categories=tuple(line.label for line in lines[:MOST_BARS]),
        series=(Series(name=model.currency, values=tuple(line.amount for line in lines[:MOST_BARS])),),
    )


def _share(share: float) -> str:
    if 0.99 < share < 1:
        return "over 99%"
    return f"{share:.1%}".replace(".0%", "%") if 0.9 < share < 1 else f"{share:.0%}"


def is_cost(line: CostLine) -> bool:
    """Whether that line is money that leaves: neither a quantity nor a total, and no part of a whole purchase.

    The price of bought servers stands in the model too, but the plan pays only its share of it, in the line “Purchase”.
    """
    return line.kind in {"opex", "capex"} and line.schedule != "none"


def cash(model: CostModel) -> Chart | None:
    """Cash by month, opex and capex; None when it all leaves in one month."""
    months = model.cash
    if len(months) < 2:
        return None
    most = max(months, key=lambda month: month.opex + month.capex)
    series = [Series(name="Running cost (opex)", values=tuple(month.opex for month in months))]
    if any(month.capex for month in months):
        series.append(
            Series(name="Investment (capex)", values=tuple(month.capex for month in months), role="highlight")
        )
    return Chart(
        id="cash",
        kind="stacked_bar",
        finding=_cash_finding(months, most),
        x_label="",
        y_label=f"{model.currency} per month",
        categories=tuple(month.month for month in months),
        series=tuple(series),
    )


def _cash_finding(months: tuple[CashMonth, ...], most: CashMonth) -> str:
    paid = sum(max(amount, 0.0) for month in months for amount in (month.opex, month.capex))
    apart = max(month.opex for month in months) - min(month.opex for month in months)
    if apart < 0.01 * abs(paid) / len(months) and not any(month.capex for month in months):
        same = "The same amount leaves" if apart < _CENTS else "About the same amount leaves"
        return f"{same} in each of {len(months)} months"
    if any(month.capex < 0 for month in months):
        return f"{(most.opex + most.capex) / paid:.0%} of all payments leave in {_month(most.month)}; what is left is sold at the end"
    return (
        f"{(most.opex + most.capex) / paid:.0%} of the cash leaves in {_month(most.month)}"
        if paid > 0
        else "Cash by month"
    )


def _month(text: str) -> str:
    return date.fromisoformat(f"{text}-01").strftime("%B %Y")


def tornado(drivers: tuple[Driver, ...], total: Money, most: int = 8) -> Chart | None:
    """How far the total moves over each driver's range, in their order, widest first; None without drivers."""
    rows = drivers[:most]
    if not rows or total.expected <= 0:
        return None
    return Chart(
        id="tornado",
        kind="tornado",
        finding=f"“{rows[0].label}” moves the total most: by up to {_swing(rows[0]) / total.expected:.0%}",
        x_label="",
        y_label=f"Change of the total, {total.currency}",
        categories=tuple(row.label for row in rows),
        series=(
            Series(name="Low end of the input", values=tuple(row.low_change for row in rows)),
            Series(name="High end of the input", values=tuple(row.high_change for row in rows), role="highlight"),
        ),
    )


def _swing(driver: Driver) -> float:
    return max(abs(driver.low_change), abs(driver.high_change))


def checkpoint_curve(option: Option) -> Chart | None:
    """Share of time lost over the checkpoint interval: a U with the chosen point; None without checkpoints."""
    point = option.checkpoint
    if point is None or len(point.curve) < 3:
        return None
    chosen = min(point.curve, key=lambda pair: abs(pair[0] - point.interval_s))
    return Chart(
        id="checkpoint",
        kind="line",
        finding=_saving_finding(option, point),
        x_label="Minutes between checkpoints",
        y_label="Time lost, %",
        series=(
            Series(name="Time lost", points=tuple((x / 60, y * 100) for x, y in point.curve)),
            Series(name="Chosen", points=((chosen[0] / 60, chosen[1] * 100),), role="highlight"),
        ),
        log_x=True,
    )


def _saving_finding(option: Option, point: Checkpoint) -> str:
    """In minutes, the unit of the axis under it."""
    if point.interval_steps >= option.steps:
        return "Saving once, at the end of the run, loses least time"
    minutes = point.interval_s / 60
    number = f"{minutes:,.0f}" if minutes >= 99.95 else f"{minutes:.3g}"
    return f"Saving every {number} {'minute' if number == '1' else 'minutes'} loses least time"


def break_even(option: Option, spec: Spec) -> Chart | None:
    """Cost of a used accelerator-hour, rented and owned, over utilisation; None when nothing breaks even."""
    even = option.cost.break_even
    rent = (even.rented_per_accelerator_hour if even else 0.0) or option.cost.price_per_accelerator_hour
    if even is None or not even.cloud_per_accelerator_hour or option.offer is None or not rent:
        return None
    # Owning costs the same whether the machine works or not, so the cost of a used hour falls with utilisation.
    meets = even.utilisation
    fixed = rent * meets if meets else even.cloud_per_accelerator_hour * (even.expected_utilisation or spec.utilisation)
    steps = tuple(share / 100 for share in range(20, 101, 5))
    return Chart(
        id="break-even",
        kind="line",
        finding=_break_even_finding(fixed / rent),
        x_label="Utilisation of owned hardware, %",
        y_label=f"{option.cost.total.currency} per accelerator-hour in use",
        series=(
            Series(name="Rented", points=tuple((share * 100, rent) for share in steps)),
            Series(name="Owned", points=tuple((share * 100, fixed / share) for share in steps), role="highlight"),
        ),
    )


def _break_even_finding(share: float) -> str:
    if 0 < share <= 1:
        return f"Owning costs less than renting above {share:.0%} utilisation"
    return "Renting costs less than owning even at full utilisation"


def latency(option: Option, name: str, promise_ms: float) -> Chart | None:
    """Percentiles of TTFT (`ttft`) or TPOT (`tpot`) with their bands, against the promise at p95 [ms].

    An answer that comes as a whole has no further tokens.
    """
    if option.serving is None or (name == "tpot" and option.counts != "token"):
        return None
    row: Percentiles = option.serving.ttft_ms if name == "ttft" else option.serving.tpot_ms
    values = (row.p50, row.p95, row.p99)
    expected = tuple(float(f"{value.expected:.3g}") for value in values)
    slow = tuple(float(f"{value.high:.3g}") for value in values)
    subject = "the first token" if name == "ttft" else "each further token"
    if option.counts != "token":
        subject = "their answer"
    return Chart(
        id=name,
        kind="bar",
        finding=f"95% of requests get {subject} within {rounded(row.p95.expected)} ms",
        x_label="",
        y_label="ms",
        categories=("p50", "p95", "p99"),
        series=(
            Series(name="expected", values=expected),
            Series(name="P90 of the estimate", values=slow, role="muted"),
        ),
        limits=((f"promised p95, {promise_ms:,.0f} ms", promise_ms),) if promise_ms else (),
    )
