"""What was asked for and what page 1 asks to be approved: the sentences that pages and API use, in the words of documents."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.context import Context, option_name
from exports.composing.words import named
from exports.document import Fact
from exports.numbers import days, exact, long_date, percent, scaled
from exports.text import clean_text
from exports.wording import tr, trn
from planner.asked import Sign, Voice, approval_text, covered_months, covers, ordered, request_text, signs_of, tax_text
from planner.asked.backing import backing_short, backing_text
from planner.asked.certificates import certificates_short


def ask(context: Context) -> str:
    """What to approve or to sign."""
    return approval_text(context.plan, voice_of(context))


def asked(context: Context) -> str:
    """What was asked for."""
    return request_text(context.plan, voice_of(context))


_BESIDE = {
    "tax": "committed",
    "backing": "prices",
    "certificates": "prices",
    "cost_centre": "valid",
    "owner": "valid",
    "approver": "valid",
    "issued": "valid",
}
"""Rows of what is signed that are told at the end of another one, as a page and a slide have room for six; where this work carries all of
it, that as well."""


def signs(context: Context) -> tuple[Fact, ...]:
    """What is signed, by the rows that page, share link and API have: owed, cash by month, this work's share and who carries the rest,
    leaving early, age of prices, and until when it holds with owner, approver and day of issue. None where nothing is feasible."""
    rows = [row for row in signs_of(context.plan, voice_of(context), context.issue) if not _stale(context, row)]
    places = _BESIDE if context.best and context.best.cost.signed.rest else {**_BESIDE, "share": "cash"}
    beside: dict[str, list[str]] = {}
    for row in rows:
        if row.key in places:
            beside.setdefault(places[row.key], []).append(_short(context, row))
    return tuple(
        Fact(
            key=f"sign_{row.key}",
            label=row.label,
            text=" ".join((f"{row.text.rstrip('.')}.", *beside.get(row.key, ()))),
        )
        for row in rows
        if row.key not in places
    )


def _short(context: Context, row: Sign) -> str:
    """“Owner: Petra.”; what prices rest on in a few words, of which a chapter has the reasons."""
    if row.key == "backing":
        return backing_short(context.plan, voice_of(context))
    if row.key == "certificates":
        return certificates_short(context.plan, voice_of(context))
    return f"{row.label}: {row.text.rstrip('.')}."


def _stale(context: Context, row: Sign) -> bool:
    """Is it that nobody has approved, in a document whose state says that somebody has?"""
    approved = context.release.state in ("approved", "superseded")
    return row.key == "approver" and approved and not context.issue.approver


def taxes(context: Context, best: Option) -> str:
    """What of the sums is tax, where any was stated."""
    return tax_text(context.spec, best, voice_of(context)) if context.spec.taxes else ""


def backing(context: Context) -> str:
    """On which kind of price what is paid rests; empty in plans made before that was kept."""
    return backing_text(context.plan, voice_of(context))


def machines(context: Context, best: Option) -> str:
    """What is ordered of hardware that is bought."""
    return ordered(best, voice_of(context)) or option_name(best)


def term(context: Context, best: Option) -> str:
    """“ over 12 months”, “ for 1 million requests”: what a service's cost covers."""
    return covers(context.spec, best, voice_of(context))


def months(context: Context, best: Option) -> float:
    """How many months the cost of a service covers."""
    return covered_months(context.spec, best)


def voice_of(context: Context) -> Voice:
    """How documents speak the sentences that they share with pages and API."""
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
        thing=named,
    )


def _name(text: str) -> str:
    return clean_text(text, 40)
