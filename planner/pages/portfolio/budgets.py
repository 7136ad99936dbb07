"""The write step of a team's yearly budgets."""

from __future__ import annotations

from decimal import Decimal

from django.db import transaction
from django.utils import timezone

from accounts import access, audit
from accounts.models import ApiToken, Membership, Role
from planner.models import TeamBudget
from planner.request.amounts import USD, currency_in, kept, parse_amount
from planner.request.quantities import QuantityError

MAY_SET = (Role.FINANCE,)
FIRST, LAST = 2000, 2200
_MOST = 1e13


@transaction.atomic
def set_budget(member: Membership, *, year: int, amount: str, token: ApiToken | None = None) -> TeamBudget | None:
    """The budget of that year in the team's currency, as somebody types it (“1.5 M”); an empty text removes it.

    ValueError with one sentence for a year or an amount that cannot be.
    """
    access.require_role(member, *MAY_SET)
    if not FIRST <= year <= LAST:
        raise ValueError(f"“Year” must be between {FIRST} and {LAST}.")
    before = access.rows_of(member.team, TeamBudget).filter(year=year).first()
    if not amount.strip():
        access.rows_of(member.team, TeamBudget).filter(year=year).delete()
        row = None
    else:
        row, _ = TeamBudget.objects.update_or_create(
            team=member.team,
            year=year,
            defaults={
                "amount": _read(amount, member.team.currency),
                "currency": member.team.currency,
                "changed_by": member.user,
                "changed_at": timezone.now(),
            },
        )
    data = {"year": year, "before": str(before or ""), "after": str(row or "")}
    audit.record("budget.set", member.team.public_id, team=member.team, actor=member.user, token=token, data=data)
    return row


def _read(text: str, currency: str) -> Decimal:
    try:
        if currency_in(text) not in ("", currency):
            raise QuantityError(f"“{text.strip()}” is not in {currency}, the team's currency: convert it first.")
        value = parse_amount(kept(text, currency), USD, {currency: (1.0, "")})
    except QuantityError as error:
        raise ValueError(f"“Budget”: {error}") from error
    if not 0 <= value <= _MOST:
        raise ValueError("“Budget” must be between 0 and 10 trillion.")
    return Decimal(f"{value:.2f}")
