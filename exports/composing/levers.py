"""What would cost less and needs something first: a row of page 1, a table beside the options, a slide and a sheet of the workbook."""

from __future__ import annotations

from dataclasses import replace

from engine.answer import Lever, Levers
from engine.inputs.finding import Finding
from exports.composing.chart_slides import source
from exports.composing.context import Context, number_cell, text_cell
from exports.composing.words import told
from exports.document import MAX_SLIDE_ROWS, Block, Cell, Column, Fact, Paragraph, Section, Slide, Table
from exports.numbers import chance
from exports.text import CELL_LIMIT, upper_first
from exports.wording import tr
from planner.levers.words import MODEL, changed, idle

_WHOLE = 600
"""Letters that a lever may take to be told: without what it needs it would be no lever."""
_ON_PAGE_ONE = 3
"""Levers of page 1 where a table tells them all."""


def lever_fact(context: Context) -> tuple[Fact, ...]:
    """What saves most, where all of it was weighed; else the levers of the plan itself. None in plans without."""
    found = _found(context)
    if found and found.levers:
        said = _short(context, found)
    else:
        said = " ".join(told(lever.told, _WHOLE) for lever in context.answer.levers)
    return (Fact(key="levers", label=tr("Would cost less"), text=said),) if said else ()


def lever_section(context: Context) -> tuple[Section, ...]:
    """All that was weighed beside the choice; nothing for a sum for which nobody weighs it, or where there is nothing to weigh."""
    if context.weighed and context.weighed.moved:
        blocks: list[Block] = [Paragraph(text=_moved())]
    elif found := _found(context):
        table = lever_table(context)
        blocks = [table or Paragraph(text=_nothing())]
        blocks += [
            Paragraph(text=told(one, _WHOLE)) for one in (found.signed and found.signed.told, idle(found)) if one
        ]
    else:
        return ()
    return (Section(id="levers", title=_title(), blocks=tuple(blocks)),)


def lever_table(context: Context, *, apart: bool = False) -> Table | None:
    """Each of them: what changes, what it saves and then costs, how sure that is, and what must be done first. `apart`: a saving and its
    band in columns of their own, where there is room for them."""
    found = _found(context)
    if found is None or not found.levers:
        return None
    code = context.money.code
    return Table(
        id="levers",
        caption=tr("What could be given up, signed or brought along for less money, one at a time"),
        columns=(
            Column(title=tr("With"), share=1.5),
            Column(title=tr("Would take"), share=1.6),
            *_saving_columns(code, apart=apart),
            Column(title=tr("Then costs, {code}", code=code), share=0.9, align="right"),
            Column(title=tr("Keeps its limits"), share=0.8, align="right"),
            Column(title=tr("First"), share=2.8),
        ),
        rows=tuple(_row(context, lever, apart=apart) for lever in found.levers),
        note=tr(
            "Each is answered as the plan itself is, and saves that much by itself: savings do not add up. The chance is that all limits "
            "that are left hold together. The ends of a saving compare those of both totals."
        ),
    )


def lever_slide(context: Context) -> tuple[Slide, ...]:
    """The same for a board."""
    found = _found(context)
    if found is None or not found.levers:
        return ()
    code, shown = context.money.code, found.levers[:MAX_SLIDE_ROWS]
    table = Table(
        id="slide-levers",
        caption=_title(),
        columns=(
            Column(title=tr("With"), share=1.6),
            Column(title=tr("Saves, {code}", code=code), share=0.8, align="right"),
            Column(title=tr("Keeps its limits"), share=0.7, align="right"),
            Column(title=tr("First"), share=3.2),
        ),
        rows=tuple((_with(lever), _saves(context, lever), _chance(lever), _first(lever)) for lever in shown),
    )
    every = (*found.levers, *((found.signed,) if found.signed else ()))
    said = (*(told(lever.told, _WHOLE) for lever in every), told(idle(found), _WHOLE))
    return (
        Slide(
            id="levers",
            headline=_headline(context, found),
            layout="one",
            blocks=(table,),
            notes="\n".join((*filter(None, said), tr("Source: {source}.", source=source(context)))),
        ),
    )


def _found(context: Context) -> Levers | None:
    return context.weighed.levers if context.weighed and context.best else None


def _title() -> str:
    return tr("What would cost less, and what it takes")


def _moved() -> str:
    return tr(
        "What could be given up, signed or brought along for less money was not weighed: prices have moved since this plan was made. "
        "The same request on the prices of today says it."
    )


def _nothing() -> str:
    return tr("Nothing that could be given up, signed or brought along would cost less by more than counts as equal.")


def _short(context: Context, found: Levers) -> str:
    """“Weights in FP8: USD 35,600 less; … Each needs something first: see “…”.”"""
    shown = found.levers[:_ON_PAGE_ONE]
    rows = (
        tr("{what}: {saving} less", what=told(changed(lever)), saving=context.money.rounded(lever.saving.expected))
        for lever in shown
    )
    first = tr("What each takes first stands under “{title}”.", title=_title())
    return f"{upper_first('; '.join(rows))}. {first}"


def _headline(context: Context, found: Levers) -> str:
    """The most that is saved; another model, which stands last, is not what was asked for."""
    saving = context.money.rounded(found.levers[0].saving.expected)
    if any(lever.key == MODEL for lever in found.levers[1:]):
        return tr("What would cost less: up to {saving} with the same model, at a price", saving=saving)
    return tr("What would cost less: up to {saving}, at a price", saving=saving)


def _saving_columns(code: str, *, apart: bool) -> tuple[Column, ...]:
    if not apart:
        return (Column(title=tr("Saves, {code} (80% band)", code=code), share=1.2, align="right"),)
    saves, band = tr("Saves, {code}", code=code), tr("80% band")
    return (Column(title=saves, share=0.9, align="right"), Column(title=band, share=1.2, align="right"))


def _row(context: Context, lever: Lever, *, apart: bool) -> tuple[Cell, ...]:
    money = context.money
    saves, band = _saves(context, lever), money.bare_range(lever.saving)
    return (
        _with(lever),
        text_cell(_then(lever)),
        *((saves, text_cell(band)) if apart else (replace(saves, text=f"{saves.text} ({band})"),)),
        number_cell(lever.cost.expected, money.bare(lever.cost.expected)),
        _chance(lever),
        _first(lever),
    )


def _with(lever: Lever) -> Cell:
    return text_cell(upper_first(told(changed(lever), CELL_LIMIT)), "strong")


def _then(lever: Lever) -> str:
    """The hardware, and what is signed for it."""
    signed = lever.told.values.get("signed")
    return told(lever.hardware, CELL_LIMIT) + (told(signed, CELL_LIMIT) if isinstance(signed, Finding) else "")


def _first(lever: Lever) -> Cell:
    """All of it: half of what must be done first would be none."""
    return Cell(text=told(lever.needs, _WHOLE))


def _saves(context: Context, lever: Lever) -> Cell:
    return number_cell(lever.saving.expected, context.money.bare(lever.saving.expected))


def _chance(lever: Lever) -> Cell:
    return Cell(text="–" if lever.chance is None else chance(lever.chance))
