"""What was asked for and what page 1 asks to be approved: the sentences that pages and API use, in the words of documents."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.context import Context
from exports.numbers import days, exact, long_date, percent, scaled
from exports.text import clean_text
from exports.wording import tr, trn
from planner.asked import Voice, approval_text, covered_months, covers, request_text


def ask(context: Context) -> str:
    """What to approve or to sign."""
    return approval_text(context.plan, _voice(context))


def asked(context: Context) -> str:
    """What was asked for."""
    return request_text(context.plan, _voice(context))


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
