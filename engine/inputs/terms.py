"""Terms that a team has agreed with sellers: percentages, money that is owed to a provider already, rented servers.

A spend commitment (an enterprise discount programme, a consumption commitment, a savings plan) is money and no machine: whatever
is used at that provider draws it down, and what nobody has drawn when it ends is paid all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen

from engine.inputs.quantity import Q

Sold = Literal["any", "on_demand", "spot", "commit_1y", "commit_3y", "capacity_block"]
"""How an instance is had; any = in every way."""
Lapses = Literal["at_end", "hourly"]
_STRICT = {"extra": "forbid"}
"""Read by the doors that are built on pydantic: an unknown key is refused by name."""


@dataclass(frozen=True, kw_only=True)
class Discount:
    """A percentage off the listed price of instance-hours. Of several that hold for an offer the narrowest counts."""

    __pydantic_config__ = _STRICT

    at: Annotated[
        str,
        MinLen(1),
        MaxLen(200),
        Q(
            "",
            "Discount at",
            "A provider, or what it sells: provider, provider/instance or provider/instance/region. The narrowest discount "
            "counts, an agreed price goes before all of them.",
        ),
    ]
    option: Annotated[Sold, Q(label="Discount when had", help="Which way of having an instance it holds for.")] = "any"
    share: Annotated[float, Gt(0), Lt(1), Q("", "Discount", "Share of the listed price; 0.12 = 12 %.")]


@dataclass(frozen=True, kw_only=True)
class SpendCommitment:
    """Money that is owed to a provider whatever is used there, and what it still takes to draw it down."""

    __pydantic_config__ = _STRICT

    provider: Annotated[str, MinLen(1), MaxLen(80), Q(label="Spend commitment with")]
    left_usd: Annotated[
        float,
        Gt(0),
        Le(1e12),
        Q("USD", "Still to be drawn", "What of the commitment is left on the day of the request."),
    ]
    until: Annotated[date, Q(label="Until", help="Last day on which use draws it; what is left then is paid unused.")]
    others_usd_month: Annotated[
        float, Ge(0), Le(1e12), Q("USD/month", "Drawn by other work", "What the rest of the team uses there anyway.")
    ] = 0.0
    discount: Annotated[
        float,
        Ge(0),
        Lt(1),
        Q(
            "",
            "Discount of the commitment",
            "Share off the price after all other discounts, until it ends; 0.05 = 5 %.",
        ),
    ] = 0.0
    option: Annotated[
        Sold, Q(label="That discount when had", help="Which way of having an instance the discount holds for.")
    ] = "any"
    lapses: Annotated[
        Lapses,
        Q(
            label="What is not drawn lapses",
            help="At the end, as of a programme with a total (EDP, MACC); or hour by hour, as of a savings plan, which only "
            "on-demand instances draw.",
        ),
    ] = "at_end"


@dataclass(frozen=True, kw_only=True)
class Lease:
    """Servers that a lessor puts into the team's own rooms for so many months, at so much a month."""

    __pydantic_config__ = _STRICT

    system: Annotated[
        str, MinLen(1), MaxLen(120), Q(label="Leased server", help="The slug of a server of the catalog.")
    ]
    lessor: Annotated[str, MaxLen(120), Q(label="Lessor")] = ""
    usd_month: Annotated[
        float, Gt(0), Le(1e8), Q("USD/month", "Rate of one server", "Energy and people are paid besides.")
    ]
    months: Annotated[int, Ge(1), Le(120), Q("month", "Term", "Non-cancellable.")]
    servers: Annotated[int, Ge(1), Le(10_000), Q("", "Most servers", "So many are offered.")] = 1
