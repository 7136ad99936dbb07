"""The shape of a model, and the exact number of parameters that follows from it.

A preset holds layers, widths, heads, experts and vocabulary; the parameter count is always computed from them, and
tested against the published count. Lengths are in elements, counts are integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

from annotated_types import Ge, Le

Attention = Literal["mha", "mla", "none"]
Kind = Literal["transformer", "generic"]
Counts = Literal["token", "text", "image", "recording", "sample"]
Weights = Literal["bf16", "fp8", "mxfp4"]
Count = Annotated[int, Ge(0), Le(1_000_000_000)]
Total = Annotated[int, Ge(0), Le(1_000_000_000_000_000)]
_STRICT = {"extra": "forbid"}
"""Read by the doors that are built on pydantic: an unknown key is refused by name."""


@dataclass(frozen=True, kw_only=True)
class Mla:
    """Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434 §2.1): ranks and head widths [elements]."""

    __pydantic_config__ = _STRICT

    q_lora_rank: Count = 0
    """Rank of the query compression; 0 = queries are projected directly."""
    kv_lora_rank: Count
    qk_nope_head_dim: Count
    qk_rope_head_dim: Count
    v_head_dim: Count


@dataclass(frozen=True, kw_only=True)
class Moe:
    """Mixture-of-experts feed-forward: how many experts, how many work on one token, how wide each is."""

    __pydantic_config__ = _STRICT

    experts: Annotated[int, Ge(1), Le(1_000_000)]
    top_k: Annotated[int, Ge(1), Le(1_000_000)]
    expert_ffn: Count
    shared_experts: Count = 0
    shared_ffn: Count = 0
    """Width of one shared expert; 0 = the same as a routed expert."""
    dense_layers: Count = 0
    """Leading layers that keep a dense feed-forward."""
    every: Annotated[int, Ge(1), Le(10_000)] = 1
    """One layer in `every` is a mixture layer (Llama 4 Maverick: 2)."""
    router_bias: bool = False
    latent: Count = 0
    """Width in which routed experts work, reached by one projection down and one up; 0 = the model's own."""


@dataclass(frozen=True, kw_only=True)
class Ssm:
    """State-space blocks of a hybrid model (Mamba-2, arXiv 2405.21060): how many, and the widths of one."""

    __pydantic_config__ = _STRICT

    layers: Count
    heads: Count
    head_dim: Count
    state: Count
    groups: Count = 8
    convolution: Count = 4


@dataclass(frozen=True, kw_only=True)
class Decoder:
    """The part of a model that writes its answer token by token, and reads all of itself for each."""

    __pydantic_config__ = _STRICT

    parameters: Annotated[float, Ge(0), Le(1e15)]
    """Parameters read for one token."""
    tokens: Annotated[int, Ge(1), Le(1_000_000)]
    """Tokens written for one sample."""
    cache_bytes: Annotated[float, Ge(0), Le(1e15)]
    """Keys and values of the input that one sample reads for each token, at 2 bytes an element [byte]."""


