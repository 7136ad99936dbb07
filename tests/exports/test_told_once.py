"""Numbers of one plan agree wherever they stand, and two things in one sentence have two names."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from charts.figures import short
from charts.scale import axis_for
from engine.inputs.named import hardware_of
from exports.compose import compose
from exports.composing.cost import cost
from exports.composing.rivals import break_even, cheaper_rejected, rejected
from exports.document import Table
from exports.numbers import scaled_band
from exports.writers.text_fit import card_shares, width
from planner.charting.money import tornado
from planner.charting.options import option_labels, pareto
from planner.telling import sourced
from tests.exports.real_plans import best_of, gallery_plan, options_of
from tests.exports.test_hazards import context_of
from tests.exports.test_things import said
from tests.exports.walking import parts
from voice.speech import say

TRAINED = ("recommender-dlrm", "lora-8b", "vision-vit-large", "owned-too-small-hybrid", "diffusion-sdxl")
SERVED = ("serve-no-promise", "serve-speech", "serve-images")


@pytest.mark.parametrize("name", [*TRAINED, *SERVED])
def test_options_side_by_side_have_names_of_their_own(name: str) -> None:
    rows = options_of(gallery_plan(name))[:10]
    told = option_labels(rows)

    assert len(set(told)) == len(told)


@pytest.mark.parametrize("name", ["serve-speech", "recommender-dlrm", "lora-8b"])
def test_a_rival_of_the_same_name_is_told_apart(name: str) -> None:
    plan = gallery_plan(name)
    best = best_of(plan)
    text = rejected(context_of(plan), best).replace("\u00a0", " ")
    rival = options_of(plan)[1]
    same = (rival.accelerator, rival.count) == (best.accelerator, best.count)

    alike = hardware_of(best)

    assert rival.offer
    assert best.offer
    elsewhere = rival.offer.seller != best.offer.seller and f"at {rival.offer.seller}" in text
    apart = any(word in text for word in ("per instance", rival.offer.region, "on demand", "spot"))
    assert not same or elsewhere or apart
    assert not any(flip.then.values.get("rival") == alike for flip in plan.recommendation.flips)


def test_what_the_team_owns_is_among_the_options_and_its_place_is_told() -> None:
    plan = gallery_plan("owned-too-small-hybrid")
    owned = [option for option in options_of(plan) if option.kind == "owned"]
    context = context_of(plan)

    assert [option.count for option in owned] == [8]
    assert cheaper_rejected(context, best_of(plan)) is owned[0]
    assert "that the team owns" in rejected(context, best_of(plan))


def test_owned_hardware_that_does_not_do_the_work_is_told_too() -> None:
    plan = gallery_plan("owned-too-small-hybrid")
    rest = tuple(option for option in plan.recommendation.alternatives if option.kind != "owned")
    without = replace(plan, recommendation=replace(plan.recommendation, alternatives=rest))

    assert "What the team owns does not do this work alone" in break_even(context_of(without), best_of(without))


@pytest.mark.parametrize("name", TRAINED)
def test_steps_and_their_time_are_no_longer_than_the_run(name: str) -> None:
    plan = gallery_plan(name)
    best = best_of(plan)
    assert best.step_time_s
    told = " ".join(said(compose(plan)))

    assert best.steps * best.step_time_s.expected < best.days.expected * 86_400
    assert re.search(r"steps take [\d.]+ \w+; with starting, checkpoints and interruptions the run takes", told)


def test_a_run_that_is_too_short_to_save_twice_saves_once() -> None:
    plan = gallery_plan("recommender-dlrm")
    told = " ".join(said(compose(plan)))
    checkpoint = best_of(plan).checkpoint
    assert checkpoint

    assert checkpoint.interval_steps == best_of(plan).steps
    assert checkpoint.storage_gb == pytest.approx(checkpoint.size_gb)
    assert "once, at its end" in told
    assert "64,014 steps)" not in told


@pytest.mark.parametrize("name", TRAINED)
def test_the_driver_that_matters_most_is_one_and_the_same(name: str) -> None:
    plan = gallery_plan(name)
    chart = tornado(plan.recommendation.drivers, best_of(plan).cost.total)
    assert chart

    assert chart.categories[0] == say(plan.recommendation.drivers[0].label)
    assert f"“{chart.categories[0]}” moves the total most" in chart.finding


@pytest.mark.parametrize("name", TRAINED)
def test_the_lines_of_a_small_cost_add_up_as_they_are_printed(name: str) -> None:
    plan = gallery_plan(name)
    table = next(one for one in parts(cost(context_of(plan), best_of(plan))) if isinstance(one, Table))
    *lines, total = [float(row[3].text.replace(",", "")) for row in table.rows]

    assert sum(lines) == pytest.approx(total, abs=0.005 if total < 1000 else 1.5)


@pytest.mark.parametrize("most", [0.0175, 0.003, 0.9, 12.0, 480.0, 99_000.0, 7e8])
def test_ticks_are_printed_as_different_numbers(most: float) -> None:
    axis = axis_for([0.0, most])
    told = [short(tick, axis.number_format) for tick in axis.ticks]

    assert len(set(told)) == len(told)


@pytest.mark.parametrize(("longest", "axis", "scale"), [(0.01, "Minutes", 1440), (1.5, "Hours", 24), (65.0, "Days", 1)])
def test_the_axis_of_the_chart_is_in_the_unit_of_the_longest(longest: float, axis: str, scale: float) -> None:
    plan = gallery_plan("recommender-dlrm")
    first, *rest = plan.recommendation.frontier
    shorter = [replace(point, days=min(point.pace, longest / 2)) for point in rest]
    points = (replace(first, days=longest), *shorter)
    chart = pareto(replace(plan.recommendation, frontier=points), plan.spec)
    assert chart

    assert chart.x_label == f"{axis} to finish"
    assert max(x for series in chart.series for x, _ in series.points) == pytest.approx(longest * scale)


@pytest.mark.parametrize("amount", ["USD\u00a071,164,765", "JPY\u00a0123,456,789,000", "USD\u00a0163"])
def test_a_card_holds_its_amount_in_one_piece(amount: str) -> None:
    values = [amount, "65.3\u00a0days", "8,192\u00a0×\u00a0NVIDIA B200 SXM", "over\u00a099%"]
    shares = card_shares(values)
    rooms = [(481.0 - 24.0) * one / sum(shares) - 20.0 for one in shares]

    assert all(
        width(word, 12.0, bold=True) <= room
        for text, room in zip(values, rooms, strict=True)
        for word in text.split(" ")
    )


def test_both_ends_of_a_large_band_are_in_words() -> None:
    assert scaled_band(15e6, 34.4e6).replace("\u00a0", " ") == "15–34.4 million"
    assert scaled_band(0.9e6, 1.2e6).replace("\u00a0", " ") == "900,000–1.2 million"


@pytest.mark.parametrize("name", SERVED)
def test_months_that_nobody_asked_for_are_an_assumption(name: str) -> None:
    plan = gallery_plan(name)
    document = compose(plan)
    request = next(fact.text for fact in document.decision.facts if fact.key == "request").replace("\u00a0", " ")
    (months,) = (item for item in best_of(plan).cost.model.inputs if item.name == "months")

    assert "demand for 12 months assumed" in request
    assert sourced(months.source).startswith("Assumption “")


@pytest.mark.parametrize("name", ["serve-assistant-office-hours", "serve-long-prompts"])
def test_what_is_too_slow_is_slower_than_what_was_planned(name: str) -> None:
    answer = gallery_plan(name).recommendation
    (slow,) = (item for item in answer.rejected if item.code == "latency")
    near = slow.nearest.values
    needed = {name: near[name].value for name in ("first", "each")}
    planned = {name: value.value for name, value in near["planned"].values.items()}

    assert any(needed[name] > planned[name] for name in planned)


def test_a_small_number_of_seconds_keeps_its_digits() -> None:
    assert short(0.0175, axis_for([0.0175]).number_format) != short(0.02, axis_for([0.0175]).number_format)
