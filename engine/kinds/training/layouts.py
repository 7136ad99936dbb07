"""The fastest layouts of many grids: memory and time of every layout on every accelerator that shares its grid.

A search has some thirty grids, most of them small, and a formula of two hundred steps costs as much on a small array as on
a middling one. So what a layer takes and what ranks exchange is worked out for all grids and accelerators in one pass;
only what differs from layout to layout is worked out grid by grid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.kinds.training.space import Grid
from engine.odds.bands import memory_band
from engine.odds.normal import upto
from engine.physics.chip import Chip
from engine.physics.columns import join, part, pick, stack, take
from engine.physics.holding import Holding
from engine.physics.layout import Spread
from engine.physics.memory import LayerBytes, RankSums, layer_bytes, offloaded_bytes, rank_bytes, rank_sums, total_bytes
from engine.physics.profile import FRAMEWORKS, Profile
from engine.physics.shape import Shape
from engine.physics.step import LayerTerms, RankTerms, layer_terms, rank_terms, stage_terms, total_time

Indices = NDArray[np.intp]
Floats = NDArray[np.float64]
Columns = dict[str, Floats]
LAYOUT = ("tp", "pp", "vpp", "cp", "ep", "dp", "shard_group", "micro_batch", "accumulation")
_TOGETHER = 16_384
"""Elements that go through the formulas together: their columns fit into the cache of a core."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Group:
    """Jobs (a cluster in a precision each) that share a grid and a framework."""

    options: Grid
    framework: str
    profile: Profile
    holding: Holding
    jobs: Indices
    """Places of the jobs among all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """Which layouts of a group fit where."""

    memory: Floats
    """Bytes on the fullest accelerator of each layout; infinite where the host cannot hold what is offloaded."""
    fits: NDArray[np.bool_]
    """(jobs, layouts)"""
    surely: Floats
    """Bytes up to which a layout fits as surely as was asked, for each job; beyond it is taken where nothing else fits."""
    count: Indices
    """Layouts that fit, of each job."""


def fits_of(shape: Shape, groups: Sequence[Group], capacity: Floats, whole: Floats, assume: Assumptions) -> list[Fit]:
    """What fits of each group. `capacity`: bytes that each job may use of an accelerator; `whole`: all that it has."""
    if not groups:
        return []
    layers = join([group.options.layers for group in groups], lengths := [_layers(group) for group in groups])
    ranks = join([group.options.ranks for group in groups], sizes := [_ranks(group) for group in groups])
    holdings, places = stack([group.holding for group in groups]), np.arange(len(groups))
    each_layer = layer_bytes(shape, layers, take(holdings, np.repeat(places, lengths)), assume)
    of_ranks = take(holdings, np.repeat(places, sizes))
    each_rank = rank_sums(rank_bytes(shape, ranks, of_ranks, assume), of_ranks)
    on_host = offloaded_bytes(shape, ranks)
    found = []
    for group, first, rank in zip(groups, _begins(lengths), _begins(sizes), strict=True):
        layer_part = part(each_layer, slice(first, first + _layers(group)))
        own = slice(rank, rank + _ranks(group))
        memory = _memory(shape, group, layer_part, part(each_rank, own), on_host[own], assume)
        fits = memory <= capacity[group.jobs][:, None]
        surely = whole[group.jobs] / np.exp(
            upto(assume["select.fits"]) * memory_band(group.framework, assume).log_sigma
        )
        count = np.count_nonzero(fits, axis=1).astype(np.intp)
        found.append(Fit(memory=memory, fits=fits, surely=surely, count=count))
    return found


def _memory(
    shape: Shape, group: Group, layer: LayerBytes, ranks: RankSums, on_host: Floats, assume: Assumptions
) -> Floats:
    options = group.options
    total: Floats = total_bytes(
        shape,
        pick(layer, options.layer_of),
        pick(ranks, options.rank_of),
        options.spread,
        group.profile,
        group.holding,
    )
    level = int(options.spread.offload)
    if level:
        room = assume["training.offload.host_bytes" if level == 1 else "training.offload.nvme_bytes"]
        total = np.where(on_host[options.rank_of] <= room, total, np.inf)
    return total


def fastest(
    shape: Shape, groups: Sequence[Group], fits: Sequence[Fit], chips: Chip, assume: Assumptions
) -> Iterator[Columns]:
    """The best layouts for each job and number of accelerators, in parts; `job` is the place of the job in `chips`."""
    for shares in _batches(groups, fits):
        layers = _pairs(shares, [share.group.options.layers for share in shares], _layers)
        ranks = _pairs(shares, [share.group.options.ranks for share in shares], _ranks)
        layer = layer_terms(shape, layers.spread, take(chips, layers.job), layers.profile, assume)
        rank = rank_terms(shape, ranks.spread, take(chips, ranks.job), ranks.profile, assume)
        for share, *begins in zip(shares, layers.begins, ranks.begins, strict=True):
            yield from _of_share(shape, share, layer, rank, begins, assume)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Share:
    """Some of the jobs of a group, each of which holds some layout."""

    group: Group
    fit: Fit
    rows: Indices

    @property
    def jobs(self) -> Indices:
        """Places among all jobs."""
        return self.group.jobs[self.rows]


def _batches(groups: Sequence[Group], fits: Sequence[Fit]) -> Iterator[list[_Share]]:
    """All jobs that hold some layout, so many of them at a time that what they need fits into the cache."""
    batch: list[_Share] = []
    room = _TOGETHER
    for group, fit in zip(groups, fits, strict=True):
        rows, each = np.flatnonzero(fit.count), max(_layers(group), _ranks(group))
        while len(rows):
            some = max(1, room // each)
            batch.append(_Share(group=group, fit=fit, rows=rows[:some]))
            room -= each * len(rows[:some])
            rows = rows[some:]
            if room < each:
                yield batch
                batch, room = [], _TOGETHER
    if batch:
        yield batch


@dataclass(frozen=True, kw_only=True, eq=False)
class _Pairs:
    """Every job of every share with every item (layer, or arrangement of ranks) of its group."""

    spread: Spread
    job: Indices
    profile: Profile
    begins: list[int]
    """Where each share begins."""


def _pairs(shares: Sequence[_Share], items: Sequence[Spread], length: Callable[[Group], int]) -> _Pairs:
    lengths = [length(share.group) for share in shares]
    sizes = [len(share.rows) * size for share, size in zip(shares, lengths, strict=True)]
    first = zip(_begins(lengths), lengths, shares, strict=True)
    index = np.concatenate([np.tile(np.arange(begin, begin + size), len(share.rows)) for begin, size, share in first])
    return _Pairs(
        spread=pick(join(items, lengths), index),
        job=np.concatenate([np.repeat(share.jobs, size) for share, size in zip(shares, lengths, strict=True)]),
        profile=take(stack([share.group.profile for share in shares]), np.repeat(np.arange(len(shares)), sizes)),
        begins=_begins(sizes),
    )


def _of_share(
    shape: Shape, share: _Share, layer: LayerTerms, rank: RankTerms, begins: Sequence[int], assume: Assumptions
) -> Iterator[Columns]:
    """The best layouts of each job of a share; its terms begin at those places."""
    group, fit, options = share.group, share.fit, share.group.options
    stages = stage_terms(shape, options.spread, group.profile, assume)
    for block in _blocks(fit.count[share.rows]):
        row, place = np.nonzero(fit.fits[share.rows[block]])
        row += block.start
        seconds = total_time(
            pick(layer, begins[0] + row * _layers(group) + options.layer_of[place]),
            pick(rank, begins[1] + row * _ranks(group) + options.rank_of[place]),
            pick(stages, place),
            options.spread.zero >= 3,
            group.profile,
        )
        doubt = fit.memory[place] > fit.surely[share.rows[row]]
        best = _best(options, row, place, seconds, fit.memory, doubt)
        found = _columns(group, share.jobs[row[best]], place[best], seconds[best], fit.memory)
        yield found | {"doubt": doubt[best].astype(np.float64)}


def _layers(group: Group) -> int:
    return len(group.options.layers.tp)


def _ranks(group: Group) -> int:
    return len(group.options.ranks.tp)


def _begins(lengths: Sequence[int]) -> list[int]:
    """Where each of those parts begins when they lie one behind the other."""
    return [0, *np.cumsum(lengths)[:-1].tolist()]


def _blocks(sizes: Indices) -> Iterator[slice]:
    """Runs of neighbours whose sizes add up to about `_TOGETHER`."""
    begin = total = 0
    for end, size in enumerate(sizes.tolist(), start=1):
        total += size
        if total >= _TOGETHER or end == len(sizes):
            yield slice(begin, end)
            begin, total = end, 0


_LAST = 1e-12
"""Of its rate, what a layout counts that may not fit: it comes after all that surely do."""


def _best(
    options: Grid, row: Indices, place: Indices, seconds: Floats, memory: Floats, doubt: NDArray[np.bool_]
) -> Indices:
    """Which of those layouts has the best rate for each job and number of accelerators, of those without doubt where there
    are any; ties go to less memory."""
    begins = starts(row, options.spread.ranks[place])
    rate = options.batch[place] / seconds * np.where(doubt, _LAST, 1.0)
    run = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(place))))
    ties = np.flatnonzero(rate >= np.maximum.reduceat(rate, begins)[run])
    order = ties[np.lexsort((memory[place[ties]], run[ties]))]
    return order[starts(run[order])]


def starts(*keys: NDArray[Any]) -> Indices:
    """Where a new combination of those keys begins, whose rows lie in order."""
    new = np.zeros(len(keys[0]), dtype=bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(new)


def _columns(group: Group, job: Indices, place: Indices, seconds: Floats, memory: Floats) -> Columns:
    """What a row says, of the chosen layouts."""
    spread, many = group.options.spread, len(place)
    return {
        **{name: getattr(spread, name)[place] for name in LAYOUT},
        "count": spread.ranks[place],
        "recompute": group.options.recompute[place],
        "zero_stage": np.full(many, float(spread.zero)),
        "offload": np.full(many, float(spread.offload)),
        "framework": np.full(many, float(FRAMEWORKS.index(group.framework))),
        "global_batch": group.options.batch[place],
        "step_time_s": seconds,
        "memory_bytes": memory[place],
        "job": job.astype(np.float64),
    }
