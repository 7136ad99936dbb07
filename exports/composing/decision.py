"""Page 1: what is asked, what it costs, when it ends, how sure, what else was possible, what could go wrong."""

from __future__ import annotations

from datetime import date

from exports.composing.context import Context, layout, option_name, seller, servers, state_text, terms, where
from exports.composing.figures import figures
from exports.composing.hazards import hazard_facts
from exports.composing.rivals import break_even, rejected, rejected_label
from exports.composing.words import engine_text
from exports.document import Decision, Fact, KeyFigure, KeyFigures, Tone
from exports.numbers import NBSP, band, chance, day_band, days, exact, long_date, plural, scaled, significant, whole
from exports.text import clean_text
from planner.engine.result import Driver, Option, Percentiles

MOST_DRIVERS = 3


def decision(context: Context) -> Decision:
    """The decision block of that plan."""
    best = context.best
    if best is None:
        return _refusal(context)
    facts = (
        Fact(key="ask", label="Ask", text=_ask(context, best), tone="strong"),
        Fact(key="recommendation", label="Recommendation", text=_recommendation(best)),
        _promise(context, best) if context.serving else _finish(context, best),
        _cost(context, best),
        Fact(key="rejected", label=rejected_label(context, best), text=rejected(context, best)),
        Fact(key="break_even", label="Break-even with owning", text=break_even(best, context.spec.horizon_months)),
        Fact(key="drivers", label="Biggest drivers", text=_drivers(context)),
        *hazard_facts(context, best),
        Fact(key="evidence", label="Price evidence", text=evidence(context)),
        Fact(key="state", label="State", text=_state(context)),
    )
    return Decision(
        sentence=_sentence(context, best), figures=figures(context, best), facts=tuple(f for f in facts if f.text)
    )


def _refusal(context: Context) -> Decision:
    answer = context.answer
    changes = " ".join(engine_text(item.sentence, 200) for item in answer.nearest)
    reasons = [f"{_small(engine_text(item.reason, 120))} ({whole(item.count)})" for item in answer.rejected[:3]]
    facts = (
        Fact(key="ask", label="Ask", text="Nothing to approve yet: the request has to change first.", tone="warning"),
        Fact(key="needed", label="What would make it feasible", text=changes),
        Fact(key="rejected", label="Why options were left out", text=_sentence_of("; ".join(reasons))),
        Fact(key="evidence", label="Price evidence", text=evidence(context)),
        Fact(key="state", label="State", text=_state(context)),
    )
    items = [
        KeyFigure(
            label="Options that keep all limits", value="0", detail=f"{whole(answer.searched)} searched", tone="bad"
        )
    ]
    items += [
        KeyFigure(
            label=_field(item.field), value=engine_text(item.needed, 30), detail=f"asked: {engine_text(item.now, 30)}"
        )
        for item in answer.nearest[:3]
    ]
    return Decision(
        sentence=engine_text(answer.headline, 300) or "Nothing in the catalog keeps all limits of this request.",
        figures=KeyFigures(items=tuple(items)),
        facts=tuple(fact for fact in facts if fact.text),
    )


