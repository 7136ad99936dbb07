"""Options considered: the alternatives side by side, the front, and what was left out and why."""

from __future__ import annotations

from dataclasses import replace

from charts.chart import Chart
from engine.answer import Option, Rejection
from exports.composing.context import (
    LATE,
    Context,
    figure,
    layout,
    number_cell,
    option_name,
    seller,
    terms,
    terms_cell,
    text_cell,
    where,
)
from exports.composing.kinds import PRINTED
from exports.composing.levers import lever_section
from exports.composing.rivals import rejected, rejected_label
from exports.composing.signed import signed_cell, signed_column
from exports.composing.words import told, voice
from exports.document import MAX_TABLE_ROWS, Block, Bullets, Cell, Column, Paragraph, Section, Table
from exports.numbers import NBSP, percent, plural, whole
from exports.text import upper_first
from exports.wording import tr, trn
from planner.charting.options import cost_bands, pareto
from planner.counting import checked, computed, counted, is_all_of_its_kind, left_out
from planner.promises import asked_confidence

MOST_REASONS = 15
MOST_OPTIONS = 12
"""Rows in Word and PDF; the workbook lists all."""


def options(context: Context) -> Section:
    """The chapter."""
    blocks: list[Block] = [Paragraph(text=_lead(context), role="lead")]
    if held := checked(context.answer):
        blocks.append(Paragraph(text=f"{told(held)}."))
    if context.best:
        blocks.append(Paragraph(text=_why(context, context.best)))
    if context.options:
        blocks.append(options_table(context, MOST_OPTIONS))
    charts = (_front(context), cost_bands(context.options, voice=voice()) if context.best else None)
    blocks += [shown for chart in charts if (shown := figure(chart))]
    return Section(
        id="options",
        title=tr("Options considered"),
        blocks=tuple(blocks),
        sections=(*lever_section(context), *_left_out(context)),
    )


def _front(context: Context) -> Chart | None:
    """The Pareto chart; where it holds more than the table above it, a note says what its points are.

    None for a batch, whose points lie over a latency that nobody waits for.
    """
    chart = pareto(context.answer, context.spec, voice())
    if chart is None or len(context.answer.frontier) == len(context.options):
        return chart
    return replace(
        chart,
        note=tr("Each point is one number of one accelerator at its cheapest offer; the table shows the best of each."),
    )


def _lead(context: Context) -> str:
    answer = context.answer
    count = len(context.options)
    searched = told(computed(answer, context.spec), 200)
    if not answer.searched:
        return f"{searched}."
    if context.best is None:
        near = " " + tr("The {options} below come nearest.", options=plural(count, "option")) if count else ""
        return tr("{searched}, and none keeps every limit of the request.{near}", searched=searched, near=near)
    if count == 1:
        return tr("{searched}; one way of doing the work remains within the limits.", searched=searched)
    return tr(
        "{searched}; the best for each accelerator and offer are compared here, {count} in all.",
        searched=searched,
        count=whole(count),
    )


def _why(context: Context, best: Option) -> str:
    """Why the recommended option, and why not another."""
    reasons = " ".join(told(reason, 250) for reason in best.reasons)
    other = rejected(context, best)
    start = tr("{option} {seller} is recommended.", option=option_name(best), seller=seller(best))
    nearest = f" {rejected_label(context, best)}: {other}" if context.answer.alternatives else ""
    return f"{start} {reasons}{nearest}".strip().replace("  ", " ")


def options_table(context: Context, most: int) -> Table:
    """The options, one row each, the recommended one first."""
    shown = distinct(context.options)[: min(most, MAX_TABLE_ROWS)]
    hidden = len(context.options) - len(shown)
    printed = PRINTED[context.kind]
    limits = [limits_cell(option) for option in shown]
    alike = len({cell.text for cell in limits}) == 1
    notes = (
        printed.speed_note(context),
        _alike(limits[0].text) if alike else "",
        _ordered(context, shown),
        tr("The workbook lists {options}.", options=plural(hidden, "further option")) if hidden else "",
    )
    signs = any(option.cost.signed.total for option in shown)
    crowded = signs or not alike  # a ninth column would break words: offer and terms then share one
    per_day, unit = printed.speed_column(context, shown)
    pace = Column(title=unit, align="right", share=0.8)
    return Table(
        id="options",
        caption=tr("Options, with their cost at central values and its 80% band"),
        columns=(
            Column(title=tr("Option"), share=2.2),
            Column(title=tr("Offer and terms") if crowded else tr("Offer"), share=1.7),
            *(() if crowded else (Column(title=tr("Terms"), share=1.0),)),
            Column(title=tr("Layout"), share=1.5),
            pace,
            Column(title=tr("Cost, {code}", code=context.money.code), align="right", share=1.0),
            Column(title=tr("80% band"), align="right", share=1.3),
            sure_column(context),
            *((signed_column(context.money.code),) if signs else ()),
            *(() if alike else (Column(title=tr("Limits"), share=1.0),)),
        ),
        rows=tuple(
            (
                *_row(context, option, per_day, crowded=crowded),
                *((signed_cell(context, option),) if signs else ()),
                *(() if alike else (cell,)),
            )
            for option, cell in zip(shown, limits, strict=True)
        ),
        highlight=0 if context.best else None,
        note=" ".join(filter(None, notes)),
    )


