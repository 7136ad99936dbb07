"""What the workbook needs beside the text: the model as data, candidates with a live price, cash by month."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from engine.answer import NEEDED, CostInput, CostModel, Option
from engine.inputs.currency import DIGITS, is_dollars
from engine.inputs.finding import Finding
from engine.money.expressions import rounded_to
from exports.composing.alternatives import alternatives, cash_columns, common, inputs_beside
from exports.composing.context import LATE, Context, figure, layout, option_name, terms, where
from exports.composing.evidence import sources
from exports.composing.latencies import latencies
from exports.composing.levers import lever_table
from exports.composing.rivals import near_equal, too_long
from exports.composing.signed import signed_note
from exports.composing.ways import saving_ways
from exports.composing.words import told, voice
from exports.cost_values import CAPITAL, DISCOUNT, inert, parsed
from exports.document import Candidate, Figure, Workbook
from exports.text import CELL_LIMIT, NAME_LIMIT, clean_text, upper_first
from exports.timeline import months_before
from exports.wording import label, sourced, tr
from planner.asked.kinds import WORK
from planner.charting.options import pareto
from planner.charting.work import checkpoint_curve, latency, memory, time_budget
from planner.frozen.snapshot import Plan
from planner.money import booked_over, ends

PRICE = "price_per_instance_hour"
"""Name of the cost model's input that finance negotiates."""
_BOOKED = "booked_days"
"""That which holds how long before the start a block is booked, and paid."""
_REMARK = 140
"""Characters of a remark beside an option."""
_STEP = 1e-4
"""Of a price, to find how the total follows it."""
_LOWEST, _HIGHEST = 0.01, 10.0
"""Times the plan's price: as far as the total is looked at."""


def workbook(context: Context) -> Workbook:
    """The data of the Excel file."""
    best = context.best
    model = best.cost.model if best else None
    total, takes = (best.cost.total, WORK[best.work].duration(best)) if best else (None, None)
    ways_beside = alternatives(context)
    limits = context.spec.constraints
    return Workbook(
        model=model,
        per_usd=context.money.per_usd,
        total_label=tr("Total cost"),
        low_ratio=total.low / total.expected if total and total.expected else 1.0,
        high_ratio=total.high / total.expected if total and total.expected else 1.0,
        days=takes.expected if takes else None,
        low_days=takes.low if takes else None,
        high_days=takes.high if takes else None,
        budget=context.budget,
        deadline_days=limits.deadline_days,
        near_equal=near_equal(context) if context.spec.objective == "cost" else None,
        discount=discount_of(context.plan),
        as_of=context.plan.as_of,
        start=context.plan.start,
        months_before=_months_before(context, [*([model] if model else []), *(way.model for way in ways_beside)]),
        months=len(model.cash) if model else 0,
        cash=cash_columns(model, booked_over(context.plan)) if model else (),
        alternatives=ways_beside,
        beside=inputs_beside(context),
        common=common(context),
        joint=ends(context.plan),
        inert=inert(model) if model else (),
        candidates=tuple(_candidate(context, option) for option in context.options),
        drivers=context.answer.drivers,
        ways=saving_ways(best) if best else (),
        levers=lever_table(context, apart=True),
        sources=sources(context),
        charts=_charts(context),
    )


def _months_before(context: Context, models: Iterable[CostModel]) -> int:
    """Calendar months from that of the earliest booking to that of the start."""
    start = context.plan.start
    booked = [item.value for model in models for item in model.inputs if item.name == _BOOKED]
    first = min((start - timedelta(days=round(days)) for days in booked), default=start)
    return months_before(start, first)


def discount_of(plan: Plan) -> CostInput | None:
    """The rate for present values [share per year]: the plan's assumption; None where the model has it as an input."""
    best = plan.recommendation.recommended
    if best is None or any(item.name == CAPITAL for item in best.cost.model.inputs):
        return None
    for known in plan.recommendation.assumptions:
        if known.id == f"onprem.{CAPITAL}":
            source = sourced(known.source, 160)
            return _rate(
                known.value, known.low, known.high, tr("assumption {id}: {source}", id=known.id, source=source)
            )
    return _rate(0.08, 0.08, 0.08, tr("usual in practice; set your own"))


def _rate(value: float, low: float, high: float, source: str) -> CostInput:
    return CostInput(name=DISCOUNT, value=value, unit="share", low=low, high=high, source=source)


