"""Each standard request planned, its price held against the lists of others, and the facts behind it counted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import cache
from multiprocessing import get_context
from typing import Literal

from catalog.facts import released
from engine.answer import Option
from engine.choice.peers import ENOUGH, each, peers_of
from engine.inputs.finding import Finding
from engine.inputs.hardware import Market, Offer
from lab.standard.behind import facts_behind, from_memory
from lab.standard.requests import Standard, standards
from planner.estimate import estimate
from planner.market import market
from planner.telling import told

Verdict = Literal["within", "explained", "few", "not rented", "infeasible", "BELOW", "ABOVE", "UNTOLD"]
VIOLATIONS = ("BELOW", "ABOVE", "UNTOLD", "infeasible")
"""Out of the range of the others without a reason on the page, too few others without a word of it, or no answer at all."""
_TOLD = ("warning.price.cheapest", "warning.price.few_others", "warning.price.no_other")
_UNSAID = "cheaper.unsaid"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One request: what was recommended, at which price, and what others ask [USD per accelerator-hour]."""

    name: str
    verdict: Verdict
    choice: str
    price: float
    lists: int
    """Other providers with a price for that accelerator on those terms."""
    least: float
    most: float
    said: str
    """What the plan says of a price below all others, or of how few others there are."""
    facts: int
    memory: tuple[str, ...]
    """Ids of facts behind it that were typed from memory."""


@cache
def newest() -> Market:
    """The market of the newest release, whatever this installation plans on."""
    return market(released())


def judged(*, as_of: date, only: str = "", workers: int = 0) -> list[Judged]:
    """A verdict for each request, in their order. The processes are forked from one that has read the catalog."""
    wanted = standards(newest(), as_of=as_of, only=only)
    workers = min(workers or os.cpu_count() or 1, len(wanted)) or 1
    if workers == 1:
        return list(map(judge, wanted))
    with ProcessPoolExecutor(workers, mp_context=get_context("fork")) as pool:
        return list(pool.map(judge, wanted))


def judge(asked: Standard) -> Judged:
    """That request planned and judged."""
    best = estimate(asked.spec, newest()).recommendation.recommended
    if best is None:
        return Judged(
            name=asked.name, verdict="infeasible", choice="", price=0.0, lists=0, least=0.0, most=0.0, said="", facts=0,
            memory=(),
        )  # fmt: skip
    return _of_option(asked.name, best)


def _of_option(name: str, best: Option) -> Judged:
    peers = peers_of(newest(), best.offer) if best.offer else ()
    said = next((told(one) for one in best.warnings if one.code in _TOLD and not _unsaid(one)), "")
    behind = facts_behind(released(), best)
    return Judged(
        name=name,
        verdict=_verdict(best.offer, [(peer.least, peer.most) for peer in peers], said),
        choice=f"{best.count} × {best.accelerator}, {best.offer.id if best.offer else best.kind}",
        price=each(best.offer) if best.offer else 0.0,
        lists=len(peers),
        least=min((peer.least for peer in peers), default=0.0),
        most=max((peer.most for peer in peers), default=0.0),
        said=said,
        facts=len(behind),
        memory=tuple(from_memory(behind)),
    )


def _unsaid(found: Finding) -> bool:
    """Does it say no more than that the lists do not tell why?"""
    why = found.values.get("why")
    return isinstance(why, Finding) and why.code == _UNSAID


def _verdict(offer: Offer | None, ranges: list[tuple[float, float]], said: str) -> Verdict:
    if offer is None:
        return "not rented"
    if len(ranges) < ENOUGH:
        return "few" if said else "UNTOLD"
    price = each(offer)
    if price * 1.01 < min(least for least, _ in ranges):
        return "explained" if said else "BELOW"
    return "ABOVE" if price > 1.01 * max(most for _, most in ranges) else "within"


def counted(found: list[Judged]) -> Iterator[tuple[str, int]]:
    """How many there are of each verdict, the most frequent first."""
    verdicts = [one.verdict for one in found]
    for verdict in sorted(set(verdicts), key=lambda one: (-verdicts.count(one), one)):
        yield verdict, verdicts.count(verdict)
