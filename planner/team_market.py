"""The market that a team plans on today, and the money that it reads amounts in."""

from __future__ import annotations

from accounts.models import Team
from catalog.store import NoCatalog
from engine.inputs.hardware import Market
from planner.market import market_from_files, market_from_rows
from planner.presenters.currency import Currency, currency_for


def market_of(team: Team) -> Market:
    """The team's current market; the public one of the program's own files while no release is loaded."""
    try:
        return market_from_rows(team)
    except NoCatalog:
        return market_from_files()


def team_money(team: Team) -> Currency:
    """What a team reads money in, at the rate of its current catalog; the dollar asks for no catalog."""
    return Currency() if team.currency == "USD" else currency_for(team.currency, market_of(team))
