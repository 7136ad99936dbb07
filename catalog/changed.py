"""What a new import of a feed changes of its last ones: counted before anything is written, so that a dry run says it, too."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import Final

from catalog.importers.outcome import Outcome
from catalog.models import BatchStatus, PriceObservation
from catalog.records import PriceRow

NAMED: Final = 5
"""The largest moves are told one by one."""
_SAME: Final = 1e-6
"""Amounts are stored to eight decimals."""
_Key = tuple[str, str, str, str, str, str]


@dataclass(frozen=True, kw_only=True)
class Move:
    """One price that is another one now."""

    row: PriceRow
    before: float

    @property
    def share(self) -> float:
        """By what share of the price before it moved."""
        return float(self.row.amount) / self.before - 1.0


@dataclass(frozen=True, kw_only=True)
class Changed:
    """Prices of a feed now and at its last imports."""

    new: int
    gone: int
    """Known from earlier imports and not in this one; they stay in the catalog and age."""
    same: int
    moves: tuple[Move, ...]
    """The largest first."""

    @property
    def dearer(self) -> int:
        """How many rose."""
        return sum(move.share > 0 for move in self.moves)

    @property
    def middle(self) -> float:
        """The middle one of the moves, as a share."""
        return median(move.share for move in self.moves) if self.moves else 0.0


def changed_since(name: str, outcome: Outcome) -> Changed | None:
    """What is new, gone, dearer and cheaper against the newest published price of each offer of that feed; None at its first import."""
    known = _last_of(name)
    if not known:
        return None
    moves, new, same = [], 0, 0
    for row in outcome.rows:
        before = known.pop(hash(_key(row)), None)
        if before is None:
            new += 1
        elif abs(float(row.amount) / before - 1.0) <= _SAME:
            same += 1
        else:
            moves.append(Move(row=row, before=before))
    moves.sort(key=lambda move: -abs(move.share))
    return Changed(new=new, gone=len(known), same=same, moves=tuple(moves))


def _last_of(name: str) -> dict[int, float]:
    """Hash of each offer → its newest published amount: hundreds of thousands of whole keys would weigh as much as the import itself."""
    rows = PriceObservation.objects.filter(batch__name=name, batch__status=BatchStatus.PUBLISHED).order_by(
        "observed_on", "pk"
    )
    fields = rows.values_list("provider", "instance", "region", "zone", "option", "currency", "amount")
    return {hash(tuple(key)): float(amount) for *key, amount in fields.iterator(chunk_size=2_000)}


def _key(row: PriceRow) -> _Key:
    return (row.provider, row.instance, row.region, row.zone, row.option, row.currency)
