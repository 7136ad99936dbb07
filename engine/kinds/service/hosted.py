"""A hosted API that is paid by the token, beside hardware that is rented or owned: what the same tokens cost there."""

from __future__ import annotations

from dataclasses import dataclass

from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Sum, finding

_MILLION = 1e6
_TIMES = 2.0
"""From here it is told as so many times as much."""


@dataclass(frozen=True, kw_only=True)
class Hosted:
    """What is said of the API, and whether it costs less."""

    told: Finding
    cheaper: bool


def hosted_beside(context: Context, cost: float, *, into: float, out: float) -> Hosted | None:
    """So many tokens in and out on the API that the request names, against that cost here [USD]; None without one."""
    price = context.spec.serving.api_price if context.spec.serving else None
    if price is None or not (into and out):
        return None
    paid = (into * price.usd_per_million_input + out * price.usd_per_million_output) / _MILLION
    paid *= 1.0 + context.taxes.owed_on_services
    told = finding(
        "hosted",
        into=into,
        out=out,
        cost=Sum(paid),
        day=price.date,
        price_in=Sum(price.usd_per_million_input),
        price_out=Sum(price.usd_per_million_output),
        against=_against(paid, cost),
    )
    return Hosted(told=told, cheaper=paid < cost)


def _against(paid: float, cost: float) -> Finding:
    if paid < cost:
        return finding("hosted.less", share=Quantity(1.0 - paid / cost, "share"))
    if not cost:
        return finding("hosted.nothing")
    times = paid / cost
    if times < _TIMES:
        return finding("hosted.more", share=Quantity(times - 1.0, "share"))
    return finding("hosted.times", times=times)
