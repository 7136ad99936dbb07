"""What page 1 asks to be approved."""

from __future__ import annotations

from exports.composing.context import Context, option_name, terms
from exports.numbers import days, long_date, plural, scaled
from exports.wording import mark, tr
from planner.engine.result import Option


def ask(context: Context, best: Option) -> str:
    """How much money for what, from when, and what of it has to be paid at once."""
    words = {
        "cost": context.money.amount(best.cost.total.expected),
        "verb": tr({"cloud": mark("rent"), "on_prem": mark("buy"), "owned": mark("use")}[best.kind]),
        "option": option_name(best),
        "terms": _by_terms(best),
        "start": long_date(context.start),
    }
    if best.serving:
        text = tr("Approve {cost}{term} to {verb} {option} {terms}, from {start}.", term=term(context, best), **words)
    else:
        work = _work(context, days(best.days.expected))
        text = tr("Approve {cost} to {verb} {option} {terms} for {work}, from {start}.", work=work, **words)
    return text + _at_once(context, best) + _unset(context)


def _work(context: Context, time: str) -> str:
    """What takes that time: the run, or all runs and experiments, which follow one another."""
    asked = context.spec.training
    if asked is None or not context.several_runs:
        return tr("a run of {days}", days=time)
    if not asked.experiment_overhead:
        return tr("{count} runs, {days} in all", count=asked.runs, days=time)
    if asked.runs == 1:
        return tr("a run and its experiments, {days} in all", days=time)
    return tr("{count} runs and their experiments, {days} in all", count=asked.runs, days=time)


def _at_once(context: Context, best: Option) -> str:
    """What hardware costs when it is bought, where the total holds a share of it: nobody sells a share."""
    purchase = best.cost.model.purchase_usd
    if purchase <= best.cost.total.expected:
        return ""
    whole = context.money.amount(purchase)
    return " " + tr(
        "That is what this work carries: the servers cost {whole} when they are bought, and other work must carry the rest.",
        whole=whole,
    )


def _unset(context: Context) -> str:
    """What the dates rest on when nobody has set a start."""
    if context.spec.start:
        return ""
    day = long_date(context.created)
    return " " + tr("No start was set: dates are counted from the price list's day, {date}.", date=day)


def term(context: Context, best: Option) -> str:
    """“ over 12 months”, “ for 1 million requests”: what a service's cost covers."""
    if context.batch:
        return " " + tr("for {requests} requests", requests=scaled(context.batch.requests))
    return " " + tr("over {months}", months=plural(months(context, best), "month"))


def months(context: Context, best: Option) -> float:
    """How many months the cost of a service covers."""
    held = [item.value for item in best.cost.model.inputs if item.name == "months"]
    return held[0] if held else context.spec.horizon_months or 1.0


def _by_terms(best: Option) -> str:
    if best.offer is None:
        return tr("that the team owns") if best.kind == "owned" else tr("as own servers")
    way = terms(best)
    if best.offer.option == "on_demand":
        return way
    return tr("as {terms} capacity", terms=way) if best.offer.option == "spot" else tr("with a {terms}", terms=way)
