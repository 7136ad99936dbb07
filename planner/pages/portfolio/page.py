"""The portfolio as its page shows it: plans with their moves, clashes in words, use and money as charts and tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from catalog.days import plain_date
from charts.chart import Chart
from planner.pages.portfolio import sums
from planner.pages.portfolio.charts import charts_of
from planner.pages.portfolio.data import Entry, Fleet
from planner.pages.portfolio.sums import Clash, Work, YearSum
from planner.presenters.currency import Currency, exchanged
from planner.presenters.signed import beside
from planner.presenters.views import ChartView, chart_view
from planner.request.quantities import compact

ADDED = (
    "Plans are drawn together: prices of the same accelerator, the model of time of the same kind of work and assumptions err in all "
    "of them at once, everything else in each for itself. “At the widest” is the sum of all P10s and of all P90s, as if all of it erred "
    "in one direction."
)


@dataclass(frozen=True, kw_only=True)
class Move:
    """What the visitor tries for one plan: whether it counts, and how many weeks later it starts."""

    included: bool = True
    weeks: int = 0


@dataclass(frozen=True, kw_only=True)
class PlanRow:
    """One plan of the portfolio."""

    ident: str
    version_id: str
    name: str
    number: int
    state: str
    source: str
    start: str
    end: str
    cost: str
    signed: str
    """What is signed as a whole; nothing where nothing is."""
    converted: str
    """The cost in the plan's own currency, and at which rate it became that of the portfolio; nothing where both are one."""
    included: bool
    weeks: int
    note: str


@dataclass(frozen=True, kw_only=True)
class ClashRow:
    """One clash in words, and what could be done about it."""

    sentence: str
    remedies: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class YearRow:
    """One calendar year of money."""

    year: int
    expected: str
    band: str
    widest: str
    budget: str
    verdict: str
    kept: bool | None


@dataclass(frozen=True, kw_only=True)
class Portfolio:
    """The whole page."""

    plans: tuple[PlanRow, ...]
    clashes: tuple[ClashRow, ...]
    years: tuple[YearRow, ...]
    months: tuple[tuple[str, str, str, str], ...]
    charts: tuple[ChartView, ...]
    fleet: tuple[tuple[str, str], ...]
    note: str
    tried: bool


def portfolio_of(
    entries: Sequence[Entry], moves: Mapping[str, Move], fleet: Fleet, budgets: Mapping[int, float], money: Currency
) -> Portfolio:
    """The page for those plans with what is tried on them. All amounts are in `money`."""
    works = works_of(entries, moves)
    found = sums.clashes(works, fleet.holdings)
    months = sums.by_month(works)
    years = sums.by_year(works, budgets)
    return Portfolio(
        plans=tuple(_plan(entry, moves.get(entry.work.ident, Move()), money) for entry in entries),
        clashes=tuple(_clash(clash, works, fleet, money) for clash in found),
        years=tuple(_year(item, money) for item in years),
        months=tuple(
            (month, money.amount(band.expected), money.amount(band.low), money.amount(band.high))
            for month, band in months.items()
        ),
        charts=tuple(chart_view(chart) for chart in all_charts(works, fleet, budgets, money)),
        fleet=tuple((item.name, f"{item.count:,}") for item in fleet.holdings),
        note=_fleet_note(fleet),
        tried=any(not move.included or move.weeks for move in moves.values()),
    )


def works_of(entries: Iterable[Entry], moves: Mapping[str, Move]) -> list[Work]:
    """The plans that count, each at the start that is tried."""
    tried = [(entry, moves.get(entry.work.ident, Move())) for entry in entries]
    return [entry.later(move.weeks) for entry, move in tried if move.included]


def all_charts(works: Sequence[Work], fleet: Fleet, budgets: Mapping[int, float], money: Currency) -> list[Chart]:
    """The timeline, the use of each owned accelerator, and the money since January."""
    found = sums.clashes(works, fleet.holdings)
    years = sums.by_year(works, budgets)
    return charts_of(works, fleet.holdings, found, years, sums.since_january(works), money.code)


def _plan(entry: Entry, move: Move, money: Currency) -> PlanRow:
    work = entry.later(move.weeks)
    late = not sums.keeps_deadline(entry.work, move.weeks)
    return PlanRow(
        ident=work.ident,
        version_id=entry.version.public_id,
        name=work.name,
        number=entry.version.number,
        state=entry.version.state,
        source=work.source,
        start=plain_date(work.start),
        end=plain_date(work.end - timedelta(days=1)),
        cost=money.amount(work.total.expected),
        signed=money.amount(float(entry.version.signed) * entry.factor) if entry.version.signed else "",
        converted=_own(entry, money),
        included=move.included,
        weeks=move.weeks,
        note=f"ends after its deadline of {plain_date(work.latest)}" if late else "",
    )


