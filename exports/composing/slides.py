"""The deck: one finding per slide, with a chart, a table or a few points, and the sources in the notes."""

from __future__ import annotations

from dataclasses import replace

from engine.answer import Option
from exports.composing.ask import asked, signs, term
from exports.composing.chart_slides import (
    cash_by_month,
    cost,
    design,
    drivers,
    first_sentences,
    front,
    own,
    source,
    state_notes,
    time,
)
from exports.composing.context import Context, option_name, provider, seller, terms
from exports.composing.hazards import hazards
from exports.composing.kinds import PRINTED
from exports.composing.levers import lever_slide
from exports.composing.next_steps import next_steps
from exports.composing.options import distinct, limits_cell, sure_cell, sure_column
from exports.composing.proportion import told_to_a_board
from exports.composing.risk_rows import risk_slide_table
from exports.composing.signed import signed_cell, signed_column, whole_signed
from exports.composing.words import told
from exports.document import (
    MAX_BOARD,
    MAX_HEADLINE,
    MAX_SLIDE_BULLET,
    MAX_SLIDE_BULLETS,
    MAX_SLIDE_ROWS,
    Block,
    Bullets,
    Cell,
    Column,
    Decision,
    Slide,
    Table,
    slide_cell,
)
from exports.numbers import percent, whole
from exports.text import clauses, shorten, upper_first
from exports.wording import tr, trn
from planner.counting import computed, counted, left_out
from planner.promises import asked_confidence

_WORD = 34
"""Longest unbroken word on a slide; longer ones are cut, since a box cannot break them."""


def slides(context: Context, decision: Decision) -> tuple[Slide, ...]:
    """At most eight slides for a board, and the physics behind them as an appendix; fewer for a small sum, or when nothing is feasible."""
    cover = Slide(id="cover", headline=context.name, layout="cover", notes=state_notes(context))
    rows: tuple[Slide | None, ...]
    appendix: tuple[Slide | None, ...] = ()
    if context.best is None:
        rows = (_refused(context, decision), front(context), _left_out(context), next_steps(context, decision))
    else:
        best = context.best
        rows = (
            _decision(context, decision),
            _signed(context, best),
            _options(context, best),
            front(context),
            *lever_slide(context),
            cost(context, best),
            cash_by_month(context, best),
            own(context, best),
            _risks(context, best),
            next_steps(context, decision),
        )
        appendix = (drivers(context, best), design(context, best), time(context, best))
    board = _short(context, [cover, *(row for row in rows if row)])
    appendix = (*(row for row in lever_slide(context) if all(one.id != row.id for one in board)), *appendix)
    behind = [replace(row, headline=tr("Appendix: {headline}", headline=row.headline)) for row in appendix if row]
    return tuple(_fitted(slide) for slide in _distinct(told_to_a_board(context, board, behind)))


def _short(context: Context, found: list[Slide]) -> list[Slide]:
    """At most eight slides: what page 1 says in a sentence goes first, and never the argument for buying; the cash by month stands
    among what is signed."""
    bought = context.best is not None and context.best.kind == "on_prem"
    for name in ("front", "cash", "levers") if bought else ("own", "front", "cash"):
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
        limits = [slide_cell(block, index) for index in range(len(block.columns))]
        rows = tuple(
            tuple(
                replace(cell, text=fit(clauses(cell.text, limit), limit))
                for cell, limit in zip(row, limits, strict=True)
            )
            for row in block.rows
        )
        return replace(block, rows=rows[:MAX_SLIDE_ROWS])
    return block


def fit(text: str, limit: int) -> str:
    """The text within that many characters, no word longer than a box is wide."""
    return shorten(" ".join(shorten(word, _WORD) for word in text.split(" ")), limit)


def _decision(context: Context, decision: Decision) -> Slide:
    wanted = ("ask", "finish", "cost", "hosted", "rejected", "next")
    items = tuple(
        first_sentences(f"{fact.label}: {fact.text}") for key in wanted for fact in decision.facts if fact.key == key
    )
    # The other risks, and what moves the cost, are in the notes of their own slide.
    rows = (fact for fact in decision.facts if not fact.key.startswith("risk_") and fact.key != "drivers")
    notes = "\n".join(f"{fact.label}: {fact.text}" for fact in rows)
    blocks = (decision.figures, Bullets(items=items))
    return Slide(id="decision", headline=_verdict(context), layout="split", blocks=blocks, notes=notes)


def _signed(context: Context, best: Option) -> Slide:
    """What is signed, row by row as on page 1, beneath what was asked for."""
    rows = ((tr("Request"), asked(context)), *((fact.label, fact.text) for fact in signs(context)))
    table = Table(
        id="slide-signed",
        caption=tr("What you sign"),
        columns=(Column(title=tr("Point"), share=1.0), Column(title=tr("In this plan"), share=4.6)),
        rows=tuple((Cell(text=label, tone="strong"), Cell(text=text)) for label, text in rows),
    )
    return Slide(
        id="signed",
        headline=_signs_whole(context, best),
        layout="one",
        blocks=(table,),
        notes="\n".join((*(f"{label}: {text}" for label, text in rows), state_notes(context))),
    )


def _signs_whole(context: Context, best: Option) -> str:
    """What is signed, in a headline; what draws a commitment is signed already, and the rows say how much."""
    signed = best.cost.signed
    if signed.drawn:
        return tr("What you sign")
    if not signed.total:
        return tr("What you sign: nothing beyond the hours that are used")
    return tr("What you sign: {whole}", whole=whole_signed(context, best))


def _risks(context: Context, best: Option) -> Slide | None:
    """What could go wrong: chance times money, who owns it, and what it would mean."""
    table = risk_slide_table(context, best)
    if table is None:
        return None
    notes = "\n".join(f"{row.label}: {row.text}" for row in hazards(context, best))
    return Slide(
        id="risks",
        headline=tr("Risks by chance times money, with who owns them"),
        layout="one",
        blocks=(table,),
        notes=f"{notes}\n{tr('Source: {source}.', source=source(context))}",
    )


def _verdict(context: Context) -> str:
    """The decision in one line: how much, how long, with what."""
    best = context.best
    assert best is not None
    cost, signed = context.money.amount(best.cost.total.expected), best.cost.signed
    if signed.drawn:  # what of it a commitment pays stands among the figures below
        cost = tr("{cost} of new money", cost=cost)
    span = PRINTED[best.work].lasting(best) or term(context, best)
    if signed.rest:
        span += tr(", {whole} to sign", whole=context.money.amount(signed.total))
    return f"{cost}{span}: {option_name(best)} {seller(best)}"


def _pace_title(context: Context) -> str:
    return PRINTED[context.kind].speed_title(context)


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
    shown = PRINTED[context.kind].speed_text(option)
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
