"""What every chapter needs: the plan, cleaned names of its options, and the currency it is shown in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import cast

from charts.chart import Chart
from engine.answer import Layout, Option, Recommendation
from engine.inputs.currency import Code
from engine.inputs.currency import Currency as MoneyOf
from engine.inputs.finding import Ref
from engine.inputs.kind import TIMED, Kind, PerKind
from engine.inputs.spec import BatchJob, Serving, Spec, Training
from exports.brand import Rate
from exports.document import Cell, Figure, State, Tone
from exports.numbers import NBSP, SHORT_MONTHS, Currency, long_date, month, plural, significant, whole
from exports.text import CELL_LIMIT, NAME_LIMIT, SENTENCE_LIMIT, clean_text, upper_first
from exports.wording import both, mark, tr
from planner.asked import Issue
from planner.asked.kinds import WORK, served
from planner.frozen.snapshot import Plan
from planner.in_currency import plan_in
from planner.levers.weighed import Weighed
from planner.names import SOFTWARE, provider_name
from planner.telling import named
from voice.terms import TERMS

LONGEST_SHOWN = 5 * 365
"""Days beyond which an option of a refused request says nothing to anybody."""
_MOST_SAID = (40, 20, 12, 8, 5, 3, 2, 1)
"""Values of one series that a description says: as many as it has room for."""
_NOBODY = Issue()
LATE: PerKind[str] = {"run": mark("too late"), "service": mark("latency missed"), "batch": mark("too late")}
"""What an option is whose time is beyond the limit."""
CATEGORY_LIMIT = 96
"""Characters of a name beside a bar or a point: two lines of the longest that the catalog can make."""


@dataclass(frozen=True, kw_only=True)
class Release:
    """Where a plan stands on its way to approval."""

    state: State = "draft"
    version: int = 0
    """0 = not saved."""
    by: str = ""
    on: date | None = None


@dataclass(frozen=True, kw_only=True)
class Context:
    """One plan being composed."""

    plan: Plan
    release: Release
    money: Currency
    issue: Issue = _NOBODY
    """Who stands behind it, by name."""
    weighed: Weighed | None = None
    """What could be given up, signed or brought along for less money; None where nobody weighed it, as for a small sum."""

    @property
    def spec(self) -> Spec:
        """What was asked."""
        return self.plan.spec

    @property
    def answer(self) -> Recommendation:
        """What was answered."""
        return self.plan.recommendation

    @property
    def best(self) -> Option | None:
        """The recommended option, if anything is feasible."""
        return self.answer.recommended

    @property
    def options(self) -> tuple[Option, ...]:
        """The recommended option, then the alternatives; of a refused request those that end while the hardware lives."""
        near = [option for option in self.answer.alternatives if _ends_in_time(option)]
        return (self.best, *self.answer.alternatives) if self.best else tuple(near)

    @property
    def kind(self) -> Kind:
        """The kind of work that is planned."""
        return self.spec.kind

    @property
    def timed(self) -> bool:
        """Is the work told apart by when it is done, and not by how soon it answers?"""
        return TIMED[self.kind]

    @property
    def asked_batch(self) -> BatchJob:
        """The offline job, of a batch only: it has an end, and neither a peak nor a promised latency."""
        assert self.spec.batch is not None
        return self.spec.batch

    @property
    def asked_service(self) -> Serving:
        """What is asked of a service or a batch, only of those."""
        assert self.spec.serving is not None
        return self.spec.serving

    @property
    def asked_run(self) -> Training:
        """What is asked of a run, only of that."""
        assert self.spec.training is not None
        return self.spec.training

    @property
    def promised(self) -> bool:
        """Is a latency promised?"""
        return any(limit for _, limit in WORK[self.kind].promised(self.spec))

    @property
    def several_runs(self) -> bool:
        """Does the plan hold more than the final run? Its days and money are then those of all, one after the other."""
        return WORK[self.kind].several_runs(self.spec)

    @property
    def deadline_days(self) -> float:
        """Until when a run or a batch must have ended [days from the start]; 0 = no deadline."""
        return self.spec.due_days

    @property
    def budget(self) -> float:
        """What the request says it may cost, in the currency of the plan; 0 = no budget."""
        return self.money.of(self.spec.constraints.budget_usd)

    @property
    def issued(self) -> date:
        """The day of the request, on which the document is issued and from which the age of its prices counts."""
        return self.plan.as_of

    @property
    def catalog_day(self) -> date:
        """The day of the catalog release, from which the prices are."""
        return date.fromisoformat(self.answer.catalog_date)

    @property
    def start(self) -> date:
        """The first day of the work."""
        return self.plan.start

    @property
    def name(self) -> str:
        """The plan's name."""
        return clean_text(self.plan.name, NAME_LIMIT)

    @property
    def model(self) -> str:
        """The model's name as it stands in a sentence."""
        return clean_text(self.answer.model.name, 60)


