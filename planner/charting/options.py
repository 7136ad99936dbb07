"""All options at once: cost over time, what was left out and why, and the bands of cost side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from charts.chart import Chart, Series
from engine.answer import Option, Point, Recommendation
from engine.inputs.finding import Finding, Ref, Typed, finding
from engine.inputs.named import source_of
from engine.inputs.spec import Spec
from planner.asked.kinds import WORK
from planner.charting.bands import bands
from planner.charting.words import axis_of_money, name, share_of
from planner.counting import kind_of
from planner.telling import PAGES
from voice.speech import Voice, say, say_all
from voice.terms import name_of

MOST_POINTS = 240
"""Points that a chart shows at most; the frontier and the recommendation are always among them."""
MOST_BARS = 10
_MOST_REASONS = 8
_MUCH = 12
"""Values that differ by a greater factor lie on a logarithmic axis."""
_WIDEST = 8
"""How many times as much as the first option another may cost before its bar would make all others invisible."""


def pareto(answer: Recommendation, spec: Spec, voice: Voice = PAGES) -> Chart | None:
    """Cost over days, or over the latency of a service; None when options do not differ in it."""
    if len({point.pace for point in answer.frontier}) < 2:
        return None
    chosen = answer.recommended.id if answer.recommended else ""
    groups: dict[str, list[Point]] = {"outside": [], "within": [], "front": [], "chosen": []}
    for point in answer.frontier:
        groups[_group(point, chosen)].append(point)
    room = MOST_POINTS - len(groups["front"]) - len(groups["chosen"])
    share = max(0.0, room / max(1, len(groups["outside"]) + len(groups["within"])))
    limits, money = spec.constraints, answer.currency
    scale, axis = pace_axis(answer, spec)
    return Chart(
        id="pareto",
        kind="scatter",
        finding=_pareto_finding(answer, WORK[spec.kind].pace, voice),
        x_label=name(axis, voice),
        y_label=axis_of_money("total", money.code, voice),
        series=tuple(
            series
            for series in (
                _points("outside", _thinned(groups["outside"], share), "muted", scale, voice),
                _points("within", _thinned(groups["within"], share), "main", scale, voice),
                _points("front", _front(groups), "front", scale, voice),
                _points("chosen", groups["chosen"], "highlight", scale, voice),
            )
            if series.points
        ),
        limits=((name("budget", voice), money.of(limits.budget_usd)),) if limits.budget_usd else (),
        x_limits=tuple((name(key, voice), limit * scale) for key, limit in _x_limits(spec)),
        log_x=_wide(point.pace for point in answer.frontier),
        log_y=_wide(point.cost for point in answer.frontier),
    )


def pace_axis(answer: Recommendation, spec: Spec) -> tuple[float, str]:
    """What the pace of a point is multiplied by on the chart, and the axis: days of short runs are hours or minutes, as
    in the table beside it."""
    return WORK[spec.kind].axis(answer.model.counts, max(point.pace for point in answer.frontier))


def _wide(values: Iterable[float]) -> bool:
    """Whether the values span so much that a linear axis would crowd most of them."""
    found = sorted(values)
    return found[0] > 0 and found[-1] > _MUCH * found[0]


def _x_limits(spec: Spec) -> tuple[tuple[str, float], ...]:
    """The promise of a service or the deadline of a run, where there is one."""
    key, limit = WORK[spec.kind].limit(spec)
    return ((key, limit),) if limit else ()


def _group(point: Point, chosen: str) -> str:
    if chosen and point.option_id == chosen:
        return "chosen"
    if point.on_frontier:
        return "front"
    return "within" if point.feasible else "outside"


def _pareto_finding(answer: Recommendation, pace: str, voice: Voice) -> str:
    """The recommended option counts only where it lies on the front: a smaller cluster may be preferred beside it."""
    total, best = len(answer.frontier), sum(point.on_frontier for point in answer.frontier)
    if answer.recommended is None:
        return say(finding("chart.front.none", total=total), voice)
    return say(finding("chart.front", best=best, total=total, pace=finding(f"chart.name.{pace}")), voice)


def _front(groups: Mapping[str, list[Point]]) -> list[Point]:
    """The front as one line, through the recommended option where that is on it."""
    chosen = [point for point in groups["chosen"] if point.on_frontier]
    return [*groups["front"], *chosen] if groups["front"] else []


def _points(key: str, points: Iterable[Point], role: str, scale: float, voice: Voice) -> Series:
    rows = sorted(points, key=lambda point: (point.pace, point.cost))
    return Series(
        name=name(key, voice),
        points=tuple((point.pace * scale, point.cost) for point in rows),
        labels=tuple(say(point.label, voice) for point in rows),
        role=role,  # type: ignore[arg-type]
    )


def _thinned(points: list[Point], share: float) -> list[Point]:
    """Every n-th point, so that the shape of the cloud stays."""
    if share >= 1 or not points:
        return points
    step = max(1, round(1 / share)) if share else len(points)
    return points[::step]


def rejections(answer: Recommendation, voice: Voice = PAGES) -> Chart | None:
    """How many candidates each reason ruled out, most frequent first; None where that is no comparison.

    Only what is counted in the same thing as the first reason: layouts are not added to accelerators.
    """
    groups = sorted((group for group in answer.rejected if group.count), key=lambda group: -group.count)
    alike = [group for group in groups if kind_of(group) == kind_of(groups[0])]
    if len(alike) < 2:
        return None
    first, things = alike[0], finding(f"chart.name.{kind_of(alike[0])}s")
    share = share_of(first.count / sum(group.count for group in alike))
    axis, shown = name("capital", voice, name=things), alike[:_MOST_REASONS]
    return Chart(
        id="rejections",
        kind="bar",
        finding=say(finding("chart.rejections", share=share, things=things, reason=first.reason), voice),
        x_label=name("reason", voice),
        y_label=axis,
        categories=tuple(say(group.reason, voice) for group in shown),
        series=(Series(name=axis, values=tuple(float(group.count) for group in shown)),),
    )


def cost_bands(options: tuple[Option, ...], most: int = MOST_BARS, voice: Voice = PAGES) -> Chart | None:
    """The 80% band of each option's cost; None with fewer than two options."""
    rows = options[:most]
    if len(rows) < 2:
        return None
    near = tuple(row for row in rows if row.cost.total.expected <= _WIDEST * rows[0].cost.total.expected)
    far = len(rows) - len(near)
    drawn = near if far and len(near) >= 2 else rows
    labelled = tuple(zip(option_labels(drawn, voice), (row.cost.total for row in drawn), strict=True))
    axis = axis_of_money("total", rows[0].cost.total.currency, voice)
    chart = bands("cost-bands", _bands_finding(options), axis, labelled, voice)
    return replace(chart, note=_left_out(len(rows), len(options), len(rows) - len(drawn), voice))


