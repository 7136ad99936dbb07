"""What each figure of the recommended option rests on, as texts."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import Basis, Option
from engine.inputs.finding import Ref
from planner.telling import named, told


@dataclass(frozen=True, kw_only=True)
class BasisRow:
    """One figure: how well it is known, and the measurements behind it."""

    label: str
    level: str
    weak: bool
    """Is it a judgement, or not known at all?"""
    text: str
    rows: tuple[str, ...]


def basis_rows(best: Option | None) -> list[BasisRow]:
    """All of them, in the order of the engine."""
    return [_row(one) for one in best.basis] if best else []


def rows_behind(best: Option, of: str) -> tuple[str, ...]:
    """The measurements that come nearest to that figure."""
    return tuple(told(row) for one in best.basis if one.of == of for row in one.rows)


def _row(one: Basis) -> BasisRow:
    return BasisRow(
        label=named(Ref("word", f"basis.{one.of}")),
        level=named(Ref("word", f"level.{one.level}")),
        weak=one.level in ("assumed", "unknown"),
        text=told(one.told),
        rows=tuple(told(row) for row in one.rows),
    )
