"""The accuracy page: figures of the last validation, read from a file that `manage.py validate --docs` writes.

The file is the body of `validate --json`; a part may also hold `by` (title → name → figures) and `points`, a list of
`{"measured", "predicted", "label"}`. What a file lacks is left out of the page, and without a file the page says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import planner
from charts.chart import Chart, Series
from engine.inputs.finding import Quantity, Typed, finding
from planner.charting.words import name
from planner.telling import PAGES
from voice.speech import say

FILE = Path(planner.__file__).with_name("data") / "accuracy.json"
MOST_POINTS = 120
_NEAR = 0.1
_TITLES = {
    "training_left_out": ("Step time, each source left out of its own fit", "s"),
    "training": ("Step time with the shipped coefficients", "s"),
    "memory": ("Peak memory", "GB"),
    "serving": ("Serving", ""),
}
_NOTES = {
    "nested": "To be expected of a source that nobody has seen: each left out of every choice",
    "first_contact": "First contact: predictions written down before anybody had seen the answers",
    "goals": "Goals beside step time, and how far each is",
    "withheld": "Rows that judge but may not be passed on",
    "peers": "Against other ways to estimate",
    "weak": "Where it is weak",
    "tried": "What each step of the model brought",
    "not_kept": "What was tried and not kept",
    "rankings": "Order of layouts that were measured side by side",
}
LEADING = ("nested", "first_contact")
"""Notes that stand before all else: what a reader's own runs may be off by, before what the shipped coefficients are."""
_TILES = 4
_METRICS = {
    "output_tokens_per_s_per_gpu": "Output tokens per second and accelerator",
    "mlperf_rate": "Rate of MLPerf Inference submissions",
    "ttft_ms": "Time to first token, median",
    "ttft_p99_ms": "Time to first token, p99",
    "tpot_ms": "Time per output token, median",
    "tpot_p99_ms": "Time per output token, p99",
}


