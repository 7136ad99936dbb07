"""The whole answer page of one plan."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from django.utils.text import capfirst

from charts.chart import Chart
from engine.answer import Flip, Option, Recommendation
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.inputs.spec import Spec
from planner.asked import Issue, Sign, approval_text, request_text, signs_of
from planner.asked.glossary import words_for
from planner.asked.kinds import WORK
from planner.charting.money import break_even, cash, cost_lines, tornado
from planner.charting.options import cost_bands, pace_axis, pareto
from planner.charting.work import checkpoint_curve, latency, memory, time_budget
from planner.counting import checked, computed, counted
from planner.frozen.snapshot import Plan
from planner.presenters.assumptions import AssumptionGroup, groups_of
from planner.presenters.badge import Badge, badge_of
from planner.presenters.basis import BasisRow, basis_rows
from planner.presenters.certainty import CertaintyRow, certainty_rows, chance_words
from planner.presenters.currency import Currency, currency_of
from planner.presenters.degrees import Reading, readings
from planner.presenters.figures import Figure, figures
from planner.presenters.gates import GateText, gate_text
from planner.presenters.glance import brief
from planner.presenters.kinds import PAGED
from planner.presenters.levers import LeverText, lever_texts, pulled
from planner.presenters.options import COLUMNS, MOST_PINS, Row, comparison, option_rows
from planner.presenters.rent_or_own import Had, had
from planner.presenters.request import changed_inputs
from planner.presenters.standing import StandingView, standing_view
from planner.presenters.trail import CostRow, Facts, Trail, cost_rows
from planner.presenters.views import ChartView, chart_view
from planner.presenters.voice import page_voice
from planner.presenters.words import anchor, days, hardware, percent, place, seconds, span
from planner.price_age import price_age
from planner.request.quantities import rounded
from planner.telling import named, sourced, told
from planner.ways import ways_of

MOST_LISTED = 7


@dataclass(frozen=True, kw_only=True)
class Refused:
    """One reason why something was left out, how much of it, and how near the nearest came; as texts."""

    left_out: str
    reason: str
    nearest: str
    count: int


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One piece of advice as texts."""

    topic: str
    choice: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Texts, tables and charts of one plan, in the order of the page."""

    plan: Plan
    result: Recommendation
    best: Option | None
    badge: Badge
    figures: list[Figure]
    charts: dict[str, ChartView]
    costs: list[CostRow]
    rows: list[Row]
    more_rows: int
    all_shown: bool
    """Whether the reader asked for every option, not only the first."""
    options: int
    """How many the table can show, those that are put aside not counted."""
    columns: list[tuple[str, str]]
    """Key and label of each column of the options that may be left out."""
    without: frozenset[str]
    """Keys of those that are."""
    hidden: list[tuple[str, str]]
    """Id and name of each option that the reader has put aside."""
    rejected: list[Refused]
    rejected_more: list[Refused]
    pinned: list[str]
    compared: list[tuple[str, list[str]]]
    flips: list[str]
    advice: list[Rule]
    """How to run it."""
    assumptions: list[AssumptionGroup]
    assumed: int
    """How many assumptions there are in all."""
    checkpoint: list[tuple[str, str]]
    ways: list[WayRow]
    parameters: str
    brief: str
    searched: str
    checked: str
    """What came of holding the choice against others drawn at random; empty in plans from before that was done."""
    price_note: str
    """How old the price is; empty of hardware that is not rented."""
    money: Currency
    headline: str
    asked: str
    """What was asked for."""
    approval: str
    """What is asked of whoever approves."""
    signs: tuple[Sign, ...]
    """What is signed with it, row by row."""
    obtaining: list[str]
    """What to ask the seller for to have the hardware, the earliest first."""
    request: list[tuple[str, str]]
    """Label and value of every input that is not as it is by itself."""
    nearest: list[str]
    reasons: list[str]
    break_even: str
    stale: bool
    memory_units: str = ""
    """Which GB are meant, said once beside the memory."""
    standing: StandingView | None = None
    """How a service stands by while hosts and sites fail."""
    certainty: list[CertaintyRow] = field(default_factory=list)
    """What other degrees of confidence cost."""
    gate: GateText | None = None
    """What may be measured before the money."""
    readings: list[Reading] = field(default_factory=list)
    """The same at every step of the slider."""
    chances: list[tuple[str, str]] = field(default_factory=list)
    """How likely each limit is kept."""
    evidence: str = ""
    """What measurements say of the estimate."""
    evidence_weak: bool = False
    basis: list[BasisRow] = field(default_factory=list)
    """What each figure rests on."""
    warnings: tuple[str, ...] = field(default=())

    @property
    def words(self) -> list[tuple[str, str]]:
        """Words of the field for this work, with what they mean."""
        return [(one.word, one.meaning) for one in words_for(self.plan.spec.kind, self.result)]

    @cached_property
    def had(self) -> Had | None:
        """The ways of having the hardware side by side."""
        return had(self.plan, self.money)

    @property
    def levers(self) -> list[LeverText]:
        """What would cost less and needs something first."""
        return lever_texts(self.result)

    @property
    def pulled(self) -> LeverText | None:
        """Such a lever that the request has taken."""
        return pulled(self.best)

    @property
    def price_source(self) -> str:
        """Whose price it is; empty of hardware that is not rented."""
        return sourced(self.best.offer.source) if self.best and self.best.offer else ""


def present(
    plan: Plan,
    *,
    pins: Iterable[str] = (),
    hidden: Iterable[str] = (),
    without: Collection[str] = (),
    every: bool = False,
    sure: str = "",
    facts: Facts | None = None,
    issue: Issue | None = None,
) -> Answer:
    """The answer of that plan for the page, in the currency that it asks for.

    pins: ids of options to stand side by side. hidden: ids of options that are left out of the table, where others move
    up; the chart shows them all. without: keys of the table's columns that are left out. every: list all options, not
    only the first. sure: the degree of confidence at which the slider stands, in percent; else what was asked. facts: the
    catalog's values behind the numbers, where that release is still at hand. issue: who stands behind it, where it is stored.
    """
    money = currency_of(plan)
    voice = page_voice(money.amount)
    result, best = plan.recommendation, plan.recommendation.recommended
    known = {option.id: option for option in ((best,) if best else ()) + result.alternatives}
    others = known.keys() - ({best.id} if best else set())
    aside = [ident for ident in dict.fromkeys(hidden) if ident in others]
    pinned = [ident for ident in dict.fromkeys(pins) if ident in others and ident not in aside][:MOST_PINS]
    compared = ([best] if best else []) + [known[ident] for ident in pinned]
    left = [option for option in result.alternatives if option.id not in aside]
    listed = [option for at, option in enumerate(left) if every or at < MOST_LISTED or option.id in pinned]
    shown_ids = {option.id for option in (*listed, *((best,) if best else ()))}
    refused = [
        Refused(left_out=told(counted(item)), reason=told(item.reason), nearest=told(item.nearest), count=item.count)
        for item in result.rejected
    ]
    price, stale = price_age(best, plan.as_of) if best else ("", False)
    return Answer(
        plan=plan,
        result=result,
        best=best,
        badge=badge_of(best if result.feasible else None, plan.spec),
        certainty=certainty_rows(result, money),
        standing=standing_view(best, money),
        gate=gate_text(result.gate),
        readings=readings(plan, money, sure),
        chances=chance_words(best.chance if best else None),
        figures=figures(best, plan.spec, Trail(plan, best, money, facts), money) if best else [],
        charts={
            chart.id.replace("-", "_"): chart_view(
                chart, _links(result, plan.spec, shown_ids) if chart.id == "pareto" else {}
            )
            for chart in charts_of(plan, money)
        },
        costs=cost_rows(best.cost.model, money) if best else [],
        rows=option_rows(best, listed, spec=plan.spec, pins=pinned, as_of=plan.as_of, money=money),
        more_rows=len(left) - len(listed),
        all_shown=every,
        options=len(left) + (best is not None),
        columns=[
            (key, PAGED[best.work].speed_label(best) if key == "speed" and best else label)
            for key, label in COLUMNS.items()
        ],
        without=frozenset(without),
        hidden=[(ident, f"{hardware(known[ident])}, {place(known[ident])}") for ident in aside],
        rejected=[item for item in refused if item.nearest or item.count > 1],
        rejected_more=[item for item in refused if not item.nearest and item.count <= 1],
        pinned=[hardware(option) for option in compared] if pinned else [],
        compared=comparison(compared, money, plan.spec) if pinned else [],
        flips=[_flip(item, money) for item in result.flips],
        advice=[
            Rule(
                topic=named(Ref("topic", item.topic)),
                choice=told(item.choice),
                reason=told(item.reason),
            )
            for item in result.advice
        ],
        assumptions=groups_of(result.assumptions, plan.spec.assumptions),
        assumed=len(result.assumptions),
        checkpoint=_checkpoint(best),
        ways=_ways(best, money),
        parameters=_parameters(result),
        brief=brief(best),
        searched=told(computed(result, plan.spec)),
        checked=told(held) if (held := checked(result)) else "",
        price_note=price,
        money=money,
        headline=told(result.headline),
        asked=request_text(plan, voice),
        approval=approval_text(plan, voice),
        signs=signs_of(plan, voice, issue or Issue()),
        obtaining=[told(step) for step in result.obtaining],
        request=list(changed_inputs(plan).items()),
        nearest=[told(item.told) for item in result.nearest],
        reasons=[told(item) for item in best.reasons] if best else [],
        break_even=told(best.cost.break_even.told) if best and best.cost.break_even else "",
        stale=stale,
        memory_units=told(_units(best)) if best else "",
        evidence=told(best.evidence.told) if best and best.evidence else "",
        evidence_weak=bool(best and best.evidence and best.evidence.doubtful),
        basis=basis_rows(best),
        warnings=tuple(dict.fromkeys(told(item) for item in (*result.warnings, *(best.warnings if best else ())))),
    )


def _units(best: Option) -> Finding:
    """What a GB is on this page, at the accelerator's own memory."""
    room = best.memory.capacity_gb * 1e9
    return finding("memory.units", room=Quantity(room, "byte"), gib=room / 2**30)


