"""Ways of having accelerators side by side: present value, payback, rate of return and the sale that keeping forgoes, by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from engine.answer import CostModel
from engine.inputs.currency import Currency
from engine.inputs.hardware import Holding
from engine.inputs.origin import REQUEST
from engine.inputs.spec import NO_TAX, ApiPrice, Owned, Taxes
from engine.money.cost import bought, owned, rented_training
from engine.money.dated import Payment, dated
from engine.money.even_use import even_use
from engine.money.forgone import Sale, sale_of
from engine.money.hosted import hosted_model
from engine.money.ledger import ledger_of
from engine.money.lines import amount_of, evaluate, total_of
from engine.money.views import summed
from engine.money.ways import payback, rate_of_return, worth_of
from tests.engine.money_samples import ASSUME, H100, SERVER, days, offer

DAY = date(2026, 12, 1)


def paid(*amounts: tuple[int, float]) -> tuple[Payment, ...]:
    """Payments so many days after the request."""
    return tuple(Payment(day=DAY + timedelta(days=after), paid=amount, carried=amount) for after, amount in amounts)


def test_a_year_at_ten_percent() -> None:
    assert worth_of(paid((0, 1000.0), (365, 110.0), (730, 121.0)), on=DAY, rate=0.1) == pytest.approx(1200.0)


def test_what_is_paid_first_and_saved_later_has_a_rate_of_return_and_a_payback() -> None:
    """1,000 now instead of 600 after a year and 600 after two: 1,000 = 600/(1+i) + 600/(1+i)²."""
    invest, rent = paid((0, 1000.0)), paid((365, 600.0), (730, 600.0))
    rate = rate_of_return(invest, rent, on=DAY)
    assert rate is not None
    assert rate == pytest.approx((0.6 + (0.36 + 2.4) ** 0.5) / 2 - 1, rel=1e-12)
    assert worth_of(invest, on=DAY, rate=rate) == pytest.approx(worth_of(rent, on=DAY, rate=rate), rel=1e-12)
    assert payback(invest, rent, start=DAY) == 23, (
        "30 November 2028 is in the 24th month, and from then on no more has been paid"
    )
    assert payback(rent, invest, start=DAY) is None, "in the end the other has paid less"


def test_a_loan_has_no_rate_of_return_and_neither_has_what_is_dearer_all_the_time() -> None:
    early, late = paid((0, 1000.0)), paid((365, 600.0), (730, 600.0))
    assert rate_of_return(late, early, on=DAY) is None, "what comes first is paid back"
    assert rate_of_return(paid((0, 10.0), (365, 5.0)), paid((0, 9.0)), on=DAY) is None
    assert rate_of_return(paid((0, 100.0), (730, 132.0)), paid((365, 230.0)), on=DAY) is None, (
        "10 and 20 % both solve it"
    )


def test_two_rates_are_none() -> None:
    """−100 + 230/(1+i) − 132/(1+i)² is nothing at 10 % and at 20 %."""
    mine, other = paid((0, 100.0), (730, 132.0)), paid((365, 230.0))
    for rate in (0.1, 0.2):
        assert worth_of(mine, on=DAY, rate=rate) == pytest.approx(worth_of(other, on=DAY, rate=rate))


def test_dated_payments_are_those_of_the_ledger_before_they_are_rounded() -> None:
    model = bought(
        system=SERVER, nodes=4, devices=32, hours_needed=200_000.0, horizon_months=36.0, utilisation=0.8, start=DAY,
        assume=ASSUME, taxes=Taxes(purchases=0.2, services=0.2),
    )  # fmt: skip
    found = dated(model, start=DAY, as_of=DAY)
    ledger = ledger_of(model, None, start=DAY, as_of=DAY)
    views = summed(ledger, currency="USD", as_of=DAY, rate=0.1).views
    assert sum(one.paid for one in found) == pytest.approx(views.paid, abs=1e-6)
    assert sum(one.carried for one in found) == pytest.approx(
        total_of(model) - amount_of(model, "cost_of_capital"), abs=1e-6
    )
    worth = sum(one.paid / 1.1 ** ((one.day - DAY).days / 365) for one in found)
    assert worth == pytest.approx(views.npv, abs=0.5)


def test_a_kept_asset_costs_the_sale_that_it_forgoes_less_what_is_left() -> None:
    """Eight sell for 10,000 each; a year of life is a fifth of the way to a tenth of that."""
    sale = Sale(usd=10_000.0, source="request", date="2026-12-01", ahead_days=0.0)
    model = owned(device=H100, devices=8, hours_needed=8 * 8760.0, start=DAY, assume=ASSUME, system=SERVER, sale=sale)
    bare = owned(device=H100, devices=8, hours_needed=8 * 8760.0, start=DAY, assume=ASSUME, system=SERVER)
    left = 80_000.0 * ASSUME["onprem.residual_share"] ** (1 / ASSUME["onprem.life_years"])
    assert amount_of(model, "sale_later") == pytest.approx(left, abs=0.005)
    assert total_of(model) == total_of(bare), "nobody pays it"
    with_sale, without = (worth_of(dated(one, start=DAY, as_of=DAY), on=DAY, rate=0.1) for one in (model, bare))
    assert with_sale - without == pytest.approx(80_000.0 - left / 1.1, abs=0.01)


def test_what_it_sells_for_is_stated_or_follows_from_what_was_paid_or_is_not_known() -> None:
    mine = Owned(accelerator="h100-sxm5", count=8, resale_usd=9_000.0)
    holding = Holding(
        slug="own", name="Own", device="h100-sxm5", count=64, in_service="2024-12-01", price_paid_usd=64 * 30_000.0,
        book_value_usd=1e6, source="team", date="2026-11-01",
    )  # fmt: skip
    stated = sale_of(mine, holding, ASSUME, as_of=DAY, start=DAY)
    derived = sale_of(replace(mine, resale_usd=0.0), holding, ASSUME, as_of=DAY, start=DAY + timedelta(days=30))
    assert stated
    assert derived
    assert (stated.usd, stated.source) == (9_000.0, REQUEST)
    life = ASSUME["onprem.life_years"]
    assert derived.usd == pytest.approx(30_000.0 * ASSUME["onprem.residual_share"] ** (730 / 365.25 / life), rel=1e-12)
    assert derived.ahead_days == 30
    for unknown in (None, replace(holding, price_paid_usd=0.0), replace(holding, in_service="")):
        assert sale_of(replace(mine, resale_usd=0.0), unknown, ASSUME, as_of=DAY, start=DAY) is None


def test_at_its_break_even_use_a_commitment_costs_what_renting_its_hours_does() -> None:
    def run(option: str, usd: float, months: int) -> CostModel:
        return rented_training(
            offer=offer(option=option, usd_per_hour=usd, term_months=months, storage_usd_per_gb_month=0.0), nodes=2, days=days(30.0),
            storage_gb=0.0, egress_gb=0.0, runs=1, experiment_overhead=0.0, start=DAY, horizon_months=0.0, assume=ASSUME, cash=False,
        )  # fmt: skip

    commit, rent = run("commit_1y", 30.0, 12), run("on_demand", 50.0, 0)
    assert even_use("commit", commit, rent, alike=True) == pytest.approx(0.6)
    assert even_use("rent", rent, rent, alike=True) is None


def test_a_hosted_api_is_paid_by_the_token_with_its_tax_in_the_plan_s_currency() -> None:
    price = ApiPrice(usd_per_million_input=0.5, usd_per_million_output=2.0, date=DAY)
    model = hosted_model(
        price, into=12e9, out=6e9, months=12.0, taxes=Taxes(services=0.2), start=DAY,
        currency=Currency(code="EUR", rate=0.9, date="2026-11-20"),
    )  # fmt: skip
    assert total_of(model) == pytest.approx((12_000 * 0.5 + 6_000 * 2.0) * 0.9 * 1.2, abs=0.02)
    assert evaluate(model, {"months": 24.0})["total"] == pytest.approx(2 * total_of(model), abs=0.02)
    bare = hosted_model(price, into=12e9, out=6e9, months=12.0, taxes=NO_TAX, start=DAY)
    assert total_of(bare) == 18_000.0
    assert len({one.day for one in dated(bare, start=DAY, as_of=DAY)}) == 12
