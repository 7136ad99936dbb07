"""The live panel: the head of an answer in words and figures, while its author still types."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from catalog import clock
from catalog.days import dated
from charts.svg import NARROW, legend_of, svg
from engine.answer import Glance, Option
from engine.inputs.hardware import Market
from engine.inputs.spec import Spec
from planner.asked.kinds import WORK
from planner.chart_words import PAGE
from planner.charting import work
from planner.counting import computed
from planner.presenters.badge import Badge, badge_of
from planner.presenters.currency import shown
from planner.presenters.figures import Figure, figures
from planner.presenters.kinds import PAGED
from planner.presenters.words import days, hardware
from planner.price_age import price_age
from planner.telling import told

_FIGURES, _WISHES = 4, 3


@dataclass(frozen=True, kw_only=True)
class GlanceView:
    """Texts of the panel, in the order in which it shows them."""

    badge: Badge
    settled: bool
    service: bool
    """What a first number still waits for: a service for its simulation, a training run for the other accelerators."""
    headline: str
    figures: list[Figure]
    memory_finding: str
    memory: SafeString
    memory_legend: list[tuple[SafeString, str]]
    nearest: list[str]
    stale: bool
    price_note: str
    searched: str
    catalog_date: str
    money_note: str
    brief: str
    evidence: str
    """What measurements say of the estimate."""
    evidence_weak: bool


def present_glance(spec: Spec, glance: Glance, market: Market) -> GlanceView:
    """The panel of that glance, in its currency."""
    money, best = shown(glance.currency), glance.best
    price, stale = price_age(best, spec.as_of or clock.today()) if best else ("", False)
    chart = work.memory(best) if best else None
    return GlanceView(
        badge=badge_of(best, spec),
        settled=glance.settled,
        service=PAGED[spec.kind].simulated,
        headline=told(glance.headline),
        # The panel has no room for sources: the whole plan shows them.
        figures=figures(best, spec, lambda _ids: (), money)[:_FIGURES] if best else [],
        memory_finding=chart.finding if chart else "",
        memory=mark_safe(svg(chart, width=NARROW, words=PAGE)) if chart else SafeString(""),  # noqa: S308 — charts.svg escapes
        memory_legend=[(mark_safe(swatch), name) for swatch, name in legend_of(chart, PAGE)] if chart else [],  # noqa: S308 — likewise
        nearest=[told(item.told) for item in glance.nearest[:_WISHES]],
        stale=stale,
        price_note=price,
        searched=told(computed(glance, spec)),
        catalog_date=dated(market.release_date),
        money_note=money.note,
        brief=brief(best),
        evidence=told(best.evidence.told) if best and best.evidence else "",
        evidence_weak=bool(best and best.evidence and best.evidence.doubtful),
    )


def brief(best: Option | None) -> str:
    """One line for small windows, beside the cost."""
    if best is None:
        return ""
    takes = WORK[best.work].duration(best)
    return f"{days(takes.expected)}, {hardware(best)}" if takes else hardware(best)
