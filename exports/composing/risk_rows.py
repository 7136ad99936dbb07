"""The risks as rows: each with its chance, the money at stake, its owner and what it would mean, on page 1, in a chapter and on a slide."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.context import Context, number_cell
from exports.composing.hazard import Hazard
from exports.composing.hazards import hazards
from exports.composing.service_hazards import room_fact
from exports.document import MAX_SLIDE_ROWS, Cell, Column, Fact, Table
from exports.numbers import NBSP, chance
from exports.text import clean_text, sentences, upper_first
from exports.wording import mark, tr

MOST_ON_PAGE_ONE = 5
"""Risks of page 1."""
_TRIFLE = 0.0025
"""Chance times money, as a share of the cost, below which a risk is told in the chapter only: at a chance of 10%, 2.5% of the cost."""
_WEIGHED = 3
"""Of these, the largest by chance times money; the others are those of which a factor is not known, since they may be the gravest all
the same."""
SINGLE = ("signed", "software", "host")
"""Of those, the first ones: what hangs on others that must carry a rest, on one vendor's software, on one host. Then by money."""
_MEANING, _ON_PAGE_ONE = 190, 170
"""Letters of what a risk would mean that a slide and page 1 have room for: whole sentences, the first of them always."""
_ELSEWHERE = ("weakness", "choice")
"""What is to be checked, and thresholds: the chapter has both in lists of their own."""
_MOST_ON_SLIDE = MAX_SLIDE_ROWS - 1
_ROLES = {"finance": mark("Finance"), "engineering": mark("Engineering"), "purchasing": mark("Purchasing")}


def hazard_facts(context: Context, best: Option) -> tuple[Fact, ...]:
    """Rows of page 1; the key of the first is “risk”."""
    # Little head room is a risk of its own, with a row above: page 1 has no room for one more.
    least = _TRIFLE * (best.cost.total.expected + best.cost.signed.drawn)
    rows = _gravest(_without_trifles(hazards(context, best), least), MOST_ON_PAGE_ONE - len(room_fact(context, best)))
    return tuple(
        Fact(
            key="risk" if index == 0 else f"risk_{row.kind}" if not row.name else f"risk_{row.kind}_{index}",
            label=f"{tr('Risk')}: {row.label}",
            text=f"{_head(context, row)} {sentences(row.text, _ON_PAGE_ONE)}",
        )
        for index, row in enumerate(rows)
    )


def _without_trifles(rows: tuple[Hazard, ...], least: float) -> tuple[Hazard, ...]:
    """Without what nobody decides by; all of them where nothing else is known."""
    kept = tuple(row for row in rows if row.weight is None or row.weight >= least)
    return kept or rows


def _gravest(rows: tuple[Hazard, ...], most: int) -> tuple[Hazard, ...]:
    """What breaks the service counts among the weighed ones: it stands before them."""
    weighed = [row for row in rows if row.breaks or row.weight is not None]
    unknown = [row for row in rows if row not in weighed]
    single = [row for kind in SINGLE for row in unknown if row.kind == kind]
    rest = (*single, *sorted((row for row in unknown if row not in single), key=lambda row: -(row.stake or 0.0)))
    return (*weighed[:_WEIGHED], *rest, *weighed[_WEIGHED:])[:most]


def _head(context: Context, row: Hazard) -> str:
    """“Chance 10%, USD 4,210 at stake, owner Purchasing.”"""
    return tr(
        "Chance {chance}, at stake {stake}, owner {owner}.",
        chance=_likely(row),
        stake=_not_known() if row.stake is None else context.money.rounded(row.stake),
        owner=owner_name(context, row),
    )


def owner_name(context: Context, row: Hazard) -> str:
    """The role, or the plan's owner by name."""
    if row.owner != "plan":
        return tr(_ROLES[row.owner])
    return clean_text(context.issue.owner, 40) if context.issue.owner else tr("not named")


def _likely(row: Hazard) -> str:
    return _not_known() if row.chance is None else chance(row.chance)


def _not_known() -> str:
    return tr("not known")


def risk_table(context: Context, best: Option) -> Table | None:
    """All of them, but for what the chapter says elsewhere: what is to be checked, and thresholds; None without any."""
    rows = [_row(context, row, row.text) for row in _told(context, best)]
    note = tr(
        "A chance of 10% is that an input lies at or beyond the end of its range (P10 or P90). Where a chance or a sum is not known, "
        "the risk stands below those that have both, whatever its size; what breaks the service and is no less likely stands first, "
        "since what an hour without it costs its users no plan knows."
    )
    return _table(context, "hazards", rows, note)


def risk_slide_table(context: Context, best: Option) -> Table | None:
    """The same on a slide, as many as it holds."""
    shown = _told(context, best)[:_MOST_ON_SLIDE]
    return _table(context, "slide-risks", [_row(context, row, sentences(row.text, _MEANING)) for row in shown])


def _told(context: Context, best: Option) -> list[Hazard]:
    return [row for row in hazards(context, best) if row.kind not in _ELSEWHERE]


def _table(context: Context, ident: str, rows: list[tuple[Cell, ...]], note: str = "") -> Table | None:
    if not rows:
        return None
    caption = tr("What could go wrong: chance times money, the largest first")
    return Table(id=ident, caption=caption, columns=_columns(context), rows=tuple(rows), note=note)


def _columns(context: Context) -> tuple[Column, ...]:
    return (
        Column(title=tr("Risk"), share=1.2),
        Column(title=tr("Chance"), align="right", share=0.7),
        Column(title=tr("At stake, {code}", code=context.money.code), align="right", share=0.9),
        Column(title=tr("Owner"), share=0.9),
        Column(title=tr("What it would mean"), share=4.0),
    )


def _row(context: Context, row: Hazard, meaning: str) -> tuple[Cell, ...]:
    stake = Cell(text=_not_known())
    if row.stake is not None:  # as precise as the sentence beside it
        code = context.money.code
        stake = number_cell(row.stake, context.money.rounded(row.stake).removeprefix(f"{code}{NBSP}"))
    return (
        Cell(text=upper_first(row.label), tone="strong"),
        Cell(text=_likely(row), value=row.chance),
        stake,
        Cell(text=owner_name(context, row)),
        Cell(text=meaning),
    )