@dataclass(frozen=True, kw_only=True)
class Tables:
    """Embedding tables of a recommender. They are split over all accelerators, never held whole on each."""

    __pydantic_config__ = _STRICT

    count: Annotated[int, Ge(1), Le(1_000_000)]
    """Tables, one for each categorical feature."""
    rows: Annotated[int, Ge(1), Le(1_000_000_000_000)]
    """Rows of all tables together."""
    width: Annotated[int, Ge(1), Le(100_000)]
    """Elements of one row."""
    lookups: Annotated[int, Ge(1), Le(1_000_000)]
    """Rows read for one sample, over all tables: the sum of the multi-hot sizes."""

    @property
    def parameters(self) -> float:
        """Elements of all tables."""
        return float(self.rows) * self.width


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """One model. `kind="transformer"` is described by widths; `kind="generic"` by parameters and work per sample."""

    slug: str
    name: str
    family: str
    kind: Kind = "transformer"
    modality: str = "text"
    """text | image | audio | diffusion | recommender: decides whether a sample is a token or an item."""
    layers: Count = 0
    hidden: Count = 0
    heads: Count = 0
    kv_heads: Count = 0
    head_dim: Count = 0
    ffn: Count = 0
    gated: bool = True
    vocab: Count = 0
    tied: bool = False
    attention: Attention = "mha"
    mla: Mla | None = None
    moe: Moe | None = None
    ssm: Ssm | None = None
    attention_layers: Count = 0
    """Layers with attention in a hybrid whose layers are one block each; 0 = every layer."""
    ffn_layers: Count = 0
    """Layers with a feed-forward in such a hybrid; 0 = every layer."""
    window: Count = 0
    """Sliding-window length [token]; 0 = none."""
    global_every: Count = 0
    """One layer in this many attends to the whole sequence when `window` is set; 0 = every layer is windowed."""
    attention_bias: bool = False
    """Bias on the query, key and value projections."""
    output_bias: bool = False
    """Bias on the attention output projection."""
    mlp_bias: bool = False
    norm_weights: Count = 1
    """Vectors of width `hidden` per normalisation: 1 RMSNorm, 2 LayerNorm with bias, 0 non-parametric."""
    norms_per_layer: Count = 2
    qk_norm: bool = False
    """RMSNorm over each query and key head (Qwen 3, Gemma 3)."""
    attention_sinks: bool = False
    """One learnt sink logit for each head (gpt-oss)."""
    final_norm: bool = True
    embedding_norm: bool = False
    """A normalisation right after the embedding (BLOOM, BERT)."""
    positions: Count = 0
    """Learnt position embeddings [token]; 0 = rotary, ALiBi or none."""
    token_types: Count = 0
    lm_head_bias: bool = False
    mtp_layers: Count = 0
    """Multi-token-prediction modules trained along."""
    max_sequence: Count = 0
    """Longest sequence that the publisher supports [token]; 0 = not stated."""
    extra_parameters: Total = 0
    """Parameters outside the repeated layers: patch embedding, classifier, convolution stem, pooler."""
    generic_parameters: Annotated[float, Ge(0), Le(1e15)] = 0.0
    """Parameters of a `generic` model, those of embedding tables not counted."""
    flops_per_sample: Annotated[float, Ge(0), Le(1e24)] = 0.0
    """Forward FLOPs for one sample of a `generic` model, 2 per multiply-add."""
    activation_bytes_per_sample: Annotated[float, Ge(0), Le(1e18)] = 0.0
    """Bytes of stored activations for one training sample of a `generic` model at 2 bytes an element, its attention fused."""
    scores_per_sample: Annotated[float, Ge(0), Le(1e18)] = 0.0
    """Attention scores of one forward pass of a `generic` model [element]: only what does not fuse attention writes them."""
    decoder: Decoder | None = None
    """Of a `generic` model that writes text: speech recognition."""
    tables: Tables | None = None
    """Embedding tables of a recommender."""
    batch_norm: bool = False
    """Does it normalise over the samples of one accelerator's batch? Such a batch must not be small."""
    instance_norm: bool = False
    """Does it normalise each sample by its own statistics after each convolution? No compiler folds that away."""
    published_format: Weights = "bf16"
    """Format of the weights in the checkpoint that the publisher releases and reports its quality of; bf16 = any of 16 bits."""
    published_parameters: Total = 0
    """Exact count printed by the publisher; 0 = not published."""
    source: str = ""
    source_date: str = ""
    notes: str = ""

    @property
    def q_width(self) -> int:
        """Width of all query heads together [element]."""
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Width of all key (or value) heads together [element]."""
        return self.kv_heads * self.head_dim

    @property
    def attending_layers(self) -> int:
        """Layers that hold an attention block."""
        return 0 if self.attention == "none" else self.attention_layers or self.layers

    @property
    def global_layers(self) -> int:
        """Attention layers that see the whole context: every so many-th where the others have a window."""
        if not self.window:
            return self.attending_layers
        return self.attending_layers // self.global_every if self.global_every else 0

    @property
    def feeding_layers(self) -> int:
        """Layers that hold a feed-forward."""
        return self.ffn_layers or self.layers

    @property
    def moe_layers(self) -> int:
        """Layers whose feed-forward is a mixture of experts."""
        if self.moe is None:
            return 0
        return (self.feeding_layers - self.moe.dense_layers) // self.moe.every

    @property
    def dense_ffn_layers(self) -> int:
        """Layers whose feed-forward is dense."""
        return self.feeding_layers - self.moe_layers

    @cached_property
    def parameters(self) -> float:
        """All parameters, tied weights counted once."""
        if self.kind == "generic":
            return self.generic_parameters + (self.tables.parameters if self.tables else 0.0)
        return float(
            self.attending_layers * attention_parameters(self)
            + ssm_parameters(self)
            + self.dense_ffn_layers * ffn_parameters(self, self.ffn)
            + self.moe_layers * moe_parameters(self)
            + self.layers * self.norms_per_layer * self.norm_weights * self.hidden
            + embedding_parameters(self)
            + head_parameters(self)
            + self.extra_parameters
        )

    @cached_property
    def active_parameters(self) -> float:
        """Parameters that work on one token (or sample): shared parts, routed experts and table rows that are picked."""
        if self.kind == "generic" and self.tables:
            return self.generic_parameters + float(self.tables.lookups) * self.tables.width
        if self.moe is None or self.kind == "generic":
            return self.parameters
        idle = (self.moe.experts - self.moe.top_k) * expert_parameters(self, self.moe)
        return self.parameters - self.moe_layers * idle


def attention_parameters(arch: Architecture) -> int:
    """Parameters of one attention block: projections, biases and query/key norms."""
    if arch.attention == "none":
        return 0
    if arch.mla is not None:
        return _mla_parameters(arch, arch.mla)
    q, kv, h = arch.q_width, arch.kv_width, arch.hidden
    weights = h * q + 2 * h * kv + q * h
    biases = (q + 2 * kv) * arch.attention_bias + h * arch.output_bias
    return weights + biases + 2 * arch.head_dim * arch.qk_norm + arch.heads * arch.attention_sinks


def _mla_parameters(arch: Architecture, mla: Mla) -> int:
    """Parameters of latent attention: down and up projections, their norms, the output projection."""
    h, heads = arch.hidden, arch.heads
    qk = mla.qk_nope_head_dim + mla.qk_rope_head_dim
    query = h * mla.q_lora_rank + mla.q_lora_rank * (1 + heads * qk) if mla.q_lora_rank else h * heads * qk
    down = h * (mla.kv_lora_rank + mla.qk_rope_head_dim) + mla.kv_lora_rank
    up = mla.kv_lora_rank * heads * (mla.qk_nope_head_dim + mla.v_head_dim)
    return query + down + up + heads * mla.v_head_dim * h


def ffn_parameters(arch: Architecture, width: int) -> int:
    """Parameters of one feed-forward block of that inner width."""
    matrices = 3 if arch.gated else 2
    biases = (matrices - 1) * width + arch.hidden if arch.mlp_bias else 0
    return matrices * arch.hidden * width + biases


def expert_parameters(arch: Architecture, moe: Moe) -> int:
    """Parameters of one routed expert, in the model's width or in the latent one."""
    if not moe.latent:
        return ffn_parameters(arch, moe.expert_ffn)
    return (3 if arch.gated else 2) * moe.latent * moe.expert_ffn


