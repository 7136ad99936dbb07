"""When money is paid, and when a cost falls due: a cost model by calendar month, to the cent.

Cash is what is paid: a purchase and a commitment whole, no cost of capital. The cost by month adds up to the total.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from engine.answer import CashMonth, CashYear, CostInput, CostLine, CostModel
from engine.inputs.currency import DIGITS
from engine.inputs.origin import PLAN
from engine.inputs.quantity import HOURS_PER_MONTH, day_after
from engine.money.expressions import rounded_to
from engine.money.lines import amount_of, parsed, settled

RUN_HOURS = "programme_hours"
"""Line that says how long `run` lines are spread from the start [h]."""
LEAD_HOURS = "lead_hours"
"""Line that says when bought hardware is accepted: it is held from then on [h]."""
WORK_HOURS = "work_hours"
"""Line that says how long work lasts that is begun on rented hardware and goes on with what is bought [h]."""
USED_HOURS = "used_hours"
"""Line that says how long `used` lines are spread from acceptance on: the work on hardware that is bought for it [h]."""
ACCEPTANCE_HOURS = "acceptance_hours"
"""Line that says how much earlier hardware is delivered, and paid, than it is accepted and begins to work [h]."""
PAID_MONTHS = "paid_months"
"""Line that says for how many months `monthly`, `instalments` or `held` lines are paid; `end` lines fall after them."""
SETTLED = "spend_hours"
"""Input that says how long after the start a spend commitment ends: a shortfall is paid on its last day [h]."""
BOOKED_DAYS = "booked_days"
"""Input that says how long before the start a block of capacity is booked, and paid [day]."""
CALENDAR_DAYS = 200_000.0
"""Work that takes longer has no dates: five centuries from any day of a request a calendar still has room."""
SERVICE_MONTHS = "months"
"""Input, or line of a batch, that says it of what stands around a service on servers that are held for fewer months than it lasts."""


def completed(inputs: Iterable[CostInput], lines: Iterable[CostLine], *, start: date, cash: bool = True) -> CostModel:
    """The model with amounts and its cash flow.

    Without `cash`, for a model that is only compared, `with_cash` may add the flow afterwards.
    """
    model = settled(inputs, lines)
    return with_cash(model, start) if cash else model


def with_cash(model: CostModel, start: date) -> CostModel:
    """The same model with its cash flow."""
    months = cash_by_month(model, start)
    return replace(model, cash=months, years=_by_year(model, months))


def _by_year(model: CostModel, months: Sequence[CashMonth]) -> tuple[CashYear, ...]:
    """The cash by calendar year, and what it is worth in the first month, discounted month by month. No surface prints it: their present
    value is that of the ledger, by days from the day of the request (`worth`)."""
    rate = next((item.value for item in model.inputs if item.name == "wacc"), 0.0)
    worth: dict[int, float] = defaultdict(float)
    totals: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for index, item in enumerate(months):
        year = totals[int(item.month[:4])]
        year[0] += item.opex
        year[1] += item.capex
        worth[int(item.month[:4])] += (item.opex + item.capex) / (1.0 + rate) ** (index / 12.0)
    digits = DIGITS[model.currency]
    return tuple(
        CashYear(
            year=year,
            opex=rounded_to(opex, digits),
            capex=rounded_to(capex, digits),
            present_value=rounded_to(worth[year], digits),
        )
        for year, (opex, capex) in totals.items()
    )


def cash_by_month(model: CostModel, start: date) -> tuple[CashMonth, ...]:
    """What is paid in each calendar month from the first of the work, or of a payment before, to the last with one; nothing where that
    lies beyond the calendar."""
    if longest_days(model) > CALENDAR_DAYS:
        return ()
    opex: dict[str, int] = defaultdict(int)
    capex: dict[str, int] = defaultdict(int)
    lines: dict[str, list[tuple[str, float]]] = defaultdict(list)
    paid, units = paid_by_month(model, start), 10 ** DIGITS[model.currency]
    for line in model.lines:
        book = capex if line.kind == "capex" else opex
        for month, part in paid.get(line.name, {}).items():
            book[month] += part
            lines[month].append((line.name, part / units))
    months = sorted({*opex, *capex})
    if not months:
        return ()
    return tuple(
        CashMonth(month=month, opex=opex[month] / units, capex=capex[month] / units, by_line=tuple(lines[month]))
        for month in _between(min(month_of(start), months[0]), months[-1])
    )


def paid_by_month(model: CostModel, start: date) -> dict[str, dict[str, int]]:
    """What is paid for each leaf of the total in each calendar month, in smallest units of its currency."""
    paid = payments(model)
    return {
        line.name: _by_month(line, paid[line.name], model, start) for line in model.lines if line.schedule != "none"
    }


def dated_lives(model: CostModel, start: date) -> list[tuple[date, date]]:
    """The days on which each purchase is delivered and given away; of what is paid in advance, its first day twice."""
    delivered, accepted = _delivered(model, start), _accepted(model, start)
    return [(add_months(delivered, first), add_months(accepted, last)) for first, last, _ in _lives(model)]


def _delivered(model: CostModel, start: date) -> date:
    """When bought hardware comes, and a block is booked: the start, where nothing is waited for or booked ahead."""
    ahead = (start - booked_day(model, start)).days * 24.0
    return day_after(start, _hours(model, LEAD_HOURS) - _hours(model, ACCEPTANCE_HOURS) - ahead)


def booked(model: CostModel, days: float) -> CostModel:
    """The same model without a cash flow, for a block that is booked and paid so many days before its first; as it is for 0."""
    ahead = CostInput(name=BOOKED_DAYS, value=days, low=days, high=days, unit="day", source=PLAN)
    return replace(model, inputs=(*model.inputs, ahead)) if days else model


def booked_day(model: CostModel, start: date) -> date:
    """The day on which capacity is signed for: that of the booking of a block, else the day of the start."""
    days = next((item.value for item in model.inputs if item.name == BOOKED_DAYS), 0.0)
    return start - timedelta(days=round(days))


def _accepted(model: CostModel, start: date) -> date:
    """When it begins to work, after installation and tests."""
    return day_after(start, _hours(model, LEAD_HOURS))


def _hours(model: CostModel, name: str) -> float:
    """That line; 0 where the model has none."""
    return next((line.amount for line in model.lines if line.name == name), 0.0)


def instalment_days(model: CostModel, start: date) -> list[date]:
    """The days on which the instalments of a lease are due: the last of each of its months, which begin on the day of the month on
    which it does; no two in one calendar month."""
    months = round(amount_of(model, PAID_MONTHS))
    return [add_months(start, number) - timedelta(days=1) for number in range(1, months + 1)]


def payment_days(line: CostLine, model: CostModel, start: date) -> dict[str, date]:
    """The days of what is paid once, and of instalments, by month; empty for what is paid on the last day of each month."""
    if line.schedule == "settled":
        day = settled_day(model, start)
        return {month_of(day): day}
    if line.schedule == "instalments":
        return {month_of(day): day for day in instalment_days(model, start)}
    if line.schedule not in ("upfront", "end"):
        return {}
    days = [gone if line.schedule == "end" else bought for bought, gone in dated_lives(model, start)]
    return {month_of(day): day for day in days}


def longest_days(model: CostModel) -> float:
    """How long anything of that model goes on [day]."""
    hours = {RUN_HOURS: 1.0, LEAD_HOURS: 1.0, WORK_HOURS: 1.0, USED_HOURS: 1.0, PAID_MONTHS: HOURS_PER_MONTH}
    return max((line.amount * hours[line.name] for line in model.lines if line.name in hours), default=0.0) / 24.0


def payments(model: CostModel) -> dict[str, float]:
    """What is paid in cash for each line that is a part of the total, in the currency of the model."""
    values = {item.name: item.value for item in model.inputs} | {line.name: line.amount for line in model.lines}
    return {
        line.name: rounded_to(parsed(line.paid).evaluate(values), DIGITS[line.unit]) if line.paid else line.amount
        for line in model.lines
        if line.schedule != "none"
    }


def line_by_month(line: CostLine, model: CostModel, start: date) -> dict[str, int]:
    """What one line costs in each calendar month, in the smallest unit of its currency; nothing for a line that is no leaf
    of the total."""
    return _by_month(line, line.amount, model, start)


def _by_month(line: CostLine, amount: float, model: CostModel, start: date) -> dict[str, int]:
    """That amount in the months of that line, in the smallest unit of its currency."""
    if line.schedule == "none":
        return {}
    weights = weights_of(line, model, start)
    units = round(amount * 10 ** DIGITS[line.unit])
    return dict(zip(weights, split_units(units, list(weights.values())), strict=True))


def split_units(amount: int, weights: Sequence[float]) -> list[int]:
    """Whole cents, or other smallest units, in proportion to the weights, adding up exactly (largest remainder)."""
    whole = sum(weights)
    exact = [amount * weight / whole for weight in weights]
    parts = [math.floor(value) for value in exact]
    by_remainder = sorted(range(len(parts)), key=lambda index: parts[index] - exact[index])
    for index in by_remainder[: amount - sum(parts)]:
        parts[index] += 1
    return parts


def weights_of(line: CostLine, model: CostModel, start: date) -> Mapping[str, float]:
    """How that line is shared out over calendar months, by its schedule."""
    names = {line.name for line in model.lines}
    delivered, accepted = _delivered(model, start), _accepted(model, start)
    match line.schedule:
        case "upfront":
            return {month_of(add_months(delivered, first)): part for first, _, part in _lives(model)}
        case "run":
            return hours_by_month(start, _run_hours(model, names))
        case "end":
            return {month_of(add_months(accepted, last)): part for _, last, part in _lives(model)}
        case "settled":
            return {month_of(settled_day(model, start)): 1.0}
        case "until":
            return _until(model, start, names)
        case "after":
            return _after(model, start, names)
        case "instalments":
            return {month_of(day): 1.0 for day in instalment_days(model, start)}
        case "term":
            return _months_of_term(start, round(amount_of(model, PAID_MONTHS)))
        case "held":
            return _days_by_month(accepted, amount_of(model, PAID_MONTHS))
        case "used":
            return hours_by_month(accepted, amount_of(model, USED_HOURS))
    service = next((item.value for item in model.inputs if item.name == SERVICE_MONTHS), 0.0)
    service = amount_of(model, SERVICE_MONTHS) if SERVICE_MONTHS in names else service
    # Where nothing is rented meanwhile, what stands around a service begins with it: at acceptance.
    begun = start if WORK_HOURS in names else accepted
    return _days_by_month(begun, service if accepted > start and service else amount_of(model, PAID_MONTHS))


def _months_of_term(start: date, months: int) -> Mapping[str, float]:
    """The calendar months of a lease, each whole one alike: of the first the share that is left of it, of the last the rest."""
    last = month_end(month_of(start)).day
    first = (last - start.day + 1) / last
    shares = [first, *(1.0,) * (months - 1), *([1.0 - first] if first < 1.0 else [])]
    return {month_of(add_months(start.replace(day=1), number)): part for number, part in enumerate(shares)}


def settled_day(model: CostModel, start: date) -> date:
    """The last day of the spend commitment that the work draws on."""
    hours = next(item.value for item in model.inputs if item.name == SETTLED)
    return start + timedelta(days=round(hours / 24.0) - 1)


def _until(model: CostModel, start: date, names: set[str]) -> Mapping[str, float]:
    """The hours until the end of the last day of the spend commitment, or of the work where that ends earlier."""
    left = ((settled_day(model, start) - start).days + 1) * 24.0
    return hours_by_month(start, min(left, _billed_hours(model, start, names)))


def _after(model: CostModel, start: date, names: set[str]) -> Mapping[str, float]:
    """The hours that come after the last day of the spend commitment."""
    after = settled_day(model, start) + timedelta(days=1)
    return hours_by_month(after, _billed_hours(model, start, names) - (after - start).days * 24.0)


def _billed_hours(model: CostModel, start: date, names: set[str]) -> float:
    """How long instances are billed from the start [h]."""
    if PAID_MONTHS in names:
        return math.fsum(_days_by_month(start, amount_of(model, PAID_MONTHS)).values())
    return _run_hours(model, names)


def _lives(model: CostModel) -> list[tuple[int, int, float]]:
    """First and last month of each purchase, counted from the delivery, and its part of a whole one: hardware that does not
    live as long as the demand is bought again."""
    life = 12.0 * _holding_years(model)
    held = amount_of(model, PAID_MONTHS) if life else 0.0
    if held <= life * (1.0 + 1e-9):
        return [(0, math.ceil(held - 1e-9), 1.0)]
    starts = [index * life for index in range(math.ceil(held / life - 1e-9))]
    ends = [min(start + life, held) for start in starts]
    return [
        (math.floor(start + 0.5), math.ceil(end - 1e-9), (end - start) / life)
        for start, end in zip(starts, ends, strict=True)
    ]


def _holding_years(model: CostModel) -> float:
    """How long one purchase is held; 0 where nothing is bought. Plans from before it followed from its inputs have it as one."""
    known = {item.name: item.value for item in model.inputs} | {line.name: line.amount for line in model.lines}
    return known.get("holding_years", 0.0)


def _run_hours(model: CostModel, names: set[str]) -> float:
    """How long `run` lines are spread from the start [h]; of what is rented until delivery no longer than the work lasts."""
    if RUN_HOURS in names:
        return amount_of(model, RUN_HOURS)
    return min(amount_of(model, LEAD_HOURS), amount_of(model, WORK_HOURS))


def hours_by_month(start: date, hours: float) -> dict[str, float]:
    """Hours of a run that fall into each calendar month, from midnight of its first day."""
    clock = datetime.combine(start, time())
    end = clock + timedelta(hours=max(hours, 1e-6))
    shares: dict[str, float] = {}
    while clock < end:
        following = datetime.combine(add_months(clock.date().replace(day=1), 1), time())
        shares[month_of(clock.date())] = (min(end, following) - clock).total_seconds() / 3600.0
        clock = following
    return shares


def _days_by_month(begun: date, months: float) -> dict[str, float]:
    """Hours of so many months from midnight of that day that fall into each calendar month.

    Whole months end on the same day of a later month. What is no whole number of them is a length in hours, counted as months
    of 730: a batch ends with its hours.
    """
    whole = round(months)
    if abs(months - whole) > 1e-9:
        return hours_by_month(begun, months * HOURS_PER_MONTH)
    return hours_by_month(begun, (add_months(begun, whole) - begun).days * 24.0)


def add_months(day: date, months: int) -> date:
    """The same day so many months later, or the last day of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    following = date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1)
    return date(year, month + 1, min(day.day, (following - timedelta(days=1)).day))


def month_end(month: str) -> date:
    """The last day of that calendar month, 2027-01."""
    return add_months(date.fromisoformat(f"{month}-01"), 1) - timedelta(days=1)


def month_of(day: date) -> str:
    """The calendar month of that day, 2027-01."""
    return f"{day.year:04d}-{day.month:02d}"


def _between(first: str, last: str) -> list[str]:
    months = [first]
    while months[-1] < last:
        months.append(month_of(add_months(date.fromisoformat(f"{months[-1]}-01"), 1)))
    return months
