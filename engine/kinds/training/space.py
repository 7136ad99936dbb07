"""The space of layouts: a grid with one axis for each free choice, of which only the combinations that exist are kept.

Axes, in this order: tensor, context, expert, pipeline, interleave, micro-batch, recomputation, data parallel, shard group.
What exists is decided on the open grid; the formulas then see flat arrays with one element for each layout. What a layer
takes and what ranks exchange depend on few of the axes, so both are worked out on the combinations of just those.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.inputs.architecture import Architecture
from engine.inputs.known import Known
from engine.inputs.spec import FixedLayout
from engine.physics.activations import POLICIES
from engine.physics.columns import Array
from engine.physics.layout import Spread

AXES = ("tp", "cp", "ep", "pp", "vpp", "micro_batch", "recompute", "dp", "shard_group")
LAYER_AXES = ("tp", "cp", "ep", "vpp", "micro_batch", "recompute")
"""What the time and the bytes of one layer and micro-batch depend on."""
RANK_AXES = ("tp", "cp", "ep", "pp", "dp", "shard_group")
"""What the exchange between replicas and the states of one rank depend on."""
RECOMPUTE = ("none", "selective", "full")
"""What is computed again in the backward pass: nothing, norms and activations, whole layers."""
RECOMPUTE_TIME = (0.0, 0.05, 1.0)
"""Share of a forward pass that each policy repeats; in proportion to the memory-bound work of a layer."""
RECOMPUTE_POLICY = (float(POLICIES.index("all")), float(POLICIES.index("light")), float(POLICIES.index("all")))
"""Which tensors of a layer stay under each policy."""
RECOMPUTE_KEPT = (1.0, 1.0, 0.0)
"""Share of layers of which more than the input stays."""
Choices = dict[str, Array]
"""What differs between layouts: fields of a `Spread`."""
LONG_MICRO_BATCH = 65_536
"""Most tokens of a micro-batch of short sequences."""
LEAST_NORMALISED = 32
"""Samples that batch normalisation needs on one accelerator (Wu and He 2018, arXiv 1803.08494, figure 1: the error of
ResNet-50 rises below 32)."""
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
    plain: bool = False
    """Every accelerator holds the whole dense model: data parallel and nothing else."""
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


def grid(rules: Rules, known: Known) -> Grid:
    """Every layout of the workload on up to `top` accelerators. Clusters of one size share the answer."""
    frame = Frame(
        axes=tuple((name, tuple(float(value) for value in values)) for name, values in _axes(rules).items()),
        node=rules.node,
        top=rules.top,
        exact=rules.fixed.count,
        layers=rules.arch.layers,
        global_batch=rules.global_batch,
        tolerance=rules.tolerance,
    )
    found = known.remembered(("layouts", frame), lambda: _choices(frame))
    return Grid(
        spread=_spread(found.all, rules),
        recompute=found.recompute,
        batch=found.batch,
        layers=_spread(found.layers, rules),
        layer_of=found.layer_of,
        ranks=_spread(found.ranks, rules),
        rank_of=found.rank_of,
        cells=found.cells,
    )


@dataclass(frozen=True, kw_only=True)
class Frame:
    """What the existence of layouts depends on: much less than the rules, so that most requests find it made."""

    axes: tuple[tuple[str, tuple[float, ...]], ...]
    node: int
    top: int
    exact: int
    """Accelerators where their number is decided; 0 = any."""
    layers: int
    global_batch: int
    tolerance: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _Choices:
    """The choices of every layout that exists, by number of accelerators, and which of them share a layer or ranks."""

    all: Choices
    recompute: Array
    batch: Array
    layers: Choices
    layer_of: NDArray[np.intp]
    ranks: Choices
    rank_of: NDArray[np.intp]
    cells: int


def _choices(frame: Frame) -> _Choices:
    axes = {name: np.array(values) for name, values in frame.axes}
    lengths = [len(axes[name]) for name in AXES]
    valid = np.ascontiguousarray(np.broadcast_to(_valid(axes, frame), lengths))
    places = dict(zip(AXES, np.unravel_index(np.flatnonzero(valid), lengths), strict=True))
    tp, pp, cp, dp = (axes[name][places[name]] for name in ("tp", "pp", "cp", "dp"))
    order = np.argsort(tp * pp * cp * dp, kind="stable")
    places = {name: found[order] for name, found in places.items()}
    values = {name: axes[name][found] for name, found in places.items()}
    again = values.pop("recompute")
    values["accumulation"] = _accumulation(
        values["dp"], values["micro_batch"], values["pp"], values["vpp"], frame.global_batch
    )
    values["recompute"] = np.array(RECOMPUTE_TIME)[again.astype(np.intp)]
    values["policy"] = np.array(RECOMPUTE_POLICY)[again.astype(np.intp)]
    values["kept"] = np.array(RECOMPUTE_KEPT)[again.astype(np.intp)]
    values["sequence_parallel"] = np.where(values["tp"] > 1, 1.0, 0.0)
    layers, layer_of = _distinct(places, LAYER_AXES, axes)
    ranks, rank_of = _distinct(places, RANK_AXES, axes)
    return _Choices(
        all=values,
        recompute=again,
        batch=values["dp"] * values["micro_batch"] * values["accumulation"],
        layers={name: found[layers] for name, found in values.items()},
        layer_of=layer_of,
        ranks={name: found[ranks] for name, found in values.items()},
        rank_of=rank_of,
        cells=valid.size,
    )


def _distinct(
    places: dict[str, NDArray[np.intp]], names: tuple[str, ...], axes: dict[str, Array]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The first layout of each combination of those axes, and which combination each layout has."""
    lengths = [len(axes[name]) for name in names]
    code = np.ravel_multi_index([places[name] for name in names], lengths)
    first = np.full(int(np.prod(lengths)), -1, dtype=np.intp)
    first[code[::-1]] = np.arange(len(code))[::-1]
    used = first >= 0
    return first[used], (np.cumsum(used) - 1)[code]


