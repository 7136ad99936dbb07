"""Which payments of a plan draw a spend commitment, and by how much each: what FOCUS says beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from engine.answer import DRAWN, SAVED, TAXES, Option
from engine.money.cash import month_of, split_units
from engine.money.contracts import binds
from engine.money.entries import Entry
from engine.money.pool import RELEASED
from engine.money.views import Accounts
from planner.names import provider_name

_INSTANCES = ("compute", "second_compute", "spares")


@dataclass(frozen=True, kw_only=True)
class DrawnRows:
    """One commitment: how it is called, and what each payment draws of it in smallest units."""

    ident: str
    name: str
    hourly: bool
    drawn: dict[tuple[str, str], int]
    """By line and month."""

    @classmethod
    def of(cls, found: Accounts, best: Option, cash: Sequence[Entry]) -> DrawnRows | None:
        """None where the plan draws none."""
        pool, offer = found.views.pool, best.offer
        if pool is None or offer is None:
            return None
        hourly = any(line.name == SAVED and line.schedule != "settled" for line in best.cost.model.lines)
        last = month_of(pool.until)
        paid = [
            one for one in cash if one.month <= last and (one.line in _INSTANCES if hourly else one.line not in TAXES)
        ]
        return cls(
            ident=f"{offer.provider}/spend/{pool.until.isoformat()}",
            name=f"{provider_name(offer.provider)}, until {pool.until.isoformat()}",
            hourly=hourly,
            drawn=_shares(found, paid),
        )

    def of_entry(self, entry: Entry) -> int:
        """What that payment draws."""
        return self.drawn.get((entry.line, entry.month), 0)


def _shares(found: Accounts, paid: Sequence[Entry]) -> dict[tuple[str, str], int]:
    """What the ledger says is drawn, over the payments that draw it: those of its month, or those of a contract of their own."""
    drawn: dict[tuple[str, str], int] = {}
    released = 0
    by_month: dict[str, int] = defaultdict(int)
    for entry in found.ledger.entries:
        if (entry.view, entry.contract, entry.line) == ("committed", "spend", DRAWN):
            by_month[entry.month] -= entry.units
        if entry.line == RELEASED:
            released -= entry.units
    groups = [([one for one in paid if binds(one.contract)], released)]
    groups += [
        ([one for one in paid if not binds(one.contract) and one.month == month], units)
        for month, units in by_month.items()
    ]
    for entries, units in groups:
        weights = [float(one.units) for one in entries]
        if units and sum(weights) > 0:
            for one, part in zip(entries, split_units(units, weights), strict=True):
                drawn[one.line, one.month] = part
    return drawn
