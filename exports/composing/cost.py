"""Cost: by line, by month, capital and running cost, rented against owned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.answer import UNPAID, CostLine, CostModel, Money, Option, without_rate
from exports.composing.context import Context, figure, number_cell, option_name, text_cell
from exports.composing.rent_or_own import side_by_side
from exports.composing.rivals import break_even
from exports.composing.words import voice
from exports.cost_values import labels_of, leaves, parsed
from exports.document import Block, Cell, Column, Paragraph, Section, Table
from exports.numbers import month, part_share, percent
from exports.text import CELL_LIMIT, clean_text, upper_first
from exports.wording import label, mark, tr
from planner.charting.money import break_even as break_even_chart
from planner.charting.money import cash, cost_lines
from planner.request.quantities import in_whole_units

_SMALL = 1000.0
"""Sums below this are shown with cents."""
MOST_MONTHS = 36
"""Rows of the monthly table; longer plans are shown by year."""


def cost(context: Context, best: Option) -> Section:
    """The chapter for that option."""
    model = best.cost.model
    blocks: list[Block] = [Paragraph(text=_lead(context, best), role="lead"), _lines_table(context, model)]
    chart = figure(cost_lines(model, voice()))
    if chart:
        blocks.append(chart)
    parts = (_by_month(context, model), _own_or_rent(context, best))
    return Section(id="cost", title=tr("Cost"), blocks=tuple(blocks), sections=tuple(part for part in parts if part))


def _lead(context: Context, best: Option) -> str:
    money, model, total = context.money, best.cost.model, best.cost.total
    text = tr("At central values {option} costs {total}.", option=option_name(best), total=money.banded(total))
    if best.cost.expected_holds is not None:
        text += " " + tr("That suffices with a probability of {chance}.", chance=percent(best.cost.expected_holds))
    capex = sum(line.amount for line in leaves(model) if line.kind == "capex")
    opex = sum(line.amount for line in leaves(model) if line.kind == "opex")
    if capex:
        text += " " + tr(
            "Of this, {capex} is investment, after resale, and {opex} running cost.",
            capex=money.amount(capex),
            opex=money.amount(opex),
        )
    else:
        text += " " + tr("All of it is running cost; nothing is bought.")
    final = best.cost.final_run.expected
    if 0 < final < total.expected * 0.995:
        rest = money.amount(total.expected - final)
        text += " " + tr(
            "One run costs {final}; repeated runs and experiments add {rest}.", final=money.amount(final), rest=rest
        )
    return text + _largest(context, model)


def _largest(context: Context, model: CostModel) -> str:
    rows = sorted(leaves(model), key=lambda line: -line.amount)
    whole = sum(line.amount for line in rows)
    if len(rows) < 2 or whole <= 0:
        return ""
    largest = label(rows[0].label)
    if rows[0].amount > whole:  # as where a spend commitment pays a part
        share = percent(rows[0].amount / sum(line.amount for line in rows if line.amount > 0))
        text = mark("The largest line is “{label}” with {share} of the cost before what is taken off.")
        return " " + tr(text, label=largest, share=share)
    share = percent(rows[0].amount / whole)
    return " " + tr("The largest line is “{label}” with {share} of the total.", label=largest, share=share)


def _lines_table(context: Context, model: CostModel) -> Table:
    rows = leaves(model)
    whole = sum(line.amount for line in rows)
    labels = {name: clean_text(label, CELL_LIMIT) for name, label in labels_of(model).items()}
    cells = [_line(context, line, whole, labels) for line in rows]
    cells.append(
        (
            Cell(text=tr("Total"), tone="strong"),
            text_cell(""),
            text_cell(""),
            _amount(context, whole, cents=whole < _SMALL),
            Cell(text=part_share(1.0)),
        )
    )
    return Table(
        id="cost-lines",
        caption=tr("Cost by line, and how each is computed"),
        columns=(
            Column(title=tr("Line"), share=1.5),
            Column(title=tr("Computed as"), share=3.0),
            Column(title=tr("Kind"), share=0.8),
            Column(title=context.money.code, align="right", share=0.9),
            Column(title=tr("Share"), align="right", share=0.6),
        ),
        rows=tuple(cells),
        total=True,
        note=tr("Every line is rounded for itself; the workbook holds the same lines as live formulas."),
    )


def _line(context: Context, line: CostLine, whole: float, labels: dict[str, str]) -> tuple[Cell, ...]:
    words = parsed(without_rate(line.expression)).words(lambda name: labels.get(name, name))
    share = line.amount / whole if whole else 0.0
    kind = tr("investment") if line.kind == "capex" else tr("running")
    return (
        text_cell(label(line.label)),
        Cell(text=clean_text(upper_first(words), 600), tone="muted"),
        text_cell(kind),
        _amount(context, line.amount, cents=whole < _SMALL),
        number_cell(share, part_share(share)),
    )


def _amount(context: Context, amount: float, *, cents: bool = False) -> Cell:
    """The amount; in a small sum with its cents, so that the column adds up to the eye."""
    money = context.money
    return number_cell(amount, money.cents(amount) if cents else money.bare(amount))


def _by_month(context: Context, model: CostModel) -> Section | None:
    """When cash leaves; None when it is one month, which the lead then says."""
    if not model.cash:
        return None
    if len(model.cash) == 1:
        only = model.cash[0]
        text = tr(
            "All cash leaves in {month}: {amount}.",
            month=month(only.month),
            amount=context.money.amount(only.opex + only.capex),
        )
        return Section(id="cash", title=tr("Cash by month"), blocks=(Paragraph(text=text),))
    chart = figure(cash(model, voice()))
    table = _cash_table(context, model)
    return Section(id="cash", title=tr("Cash by month"), blocks=(table, *((chart,) if chart else ())))


def _cash_table(context: Context, model: CostModel) -> Table:
    yearly = len(model.cash) > MOST_MONTHS
    periods: dict[str, list[float]] = {}
    for entry in model.cash:
        row = periods.setdefault(entry.month[:4] if yearly else month(entry.month), [0.0, 0.0])
        row[0] += entry.opex
        row[1] += entry.capex
    rows, left = [], 0.0
    for name, (opex, capex) in periods.items():
        left += opex + capex
        rows.append((text_cell(name), *(_amount(context, value) for value in (opex, capex, opex + capex, left))))
    totals = [sum(row[index] for row in periods.values()) for index in (0, 1)]
    rows.append(
        (Cell(text=tr("Total"), tone="strong"), *(_amount(context, v) for v in (*totals, sum(totals))), Cell(text=""))
    )
    code = context.money.code
    return Table(
        id="cash",
        caption=tr("Cash that leaves by year") if yearly else tr("Cash that leaves by calendar month"),
        columns=(
            Column(title=tr("Year") if yearly else tr("Month"), share=1.3),
            Column(title=tr("Running cost, {code}", code=code), align="right"),
            Column(title=tr("Investment, {code}", code=code), align="right"),
            Column(title=tr("Together, {code}", code=code), align="right"),
            Column(title=tr("Since the start, {code}", code=code), align="right"),
        ),
        rows=tuple(rows),
        total=True,
        note=" ".join(text for text in (_paid_whole(model), _rounded(periods.values())) if text),
    )


def _rounded(rows: Iterable[Sequence[float]]) -> str:
    """That the months do not add up to the last digit, where they do not."""
    told = list(rows)
    columns = [[row[0] for row in told], [row[1] for row in told], [sum(row) for row in told]]
    even = all(sum(map(in_whole_units, column)) == in_whole_units(sum(column)) for column in columns)
    return "" if even else tr("Every amount is rounded for itself.")


def _paid_whole(model: CostModel) -> str:
    """That the cash is more than this work's share, where something is paid whole of which the total holds a share."""
    if not any(line.paid and line.paid != UNPAID for line in model.lines):
        return ""
    shares = {line.name: line.amount for line in model.lines}
    if "operation_year" in shares and shares["own_share"] < 1:
        return tr(
            "This is cash: the whole purchase and no cost of capital; of running it only what falls to this work, while it runs. The "
            "cost above is the share that this work carries."
        )
    return tr(
        "This is cash: the whole purchase or commitment and no cost of capital. The cost above is the share that this work "
        "carries."
    )