def shown_in(plan: Plan, rate: Rate) -> Plan:
    """The plan in the team's currency where it is one of US dollars: each line of its cost models at the team's rate."""
    answer = plan.recommendation
    if rate.currency == "USD" or answer.currency.code != "USD":
        return plan
    source = rate.source or tr("rate of the team")
    money = MoneyOf(code=cast(Code, rate.currency), rate=rate.per_usd, date=rate.date, source=source)
    return plan_in(plan, money)


def currency_of(plan: Plan) -> Currency:
    """How amounts of that plan are written."""
    money = plan.recommendation.currency
    return Currency(money.code, money.rate)


def state_text(release: Release) -> str:
    """“Draft, not approved”, “Version 3, approved by N. on 11 January 2027”."""
    words = {
        "draft": mark("draft, not approved"),
        "submitted": mark("submitted for approval"),
        "approved": mark("approved"),
        "returned": mark("returned for changes"),
        "superseded": mark("superseded by a newer version"),
    }[release.state]
    who = " " + tr("by {by}", by=clean_text(release.by, 60)) if release.by else ""
    when = " " + tr("on {on}", on=long_date(release.on)) if release.on else ""
    text = f"{tr(words)}{who}{when}"
    return tr("Version {version}, {text}", version=release.version, text=text) if release.version else upper_first(text)


def option_name(option: Option) -> str:
    """“32 × H100 SXM”."""
    return f"{whole(option.count)}{NBSP}×{NBSP}{clean_text(option.accelerator_name, 40)}"


def where(option: Option) -> str:
    """“Lambda, gpu_8x_h100_sxm5, us-east-1”; the system that is bought; owned hardware."""
    if option.offer:
        parts = (provider(option.offer.provider), option.offer.instance, region(option.offer.region))
        return ", ".join(dict.fromkeys(text for text in (clean_text(part, 40) for part in parts) if text))
    if option.system_name:
        return clean_text(option.system_name, 60)
    return tr("own hardware")


def place_of(option: Option) -> str:
    """“Lambda, us-east-1”: where it stands, without the name of the machine; both places of a service on two sites."""
    first, *second = [_place(site.offer.provider, site.offer.region) for site in option.sites] or [where(option)]
    return tr("{first}, and {second}", first=first, second=second[0]) if second else first


def _place(seller: str, slug: str) -> str:
    parts = (provider(seller), region(slug))
    return ", ".join(dict.fromkeys(part for part in parts if part))


def provider(name: str) -> str:
    """The provider's own spelling of its name."""
    return clean_text(provider_name(name), 40)


def region(slug: str) -> str:
    """The region as its provider calls it; the own site of leased servers."""
    return clean_text(tr(named(Ref("region", slug))), 40) if slug else ""


def seller(option: Option) -> str:
    """“at Lambda”, “as bought servers”, “on hardware that the team owns”: the place in a sentence."""
    if option.offer:
        return tr(
            "at {provider}", provider=both(list(dict.fromkeys(provider(site.offer.provider) for site in option.sites)))
        )
    return tr("on servers that are bought") if option.kind == "on_prem" else tr("on hardware that the team owns")


def terms(option: Option) -> str:
    """How it is paid, in words."""
    if option.offer:
        return tr(TERMS["terms"][option.offer.option])
    return tr("bought") if option.kind == "on_prem" else tr("owned")


def servers(option: Option) -> str:
    """“4 servers of 8”, “1 server of 8”, “1 accelerator”."""
    if option.count == 1:
        return plural(1, "accelerator")
    if option.nodes <= 1:
        return plural(1, "server")
    each = option.count // option.nodes
    even = each * option.nodes == option.count and each > 1
    count = plural(option.nodes, "server")
    return tr("{servers} of\u00a0{each}", servers=count, each=each) if even else count


def layout(option: Option) -> str:
    """“TP 8 × PP 2 × DP 2, ZeRO 1”; only the axes that are used; “one device” for a plain model."""
    shape = option.parallelism
    axes = [(short, value) for short, value in _axes(shape) if value > 1]
    text = " × ".join(f"{short}{NBSP}{value}" for short, value in axes)
    return _SHAPED[option.work](option, text)


def _sharded(option: Option, text: str) -> str:
    shape, text = option.parallelism, text or tr("no model parallelism")
    return text + (f", ZeRO{NBSP}{shape.zero_stage}" if shape.zero_stage and shape.dp > 1 else "")


