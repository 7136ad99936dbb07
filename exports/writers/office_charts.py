"""Native charts for Word and PowerPoint: DrawingML chart XML with its editable workbook.

Written by hand rather than by python-pptx, whose axis ids are negative (invalid) and whose styling takes one call per
element. The title of a chart is its caption or headline, so the chart itself has none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from charts.chart import Chart
from charts.plot import Plot, Trace
from charts.scale import Axis
from exports.ooxml import CHART_TYPE, DML, REL, SHEET_TYPE, Package, esc
from exports.writers.look import Look
from exports.writers.office_plot import UNSEEN, office_plot
from exports.writers.workbook import Cell, column, workbook

_CATEGORY_AXIS, _VALUE_AXIS = 10001, 10002


@dataclass(frozen=True, kw_only=True)
class Native:
    """A chart part and the workbook behind it."""

    xml: str
    book: bytes


def native(chart: Chart, look: Look, size: float) -> Native:
    """That chart with text of `size` points, in the language in use."""
    return _drawn(office_plot(chart), look, size)


@lru_cache(maxsize=128)
def _drawn(plot: Plot, look: Look, size: float) -> Native:
    """Remembered by the plot, which holds every word as it is printed: an equal chart may be told in another language."""
    rows, references = _sheet(plot)
    pen = _Pen(plot=plot, look=look, size=size, references=references)
    return Native(xml=pen.space(), book=workbook(rows))


def add_chart(package: Package, source: str, folder: str, chart: Native) -> str:
    """Adds the chart and its workbook under `folder`; returns the id with which `source` names it."""
    number = sum(name.startswith(f"{folder}/charts/") for name in package.parts) + 1
    part = package.add(f"{folder}/charts/chart{number}.xml", CHART_TYPE, chart.xml)
    book = package.add(f"{folder}/embeddings/Microsoft_Excel_Sheet{number}.xlsx", SHEET_TYPE, chart.book)
    package.relate(part, "package", book)
    return package.relate(source, "chart", part)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where the data of one trace lie: its name, its categories (or x) and its values."""

    name: str
    first: str
    second: str


def _sheet(plot: Plot) -> tuple[list[list[Cell]], list[_Place]]:
    if plot.shape == "plane":
        return _points_sheet(plot)
    count = len(plot.categories) + 1
    rows: list[list[Cell]] = [[plot.other_label, *(trace.name for trace in plot.traces)]]
    for index, name in enumerate(plot.categories):
        rows.append([name, *(trace.values[index] for trace in plot.traces)])
    places = [
        _Place(
            name=f"Sheet1!${letter}$1",
            first=f"Sheet1!$A$2:$A${count}",
            second=f"Sheet1!${letter}$2:${letter}${count}",
        )
        for letter in (column(index + 1) for index in range(len(plot.traces)))
    ]
    return rows, places


def _points_sheet(plot: Plot) -> tuple[list[list[Cell]], list[_Place]]:
    """Two columns for each trace: x and y."""
    depth = max(len(trace.points) for trace in plot.traces)
    rows: list[list[Cell]] = [[None] * (2 * len(plot.traces)) for _ in range(depth + 1)]
    places = []
    for index, trace in enumerate(plot.traces):
        # All ranges are as long as the longest: LibreOffice drops a first series that is shorter than a later one.
        x, y, last = column(2 * index), column(2 * index + 1), depth + 1
        rows[0][2 * index : 2 * index + 2] = [plot.other_label, trace.name]
        for number, point in enumerate(trace.points, 1):
            rows[number][2 * index : 2 * index + 2] = list(point)
        places.append(
            _Place(name=f"Sheet1!${y}$1", first=f"Sheet1!${x}$2:${x}${last}", second=f"Sheet1!${y}$2:${y}${last}")
        )
    return rows, places


