"""Axes, numbers on them, and the measuring of text: what all drawn charts and slides rest on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from charts.chart import Chart, Series
from charts.figures import label_format, number_format, short
from charts.scale import axis_for
from charts.selection import plot_of
from exports.document import Cell, Column, Figure, Table
from exports.wording import speaking
from exports.writers.docx_xml import shares
from exports.writers.look import LOOK
from exports.writers.office_charts import native
from exports.writers.office_plot import UNSEEN, office_plot
from exports.writers.pdf_charts import FigureBox
from exports.writers.text_fit import column_shares, cut_to_lines, largest, lines, whole_numbers, width
from planner.charting.options import pareto
from tests.exports import samples
from tests.exports.documents import CHARTS, a_table
from voice.catalogs import Catalog

BY_KIND = {chart.id: chart for chart in CHARTS}


@given(st.lists(st.floats(min_value=-1e12, max_value=1e12), min_size=1, max_size=8), st.booleans())
def test_an_axis_holds_its_values_between_round_ticks(values: list[float], zero: bool) -> None:
    axis = axis_for(values, zero=zero)
    near = 1e-8 * (axis.high - axis.low)
    assert axis.low <= min(values) + near
    assert axis.high >= max(values) - near
    assert 2 <= len(axis.ticks) <= 14
    assert all(0 <= axis.share(value) <= 1 for value in values)


@pytest.mark.parametrize(
    ("ticks", "shown"),
    [
        ((0.0, 250e3, 500e3, 750e3, 1e6), ["0", "0.25M", "0.50M", "0.75M", "1.00M"]),
        ((0.0, 5e3, 10e3, 15e3), ["0", "5k", "10k", "15k"]),
        ((-2000.0, 0.0, 2000.0), ["-2,000", "0", "2,000"]),
        ((0.0, 0.5, 1.0), ["0", "0.5", "1.0"]),
    ],
)
def test_ticks_are_short_and_distinct(ticks: tuple[float, ...], shown: list[str]) -> None:
    form = number_format(ticks)
    assert [short(tick, form) for tick in ticks] == shown


def test_labels_use_the_scale_of_each_value() -> None:
    form = label_format((351e3, 8_100.0, 1.5e6))
    assert [short(value, form) for value in (351e3, 8_100.0, 1.5e6)] == ["351k", "8,100", "1.50M"]


def test_differences_that_round_to_zero_have_no_label() -> None:
    plot = plot_of(BY_KIND["drivers"])
    assert plot.label(-39e3) == "−39.0k"
    assert plot.label(1_620.0) == "1.6k", "a small difference beside a large one keeps a digit that tells"
    assert plot.label(-4.0) == ""


def test_an_interval_is_an_invisible_start_and_two_parts_that_meet_at_the_expected_value() -> None:
    plot = office_plot(BY_KIND["bands"])
    ghost, first, second = plot.traces
    assert ghost.style == UNSEEN
    assert [a + b for a, b in zip(ghost.values, first.values, strict=True)] == [395e3, 441e3, 520e3]
    assert [a + b + c for a, b, c in zip(ghost.values, first.values, second.values, strict=True)] == [
        448e3,
        489e3,
        633e3,
    ]


def test_a_single_stack_shows_what_is_free_up_to_its_limit() -> None:
    plot = plot_of(BY_KIND["memory"])
    assert plot.shape == "bars"
    assert plot.traces[-1].style == "free"
    assert plot.traces[-1].values == (pytest.approx(80 - 67.6),)


def test_a_chart_drawn_in_one_language_is_not_remembered_for_another() -> None:
    chart = replace(
        next(chart for chart in CHARTS if chart.limits), categories=("One",), series=(Series(name="S", values=(1.0,)),)
    )
    chart = replace(chart, kind="stacked_bar", limits=(("Capacity", 4.0),))
    other = Catalog(language="xx", texts={"Free up to {limit}": ("Frei bis {limit}",)})
    with speaking(other):
        assert "Frei bis Capacity" in native(chart, LOOK, 9.0).xml
    assert "Free up to Capacity" in native(chart, LOOK, 9.0).xml


def test_limits_and_single_points_can_be_seen() -> None:
    pareto = plot_of(BY_KIND["pareto"])
    assert [trace.name for trace in pareto.traces if trace.dashed] == ["Budget", "Deadline"]
    load = plot_of(BY_KIND["load"])
    assert load.traces[-1].values == (48.0,) * 8


def test_a_limit_far_from_all_points_is_left_out() -> None:
    """Else one budget of ten times the dearest option would press all options into a corner."""
    far = replace(BY_KIND["pareto"], limits=(("Budget", 9e6),))
    plot = plot_of(far)
    assert [trace.name for trace in plot.traces if trace.dashed] == ["Deadline"]
    assert plot.value_axis.high == 1e6


def test_the_front_is_joined_and_darker_than_what_it_beats() -> None:
    chart = BY_KIND["pareto"]
    other = replace(chart.series[0], role="main")
    plot = plot_of(replace(chart, series=(other, *chart.series[1:])))
    assert [(trace.style, trace.joined) for trace in plot.traces[:2]] == [("soft", False), ("front", True)]
    assert LOOK.of("soft") != LOOK.of("front")
    without = plot_of(replace(chart, series=(other, chart.series[2])))
    assert not any(trace.joined for trace in without.traces)


def _months(count: int) -> Chart:
    """Cash of a purchase: much at the start, a little each month, some of it back at the end."""
    capex = (400e3, *(0.0,) * (count - 2), -90e3)
    series = (Series(name="Opex", values=(10e3,) * count), Series(name="Capex", values=capex))
    names = tuple(f"{index % 12 + 1:02}/{2026 + index // 12}" for index in range(count))
    return replace(BY_KIND["cash"], categories=names, series=series)


@pytest.mark.parametrize(("count", "every"), [(3, 1), (12, 1), (13, 2), (49, 6), (120, 12)])
def test_months_stand_however_many_and_the_drawing_stays_on_its_page(count: int, every: int) -> None:
    chart = _months(count)
    plot = plot_of(chart)
    assert (plot.shape, plot.every) == ("columns", every)
    assert f'<c:tickLblSkip val="{every}"/>' in native(chart, LOOK, 9.0).xml
    box = FigureBox(figure=Figure(chart=chart, caption="Cash", alt="Cash."), look=LOOK)
    assert box.height(482) < 300


def test_an_axis_holds_what_comes_back_beside_what_is_paid() -> None:
    """A month with 10,000 to pay and 90,000 that come back reaches from one to the other, not to their difference."""
    assert plot_of(_months(6)).value_axis.low <= -90e3
    assert plot_of(_months(6)).value_axis.high >= 410e3


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.id)
def test_native_charts_escape_what_users_typed(chart: Chart) -> None:
    xml = native(replace(chart, y_label="<b>cost & time"), LOOK, 9.0).xml
    assert "&lt;b&gt;cost &amp; time" in xml
    assert "<b>" not in xml


def test_widths_are_those_of_helvetica() -> None:
    assert width("0000", 10) == pytest.approx(4 * 5.56 * 1.03)
    assert width("東京", 10) == pytest.approx(2 * 10 * 1.03)


@given(st.text(alphabet="abcdefghij WM-_.,", min_size=1, max_size=400), st.integers(1, 5))
def test_cut_text_keeps_to_its_lines(text: str, most: int) -> None:
    cut = cut_to_lines(text, 12, 150, most)
    assert lines(cut, 12, 150) <= most or len(cut) <= 8


def test_the_largest_size_that_fits_is_taken() -> None:
    assert largest(["USD 15,474"], 100, (40.0, 20.0, 10.0)) == 10.0
    assert largest(["USD 15,474"], 2000, (40.0, 20.0, 10.0)) == 40.0


def test_columns_fill_the_table_and_hold_their_longest_word() -> None:
    table = a_table(9)
    widths = column_shares(table, 480, 9, padding=9)
    assert sum(widths) == pytest.approx(480)
    assert widths[1] >= width("Accelerators", 9, bold=True) + 9
    narrow = column_shares(table, 90, 9, padding=9)
    assert sum(narrow) <= 90.001


def _priced(amount: str) -> Table:
    heads = ("Option", "Offer and terms", "Layout", "Cost, JPY", "80% band", "80% sure", "Signed, JPY")
    columns = [Column(title=head, align="right" if at > 2 else "left") for at, head in enumerate(heads)]
    texts = (
        "73 × NVIDIA GB200",
        "GB200 NVL72 rack, bought",
        "4 replicas",
        amount,
        f"{amount}–{amount}",
        amount,
        amount,
    )
    return Table(id="t", caption="", columns=tuple(columns), rows=(tuple(Cell(text=text) for text in texts),))


@pytest.mark.parametrize(("amount", "shrinks"), [("15,200", False), ("1,688,412,510", True)])
def test_type_of_a_table_shrinks_before_a_number_is_broken(amount: str, shrinks: bool) -> None:
    table, sizes = _priced(amount), (9.0, 8.5, 8.0, 7.5, 7.0)
    size, widths = whole_numbers(table, 400, sizes, padding=10)
    assert (size < sizes[0]) == shrinks
    assert sum(widths) <= 400.01
    for column, cell, wide in zip(table.columns, table.rows[0], widths, strict=True):
        if column.align == "right":
            assert all(width(part, size) <= wide - 9.98 for part in cell.text.split("–"))


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=9), st.integers(100, 20_000))
def test_shares_add_up(parts: list[float], whole: int) -> None:
    assert sum(shares(parts, whole)) == whole


def test_a_recommended_option_beside_the_front_is_not_counted_on_it() -> None:
    plan = samples.training_plan()
    best = plan.recommendation.recommended
    assert best
    points = tuple(
        replace(point, on_frontier=point.on_frontier or point.option_id == best.id)
        for point in plan.recommendation.frontier
    )
    plan = replace(plan, recommendation=replace(plan.recommendation, frontier=points))
    beside = tuple(replace(point, on_frontier=point.on_frontier and point.option_id != best.id) for point in points)
    count = sum(point.on_frontier for point in points)

    on_it = pareto(plan.recommendation, plan.spec)
    not_on_it = pareto(replace(plan.recommendation, frontier=beside), plan.spec)

    assert on_it
    assert not_on_it
    assert on_it.finding.startswith(f"{count} of {len(points)} options")
    assert not_on_it.finding.startswith(f"{count - 1} of {len(points)} options")


def test_a_limit_across_bars_does_not_strike_their_values_through() -> None:
    standing = replace(BY_KIND["cost"], categories=("p50", "p95", "p99", "max"))
    limited = replace(standing, limits=(("Promise", 90e3),))
    ground = '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:ln><a:noFill/></a:ln></c:spPr><c:txPr>'

    assert ground in native(limited, LOOK, 8.5).xml
    assert ground not in native(standing, LOOK, 8.5).xml
