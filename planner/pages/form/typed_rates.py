"""At which rates amounts were read that somebody typed in another currency than the plan's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.inputs.hardware import Market
from planner.presenters.currency import since
from planner.request.amounts import USD, currency_in, is_amount, with_agreed
from planner.request.drafts import typed_from
from planner.request.quantities import rounded


def rates_typed(draft: Mapping[str, Any], market: Market) -> list[str]:
    """“1 EUR = 1.1555 USD, rate of 10 Aug 2026” for each currency of an amount that the plan is not shown in."""
    rates, shown = with_agreed(market.fx_usd, draft), draft.get("currency") or USD
    typed = {currency_in(text) for path, text in typed_from(draft).items() if is_amount(path)}
    return [
        f"1 {code} = {rounded(rates[code][0], 5)} USD, {since(rates[code][1])}"
        for code in sorted(typed - {shown})
        if code in rates and code != USD
    ]
