"""The sheet of a version: its budget lines, its rows of FOCUS and the days of its work, apart from the plan they came from."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from datetime import date

from engine.answer import Option
from engine.inputs.currency import DIGITS
from planner.asked.approval import authorised
from planner.body import decimal_text
from planner.budgets.files import origin_of
from planner.budgets.focus import Row, focus_rows
from planner.budgets.lines import BudgetLine, budget_lines
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion

_LEVEL = 3
"""Of compression: rows of a plan are much alike, higher levels gain a tenth and take five times as long."""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """What a budgeting tool reads of a version."""

    name: str
    """Of the plan."""
    begins: date
    """The first day of the work."""
    ends: date | None
    """Its last day; None = no end."""
    cost_centre: str
    tags: dict[str, str]
    authorised: str
    """The sum that approval was asked for, decimal text."""
    lines: tuple[BudgetLine, ...]
    focus: tuple[Row, ...]


def sheet_of(version: PlanVersion) -> Sheet:
    """The sheet of that version, from its frozen plan."""
    plan = version.costed
    option = plan.recommendation.recommended
    return Sheet(
        name=plan.name,
        begins=plan.start,
        ends=option.finish if option else None,
        cost_centre=plan.spec.cost_centre,
        tags=dict(plan.spec.tags),
        authorised=_authorised(plan, option) if option else "",
        lines=tuple(budget_lines(plan)),
        focus=tuple(focus_rows(plan, origin_of(version))),
    )


def _authorised(plan: Plan, option: Option) -> str:
    return decimal_text(authorised(plan, option), DIGITS[option.cost.total.currency])


def packed(sheet: Sheet) -> bytes:
    """The sheet as bytes; `unpacked` gives it back."""
    said = {
        "name": sheet.name,
        "begins": sheet.begins.isoformat(),
        "ends": sheet.ends.isoformat() if sheet.ends else None,
        "cost_centre": sheet.cost_centre,
        "tags": sheet.tags,
        "authorised": sheet.authorised,
        "lines": [asdict(line) for line in sheet.lines],
        "focus": sheet.focus,
    }
    return zlib.compress(json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode(), _LEVEL)


def unpacked(body: bytes) -> Sheet:
    """The sheet that was packed so."""
    said = json.loads(zlib.decompress(body))
    return Sheet(
        name=said["name"],
        begins=date.fromisoformat(said["begins"]),
        ends=date.fromisoformat(said["ends"]) if said["ends"] else None,
        cost_centre=said["cost_centre"],
        tags=said["tags"],
        authorised=said["authorised"],
        lines=tuple(BudgetLine(**line) for line in said["lines"]),
        focus=tuple(said["focus"]),
    )
