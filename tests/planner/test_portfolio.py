"""Plans together: clashes over owned accelerators, where there is room, and what months and years pay."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import pytest

from engine.answer import Driver, Signed
from engine.inputs.finding import finding
from engine.money.jointly import shares_of
from planner.pages.portfolio import sums
from planner.pages.portfolio.data import Entry, Fleet
from planner.pages.portfolio.page import portfolio_of
from planner.pages.portfolio.sums import Band, Holding, Rental, Work
from planner.presenters.currency import Currency

OWNED = [Holding(accelerator="h100", name="H100", count=64)]


def work(ident: str, start: date, days: float = 10, *, count: int = 32, **more: object) -> Work:
    fields: dict[str, object] = {
        "ident": ident, "name": ident, "owned": True, "source": "32 × H100, owned", "accelerator": "h100", "count": count, "start": start,
        "days": days, "latest": None, "total": Band(low=80, expected=100, high=150), "months": {f"{start:%Y-%m}": 100},
    }  # fmt: skip
    return Work(**(fields | more))  # type: ignore[arg-type]


def test_use_over_time_is_cut_where_it_changes() -> None:
    parts = sums.stretches([work("a", date(2027, 1, 1)), work("b", date(2027, 1, 6), 9.2)], "h100")
    assert [(part.start.day, part.end.day, part.demand) for part in parts] == [(1, 6, 32), (6, 11, 64), (11, 16, 32)]
    assert parts[1].counts == {"a": 32, "b": 32}


def test_a_clash_names_time_amount_and_plans() -> None:
    works = [
        work("a", date(2027, 1, 1)),
        work("b", date(2027, 1, 6)),
        work("c", date(2027, 1, 8), 2, count=16),
        work("rented", date(2027, 1, 1), 30, owned=False),
        work("other", date(2027, 1, 1), 30, accelerator="b200", count=8),
    ]
    first, second = sums.clashes(works, OWNED)
    assert (first.accelerator, first.owned, first.most, first.plans) == ("b200", 0, 8, ("other",))
    assert (second.start, second.end) == (date(2027, 1, 8), date(2027, 1, 10))
    assert (second.most, second.missing_hours, second.plans) == (80, 16 * 48, ("a", "b", "c"))
    assert sums.clashes(works[:2], OWNED) == []


def test_neighbouring_times_are_one_clash_and_others_are_not() -> None:
    works = [
        work("a", date(2027, 1, 1), 30, count=60),
        work("b", date(2027, 1, 5), 5, count=8),
        work("c", date(2027, 1, 10), 5, count=16),
        work("d", date(2027, 1, 20), 5, count=8),
    ]
    found = sums.clashes(works, OWNED)
    assert [(clash.start.day, clash.end.day, clash.most) for clash in found] == [(5, 15, 76), (20, 25, 68)]
    assert found[0].missing_hours == 24 * (5 * 4 + 5 * 12)


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_renting_instead_names_all_that_is_signed_in_the_currency_of_the_portfolio(factor: float) -> None:
    signed = Signed(what="commitment", total=2e6, share=5e4, rest=1.95e6, months=36)
    rental = Rental(hardware="8 × H100", place="x", total=6e4, price_per_accelerator_hour=1.0, signed=signed)
    works = [sums.converted(work(name, date(2027, 1, 1), count=48, rental=rental), factor) for name in "ab"]
    version = SimpleNamespace(public_id="v", number=1, state="draft", signed=None)
    entries = [Entry(workload=None, version=version, work=one, model=None) for one in works]  # type: ignore[arg-type]
    (clash,) = portfolio_of(entries, {}, Fleet(holdings=tuple(OWNED), declared=()), {}, Currency()).clashes
    (words, _) = [text for text in clash.remedies if text.startswith("Rent for")]
    whole = f"a 36-month commitment of USD {2e6 * factor:,.0f}"
    assert f"for USD {6e4 * factor:,.0f} (with {whole} to sign), " in words.replace("\u00a0", " ")


def test_room_is_the_first_week_without_a_clash_and_a_plan_larger_than_the_fleet_has_none() -> None:
    long, late = work("a", date(2027, 1, 1), 20, count=40), work("b", date(2027, 1, 4), 10, count=40)
    assert sums.weeks_to_room(late, [long, late], OWNED) == 3
    assert sums.clashes([long, sums.moved(late, 3, late.months)], OWNED) == []
    assert sums.clashes([long, sums.moved(late, 2, late.months)], OWNED) != []
    assert sums.weeks_to_room(work("c", date(2027, 1, 4), count=65), [long], OWNED) is None


def test_a_deadline_is_kept_to_the_day() -> None:
    item = work("a", date(2027, 1, 1), 10, latest=date(2027, 1, 24))
    assert item.end == date(2027, 1, 11)
    assert sums.keeps_deadline(item, 2)
    assert not sums.keeps_deadline(item, 3)
    assert sums.keeps_deadline(work("b", date(2027, 1, 1)), 100)


def test_months_add_up_to_the_plans_and_have_no_gap() -> None:
    works = [
        work("a", date(2027, 1, 1), months={"2026-12": 25.0, "2027-01": 75.0}),
        work("b", date(2027, 3, 1), months={"2027-03": 100.0}),
    ]
    months = sums.by_month(works)
    assert list(months) == ["2026-12", "2027-01", "2027-02", "2027-03"]
    assert months["2026-12"] == Band(low=20, expected=25, high=37.5)
    assert months["2027-02"] == Band()
    paid = sums.since_january(works)
    assert list(paid) == list(months)
    assert paid["2026-12"] == months["2026-12"], "a year begins anew"
    assert paid["2027-02"] == paid["2027-01"] == months["2027-01"]
    assert paid["2027-03"].expected == 175


def test_a_year_says_when_its_budget_is_spent_and_how_wide_its_sum_may_be() -> None:
    works = [
        work("a", date(2027, 1, 1), months={"2027-01": 60.0, "2027-06": 40.0}),
        work("b", date(2027, 3, 1), months={"2027-09": 100.0}),
    ]
    (year,) = sums.by_year(works, {2027: 150.0})
    assert year.spent_in == "2027-09"
    assert (year.widest.low, year.widest.expected, year.widest.high) == pytest.approx((160, 200, 300))
    assert year.widest.low < year.paid.low < year.paid.expected < year.paid.high < year.widest.high
    (kept,) = sums.by_year(works, {2027: 200.0})
    assert kept.spent_in == ""
    assert [item.year for item in sums.by_year(works, {2028: 5.0})] == [2027, 2028]


@pytest.mark.parametrize(
    ("shares", "low", "high"),
    [
        ({"rented h100": 1.0}, 160.0, 240.0),  # one market moves both: their bands end to end
        ({}, 200 - 20 * 2**0.5, 200 + 20 * 2**0.5),  # nothing in common: deviations add as the root of their squares
        (
            {"rented h100": 0.5},
            200 - 20 * 3**0.5,
            200 + 20 * 3**0.5,
        ),  # half of the variance in common: 2 · (1 + ½) of one
    ],
)
def test_plans_err_together_as_far_as_they_share_what_moves_them(
    shares: dict[str, float], low: float, high: float
) -> None:
    months = {"2027-01": 100.0}
    works = [
        replace(work(name, date(2027, 1, 1), months=months), total=Band(low=80, expected=100, high=120), shared=shares)
        for name in ("a", "b")
    ]
    (year,) = sums.by_year(works, {})
    assert (year.paid.low, year.paid.expected, year.paid.high) == pytest.approx((low, 200, high), abs=1.5)
    (alone,) = sums.by_year(works[:1], {})
    assert alone.paid == alone.widest == Band(low=80, expected=100, high=120)


def test_what_moves_a_plan_is_shared_by_family() -> None:
    label = finding("x")
    bars = [
        Driver(name=name, label=label, low_value=0, high_value=1, unit="", low_change=-swing, high_change=swing)
        for name, swing in (
            ("price_per_instance_hour", 3.0),
            ("run_hours", 2.0),
            ("usd_per_kwh", 1.0),
            ("storage_gb", 1.0),
        )
    ]
    found = shares_of(bars, accelerator="h100-sxm5", work="training", assumed={"usd_per_kwh"})
    assert found == pytest.approx(
        {"rented h100-sxm5": 9 / 15, "time of training": 4 / 15, "assumed usd_per_kwh": 1 / 15}
    )
    assert shares_of([], accelerator="h100-sxm5", work="training", assumed=()) == {}