@dataclass(frozen=True, kw_only=True)
class _Pen:
    plot: Plot
    look: Look
    size: float
    references: list[_Place]

    def space(self) -> str:
        """The whole chart part."""
        legend = self._legend() if self.plot.named else ""
        return (
            f'<c:chartSpace xmlns:c="{DML}/chart" xmlns:a="{DML}/main" xmlns:r="{REL}"><c:date1904 val="0"/>'
            '<c:lang val="en-US"/><c:roundedCorners val="0"/><c:chart><c:autoTitleDeleted val="1"/>'
            f"<c:plotArea>{self._layout()}{self._groups()}{self._axes()}<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>"
            f'</c:plotArea>{legend}<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart>'
            f"<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>{self._text(self.look.muted)}"
            '<c:externalData r:id="rId1"><c:autoUpdate val="0"/></c:externalData></c:chartSpace>'
        )

    def _groups(self) -> str:
        numbered = list(enumerate(zip(self.plot.traces, self.references, strict=True)))
        if self.plot.shape == "plane":
            rows = "".join(self._series(i, trace, place) for i, (trace, place) in numbered)
            return f'<c:scatterChart><c:scatterStyle val="lineMarker"/><c:varyColors val="0"/>{rows}{_IDS}</c:scatterChart>'
        bars = "".join(self._series(i, trace, place) for i, (trace, place) in numbered if trace.mark == "bar")
        lines = "".join(self._series(i, trace, place) for i, (trace, place) in numbered if trace.mark == "line")
        return (self._bar_group(bars) if bars else "") + (_line_group(lines) if lines else "")

    def _bar_group(self, series: str) -> str:
        grouping = "stacked" if self.plot.stacked else "clustered"
        overlap = '<c:overlap val="100"/>' if self.plot.across else '<c:overlap val="-10"/>'
        direction = "bar" if self.plot.shape == "bars" else "col"
        gap = 130 if len(self.plot.categories) < (2 if direction == "bar" else 4) else 60
        return (
            f'<c:barChart><c:barDir val="{direction}"/><c:grouping val="{grouping}"/><c:varyColors val="0"/>{series}'
            f'<c:gapWidth val="{gap}"/>{overlap}{_IDS}</c:barChart>'
        )

    def _series(self, index: int, trace: Trace, place: _Place) -> str:
        start = (
            f'<c:ser><c:idx val="{index}"/><c:order val="{index}"/><c:tx><c:strRef><c:f>{place.name}</c:f>'
            f'<c:strCache><c:ptCount val="1"/><c:pt idx="0"><c:v>{esc(trace.name)}</c:v></c:pt></c:strCache>'
            f"</c:strRef></c:tx>{self._shape(trace)}"
        )
        if self.plot.shape == "plane":
            x, y = zip(*trace.points, strict=True)
            depth = max(len(other.points) for other in self.plot.traces)
            data = _numbers("xVal", place.first, x, depth) + _numbers("yVal", place.second, y, depth)
            return f'{start}{self._marker(trace)}{self._point_labels(trace)}{data}<c:smooth val="0"/></c:ser>'
        data = _words(place.first, self.plot.categories) + _numbers("val", place.second, trace.values)
        if trace.mark == "line":
            return f'{start}{_NO_MARKER}{data}<c:smooth val="0"/></c:ser>'
        return f'{start}<c:invertIfNegative val="0"/>{self._value_labels(trace)}{data}</c:ser>'

    def _shape(self, trace: Trace) -> str:
        if trace.style == UNSEEN:
            return "<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>"
        if trace.style == "free":
            return f'<c:spPr>{_fill(self.look.wash)}<a:ln w="9525">{_fill(self.look.line)}</a:ln></c:spPr>'
        if trace.mark == "bar":
            edge = f'<a:ln w="6350">{_fill("FFFFFF")}</a:ln>' if self.plot.stacked else "<a:ln><a:noFill/></a:ln>"
            return f"<c:spPr>{_fill(self.look.of(trace.style))}{edge}</c:spPr>"
        if trace.mark == "point":
            line = _fill(self.look.of(trace.style)) if trace.joined else "<a:noFill/>"
            return f'<c:spPr><a:ln w="15875">{line}</a:ln></c:spPr>'
        dash = '<a:prstDash val="dash"/>' if trace.dashed else ""
        width = 15875 if trace.dashed else 28575
        return f'<c:spPr><a:ln w="{width}" cap="rnd">{_fill(self.look.of(trace.style))}{dash}<a:round/></a:ln></c:spPr>'

    def _layout(self) -> str:
        """Where bars lie: by the program itself, but of a tornado, whose long names would leave its amounts no room, on the right."""
        if self.plot.kind != "tornado":
            return "<c:layout/>"
        box = "".join(f'<c:{side} val="{share}"/>' for side, share in _BESIDE_NAMES.items())
        modes = '<c:layoutTarget val="inner"/><c:xMode val="edge"/><c:yMode val="edge"/>'
        return f"<c:layout><c:manualLayout>{modes}{box}</c:manualLayout></c:layout>"

    def _marker(self, trace: Trace) -> str:
        if trace.mark != "point":
            return _NO_MARKER
        symbol, size = ("diamond", 14) if trace.style == "highlight" else ("circle", 6)
        return (
            f'<c:marker><c:symbol val="{symbol}"/><c:size val="{size}"/><c:spPr>{_fill(self.look.of(trace.style))}'
            f'<a:ln w="6350">{_fill("FFFFFF")}</a:ln></c:spPr></c:marker>'
        )

    def _point_labels(self, trace: Trace) -> str:
        """The label of each point, for highlighted traces: the others would only hide one another."""
        if trace.style != "highlight" or not any(trace.labels) or not self.plot.named_points:
            return ""
        rows = "".join(
            f'<c:dLbl><c:idx val="{index}"/><c:tx><c:rich><a:bodyPr/><a:p><a:pPr>{self._run(self.look.ink, bold=True)}'
            f"</a:pPr><a:r>{self._run(self.look.ink, bold=True, tag='rPr')}<a:t>{esc(label)}</a:t></a:r></a:p></c:rich>"
            f'</c:tx><c:dLblPos val="t"/>{_shown(value=True)}</c:dLbl>'
            for index, label in enumerate(trace.labels)
            if label
        )
        return f"<c:dLbls>{rows}{_shown(value=False)}</c:dLbls>"

    def _value_labels(self, trace: Trace) -> str:
        """Values at the end of bars that stand alone; stacked pieces are read from the table."""
        if not self.plot.labelled:
            return ""
        form = f'<c:numFmt formatCode="{esc(self.plot.value_form)}" sourceLinked="0"/>'
        # A limit across the bars must not strike a value through.
        ground = _fill("FFFFFF") if any(trace.mark == "line" for trace in self.plot.traces) else "<a:noFill/>"
        look = f"<c:spPr>{ground}<a:ln><a:noFill/></a:ln></c:spPr>"
        return (
            f'<c:dLbls>{form}{look}{self._text(self.look.ink)}<c:dLblPos val="outEnd"/>{_shown(value=True)}</c:dLbls>'
        )

    def _axes(self) -> str:
        plot, lying = self.plot, self.plot.shape == "bars"
        value = self._number_axis(
            _VALUE_AXIS, _CATEGORY_AXIS, plot.value_axis, plot.value_label, at="b" if lying else "l", grid=True
        )
        if plot.x_axis is not None:
            x_axis = plot.x_axis
            return self._number_axis(_CATEGORY_AXIS, _VALUE_AXIS, x_axis, plot.other_label, at="b", grid=False) + value
        order = "maxMin" if lying else "minMax"
        title = "" if lying else self._title(plot.other_label)
        category = (
            f'<c:catAx><c:axId val="{_CATEGORY_AXIS}"/><c:scaling><c:orientation val="{order}"/></c:scaling>'
            f'<c:delete val="0"/><c:axPos val="{"l" if lying else "b"}"/>{title}<c:numFmt formatCode="General" '
            'sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>'
            f'{self._axis_line()}{self._text(self.look.ink)}<c:crossAx val="{_VALUE_AXIS}"/><c:crosses val="autoZero"/>'
            '<c:auto val="0"/><c:lblAlgn val="ctr"/><c:lblOffset val="100"/>'
            f'<c:tickLblSkip val="{plot.every}"/><c:noMultiLvlLbl val="1"/></c:catAx>'
        )
        return category + value

    def _number_axis(self, own: int, other: int, axis: Axis, label: str, *, at: str, grid: bool) -> str:
        log = f'<c:logBase val="{axis.base:g}"/>' if axis.log else ""
        lines = f'<c:majorGridlines><c:spPr><a:ln w="6350">{_fill(self.look.line)}</a:ln></c:spPr></c:majorGridlines>'
        crosses = "max" if self.plot.shape == "bars" else "min" if self.plot.shape == "plane" else "autoZero"
        return (
            f'<c:valAx><c:axId val="{own}"/><c:scaling>{log}<c:orientation val="minMax"/><c:max val="{axis.high:.12g}"/>'
            f'<c:min val="{axis.low:.12g}"/></c:scaling><c:delete val="0"/><c:axPos val="{at}"/>{lines if grid else ""}'
            f'{self._title(label)}<c:numFmt formatCode="{esc(axis.number_format)}" sourceLinked="0"/>'
            '<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="nextTo"/>'
            f"{self._axis_line(faint=grid)}{self._text(self.look.muted)}"
            f'<c:crossAx val="{other}"/><c:crosses val="{crosses}"/><c:crossBetween val="'
            f'{"midCat" if self.plot.shape == "plane" else "between"}"/><c:majorUnit val="{axis.step:.12g}"/></c:valAx>'
        )

    def _axis_line(self, *, faint: bool = False) -> str:
        line = "<a:noFill/>" if faint else _fill(self.look.faint)
        return f'<c:spPr><a:noFill/><a:ln w="9525">{line}</a:ln></c:spPr>'

    def _title(self, label: str) -> str:
        if not label:
            return ""
        return (
            f"<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:pPr>{self._run(self.look.muted)}</a:pPr><a:r>"
            f"{self._run(self.look.muted, tag='rPr')}<a:t>{esc(label)}</a:t></a:r></a:p></c:rich></c:tx>"
            '<c:overlay val="0"/></c:title>'
        )

    def _legend(self) -> str:
        return f'<c:legend><c:legendPos val="b"/><c:overlay val="0"/>{self._text(self.look.ink)}</c:legend>'

    def _text(self, colour: str) -> str:
        return f'<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr>{self._run(colour)}</a:pPr><a:endParaRPr lang="en-US"/></a:p></c:txPr>'

    def _run(self, colour: str, *, bold: bool = False, tag: str = "defRPr") -> str:
        font = esc(self.look.office_font)
        return (
            f'<a:{tag} sz="{round(self.size * 100)}" b="{int(bold)}">{_fill(colour)}<a:latin typeface="{font}"/>'
            f'<a:cs typeface="{font}"/></a:{tag}>'
        )


