"""How much is printed for a sum: page 1 always, chapters that weigh the choice and those behind it only where they are worth reading."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.context import Context
from exports.document import Cell, Column, Fact, Paragraph, Section, Slide, Table
from exports.wording import tr
from planner.asked.approval import authorised
from planner.frozen.snapshot import Plan

CHAPTERS_FROM_USD = 2_500.0
"""Sum from which the chapters that weigh the choice are printed. Three people (who asks, who pays, who approves) read two minutes a
page at about USD 100 an hour: USD 10 a page. Reading may cost a fiftieth of what is decided, so five pages of chapters are worth
reading from USD 2,500 on."""
APPENDICES_FROM_USD = 10_000.0
"""Sum from which all is printed: twenty pages at the same USD 10. The order is that of the limits below which public buyers ask for no
competing quotations (the micro-purchase threshold of FAR 2.101)."""
_CHOICE = ("options", "cost", "risks", "changes")
"""Chapters that weigh the choice; all others say how it is had, built and run, and what it rests on."""


_BOARD = ("cover", "decision", "signed", "options", "risks", "next")
"""Slides of a sum that is not worth chapters: the choice, its signature, its risks and what is done."""


def worth(context: Context, usd: float) -> bool:
    """Is so much or more decided? A refusal is told whole: there is no sum to go by."""
    best = context.best
    return best is None or authorised(context.plan, best) >= context.money.of(usd)


def weighs_levers(plan: Plan) -> bool:
    """Are levers of that plan worked out for its documents? Where the chapters are printed that weigh the choice: working them out takes
    seconds, reading them minutes."""
    answer = plan.recommendation
    best = answer.recommended
    return best is not None and authorised(plan, best) >= answer.currency.of(CHAPTERS_FROM_USD)


def told_to_a_board(context: Context, board: list[Slide], appendix: list[Slide]) -> list[Slide]:
    """The slides that so large a sum is worth; the physics behind them only where Word and PDF print all."""
    if worth(context, APPENDICES_FROM_USD):
        return [*board, *appendix]
    return board if worth(context, CHAPTERS_FROM_USD) else [slide for slide in board if slide.id in _BOARD]


def left_out(context: Context, chapters: tuple[Section, ...]) -> tuple[str, ...]:
    """Ids of the chapters that Word and PDF leave out for so small a sum. A refusal is printed whole: there is no sum to go by."""
    if worth(context, APPENDICES_FROM_USD):
        return ()
    kept = _CHOICE if worth(context, CHAPTERS_FROM_USD) else ("changes",)
    return tuple(chapter.id for chapter in chapters if chapter.id not in kept)


def behind(context: Context, further: tuple[Fact, ...], without: tuple[Section, ...]) -> Section | None:
    """The first chapter of Word and PDF: what page 1 had no room for, and where the chapters are that were left out."""
    notes: tuple[Paragraph, ...] = ()
    if without and context.best:
        notes = (Paragraph(text=_elsewhere(context, context.best, without)),)
    if not further and not notes:
        return None
    return Section(
        id="behind", title=tr("Behind the decision"), blocks=((_table(further), *notes) if further else notes)
    )


def _table(further: tuple[Fact, ...]) -> Table:
    return Table(
        id="behind",
        caption=tr("What else the choice rests on"),
        columns=(Column(title=tr("Point"), share=1.0), Column(title=tr("In this plan"), share=3.4)),
        rows=tuple((Cell(text=fact.label, tone="strong"), Cell(text=fact.text, tone=fact.tone)) for fact in further),
    )


def _elsewhere(context: Context, best: Option, without: tuple[Section, ...]) -> str:
    return tr(
        "For a sum of {amount} this file leaves out: {chapters}. They stand on the page of the plan and in the API, their figures "
        "also in the workbook.",
        amount=context.money.amount(authorised(context.plan, best)),
        chapters=", ".join(f"“{chapter.title}”" for chapter in without),
    )