def _charts(context: Context) -> tuple[Figure, ...]:
    best = context.best
    charts = [pareto(context.answer, context.spec, voice())]
    if best:
        charts += [memory(best, voice()), time_budget(best, voice()), checkpoint_curve(best, voice())]
        charts += [latency(best, name, limit, voice()) for name, _, _, limit in latencies(context, best)]
    return tuple(shown for chart in charts if (shown := figure(chart)))


def _candidate(context: Context, option: Option) -> Candidate:
    """One option as quantity × price + other, exact at the plan's price; that in US dollars, as it is asked."""
    model, total = option.cost.model, option.cost.total.expected
    digits = DIGITS[model.currency]
    item, each = _priced(option)
    quantity = _slope(model, item, item.value) * each / model.per_usd if item else 0.0
    price = item.value / each if item else 0.0
    least, most = (_end(model, item, factor) / each if item else 0.0 for factor in (_LOWEST, _HIGHEST))
    needed = option.cost.cash_needed if any(line.name == NEEDED for line in model.lines) else 0.0
    late = tr(LATE[option.work])
    faults = [late] if not option.meets_deadline else []
    faults += [tr("availability missed")] if not option.up_enough else []
    faults += [tr("not sure enough")] if not option.sure else []
    faults += [upper_first(too_long(option.too_long))] if option.too_long else []
    remark = "; ".join(
        [*faults, *signed_note(option), *(_sentences(found) for found in (option.warnings or option.reasons)[:1])]
    )
    return Candidate(
        id=clean_text(option.id, NAME_LIMIT),
        name=option_name(option),
        where=where(option),
        terms=terms(option),
        layout=layout(option),
        accelerators=option.count,
        days=option.days.expected,
        priced=clean_text(
            tr("one accelerator-hour") if option.offer else label(item.label) if item else tr("nothing"), CELL_LIMIT
        ),
        price_usd=price,
        quantity=quantity,
        other=rounded_to(total - rounded_to(quantity * price * model.per_usd, digits), digits),
        total=total,
        in_time=option.meets_deadline and option.sure and option.too_long is None,
        remark=remark,
        recommended=option is context.best,
        least_usd=least,
        most_usd=most,
        price_name=item.name if item else "",
        needed=needed,
        needed_quantity=_slope(model, item, item.value, NEEDED) * each / model.per_usd if item and needed else 0.0,
        sure=option.cost.at_confidence or 0.0,
    )


def _sentences(found: Finding) -> str:
    """As many whole sentences as a narrow column has room for, at least one."""
    whole = told(found, 400)
    end = max(whole.rfind(". ", 0, _REMARK), whole.find(". "))
    return whole if len(whole) <= _REMARK or end < 0 else whole[: end + 1]


def _priced(option: Option) -> tuple[CostInput | None, float]:
    """The input that is the option's price, and how many accelerators it pays for."""
    inputs = option.cost.model.inputs
    for item in inputs:
        if item.name == PRICE:
            return item, float(option.offer.devices) if option.offer else 1.0
    money = [item for item in inputs if is_dollars(item.unit) and item.value]
    slopes = {item.name: abs(_slope(option.cost.model, item, item.value) * item.value) for item in money}
    return max(money, key=lambda item: slopes[item.name], default=None), 1.0


def _slope(model: CostModel, item: CostInput, price: float, line: str = "") -> float:
    """Change of that line, or of the total, for one more dollar of that price, at that price."""
    step = _STEP * price
    return (_total(model, item, price, line) - _total(model, item, price - step, line)) / step if step else 0.0


def _total(model: CostModel, item: CostInput, price: float, line: str = "") -> float:
    """The total, or that line, at that price, not rounded."""
    values = {known.name: known.value for known in model.inputs} | {item.name: price}
    for row in model.lines:
        values[row.name] = parsed(row.expression).evaluate(values)
    return values[line or model.total]


def _end(model: CostModel, item: CostInput, factor: float) -> float:
    """The price at which the total leaves the straight line that it follows at the plan's, looked for up to `factor` times it.

    Spot capacity dearer than on demand is one such end, since the share that is paid on demand anyway then costs no more.
    0 when the line holds throughout. Newton's method on what lies beyond the line: bent once or twice, it ends there.
    """
    slope, base, at = _slope(model, item, item.value), _total(model, item, item.value), factor * item.value
    for turn in range(8):
        beyond = _total(model, item, at) - base - slope * (at - item.value)
        bend = _slope(model, item, at) - slope
        if abs(beyond) <= 1e-6 * abs(base) or not bend:
            return at if turn else 0.0
        at -= beyond / bend
    return at