_IDS = f'<c:axId val="{_CATEGORY_AXIS}"/><c:axId val="{_VALUE_AXIS}"/>'
_BESIDE_NAMES = {"x": 0.38, "y": 0.03, "w": 0.58, "h": 0.72}
"""The inner plot of a tornado, as shares of the chart: names stand left of it, its axis and legend below."""
_NO_MARKER = '<c:marker><c:symbol val="none"/></c:marker>'


def _line_group(series: str) -> str:
    return (
        '<c:lineChart><c:grouping val="standard"/><c:varyColors val="0"/>'
        f'{series}<c:marker val="1"/>{_IDS}</c:lineChart>'
    )


def _rgb(colour: str) -> str:
    return f'<a:srgbClr val="{colour}"/>'


def _fill(colour: str) -> str:
    return f"<a:solidFill>{_rgb(colour)}</a:solidFill>"


def _shown(*, value: bool) -> str:
    rows = (("LegendKey", False), ("Val", value), ("CatName", False), ("SerName", False), ("Percent", False))
    return "".join(f'<c:show{name} val="{int(on)}"/>' for name, on in (*rows, ("BubbleSize", False)))


def _cache(values: tuple[str, ...], form: str = "", count: int = 0) -> str:
    rows = "".join(f'<c:pt idx="{index}"><c:v>{value}</c:v></c:pt>' for index, value in enumerate(values))
    return f'{form}<c:ptCount val="{max(count, len(values))}"/>{rows}'


def _numbers(tag: str, reference: str, values: tuple[float, ...], count: int = 0) -> str:
    cache = _cache(tuple(f"{value:.12g}" for value in values), "<c:formatCode>General</c:formatCode>", count)
    return f"<c:{tag}><c:numRef><c:f>{reference}</c:f><c:numCache>{cache}</c:numCache></c:numRef></c:{tag}>"


def _words(reference: str, values: tuple[str, ...]) -> str:
    cache = _cache(tuple(map(esc, values)))
    return f"<c:cat><c:strRef><c:f>{reference}</c:f><c:strCache>{cache}</c:strCache></c:strRef></c:cat>"