def charts_of(plan: Plan, money: Currency) -> list[Chart]:
    """Every chart that this plan has, in its currency."""
    result, best, spec = plan.recommendation, plan.recommendation.recommended, plan.spec
    found: list[Chart | None] = [pareto(result, spec)]
    if best:
        found += [
            tornado(result.drivers, best.cost.total),
            memory(best),
            time_budget(best),
            cost_lines(best.cost.model),
            cash(best.cost.model),
            checkpoint_curve(best),
            break_even(best, spec),
            cost_bands((best, *result.alternatives)),
        ]
        found += [latency(best, which, promise) for which, promise in WORK[spec.kind].promised(spec)]
    return [chart for chart in found if chart is not None]


def _links(result: Recommendation, spec: Spec, shown: Collection[str]) -> dict[tuple[float, float], str]:
    """Addresses of the table rows that points of the cost–time chart stand for."""
    if not result.frontier:
        return {}
    scale, _ = pace_axis(result, spec)
    return {
        (point.pace * scale, point.cost): f"#{anchor(point.option_id)}"
        for point in result.frontier
        if point.option_id in shown
    }


def _parameters(result: Recommendation) -> str:
    """“70,553,706,496 parameters”, with those that work on one token or sample where they differ."""
    model = result.model
    active = f", {model.active_parameters:,.0f} active" if model.active_parameters < model.parameters else ""
    return f"{model.parameters:,.0f} parameters{active}"


