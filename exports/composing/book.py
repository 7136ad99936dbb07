"""What the workbook needs beside the text: the model as data, candidates with a live price, cash by month."""

from __future__ import annotations

from collections.abc import Mapping

from exports.composing.context import Context, figure, layout, option_name, terms, where
from exports.composing.evidence import sources
from exports.composing.ways import saving_ways
from exports.composing.words import engine_text
from exports.cost_values import CAPITAL, DISCOUNT, inert, leaves, parsed
from exports.document import Candidate, CashColumn, Figure, Workbook
from exports.numbers import Currency
from exports.text import clean_text
from exports.wording import tr
from planner.chart_builders import checkpoint_curve, latency, memory, pareto, time_budget
from planner.engine.expressions import cents
from planner.engine.result import PURCHASE, CashMonth, CostInput, CostModel, Option
from planner.engine.spec import Serving
from planner.snapshot import Plan

PRICE = "price_per_instance_hour"
"""Name of the cost model's input that finance negotiates."""
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
    total = best.cost.total if best else None
    limits = context.spec.constraints
    return Workbook(
        model=model,
        total_label=tr("Total cost"),
        low_ratio=total.low / total.expected if total and total.expected else 1.0,
        high_ratio=total.high / total.expected if total and total.expected else 1.0,
        days=best.days.expected if best and not best.serving else None,
        low_days=best.days.low if best and not best.serving else None,
        high_days=best.days.high if best and not best.serving else None,
        budget_usd=limits.budget_usd,
        deadline_days=limits.deadline_days,
        discount=discount_of(context.plan),
        months=tuple(entry.month for entry in model.cash) if model else (),
        cash=cash_columns(model) if model else (),
        inert=inert(model) if model else (),
        candidates=tuple(_candidate(context, option) for option in context.options),
        drivers=context.answer.drivers,
        ways=saving_ways(best) if best else (),
        sources=sources(context),
        charts=_charts(context),
    )


def discount_of(plan: Plan) -> CostInput | None:
    """The rate for present values [share per year]: the plan's assumption; None where the model has it as an input."""
    best = plan.recommendation.recommended
    if best is None or any(item.name == CAPITAL for item in best.cost.model.inputs):
        return None
    for known in plan.recommendation.assumptions:
        if known.id == f"onprem.{CAPITAL}":
            source = clean_text(known.source, 160)
            return _rate(
                known.value, known.low, known.high, tr("assumption {id}: {source}", id=known.id, source=source)
            )
    return _rate(0.08, 0.08, 0.08, tr("usual in practice; set your own"))


def _rate(value: float, low: float, high: float, source: str) -> CostInput:
    label = tr("Discount rate per year, for present values")
    return CostInput(name=DISCOUNT, label=label, value=value, unit="share", low=low, high=high, source=source)


def _charts(context: Context) -> tuple[Figure, ...]:
    best, asked = context.best, context.spec.serving
    charts = [pareto(context.answer, context.spec)]
    if best:
        charts += [memory(best), time_budget(best), checkpoint_curve(best)]
        charts += [latency(best, name, limit) for name, limit in promises(asked)]
    return tuple(shown for chart in charts if (shown := figure(chart, Currency())))


def promises(asked: Serving | None) -> tuple[tuple[str, float], ...]:
    """Which latencies are promised, and how much [ms]; 0 = no promise."""
    return (("ttft", asked.ttft_p95_ms), ("tpot", asked.tpot_p95_ms)) if asked else ()


