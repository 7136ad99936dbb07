"""Amounts of money as people write them, and the way of such a text through form, request and plan."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.context import Context
from engine.inputs.spec import AgreedPrice
from planner.frozen.snapshot import freeze
from planner.pages.form.screens import SCREENS, fields_of
from planner.pages.form.typed_rates import rates_typed
from planner.presenters.currency import shown as written
from planner.presenters.request import request_words
from planner.request.amounts import currency_in, is_amount, kept, parse_amount, shown, with_agreed
from planner.request.drafts import draft_from, typed_from
from planner.request.parse import spec_from
from planner.request.quantities import QuantityError
from tests.exports import samples
from tests.refused import refused

RATES = {"EUR": (1.25, "2026-12-01"), "JPY": (0.00625, "2026-12-01")}
REQUEST = {"name": "x", "workload": "training", "model": "llama-3.1-8b", "training": {"tokens": "1B"}}


@pytest.mark.parametrize(
    ("text", "usd"),
    [
        ("300k EUR", 375_000), ("€ 300k", 375_000), ("300k€", 375_000), ("EUR 1.5 M", 1_875_000), ("1.5 M euros", 1_875_000),
        ("¥80M", 500_000), ("80 M yen", 500_000), ("400k", 400_000), ("$400k", 400_000), ("US$ 400,000", 400_000),
        ("400k USD", 400_000),
    ],
)  # fmt: skip
def test_an_amount_is_read_as_people_write_it(text: str, usd: float) -> None:
    assert parse_amount(text, "USD", RATES) == usd


def test_an_amount_per_something_keeps_what_it_is_per() -> None:
    assert parse_amount("0.8 EUR/M tokens", "USD/1e6 token", RATES) == 1.0
    assert parse_amount("€0.8", "USD/1e6 token", RATES) == 1.0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("CHF 5k", "the catalog has no rate for CHF; write the amount in EUR, JPY, USD."),
        ("€ lots", "“€ lots” is not an amount: write for example 400k EUR or 1.5 M EUR."),
        ("€5 or $6", "names EUR and USD: write one currency."),
        ("300.000,50 EUR", "“300.000,50 EUR” is not an amount"),
    ],
)
def test_what_is_no_amount_is_told_in_one_sentence(text: str, says: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse_amount(text, "USD", RATES)
    assert says in str(caught.value)


def test_a_word_that_holds_a_currency_is_none() -> None:
    assert currency_in("neural euros") == "EUR"
    assert currency_in("neuro 5 europe yend") == ""


def test_fields_of_money_are_known_by_their_names() -> None:
    assert is_amount("constraints.budget_usd")
    assert is_amount("agreed.0.usd")
    assert is_amount("serving.api.usd_per_million_input")
    assert not is_amount("training.tokens")
    assert not is_amount("constraints.residency")


@pytest.mark.parametrize("text", ["300k", "USD 5k", "lots", "0.6 /M tokens", "", "1.5 M CHF"])
@pytest.mark.parametrize("home", ["USD", "EUR"])
def test_a_form_shows_again_what_was_typed(text: str, home: str) -> None:
    assert shown(kept(text, home), home) in (text, f"USD {text}")
    if text != "lots":
        assert shown(kept(text, home), home) == text


def test_a_forms_amount_is_in_its_currency_and_an_old_requests_in_dollars() -> None:
    fields = fields_of(SCREENS["train"], {"currency": "EUR"})
    assert fields["constraints.budget_usd"].unit == "EUR"
    typed = {"model": "llama-3.1-8b", "training.tokens": "1B", "currency": "EUR", "constraints.budget_usd": "300k"}
    draft, faults = draft_from(typed, fields_of(SCREENS["train"]), workload="training")
    assert not faults
    assert draft["constraints"] == {"budget_usd": "EUR 300k"}
    assert spec_from({**draft, "name": "x"}, text=True, rates=RATES).constraints.budget_usd == 375_000
    assert typed_from(draft)["constraints.budget_usd"] == "300k"
    assert (
        typed_from({"currency": "EUR", "constraints": {"budget_usd": "400k"}})["constraints.budget_usd"] == "USD 400k"
    )
    assert typed_from({"currency": "EUR", "constraints": {"budget_usd": 4e5}})["constraints.budget_usd"] == "USD 400 k"


def test_without_rates_another_currency_is_refused() -> None:
    with refused("not in US dollars: convert it first"):
        spec_from({**REQUEST, "constraints": {"budget_usd": "300k EUR"}}, text=True)


AGREED = {"agreed": [{"item": "EUR", "what": "currency", "usd": "1.1"}]}


def test_a_rate_that_is_agreed_in_the_request_reads_its_amounts_too() -> None:
    """The plan converts at the agreed rate; a budget read at the catalog's would differ from what the page shows of it."""
    body = {**REQUEST, **AGREED, "currency": "EUR", "constraints": {"budget_usd": "300k EUR"}}
    assert spec_from(body, text=True, rates=RATES).constraints.budget_usd == pytest.approx(330_000)
    assert spec_from(body, text=True).constraints.budget_usd == pytest.approx(330_000), "no catalog is needed"
    assert with_agreed(RATES, body)["EUR"] == (1.1, "")
    assert with_agreed(RATES, {"agreed": [{"item": "EUR", "what": "currency", "usd": 1.2}]})["EUR"] == (1.2, "")
    for odd in (None, "x", 5, [], [5], [{"what": "currency"}], [{"item": "EUR", "what": "currency", "usd": "lots"}]):
        assert with_agreed(RATES, {"agreed": odd}) == RATES
    assert with_agreed(RATES, {"agreed": [{"item": "EUR", "what": "currency", "usd": -1}]}) == RATES


