"""The deck: one finding per slide, with a chart, a table or a few points, and the sources in the notes."""

from __future__ import annotations

from dataclasses import replace

from engine.answer import Option
from exports.composing.ask import term
from exports.composing.chart_slides import (
    cash_by_month,
    cost,
    design,
    first_sentences,
    front,
    own,
    risk,
    source,
    state_notes,
    time,
)
from exports.composing.context import Context, option_name, provider, seller, terms
from exports.composing.next_steps import next_steps
from exports.composing.options import distinct, limits_cell, sure_cell, sure_column
from exports.composing.signed import signed_cell, signed_column
from exports.composing.things import whole_answers
from exports.composing.words import told
from exports.document import (
    MAX_BOARD,
    MAX_HEADLINE,
    MAX_SLIDE_BULLET,
    MAX_SLIDE_BULLETS,
    MAX_SLIDE_CELL,
    MAX_SLIDE_ROWS,
    WIDE_COLUMNS,
    WIDE_SLIDE_CELL,
    Block,
    Bullets,
    Cell,
    Column,
    Decision,
    Slide,
    Table,
)
from exports.numbers import days, percent, significant, whole
from exports.text import clauses, shorten, upper_first
from exports.wording import tr, trn
from planner.counting import computed, counted, left_out
from planner.promises import asked_confidence

_WORD = 34
"""Longest unbroken word on a slide; longer ones are cut, since a box cannot break them."""


def slides(context: Context, decision: Decision) -> tuple[Slide, ...]:
    """At most eight slides for a board, and the physics behind them as an appendix; fewer when nothing is feasible."""
    cover = Slide(id="cover", headline=context.name, layout="cover", notes=state_notes(context))
    rows: tuple[Slide | None, ...]
    appendix: tuple[Slide | None, ...] = ()
    if context.best is None:
        rows = (_refused(context, decision), front(context), _left_out(context), next_steps(context, decision))
    else:
        best = context.best
        rows = (
            _decision(context, decision),
            _options(context, best),
            front(context),
            cost(context, best),
            cash_by_month(context, best),
            own(context, best),
            risk(context, best),
            next_steps(context, decision),
        )
        appendix = (design(context, best), time(context, best))
    board = _short(context, [cover, *(row for row in rows if row)])
    behind = [replace(row, headline=tr("Appendix: {headline}", headline=row.headline)) for row in appendix if row]
    return tuple(_fitted(slide) for slide in _distinct([*board, *behind]))


def _short(context: Context, found: list[Slide]) -> list[Slide]:
    """At most eight slides: what page 1 says in a sentence goes first, and never the argument for buying."""
    bought = context.best is not None and context.best.kind == "on_prem"
    for name in ("front",) if bought else ("own", "front"):
        if len(found) > MAX_BOARD:
            found = [slide for slide in found if slide.id != name]
    return found


def _distinct(found: list[Slide]) -> list[Slide]:
    """Headlines are the slides' names for a screen reader: two that are equal get their place in the deck."""
    seen: set[str] = set()
    result = []
    for slide in found:
        text = slide.headline if slide.headline not in seen else f"{slide.headline} ({slide.id})"
        seen.add(text)
        result.append(replace(slide, headline=text))
    return result


def _fitted(slide: Slide) -> Slide:
    return replace(
        slide, headline=fit(slide.headline, MAX_HEADLINE), blocks=tuple(_fit_block(item) for item in slide.blocks)
    )


def _fit_block(block: Block) -> Block:
    if isinstance(block, Bullets):
        items = tuple(fit(first_sentences(item), 2 * MAX_SLIDE_BULLET) for item in block.items[:MAX_SLIDE_BULLETS])
        return replace(block, items=items)  # the box takes a smaller type rather than half a sentence
    if isinstance(block, Table):
        # A table of few columns has room for a sentence.
        limit = MAX_SLIDE_CELL if len(block.columns) > WIDE_COLUMNS else WIDE_SLIDE_CELL
        rows = tuple(
            tuple(replace(cell, text=fit(clauses(cell.text, limit), limit)) for cell in row) for row in block.rows
        )
        return replace(block, rows=rows[:MAX_SLIDE_ROWS])
    return block


def fit(text: str, limit: int) -> str:
    """The text within that many characters, no word longer than a box is wide."""
    return shorten(" ".join(shorten(word, _WORD) for word in text.split(" ")), limit)


def _decision(context: Context, decision: Decision) -> Slide:
    wanted = ("ask", "finish", "cost", "rejected", "risk")
    items = tuple(
        first_sentences(f"{fact.label}: {fact.text}") for key in wanted for fact in decision.facts if fact.key == key
    )
    # The other risks, and what moves the cost, are in the notes of their own slide.
    rows = (fact for fact in decision.facts if not fact.key.startswith("risk_") and fact.key != "drivers")
    notes = "\n".join(f"{fact.label}: {fact.text}" for fact in rows)
    blocks = (decision.figures, Bullets(items=items))
    return Slide(id="decision", headline=_verdict(context), layout="split", blocks=blocks, notes=notes)


