"""Page 1 of a request that nothing keeps: by how much it fails, and what to change, with its price."""

from __future__ import annotations

from collections.abc import Iterable

from engine.answer import Nearest
from engine.inputs.finding import Finding, Value
from exports.composing.ask import ask, asked
from exports.composing.context import Context, option_name, seller
from exports.composing.next_steps import requester
from exports.composing.price_evidence import evidence
from exports.composing.words import told, written
from exports.document import Decision, Fact, KeyFigure, KeyFigures
from exports.numbers import days, percent, plural, significant, whole
from exports.text import clean_text, lower_first, upper_first
from exports.wording import mark, tr
from planner.counting import kind_of, tried
from planner.promises import asked_confidence


def refusal(context: Context, state: str) -> Decision:
    """The decision block of a request that nothing keeps."""
    answer = context.answer
    changes = " ".join(told(item.told) for item in answer.nearest)
    reasons = [f"{_small(told(item.reason, 120))} ({whole(item.count)})" for item in answer.rejected[:3]]
    missed = _missed(context)
    facts = (
        Fact(
            key="ask",
            label=tr("Ask"),
            text=ask(context),
            tone="warning",
        ),
        Fact(key="request", label=tr("Request"), text=asked(context)),
        Fact(key="missed", label=tr("By how much it fails"), text=missed, tone="bad"),
        Fact(key="needed", label=tr("What would make it feasible"), text=changes),
        # Where options run, what does not fit into memory is not why the request fails.
        Fact(
            key="rejected",
            label=tr("Why options were left out"),
            text="" if answer.alternatives else _sentence_of("; ".join(reasons)),
        ),
        Fact(key="next", label=tr("Next step"), text=requester(context)),
        Fact(key="evidence", label=tr("Price evidence"), text=evidence(context)),
        Fact(key="state", label=tr("State"), text=state),
    )
    items = [
        KeyFigure(
            label=tr("Options that keep all limits"),
            value="0",
            detail=tr("{layouts} tried", layouts=plural(tried(answer, context.spec), "layout")),
            tone="bad",
        )
    ]
    fields = [item.field for item in answer.nearest[:3]]
    items += [
        KeyFigure(
            label=_field(item.field),
            value=_values([change.needed for change in item.changes]),
            detail=_now(item) if fields.count(item.field) < 2 else f"{_now(item)}; {_hardware(item)}".rstrip("; "),
        )
        for item in answer.nearest[:3]
    ]
    return Decision(
        sentence=told(answer.headline, 300),
        figures=KeyFigures(items=tuple(items)),
        facts=tuple(fact for fact in facts if fact.text),
    )


def _sentence_of(text: str) -> str:
    return f"{upper_first(text).rstrip('.')}." if text else ""


def _small(reason: str) -> str:
    """A reason within a list: no full stop, no capital before a small letter."""
    return lower_first(reason.rstrip("."))


def _now(item: Nearest) -> str:
    """What was asked, or how it is: nobody asks for a price that is missing."""
    now = _values([change.now for change in item.changes])
    return tr("asked: {now}", now=now) if now else tr("no price in the catalog")


def _hardware(item: Nearest) -> str:
    """“32 × NVIDIA B200 SXM”, which tells several values of one change apart; nothing where the change names none."""
    does = item.told[0].values.get("does")
    found = does.values.get("hardware") if isinstance(does, Finding) else None
    if not isinstance(found, Finding):
        return ""
    words = {name: value for name, value in found.values.items() if name in ("count", "accelerator")}
    return told(Finding("cluster", words))


def _values(values: Iterable[Value | None]) -> str:
    """“90 days, USD 41,000”."""
    return ", ".join(written(value, 30) for value in values if value is not None)


def _field(path: str) -> str:
    """“Deadline needed” of “constraints.deadline_days”."""
    if ", " in path:
        return tr("Limits needed")
    name = clean_text(path, 60).rsplit(".", 1)[-1]
    words = name.removesuffix("_usd").removesuffix("_days").replace("_", " ")
    return tr("{field} needed", field=tr(_LABELS[name]) if name in _LABELS else upper_first(words))


_LABELS = {
    "ttft_p95_ms": mark("Time to first token, p95,"),
    "tpot_p95_ms": mark("Time per output token, p95,"),
    "requests_per_s": mark("Request rate"),
    "deadline_hours": mark("Hours of the batch"),
    "max_accelerators": mark("Number of accelerators"),
    "accelerators": mark("Kind of accelerator"),
    "agreed": mark("Agreed price"),
    "budget_usd": mark("Budget"),
    "deadline_days": mark("Deadline"),
}
"""What is asked to be changed most; of other fields the name is told."""


def _missed(context: Context) -> str:
    """How far the fastest and the cheapest option are from the limits; without any, how near the nearest came."""
    options = context.answer.alternatives
    if not options:
        nearest = _nearest_miss(context)
        return _sentence_of(tr("The nearest miss: {nearest}", nearest=told(nearest, 300))) if nearest else ""
    parts = []
    deadline = context.deadline_days
    # Options are the cheapest of each seller: faster ones that cost more are among the points of the chart only.
    quickest = min(options, key=lambda option: option.days.expected)
    soonest, fastest = quickest.days.expected, f"{option_name(quickest)} {seller(quickest)}"
    for point in context.answer.frontier:
        if point.days and point.days < soonest:
            soonest, fastest = point.days, told(point.label)
    if deadline and soonest > deadline:
        parts.append(
            tr(
                "The fastest option found, {option}, takes {days}: {times} times the deadline of {limit}.",
                option=fastest,
                days=days(soonest),
                times=significant(soonest / deadline),
                limit=days(deadline),
            )
        )
    # What is signed, or as much as is needed to be as sure as was asked.
    needed, cheapest = min(
        ((max(option.cost.cash_needed, option.cost.suffices), option) for option in options), key=lambda pair: pair[0]
    )
    if context.budget and needed > context.budget:
        late = deadline and cheapest.days.expected > deadline
        parts.append(
            tr(
                mark(
                    "The cheapest, {option} {seller}, needs {amount} to be {sure} sure: {times} times the budget of {limit}."
                )
                if not late
                else mark(
                    "The cheapest, {option} {seller}, takes {days} and needs {amount} to be {sure} sure: {times} times the budget "
                    "of {limit}."
                ),
                option=option_name(cheapest),
                seller=seller(cheapest),
                days=days(cheapest.days.expected),
                amount=context.money.amount(needed),
                sure=percent(asked_confidence(context.spec)),
                times=significant(needed / context.budget),
                limit=context.money.amount(context.budget),
            )
        )
    # A way out that changes one limit keeps the other.
    if not parts and {"constraints.deadline_days", "constraints.budget_usd"} <= _changed(context):
        return tr("Each limit alone can be kept, but not both together.")
    return " ".join(parts)


def _nearest_miss(context: Context) -> Finding | None:
    """How near the nearest layout came: of one that fits and is too slow, where there is one, before one that does not fit.

    What is not allowed or has no price misses nothing.
    """
    measured = [item for item in context.answer.rejected if kind_of(item) in ("layout", "cluster")]
    said = {item.code: item.nearest for item in measured if item.nearest}
    first = [said[code] for code in ("latency", "load", "count", "context") if code in said]
    return next(iter((*first, *said.values())), None)


def _changed(context: Context) -> set[str]:
    """The inputs that a way out changes."""
    return {change.field for near in context.answer.nearest for change in near.changes}