@dataclass(frozen=True, kw_only=True)
class Row:
    """Figures of one group of measured rows, ready to print."""

    name: str
    rows: str
    median: str
    p90: str
    bias: str
    coverage: str
    width: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """One way to slice the rows."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class Note:
    """What else the validation says: sentences, or rows under headings."""

    id: str
    title: str
    sentences: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Part:
    """One thing that was predicted: its headline, slices, refusals and the chart of predicted against measured."""

    id: str
    title: str
    headline: Row
    tables: tuple[Table, ...]
    refused: tuple[tuple[str, str], ...]
    chart: Chart | None


def parts(path: Path = FILE) -> tuple[Part, ...]:
    """Every part of the last validation; none when there is no file, or none that can be read."""
    try:
        return _read(path, path.stat().st_mtime_ns)
    except (OSError, ValueError):
        return ()


def notes(path: Path = FILE) -> tuple[Note, ...]:
    """What the last validation says of itself; none when there is no file, or none that can be read."""
    try:
        body = _body(path, path.stat().st_mtime_ns)
    except (OSError, ValueError):
        return ()
    return tuple(note for key, title in _NOTES.items() if (note := _note(key, title, body.get(key))))


def tiles(path: Path = FILE) -> tuple[tuple[str, str, str], ...]:
    """The first figures of the whole procedure with sources left out: what each is, its value and its goal."""
    nested = next((note for note in notes(path) if note.id == "nested"), None)
    return tuple((row[0], row[1], row[2]) for row in nested.rows[:_TILES] if len(row) == 3) if nested else ()


def _note(key: str, title: str, items: object) -> Note | None:
    if not isinstance(items, list) or not items:
        return None
    if all(isinstance(item, str) for item in items):
        return Note(id=key, title=title, sentences=tuple(items))
    rows = [item for item in items if isinstance(item, dict)]
    heads = tuple(dict.fromkeys(str(name) for row in rows for name in row))
    cells = tuple(tuple(_cell(name, row.get(name, "")) for name in heads) for row in rows)
    return Note(id=key, title=title, heads=tuple(_head(name) for name in heads), rows=cells) if cells else None


def _head(name: str) -> str:
    return {
        "median_ape": "Median error",
        "p90_ape": "p90",
        "p90": "p90",
        "tau": "Kendall's tau",
        "band80_coverage": "Band covers",
        "band80_median_width": "Band width",
    }.get(name, name.replace("_", " ").capitalize())


def _cell(name: str, value: object) -> str:
    if name.endswith("_ape") and isinstance(value, int | float):
        return f"{value:.1%}"
    if name.startswith("band80_") and isinstance(value, int | float):
        return f"{value:.0%}"
    if name == "bias" and isinstance(value, int | float):
        return f"{value:+.1%}".replace("-", "−")
    return str(value).replace("-", "−") if isinstance(value, float) else str(value)


def thinned(chart: Chart, most: int = MOST_POINTS) -> Chart:
    """The chart with every n-th point, for the page; its CSV holds all."""
    return replace(
        chart,
        series=tuple(
            replace(
                one,
                points=one.points[:: -(-len(one.points) // most)],
                labels=one.labels[:: -(-len(one.points) // most)],
            )
            for one in chart.series
        ),
    )


@lru_cache(maxsize=2)
def _body(path: Path, _written: int) -> dict[str, Any]:
    body = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(body, dict):
        raise ValueError("The accuracy file must hold an object.")
    return body


@lru_cache(maxsize=2)
def _read(path: Path, written: int) -> tuple[Part, ...]:
    body = _body(path, written)
    return tuple(part for key in _TITLES if isinstance(body.get(key), dict) for part in _parts(key, body[key]))


def _parts(key: str, block: Mapping[str, Any]) -> Iterator[Part]:
    """The part itself, or one for each metric that it holds."""
    title, unit = _TITLES[key]
    if block.get("predicted"):
        yield _part(key, title, unit, block)
    else:
        for name, inner in block.items():
            if isinstance(inner, dict) and inner.get("predicted"):
                yield _part(f"{key}-{name}".replace("_", "-"), _METRICS.get(name, name), _unit(name), inner)


def _unit(metric: str) -> str:
    return "ms" if metric.endswith("_ms") else "tokens/s"


def _part(ident: str, title: str, unit: str, block: Mapping[str, Any]) -> Part:
    refused = block.get("refused")
    return Part(
        id=ident.replace("_", "-"),
        title=title,
        headline=_row("All", block),
        tables=tuple(_tables(block)),
        refused=tuple((str(name), f"{count:,}") for name, count in refused.items())
        if isinstance(refused, dict)
        else (),
        chart=_chart(ident, unit, block),
    )


def _tables(block: Mapping[str, Any]) -> Iterator[Table]:
    named = [(key.removeprefix("by_"), groups) for key, groups in block.items() if key.startswith("by_")]
    by = block.get("by")
    named += list(by.items()) if isinstance(by, dict) else []
    for title, groups in {**dict(named), "apart from the headline": block.get("apart")}.items():
        if isinstance(groups, dict):
            rows = [_row(str(name), figures) for name, figures in groups.items() if _counted(figures)]
            rows.sort(key=lambda row: -int(row.rows.replace(",", "")))
            if rows:
                yield Table(title=title.replace("_", " ").capitalize(), rows=tuple(rows))


def _counted(figures: object) -> bool:
    return isinstance(figures, dict) and bool(figures.get("predicted")) and "median_ape" in figures


def _row(name: str, figures: Mapping[str, Any]) -> Row:
    def share(key: str, form: str = ".1%") -> str:
        value = figures.get(key)
        return format(value, form) if isinstance(value, int | float) else "–"

    return Row(
        name=name,
        rows=f"{figures.get('predicted', 0):,}",
        median=share("median_ape"),
        p90=share("p90_ape"),
        bias=share("bias", "+.1%").replace("-", "−"),
        coverage=share("band80_coverage", ".0%"),
        width=share("band80_median_width", ".0%"),
    )


def _chart(ident: str, unit: str, block: Mapping[str, Any]) -> Chart | None:
    """Predicted over measured on logarithmic axes, with the line on which both agree."""
    points = [point for item in block.get("points") or () if (point := _point(item))]
    if len(points) < 2:
        return None
    values = [value for x, y, _ in points for value in (x, y)]
    ends = min(values), max(values)
    near = sum(abs(y / x - 1) <= _NEAR for x, y, _ in points) / len(points)
    return Chart(
        id=f"accuracy-{ident.replace('_', '-')}",
        kind="scatter",
        finding=say(finding("chart.accuracy", near=Quantity(near, "share"), within=Quantity(_NEAR, "share")), PAGES),
        x_label=name("measured_in", PAGES, unit=Typed(unit)).rstrip(", "),
        y_label=name("predicted_in", PAGES, unit=Typed(unit)).rstrip(", "),
        log_x=True,
        log_y=True,
        series=(
            Series(name=name("equal", PAGES), points=tuple((end, end) for end in ends), role="limit"),
            Series(
                name=name("measured", PAGES),
                points=tuple((x, y) for x, y, _ in points),
                labels=tuple(label for _, _, label in points),
                role="muted",
            ),
        ),
    )


def _point(item: object) -> tuple[float, float, str] | None:
    """Measured, predicted and a name; None for what is no such point."""
    if isinstance(item, Mapping):
        measured, predicted = item.get("measured"), item.get("predicted")
        label = str(item.get("label") or item.get("id") or item.get("source") or "row")
    elif isinstance(item, Sequence) and not isinstance(item, str) and len(item) >= 2:
        measured, predicted, label = item[0], item[1], str(item[2]) if len(item) > 2 else "row"
    else:
        return None
    if not (isinstance(measured, int | float) and isinstance(predicted, int | float)) or min(measured, predicted) <= 0:
        return None
    return float(measured), float(predicted), label[:80]
