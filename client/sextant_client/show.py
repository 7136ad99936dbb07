"""What the command line prints: an estimate as a few lines and a table, a plan in one line, progress as a bar."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from types import TracebackType
from typing import Any, TextIO

from sextant_client import types as t

_WIDTH = 30
_MOST_OPTIONS = 8


def estimate_lines(answer: Any) -> list[str]:
    """The answer as people read it; `answer` is the body of an estimate."""
    lines = [_plain(answer["name"]), _plain(answer["headline"]["text"]), ""]
    lines += [f"Request: {_plain(answer['request'])}", f"To approve: {_plain(answer['approval'])}", ""]
    best = answer["recommended"]
    if best is None:
        lines += [f"- {_plain(item['text'])}" for item in answer["nearest"]]
    else:
        rows = [_row(option) for option in (best, *answer["alternatives"][: _MOST_OPTIONS - 1])]
        lines += _table([("", "Accelerators", "Where", "Layout", "Days", "Cost, low to high"), *rows])
        lines += ["", *(f"! {_plain(found['text'])}" for found in answer["warnings"])]
    tail = f"catalog {answer['catalog_date']}, engine {answer['engine_version']}"
    return [*lines, f"plan_sha256 {answer['plan_sha256']} ({tail})"]


def plan_lines(plan: t.PlanBody) -> list[str]:
    """One line: id, status, cost, name."""
    newest = plan["latest_version"]
    cost = newest["cost"] if newest else None
    shown = f"{_grouped(cost['amount'])} {cost.get('currency', '')}".strip() if cost else "–"
    number = f"v{newest['number']}" if newest else "–"
    return [f"{plan['id']}  {number:>4}  {plan['status']:<10}  {shown:>18}  {_plain(plan['name'])}"]


def review_line(version: t.VersionSummary) -> str:
    """Where a version stands after a step of its review."""
    given = f", {len(version['approvals'])} of {version['approvals_needed']} approvals" if version["approvals"] else ""
    return f"{version['plan_id']}  v{version['number']}  {version['state']}{given}  {_plain(version['headline'])}"


def difference_lines(again: t.Repriced) -> list[str]:
    """What today's prices change, and what was kept of it."""
    if not again["changed"]:
        return [f"{again['plan_id']}  v{again['version']}  unchanged on today's prices"]
    lines = [
        (_plain(line["label"]), _plain(line["before"]), _plain(line["after"])) for line in again["difference"]["lines"]
    ]
    kept = again["accepted"]
    tail = f"kept as v{kept['number']}, a draft" if kept else "nothing is kept: --keep freezes it as the next version"
    return [*_table([("", f"v{again['version']}", "today"), *lines], mark=False), "", tail]


def event_line(event: t.EventEnvelope) -> str:
    """When, what, and what it happened to."""
    data: Mapping[str, Any] = event["data"]
    about = data.get("plan_id") or data.get("export_id") or ""
    number = f" v{data['version']}" if "version" in data else ""
    return f"{event['timestamp']}  {event['type']:<20}  {about}{number}"


def price_table(prices: Iterable[t.PriceBody]) -> list[str]:
    """One line for each price: where, what, on which terms, the price of an hour of the whole instance, and its day."""
    rows = [
        (f"{row['accelerators']} × {row['accelerator']}", row["provider"], row["instance"],
         " ".join((row["region"], row["zone"])).strip(),
         row["mode"].replace("_", " "), f"{row['amount']} {row['currency']}", row["valid_from"])
        for row in prices
    ]  # fmt: skip
    return _table([("Accelerators", "Provider", "Instance", "Region", "Terms", "Price/h", "Since"), *rows], mark=False)


def _row(option: Any) -> tuple[str, ...]:
    layout = option["parallelism"]
    split = " ".join(f"{name}{layout[name]}" for name in ("tp", "pp", "cp", "ep", "dp") if layout[name] > 1)
    offer, total = option["offer"], option["cost"]["total"]
    where = _rented(offer) if offer else option["on_prem"] or option["kind"]
    cost = f"{_grouped(total['expected'])} {total['currency']}, {_grouped(total['low'])} to {_grouped(total['high'])}"
    accelerators = f"{option['count']} × {option['accelerator_name']}"
    return ("", accelerators, where, split or "one each", f"{option['days']['expected']:.1f}", cost)


def _rented(offer: Any) -> str:
    """Seller, instance, region and terms: the same instance differs in price by its terms, the same chip by its instance."""
    return f"{offer['provider']} {offer['instance']} {offer['region']} {offer['option'].replace('_', ' ')}"


def _table(rows: list[tuple[str, ...]], *, mark: bool = True) -> list[str]:
    """Columns as wide as their widest cell; with `mark` the row after the heading is shown to be the recommended one."""
    marked = [("→" if index == 1 else "", *row[1:]) for index, row in enumerate(rows)] if mark else rows
    cells = [[_plain(cell) for cell in row] for row in marked]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _grouped(amount: str) -> str:
    """`1563174.21` → `1,563,174`; below ten with cents."""
    value = Decimal(amount)
    return f"{value.quantize(Decimal('0.01' if 0 < abs(value) < 10 else '1'), ROUND_HALF_UP):,}"


def _plain(text: str) -> str:
    """The text without characters that would steer a terminal."""
    return "".join(character for character in text if not unicodedata.category(character).startswith("C"))


class Bar:
    """A progress bar in a terminal; nothing where nobody looks. Called with what is done and what there is in all."""

    def __init__(self, stream: TextIO, label: str) -> None:
        self._stream, self._label, self._shown = stream, label, stream.isatty()

    def __enter__(self) -> Bar:
        return self

    def __call__(self, done: int, whole: int) -> None:
        """Draws it anew."""
        if self._shown and whole:
            filled = min(_WIDTH, _WIDTH * done // whole)
            bar = "#" * filled + "." * (_WIDTH - filled)
            self._stream.write(f"\r{self._label} [{bar}] {min(100, 100 * done // whole):3d} %")
            self._stream.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            self._stream.write("\r" + " " * (_WIDTH + len(self._label) + 12) + "\r")
            self._stream.flush()
