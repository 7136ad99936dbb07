"""What was asked for and what page 1 asks to be approved: the sentences that pages and API use, in the words of documents."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.context import Context, option_name
from exports.document import Fact
from exports.numbers import days, exact, long_date, percent, scaled
from exports.text import clean_text
from exports.wording import tr, trn
from planner.asked import Issue, Voice, approval_text, covered_months, covers, ordered, request_text, signs_of, tax_text
from planner.asked.backing import backing_short, backing_text


def ask(context: Context) -> str:
    """What to approve or to sign."""
    return approval_text(context.plan, _voice(context))


def asked(context: Context) -> str:
    """What was asked for."""
    return request_text(context.plan, _voice(context))


_ON_PAGE_ONE = ("committed", "valid")
"""Rows of what is signed that page 1 has not said already in its other rows."""


def signs(context: Context, best: Option) -> tuple[Fact, ...]:
    """What is signed, in one row: owed, and valid until. None where nothing is owed beyond the hours that are used, and nothing
    draws a commitment."""
    if not (best.cost.signed.total or best.cost.signed.drawn):
        return ()
    rows = [row for row in signs_of(context.plan, _voice(context), Issue()) if row.key in _ON_PAGE_ONE]
    text = " ".join(f"{row.label}: {row.text.rstrip('.')}." for row in rows)
    return (Fact(key="signs", label=tr("What is signed"), text=text),)


def taxes(context: Context, best: Option) -> str:
    """What of the sums is tax, where any was stated."""
    return tax_text(context.spec, best, _voice(context)) if context.spec.taxes else ""


def backing(context: Context) -> str:
    """On which kind of price what is paid rests; empty in plans made before that was kept."""
    return backing_text(context.plan, _voice(context))


def backing_in_short(context: Context) -> str:
    """The same in a few words."""
    return backing_short(context.plan, _voice(context))


def machines(context: Context, best: Option) -> str:
    """What is ordered of hardware that is bought."""
    return ordered(best, _voice(context)) or option_name(best)


def term(context: Context, best: Option) -> str:
    """“ over 12 months”, “ for 1 million requests”: what a service's cost covers."""
    return covers(context.spec, best, _voice(context))


def months(context: Context, best: Option) -> float:
    """How many months the cost of a service covers."""
    return covered_months(context.spec, best)


def _voice(context: Context) -> Voice:
    return Voice(
        tr=tr,
        trn=trn,
        amount=context.money.amount,
        number=exact,
        scaled=scaled,
        percent=percent,
        days=days,
        day=long_date,
        name=_name,
    )


def _name(text: str) -> str:
    return clean_text(text, 40)