def _sentence_of(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _small(reason: str) -> str:
    """A reason within a list: no full stop, no capital before a small letter."""
    text = reason.rstrip(".")
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _field(path: str) -> str:
    """“Deadline needed” of “constraints.deadline_days”."""
    words = clean_text(path, 60).rsplit(".", 1)[-1].removesuffix("_usd").removesuffix("_days").replace("_", " ")
    return f"{words[:1].upper()}{words[1:]} needed"


def _sentence(context: Context, best: Option) -> str:
    money = context.money.amount(best.cost.total.expected)
    if context.serving:
        share = best.serving.spare_replicas if best.serving else 0
        spare = f", {plural(share, 'spare replica')} included" if share else ""
        batch = context.spec.serving.batch if context.spec.serving else None
        if batch:
            return f"{context.model} can answer {scaled(batch.requests)} requests on {option_name(best)} {seller(best)}, for {money}."
        span = f" over {plural(months(context, best), 'month')}"
        return f"{context.model} can be served as promised on {option_name(best)} {seller(best)}{spare}, for {money}{span}."
    when = f", by {long_date(best.finish)}" if best.finish else ""
    work = f"{context.model} can be trained on {option_name(best)} {seller(best)}"
    return f"{work} in {days(best.days.expected)}{when}, for {money}."


def _ask(context: Context, best: Option) -> str:
    verb = {"cloud": "rent", "on_prem": "buy", "owned": "use"}[best.kind]
    money = context.money
    if best.serving:
        cost = f"{money.amount(best.cost.total.expected)}{term(context, best)}"
        return f"Approve {cost} to {verb} {option_name(best)} {_by_terms(best)}, from {long_date(context.start)}."
    run = f"a run of {days(best.days.expected)}, from {long_date(context.start)}"
    single = best.cost.final_run.expected > 0.995 * best.cost.total.expected
    more = "" if single else "; experiments and repeated runs are included"
    cost = money.amount(best.cost.total.expected)
    return f"Approve {cost} to {verb} {option_name(best)} {_by_terms(best)} for {run}{more}."


def term(context: Context, best: Option) -> str:
    """“ over 12 months”, “ for 1 million requests”: what a service's cost covers."""
    batch = context.spec.serving.batch if context.spec.serving else None
    if batch:
        return f" for {scaled(batch.requests)} requests"
    return f" over {plural(months(context, best), 'month')}"


def months(context: Context, best: Option) -> float:
    """How many months the cost of a service covers."""
    held = [item.value for item in best.cost.model.inputs if item.name == "months"]
    return held[0] if held else context.spec.horizon_months or 1.0


def _by_terms(best: Option) -> str:
    if best.offer is None:
        return "that the team owns" if best.kind == "owned" else "as own servers"
    way = terms(best)
    return f"{way}" if way in {"on demand"} else f"as {way} capacity" if way == "spot" else f"with a {way}"


def _recommendation(best: Option) -> str:
    place = f"{where(best)}, {terms(best)}" if best.offer else where(best)
    shape = f"{option_name(best)} ({servers(best)}): {layout(best)}, {best.precision.upper()}"
    return f"{shape}. {place[:1].upper()}{place[1:]}."


def _finish(context: Context, best: Option) -> Fact:
    when = f"{long_date(best.finish)}, after" if best.finish else "After"
    text = f"{when} {days(best.days.expected)} (80% band {day_band(best.days.low, best.days.high)})."
    limit = context.spec.constraints.deadline_days
    if not limit:
        return Fact(key="finish", label="Finish", text=f"{text} No deadline was set.")
    words, tone = slack(limit, best.days.expected, best.days.high)
    likely = (
        f" Chance to be in time: {chance(best.probability_in_time)}." if best.probability_in_time is not None else ""
    )
    return Fact(key="finish", label="Finish", text=f"{text} Deadline {days(limit)}: {words}.{likely}", tone=tone)


def slack(limit: float, expected: float, high: float) -> tuple[str, Tone]:
    """How well a deadline holds [days], in words, and the tone that goes with it."""
    if 0 <= limit - high < 0.005 * limit:
        return "just met at the pessimistic end", "good"
    if high <= limit:
        return f"met, with {days(limit - high)} to spare even at the pessimistic end", "good"
    if expected <= limit:
        return f"met at the expected pace, missed by {days(high - limit)} at the pessimistic end", "warning"
    return f"missed by {days(expected - limit)}", "bad"


def _promise(context: Context, best: Option) -> Fact:
    serving, asked = best.serving, context.spec.serving
    if serving is None or asked is None:
        return Fact(key="finish", label="Latency", text="")
    parts = [
        _latency("Time to first token", serving.ttft_ms, asked.ttft_p95_ms),
        _latency("Time per further token", serving.tpot_ms, asked.tpot_p95_ms),
    ]
    tone: Tone = "good" if all(kept for _, kept in parts) else "warning"
    return Fact(key="finish", label="Latency", text=" ".join(text for text, _ in parts), tone=tone)


def _latency(name: str, row: Percentiles, limit: float) -> tuple[str, bool]:
    value = row.p95
    text = f"{name} at p95: {significant(value.expected)}{NBSP}ms (80% band {band(value.low, value.high)})"
    if not limit:
        return f"{text}.", True
    if value.high <= limit:
        return f"{text}; promised {exact(limit)}{NBSP}ms: kept even at the pessimistic end.", True
    if value.expected <= limit:
        return f"{text}; promised {exact(limit)}{NBSP}ms: kept as expected, not at the pessimistic end.", False
    return f"{text}; promised {exact(limit)}{NBSP}ms: not kept.", False


def _cost(context: Context, best: Option) -> Fact:
    money, total = context.money, best.cost.total
    text = f"{money.banded(total)}."
    if best.serving and context.spec.serving and not context.spec.serving.batch:
        text += f" That is {money.amount(best.serving.monthly.expected)} a month."
    limit = context.spec.constraints.budget_usd
    if not limit:
        return Fact(key="cost", label="Cost", text=f"{text} No budget was set.")
    tone: Tone = "good"
    if total.high <= limit:
        words = f"kept, with {money.rounded(limit - total.high)} to spare even at the pessimistic end"
    elif total.expected <= limit:
        words, tone = (
            f"kept as expected, exceeded by {money.rounded(total.high - limit)} at the pessimistic end",
            "warning",
        )
    else:
        words, tone = f"exceeded by {money.rounded(total.expected - limit)}", "bad"
    return Fact(key="cost", label="Cost", text=f"{text} Budget {money.amount(limit)}: {words}.", tone=tone)


def driver_text(driver: Driver, context: Context) -> str:
    """“Price of one server-hour 20.3–26.3 USD/h: −USD 2,000 to +USD 1,340”."""
    unit = f" {driver.unit}" if driver.unit and driver.unit != "share" else ""
    ends = band(driver.low_value, driver.high_value)
    first, last = sorted((driver.low_usd, driver.high_usd))
    return f"{clean_text(driver.label, 80)}, {ends}{unit}: {_signed(context, first)} to {_signed(context, last)}"


def _signed(context: Context, usd: float) -> str:
    return ("+" if usd > 0 else "") + context.money.rounded(usd)


def _drivers(context: Context) -> str:
    rows = context.answer.drivers[:MOST_DRIVERS]
    return "; ".join(driver_text(row, context) for row in rows) + "." if rows else ""


def evidence(context: Context) -> str:
    """How many prices the plan rests on, and how old they are."""
    offers = [option.offer for option in context.options if option.offer]
    release = f"Catalog of {long_date(context.created)}"
    dates = sorted(filter(None, (_day(offer.price_date) for offer in offers)))
    if not dates:
        return f"{release}; no rented price is part of this plan."
    prices = len({offer.id for offer in offers})
    age = (context.created - dates[0]).days
    oldest = "all of that day" if age <= 0 else f"the oldest read {plural(age, 'day')} earlier"
    providers = plural(len({offer.provider for offer in offers}), "provider")
    return f"{release}; {plural(prices, 'price')} of {providers}, {oldest}."


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _state(context: Context) -> str:
    release, engine = clean_text(context.answer.catalog_release[:12], 12), clean_text(context.answer.engine_version, 20)
    return f"{state_text(context.release)}. Plan {context.plan.short_hash}, catalog {release}, engine {engine}."
