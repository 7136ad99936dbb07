"""What to ask for to have the hardware of a plan, and by when, counted back from its first day."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from engine.answer import Recommendation
from engine.entry import recommend
from engine.inputs.finding import Finding, Sum
from engine.inputs.hardware import Access, Fact, Offer
from engine.inputs.spec import AgreedPrice, Owned, Spec
from engine.money.cost import amount_of
from tests.engine.money_samples import days
from tests.engine.money_samples import offer as priced
from tests.engine.small_market import OFFERS, long_spec, market, offer, spec
from tests.engine.test_cost import training

DAY, START = date(2026, 1, 10), date(2026, 6, 1)
ASKED = replace(spec(accelerators=("h100-sxm5",)), as_of=DAY, start=START)


def answered(wanted: Spec, access: dict[str, Access], *offers: Offer) -> Recommendation:
    return recommend(wanted, replace(market(*(offers or OFFERS)), access=access))


def step(answer: Recommendation, code: str) -> Finding:
    return next(one for one in answer.obtaining if one.code == code)


def workday(day: date) -> date:
    return day - timedelta(days=max(0, day.weekday() - 4))


def test_a_limit_that_is_known_is_asked_for_by_its_name_and_in_its_unit() -> None:
    access = {"one/on_demand/h": Access(quota="Running H instances", quota_counts="vcpu", quota_default=0.0)}
    answer = answered(ASKED, access, replace(OFFERS[0], vcpus=192.0))
    found, best = step(answer, "obtain.quota.from"), answer.recommended
    assert best
    assert found.values["need"] == best.count / 8 * 192
    assert found.values["usual"] == 0.0
    assert found.values["by"] == START - timedelta(days=14)


def test_a_limit_of_accelerators_needs_no_more_than_their_number() -> None:
    answer = answered(ASKED, {"one/on_demand": Access(quota="GPUs", quota_counts="accelerator")})
    assert answer.recommended
    assert step(answer, "obtain.quota").values["need"] == answer.recommended.count


@pytest.mark.parametrize(
    ("access", "code"),
    [
        ({}, "obtain.quota.unknown"),
        ({"one/on_demand": Access(quota="X", quota_counts="vcpu")}, "obtain.quota.uncounted"),
    ],
)
def test_what_nobody_publishes_is_called_unknown(access: dict[str, Access], code: str) -> None:
    assert step(answered(ASKED, access), code)


def test_dates_never_lie_before_the_request_and_the_earliest_step_comes_first() -> None:
    near = replace(ASKED, start=DAY + timedelta(days=3))
    steps = answered(near, {}).obtaining
    assert {one.values["by"] for one in steps} == {DAY + timedelta(days=2)}  # DAY is a Saturday: the Monday after it
    steps = answered(ASKED, {}).obtaining
    by = [one.values["by"] for one in steps]
    assert by == sorted(by, key=str)
    assert step(answered(ASKED, {}), "obtain.quote").values["by"] == START - timedelta(days=10)


def test_the_time_that_answers_take_is_an_assumption_unless_it_is_known() -> None:
    asked = replace(ASKED, assumptions={"obtain.quota_days": 40.0})
    assert step(answered(asked, {}), "obtain.quota.unknown").values["by"] == START - timedelta(days=40)
    known = {"one/on_demand": Access(quota="X", quota_counts="accelerator", lead_days=3.0)}
    assert step(answered(asked, known), "obtain.quota").values["by"] == START - timedelta(days=3)


def test_more_than_a_provider_usually_has_free_is_reserved() -> None:
    many = replace(spec(accelerators=("h100-sxm5",), max_accelerators=256, deadline_days=0.4), as_of=DAY, start=START)
    answer = answered(many, {})
    assert answer.recommended
    assert answer.recommended.count > 64
    assert step(answer, "obtain.reserve").values["by"] == START - timedelta(days=21)
    assert not [one for one in answered(ASKED, {}).obtaining if one.code == "obtain.reserve"]


def test_a_block_is_booked_as_soon_as_it_can_be() -> None:
    block = offer("one", "h100-sxm5", 8.0, option="capacity_block")
    access = {"one/capacity_block": Access(day_steps_until=14, most_days=182, most_instances=64, ahead_days=56)}
    answer = answered(ASKED, access, block)
    found = step(answer, "obtain.block")
    assert (found.values["first"], found.values["ahead"]) == (START - timedelta(days=56), 56)
    assert step(answered(ASKED, {}, block), "obtain.block.unknown")


@pytest.mark.parametrize("start", [START, date(2026, 3, 22), DAY + timedelta(days=20), None])
def test_a_block_is_booked_after_its_quota_and_its_price_were_asked_for(start: date | None) -> None:
    block = offer("one", "h100-sxm5", 8.0, option="capacity_block")
    access = {"one/capacity_block": Access(day_steps_until=14, ahead_days=56, quota="X", quota_counts="instance")}
    for known in (access, {}):
        answer = answered(replace(ASKED, start=start), known, block)
        booked = step(answer, "obtain.block" if known else "obtain.block.unknown").values["by"]
        asked = [one.values["by"] for one in answer.obtaining if one.code.startswith(("obtain.quota", "obtain.quote"))]
        assert len(asked) == 2
        assert all(DAY < day <= booked and day.weekday() < 5 for day in asked)  # type: ignore[operator, union-attr]


def test_servers_are_quoted_before_they_are_ordered() -> None:
    wanted = replace(long_spec(), as_of=DAY, start=date(2027, 1, 10))
    dear = replace(OFFERS[0], usd_per_hour=80.0)
    answer = answered(wanted, {}, dear)
    assert answer.recommended
    assert answer.recommended.kind == "on_prem"
    order, quotes = step(answer, "obtain.order"), step(answer, "obtain.server_quote")
    lead = wanted.start - timedelta(days=round(float(order.values["months"]) * 365 / 12))  # type: ignore[operator, arg-type]
    assert order.values["by"] == workday(lead)
    assert quotes.values["by"] == workday(workday(lead) - timedelta(days=10))
    late = step(answered(replace(wanted, start=DAY + timedelta(days=9)), {}, dear), "obtain.order.late")
    assert late.values["by"] == DAY + timedelta(days=2)
    assert late.values["arrive"] == DAY + (wanted.start - lead)  # type: ignore[operator]
    assert step(answered(replace(wanted, start=None), {}, dear), "obtain.order.unset")


def test_nothing_is_asked_for_what_is_owned() -> None:
    owned = replace(ASKED, owned=(Owned(accelerator="h100-sxm5", count=64),))
    answer = answered(owned, {})
    assert answer.recommended
    assert answer.recommended.kind == "owned"
    assert answer.obtaining == ()


@pytest.mark.parametrize(
    ("wall", "by_day", "paid"),
    [(9.2, 14, 10), (14.0, 14, 14), (14.2, 14, 21), (21.5, 14, 28), (21.5, 0, 22)],
)
def test_a_block_beyond_its_days_is_paid_in_whole_weeks(wall: float, by_day: int, paid: int) -> None:
    model = training(days=days(wall), offer=replace(priced(option="capacity_block"), day_steps_until=by_day))
    assert amount_of(model, "paid_hours") == paid * 24


def test_how_often_spot_is_taken_back_is_asked_for_where_nobody_has_read_it() -> None:
    spot = replace(offer("one", "h100-sxm5", 8.0, option="spot"), on_demand_usd_per_hour=24.0)
    assert step(answered(ASKED, {}, spot), "obtain.interruption").values["by"] == DAY + timedelta(days=2)
    read = Fact(id=f"instance.one/{spot.instance}.spot_interruption_per_month", value="8", unit="%", source="x",
                date="2026-01-01", confidence="repo")  # fmt: skip
    known = recommend(ASKED, replace(market(spot), facts=(read,)))
    assert "obtain.interruption" not in {one.code for one in known.obtaining}


def test_a_lessor_confirms_delivery_and_is_asked_for_no_quota() -> None:
    leased = replace(OFFERS[0], option="lease", term_months=24, basis="quoted")
    (only,) = answered(ASKED, {}, leased).obtaining
    assert only.code == "obtain.lease"
    assert only.values["months"] == 24
    assert DAY <= only.values["by"] < only.values["start"] == START  # type: ignore[operator]


@pytest.mark.parametrize(("usd", "asked"), [(9.0, True), (20.0, False)])
def test_an_agreed_price_far_below_every_list_is_asked_about(usd: float, asked: bool) -> None:
    """It is that of a whole instance, and who types that of one accelerator gets a plan that costs an eighth."""
    rival = replace(OFFERS[0], id="three/h100-sxm5-8x/here/on_demand", provider="three", seller="three")
    wanted = replace(ASKED, agreed=(AgreedPrice(item=OFFERS[0].id, usd=usd),))
    answer = answered(wanted, {}, OFFERS[0], rival)
    best = answer.recommended
    assert best
    assert best.offer
    assert (best.offer.provider, best.offer.usd_per_hour) == ("one", usd)
    first = answer.obtaining[0]
    assert (first.code == "obtain.confirm") is asked
    warned = [one for one in best.warnings if one.code == "warning.price.agreed_low"]
    assert len(warned) == asked
    if asked:
        assert first.values["devices"] == best.offer.devices == 8
        assert warned[0].values["price"] == Sum(usd / 8.0)
