"""Page 1: what is asked, what it costs, when it ends, how sure, what else was possible, what could go wrong."""

from __future__ import annotations

from exports.composing.ask import ask, months
from exports.composing.context import (
    Context,
    layout,
    option_name,
    place_of,
    priced,
    seller,
    servers,
    state_text,
    terms,
    where,
)
from exports.composing.figures import SURE, figures
from exports.composing.finish import finish
from exports.composing.hazards import hazard_facts, room_fact
from exports.composing.price_evidence import evidence
from exports.composing.rivals import break_even, rejected, rejected_label
from exports.composing.scope import scope
from exports.composing.words import engine_text
from exports.document import Decision, Fact, KeyFigure, KeyFigures, Tone
from exports.numbers import (
    band,
    chance,
    days,
    exact,
    input_band,
    long_date,
    measured,
    plural,
    scaled,
    significant,
    whole,
)
from exports.text import clean_text, lower_first, upper_first
from exports.wording import mark, tr
from planner.engine.result import Driver, Option, Percentiles, ServingResult
from planner.promises import promise_chance

MOST_DRIVERS = 3


def decision(context: Context) -> Decision:
    """The decision block of that plan."""
    best = context.best
    if best is None:
        return _refusal(context)
    facts = (
        Fact(key="ask", label=tr("Ask"), text=ask(context, best), tone="strong"),
        Fact(key="recommendation", label=tr("Recommendation"), text=_recommendation(best)),
        finish(context, best) if context.batch or not context.serving else _promise(context, best),
        *room_fact(context, best),
        _cost(context, best),
        Fact(key="scope", label=tr("In the sum"), text=scope(context, best)),
        Fact(key="rejected", label=rejected_label(context, best), text=rejected(context, best)),
        Fact(key="break_even", label=tr("Break-even with owning"), text=break_even(best, context.spec.horizon_months)),
        Fact(key="drivers", label=tr("Biggest drivers"), text=_drivers(context)),
        *hazard_facts(context, best),
        Fact(key="evidence", label=tr("Price evidence"), text=evidence(context)),
        Fact(key="state", label=tr("State"), text=_state(context)),
    )
    return Decision(
        sentence=_sentence(context, best), figures=figures(context, best), facts=tuple(f for f in facts if f.text)
    )


def _refusal(context: Context) -> Decision:
    answer = context.answer
    changes = " ".join(engine_text(item.sentence, 200) for item in answer.nearest)
    reasons = [f"{_small(engine_text(item.reason, 120))} ({whole(item.count)})" for item in answer.rejected[:3]]
    facts = (
        Fact(
            key="ask",
            label=tr("Ask"),
            text=tr("Nothing to approve yet: the request has to change first."),
            tone="warning",
        ),
        Fact(key="needed", label=tr("What would make it feasible"), text=changes),
        Fact(key="rejected", label=tr("Why options were left out"), text=_sentence_of("; ".join(reasons))),
        Fact(key="evidence", label=tr("Price evidence"), text=evidence(context)),
        Fact(key="state", label=tr("State"), text=_state(context)),
    )
    items = [
        KeyFigure(
            label=tr("Options that keep all limits"),
            value="0",
            detail=tr("{searched} searched", searched=whole(answer.searched)),
            tone="bad",
        )
    ]
    items += [
        KeyFigure(
            label=_field(item.field),
            value=engine_text(item.needed, 30),
            detail=tr("asked: {now}", now=engine_text(item.now, 30)),
        )
        for item in answer.nearest[:3]
    ]
    return Decision(
        sentence=engine_text(answer.headline, 300) or tr("Nothing in the catalog keeps all limits of this request."),
        figures=KeyFigures(items=tuple(items)),
        facts=tuple(fact for fact in facts if fact.text),
    )


def _sentence_of(text: str) -> str:
    return f"{upper_first(text)}." if text else ""


def _small(reason: str) -> str:
    """A reason within a list: no full stop, no capital before a small letter."""
    return lower_first(reason.rstrip("."))


def _field(path: str) -> str:
    """“Deadline needed” of “constraints.deadline_days”."""
    words = clean_text(path, 60).rsplit(".", 1)[-1].removesuffix("_usd").removesuffix("_days").replace("_", " ")
    return tr("{field} needed", field=upper_first(words))


