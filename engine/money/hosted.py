"""What a service costs on a hosted API that is paid by the token: a cost model like that of any other way."""

from __future__ import annotations

from datetime import date

from engine.answer import CostModel
from engine.inputs.currency import DOLLARS, Currency
from engine.inputs.origin import REQUEST
from engine.inputs.spec import ApiPrice, Taxes
from engine.money.cash import completed
from engine.money.converted import model_in
from engine.money.lines import dollars, given, quantity, sum_of_leaves
from engine.money.taxes import service_taxes, tax_inputs


def hosted_model(
    price: ApiPrice, *, into: float, out: float, months: float, taxes: Taxes, start: date, currency: Currency = DOLLARS
) -> CostModel:
    """So many tokens in and out over so many months from the start, paid every month as they are used; nothing is signed for them."""
    day = price.date.isoformat()
    inputs = [
        given("months", months, "month", REQUEST),
        given("tokens_in", into / months, "token/month", REQUEST),
        given("tokens_out", out / months, "token/month", REQUEST),
        given("api_usd_in", price.usd_per_million_input, "USD/1e6 token", price.source or REQUEST, date=day),
        given("api_usd_out", price.usd_per_million_output, "USD/1e6 token", price.source or REQUEST, date=day),
        *tax_inputs(taxes),
    ]
    lines = [
        quantity("paid_months", "months", "month"),
        dollars("api", "months * (tokens_in * api_usd_in + tokens_out * api_usd_out) / 1000000", schedule="monthly"),
    ]
    lines += service_taxes(taxes, lines)
    lines.append(sum_of_leaves("total", lines))
    model = completed(inputs, lines, start=start, cash=False)
    return model if currency.code == DOLLARS.code else model_in(model, currency, start)
