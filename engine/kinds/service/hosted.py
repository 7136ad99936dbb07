"""A hosted API that is paid by the token, beside hardware that is rented or owned: what the same tokens cost there."""

from __future__ import annotations

from dataclasses import dataclass

from engine.context import Context
from engine.inputs.names import large_words

_MILLION = 1e6


@dataclass(frozen=True, kw_only=True)
class Hosted:
    """What is said of the API, and whether it costs less."""

    text: str
    cheaper: bool


def hosted_beside(context: Context, cost: float, *, into: float, out: float) -> Hosted | None:
    """So many tokens in and out on the API that the request names, against that cost here [USD]; None without one."""
    price = context.spec.serving.api_price if context.spec.serving else None
    if price is None or not (into and out):
        return None
    paid = (into * price.usd_per_million_input + out * price.usd_per_million_output) / _MILLION
    money = context.currency
    asks = f"{money.price(price.usd_per_million_input)} and {money.price(price.usd_per_million_output)} a million"
    text = (
        f"The same tokens, {large_words(into)} in and {large_words(out)} out, cost {money.about(paid)} on the hosted API at "
        f"its prices of {price.date.isoformat()}, {asks}: {_against(paid, cost)}."
    )
    return Hosted(text=text, cheaper=paid < cost)


def _against(paid: float, cost: float) -> str:
    if paid < cost:
        return f"{1.0 - paid / cost:.0%} less than this option"
    times = paid / cost
    if times < 2:
        return f"{times - 1.0:.0%} more than this option"
    return f"{times:,.0f} times as much" if times >= 10 else f"{times:.1f} times as much"