def _verdict(context: Context) -> str:
    """The decision in one line: how much, how long, with what."""
    best = context.best
    assert best is not None
    cost, signed = context.money.amount(best.cost.total.expected), best.cost.signed
    if signed.drawn:  # what of it a commitment pays stands among the figures below
        cost = tr("{cost} of new money", cost=cost)
    span = term(context, best) if best.serving else " " + tr("and {days}", days=days(best.days.expected))
    if signed.rest:
        span += tr(", {whole} to sign", whole=context.money.amount(signed.total))
    return f"{cost}{span}: {option_name(best)} {seller(best)}"


def _pace_title(context: Context) -> str:
    if not _online(context):
        return tr("Time")
    return tr("Answer, p95") if whole_answers(context) else tr("First token, p95")


def _options(context: Context, best: Option) -> Slide:
    rows = distinct(context.options)[:MAX_SLIDE_ROWS]
    money, signs = context.money, any(option.cost.signed.total for option in rows)
    limits = not all(option.keeps_limits for option in rows)  # else the headline says it
    table = Table(
        id="slide-options",
        caption=tr("The options that were compared"),
        columns=(
            Column(title=tr("Option"), share=2.2),
            Column(title=tr("Where"), share=1.3),
            Column(title=tr("Terms"), share=1.1),
            Column(title=_pace_title(context), align="right", share=0.9),
            Column(title=tr("Cost, {code}", code=money.code), align="right", share=1.0),
            sure_column(context),
            *((signed_column(money.code),) if signs else ()),
            *((Column(title=tr("Limits"), share=1.1),) if limits else ()),
        ),
        rows=tuple(_option_row(context, option, signs=signs, limits=limits) for option in rows),
        highlight=0,
    )
    names = (f"{option_name(best)} {seller(best)}", option_name(best), shorten(option_name(best), _WORD))
    headlines = (_choice(context, best, name) for name in names)
    return Slide(
        id="options",
        headline=next((text for text in headlines if len(text) <= MAX_HEADLINE), names[-1]),
        layout="one",
        blocks=(table,),
        notes=f"{told(computed(context.answer, context.spec), 200)}. {tr('Source: {source}.', source=source(context))}",
    )


def _online(context: Context) -> bool:
    """Whether options are told apart by their latency: those of a run or a batch are by their time."""
    return context.serving and context.batch is None


def _choice(context: Context, best: Option, chosen: str) -> str:
    """Why that one, as far as a headline can say: the cheapest of those within the limits, if it is."""
    count = len(context.options)
    kept = [option.cost.ranked_by for option in context.options if option.keeps_limits]
    if count == 1:
        return tr("{chosen} is the one way that keeps all limits", chosen=chosen)
    if len(kept) > 1 and best.cost.ranked_by <= min(kept):
        return tr(
            "{chosen} is the cheapest, {sure} sure, of {count} options that keep all limits",
            chosen=chosen,
            sure=percent(asked_confidence(context.spec)),
            count=whole(len(kept)),
        )
    if len(kept) == count:
        return tr(
            "{chosen} is chosen from {options} options, which all keep the limits", chosen=chosen, options=whole(count)
        )
    return trn(
        "{chosen} is chosen from {options} options, of which {count} keeps all limits",
        "{chosen} is chosen from {options} options, of which {count} keep all limits",
        len(kept),
        chosen=chosen,
        options=whole(count),
        count=whole(len(kept)),
    )


def _option_row(context: Context, option: Option, *, signs: bool, limits: bool) -> tuple[Cell, ...]:
    total = option.cost.total.expected
    place = provider(option.offer.provider) if option.offer else terms(option)
    first = option.serving.ttft_ms.p95 if option.serving and _online(context) else None
    shown = f"{significant(first.expected)} ms" if first else days(option.days.expected)
    return (
        Cell(text=option_name(option), tone="strong" if option is context.best else "plain"),
        Cell(text=place),
        Cell(text=terms(option)),
        Cell(text=shown),
        Cell(text=context.money.bare(total), value=total),
        sure_cell(context, option),
        *((signed_cell(context, option),) if signs else ()),
        *((limits_cell(option),) if limits else ()),
    )


def _refused(context: Context, decision: Decision) -> Slide:
    items = tuple(fact.text for fact in decision.facts if fact.key in ("missed", "needed") and fact.text)
    return Slide(
        id="decision",
        headline=decision.sentence,
        layout="split",
        blocks=(decision.figures, Bullets(items=items)) if items else (decision.figures,),
        notes=tr("Source: {source}.", source=source(context)),
    )


def _left_out(context: Context) -> Slide | None:
    groups = context.answer.rejected[:MAX_SLIDE_ROWS]
    if not groups:
        return None
    table = Table(
        id="slide-left-out",
        caption=tr("What was left out, by reason"),
        columns=(
            Column(title=tr("Reason"), share=2.0),
            Column(title=tr("Left out"), align="right", share=0.8),
            Column(title=tr("Nearest miss"), share=2.2),
        ),
        rows=tuple(
            (
                Cell(text=upper_first(told(g.reason, 200))),
                Cell(text=told(counted(g), 60), value=g.count),
                Cell(text=upper_first(told(g.nearest, 200))),
            )
            for g in groups
        ),
    )
    return Slide(
        id="left-out",
        headline=tr("Left out: {left_out}", left_out=told(left_out(context.answer.rejected), 180)),
        layout="one",
        blocks=(table,),
        notes=tr("Source: {source}.", source=source(context)),
    )
