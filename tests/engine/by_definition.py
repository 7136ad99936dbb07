"""The money of a plan worked out from the definitions of its views alone, with nothing of the engine but the values of the
inputs of a cost model: what is billed under each contract, when it is paid, booked, owed, and what it is worth.
"""

from __future__ import annotations

import math
from calendar import monthrange
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

YEAR, MONTH = 8760, 730


@dataclass
class Sums:
    """Each view in smallest units; months as 2027-01."""

    committed: int = 0
    cash: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    expense: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    allocated: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    economic: int = 0
    worth: float = 0.0


@dataclass
class Book:
    """Posts bills into the views. `rate`: units of the currency for a dollar; `digits`: decimals of its smallest unit."""

    v: dict[str, float]
    start: date
    as_of: date
    rate: float
    digits: int
    discount: float
    sums: Sums = field(default_factory=Sums)

    def cents(self, amount: float) -> int:
        """An amount rounded half away from zero to smallest units."""
        exact = Decimal(f"{amount:.15g}").scaleb(self.digits)
        return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP))

    def money(self, amount: float) -> float:
        """The same as an amount of the currency."""
        return self.cents(amount) / 10**self.digits

    def price(self, name: str) -> float:
        """A price of the inputs in the currency of the plan."""
        return self.v[name] * self.rate

    def owed(self, kind: str) -> float:
        """Share of a bill for that kind of thing that is paid as tax and does not come back."""
        return self.v.get(f"tax_on_{kind}", 0.0) * (1 - self.v.get("tax_recovered", 0.0))

    def taxed(self, units: int) -> int:
        """The tax on so many smallest units of a service."""
        return self.cents(units / 10**self.digits * self.owed("services"))

    def pay(self, day: date, units: int, *, owed: bool = False) -> None:
        """Cash on that day, and what it was worth on the day of the request."""
        self.sums.cash[day.strftime("%Y-%m")] += units
        self.sums.worth += units / (1 + self.discount) ** ((day - self.as_of).days / 365)
        self.sums.committed += units if owed else 0

    def bill(
        self,
        whole: int,
        months: dict[str, Fraction],
        *,
        share: int | None = None,
        owed: bool = False,
        once: date | None = None,
    ) -> None:
        """A bill for use in those months: paid at the end of each, or `once`; `share` of it is carried by this work."""
        share = whole if share is None else share
        for month, part in portions(whole, months).items():
            self.sums.expense[month] += part
            if once is None:
                self.pay(month_end(month), part, owed=owed)
        for month, part in portions(share, months).items():
            self.sums.allocated[month] += part
        if once is not None:
            self.pay(once, whole, owed=owed)
        self.sums.economic += share

    def lease(self, whole: int, months: int, *, share: int | None = None) -> None:
        """What a lessor asks for: as much on the last day of each month of the lease, booked evenly over its months; of the calendar
        months at its ends the part that is leased."""
        for number, part in enumerate(portions(whole, {str(one): Fraction(1) for one in range(months)}).values(), 1):
            self.pay(later(self.start, number) - timedelta(days=1), part, owed=True)
        used: dict[str, Fraction] = defaultdict(Fraction)
        length = monthrange(self.start.year, self.start.month)[1]
        for number in range(months + 1):
            month = later(self.start.replace(day=1), number).strftime("%Y-%m")
            used[month] += Fraction(length - self.start.day + 1, length) if number == 0 else int(number < months)
        used[month] += months - sum(used.values())
        for view, units in ((self.sums.expense, whole), (self.sums.allocated, whole if share is None else share)):
            for month, part in portions(units, used).items():
                view[month] += part
        self.sums.economic += whole if share is None else share

    def run(self, hours: float) -> dict[str, Fraction]:
        """The hours of work from the start that fall into each calendar month."""
        at, found = datetime.combine(self.start, time()), {}
        end = at + timedelta(hours=hours)
        while at < end:
            after = datetime.combine((at.date().replace(day=28) + timedelta(days=4)).replace(day=1), time())
            found[at.strftime("%Y-%m")] = Fraction((min(end, after) - at) // timedelta(microseconds=1))
            at = after
        return found

    def months(self, begun: date, count: float) -> dict[str, Fraction]:
        """The days of so many months from that day in each calendar month; of a part of a month so much of 730 hours."""
        whole = int(count + 1e-9)
        if count - whole > 1e-9:
            return replace(self, start=begun).run(count * MONTH)
        days: dict[str, Fraction] = defaultdict(Fraction)
        for number in range(begun.toordinal(), later(begun, whole).toordinal()):
            days[date.fromordinal(number).strftime("%Y-%m")] += 1
        return dict(days)


def later(day: date, months: int) -> date:
    """The same day of a later month, or its last."""
    year, month = divmod(day.month - 1 + months, 12)
    year, month = day.year + year, month + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def month_end(month: str) -> date:
    """The last day of 2027-01."""
    year, number = map(int, month.split("-"))
    return date(year, number, monthrange(year, number)[1])


def portions(units: int, weights: dict[str, Fraction]) -> dict[str, int]:
    """Whole units in proportion, those with the largest remainders rounded up, adding up exactly."""
    total = sum(weights.values())
    exact = {month: units * weight / total for month, weight in weights.items()}
    found = {month: math.floor(value) for month, value in exact.items()}
    order = sorted(exact, key=lambda month: found[month] - exact[month])
    for month in order[: units - sum(found.values())]:
        found[month] += 1
    return {month: part for month, part in found.items() if part}


def rented_run(book: Book, option: str) -> None:
    """A training run on instances: by the hour, on spot with a fallback, under a commitment or a lease, or in a paid block."""
    v, price = book.v, book.price("price_per_instance_hour")
    hours = v["run_hours"] / v["goodput"] * (v["runs"] + v["experiment_overhead"])
    spares, use = v.get("spare_instances", 0.0), book.run(hours)
    if option.startswith("commit") or option == "lease":
        term = v["term_months"] * MONTH
        paid = math.ceil(round(hours / term, 9)) * term
        other = max(0.0, min(v["horizon_months"] * MONTH, paid) - hours) * v["utilisation"]
        share, span = hours / (hours + other), book.months(book.start, paid / MONTH)
        mine, whole = book.cents(v["instances"] * paid * price * share), book.cents(v["instances"] * paid * price)
        part, more = 0, 0
        if spares:
            part, more = book.cents(mine / 10**book.digits * spares / v["instances"]), book.cents(spares * paid * price)
        for all_of, own in ((whole, mine), (more, part), (book.taxed(whole + more), book.taxed(mine + part))):
            if option == "lease":
                book.lease(all_of, round(paid / MONTH), share=own)
            else:
                book.bill(all_of, span, share=own, owed=True)
    else:
        block = option == "capacity_block"
        paid = math.ceil(round(hours / 24, 9)) * 24 if block else hours
        compute = book.cents(v["instances"] * paid * price)
        held = book.cents(compute / 10**book.digits * spares / v["instances"])
        for part in (compute, held, book.taxed(compute + held)):
            book.bill(
                part, use, owed=block, once=book.start - timedelta(days=v.get("booked_days", 0)) if block else None
            )
        if "fallback_share" in v:
            more = max(book.price("on_demand_price") - price, 0.0)
            dear = book.cents(v["instances"] * paid * v["fallback_share"] * more)
            book.bill(dear, use)
            book.bill(book.taxed(dear), use)
    kept = book.cents(v["storage_gb"] * book.price("storage_usd_per_gb_month") * hours / MONTH)
    sent = book.cents(v["egress_gb"] * book.price("egress_usd_per_gb") * v["runs"])
    for part in (kept, sent, book.taxed(kept + sent)):
        book.bill(part, use)


def rented_service(book: Book, option: str) -> None:
    """A service or a batch on instances: by the hour, or under a commitment that it pays for alone."""
    v = book.v
    months = v["months"] if "months" in v else v["batch_hours"] / MONTH
    paid = math.ceil(round(months / v["term_months"], 9)) * v["term_months"] if "term_months" in v else months
    span, hours = book.months(book.start, paid), v["instances"] * paid * MONTH
    compute = book.cents(hours * book.price("price_per_instance_hour"))
    for part in (compute, book.taxed(compute)):
        if option == "lease":
            book.lease(part, round(paid))
        else:
            book.bill(part, span, owed=option.startswith("commit"))
    around = [book.cents(book.price(f"{name}_usd_month") * times * months) for name, times in stack(v)]
    around.append(book.cents(v["storage_gb"] * book.price("storage_usd_per_gb_month") * months))
    around.append(book.cents(v["egress_gb_month"] * book.price("egress_usd_per_gb") * months))
    for part in (*around, book.taxed(sum(around))):
        book.bill(part, span)


def stack(v: dict[str, float]) -> list[tuple[str, float]]:
    """What stands around a service, and how many of it are paid each month."""
    known = ("balancer", "gateway", "registry", "monitoring")
    return [(name, v["instances"] if name == "monitoring" else 1.0) for name in known if f"{name}_usd_month" in v]


def purchase(book: Book, *, alone: bool = False) -> None:
    """Servers that are bought, with what is rented until they come: written off evenly down to the value left. `alone`: nobody else
    uses them, so that all of the purchase is for this work."""
    v = book.v
    lead = max(0.0, v.get("lead_months", 0.0) - v.get("ahead_months", 0.0)) / 12 * YEAR
    bridged = "bridge_usd_per_hour" in v
    work = worked(v)
    demand = years_of_demand(v, work)
    busy, held, own = v.get("busy_devices", v["devices"]), demand, work
    lasts = work / busy
    if bridged:
        lead = min(lead, demand * YEAR)
        held = max(held - lead / YEAR, 1 / 12)
        ends = work / busy
        own = work - work * min(1.0, lead / ends)
        lasts = max(ends - lead, 0.0)
        rent = book.cents((work - own) * book.price("bridge_usd_per_hour"))
        for part in (rent, book.taxed(rent)):
            book.bill(part, book.run(min(lead, ends)))
    servers = book.money(v["servers"] * book.price("price_per_server"))
    spares = max(servers * v["spares_share"], v.get("spare_servers", 0.0) * book.price("price_per_server"))
    parts = [
        servers,
        book.money(servers * v["network_share"]),
        book.money(servers * v["storage_share"]),
        book.money(spares),
        book.money(v["servers"] * v["rack_units"] * book.price("install_per_rack_unit")),
    ]
    goods = sum(parts[:4])
    parts += [book.money(goods * v["freight_share"]), book.money(goods * v.get("duty_share", 0.0))]
    order, fees = book.money(sum(parts)), sum(parts[5:])
    tax = book.money(order * book.owed("purchases"))
    years_run = min(held, own / (v["devices"] * YEAR * v["utilisation"]))
    share = 1.0 if alone else years_run / held
    accepted = book.start + timedelta(hours=lead)
    come = book.start + timedelta(hours=lead - min(lead, v.get("acceptance_months", 0.0) / 12 * YEAR))
    years = min(held, v["life_years"])
    months, lives = book.months(accepted, held * 12), held / years
    gone = later(accepted, math.ceil(held * 12 - 1e-9))
    assert lives <= 1 + 1e-9, "this definition buys once"
    for part in (order, tax):
        book.bill(book.cents(part), months, share=book.cents(part * lives * share), owed=True, once=come)
    # Nobody pays for the freight of used hardware, nor for the duty that was on it.
    left = book.money((order - fees) * v["residual_share"] ** (years / v["life_years"]))
    removal = book.money(v["servers"] * v["rack_units"] * book.price("disposal_per_rack_unit"))
    for part in (-left, removal):
        book.bill(book.cents(part), months, share=book.cents(part * lives * share), once=gone)
    rate, back = v["wacc"], left - removal
    annuity = book.money((order + tax - back / (1 + rate) ** years) * rate / (1 - 1 / (1 + rate) ** years))
    book.sums.economic += book.cents((annuity * years - (order + tax - back)) * lives * share)
    for yearly in operation(book, servers):
        book.bill(book.cents(yearly * years_run), months if "months" in v else replace(book, start=accepted).run(lasts))


def worked(v: dict[str, float]) -> float:
    """Accelerator-hours of the work: of a service those of a month, as often as it has months."""
    if "month_hours" in v:
        return v["month_hours"] * v["months"]
    return v["accelerator_hours"] if "accelerator_hours" in v else v["run_hours"] / v["goodput"]


def years_of_demand(v: dict[str, float], work: float) -> float:
    """The months of a service; the horizon, or the work where that is longer; the work alone without a horizon."""
    if "months" in v:
        return v["months"] / 12
    if "horizon_months" not in v:
        return v["horizon_years"]
    alone = v["batch_hours"] / MONTH / 12 if "batch_hours" in v else work / v["devices"] / YEAR
    return max(v["horizon_months"] / 12, alone)


def operation(book: Book, servers: float) -> list[float]:
    """Energy, space, support, people, licences and the line out, for a year."""
    v = book.v
    load = v["idle_load"] + (v["busy_load"] - v["idle_load"]) * v["utilisation"]
    power = v["servers"] * v["server_kw"]
    hosted = v["hosted"] > 0
    people = max(v["servers"] / v["nodes_per_fte"], min(v["least_fte"], v["servers"] / v["few_nodes_per_fte"]))
    yearly = [
        0.0 if hosted else power * load * v["pue"] * YEAR * book.price("usd_per_kwh"),
        power * book.price("hosting_usd_per_kw_month") * 12 if hosted else 0.0,
        servers * v["maintenance_share"],
        people * book.price("usd_per_fte"),
        v["devices"] * book.price("software_per_device_year"),
        book.price("transit_usd_year"),
    ]
    paid = [book.money(one) for one in yearly]
    wages = paid[3]
    return [*paid, book.money((sum(paid) - wages) * book.owed("services"))]


def owned_run(book: Book) -> None:
    """Hardware that is paid for: its energy and upkeep, and what the books write off in its hours."""
    v = book.v
    hours = worked(v)
    use = book.run(hours / v["devices"])
    energy = hours * v["device_kw"] * v["busy_load"] * v["pue"]
    bought = [
        book.cents(energy * book.price("usd_per_kwh")),
        book.cents(hours * book.price("value_per_device") * v["maintenance_share"] / YEAR),
        book.cents(book.price("transit_usd_year") * hours / v["devices"] / YEAR),
    ]
    people = hours / v["devices_per_server"] / v["nodes_per_fte"]
    for part in (*bought, book.taxed(sum(bought)), book.cents(people * book.price("usd_per_fte") / YEAR)):
        book.bill(part, use)
    if "book_value_per_device" in v:
        written = book.cents(hours * book.price("book_value_per_device") / (v["book_years_left"] * YEAR))
        for month, part in portions(written, use).items():
            book.sums.expense[month] += part
            book.sums.allocated[month] += part
