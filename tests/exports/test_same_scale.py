"""Page, PDF, Word, PowerPoint and Excel draw one scale: the same ends, steps and numbers."""

from __future__ import annotations

import re
from xml.etree import ElementTree  # parses only what this project has just written

import pytest

from charts.chart import Chart
from charts.marks import Text
from charts.scale import Axis
from charts.selection import plot_of
from charts.svg import svg
from exports.writers.chart_words import document_words
from exports.writers.look import LOOK
from exports.writers.office_charts import native
from exports.writers.office_plot import office_plot
from exports.writers.pdf_charts import picture
from exports.writers.xlsx_charts import _scaled
from planner.chart_words import PAGE
from planner.charting.options import pareto
from tests.exports.documents import CHARTS
from tests.exports.real_plans import plan_of

NUMBER = re.compile(r"−?[\d.,]+[kM]?")


def _real() -> Chart:
    plan = plan_of("rented")
    chart = pareto(plan.recommendation, plan.spec)
    assert chart
    return chart


@pytest.fixture(params=[*CHARTS, None], ids=lambda chart: chart.id if chart else "real")
def chart(request: pytest.FixtureRequest) -> Chart:
    return request.param or _real()


def _axes(chart: Chart) -> list[Axis]:
    plot = plot_of(chart, PAGE)
    return [axis for axis in (plot.value_axis, plot.x_axis) if axis]


def test_page_and_pdf_tell_the_same_ticks(chart: Chart) -> None:
    root = ElementTree.fromstring(svg(chart, width=920, words=PAGE))  # noqa: S314 — our own text
    page = {item.text for item in root.iter("text") if item.text}
    pdf = {mark.words for mark in picture(chart, 480).marks if isinstance(mark, Text)}
    for axis in _axes(chart):
        told = {PAGE.number(text) for text in axis.texts()}
        assert len(told & page) >= 2
        assert {text for text in told & page if NUMBER.fullmatch(text)} == told & page
        assert told & page == told & pdf


def test_office_programs_have_the_same_ends_steps_and_forms(chart: Chart) -> None:
    xml = native(chart, LOOK, 9.0).xml
    found = re.findall(
        r'<c:scaling>(?:<c:logBase val="([^"]+)"/>)?<c:orientation val="minMax"/><c:max val="([^"]+)"/>'
        r'<c:min val="([^"]+)"/>.*?formatCode="([^"]+)".*?<c:majorUnit val="([^"]+)"/>',
        xml,
    )
    wanted = [
        (
            f"{axis.base:g}" if axis.log else "",
            axis.high,
            axis.low,
            axis.number_format.replace('"', "&quot;").replace(">", "&gt;"),
            axis.step,
        )
        for axis in _axes(chart)
    ]
    got = [(base, float(high), float(low), form, float(step)) for base, high, low, form, step in found]
    assert sorted(got) == sorted(wanted)


def test_the_workbook_scales_its_charts_likewise(chart: Chart) -> None:
    for axis in _axes(chart):
        options = _scaled(axis)
        assert (options["min"], options["max"], options["major_unit"]) == (axis.low, axis.high, axis.step)
        assert options.get("log_base", 0.0) == axis.base


def test_office_files_show_the_series_that_the_page_shows(chart: Chart) -> None:
    shown = [trace.name for trace in plot_of(chart, document_words()).named]
    office = [trace.name for trace in office_plot(chart).named]
    assert office == shown
