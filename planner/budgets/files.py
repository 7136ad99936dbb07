"""A version's budget as files: one body for JSON, and CSV text that no spreadsheet runs. The API and the bundle share them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.inputs.currency import DIGITS
from planner.body import decimal_text
from planner.budgets.focus import COLUMNS, Origin, Row, focus_rows
from planner.budgets.focus import VERSION as FOCUS_VERSION
from planner.budgets.lines import BudgetLine, budget_lines
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion

_NAMES = tuple(BudgetLine.__dataclass_fields__)


@dataclass(frozen=True, kw_only=True)
class BudgetBody:
    """A plan's cost by calendar month and line; the amounts add up to `total` exactly."""

    plan_id: str
    version: int
    state: str
    plan_sha256: str
    currency: str
    total: str
    data: tuple[BudgetLine, ...]


@dataclass(frozen=True, kw_only=True)
class FocusBody:
    """Rows under the column names of FOCUS; every value is text, amounts are decimal text."""

    focus_version: str
    data: tuple[dict[str, str], ...]


def budget_body(version: PlanVersion, plan: Plan) -> BudgetBody | None:
    """The budget of that version, whose plan it is; None when nothing is feasible."""
    option = plan.recommendation.recommended
    if option is None:
        return None
    return BudgetBody(
        plan_id=version.workload.public_id,
        version=version.number,
        state=version.state,
        plan_sha256=version.sha256,
        currency=option.cost.total.currency,
        total=decimal_text(option.cost.total.expected, DIGITS[option.cost.total.currency]),
        data=tuple(budget_lines(plan)),
    )


def budget_csv(plan: Plan) -> str:
    """One row for each line and month; only the header when nothing is feasible."""
    return _csv(_NAMES, ([str(getattr(line, name) or "") for name in _NAMES] for line in budget_lines(plan)))


def focus_csv(version: PlanVersion, plan: Plan) -> str:
    """What that version, whose plan it is, pays and books, under the column names of FOCUS."""
    return focus_text(plan, origin_of(version))


def focus_text(plan: Plan, origin: Origin) -> str:
    """The same of any plan; only the header when nothing is feasible."""
    return FOCUS_HEADER + focus_part(focus_rows(plan, origin))


def focus_part(rows: Iterable[Row]) -> str:
    """Those rows as lines of CSV, without the header."""
    return _lines([row.get(name, "") for name in COLUMNS] for row in rows)


def filled(row: Row) -> dict[str, str]:
    """A row without its empty columns, in their order."""
    return {name: row[name] for name in COLUMNS if row.get(name)}


def focus_body(version: PlanVersion, plan: Plan) -> FocusBody:
    """The same rows as JSON; empty columns are left out."""
    rows = focus_rows(plan, origin_of(version))
    return FocusBody(focus_version=FOCUS_VERSION, data=tuple(map(filled, rows)))


def origin_of(version: PlanVersion) -> Origin:
    """Which plan, version and team the rows of that version are of."""
    workload = version.workload
    return Origin(plan_id=workload.public_id, version=str(version.number), state=version.state, team=workload.team.slug)


def _csv(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return _lines([names]) + _lines(rows)


def _lines(rows: Iterable[Sequence[str]]) -> str:
    text, seen = io.StringIO(), _Harmless()
    csv.writer(text, lineterminator="\r\n").writerows([seen[cell] for cell in cells] for cells in rows)
    return text.getvalue()


class _Harmless(dict[str, str]):
    """Cells as they were made harmless: those of one plan are much alike."""

    def __missing__(self, cell: str) -> str:
        self[cell] = made = harmless(cell)
        return made


def harmless(cell: str) -> str:
    """A spreadsheet runs what begins like a formula; numbers keep their sign."""
    if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not cell.lstrip("+-").replace(".", "", 1).isdigit():
        return f"'{cell}"
    return cell


FOCUS_HEADER = _lines([COLUMNS])
"""The first line of a file of FOCUS rows."""
