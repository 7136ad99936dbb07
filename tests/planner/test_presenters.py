"""What pages say of a plan: its currency, the facts behind a number, providers' names, chances."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest
from django.conf import settings
from django.http import QueryDict

from catalog.days import dated, plain_date
from engine.answer import Chance, Estimate, Money, Option, Rejection, Way
from engine.inputs.currency import Currency as Rate
from engine.inputs.finding import Ref, Sum, finding
from engine.inputs.hardware import Fact
from engine.inputs.named import hardware
from engine.inputs.spec import Confidence
from engine.money.converted import recommendation_in
from planner.charting import options
from planner.charting.options import cost_bands, option_labels
from planner.counting import computed, counted, left_out
from planner.frozen.snapshot import Plan, freeze
from planner.names import provider_name
from planner.presenters import present
from planner.presenters.badge import badge_of
from planner.presenters.currency import Currency, currency_of
from planner.presenters.figures import promise_words
from planner.presenters.options import hidden_in, left_out_in, places
from planner.presenters.trail import Trail, cost_rows, input_source
from planner.presenters.words import chance, percent, place
from planner.promises import promise_chance
from planner.request.quantities import rounded
from planner.telling import told as said
from tests.exports import samples
from tests.exports.real_plans import gallery_plan
from tests.told import told
from voice.writing import locale_of, money

EURO = Currency(code="EUR", per_usd=0.9, date="2026-12-01")


def in_euro(plan: Plan) -> Plan:
    """The plan in euro."""
    euro = Rate(code="EUR", rate=0.9, date="2026-12-01")
    answer = recommendation_in(plan.recommendation, euro, date(2027, 1, 28))
    return freeze(replace(plan.spec, currency="EUR"), answer)


def test_amounts_stand_in_the_currency_that_was_asked_for() -> None:
    plan = in_euro(samples.training_plan())
    best = samples.training_plan().recommendation.recommended
    assert best is not None
    assert currency_of(plan) == EURO
    answer = present(plan)
    assert answer.figures[0].value == f"EUR\u00a0{best.cost.total.expected * 0.9:,.0f}"
    assert answer.money.note == "1 USD = 0.9 EUR, rate of 1 Dec 2026"
    assert all("USD" not in row.cost for row in answer.rows)
    assert next(row for row in answer.costs if row.kind == "total").amount.startswith("EUR")
    assert "EUR" in answer.charts["tornado"].wide
    assert "USD" not in answer.charts["pareto"].wide


def test_a_rounded_amount_is_converted_before_it_is_rounded() -> None:
    """The headline says the amount of the card beside it: 6,662 USD are 5,766 EUR, though 6,660 USD are 5,764."""
    for code, rate, usd, text in (
        ("EUR", 0.86543, 6662.4, "EUR 5,770"),
        ("EUR", 0.86543, 6610.0, "EUR 5,720"),
        ("EUR", 0.86543, 3.87, "EUR 3.35"),
        ("JPY", 161.2, 0.04, "JPY 6"),
    ):
        amount = Sum(Rate(code=code, rate=rate).of(usd), code)
        assert money(amount, "about", locale_of("en_GB")) == text.replace(" ", "\u00a0")


def test_an_option_that_is_put_aside_leaves_the_table_and_others_move_up() -> None:
    plan = samples.training_plan()
    every = present(plan, every=True)
    aside, best = every.rows[1], every.rows[0]
    answer = present(plan, every=True, hidden=[aside.id, best.id, "no such option"], pins=[aside.id])
    assert [row.id for row in answer.rows] == [row.id for row in every.rows if row.id != aside.id]
    assert [ident for ident, _ in answer.hidden] == [aside.id]
    assert answer.compared == []
    assert hidden_in(QueryDict(f"hide={aside.id}&hide=x&show={aside.id}")) == ["x"]


def test_amounts_are_in_the_plan_s_currency_and_the_rate_is_said_where_it_is_another() -> None:
    assert Currency().note == ""
    assert EURO.range(Money(low=90, expected=135, high=180)) == "90–180"
    assert EURO.of(100.0) == 90.0


def test_a_device_is_explained_by_the_catalogs_facts() -> None:
    plan = samples.training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    facts = {
        f"accelerator.{best.accelerator}": [
            Fact(
                id=f"accelerator.{best.accelerator}.{name}",
                value=value,
                unit=unit,
                source="vendor table",
                date="2026-08-22",
            )
            for name, value, unit in (("dense_flops.bf16", "989.4", "TFLOP/s"), ("memory_bandwidth", "3350", "GB/s"))
        ]
    }
    trail = Trail(plan, replace(best, precision="bf16"), Currency(), facts)
    for ident in (f"device.{best.accelerator}", f"accelerator.{best.accelerator}", f"device:{best.accelerator}"):
        found = trail([ident])
        assert [(item.value, item.source) for item in found] == [
            ("989.4 TFLOP/s", ""),
            ("3350 GB/s", "vendor table, 22 Aug 2026"),
        ]
    assert trail(["device.unknown-1"])[0].source == dated(f"catalog of {plan.recommendation.catalog_date}")
    assert trail(["input:precision"])[0].source == "your request"


def test_own_measurements_are_named_as_what_a_time_follows_from() -> None:
    plan = gallery_plan("train-measured-step")
    best = plan.recommendation.recommended
    assert best is not None
    own = [item for item in Trail(plan, best, Currency())(best.days.because) if item.source == "your measurements"]
    assert [item.label for item in own] == ["Own step times on this hardware"]
    assert re.fullmatch(r"1, they change the estimate by [+-]\d+\.\d%", own[0].value)
    exact = Trail(plan, best, Currency())(["measured.layout:3"])
    assert [(item.label, item.value) for item in exact] == [
        ("Own step times of this very layout", "3, they are the estimate")
    ]


def test_a_batch_that_was_not_given_says_which_rule_chose_it() -> None:
    trail = Trail(samples.training_plan(), None, Currency())
    law, usual = trail(["training.batch.law", "training.batch.samples:1024"])
    assert (law.label, law.source) == ("Global batch", "DeepSeek LLM, arXiv 2401.02954, eq. 4")
    assert (usual.value, usual.source) == ("1,024 samples as usual, at least 100 steps", "assumed")


def test_providers_are_spelled_their_way() -> None:
    assert [provider_name(slug) for slug in ("aws", "gcp", "oci", "runpod", "own cloud")] == [
        "AWS", "Google Cloud", "OCI", "RunPod", "own cloud",
    ]  # fmt: skip
    best = samples.training_plan().recommendation.recommended
    assert best is not None
    assert best.offer is not None
    assert place(replace(best, offer=replace(best.offer, provider="gcp"))).startswith("Google Cloud, ")


def test_no_chance_is_certain() -> None:
    assert chance(1.0) == "over 99%"
    assert chance(0.0) == "under 1%"
    assert chance(0.904) == "90%"


def test_a_promise_is_told_with_both_ends_of_its_band() -> None:
    value = Estimate(low=200, expected=500, high=1100, unit="ms")
    assert promise_words(value, 1200) == "keeps the promise of 1.2 s over the whole band"
    assert promise_words(value, 800) == "keeps the promise of 800 ms as expected, breaks it at the slow end, 1.1 s"
    assert promise_words(value, 400).startswith("breaks the promise of 400 ms as expected, keeps it at the fast end")
    assert promise_words(value, 100) == "breaks the promise of 100 ms over the whole band"


def test_rows_that_would_read_the_same_say_the_size_of_an_instance() -> None:
    best = samples.training_plan().recommendation.recommended
    assert best is not None
    assert best.offer is not None
    small = replace(best, id="small", offer=replace(best.offer, devices=4))
    assert places([best]) == [place(best)]
    assert places([best, small]) == [
        f"{place(best)}, {best.offer.devices} an instance",
        f"{place(best)}, 4 an instance",
    ]
    labels = option_labels([best, small, replace(best, id="more", count=best.count * 2)])
    assert len(set(labels)) == 3
    assert "an instance" not in labels[2]


def costing(option: Option, expected: float) -> Option:
    """The option at another expected cost."""
    return replace(option, cost=replace(option.cost, total=replace(option.cost.total, expected=expected)))


def test_the_overlap_of_bands_is_one_number_however_many_are_drawn() -> None:
    plan = samples.training_plan().recommendation
    assert plan.recommended is not None
    *others, last = plan.alternatives[:6]
    dear = costing(last, 9 * plan.recommended.cost.total.expected)
    options = (plan.recommended, *others, dear)
    whole, short = cost_bands(options), cost_bands(options, 2)
    assert whole is not None
    assert short is not None
    assert whole.finding == short.finding
    assert short.note == f"The first 2 of {len(options)} options are drawn."
    far = [option for option in options if option.cost.total.expected > 8 * options[0].cost.total.expected]
    assert far == [dear]
    assert whole.note == "Not drawn: one option that costs more than 8 times as much."
    assert len(whole.categories) == len(options) - 1


def test_bands_are_drawn_whole_where_only_the_first_option_is_cheap() -> None:
    plan = samples.training_plan().recommendation
    assert plan.recommended is not None
    dear = costing(plan.alternatives[0], 9 * plan.recommended.cost.total.expected)
    chart = cost_bands((plan.recommended, dear))
    assert chart is not None
    assert len(chart.categories) == 2, "a comparison of one is none"
    assert chart.note == ""


def test_counts_of_different_things_are_not_added() -> None:
    groups = [
        Rejection(code="memory", reason=finding("left_out.memory"), count=356_337),
        Rejection(code="spot_serving", reason=finding("left_out.spot_serving"), count=300),
        Rejection(code="software", reason=finding("left_out.software"), count=1),
        Rejection(code="not_plannable", reason=finding("left_out.not_plannable"), count=21),
    ]
    assert told(left_out(groups)) == "356,337 layouts, 300 offers and 22 accelerators"
    assert told(counted(groups[2])) == "1 accelerator"
    assert left_out([]) is None
    plan = samples.training_plan()
    words = said(computed(plan.recommendation, plan.spec))
    assert words in present(plan).searched
    assert words.endswith("into memory and were timed")


def test_the_ways_to_save_stand_side_by_side_with_what_each_loses() -> None:
    plan = samples.training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    assert best.checkpoint is not None
    ways = (
        Way(key="waiting", interval_s=3600.0, lost_share=0.2, chosen=False),
        Way(key="background", interval_s=600.0, lost_share=0.1, chosen=True),
    )
    point = replace(best.checkpoint, ways=ways, interval_s=600.0, interval_steps=60, lost_share=0.1)
    point = replace(point, lost_accelerator_hours=100.0, lost_cost=800.0)
    best = replace(best, checkpoint=point)
    rows = present(freeze(plan.spec, replace(plan.recommendation, recommended=best))).ways
    assert [(row.label, row.every, row.lost, row.chosen) for row in rows] == [
        ("Training waits for storage", "60\u00a0minutes, 360 steps", "20%", False),
        ("Written in the background", "10\u00a0minutes, 60 steps", "10%", True),
    ]
    assert [row.hours for row in rows] == ["225", "100"], "900 h of computing at 80 % and at 90 %"
    assert [row.cost for row in rows] == ["USD\u00a01,800", "USD\u00a0800"], "8 dollars an hour, as the plan pays"


def test_a_table_of_ways_agrees_with_the_sentence_above_it() -> None:
    """The engine tells the hours that the planned way loses; the table says the same, the others stand to it."""
    plan = samples.training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    assert best.checkpoint is not None
    ways = tuple(
        Way(key=key, interval_s=600.0, lost_share=share, chosen=key == "waiting")
        for key, share in (("waiting", 0.2), ("background", 0.1))
    )
    point = replace(best.checkpoint, ways=ways, lost_share=0.2, lost_accelerator_hours=208.0, lost_cost=0.0)
    best = replace(best, checkpoint=point, accelerator_hours=replace(best.accelerator_hours, expected=1044.0))
    rows = present(freeze(plan.spec, replace(plan.recommendation, recommended=best))).ways
    assert [row.hours for row in rows] == ["208", "92.4"], "832 h of computing at 80 % and at 90 %"
    assert {row.cost for row in rows} == {""}, "hours without a price of their own"


def test_prices_behind_a_cost_line_are_in_the_currency_of_the_line() -> None:
    """Whoever multiplies what a line is made of gets the line, not the line in dollars."""
    best = in_euro(samples.training_plan()).recommendation.recommended
    assert best is not None
    price = next(item for item in best.cost.model.inputs if item.unit.startswith("USD/"))
    told = input_source(price, EURO)
    assert told.value == f"{rounded(price.value * 0.9, 4)} EUR{price.unit.removeprefix('USD')}"
    rate = next(item for item in best.cost.model.inputs if item.name == "fx_rate")
    assert input_source(rate, EURO).value == "0.9 EUR/USD"
    rows = cost_rows(best.cost.model, EURO)
    assert not [item for row in rows for item in row.how.sources if "USD" in item.value and item.value != "0.9 EUR/USD"]


def test_days_and_shares_are_written_in_one_way() -> None:
    assert dated("price of 2026-08-22, seen 2026-09-01.") == "price of 22 Aug 2026, seen 1 Sep 2026."
    assert dated("2026-13-45 is no day, v2026-08-22 a name") == "2026-13-45 is no day, v2026-08-22 a name"
    assert plain_date(date(2027, 1, 11)) == dated("2027-01-11")
    assert percent(0.541) == "54%"


def test_no_template_writes_a_day_or_a_share_in_a_way_of_its_own() -> None:
    """One style on all pages: “22 Nov 2026, 08:16” and “54%”; ISO only for programs and the field of a day."""
    known = {"j M Y", "j M Y, H:i", "j M Y, H:i:s", "j M, H:i", "j M, H:i:s", "c"}
    for path in (settings.BASE_DIR / "templates").rglob("*.html"):
        text = path.read_text()
        formats = set(re.findall(r"""\|date:["']([^"']+)["']""", text))
        allowed = known | ({"Y-m-d"} if 'type="date"' in text else set())
        assert formats <= allowed, f"{path}: {formats - allowed}"
        assert not re.search(r"\d[ \u00a0]%(?!\})", text), path


def limited(option: Option, chance: Chance | None, **old: float | None) -> Option:
    """The option with its limits met, as likely as given; `old` as plans held it from before."""
    return replace(option, meets_deadline=True, meets_budget=True, chance=chance, **old)  # type: ignore[arg-type]


def test_a_badge_says_what_is_kept_and_is_green_only_where_it_is_as_sure_as_was_asked() -> None:
    plan = samples.training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    asked = replace(plan.spec, constraints=replace(plan.spec.constraints, deadline_days=21.0, budget_usd=0.0))
    for likely, words, tone in (
        (0.995, "Deadline kept: over 99% likely", "good"),
        (0.82, "Deadline kept: 82% likely", "good"),
        (0.7, "Deadline at risk: 70% likely, 80% asked", "warn"),
        (0.41, "Deadline missed: 41% likely, 80% asked", "bad"),
    ):
        badge = badge_of(limited(best, Chance(all=likely, deadline=likely)), asked)
        assert (badge.words, badge.tone) == (words, tone)
        before = limited(best, None, probability_in_time=likely, probability_of_both=None)
        assert badge_of(before, asked).words == words, "plans from before say the same"
    surer = replace(asked, confidence=Confidence(all=0.9))
    assert badge_of(limited(best, Chance(all=0.82, deadline=0.82)), surer).tone == "warn"
    both = limited(best, Chance(all=0.89, deadline=0.95, budget=0.93))
    limits = replace(plan.spec, constraints=replace(plan.spec.constraints, deadline_days=21.0, budget_usd=4e5))
    assert badge_of(both, limits).words == "Limits kept: 89% likely"
    fits = limited(best, Chance(all=0.97, deadline=0.999, memory=0.97))
    assert badge_of(fits, asked).words == "Limits kept: 97% likely", "the deadline alone is over 99% likely"
    assert badge_of(replace(both, meets_deadline=False), limits).words == "Late"
    free = replace(plan.spec, constraints=replace(plan.spec.constraints, deadline_days=0.0, budget_usd=0.0))
    none = badge_of(limited(best, Chance(all=0.99, memory=0.99)), free)
    assert (none.words, none.short, none.tone) == ("Feasible, no limit set", "none set", "")
    assert badge_of(None, limits).tone == "bad"


def test_the_badge_of_a_service_is_its_load_and_its_promise() -> None:
    plan = samples.serving_plan()
    best = plan.recommendation.recommended
    assert best is not None
    assert best.chance is not None
    assert best.chance.promise == pytest.approx(promise_chance(best, plan.spec))
    shown = present(plan)
    assert shown.badge.words == f"Limits kept: {chance(best.chance.all)} likely"
    assert shown.badge.short == shown.rows[0].badge.short


def test_columns_are_left_out_as_the_address_says() -> None:
    assert left_out_in(QueryDict("without=layout&without=cost&without=hardware&without=")) == {"layout", "cost"}
    plan = samples.training_plan()
    assert present(plan).without == frozenset()
    shown = present(plan, without=left_out_in(QueryDict("without=layout")))
    assert shown.without == {"layout"}
    assert [key for key, _ in shown.columns] == ["from", "speed", "cost", "limits", "layout", "bound"]
    assert dict(present(samples.serving_plan()).columns)["speed"] == "First token, p95"


def test_what_the_engine_calls_by_slug_is_told_by_name_in_a_chart_too() -> None:
    plan = samples.training_plan()
    source = finding("source.rented", provider=Ref("provider", "nebius", "Nebius"), terms=Ref("terms", "spot"))
    label = hardware(8, Ref("accelerator", "h100", "H100"), source)
    points = tuple(
        replace(point, label=label) if point.on_frontier else point for point in plan.recommendation.frontier
    )
    told = options.pareto(replace(plan.recommendation, frontier=points), plan.spec)
    assert told is not None
    labels = [label for series in told.series for label in series.labels]
    assert "8 × H100 (Nebius spot)" in [label.replace("\u00a0", " ") for label in labels]


def test_what_is_not_the_whole_is_not_told_as_all_of_it() -> None:
    """“100% a list price that anybody can buy at, 0.0016% an indication”."""
    assert percent(0.99998) == "99.9%"
    assert percent(1.0) == "100%"
    assert percent(1.2) == "120%"