def _ordered(context: Context, shown: tuple[Option, ...]) -> str:
    """What puts the rows in order where the column of sums does not: what is paid later weighs less."""
    rows = [option.cost for option in shown[1:] if option.keeps_limits and not option.porting]
    sums, worth = [cost.at_confidence for cost in rows], [cost.npv_at_confidence for cost in rows]
    if context.spec.objective != "cost" or sums == sorted(sums) or worth != sorted(worth):
        return ""
    return tr("The order is that of present value at {sure} confidence.", sure=percent(asked_confidence(context.spec)))


def _alike(limits: str) -> str:
    """What a column would say in every row."""
    if limits == tr("kept"):
        return tr("All options in the table keep the limits of the request.")
    return tr("Limits, of all options in the table: {limits}.", limits=limits)


def distinct(options: tuple[Option, ...]) -> tuple[Option, ...]:
    """The options without those that differ from an earlier one of the same provider only in the place."""
    seen: dict[tuple[object, ...], Option] = {}
    for option in options:
        provider = option.offer.provider if option.offer else option.system_name
        key = (option.accelerator, option.count, provider, terms(option), round(option.cost.total.expected, -1))
        seen.setdefault(key, option)
    return tuple(seen.values())


def _row(context: Context, option: Option, per_day: float, *, crowded: bool) -> tuple[Cell, ...]:
    money, total = context.money, option.cost.total
    pace = number_cell(PRINTED[context.kind].speed(option).expected * per_day)
    return (
        Cell(text=option_name(option).replace(f"×{NBSP}", "× "), tone="strong" if option is context.best else "plain"),
        *(
            (Cell(text=f"{where(option)}, {terms(option)}"),)
            if crowded
            else (Cell(text=where(option)), terms_cell(option))
        ),
        Cell(text=layout(option)),
        pace,
        number_cell(total.expected, money.bare(total.expected)),
        text_cell(money.bare_range(total)),
        sure_cell(context, option),
    )


def sure_column(context: Context) -> Column:
    """The heading over what each option costs at most, as surely as is asked: what options are ranked by."""
    return Column(title=tr("{sure} sure", sure=percent(asked_confidence(context.spec))), align="right", share=0.9)


def sure_cell(context: Context, option: Option) -> Cell:
    """That sum; empty in plans that do not say."""
    most = option.cost.at_confidence
    return number_cell(most, context.money.bare(most)) if most else Cell(text="")


def limits_cell(option: Option) -> Cell:
    """Which limits the option keeps."""
    if option.keeps_limits and option.up_enough:
        return Cell(text=tr("kept"), tone="good")
    late = tr(LATE[option.work])
    checks = (
        (late, option.meets_deadline),
        (tr("over budget"), option.meets_budget),
        (tr("runs too long"), option.too_long is None),
        (tr("availability missed"), option.up_enough),
        (tr("not sure enough"), option.sure or not (option.meets_deadline and option.meets_budget)),
    )
    faults = [text for text, kept in checks if not kept]
    return Cell(text=", ".join(faults), tone="bad")


def _left_out(context: Context) -> tuple[Section, ...]:
    groups = _most_frequent(context)[:MAX_TABLE_ROWS]
    if not groups and not context.answer.nearest:
        return ()
    blocks: list[Block] = []
    if context.answer.nearest:
        text = trn(
            "The request becomes feasible with this change:",
            "The request becomes feasible with any one of these changes:",
            len(context.answer.nearest),
        )
        items = tuple(told(item.told, 300) for item in context.answer.nearest)
        blocks += [Paragraph(text=text), Bullets(items=items)]
    if groups:
        blocks += [Paragraph(text=_left_out_lead(context)), _groups_table(context)]
    return (Section(id="left-out", title=tr("What was left out, and why"), blocks=tuple(blocks)),)


def _most_frequent(context: Context) -> list[Rejection]:
    """Why something was left out, what happened most often first."""
    return sorted(context.answer.rejected, key=lambda group: -group.count)


def _left_out_lead(context: Context) -> str:
    groups = _most_frequent(context)
    first = groups[0]
    reason, every = told(first.reason, 200), told(left_out(groups), 200)
    if len(groups) > 1 and is_all_of_its_kind(first, groups):
        # All of their kind: the number stands there already.
        return tr(
            "Left out: {left_out}; the most frequent reason: “{reason}”.",
            left_out=every,
            reason=reason,
        )
    return tr(
        "Left out: {left_out}; the most frequent reason, for {share}: “{reason}”.",
        left_out=every,
        share=told(counted(first), 60) if len(groups) > 1 else tr("all of them"),
        reason=reason,
    )


def _groups_table(context: Context) -> Table:
    groups = _most_frequent(context)[:MOST_REASONS]
    hidden = len(context.answer.rejected) - len(groups)
    return Table(
        id="left-out",
        caption=tr("What was left out, grouped by reason, with the nearest miss"),
        columns=(
            Column(title=tr("Reason"), share=2.0),
            Column(title=tr("Left out"), align="right", share=0.8),
            Column(title=tr("Nearest miss"), share=2.6),
        ),
        rows=tuple(
            (
                Cell(text=upper_first(told(group.reason, 300))),
                number_cell(group.count, told(counted(group), 60)),
                Cell(text=upper_first(told(group.nearest, 400))),
            )
            for group in groups
        ),
        note=trn(
            "{count}\u00a0further reason with smaller counts is not shown.",
            "{count}\u00a0further reasons with smaller counts are not shown.",
            hidden,
        )
        if hidden
        else "",
    )
