"""The space of layouts: a grid with one axis for each free choice, of which only the combinations that exist are kept.

Axes, in this order: tensor, context, expert, pipeline, interleave, micro-batch, recomputation, data parallel, shard group.
What exists is decided on the open grid; the formulas then see flat arrays with one element for each layout. What a layer
takes and what ranks exchange depend on few of the axes, so both are worked out on the combinations of just those.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from planner.engine.architecture import Architecture
from planner.engine.physics.columns import Array, pick
from planner.engine.physics.layout import Spread
from planner.engine.spec import FixedLayout

AXES = ("tp", "cp", "ep", "pp", "vpp", "micro_batch", "recompute", "dp", "shard_group")
LAYER_AXES = ("tp", "cp", "ep", "vpp", "micro_batch", "recompute")
"""What the time and the bytes of one layer and micro-batch depend on."""
RANK_AXES = ("tp", "cp", "ep", "pp", "dp", "shard_group")
"""What the exchange between replicas and the states of one rank depend on."""
RECOMPUTE = ("none", "selective", "full")
"""What is computed again in the backward pass: nothing, norms and activations, whole layers."""
RECOMPUTE_TIME = (0.0, 0.05, 1.0)
"""Share of a forward pass that each policy repeats; in proportion to the memory-bound work of a layer."""
RECOMPUTE_KEPT = (1.0, 0.65, 0.0)
"""Share of a layer's activations that stays in memory under each policy: norm and activation outputs are dropped first."""
LADDER = tuple(sorted({base * 2**power for base in (1, 3) for power in range(17)}))
"""Counts that clusters come in: powers of two, and three times a power of two."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What decides which layouts exist for one workload on one cluster."""

    arch: Architecture
    node: int
    """Accelerators of one node."""
    top: int
    """Most accelerators."""
    sequence: int
    global_batch: int
    tolerance: float
    """How far the batch may be rounded so that it divides."""
    fixed: FixedLayout
    zero_stage: int
    pipelines: bool
    recompute: str
    grad_bytes: float
    weight_bytes: float
    optimizer_bytes: float
    trained: float
    offload: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """All layouts that exist, as flat arrays of one length, ordered by the number of accelerators."""

    spread: Spread
    """Choices are flat, what all layouts share has no axis."""
    recompute: Array
    """Index into RECOMPUTE."""
    batch: Array
    """Sequences of one step."""
    layers: Spread
    """One layout of each combination of LAYER_AXES."""
    layer_of: NDArray[np.intp]
    """Place of each layout among `layers`."""
    ranks: Spread
    """One layout of each combination of RANK_AXES."""
    rank_of: NDArray[np.intp]
    cells: int
    """Combinations of the whole grid, those that do not exist included."""

    def __len__(self) -> int:
        return len(self.recompute)


@lru_cache(maxsize=128)
def grid(rules: Rules) -> Grid:
    """Every layout of the workload on up to `top` accelerators. Clusters of one size share the answer."""
    axes = {name: list(values) for name, values in _axes(rules).items()}
    shaped = {
        name: np.asarray(values, dtype=np.float64).reshape([-1 if axis == name else 1 for axis in AXES])
        for name, values in axes.items()
    }
    valid = np.broadcast_to(_valid(_spread(shaped, rules), rules), tuple(len(axes[name]) for name in AXES))
    places = dict(zip(AXES, np.nonzero(valid), strict=True))
    chosen = {name: np.asarray(axes[name], dtype=np.float64)[places[name]] for name in AXES}
    order = np.argsort(chosen["tp"] * chosen["pp"] * chosen["cp"] * chosen["dp"], kind="stable")
    places = {name: found[order] for name, found in places.items()}
    spread = _spread({name: values[order] for name, values in chosen.items()}, rules)
    layers, layer_of = _distinct(places, LAYER_AXES, axes)
    ranks, rank_of = _distinct(places, RANK_AXES, axes)
    return Grid(
        spread=spread,
        recompute=chosen["recompute"][order],
        batch=spread.dp * spread.micro_batch * spread.accumulation,
        layers=pick(spread, layers),
        layer_of=layer_of,
        ranks=pick(spread, ranks),
        rank_of=rank_of,
        cells=valid.size,
    )