def _checkpoint(best: Option | None) -> list[tuple[str, str]]:
    """What the plan says about saving and failing."""
    if best is None or best.checkpoint is None:
        return []
    point = best.checkpoint
    kept = f"{percent(point.goodput.expected)} ({span(point.goodput.low * 100, point.goodput.high * 100)}%)"
    return [
        ("Save every", _every(point.interval_s, point.interval_steps)),
        ("One checkpoint", f"{rounded(point.size_gb)} GB, written in {seconds(point.write_s)}"),
        ("Storage for checkpoints", f"{rounded(point.storage_gb)} GB"),
        ("Mean time between failures", days(point.mtbf_h / 24.0)),
        ("Failures to expect", rounded(point.failures_expected, 2)),
        ("Time lost", percent(point.lost_share)),
        ("Time kept", kept),
    ]


@dataclass(frozen=True, kw_only=True)
class WayRow:
    """One way to save the job's state as texts: how often, what it loses, and what that comes to."""

    label: str
    every: str
    lost: str
    hours: str
    cost: str
    """Of the lost hours as this option pays for them; empty where hours have no price of their own."""
    chosen: bool


def _ways(best: Option | None, money: Currency) -> list[WayRow]:
    """The ways side by side, each at the interval that is best for it."""
    return [
        WayRow(
            label=capfirst(named(Ref("word", f"way.{loss.way.key}"))),
            every=_every(loss.way.interval_s, loss.steps),
            lost=percent(loss.way.lost_share),
            hours=rounded(loss.accelerator_hours),
            cost="" if loss.cost is None else money.amount(loss.cost),
            chosen=loss.way.chosen,
        )
        for loss in (ways_of(best) if best else ())
    ]


def _every(interval_s: float, steps: int) -> str:
    return f"{seconds(interval_s)}, {steps:,} {'step' if steps == 1 else 'steps'}"


def _flip(item: Flip, money: Currency) -> str:
    """“Price of one accelerator-hour at USD 3.62/h (now USD 2.99/h): 64 × H200 becomes the cheapest.”"""
    at, now = (_amount(value, item.unit, money) for value in (item.threshold, item.now))
    return f"{told(item.label)} at {at} (now {now}): {told(item.then)}."


def _amount(value: float, unit: str, money: Currency) -> str:
    """A value of a cost input or a limit with its unit as a reader expects it."""
    if unit == money.code:
        return money.amount(value)
    if unit.startswith(f"{money.code}/"):
        return f"{money.code}\u00a0{rounded(value)}/{unit.removeprefix(f'{money.code}/')}"
    if unit == "share":
        return percent(value)
    return days(value) if unit == "day" else f"{rounded(value)} {unit}".strip()
