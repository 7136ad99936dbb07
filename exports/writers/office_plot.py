"""A plot as Office programs can draw it."""

from __future__ import annotations

from dataclasses import replace

from charts.chart import Chart
from charts.plot import Plot, Trace
from charts.selection import plot_of
from exports.wording import tr
from exports.writers.chart_words import document_words

UNSEEN = "unseen"
"""The style of a piece that only takes room."""


def office_plot(chart: Chart) -> Plot:
    """The plot of that chart as Office programs draw it: they know no bars from one value to another, so these become stacks
    on an unseen first piece."""
    plot = plot_of(chart, document_words())
    return _stacked_spans(plot, chart.y_label) if plot.kind in ("interval", "waterfall") else plot


def _stacked_spans(plot: Plot, label: str) -> Plot:
    """A band as two pieces that meet at its middle; a step of a sum as one piece from the lower to the higher level."""
    levels = [sorted(values) for values in zip(*(trace.values for trace in plot.traces), strict=True)]
    names = [trace.name for trace in plot.traces]
    rows = list(zip(*levels, strict=True))
    pieces = [
        Trace(
            name=plot.words.span.format(low=names[at], high=names[at + 1]),
            mark="bar",
            style=("s1", "soft")[at % 2],
            values=tuple(above - below for below, above in zip(rows[at], rows[at + 1], strict=True)),
        )
        for at in range(len(rows) - 1)
    ]
    unseen = Trace(name=names[0], mark="bar", style=UNSEEN, values=tuple(rows[0]))
    if plot.kind == "interval":
        words = tr("{label} (bar from {low} to {high}, {middle} at the joint)")
        label = words.format(label=label, low=names[0], middle=names[1], high=names[2])
    return replace(plot, stacked=True, traces=(unseen, *pieces), value_label=label)