def _candidate(context: Context, option: Option) -> Candidate:
    """One option as quantity × price + other, exact at the plan's price."""
    model, total = option.cost.model, option.cost.total.expected
    item, each = _priced(option)
    quantity = _slope(model, item, item.value) * each if item else 0.0
    price = item.value / each if item else 0.0
    least, most = (_end(model, item, factor) / each if item else 0.0 for factor in (_LOWEST, _HIGHEST))
    late = tr("latency missed") if option.serving else tr("too late")
    faults = [late] if not option.meets_deadline else []
    remark = "; ".join([*faults, *(_sentences(text) for text in (option.warnings or option.reasons)[:1])])
    return Candidate(
        id=clean_text(option.id, 40),
        name=option_name(option),
        where=where(option),
        terms=terms(option),
        layout=layout(option),
        accelerators=option.count,
        days=option.days.expected,
        priced=clean_text(tr("one accelerator-hour") if option.offer else item.label if item else "nothing", 80),
        price_usd=price,
        quantity=quantity,
        other_usd=cents(total - cents(quantity * price)),
        total_usd=cents(total),
        in_time=option.meets_deadline,
        remark=remark,
        recommended=option is context.best,
        least_usd=least,
        most_usd=most,
        price_name=item.name if item else "",
        purchase_usd=model.purchase_usd,
        purchase_quantity=_slope(model, item, item.value, PURCHASE) * each if item and model.purchase_usd else 0.0,
    )


def _sentences(text: str) -> str:
    """As many whole sentences as a narrow column has room for, at least one."""
    whole = engine_text(text, 400)
    end = max(whole.rfind(". ", 0, _REMARK), whole.find(". "))
    return whole if len(whole) <= _REMARK or end < 0 else whole[: end + 1]


def _priced(option: Option) -> tuple[CostInput | None, float]:
    """The input that is the option's price, and how many accelerators it pays for."""
    inputs = option.cost.model.inputs
    for item in inputs:
        if item.name == PRICE:
            return item, float(option.offer.devices) if option.offer else 1.0
    money = [item for item in inputs if item.unit.startswith("USD") and item.value]
    slopes = {item.name: abs(_slope(option.cost.model, item, item.value) * item.value) for item in money}
    return max(money, key=lambda item: slopes[item.name], default=None), 1.0


def _slope(model: CostModel, item: CostInput, price: float, line: str = "") -> float:
    """Change of that line, or of the total, for one more dollar of that price, at that price."""
    step = _STEP * price
    return (_total(model, item, price, line) - _total(model, item, price - step, line)) / step if step else 0.0


def _total(model: CostModel, item: CostInput, price: float, line: str = "") -> float:
    """The total, or that line, at that price, not rounded [USD]."""
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


def cash_columns(model: CostModel) -> tuple[CashColumn, ...]:
    """One column for each leaf with the share of it that has left by each month's end.

    The shares are those of the plan's own cash flow, so months agree with it to the cent; where single lines cannot be
    told apart (a plan of an older engine), opex and capex are one column each.
    """
    months = [dict(entry.by_line) for entry in model.cash]
    columns = [
        _column(
            clean_text(line.label, 60),
            (line.name,),
            line.kind == "capex",
            [month.get(line.name, 0.0) for month in months],
        )
        for line in leaves(model)
    ]
    return tuple(columns) if _agrees(model, columns) else _by_kind(model)


def _column(label: str, lines: tuple[str, ...], capex: bool, amounts: list[float]) -> CashColumn:
    whole = sum(amounts)
    left, shares = 0.0, []
    for amount in amounts:
        left += amount
        shares.append(left / whole if whole else 1.0)
    return CashColumn(label=label, lines=lines, capex=capex, left_by=(*shares[:-1], 1.0) if shares else ())


def _agrees(model: CostModel, columns: list[CashColumn]) -> bool:
    amounts = {line.name: line.amount for line in model.lines}
    return all(
        abs(_of_month(columns, amounts, index) - entry.opex - entry.capex) < 0.005
        for index, entry in enumerate(model.cash)
    )


def _of_month(columns: list[CashColumn], amounts: Mapping[str, float], index: int) -> float:
    total = 0.0
    for column in columns:
        amount = sum(amounts[name] for name in column.lines)
        before = column.left_by[index - 1] if index else 0.0
        total += cents(amount * column.left_by[index]) - cents(amount * before)
    return total


def _by_kind(model: CostModel) -> tuple[CashColumn, ...]:
    def amounts(entry: CashMonth, capex: bool) -> float:
        return entry.capex if capex else entry.opex

    columns = []
    for label, capex in ((tr("Running cost"), False), (tr("Investment"), True)):
        names = tuple(line.name for line in leaves(model) if (line.kind == "capex") == capex)
        if names:
            columns.append(_column(label, names, capex, [amounts(entry, capex) for entry in model.cash]))
    return tuple(columns)
