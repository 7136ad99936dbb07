"""A request for quotation as a Word or PDF file: one letter to one seller, in the look of the team that sends it."""

from __future__ import annotations

from importlib import import_module

from exports.brand import OURS, Brand, in_use, using
from exports.compose import AUTHOR
from exports.composing.context import currency_of
from exports.composing.words import named
from exports.document import Bullets, Cell, Column, Decision, Document, KeyFigures, Paragraph, Table
from exports.numbers import days, exact, long_date, percent, scaled
from exports.text import clean_text, file_name
from exports.wording import spoken, tr, trn
from planner.asked import Voice
from planner.frozen.snapshot import Plan
from planner.quotation.asks import Ask
from planner.quotation.letter import Letter, Terms, letter_of

FORMATS = ("docx", "pdf")
_LONGEST = 1000


def render_letter(plan: Plan, ask: Ask, terms: Terms, format_: str, *, brand: Brand = OURS, paper: str = "") -> bytes:
    """The file's bytes; equal requests give equal ones. KeyError for a format that is none of a letter."""
    if format_ not in FORMATS:
        raise KeyError(f"“{format_}” is not one of {', '.join(FORMATS)}.")
    with using(brand):
        letter = letter_of(plan, ask, terms, letter_voice(plan))
        data: bytes = import_module(f"exports.writers.{format_}").write(
            document_of(letter, terms), paper=paper or brand.paper
        )
        return data


def letter_name(ask: Ask, terms: Terms, format_: str) -> str:
    """The file's name: the reference and the seller."""
    return f"{file_name(f'{terms.reference} {ask.seller}')}.{format_}"


def letter_voice(plan: Plan) -> Voice:
    """The voice of documents, in which remarks of the sender keep their length."""
    return Voice(
        tr=tr, trn=trn, amount=currency_of(plan).amount, number=exact, scaled=scaled, percent=percent, days=days,
        day=long_date, name=_name, thing=named,
    )  # fmt: skip


def _name(text: str) -> str:
    return clean_text(text, _LONGEST)


def document_of(letter: Letter, terms: Terms) -> Document:
    """The letter as the writers print it: nothing of the plan that it was made from is in it."""
    return Document(
        title=tr("Request for quotation"),
        subtitle=tr("{reference}, {date}", reference=terms.reference, date=long_date(terms.sent)),
        plan_hash="",
        short_hash="",
        state="draft",
        state_text=terms.reference,
        feasible=True,
        language=spoken().language or in_use().writes.language,
        currency="",
        created=terms.sent,
        author=AUTHOR,
        subject=letter.subject,
        keywords=(terms.reference,),
        footer=" · ".join(part for part in (clean_text(in_use().footer, 60), terms.reference) if part),
        file_stem=file_name(terms.reference),
        decision=Decision(sentence="", figures=KeyFigures(items=()), facts=()),
        sections=(),
        slides=(),
        sheets=None,
        letter=(
            Paragraph(text=letter.opening, role="lead"),
            _table("asked", tr("What is asked for"), letter.rows),
            Paragraph(text=tr("Please answer:")),
            Bullets(items=letter.questions, ordered=True),
            _table("answer", tr("Your answer"), tuple((blank, "") for blank in letter.blanks)),
            *(Paragraph(text=text) for text in letter.closing),
        ),
    )


def _table(name: str, caption: str, rows: tuple[tuple[str, str], ...]) -> Table:
    return Table(
        id=name,
        caption=caption,
        columns=(Column(title=tr("Item"), share=1.0), Column(title=tr("Text"), share=2.6)),
        rows=tuple((Cell(text=label, tone="strong"), Cell(text=text)) for label, text in rows),
    )
