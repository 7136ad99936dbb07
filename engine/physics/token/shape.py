"""What serving needs to know of a model: weights by where they sit, cache bytes and attention work for each token.

Counts are elements, work is floating-point operations (2 for a multiply-add).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.inputs.architecture import Architecture, expert_parameters

_SIDE_BY_SIDE = ("gpt-j", "gpt-neox", "pythia", "falcon", "palm", "command-r", "c4ai-command")


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One language model in numbers."""

    slug: str
    layers: int
    hidden: int
    total: float
    """All parameters."""
    dense: float
    """Parameters in matrix products that every token passes, output head left out."""
    expert: float
    """Routed expert parameters of all layers."""
    experts: float
    """Experts in one layer; 1 for a dense model."""
    top_k: float
    """Experts that work on one token; 1 for a dense model."""
    head: float
    """Parameters of the output head (kept in 16 bits)."""
    embedding: float
    """Parameters of tables that are looked up, not multiplied (kept in 16 bits)."""
    kv_full: float
    """Cached elements for each token in layers that see the whole context."""
    kv_window: float
    """Cached elements for each token in sliding-window layers."""
    window: float
    score_full: float
    """Attention operations for each query–key pair, layers that see the whole context, prefill."""
    score_window: float
    score_decode: float
    """Attention operations for each cached token of a decoding sequence, layers that see the whole context."""
    latent: bool
    """Latent attention (MLA): the cache cannot be split over tensor ranks."""
    kv_heads: int
    exchanges: float = 2.0
    """All-reduces of a layer under tensor parallelism; 1 where attention and feed-forward run side by side."""

    @property
    def moe(self) -> bool:
        """Has routed experts?"""
        return self.expert > 0


def shape_of(arch: Architecture) -> Shape:
    """The shape of a transformer preset."""
    moe = arch.moe
    expert = arch.moe_layers * moe.experts * expert_parameters(arch, moe) if moe else 0.0
    embedding = float((arch.vocab + arch.positions + arch.token_types) * arch.hidden)
    head = float(arch.vocab * arch.hidden)
    total = arch.parameters
    full, windowed = _layer_split(arch)
    cached = _cached_elements(arch)
    score = _score_work(arch)
    return Shape(
        slug=arch.slug,
        layers=arch.layers,
        hidden=arch.hidden,
        total=total,
        dense=total - expert - embedding - (0.0 if arch.tied else head),
        expert=float(expert),
        experts=float(moe.experts) if moe else 1.0,
        top_k=float(moe.top_k) if moe else 1.0,
        head=head,
        embedding=embedding if not arch.tied else embedding - head,
        kv_full=full * cached,
        kv_window=windowed * cached,
        window=float(arch.window or 0),
        score_full=full * score,
        score_window=windowed * score,
        score_decode=full * _decode_work(arch),
        latent=arch.mla is not None,
        kv_heads=1 if arch.mla is not None else max(arch.kv_heads, 1),
        exchanges=exchanges_of(arch.slug),
    )


def exchanges_of(name: str) -> float:
    """All-reduces in a layer by the model's family: GPT-J, GPT-NeoX, Falcon, PaLM and Command R join the two blocks."""
    return 1.0 if name.lower().startswith(_SIDE_BY_SIDE) else 2.0


def _layer_split(arch: Architecture) -> tuple[int, int]:
    """Layers that see the whole context, and layers with a sliding window."""
    return arch.global_layers, arch.attending_layers - arch.global_layers


def _cached_elements(arch: Architecture) -> float:
    """Cached elements of one token in one layer: keys and values, or the latent vector (arXiv 2405.04434 §2.1)."""
    if arch.mla is not None:
        return float(arch.mla.kv_lora_rank + arch.mla.qk_rope_head_dim)
    return 2.0 * arch.kv_width


def _score_work(arch: Architecture) -> float:
    """Operations for each query–key pair and layer: scores and weighted values, 2 for a multiply-add."""
    if arch.mla is not None:
        return 2.0 * arch.heads * (arch.mla.qk_nope_head_dim + arch.mla.qk_rope_head_dim + arch.mla.v_head_dim)
    return 4.0 * arch.q_width


def _decode_work(arch: Architecture) -> float:
    """Operations for each cached token and layer while decoding; latent attention works on the compressed vector."""
    if arch.mla is not None:
        return 2.0 * arch.heads * (2 * arch.mla.kv_lora_rank + arch.mla.qk_rope_head_dim)
    return 4.0 * arch.q_width