def _left_out(first: int, every: int, far: int, voice: Voice) -> str:
    """Which options the picture does not hold; nothing when it holds all."""
    found = [finding("chart.bands.first", first=first, every=every)] if first < every else []
    if far:
        found.append(finding("chart.bands.far", far=far, times=_WIDEST))
    return say_all(found, voice)


def _bands_finding(rows: tuple[Option, ...]) -> Finding:
    """Over all options, also those that are not drawn: the same number wherever the chart stands."""
    first, others = rows[0].cost.total, len(rows) - 1
    near = others - sum(row.cost.total.low > first.high for row in rows[1:])
    return finding("chart.bands", near=near, others=others) if near else finding("chart.bands.best")


def option_labels(rows: Sequence[Option], voice: Voice = PAGES) -> tuple[str, ...]:
    """“48 × H100 SXM”; where two are called the same the seller tells them apart, then what else of the offer does."""
    labels = [name("cluster", voice, count=row.count, accelerator=Typed(row.accelerator_name)) for row in rows]
    for more in (_seller, _instance, _place, _type):
        found = [more(row, voice) for row in rows]
        apart = {
            label
            for label in labels
            if len({one for one, other in zip(found, labels, strict=True) if other == label}) > 1
        }
        labels = [
            f"{label}, {one}" if label in apart and one else label for label, one in zip(labels, found, strict=True)
        ]
    return tuple(labels)


def _seller(row: Option, voice: Voice) -> str:
    return say(source_of(row), voice)


def _instance(row: Option, voice: Voice) -> str:
    return name("devices", voice, devices=row.offer.devices) if row.offer else row.system_name


def _place(row: Option, voice: Voice) -> str:
    return name_of(Ref("region", row.offer.region), voice.catalog, voice.fields) if row.offer else row.precision


def _type(row: Option, _voice: Voice) -> str:
    return row.offer.instance if row.offer else ""
