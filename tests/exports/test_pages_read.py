"""What a reader of real plans stumbled over, page by page: sentences of another kind of answer, sums and units that differ."""

from __future__ import annotations

import calendar
import io
import re
from dataclasses import replace
from datetime import date, datetime, timedelta

import openpyxl
import pytest

from engine.money.delivery import waited_hours
from exports.compose import compose
from exports.composing.context import Context, Release, currency_of
from exports.composing.getting import getting
from exports.document import Figure, Slide, Table
from exports.numbers import input_value, long_date
from exports.render import render
from exports.writers import xlsx
from planner.charting.options import pareto
from planner.charting.work import checkpoint_curve
from planner.frozen.snapshot import Plan
from tests.exports.real_plans import REQUESTS, best_of, gallery_plan, plan_of
from tests.exports.recalculation import grid, named_cells
from tests.exports.samples import training_plan
from tests.exports.walking import parts, texts

KINDS = ("owned-twelve-runs", "train-tpu-commitment", "serve-buy-jpy", "batch-ten-million-eur", "train-8b-two-weeks")


def said(value: object) -> str:
    return " ".join(texts(value)).replace("\u00a0", " ")


def slide(plan: Plan, key: str) -> Slide:
    return next(one for one in compose(plan).slides if one.id == key)


@pytest.mark.parametrize("name", KINDS)
def test_steps_make_the_days_of_one_run_or_of_all(name: str) -> None:
    """“9,537 steps make 159 days” was said of twelve runs of 13 days."""
    plan = gallery_plan(name)
    asked, text = plan.spec.training, said(compose(plan).sections)
    if asked is None:
        assert not re.search(r"steps (of one run|make|of training)", text)
        return
    assert ("steps of one run take" in text) == (asked.runs > 1 or asked.experiment_overhead > 0)


@pytest.mark.parametrize("name", KINDS)
def test_who_waits_for_servers_reads_when_the_work_begins(name: str) -> None:
    plan = gallery_plan(name)
    wait = waited_hours(best_of(plan).cost.model) / 24
    ask = next(fact.text for fact in compose(plan).decision.facts if fact.key == "ask").replace("\u00a0", " ")
    assert ("They are expected on" in ask) == (wait > 0)
    if wait:
        accepted = long_date(plan.start + timedelta(days=int(wait))).replace("\u00a0", " ")
        assert f"accepted on {accepted}" in ask
        data = render(plan, "xlsx")
        there = grid(data)[named_cells(data)["accepted_day"]]
        assert isinstance(there, datetime)
        assert there.date() == plan.start + timedelta(days=int(wait)), "as the workbook has it"


@pytest.mark.parametrize("name", KINDS)
def test_next_steps_ask_for_what_is_still_to_be_done(name: str) -> None:
    """Nobody can approve before the day of the request, and a purchase that this work carries alone has no rest."""
    plan = gallery_plan(name)
    steps, signed = said(slide(plan, "next")), best_of(plan).cost.signed
    assert plan.spec.start is None
    assert "first day of the plan" not in steps
    assert ("carry the rest of the purchase" in steps) == (signed.what == "purchase" and signed.rest > 0)


MONTHS = tuple(calendar.month_name[1:])
DATED = rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}})"


@pytest.mark.parametrize(
    "name", ["rented", "bought", *KINDS, "train-draws-commitment-eur", "train-quoted-until", "serve-savings-plan"]
)
def test_no_step_is_dated_before_what_it_depends_on(name: str) -> None:
    """Limits are asked for and prices made sure of, then somebody decides, then money is bound: each by a day of its own."""
    plan = plan_of(name) if name in REQUESTS else gallery_plan(name)
    way = getting(Context(plan=plan, release=Release(), money=currency_of(plan)), best_of(plan))
    days = [[_days_in(text) for text in texts] for texts in (way.before, way.after)]
    asked, bound = ([min(found) for found in texts if found] for texts in days)
    assert all(plan.as_of < day and day.weekday() < 5 for day in asked)
    if plan.spec.start:
        assert all(day <= way.decide for day in asked)
        assert all(way.decide <= day for day in bound)
        assert way.decide <= plan.spec.start


def _days_in(text: str) -> list[date]:
    found = re.findall(DATED, text.replace("\u00a0", " "))
    return [date(int(parts[2]), MONTHS.index(parts[1]) + 1, int(parts[0])) for parts in found]