def test_a_rate_typed_in_a_form_of_another_currency_is_in_dollars() -> None:
    """1.1 dollars for one euro, and not 1.1 euros, which a form in euro made of it."""
    typed = {
        "model": "llama-3.1-8b", "training.tokens": "1B", "currency": "EUR", "constraints.budget_usd": "300k",
        "agreed.0.item": "EUR", "agreed.0.what": "currency", "agreed.0.usd": "1.1",
    }  # fmt: skip
    draft, faults = draft_from(typed, fields_of(SCREENS["train"]), workload="training")
    assert not faults
    spec = spec_from({**draft, "name": "x"}, text=True, rates=RATES)
    assert [price.usd for price in spec.agreed] == [1.1]
    assert spec.constraints.budget_usd == pytest.approx(330_000)
    again, _ = draft_from(typed_from(draft), fields_of(SCREENS["train"]), workload="training")
    assert spec_from({**again, "name": "x"}, text=True, rates=RATES).agreed == spec.agreed


def test_the_panel_and_the_list_of_rates_speak_at_the_agreed_rate() -> None:
    market: Any = SimpleNamespace(fx_usd={"EUR": (1.25, "2026-08-10"), "GBP": (1.3, "2026-08-10")})
    spec = spec_from({**REQUEST, **AGREED, "currency": "EUR"}, text=True, rates=market.fx_usd)
    none: Any = None
    agreed = SimpleNamespace(fx_usd=with_agreed(market.fx_usd, AGREED))
    context = Context(spec=spec, arch=none, market=cast(Any, agreed), assume=none)
    assert context.currency.rate == pytest.approx(1 / 1.1)
    assert written(context.currency).note == "1 USD = 0.90909 EUR, as agreed"
    plain = spec_from({**REQUEST, "currency": "EUR"}, text=True, rates=market.fx_usd)
    dated = Context(spec=plain, arch=none, market=market, assume=none)
    assert written(dated.currency).note == "1 USD = 0.8 EUR, rate of 10 Aug 2026"
    draft = {**REQUEST, **AGREED, "constraints": {"budget_usd": "300k EUR"}}
    assert rates_typed(draft, market) == ["1 EUR = 1.1 USD, as agreed"]
    draft = {**REQUEST, "constraints": {"budget_usd": "300k GBP"}}
    assert rates_typed(draft, market) == ["1 GBP = 1.3 USD, rate of 10 Aug 2026"]


def test_an_agreed_rate_is_told_as_a_rate_and_not_as_an_amount_of_the_plans_currency() -> None:
    plan = samples.training_plan()
    agreed = (
        AgreedPrice(item="EUR", what="currency", usd=1.1),
        AgreedPrice(item="dgx", what="server", usd=250_000.0),
    )
    told = request_words(freeze(replace(plan.spec, agreed=agreed), plan.recommendation))
    assert told["Agreed rate of EUR"] == "1 EUR = 1.1 USD"
    assert told["Agreed price of dgx"] == "USD 250 k per server"