def _sentence(context: Context, best: Option) -> str:
    money = context.money.amount(best.cost.total.expected)
    if context.serving:
        share = best.serving.spare_replicas if best.serving else 0
        spare = tr(", {replicas} included", replicas=plural(share, "spare replica")) if share else ""
        if context.batch:
            return tr(
                "{model} can answer {requests} requests on {option} {seller} in {days}, for {money}.",
                model=context.model,
                days=days(best.days.expected),
                requests=scaled(context.batch.requests),
                option=option_name(best),
                seller=seller(best),
                money=money,
            )
        span = " " + tr("over {months}", months=plural(months(context, best), "month"))
        likely = promise_chance(best, context.spec)
        return tr(
            mark("{model} can be served as promised on {option} {seller}{spare}, for {money}{span}.")
            if likely is None or likely >= SURE
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
    when = tr(", by {finish}", finish=long_date(best.finish)) if best.finish and context.spec.start else ""
    work = tr(
        "{model} can be trained on {option} {seller}",
        model=context.model,
        option=option_name(best),
        seller=seller(best),
    )
    return tr("{work} in {days}{when}, for {money}.", work=work, days=days(best.days.expected), when=when, money=money)


def _recommendation(best: Option) -> str:
    place = f"{place_of(best)}, {terms(best)}" if best.offer else where(best)
    shape = f"{option_name(best)} ({servers(best)}): {layout(best)}, {best.precision.upper()}"
    return f"{shape}. {upper_first(place)}."


def _promise(context: Context, best: Option) -> Fact:
    serving, asked = best.serving, context.spec.serving
    if serving is None or asked is None:
        return Fact(key="finish", label=tr("Latency"), text="")
    parts = [
        _latency(tr("Time to first token"), serving.ttft_ms, asked.ttft_p95_ms),
        _latency(tr("Time per further token"), serving.tpot_ms, asked.tpot_p95_ms),
    ]
    tone: Tone = "good" if all(kept for _, kept in parts) else "warning"
    return Fact(key="finish", label=tr("Latency"), text=" ".join(text for text, _ in parts), tone=tone)


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
            "{text}; promised {limit}\u00a0ms: kept as expected, not at the pessimistic end.",
            text=text,
            limit=exact(limit),
        ), False
    return tr("{text}; promised {limit}\u00a0ms: not kept.", text=text, limit=exact(limit)), False


def _shares(context: Context, serving: ServingResult) -> str:
    """That cost by month and by token: both kinds together carry it, so neither price is told alone."""
    money, incoming = context.money, serving.usd_per_million_input.expected
    monthly, price = money.amount(serving.monthly.expected), money.price(serving.usd_per_million_output.expected)
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
    if best.serving and not context.batch:
        text += " " + _shares(context, best.serving)
    limit = context.spec.constraints.budget_usd
    if not limit:
        return Fact(key="cost", label=tr("Cost"), text=tr("{text} No budget was set.", text=text))
    tone: Tone = "good"
    purchase = best.cost.model.purchase_usd
    if purchase > total.expected:
        words, tone = _of_purchase(context, purchase, limit)
    elif total.high <= limit:
        words = tr("kept, with {amount} to spare even at the pessimistic end", amount=money.rounded(limit - total.high))
    elif total.expected <= limit:
        words, tone = (
            tr(
                "kept as expected, exceeded by {amount} at the pessimistic end",
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


def _of_purchase(context: Context, purchase: float, limit: float) -> tuple[str, Tone]:
    """Whether the budget holds hardware that is bought: all of it, though other work carries a part of its cost."""
    money = context.money
    if purchase > limit:
        return tr(
            "exceeded by {amount}, since it must hold the whole purchase of {purchase}",
            amount=money.rounded(purchase - limit),
            purchase=money.amount(purchase),
        ), "bad"
    return tr(
        "kept, with {amount} to spare after the whole purchase of {purchase}, which it must hold",
        amount=money.rounded(limit - purchase),
        purchase=money.amount(purchase),
    ), "good"


def driver_text(driver: Driver, context: Context) -> str:
    """““Price of one server-hour” over 20.30–26.30 USD/h: −USD 2,000 to +USD 1,340”."""
    first, last = sorted((driver.low_usd, driver.high_usd))
    return tr(
        "“{label}” over {ends}: {low} to {high}",
        label=priced(driver.label, context),
        ends=measured(input_band(driver.low_value, driver.high_value, driver.unit), driver.unit),
        low=_signed(context, first),
        high=_signed(context, last),
    )


def _signed(context: Context, usd: float) -> str:
    text = context.money.rounded(usd)
    return f"+{text}" if usd > 0 else text


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