def _distinct(
    places: dict[str, NDArray[np.intp]], names: tuple[str, ...], axes: dict[str, list[float]]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One layout of each combination of those axes, and which combination each layout has."""
    if not len(places[names[0]]):
        return np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp)
    code = np.ravel_multi_index([places[name] for name in names], [len(axes[name]) for name in names])
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    return first, inverse


def _spread(values: dict[str, Array], rules: Rules) -> Spread:
    """The choices as a layout; what all share has no axis."""
    again = values["recompute"].astype(np.intp)
    return Spread(
        **{name: value for name, value in values.items() if name != "recompute"},
        sequence=np.asarray(float(rules.sequence)),
        zero=np.asarray(float(rules.zero_stage)),
        accumulation=np.maximum(np.rint(rules.global_batch / (values["dp"] * values["micro_batch"])), 1.0),
        recompute=np.array(RECOMPUTE_TIME)[again],
        kept=np.array(RECOMPUTE_KEPT)[again],
        sequence_parallel=np.where(values["tp"] > 1, 1.0, 0.0),
        grad_bytes=np.asarray(rules.grad_bytes),
        weight_bytes=np.asarray(rules.weight_bytes),
        optimizer_bytes=np.asarray(rules.optimizer_bytes),
        trained=np.asarray(rules.trained),
        offload=np.asarray(float(rules.offload)),
        dropped=np.asarray(0.0),
    )


def _axes(rules: Rules) -> dict[str, Iterable[float]]:
    """Values of each axis; a part of the layout that is decided leaves one value."""
    fixed, arch = rules.fixed, rules.arch
    flat = arch.kind == "generic"
    node, top = rules.node, rules.top
    tp = [1] if flat else [size for size in (1, 2, 4, 8) if size <= node and arch.heads % size == 0]
    pp = [1] if flat or not rules.pipelines else [size for size in LADDER if size <= min(arch.layers, 64, top)]
    cp = [1] if flat else [size for size in (1, 2, 4, 8, 16, 32) if size == 1 or rules.sequence // size >= 4096]
    experts = arch.moe.experts if arch.moe else 0
    ep = [size for size in (1, 2, 4, 8, 16, 32, 64) if size == 1 or (experts and experts % size == 0)]
    chosen = [RECOMPUTE.index(rules.recompute)] if rules.recompute in RECOMPUTE else [0, 1, 2]
    return {
        "tp": [fixed.tp] if fixed.tp else tp,
        "cp": [fixed.cp] if fixed.cp else cp,
        "ep": [fixed.ep] if fixed.ep else ep,
        "pp": [fixed.pp] if fixed.pp else pp,
        "vpp": [fixed.vpp] if fixed.vpp else _interleaves(arch, pp),
        "micro_batch": [fixed.micro_batch] if fixed.micro_batch else _micro_batches(rules, flat=flat),
        "recompute": chosen,
        "dp": [fixed.dp] if fixed.dp else _replicas(rules, top),
        "shard_group": [0, node] if rules.zero_stage >= 3 and 1 < node < top else [0],
    }


def _interleaves(arch: Architecture, pp: list[int]) -> list[int]:
    """Virtual stages worth trying: few, spread over what the layers allow."""
    if pp == [1]:
        return [1]
    return [size for size in (1, 2, 4, 8) if size == 1 or size * 2 <= arch.layers]


def _micro_batches(rules: Rules, *, flat: bool) -> list[int]:
    if flat:
        return [2**power for power in range(11) if 2**power <= rules.global_batch]
    return [size for size in (1, 2, 4, 8) if size <= rules.global_batch]


def _replicas(rules: Rules, top: int) -> list[int]:
    """Data-parallel sizes; where the number of accelerators is decided, those that can reach it."""
    exact = rules.fixed.count
    if exact:
        return sorted({exact // size for size in range(1, exact + 1) if exact % size == 0})
    whole = top // rules.node * rules.node
    rest = {whole // size for size in LADDER if whole and whole % size == 0}
    return sorted({size for size in LADDER if size <= top} | rest)


def _valid(spread: Spread, rules: Rules) -> NDArray[np.bool_]:
    """Combinations that a framework can run."""
    node, top = rules.node, rules.top
    counts = (spread.tp * spread.cp * spread.pp * spread.dp).astype(np.int64)
    exact = counts == rules.fixed.count if rules.fixed.count else _buyable(counts, node, top)
    ranks = spread.tp * spread.cp * spread.dp
    experts = (np.mod(ranks, spread.ep) == 0) & ((spread.ep == 1) | (spread.ep >= spread.tp))
    batch = spread.dp * spread.micro_batch * spread.accumulation
    near = np.abs(batch / rules.global_batch - 1.0) <= rules.tolerance
    # Sharding inside a node and copying between nodes is a choice of its own only where there are more replicas.
    hybrid = (spread.shard_group == 0) | ((spread.tp == 1) & (spread.dp > node) & (np.mod(spread.dp, node) == 0))
    valid: NDArray[np.bool_] = exact & (counts <= top) & experts & near & _interleave_valid(spread, rules.arch) & hybrid
    return valid


def _buyable(counts: NDArray[np.int64], node: int, top: int) -> NDArray[np.bool_]:
    """Sizes on the ladder: parts of a node that are powers of two, then whole nodes."""
    ladder = np.array([size for size in LADDER if size <= 131_072], dtype=np.int64)
    whole = (counts % node == 0) & (np.isin(counts // node, ladder) | (counts == top // node * node))
    part = (counts < node) & np.isin(counts, np.array([1, 2, 4, 8, 16, 32], dtype=np.int64))
    buyable: NDArray[np.bool_] = whole | part
    return buyable


def _interleave_valid(spread: Spread, arch: Architecture) -> NDArray[np.bool_]:
    """Interleaving needs a pipeline, equal chunks (with embedding and head as layers if need be) and enough micro-batches."""
    chunks = spread.pp * spread.vpp
    layers = float(max(arch.layers, 1))
    equal = (np.mod(layers, chunks) == 0) | (np.mod(layers + 2.0, chunks) == 0)
    interleaved = (spread.pp > 1) & equal & (np.mod(spread.accumulation, spread.pp) == 0)
    valid: NDArray[np.bool_] = (spread.vpp == 1) | interleaved
    return valid
