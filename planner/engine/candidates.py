"""The space of layouts: a grid with one axis for each free choice, of which only the combinations that exist are kept.

Axes, in this order: tensor, context, expert, pipeline, interleave, micro-batch, recomputation, data parallel. What
exists is decided on the open grid; the formulas then see flat arrays with one element for each layout.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from planner.engine.architecture import Architecture
from planner.engine.physics.columns import Array
from planner.engine.physics.layout import Spread
from planner.engine.spec import FixedLayout

AXES = ("tp", "cp", "ep", "pp", "vpp", "micro_batch", "recompute", "dp")
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


@dataclass(frozen=True, kw_only=True)
class Grid:
    """All layouts that exist, as flat arrays of one length."""

    spread: Spread
    """Choices are flat, what all layouts share has no axis."""
    recompute: Array
    """Index into RECOMPUTE."""
    cells: int
    """Combinations of the whole grid, those that do not exist included."""

    def __len__(self) -> int:
        return len(self.recompute)


@lru_cache(maxsize=64)
def grid(rules: Rules) -> Grid:
    """Every layout of the workload on up to `top` accelerators. Clusters of one size share the answer."""
    axes = {name: list(values) for name, values in _axes(rules).items()}
    size = tuple(len(axes[name]) for name in AXES)
    shaped = {
        name: np.asarray(values, dtype=np.float64).reshape([-1 if axis == name else 1 for axis in AXES])
        for name, values in axes.items()
    }
    again = shaped["recompute"].astype(np.intp)
    per_round = shaped["dp"] * shaped["micro_batch"]
    spread = Spread(
        sequence=np.asarray(float(rules.sequence)),
        tp=shaped["tp"],
        pp=shaped["pp"],
        vpp=shaped["vpp"],
        cp=shaped["cp"],
        ep=shaped["ep"],
        dp=shaped["dp"],
        zero=np.asarray(float(rules.zero_stage)),
        shard_group=np.asarray(0.0),
        micro_batch=shaped["micro_batch"],
        accumulation=np.maximum(np.rint(rules.global_batch / per_round), 1.0),
        recompute=np.array(RECOMPUTE_TIME)[again],
        kept=np.array(RECOMPUTE_KEPT)[again],
        sequence_parallel=np.where(shaped["tp"] > 1, 1.0, 0.0),
        grad_bytes=np.asarray(rules.grad_bytes),
        weight_bytes=np.asarray(rules.weight_bytes),
        optimizer_bytes=np.asarray(rules.optimizer_bytes),
        trained=np.asarray(rules.trained),
        dropped=np.asarray(0.0),
    )
    valid = np.broadcast_to(_valid(spread, rules), size)
    places = np.nonzero(valid)
    chosen = {name: np.asarray(axes[name], dtype=np.float64)[places[number]] for number, name in enumerate(AXES)}
    return Grid(spread=_flat(spread, chosen, rules), recompute=chosen["recompute"], cells=valid.size)


def _flat(spread: Spread, chosen: dict[str, Array], rules: Rules) -> Spread:
    """The layouts at the chosen places of the grid."""
    again = chosen["recompute"].astype(np.intp)
    return replace(
        spread,
        **{name: values for name, values in chosen.items() if name != "recompute"},
        accumulation=np.maximum(np.rint(rules.global_batch / (chosen["dp"] * chosen["micro_batch"])), 1.0),
        recompute=np.array(RECOMPUTE_TIME)[again],
        kept=np.array(RECOMPUTE_KEPT)[again],
        sequence_parallel=np.where(chosen["tp"] > 1, 1.0, 0.0),
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
    valid: NDArray[np.bool_] = exact & (counts <= top) & experts & near & _interleave_valid(spread, rules.arch)
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
