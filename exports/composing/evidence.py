"""Assumptions, sources and the words used."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from engine.answer import CostInput, Option
from engine.inputs.currency import in_unit, is_dollars
from engine.inputs.origin import Origin, told_by
from exports.composing.assumptions import assumptions, range_of
from exports.composing.basis import basis
from exports.composing.context import Context, day_of, provider, region, terms, terms_cell, text_cell, where
from exports.document import MAX_TABLE_ROWS, Block, Bullets, Cell, Column, Paragraph, Section, Source, Table
from exports.numbers import NBSP, exact, input_value, long_date, measured, plural, significant, unit_of, whole
from exports.text import SENTENCE_LIMIT, clean_text, percents
from exports.wording import label, mark, sourced, tr, unit_words
from planner.asked.glossary import words_for

MOST_PRICES = 12
_SHORT_SOURCE = 24
_COMPUTED = ("plan", "plan.load", "engine", "engine.poisson")
"""Grounds of inputs that nobody gave."""
"""Characters of a source that is no longer than its number would be worth."""


@dataclass(frozen=True, kw_only=True)
class Citations:
    """Sources of a chapter, each printed once: tables refer to them by number, in the order of first mention."""

    numbers: dict[str, int]

    def cite(self, source: Origin) -> Cell:
        """The number of that source; a word or two, such as “plan”, are printed as they are."""
        text = percents(sourced(source, 400))
        if len(text) <= _SHORT_SOURCE:
            return Cell(text=text)
        return Cell(text=f"[{self.numbers.setdefault(text, len(self.numbers) + 1)}]")

    def section(self) -> Section | None:
        """The list that the numbers stand for."""
        if not self.numbers:
            return None
        return Section(
            id="cited",
            title=tr("Sources of prices and inputs"),
            blocks=(Bullets(items=tuple(self.numbers), ordered=True),),
        )


def evidence(context: Context) -> Section:
    """The chapter on assumptions and sources."""
    answer = context.answer
    lead = tr(
        "Prices and hardware facts are those of the catalog of {date} (release {release}); the estimate was "
        "made by engine version {version}. Everything else is an assumption, listed with its "
        "range and source.",
        date=long_date(context.catalog_day),
        release=clean_text(answer.catalog_release[:12], 12),
        version=clean_text(answer.engine_version, 20),
    )
    blocks: list[Block] = [Paragraph(text=lead, role="lead")]
    cited = Citations(numbers={})
    sections = [
        basis(context.best),
        _prices(context, cited),
        _inputs(context, cited),
        cited.section(),
        assumptions(context),
    ]
    return Section(
        id="evidence",
        title=tr("Assumptions and sources"),
        blocks=tuple(blocks),
        sections=tuple(s for s in sections if s),
    )


def _prices(context: Context, cited: Citations) -> Section | None:
    offers = {option.offer.id: option for option in context.options if option.offer}
    if not offers:
        return None
    shown = [option for option in offers.values() if option.offer][:MOST_PRICES]
    hidden = len(offers) - len(shown)
    table = Table(
        id="prices",
        caption=tr("Prices used"),
        columns=(
            Column(title=tr("Offer"), share=2.6),
            Column(title=tr("Terms"), share=1.1),
            Column(title=tr("Price per instance-hour"), align="right", share=1.1),
            Column(title=tr("Date"), share=1.1),
            Column(title=tr("Source"), share=0.6),
        ),
        rows=tuple(_price_row(context, option, cited) for option in shown),
        note=" ".join(part for part in (_steps_note(context), _hidden_note(hidden)) if part),
    )
    return Section(id="prices", title=tr("Prices"), blocks=(table,))


def _steps_note(context: Context) -> str:
    """How the price of what is recommended came about, where terms were agreed."""
    steps = steps_of(context.best) if context.best else ""
    return tr("The recommended price: {steps}.", steps=steps) if steps else ""


def _hidden_note(hidden: int) -> str:
    return tr("The workbook lists {prices}.", prices=plural(hidden, "further price")) if hidden else ""


def steps_of(option: Option) -> str:
    """What led from the listed price of an instance-hour to the one that is paid, in order; nothing where that is the same."""
    words = {
        "list": mark("{price} USD listed"),
        "agreed": mark("{price} USD agreed"),
        "discount": mark("less {share} agreed: {price} USD"),
        "commitment": mark("less {share} for the spend commitment: {price} USD"),
    }
    return ", ".join(
        tr(words[one.step], price=exact(one.usd_per_hour), share=f"{exact(one.share * 100)}%")
        for one in (option.offer.steps if option.offer else ())
    )


def _price_row(context: Context, option: Option, cited: Citations) -> tuple[Cell, ...]:
    offer = option.offer
    assert offer is not None
    return (
        Cell(text=where(option)),
        terms_cell(option),
        Cell(
            text=context.money.price(context.money.of(offer.usd_per_hour)), value=context.money.of(offer.usd_per_hour)
        ),
        Cell(text=day_of(offer.price_date).replace(" ", NBSP)),
        cited.cite(offer.source),
    )


def _hash(release: str) -> str:
    """The whole hash, which is no word that a reader might miss the end of."""
    return release[:64] if release.isascii() and release.isalnum() else clean_text(release, 64)


def _given(item: CostInput) -> str:
    """The input as it was given; of one that was computed as many digits as say something."""
    computed = told_by(item.source, *_COMPUTED) and not float(item.value).is_integer()
    if computed and input_value(item.value, item.unit) == exact(item.value):
        return whole(item.value) if abs(item.value) >= 1000 else significant(item.value, 4)
    return input_value(item.value, item.unit)


def _inputs(context: Context, cited: Citations) -> Section | None:
    if context.best is None:
        return None
    rows = context.best.cost.model.inputs[:MAX_TABLE_ROWS]
    table = Table(
        id="inputs",
        caption=tr("Inputs of the cost model"),
        columns=(
            Column(title=tr("Input"), share=2.2),
            Column(title=tr("Value"), align="right", share=0.9),
            Column(title=tr("Range"), align="right", share=1.1),
            Column(title=tr("Unit"), share=1.1),
            Column(title=tr("Source"), share=0.9),
        ),
        rows=tuple(
            (
                text_cell(label(item.label)),
                Cell(text=_given(item), value=item.value),
                text_cell(range_of(item)),
                text_cell(unit_of(item.unit)),
                cited.cite(item.source),
            )
            for item in (in_money(item, context) for item in rows)
        ),
        note=tr("“plan” follows from the recommended layout, “engine” is computed, “request” was asked for."),
    )
    return Section(id="inputs", title=tr("Inputs of the cost model"), blocks=(table,))


def in_money(item: CostInput, context: Context) -> CostInput:
    """The input as a report tells it: a price that is asked in US dollars at the rate of the plan."""
    if not is_dollars(item.unit):
        return item
    low, value, high = (context.money.of(number) for number in (item.low, item.value, item.high))
    return replace(item, low=low, value=value, high=high, unit=in_unit(item.unit, context.money.code))


def sources(context: Context) -> tuple[Source, ...]:
    """Every value with its source, for the workbook."""
    answer, found = context.answer, []
    found.append(
        Source(
            kind="model",
            what=context.model,
            value=tr("{parameters} parameters", parameters=whole(answer.model.parameters)),
            source=clean_text(answer.model.source, 300),
        )
    )
    found.append(
        Source(
            kind="catalog",
            what=tr("Catalog release"),
            value=_hash(answer.catalog_release),
            source=tr("facts and prices with their own sources"),
            date=clean_text(answer.catalog_date, 20),
        )
    )
    for option in {option.offer.id: option for option in context.options if option.offer}.values():
        offer = option.offer
        assert offer is not None
        names = [
            clean_text(part, 60)
            for part in (provider(offer.provider), offer.instance, region(offer.region), terms(option))
        ]
        found.append(
            Source(
                kind="price",
                what=", ".join(name for name in names if name),
                value=tr("{price} USD per instance-hour", price=exact(offer.usd_per_hour)),
                source=clean_text("; ".join(part for part in (steps_of(option), sourced(offer.source)) if part), 400),
                date=clean_text(offer.price_date, 20),
            )
        )
    for item in context.best.cost.model.inputs if context.best else ():
        value = measured(_given(item), item.unit)
        found.append(
            Source(
                kind="input",
                what=label(item.label),
                value=clean_text(value, 60),
                source=sourced(item.source, 300),
                date=clean_text(item.date, 20),
            )
        )
    for assumption in answer.assumptions:
        value = f"{exact(assumption.value)} {unit_words(assumption.unit)}".strip()
        found.append(
            Source(
                kind="assumption",
                what=label(assumption.told, SENTENCE_LIMIT),
                value=clean_text(value, 60),
                source=sourced(assumption.source, 300),
            )
        )
    return tuple(found)


def glossary(context: Context, said: str) -> Section | None:
    """The words that this plan uses: those of its kind that stand in what it says."""
    known = words_for(context.kind, context.answer)
    rows = [(tr(one.word), tr(one.meaning)) for one in known if _used(tr(one.word), said)]
    if not rows:
        return None
    table = Table(
        id="glossary",
        caption=tr("Words used in this plan"),
        columns=(Column(title=tr("Word"), share=1.0), Column(title=tr("Meaning"), share=4.0)),
        rows=tuple((Cell(text=word, tone="strong"), Cell(text=meaning)) for word, meaning in rows),
    )
    return Section(id="glossary", title=tr("Glossary"), blocks=(table,))


_WORDS = re.compile(r"\w+")


def _used(words: str, said: str) -> bool:
    """Does any of those words stand in it? A short form as it is written, a word also at the start of a sentence or in the
    plural."""
    plain = said.replace(NBSP, " ")
    return any(
        word in _WORDS.findall(plain) or (" " in word and word in plain)
        if word[1:] != word[1:].lower()
        else word.casefold() in plain.casefold()
        for word in words.split(", ")
    )
