"""80% bands side by side: the one shape of every comparison of uncertain sums and times."""

from __future__ import annotations

from collections.abc import Sequence

from charts.chart import Chart, Series
from engine.answer import Estimate, Money
from engine.inputs.finding import Finding
from planner.charting.words import name
from voice.speech import Voice, say


def bands(ident: str, told: Finding, axis: str, rows: Sequence[tuple[str, Money | Estimate]], voice: Voice) -> Chart:
    """Low, expected and high of each named row, on an axis of that name."""
    return Chart(
        id=ident,
        kind="interval",
        finding=say(told, voice),
        x_label="",
        y_label=axis,
        categories=tuple(label for label, _ in rows),
        series=(
            Series(name=name("p10", voice), values=tuple(item.low for _, item in rows)),
            Series(name=name("expected", voice), values=tuple(item.expected for _, item in rows)),
            Series(name=name("p90", voice), values=tuple(item.high for _, item in rows)),
        ),
    )
