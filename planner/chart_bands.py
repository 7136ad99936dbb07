"""The bands of all options side by side, and what options are called where several look alike."""

from __future__ import annotations

from collections.abc import Sequence

from charts.chart import Chart, Series
from engine.answer import Option
from engine.inputs.names import source_words

MOST_BARS = 10
_WIDEST = 8.0
"""How many times as much as the first option another may cost before its bar would make all others invisible."""


def cost_bands(options: tuple[Option, ...], most: int = MOST_BARS) -> Chart | None:
    """The 80% band of each option's cost; None with fewer than two options."""
    rows = options[:most]
    if len(rows) < 2:
        return None
    near = tuple(row for row in rows if row.cost.total.expected <= _WIDEST * rows[0].cost.total.expected)
    far = len(rows) - len(near)
    drawn = near if far and len(near) >= 2 else rows
    return Chart(
        id="cost-bands",
        kind="interval",
        finding=_bands_finding(options),
        x_label="",
        y_label=f"Total cost, {rows[0].cost.total.currency}",
        categories=option_labels(drawn),
        series=(
            Series(name="P10", values=tuple(row.cost.total.low for row in drawn)),
            Series(name="expected", values=tuple(row.cost.total.expected for row in drawn)),
            Series(name="P90", values=tuple(row.cost.total.high for row in drawn)),
        ),
        note=_left_out(len(rows), len(options), len(rows) - len(drawn)),
    )


def _left_out(first: int, every: int, far: int) -> str:
    """Which options the picture does not hold; nothing when it holds all."""
    words = [f"The first {first:,} of {every:,} options are drawn."] if first < every else []
    if far:
        some = "one option that costs" if far == 1 else f"{far:,} options that cost"
        words.append(f"Not drawn: {some} more than {_WIDEST:g} times as much.")
    return " ".join(words)


def option_labels(rows: Sequence[Option]) -> tuple[str, ...]:
    """“48 × H100 SXM”; where two are called the same the seller tells them apart, then what else of the offer does."""
    labels = [f"{row.count:,} × {row.accelerator_name}" for row in rows]
    for more in (_seller, _instance, _place, _type):
        found = [more(row) for row in rows]
        apart = {
            label
            for label in labels
            if len({one for one, name in zip(found, labels, strict=True) if name == label}) > 1
        }
        labels = [
            f"{label}, {one}" if label in apart and one else label for label, one in zip(labels, found, strict=True)
        ]
    return tuple(labels)


def _seller(row: Option) -> str:
    return source_words(row)


def _instance(row: Option) -> str:
    return f"{row.offer.devices} per instance" if row.offer else row.system_name


def _place(row: Option) -> str:
    return row.offer.region if row.offer else row.precision


def _type(row: Option) -> str:
    return row.offer.instance if row.offer else ""


def _bands_finding(rows: tuple[Option, ...]) -> str:
    """Over all options, also those that are not drawn: the same number wherever the chart stands."""
    first = rows[0].cost.total
    apart = sum(row.cost.total.low > first.high for row in rows[1:])
    if apart == len(rows) - 1:
        return "The recommended option stays cheapest within the whole band of every option"
    return (
        f"{len(rows) - 1 - apart:,} of {len(rows) - 1:,} alternatives overlap the cost band of the recommended option"
    )
