"""Drawings as accessible SVG: colours are classes of the style sheet, so light, dark and print need no second drawing.

Every mark has a title for hovering, the picture has a title and a description, and `charts.table` gives the same data as a table.
"""

from __future__ import annotations

import unicodedata
from html import escape

from charts.chart import Chart
from charts.drawing import drawn, swatch
from charts.marks import Box, Drawing, Line, Mark, Measure, Path, Spot, Text
from charts.plane import Links
from charts.selection import plot_of
from charts.table import description
from charts.words import ENGLISH, Words

FULL, WIDE, NARROW = 920, 540, 344
_SIZES = {FULL: "full", WIDE: "wide", NARROW: "narrow"}
_HEIGHTS = {FULL: 440, WIDE: 330, NARROW: 310}
_EM = 12.0
"""Size of texts, as in the style sheet [px]."""
_NARROW_SIGNS = frozenset(" .,:;'!|iljtfrI()[]/-")
_NO_LINKS: Links = {}


def full_or_wide(chart: Chart) -> int:
    """The width of the larger picture of that chart."""
    return FULL if chart.kind in ("scatter", "gantt", "steps") or chart.dates else WIDE


def svg(
    chart: Chart, *, width: int = WIDE, words: Words = ENGLISH, links: Links = _NO_LINKS, legend: bool = False
) -> str:
    """That chart as one `<svg>` element of `width` units; `links` gives points an address by their (x, y).

    With links the picture is a group (its points can be reached by keyboard), without them one image.
    """
    picture = picture_of(chart, width=width, words=words, links=links, legend=legend)
    ident = f"chart-{chart.id}-{width}"
    title = element("title", escape(chart.finding) or " ", id=f"{ident}-t")
    about = element("desc", escape(description(chart, words)), id=f"{ident}-d")
    return element(
        "svg",
        title + about + "".join(map(_printed, picture.marks)),
        class_=f"chart__svg chart__svg--{_SIZES.get(width, 'wide')}",
        viewBox=f"0 0 {width} {picture.height:g}",
        role="group" if links else "img",
        aria_labelledby=f"{ident}-t",
        aria_describedby=f"{ident}-d",
    )


def picture_of(
    chart: Chart, *, width: int = WIDE, words: Words = ENGLISH, links: Links = _NO_LINKS, legend: bool = False
) -> Drawing:
    """The drawing of that chart at the sizes of a page."""
    height = _HEIGHTS.get(width, 330) * (0.8 if chart.kind == "steps" else 1.0)
    return drawn(plot_of(chart, words), Measure(_EM, wide), width=width, height=height, legend=legend, links=links)


def legend_of(chart: Chart, words: Words = ENGLISH) -> list[tuple[str, str]]:
    """A small picture of each series' mark with its name; none where one name would repeat the title."""
    plot = plot_of(chart, words)
    return [
        (
            element(
                "svg",
                "".join(_printed(mark) for mark in swatch(plot, number, left=0, top=0, size=16)),
                viewBox="0 0 16 16",
                class_="chart__svg swatch",
                aria_hidden="true",
                focusable="false",
            ),
            trace.name,
        )
        for number, trace in enumerate(plot.named)
    ]


def wide(text: str) -> float:
    """About how wide a text is in the fonts of a page, a little more rather than less: as in the widest that browsers bring
    (DejaVu Sans, Verdana) [px]."""
    return sum(_wide(sign) for sign in text) * _EM


def _wide(sign: str) -> float:
    if sign in _NARROW_SIGNS:
        return 0.4
    if unicodedata.east_asian_width(sign) in "WF":
        return 1.0
    if sign in "mwMW%@":
        return 0.98
    return 0.75 if sign.isupper() else 0.64


def _printed(mark: Mark) -> str:
    match mark:
        case Line():
            return element(
                "line", x1=mark.x1, y1=mark.y1, x2=mark.x2, y2=mark.y2,
                class_="over over--strokes" if mark.style == "over" else mark.style,
            )  # fmt: skip
        case Box():
            style = mark.style if mark.style == "over" else f"bar {mark.style}"
            return element(
                "rect", _hover(mark.about), x=mark.x, y=mark.y, width=mark.width, height=mark.height,
                class_=style, opacity=0.35 if mark.faint else None,
            )  # fmt: skip
        case Path():
            path = " ".join(f"{'L' if at else 'M'}{x:.2f} {y:.2f}" for at, (x, y) in enumerate(mark.points))
            return element("path", _hover(mark.about), d=path, class_=f"trace {mark.style}")
        case Spot():
            return _spot(mark)
        case Text():
            style = {"limit": "limit-text", "name": ""}.get(mark.style, mark.style)
            both = f"{style}{' halo' if mark.halo else ''}".strip()
            return element(
                "text", escape(mark.words) or " ", x=mark.x, y=mark.y, text_anchor=mark.anchor, class_=both or None
            )


def _spot(mark: Spot) -> str:
    """A diamond for the chosen point, a disc on the front, dots and hollow rings elsewhere: not colour alone."""
    inner, x, y = _hover(mark.about), round(mark.x, 2), round(mark.y, 2)
    if mark.style == "highlight":
        path = f"M{x:g} {y - 9:g}L{x + 9:g} {y:g}L{x:g} {y + 9:g}L{x - 9:g} {y:g}Z"
        shape = element("path", inner, d=path, class_="point highlight")
    else:
        radius = {"front": 6.5, "muted": 4.5}.get(mark.style, 3.5)
        shape = element("circle", inner, cx=x, cy=y, r=radius, class_=f"point {mark.style}")
    label = mark.about.rpartition(": ")[0]
    return element("a", shape, href=mark.href, aria_label=label) if mark.href else shape


def _hover(words: str) -> str:
    """The title that a browser shows on hovering, and a screen reader reads."""
    return element("title", escape(words)) if words else ""


def element(name: str, inner: str = "", /, **attributes: object) -> str:
    """One SVG element. `class_` becomes class, underscores become hyphens, None is left out; values are escaped."""
    pairs = (
        f' {key.rstrip("_").replace("_", "-") if key != "viewBox" else key}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{''.join(pairs)}>{inner}</{name}>" if inner else f"<{name}{''.join(pairs)}/>"


def _plain(value: object) -> str:
    return f"{round(value, 2):g}" if isinstance(value, float) else str(value)
