"""What the portfolio is made of: a team's plans as works, what it owns, and its yearly budgets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from django.db.models import Prefetch

from accounts import access
from accounts.models import Team
from catalog.kept import Kept
from engine.answer import CostModel, Option
from engine.inputs.hardware import Market
from engine.money.cash import cash_by_month
from engine.money.jointly import shares_of
from planner.frozen.snapshot import Plan, opened
from planner.frozen.stored import Utf8
from planner.models import PlanVersion, TeamBudget, Workload
from planner.pages.portfolio.sums import WEEK, Band, Holding, Rental, Work, converted
from planner.presenters.currency import Currency, currency_of
from planner.presenters.words import hardware, place
from planner.versions import decisive

MOST_PLANS = 100


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One workload with the version of it that counts: the approved one, else the newest."""

    workload: Workload
    version: PlanVersion
    work: Work
    model: CostModel = field(repr=False)
    currency: Currency = field(default_factory=Currency)
    """Its plan's own, at the rate that the plan froze."""
    factor: float = 1.0
    """What one unit of that is in the currency of the portfolio."""

    def later(self, weeks: int) -> Work:
        """The plan so many weeks later: the same payments from its new start."""
        if not weeks:
            return self.work
        start = self.work.start + weeks * WEEK
        return replace(self.work, start=start, months=_months(self.model, start, self.factor))


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """What the team owns, and what of it is known only from a request."""

    holdings: tuple[Holding, ...]
    declared: tuple[str, ...]
    """Names of accelerators that no entry of the catalog tells of: the largest count that a plan states."""


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What the portfolio needs of one frozen plan: small, where the plan itself is large."""

    work: Work | None
    model: CostModel | None
    owned: tuple[tuple[str, int], ...]
    currency: Currency


def entries_of(team: Team, money: Currency) -> tuple[list[Entry], list[Workload], dict[str, int]]:
    """The team's plans by start, its workloads without a feasible version, and what their requests say is owned.

    Amounts are in `money`: those of a plan in another currency by way of the dollar, at the rates of both.
    """
    versions = Prefetch("versions", PlanVersion.objects.newest_first(), to_attr="listed")
    rows = access.rows_of(team, Workload).filter(archived_at=None).order_by("-updated_at")[:MOST_PLANS]
    chosen = [(row, decisive(row.listed)) for row in rows.prefetch_related(versions)]
    facts = _facts_of([version for _, version in chosen if version])
    entries: list[Entry] = []
    without: list[Workload] = []
    owned: dict[str, int] = {}
    for row, version in chosen:
        found = facts.get(version.sha256) if version else None
        if version is None or found is None or found.work is None or found.model is None:
            without.append(row)
            continue
        factor = 1.0 if found.currency.code == money.code else money.per_usd / found.currency.per_usd
        work = converted(replace(found.work, ident=row.public_id, name=row.name), factor)
        entries.append(
            Entry(workload=row, version=version, work=work, model=found.model, currency=found.currency, factor=factor)
        )
        for kind, count in found.owned:
            owned[kind] = max(owned.get(kind, 0), count)
    return sorted(entries, key=lambda entry: (entry.work.start, entry.work.name)), without, owned


def fleet_of(market: Market, declared: Mapping[str, int]) -> Fleet:
    """What the team's catalog says it owns, by accelerator; for others the largest count that a plan states."""
    counts: dict[str, int] = {}
    for item in market.holdings:
        counts[item.device] = counts.get(item.device, 0) + item.count
    unknown = {kind: count for kind, count in declared.items() if kind not in counts}
    return Fleet(
        holdings=tuple(
            Holding(accelerator=kind, name=_name(kind, market), count=count)
            for kind, count in sorted({**counts, **unknown}.items())
        ),
        declared=tuple(_name(kind, market) for kind in sorted(unknown)),
    )


def budgets_of(team: Team, market: Market, money: Currency) -> dict[int, float]:
    """The team's budget of each year in `money`; one that was set in another currency at the catalog's rate of exchange."""
    rows = access.rows_of(team, TeamBudget).order_by("year")
    factors = {row.currency: money.of(usd_per(row.currency, market)) for row in rows if row.currency != money.code}
    return {row.year: float(row.amount) * factors.get(row.currency, 1.0) for row in rows}


def usd_per(currency: str, market: Market) -> float:
    """US dollars for one unit; 1 where the catalog has no rate, as for the dollar itself."""
    return market.fx_usd.get(currency, (1.0, ""))[0]


def _name(kind: str, market: Market) -> str:
    return market.devices[kind].name if kind in market.devices else kind


_kept: Kept[_Found] = Kept(512)


def _facts_of(versions: Iterable[PlanVersion]) -> dict[str, _Found]:
    """The facts of those frozen plans by hash. A hash never changes its plan, so each is read once for a process."""
    wanted = {version.sha256: version.pk for version in versions}
    found = {sha: facts for sha in wanted if (facts := _kept.found(sha)) is not None}
    missing = [pk for sha, pk in wanted.items() if sha not in found]
    rows = PlanVersion.objects.filter(pk__in=missing).values_list("sha256", Utf8("body"))
    for sha, body in rows.iterator(chunk_size=1):
        found[sha] = _kept.keep(sha, _found(bytes(body)))
    return found


def _found(body: bytes) -> _Found:
    """Of the options only the recommended one is kept, and what the cheapest of the others says."""
    plan, alternatives = opened(body)
    owned = tuple((item.accelerator, item.count) for item in plan.spec.owned)
    best, currency = plan.recommendation.recommended, currency_of(plan)
    if best is None:
        return _Found(work=None, model=None, owned=owned, currency=currency)
    return _Found(work=_work(plan, best, alternatives), model=best.cost.model, owned=owned, currency=currency)


def _work(plan: Plan, best: Option, alternatives: Iterable[Option]) -> Work:
    start = plan.start
    deadline = plan.spec.constraints.deadline_days
    total = best.cost.total
    return Work(
        ident="",
        name=plan.name,
        owned=best.kind == "owned",
        source=f"{hardware(best)}, {place(best)}",
        accelerator=best.accelerator,
        count=best.count,
        start=start,
        days=best.days.expected,
        latest=start + timedelta(days=deadline) if deadline else None,
        total=Band(low=total.low, expected=total.expected, high=total.high),
        months=_months(best.cost.model, start),
        rental=_rental(best, alternatives),
        shared=shares_of(
            plan.recommendation.drivers,
            accelerator=best.accelerator,
            work=plan.spec.workload,
            assumed={item.id.partition(".")[2] for item in plan.recommendation.assumptions},
        ),
    )


def _rental(best: Option, alternatives: Iterable[Option]) -> Rental | None:
    """The cheapest way of that plan to rent, in time if any is; None for a plan that rents already, or has none."""
    if best.kind == "cloud":
        return None
    rented = (option for option in alternatives if option.kind == "cloud")
    cheapest = min(rented, key=lambda option: (not option.meets_deadline, option.cost.ranked_by), default=None)
    if cheapest is None:
        return None
    return Rental(
        hardware=hardware(cheapest),
        place=place(cheapest),
        total=cheapest.cost.total.expected,
        price_per_accelerator_hour=cheapest.cost.price_per_accelerator_hour,
        signed=cheapest.cost.signed,
    )


def _months(model: CostModel, start: date, factor: float = 1.0) -> dict[str, float]:
    return {item.month: (item.opex + item.capex) * factor for item in cash_by_month(model, start)}