def ssm_parameters(arch: Architecture) -> int:
    """Parameters of all state-space blocks: projections in and out, convolution, decay, skip and gate norm."""
    ssm = arch.ssm
    if ssm is None:
        return 0
    inner, shared = ssm.heads * ssm.head_dim, 2 * ssm.groups * ssm.state
    projections = arch.hidden * (2 * inner + shared + ssm.heads) + inner * arch.hidden
    return ssm.layers * (projections + (inner + shared) * (ssm.convolution + 1) + 3 * ssm.heads + inner)


def moe_parameters(arch: Architecture) -> int:
    """Parameters of one mixture layer: experts, shared experts, router."""
    moe = arch.moe
    if moe is None:
        return 0
    shared = moe.shared_experts * ffn_parameters(arch, moe.shared_ffn or moe.expert_ffn)
    router = arch.hidden * moe.experts + moe.experts * moe.router_bias
    latent = 2 * arch.hidden * moe.latent
    return moe.experts * expert_parameters(arch, moe) + shared + router + latent


def embedding_parameters(arch: Architecture) -> int:
    """Token, position and token-type tables with their norm."""
    rows = arch.vocab + arch.positions + arch.token_types
    return rows * arch.hidden + arch.embedding_norm * arch.norm_weights * arch.hidden


def head_parameters(arch: Architecture) -> int:
    """Final norm and the output projection where it is not tied to the embedding."""
    logits = 0 if arch.tied else arch.vocab * arch.hidden
    return arch.final_norm * arch.norm_weights * arch.hidden + logits + arch.vocab * arch.lm_head_bias


def is_language_model(arch: Architecture) -> bool:
    """Decoders generate tokens; encoders, vision, audio and generic models answer a sample at a time."""
    return arch.kind == "transformer" and arch.modality == "text" and not arch.token_types and arch.attention != "none"


_COUNTS: dict[str, Counts] = {"text": "token", "image": "image", "diffusion": "image", "audio": "recording"}
"""What the work of a model is counted in, by its modality."""


def counts_of(arch: Architecture) -> Counts:
    """What the work of that model is counted in: encoders read texts; only what generates text counts tokens."""
    found = _COUNTS.get(arch.modality, "sample")
    return "text" if found == "token" and not is_language_model(arch) else found