def _spread(choices: Choices, rules: Rules) -> Spread:
    """The choices as layouts; what all share has no axis."""
    return Spread(
        **choices,
        sequence=np.asarray(float(rules.sequence)),
        zero=np.asarray(float(rules.zero_stage)),
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
    flat = arch.kind == "generic" or rules.plain
    node, top = rules.node, rules.top
    tp = [1] if flat else [size for size in (1, 2, 4, 8) if size <= node and arch.heads % size == 0]
    pp = [1] if flat or not rules.pipelines else [size for size in LADDER if size <= min(arch.layers, 64, top)]
    cp = [1] if flat else [size for size in (1, 2, 4, 8, 16, 32) if size == 1 or rules.sequence // size >= 4096]
    experts = arch.moe.experts if arch.moe and not flat else 0
    ep = [size for size in (1, 2, 4, 8, 16, 32, 64) if size == 1 or (experts and experts % size == 0)]
    chosen = [RECOMPUTE.index(rules.recompute)] if rules.recompute in RECOMPUTE else [0, 1, 2]
    return {
        "tp": [fixed.tp] if fixed.tp else tp,
        "cp": [fixed.cp] if fixed.cp else cp,
        "ep": [fixed.ep] if fixed.ep else ep,
        "pp": [fixed.pp] if fixed.pp else pp,
        "vpp": [fixed.vpp] if fixed.vpp else _interleaves(arch, pp),
        "micro_batch": [fixed.micro_batch] if fixed.micro_batch else _micro_batches(rules),
        "recompute": chosen,
        "dp": [fixed.dp] if fixed.dp else _replicas(rules, top),
        "shard_group": [0, node] if rules.zero_stage >= 3 and 1 < node < top else [0],
    }


def _interleaves(arch: Architecture, pp: list[int]) -> list[int]:
    """Virtual stages worth trying: few, spread over what the layers allow."""
    if pp == [1]:
        return [1]
    return [size for size in (1, 2, 4, 8) if size == 1 or size * 2 <= arch.layers]


def _micro_batches(rules: Rules) -> list[int]:
    """Samples of one micro-batch worth trying; memory decides among them.

    Sequences of a few thousand tokens fill an accelerator by eights; images and short sentences come by the hundred, rows
    of a recommender by the ten thousand. Batch normalisation needs enough of them at once on each accelerator.
    """
    arch = rules.arch
    if arch.kind == "generic":
        most = 2**17 if arch.tables else 2**12
    else:
        most = 8 if rules.sequence >= 2048 else max(8, LONG_MICRO_BATCH // rules.sequence)
    least = min(LEAST_NORMALISED, rules.global_batch) if arch.batch_norm else 1
    return [2**power for power in range(18) if least <= 2**power <= min(most, rules.global_batch)] or [least]


def _replicas(rules: Rules, top: int) -> list[int]:
    """Data-parallel sizes; where the number of accelerators is decided, those that can reach it."""
    exact = rules.fixed.count
    if exact:
        return sorted({exact // size for size in range(1, exact + 1) if exact % size == 0})
    whole = top // rules.node * rules.node
    rest = {whole // size for size in LADDER if whole and whole % size == 0}
    return sorted({size for size in LADDER if size <= top} | rest)


def _valid(axes: dict[str, Array], frame: Frame) -> NDArray[np.bool_]:
    """Combinations that a framework can run, on the open grid of the axes."""
    tp, cp, ep, pp, vpp, micro_batch, _, dp, shard_group = (
        axes[name].reshape([-1 if axis == name else 1 for axis in AXES]) for name in AXES
    )
    counts = (tp * cp * pp * dp).astype(np.int64)
    exact = counts == frame.exact if frame.exact else _buyable(counts, frame.node, frame.top)
    experts = (np.mod(tp * cp * dp, ep) == 0) & ((ep == 1) | (ep >= tp))
    accumulation = _accumulation(dp, micro_batch, pp, vpp, frame.global_batch)
    near = np.abs(dp * micro_batch * accumulation / frame.global_batch - 1.0) <= frame.tolerance
    # Sharding inside a node and copying between nodes is a choice of its own only where there are more replicas.
    hybrid = (shard_group == 0) | ((tp == 1) & (dp > frame.node) & (np.mod(dp, frame.node) == 0))
    interleaves = _interleave_valid(pp, vpp, frame.layers)
    valid: NDArray[np.bool_] = exact & (counts <= frame.top) & experts & (near & interleaves) & hybrid
    return valid


def _accumulation(dp: Array, micro_batch: Array, pp: Array, vpp: Array, global_batch: int) -> Array:
    """Micro-batches of one step on each replica: the nearest number, where stages interleave the nearest that is a multiple of
    them. So 16 million tokens leave out no layout that 16,777,216 allow."""
    each = np.where(vpp > 1, pp, 1.0)
    return np.maximum(np.rint(global_batch / (dp * micro_batch * each)), 1.0) * each


def _buyable(counts: NDArray[np.int64], node: int, top: int) -> NDArray[np.bool_]:
    """Sizes on the ladder: parts of a node that are powers of two, then whole nodes."""
    known = np.zeros(top + 1, dtype=bool)
    ladder = np.array([size for size in LADDER if size <= 131_072], dtype=np.int64) * node
    known[ladder[ladder <= top]] = True
    known[top // node * node] = True
    known[[size for size in (1, 2, 4, 8, 16, 32) if size < node and size <= top]] = True
    known[0] = False
    return known[np.minimum(counts, top)] & (counts <= top)


def _interleave_valid(pp: Array, vpp: Array, layers: int) -> NDArray[np.bool_]:
    """Interleaving needs a pipeline and equal chunks (with embedding and head as layers if need be)."""
    chunks, whole = pp * vpp, float(max(layers, 1))
    equal = (np.mod(whole, chunks) == 0) | (np.mod(whole + 2.0, chunks) == 0)
    valid: NDArray[np.bool_] = (vpp == 1) | ((pp > 1) & equal)
    return valid