def test_a_start_that_was_set_is_the_day_to_decide_by() -> None:
    plan = gallery_plan("train-8b-two-weeks")
    later = replace(plan, spec=replace(plan.spec, start=plan.as_of + timedelta(days=30)))
    assert "the first day of the plan" in said(slide(later, "next"))


def test_nothing_of_a_batch_speaks_of_a_peak() -> None:
    plan = gallery_plan("batch-ten-million-eur")
    assert "peak" not in said(compose(plan).slides)
    assert "autoscaler" not in said(compose(plan).sections)


@pytest.mark.parametrize("name", ["owned-twelve-runs", "train-8b-two-weeks"])
def test_a_checkpoint_interval_has_the_unit_of_its_axis(name: str) -> None:
    """“Every 1.55 h” stood over an axis in minutes, beside “every 93.1 minutes”."""
    chart = checkpoint_curve(best_of(gallery_plan(name)))
    assert chart is not None
    assert "minutes" in chart.x_label.lower()
    assert "minutes loses least time" in chart.finding


@pytest.mark.parametrize("name", ["train-mixtral-sweep", "serve-small-rate"])
def test_the_front_passes_through_the_recommended_option_that_is_on_it(name: str) -> None:
    plan = gallery_plan(name)
    chart = pareto(plan.recommendation, plan.spec)
    assert chart is not None
    drawn = {series.name: set(series.points) for series in chart.series}
    on_front = any(point.on_frontier and point.option_id == best_of(plan).id for point in plan.recommendation.frontier)
    assert on_front
    assert drawn["Recommended"] <= drawn["Pareto front"]


def test_a_front_of_the_recommended_option_alone_is_no_line() -> None:
    plan = gallery_plan("serve-committed-year")
    best = best_of(plan).id
    points = tuple(replace(point, on_frontier=point.option_id == best) for point in plan.recommendation.frontier)
    chart = pareto(replace(plan.recommendation, frontier=points), plan.spec)
    assert chart is not None
    assert chart.finding.startswith("1 of ")
    assert {series.name for series in chart.series} == {"Within the limits", "Recommended"}


@pytest.mark.parametrize(
    ("rate", "unit", "text"),
    [(0.865431, "EUR/USD", "0.86543"), (158.6413, "JPY/USD", "158.641"), (1.25, "CHF/USD", "1.25")],
)
def test_an_exchange_rate_keeps_the_digits_that_amounts_were_made_with(rate: float, unit: str, text: str) -> None:
    """10.00 USD at “0.87” are not the 8.65 EUR beside it."""
    assert input_value(rate, unit) == text


@pytest.mark.parametrize("name", ["owned-twelve-runs", "train-70b-on-demand-eur", "train-tpu-commitment"])
def test_months_that_do_not_add_up_to_the_last_digit_say_so(name: str) -> None:
    document = compose(gallery_plan(name))
    table = next(part for part in parts(document.sections) if isinstance(part, Table) and part.id == "cash")
    *months, total = [[float(cell.text.replace(",", "").replace("−", "-")) for cell in row[1:4]] for row in table.rows]
    even = all(sum(month[at] for month in months) == total[at] for at in range(3))
    assert even != ("rounded for itself" in table.note)


@pytest.mark.parametrize("title", ["7B from scratch", "Seven", "3 & 4"])
def test_a_title_that_begins_with_a_digit_is_no_size_of_its_letters(title: str) -> None:
    """“&97B” is a B at 97 points."""
    data = xlsx.write(replace(compose(training_plan()), title=title))
    header = openpyxl.load_workbook(io.BytesIO(data))["Inputs"].oddHeader.left
    assert header.size == 9
    assert header.text.strip().replace("&&", "&") == title


@pytest.mark.parametrize("name", KINDS)
def test_a_place_without_a_known_grid_has_no_source_of_its_intensity(name: str) -> None:
    plan = gallery_plan(name)
    text, use = said(compose(plan).sections), best_of(plan).energy
    assert ("No emissions are stated" in text) == (use.g_per_kwh is None)
    assert ("location-based" in text) == (use.g_per_kwh is not None)
    assert "Grid of gcp/" not in text
    assert any(isinstance(part, Figure) for part in parts(compose(plan).sections))
