"""The small range picture beside a number: where the expected value lies in its 80 % band, and where the limit is."""

from __future__ import annotations

from charts.svg import element

WIDTH, HEIGHT = 208, 18


def band(low: float, expected: float, high: float, *, limit: float | None = None) -> str:
    """A decorative SVG (the same numbers stand beside it as text): a scale, the band, the expected value, the limit."""
    values = [low, expected, high, *([limit] if limit else [])]
    room = (max(values) - min(values)) * 0.18 or abs(expected) * 0.1 or 1.0
    first, last = min(values) - room, max(values) + room

    def place(value: float) -> float:
        return round(1 + (value - first) / (last - first) * (WIDTH - 2), 2)

    ticks = [
        element("line", x1=x, y1=15, x2=x, y2=18 if index % 4 else 12, class_="scale")
        for index, x in enumerate(range(1, WIDTH, 13))
    ]
    marks = [
        *ticks,
        element("rect", x=place(low), y=4, width=max(place(high) - place(low), 2), height=8, rx=2, class_="span"),
        element("line", x1=place(expected), y1=1, x2=place(expected), y2=15, class_="here", stroke_width=3),
    ]
    if limit:
        x = place(limit)
        marks.append(element("path", d=f"M{x} 0V18M{x} 1h6M{x} 4h4", class_="limit", stroke_width=2, fill="none"))
    return element(
        "svg", "".join(marks), class_="band", viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_hidden="true", focusable="false"
    )
