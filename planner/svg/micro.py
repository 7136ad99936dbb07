"""The small range picture beside a number: where the expected value lies in its 80 % band, and where the limit is."""

from __future__ import annotations

from planner.svg.frame import Scale, element, line

WIDTH, HEIGHT = 208, 18


def band(low: float, expected: float, high: float, *, limit: float | None = None) -> str:
    """A decorative SVG (the same numbers stand beside it as text): a scale, the band, the expected value, the limit."""
    values = [low, expected, high, *([limit] if limit else [])]
    room = (max(values) - min(values)) * 0.18 or abs(expected) * 0.1 or 1.0
    scale = Scale(low=min(values) - room, high=max(values) + room, start=1, end=WIDTH - 1)
    ticks = [line(x, 15, x, 18 if index % 4 else 12, "scale") for index, x in enumerate(range(1, WIDTH, 13))]
    width = max(scale(high) - scale(low), 2)
    marks = [
        *ticks,
        element("rect", x=scale(low), y=4, width=width, height=8, rx=2, class_="span"),
        element("line", x1=scale(expected), y1=1, x2=scale(expected), y2=15, class_="here", stroke_width=3),
    ]
    if limit:
        x = scale(limit)
        marks.append(element("path", d=f"M{x} 0V18M{x} 1h6M{x} 4h4", class_="limit", stroke_width=2, fill="none"))
    return element(
        "svg", "".join(marks), class_="band", viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_hidden="true", focusable="false"
    )
