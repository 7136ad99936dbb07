"""Layouts that are left out because nobody sells their size, or for so long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.answer import Rejection
from engine.inputs.finding import Finding, Item, Ref, Typed, finding
from engine.inputs.hardware import Access, Offer
from engine.inputs.named import seller_ref
from engine.supply import examples_of


@dataclass
class Unsold:
    """Collects how many layouts of which offers are left out so."""

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, dict[str, Item]] = field(default_factory=dict)

    def add(self, code: str, offer: Offer, access: Access, count: int) -> None:
        """Note so many layouts of that offer; one example for each seller."""
        if count:
            self.counts[code] += count
            self.examples.setdefault(code, {}).setdefault(offer.provider, _example(code, offer, access))

    def rejections(self) -> Iterator[Rejection]:
        """One entry for each reason."""
        for code, count in self.counts.most_common():
            nearest = examples_of(list(self.examples[code].values()))
            yield Rejection(code=code, reason=Finding(f"left_out.{code}"), count=count, nearest=nearest)


def _example(code: str, offer: Offer, access: Access) -> Item:
    whom = {"provider": seller_ref(offer), "option": Ref("terms", offer.option)}
    if code == "too_long":
        return finding("example.sold_days", **whom, most=access.most_days)
    if access.sizes:
        return finding("example.sold_sizes", **whom, sizes=Typed(", ".join(map(str, access.sizes))))
    if access.most_instances:
        return finding("example.sold_most", **whom, most=access.most_instances)
    return finding("example.sold_least", **whom, least=access.least_accelerators)
