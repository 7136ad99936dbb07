"""What searches of one work have found so far, cluster by cluster.

No layout depends on what else is on the market, so a cluster that was searched for one request is known to every other
one that asks for the same work there: for a residency, a price or a deadline nothing is searched again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from engine.inputs.hardware import Cluster, Device
from engine.kinds.training.search import Candidates, TrainingSearch

Look = Callable[[tuple[Cluster, ...]], TrainingSearch]


@dataclass(kw_only=True)
class Searched:
    """Clusters with what was found on each."""

    found: dict[Cluster, TrainingSearch] = field(default_factory=dict)
    best: dict[Cluster, tuple[float, float]] = field(default_factory=dict)
    """Of each of them the most tokens, or samples, that a layout works off in a second, by each of its accelerators and by all; 0 where
    there is no layout."""
    paces: dict[Device, tuple[float, float]] = field(default_factory=dict)
    """Of each accelerator what no step there is better than; see `likely`."""

    def __len__(self) -> int:
        return len(self.found)

    def over(self, clusters: Sequence[Cluster], look: Look) -> TrainingSearch:
        """The search of those clusters; `look` is asked for the ones that were not searched yet. It does not say what was
        left out."""
        missing = tuple(cluster for cluster in clusters if cluster not in self.found)
        if missing:
            for cluster, found in zip(missing, _apart(look(missing)), strict=True):
                self.found[cluster], rows = found, found.rows
                each, all_ = (values.max(initial=0.0) for values in (rows.tokens_per_s / rows.count, rows.tokens_per_s))
                self.best[cluster] = float(each), float(all_)
        return _together([self.found[cluster] for cluster in clusters])

    def knows(self, clusters: Iterable[Cluster]) -> bool:
        """Have all of those been searched?"""
        return all(cluster in self.found for cluster in clusters)


def _apart(found: TrainingSearch) -> Iterator[TrainingSearch]:
    """The same for each cluster alone."""
    ends = np.searchsorted(found.rows.cluster, np.arange(len(found.each) + 1)).tolist()
    for place, count in enumerate(found.each):
        part = slice(ends[place], ends[place + 1])
        rows = Candidates(**{item.name: getattr(found.rows, item.name)[part].copy() for item in fields(Candidates)})
        yield replace(found, rows=rows, rejected=(), searched=count, pruned=0, each=(count,))


def _together(parts: Sequence[TrainingSearch]) -> TrainingSearch:
    """The same for all of those clusters, in their order."""
    columns = {
        item.name: np.concatenate([getattr(part.rows, item.name) for part in parts]) for item in fields(Candidates)
    }
    columns["cluster"] = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])
    each = tuple(part.searched for part in parts)
    return TrainingSearch(rows=Candidates(**columns), rejected=(), searched=sum(each), pruned=0, each=each)
