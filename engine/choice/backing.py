"""What stands behind each part of what is paid: a quote that holds when it is needed, a public price, or less.

The parts are those of the cash flow: of a purchase or a commitment all of it, whatever share of it this work carries, for
that is what is signed. What comes back, and what nobody pays, stands behind nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from engine.answer import EXCESS, FULL_PRICE, Backing, CostModel, Option, PriceStanding
from engine.context import Context
from engine.inputs.agreed import has_run_out
from engine.inputs.finding import Finding, Ref, finding
from engine.inputs.freshness import LIST_DAYS, days_old
from engine.inputs.hardware import Fact, Offer
from engine.inputs.named import seller_ref
from engine.inputs.spec import AgreedPrice
from engine.money.second_site import SECOND
from engine.money.taxes import TAX_EXCESS, TAX_INSTANCES, TAX_LATER

HOURS = ("compute", "spares", TAX_INSTANCES, FULL_PRICE, TAX_LATER, EXCESS, TAX_EXCESS)
"""Lines that are hours of instances at the price of the option, and the tax on them."""
ON_DEMAND = ("fallback", "bridge")
"""Lines that are hours at a listed on-demand price."""
STOCK = {"storage": ("storage_gb_month", "storage_usd_per_gb_month"), "egress": ("egress_gb", "egress_usd_per_gb")}
"""Line → what an agreed price of it is for, and the fact of the provider that lists it."""
_BOUGHT, _SERVERS, _WHOLE = "purchase", "server_cost", "capex"
_REST = "purchase_rest"
"""Name of what is bought beside the servers themselves."""


@dataclass(frozen=True, slots=True)
class _Ground:
    """A standing with its reason."""

    standing: PriceStanding
    told: Finding
    valid_until: date | None = None


_ASSUMED = _Ground("indicative", finding("backing.assumed"))


def backing_of(context: Context, best: Option) -> tuple[Backing, ...]:
    """Every part that is paid, the largest first."""
    labels = {line.name: line.label for line in best.cost.model.lines}
    parts = [
        Backing(
            line=name,
            label=labels.get(name) or labels[_BOUGHT],
            amount=amount,
            standing=ground.standing,
            told=ground.told,
            valid_until=ground.valid_until,
        )
        for name, amount, ground in _parts(context, best)
    ]
    return tuple(sorted(parts, key=lambda part: (-part.amount, part.line)))


def shares_of(parts: tuple[Backing, ...]) -> dict[PriceStanding, float]:
    """The share of what is paid that stands on each; they add up to 1. All zero where nothing is paid."""
    whole = sum(part.amount for part in parts)
    found: dict[PriceStanding, float] = {"quoted": 0.0, "public": 0.0, "indicative": 0.0}
    for part in parts:
        found[part.standing] += part.amount
    # Divided once at the end: the sum of ten shares is 0.9999999999, which is told as 99.9%.
    return {standing: amount / whole if whole else 0.0 for standing, amount in found.items()}


def _parts(context: Context, best: Option) -> Iterator[tuple[str, float, _Ground]]:
    for name, amount in paid_by_line(best.cost.model).items():
        if amount <= 0:
            continue
        if name != _BOUGHT:
            yield name, amount, _ground(context, best, name)
            continue
        servers = amount * _server_share(best.cost.model)
        yield name, servers, _of_servers(context, best)
        if amount > servers:
            yield _REST, amount - servers, _ASSUMED


def paid_by_line(model: CostModel) -> Mapping[str, float]:
    """What leaves the account for each line, over all months."""
    paid: dict[str, float] = defaultdict(float)
    for month in model.cash:
        for name, amount in month.by_line:
            paid[name] += amount
    return paid


def _server_share(model: CostModel) -> float:
    """The servers themselves, as a share of all that is bought with them."""
    amounts = {line.name: line.amount for line in model.lines}
    return amounts[_SERVERS] / amounts[_WHOLE]


def _ground(context: Context, best: Option, line: str) -> _Ground:
    offer = best.offer
    if line == "bridge":
        return _listed(_input_day(best.cost.model, "bridge_usd_per_hour"), context.as_of)
    if offer is None:
        return _ASSUMED
    if line in HOURS:
        return of_hours(context, offer)
    if line == SECOND:
        return of_hours(context, best.sites[-1].offer)
    if line in ON_DEMAND:
        return _of_list(offer, context.as_of)
    return _of_stock(context, offer, line) if line in STOCK else _ASSUMED


def _input_day(model: CostModel, name: str) -> str:
    return next((item.date for item in model.inputs if item.name == name), "")


def of_hours(context: Context, offer: Offer) -> _Ground:
    """Of the instances: their own price, which is needed on the first day of the work."""
    if offer.basis == "quoted":
        return _quoted(offer.valid_until, context.start)
    if offer.option == "spot":
        return _Ground("indicative", finding("backing.spot", provider=seller_ref(offer)))
    return _of_list(offer, context.as_of)


def _of_list(offer: Offer, as_of: date) -> _Ground:
    """Of a price that is listed: whoever reads it from the seller can buy at it, as long as it is fresh."""
    if offer.basis == "second_hand":
        return _Ground("indicative", finding("backing.second_hand", provider=seller_ref(offer)))
    if offer.basis == "marketplace":
        return _Ground("indicative", finding("backing.marketplace", provider=seller_ref(offer)))
    return _listed(offer.price_date, as_of)


def _of_stock(context: Context, offer: Offer, line: str) -> _Ground:
    """Of storage and data transfer: as agreed, else as the provider lists it, where that was read and not remembered."""
    what, field = STOCK[line]
    agreed = _agreed(context, offer, what)
    if agreed:
        return _quoted(agreed.valid_until.isoformat() if agreed.valid_until else "", context.start)
    fact = _fact(context, f"provider.{offer.provider}.{field}")
    if fact is None or fact.confidence == "memory":
        return _Ground("indicative", finding("backing.memory", provider=seller_ref(offer)))
    return _listed(fact.date, context.as_of)


def _agreed(context: Context, offer: Offer, what: str) -> AgreedPrice | None:
    rows = (price for price in context.spec.agreed if (price.item, price.what) == (offer.id, what))
    return next((price for price in rows if not has_run_out(price.valid_until, context.as_of)), None)


def _fact(context: Context, name: str) -> Fact | None:
    return next((fact for fact in context.market.facts if fact.id == name), None)


def _of_servers(context: Context, best: Option) -> _Ground:
    """Of servers that are bought: they are ordered on the day of the request."""
    system = next((one for one in context.market.systems if one.slug == best.on_prem), None)
    if system is None or not system.quoted:
        return _Ground("indicative", finding("backing.range", system=Ref("system", best.on_prem, best.system_name)))
    return _quoted(system.valid_until, context.as_of)


def _quoted(until: str, needed: date) -> _Ground:
    """Of a quote: it counts where it holds on the day on which it is needed."""
    if not until:
        return _Ground("indicative", finding("backing.open_quote"))
    day = date.fromisoformat(until)
    if day < needed:
        return _Ground("indicative", finding("backing.short_quote", until=day, needed=needed), day)
    return _Ground("quoted", finding("backing.quoted", until=day), day)


def _listed(day: str, as_of: date) -> _Ground:
    """Of a list price: by its age."""
    age = days_old(day, as_of)
    if age is None:
        return _Ground("indicative", finding("backing.undated"))
    if age > LIST_DAYS:
        return _Ground("indicative", finding("backing.old", day=date.fromisoformat(day), age=age))
    return _Ground("public", finding("backing.public", day=date.fromisoformat(day)))