def _own_or_rent(context: Context, best: Option) -> Section | None:
    chart = figure(break_even_chart(best, context.spec, voice()))
    pair = (
        (tr("Rented for this work"), best.cost.cloud),
        (tr("Bought, the share of this work"), best.cost.on_prem),
    )
    blocks: list[Block] = [Paragraph(text=break_even(context, best))]
    # Without demand beyond this work nothing is bought for it: a table beside each other would weigh a straw man.
    if context.spec.horizon_months and all(money for _, money in pair):
        blocks.append(_pair_table(context, tuple((name, money) for name, money in pair if money)))
    blocks += side_by_side(context)
    if chart:
        blocks.append(chart)
    if len(blocks) == 1 and best.cost.break_even is None:
        return None
    return Section(id="own-or-rent", title=tr("Renting or owning"), blocks=tuple(blocks))


def _pair_table(context: Context, pair: tuple[tuple[str, Money], ...]) -> Table:
    return Table(
        id="own-or-rent",
        caption=tr("This work on rented hardware, and on hardware bought for it"),
        columns=(
            Column(title=tr("Way")),
            Column(title=tr("Expected, {code}", code=context.money.code), align="right"),
            Column(title=tr("80% band"), align="right"),
        ),
        rows=tuple(
            (
                text_cell(name),
                _amount(context, money.expected),
                text_cell(context.money.bare_range(money)),
            )
            for name, money in pair
        ),
    )
