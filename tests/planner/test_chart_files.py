"""Charts leave the page as CSV and SVG, complete and harmless."""

from __future__ import annotations

import csv
from io import StringIO

import pytest
from defusedxml.ElementTree import fromstring
from django.test import Client

from charts.chart import Chart, Series
from planner.models import PlanVersion, Workload
from planner.pages.chart_files import csv_of, svg_of
from planner.presenters import charts_of, currency_of
from tests.conftest import People
from tests.exports import samples
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]


def test_every_chart_of_a_plan_is_a_valid_picture_and_a_whole_table() -> None:
    plan = samples.training_plan()
    charts = charts_of(plan, currency_of(plan))
    assert len(charts) >= 8
    for chart in charts:
        picture = fromstring(svg_of(chart))
        assert picture.tag.endswith("svg")
        rows = list(csv.reader(StringIO(csv_of(chart))))
        expected = sum(len(series.points) for series in chart.series) or len(chart.categories)
        assert len(rows) == expected + 1, chart.id


def test_no_cell_is_a_formula_and_numbers_stay_whole() -> None:
    chart = Chart(
        id="x", kind="bar", finding="<b>", x_label="", y_label="USD", categories=("=HYPERLINK(1)", "-1"),
        series=(Series(name="@cost", values=(-1.23456789, 2.0)),),
    )  # fmt: skip
    assert list(csv.reader(StringIO(csv_of(chart)))) == [
        ["item", "'@cost (USD)"],
        ["'=HYPERLINK(1)", "-1.23456789"],
        ["'-1", "2.0"],
    ]
    assert "<b>" not in svg_of(chart)


@pytest.mark.django_db
@pytest.mark.usefixtures("quick_engine")
def test_charts_are_downloaded_by_those_who_may(client: Client, people: People) -> None:
    client.force_login(people.alice)
    client.post("/new/train", TRAINING)
    workload = Workload.objects.get()
    client.post(f"/workloads/{workload.public_id}/freeze")
    version = PlanVersion.objects.get()
    for address in (f"/workloads/{workload.public_id}", f"/plans/{version.public_id}"):
        page = client.get(address).content.decode()
        assert f'href="{address}/charts/tornado.csv"' in page
        answer = client.get(f"{address}/charts/tornado.csv")
        assert answer["Content-Disposition"] == 'attachment; filename="tornado.csv"'
        assert client.get(f"{address}/charts/cost-bands.svg")["Content-Type"] == "image/svg+xml"
        assert client.get(f"{address}/charts/nothing.csv").status_code == 404
        assert client.get(f"{address}/charts/tornado.exe").status_code == 404
        charlie = Client()
        charlie.force_login(people.charlie)
        assert charlie.get(f"{address}/charts/tornado.csv").status_code == 404