def _own(entry: Entry, money: Currency) -> str:
    rate = exchanged(entry.currency, money)
    return f"{entry.currency.amount(entry.work.total.expected / entry.factor)} at {rate}" if rate else ""


def _clash(clash: Clash, works: Sequence[Work], fleet: Fleet, money: Currency) -> ClashRow:
    names = {item.accelerator: item.name for item in fleet.holdings}
    users = [work for work in works if work.ident in clash.plans]
    who = _listed([f"“{work.name}” ({work.count:,})" for work in users])
    last = clash.end - timedelta(days=1)
    sentence = (
        f"{plain_date(clash.start)} to {plain_date(last)}: {who} {'wants' if len(users) == 1 else 'want'} up to "
        f"{clash.most:,} × {names.get(clash.accelerator, clash.accelerator)} and {clash.owned:,} are owned: "
        f"{clash.most - clash.owned:,} too few, {compact(clash.missing_hours)} accelerator-hours in all."
    )
    return ClashRow(sentence=sentence, remedies=tuple(_remedies(clash, users, works, fleet, money)))


def _remedies(
    clash: Clash, users: Sequence[Work], works: Sequence[Work], fleet: Fleet, money: Currency
) -> Iterator[str]:
    """Moves that make room, then what renting costs; later plans first, since less of them has begun."""
    for work in sorted(users, key=lambda item: (item.start, item.name), reverse=True):
        weeks = sums.weeks_to_room(work, works, fleet.holdings)
        if weeks is None:
            reason = (
                "needs more than is owned at any time" if work.count > clash.owned else "finds no room in two years"
            )
            yield f"Moving “{work.name}” does not help: it {reason}."
            continue
        deadline = (
            "" if sums.keeps_deadline(work, weeks) else f", which is past its deadline of {plain_date(work.latest)}"
        )
        start = work.start + weeks * sums.WEEK
        yield f"Start “{work.name}” {weeks} {'week' if weeks == 1 else 'weeks'} later, on {plain_date(start)}{deadline}."
    rented = [work for work in users if work.rental]
    for work in sorted(rented, key=_extra):
        yield _rent(work, clash, money)


def _extra(work: Work) -> float:
    """What renting the whole plan costs more than running it on owned hardware."""
    return work.rental.total - work.total.expected if work.rental else 0.0


def _rent(work: Work, clash: Clash, money: Currency) -> str:
    assert work.rental is not None
    rental, extra = work.rental, _extra(work)
    more = f"{money.amount(abs(extra))} {'more' if extra >= 0 else 'less'} than on owned hardware"
    least = clash.missing_hours * rental.price_per_accelerator_hour
    return (
        f"Rent for “{work.name}”: {rental.hardware} from {rental.place} for {money.amount(rental.total)}"
        f"{beside(rental.signed, money)}, {more}. "
        f"The missing accelerator-hours alone would be {money.amount(least)} at that rate, if the work can be split."
    )


def _year(item: YearSum, money: Currency) -> YearRow:
    verdict, kept = "no budget is set", None
    if item.budget is not None:
        over = item.paid.expected - item.budget
        kept = over <= 0.005
        if not kept:
            month = date.fromisoformat(f"{item.spent_in}-01")
            verdict = f"spent in {month:%B}, {money.amount(over)} over by the end of the year"
        elif item.paid.high > item.budget:
            verdict = f"kept if costs are as expected, passed by {money.amount(item.paid.high - item.budget)} at P90"
        else:
            verdict = f"kept, {money.amount(-over)} left"
    return YearRow(
        year=item.year,
        expected=money.amount(item.paid.expected),
        band=f"{money.amount(item.paid.low)} to {money.amount(item.paid.high)}",
        widest=f"{money.amount(item.widest.low)} to {money.amount(item.widest.high)}",
        budget=money.amount(item.budget) if item.budget is not None else "",
        verdict=verdict,
        kept=kept,
    )


def _fleet_note(fleet: Fleet) -> str:
    if not fleet.declared:
        return ""
    return (
        f"The catalog has no entry for owned {_listed(fleet.declared)}: the largest count that a plan states is taken."
    )


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
