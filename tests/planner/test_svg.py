"""Charts on the page: well-formed, complete, safe, and never by colour alone."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree  # parses only what this project has just written

import pytest
from hypothesis import given
from hypothesis import strategies as st

from charts.band import band
from charts.chart import Chart, ChartKind, Series
from charts.marks import Text
from charts.svg import NARROW, picture_of, svg, wide
from charts.table import rows_of
from planner.chart_words import figure_text
from planner.charting import money, options, work
from planner.charting.options import cost_bands
from tests.exports import samples

CANARY = "<script>alert(1)</script>\" onload='x' & 東京"
KINDS: tuple[ChartKind, ...] = (
    "scatter",
    "bar",
    "stacked_bar",
    "line",
    "tornado",
    "interval",
    "gantt",
    "steps",
    "waterfall",
)
numbers = st.floats(min_value=0, max_value=1e13, allow_nan=False)


def _charts() -> list[Chart]:
    plan = samples.training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    found = [
        options.pareto(plan.recommendation, plan.spec),
        work.memory(best),
        work.time_budget(best),
        money.cost_lines(best.cost.model),
        money.cash(best.cost.model),
        money.tornado(plan.recommendation.drivers, best.cost.total),
        work.checkpoint_curve(best),
        money.break_even(best, plan.spec),
        cost_bands((best, *plan.recommendation.alternatives)),
    ]
    return [chart for chart in found if chart is not None]


@pytest.mark.parametrize("width", [920, 540, 344])
@pytest.mark.parametrize("chart", _charts(), ids=lambda chart: chart.id)
def test_every_chart_of_a_plan_is_one_titled_image(chart: Chart, width: int) -> None:
    root = ElementTree.fromstring(svg(chart, width=width))  # noqa: S314 — our own text
    assert root.get("role") == "img"
    assert root.find("title").text == chart.finding
    assert "data follows as a table" in root.find("desc").text
    ids = {item.get("id") for item in root.iter() if item.get("id")}
    assert set(f"{root.get('aria-labelledby')} {root.get('aria-describedby')}".split()) <= ids
    assert not [item for item in root.iter() if item.get("style") or item.get("onload")]


@pytest.mark.parametrize("width", [920, 540, NARROW])
@pytest.mark.parametrize("chart", _charts(), ids=lambda chart: chart.id)
def test_no_text_leaves_the_picture(chart: Chart, width: int) -> None:
    """What an axis measures was cut at the edge on a phone and where two charts stand side by side."""
    picture = picture_of(chart, width=width)
    texts = [mark for mark in picture.marks if isinstance(mark, Text)]
    assert texts
    for text in texts:
        before = {"start": 0.0, "middle": 0.5, "end": 1.0}[text.anchor] * wide(text.words)
        assert text.x - before > -2.0, text
        assert text.x - before + wide(text.words) < picture.width + 2.0, text
        assert 0.0 < text.y < picture.height, text


def _chart(kind: ChartKind, values: list[float], name: str = "a") -> Chart:
    points = tuple(enumerate(values, start=1))
    series = tuple(
        Series(name=f"{name}{at}", values=tuple(values), points=points, labels=(name,) * len(values), role=role)
        for at, role in enumerate(("muted", "main", "highlight"))
    )
    return Chart(
        id="x", kind=kind, finding=name, x_label=name, y_label=name, categories=tuple(name for _ in values),
        series=series, limits=((name, 5.0),), x_limits=((name, 2.0),), log_y=True,
    )  # fmt: skip


@given(st.sampled_from(KINDS), st.lists(numbers, max_size=6), st.text(max_size=40))
def test_any_chart_is_well_formed_and_finite(kind: ChartKind, values: list[float], name: str) -> None:
    clean = "".join(sign for sign in name if sign.isprintable())
    drawn = svg(_chart(kind, values, clean), links={(1, values[0]): "#a"} if values else None)
    root = ElementTree.fromstring(drawn)  # noqa: S314 — our own text
    assert root.tag == "svg"
    assert "nan" not in drawn.lower().replace(clean.lower(), "")


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_are_inert(kind: ChartKind) -> None:
    drawn = svg(_chart(kind, [1.0, 2.0], CANARY), links={(1, 1.0): "#a"})
    assert "<script" not in drawn
    assert "onload='x'" not in drawn
    assert ElementTree.fromstring(drawn) is not None  # noqa: S314 — our own text


def test_the_table_holds_every_value_that_is_drawn() -> None:
    for chart in _charts():
        heads, rows = rows_of(chart)
        assert all(len(row) == len(heads) for row in rows)
        drawn = sum(len(series.points) for series in chart.series) or len(chart.categories)
        assert len(rows) == drawn


def test_points_of_the_front_can_be_reached() -> None:
    plan = samples.training_plan()
    point = plan.recommendation.frontier[0]
    chart = options.pareto(plan.recommendation, plan.spec)
    assert chart is not None
    root = ElementTree.fromstring(svg(chart, links={(point.days, point.cost): "#o-a"}))  # noqa: S314 — our own text
    assert root.get("role") == "group"
    assert [item.get("href") for item in root.iter("a")] == ["#o-a"]


def test_marks_differ_in_shape_and_not_only_in_colour() -> None:
    points = {"muted": (1.0, 4.0), "main": (2.0, 3.0), "front": (1.5, 1.0), "highlight": (3.0, 1.0)}
    chart = replace(
        _chart("scatter", []),
        series=tuple(Series(name=role, points=(point,), role=role) for role, point in points.items()),  # type: ignore[arg-type]
    )
    root = ElementTree.fromstring(svg(chart))  # noqa: S314 — our own text
    marks = [item for item in root.iter() if item.get("class", "").startswith("point")]
    looks = {(item.tag, item.get("r")) for item in marks}
    assert len(looks) == len(points)


def test_the_band_shows_its_limit_and_hides_from_readers() -> None:
    root = ElementTree.fromstring(band(8, 10, 14, limit=21))  # noqa: S314 — our own text
    assert root.get("aria-hidden") == "true"
    assert "limit" in [item.get("class") for item in root.iter()]
    assert all(math.isfinite(float(item.get("x"))) for item in root.iter("rect"))
    assert figure_text(1_240_000) == "1.24 M"


def test_texts_of_an_axis_stand_clear_of_each_other_and_zero_is_told() -> None:
    chart = Chart(
        id="tornado", kind="tornado", finding="", x_label="", y_label="Change of the total, EUR",
        categories=("Instances, paid on the mean of the day and the night",),
        series=(Series(name="low", values=(-48_000.0,)), Series(name="high", values=(61_000.0,))),
    )  # fmt: skip
    for width in (NARROW, 540):
        found = re.findall(
            r'<text x="([\d.]+)" y="[\d.]+" text-anchor="middle">([−\d,]+ ?k?)</text>',
            svg(chart, width=width, links={}),
        )
        ends = [(float(x) - len(words) * 6.7 / 2, float(x) + len(words) * 6.7 / 2) for x, words in found]
        assert "0" in [words for _, words in found]
        assert len(found) >= 2
        assert all(right < left for (_, right), (left, _) in pairwise(ends)), found
