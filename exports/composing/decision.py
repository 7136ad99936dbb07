"""Page 1: what is asked, what it costs, when it ends, how sure, what else was possible, what could go wrong."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from engine.answer import Money, Option, Percentiles, ServingResult
from engine.inputs.finding import Finding
from engine.inputs.kind import PerKind
from exports.composing.ask import ask, asked, months, signs
from exports.composing.certainty import certainty_fact
from exports.composing.context import (
    Context,
    layout,
    option_name,
    place_of,
    seller,
    servers,
    state_text,
    terms,
    where,
)
from exports.composing.drivers import driver_text
from exports.composing.figures import figures
from exports.composing.finish import finish
from exports.composing.gate import gate_fact
from exports.composing.latencies import latencies
from exports.composing.levers import lever_fact
from exports.composing.next_steps import next_fact
from exports.composing.price_evidence import evidence
from exports.composing.refusal import refusal
from exports.composing.risk_rows import SINGLE, hazard_facts
from exports.composing.rivals import break_even, rejected, rejected_label
from exports.composing.scope import scope
from exports.composing.service_hazards import room_fact
from exports.composing.signed import new_money, whole_signed, with_drawn
from exports.composing.standing import standing_fact
from exports.composing.things import many, whole_answers
from exports.composing.words import told
from exports.document import Decision, Fact, Tone
from exports.numbers import (
    band,
    chance,
    days,
    exact,
    long_date,
    plural,
    scaled,
    significant,
)
from exports.text import CELL_LIMIT, clean_text, upper_first
from exports.wording import mark, tr
from planner.asked.kinds import WORK, served
from planner.promises import asked_confidence, promise_chance

MOST_DRIVERS = 3
_ROWS, _LINES, _LINE = 19, 34, 100
"""Rows and lines of facts that page 1 has room for, and about how many small letters one holds."""
_OTHER_SCRIPTS = 0x2E7F
BOUGHT_BY, IDLE = "reason.bought_by", "reason.idle"
_YIELD = ("drivers", "evidence", "break_even", "scope", "levers")
"""Rows that give way on page 1, the first one first: one decides without them, and they open the chapters. Then the least risks."""


def decision(context: Context) -> Decision:
    """The decision block of that plan."""
    best = context.best
    if best is None:
        return refusal(context, _state(context))
    facts = (
        Fact(key="ask", label=tr("Ask"), text=ask(context), tone="strong"),
        *gate_fact(context),
        Fact(key="request", label=tr("Request"), text=asked(context)),
        *signs(context),
        Fact(key="recommendation", label=tr("Recommendation"), text=_recommendation(best)),
        _SPEED[context.kind](context, best),
        *standing_fact(best),
        *room_fact(context, best),
        _cost(context, best),
        *certainty_fact(context, best),
        Fact(key="scope", label=tr("In the sum"), text=scope(context, best)),
        *lever_fact(context),
        Fact(key="rejected", label=rejected_label(context, best), text=rejected(context, best)),
        Fact(key="break_even", label=tr("Rent or own"), text=break_even(context, best)),
        *_hosted(best),
        Fact(key="drivers", label=tr("Biggest drivers"), text=_drivers(context)),
        *hazard_facts(context, best),
        next_fact(context, best),
        _evidence(context, best),
        Fact(key="state", label=tr("State"), text=_state(context)),
    )
    memo, further = _fitting([fact for fact in facts if fact.text])
    return Decision(
        sentence=_sentence(context, best), figures=figures(context, best), facts=(*memo, *further), first=len(memo)
    )


def _hosted(best: Option) -> tuple[Fact, ...]:
    """The hosted API that the request names, beside this option: who asks for it decides by it."""
    found = WORK[best.work].hosted(best)
    return (Fact(key="hosted", label=tr("Hosted API"), text=told(found, CELL_LIMIT)),) if found else ()


def _fitting(facts: list[Fact]) -> tuple[list[Fact], list[Fact]]:
    """The rows that page 1 has room for, and those that it has none for: first what one decides without, then risks but for the three
    largest and the first of unknown weight."""
    kept = 2 if any(fact.key == "gate" for fact in facts) else 3  # after the first; two stages take the room of one
    least = [fact.key for fact in reversed(facts) if fact.key.startswith("risk_")][:-kept]
    single = next((f"risk_{kind}" for kind in SINGLE if f"risk_{kind}" in least), "")
    risks = [key for key in least if key != single]
    memo = list(facts)
    for key in (*_YIELD, *risks):
        if len(memo) <= _ROWS and sum(ceil(_width(fact.text) / _LINE) for fact in memo) <= _LINES:
            break
        memo = [fact for fact in memo if fact.key != key]
    return memo, [fact for fact in facts if fact not in memo]


def _width(text: str) -> float:
    """About how many small letters the text is long: capitals and signs of other scripts are wider."""
    return sum(1.75 if letter.isupper() or ord(letter) > _OTHER_SCRIPTS else 1.0 for letter in text)


def _evidence(context: Context, best: Option) -> Fact:
    """Whether measurements stand behind the speed, and which prices behind the cost; in one row, for page 1 is full."""
    found = best.evidence
    tone: Tone = "warning" if found and found.doubtful else "plain"
    texts = (told(found.told, 300) if found else "", evidence(context))
    return Fact(key="evidence", label=tr("Evidence"), text=" ".join(text for text in texts if text), tone=tone)


def _sentence(context: Context, best: Option) -> str:
    money = new_money(context, best)
    if best.cost.signed.rest:
        money = tr("{cost}, with {whole} to sign", cost=money, whole=whole_signed(context, best))
    return _SENTENCES[context.kind](context, best, money)


def _batch_sentence(context: Context, best: Option, money: str) -> str:
    return tr(
        "{model} can answer {requests} {things} in {days} on {option} {seller}, for {money}.",
        model=context.model,
        days=days(best.days.expected),
        requests=scaled(context.asked_batch.requests),
        things=many(context.answer.model.counts) if whole_answers(context) else tr("requests"),
        option=option_name(best),
        seller=seller(best),
        money=money,
    )


def _service_sentence(context: Context, best: Option, money: str) -> str:
    assert best.serving is not None  # of a service
    share = best.serving.spare_replicas
    spare = tr(", {replicas} included", replicas=plural(share, "spare replica")) if share else ""
    span = " " + tr("over {months}", months=plural(months(context, best), "month"))
    likely = promise_chance(best, context.spec)
    return tr(
        mark(
            "{model} can be served on {option} {seller}{spare}, for {money}{span}; the availability that is asked is missed."
        )
        if not best.up_enough
        else mark("{model} can be served on {option} {seller}{spare}, for {money}{span}.")
        if likely is None
        else mark("{model} can be served as promised on {option} {seller}{spare}, for {money}{span}.")
        if likely >= asked_confidence(context.spec)
        else mark(
            "{model} can be served on {option} {seller}{spare}, for {money}{span}; "
            "the promised latency is kept with a chance of {chance}."
        ),
        model=context.model,
        option=option_name(best),
        seller=seller(best),
        spare=spare,
        money=money,
        span=span,
        chance=chance(likely or 0.0),
    )


def _run_sentence(context: Context, best: Option, money: str) -> str:
    when = tr(", by {finish}", finish=long_date(best.finish)) if best.finish else ""
    work = tr(
        "{model} can be trained in {days} on {option} {seller}",
        model=context.model,
        days=days(best.days.expected),
        option=option_name(best),
        seller=seller(best),
    )
    return tr("{work}{when}, for {money}.", work=work, when=when, money=money)


_SENTENCES: PerKind[Callable[[Context, Option, str], str]] = {
    "run": _run_sentence,
    "service": _service_sentence,
    "batch": _batch_sentence,
}


def _recommendation(best: Option) -> str:
    place = f"{place_of(best)}, {terms(best)}" if best.offer else where(best)
    shape = f"{option_name(best)} ({servers(best)}): {layout(best)}, {best.precision.upper()}"
    return f"{shape}. {upper_first(place)}. {told(_taken_by(best))}".rstrip()


def _taken_by(best: Option) -> tuple[Finding, ...]:
    """Which promise takes the hardware, whole machines among them; else what only whole machines leave idle."""
    taken = tuple(reason for reason in best.reasons if reason.code.startswith(BOUGHT_BY))
    return taken or tuple(reason for reason in best.reasons if reason.code == IDLE)


def _promise(context: Context, best: Option) -> Fact:
    parts = [_latency(label, row, limit) for _, label, row, limit in latencies(context, best)]
    tone: Tone = "good" if all(kept for _, kept in parts) else "warning"
    return Fact(key="finish", label=tr("Latency"), text=" ".join(text for text, _ in parts), tone=tone)


_SPEED: PerKind[Callable[[Context, Option], Fact]] = {"run": finish, "service": _promise, "batch": finish}
"""When it is done, or how soon it answers."""


def _latency(name: str, row: Percentiles, limit: float) -> tuple[str, bool]:
    value = row.p95
    text = tr(
        "{name} at p95: {value}\u00a0ms (80% band {band})",
        name=name,
        value=significant(value.expected),
        band=band(value.low, value.high),
    )
    if not limit:
        return f"{text}.", True
    if value.high <= limit:
        return tr(
            "{text}; promised {limit}\u00a0ms: kept even at the pessimistic end.", text=text, limit=exact(limit)
        ), True
    if value.expected <= limit:
        return tr(
            "{text}; promised {limit}\u00a0ms: kept at central values, not at the pessimistic end.",
            text=text,
            limit=exact(limit),
        ), False
    return tr("{text}; promised {limit}\u00a0ms: not kept.", text=text, limit=exact(limit)), False


def _shares(context: Context, serving: ServingResult, month: Money) -> str:
    """That cost by month and by token: both kinds together carry it, so neither price is told alone."""
    money, incoming = context.money, serving.price_per_million_input.expected
    monthly, price = money.amount(month.expected), money.price(serving.price_per_million_output.expected)
    if whole_answers(context):
        things = many(context.answer.model.counts)
        return tr(
            "That is {cost} a month, and {price} for a million {things}.", cost=monthly, price=price, things=things
        )
    if not incoming:
        return tr("That is {cost} a month, and {price} for a million output tokens.", cost=monthly, price=price)
    return tr(
        "That is {cost} a month: {incoming} for a million input tokens and {price} for a million output tokens.",
        cost=monthly,
        incoming=money.price(incoming),
        price=price,
    )


def _cost(context: Context, best: Option) -> Fact:
    money, total = context.money, best.cost.total
    text = f"{money.banded(total)}."
    if best.cost.signed.drawn:
        text = tr(
            "{banded} of new money; {drawn} draw a commitment that is paid anyway.",
            banded=money.banded(total),
            drawn=money.amount(best.cost.signed.drawn),
        )
    if monthly := WORK[best.work].monthly(best):
        text += " " + _shares(context, served(best), monthly) + with_drawn(context, best)
    limit = context.budget
    if not limit:
        return Fact(key="cost", label=tr("Cost"), text=tr("{text} No budget was set.", text=text))
    tone: Tone = "good"
    if best.cost.signed.rest and context.spec.constraints.budget_basis != "allocated":
        words, tone = _of_signed(context, best, limit)
    elif total.high <= limit:
        words = tr("kept, with {amount} to spare even at the pessimistic end", amount=money.rounded(limit - total.high))
    elif total.expected <= limit:
        words, tone = (
            tr(
                "kept at central values, exceeded by {amount} at the pessimistic end",
                amount=money.rounded(total.high - limit),
            ),
            "warning",
        )
    else:
        words, tone = tr("exceeded by {amount}", amount=money.rounded(total.expected - limit)), "bad"
    return Fact(
        key="cost",
        label=tr("Cost"),
        text=tr("{text} Budget {limit}: {held}.", text=text, limit=money.amount(limit), held=words),
        tone=tone,
    )


def _of_signed(context: Context, best: Option, limit: float) -> tuple[str, Tone]:
    """Whether the budget holds all that is signed, though other work carries a part of its cost."""
    money, needed = context.money, best.cost.cash_needed
    words = {"needed": money.amount(needed), "whole": whole_signed(context, best)}
    if needed > limit:
        amount = money.rounded(needed - limit)
        return tr("exceeded by {amount}, since it must hold {needed}: {whole} among it", amount=amount, **words), "bad"
    amount = money.rounded(limit - needed)
    return tr(
        "kept, with {amount} to spare after the {needed} that it must hold: {whole} among it", amount=amount, **words
    ), "good"


def _drivers(context: Context) -> str:
    rows = context.answer.drivers[:MOST_DRIVERS]
    return "; ".join(driver_text(row, context) for row in rows) + "." if rows else ""


def _state(context: Context) -> str:
    release, engine = clean_text(context.answer.catalog_release[:12], 12), clean_text(context.answer.engine_version, 20)
    return tr(
        "{state}. Plan {plan}, catalog {release}, engine {engine}.",
        state=state_text(context.release),
        plan=context.plan.short_hash,
        release=release,
        engine=engine,
    )