def _replicated(option: Option, text: str) -> str:
    return f"{text}, {replicas(option)}" if text else replicas(option)


_SHAPED: PerKind[Callable[[Option, str], str]] = {"run": _sharded, "service": _replicated, "batch": _replicated}
"""What is told beside the axes of a layout."""


def replicas(option: Option) -> str:
    """“9 replicas and 1 spare”, of a service or a batch."""
    found = served(option)
    every = max(1, option.count // max(1, found.accelerators_per_replica))
    spare = min(found.spare_replicas, every - 1)
    busy = plural(every - spare, "replica")
    return tr("{replicas} and {spare}\u00a0spare", replicas=busy, spare=spare) if spare else busy


def _axes(shape: Layout) -> tuple[tuple[str, int], ...]:
    return (("TP", shape.tp), ("PP", shape.pp), ("CP", shape.cp), ("EP", shape.ep), ("DP", shape.dp))


def framework(name: str) -> str:
    """The product's own spelling."""
    return SOFTWARE.get(name, clean_text(name, 40))


def day_of(text: str) -> str:
    """“22 August 2026” of “2026-08-22”; what is no day stays."""
    try:
        return long_date(date.fromisoformat(text))
    except ValueError:
        return text


def text_cell(value: object, tone: Tone = "plain") -> Cell:
    """A cell of words."""
    return Cell(text=clean_text(value, CELL_LIMIT), tone=tone)


def terms_cell(option: Option) -> Cell:
    """How it is paid, in one line where it is short."""
    text = terms(option)
    return Cell(text=text.replace(" ", NBSP) if len(text) <= 12 else text)


def number_cell(value: float, text: str = "", tone: Tone = "plain") -> Cell:
    """A cell of a number: three significant digits unless the text says otherwise."""
    return Cell(text=text or significant(value), value=value, tone=tone)


def figure(chart: Chart | None) -> Figure | None:
    """That chart with clean names, its finding as caption and its numbers in the description."""
    if chart is None:
        return None
    shown = _clean(chart)
    named = replace(
        shown, categories=tuple(month(clean_text(name, CELL_LIMIT), SHORT_MONTHS) for name in chart.categories)
    )
    said = (f"{shown.finding}. {_data(named, most)}" for most in _MOST_SAID)
    alt = next((text for text in said if len(text) <= SENTENCE_LIMIT), f"{shown.finding}. {_data(named, 1)}")
    return Figure(chart=shown, caption=shown.finding, alt=clean_text(alt, SENTENCE_LIMIT))


def _clean(chart: Chart) -> Chart:
    return replace(
        chart,
        finding=clean_text(chart.finding, 160),
        categories=tuple(month(clean_text(name, CATEGORY_LIMIT), SHORT_MONTHS) for name in chart.categories),
        series=tuple(
            replace(
                series,
                name=clean_text(series.name, 44),
                labels=tuple(clean_text(label, CATEGORY_LIMIT) for label in series.labels),
            )
            for series in chart.series
        ),
    )


def _data(chart: Chart, most: int) -> str:
    """The chart's numbers in words: so many of each series, the ends of a large one."""
    rows = []
    for series in chart.series:
        if series.points:
            xs, ys = zip(*series.points, strict=True)
            ends = (
                tr("{low} to {high}", low=significant(min(xs)), high=significant(max(xs))),
                tr("{low} to {high}", low=significant(min(ys)), high=significant(max(ys))),
            )
            points = plural(len(series.points), "point")
            rows.append(f"{series.name}: {points}, {chart.x_label} {ends[0]}, {chart.y_label} {ends[1]}")
        elif len(chart.categories) == 1:
            rows.append(f"{series.name} {significant(series.values[0])}")
        else:
            rows.append(f"{series.name}: {_pairs(chart.categories[:most], series.values)}")
    return "; ".join(rows) + "." + "".join(f" {name}: {significant(value)}." for name, value in chart.limits)


def _pairs(names: Sequence[str], values: Sequence[float]) -> str:
    """“Staff 1,200, power 350 and 14 more”: the values that have a name here, and how many have none."""
    shown = ", ".join(f"{name} {significant(value)}" for name, value in zip(names, values, strict=False))
    rest = len(values) - len(names)
    return tr("{shown} and {count} more", shown=shown, count=rest) if rest > 0 else shown


def _ends_in_time(option: Option) -> bool:
    """Does a run end while its hardware lives? What goes on, and a batch, has a deadline or a horizon of its own."""
    takes = WORK[option.work].duration(option)
    return takes is None or takes.expected <= LONGEST_SHOWN
