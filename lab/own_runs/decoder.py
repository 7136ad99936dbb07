"""A plain decoder in PyTorch: RMSNorm, rotary positions, grouped attention by PyTorch's own kernel, gated feed-forward.

Imported only where PyTorch is known to be there.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from lab.own_runs.shape import Shape


class Block(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """One layer: attention and feed-forward, each behind a norm and beside a residual."""

    def __init__(self, shape: Shape, window: int = 0) -> None:
        super().__init__()
        self.shape, self.window = shape, window
        queries, keys = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
        self.before, self.between = nn.RMSNorm(shape.hidden), nn.RMSNorm(shape.hidden)
        self.qkv = nn.Linear(shape.hidden, queries + 2 * keys, bias=False)
        self.out = nn.Linear(queries, shape.hidden, bias=False)
        self.up = nn.Linear(shape.hidden, shape.ffn * (2 if shape.gated else 1), bias=False)
        self.down = nn.Linear(shape.ffn, shape.hidden, bias=False)

    def forward(self, hidden: Tensor, turn: Tensor) -> Tensor:
        hidden = hidden + self.out(self._attend(self.before(hidden), turn))
        wide = self.up(self.between(hidden))
        if self.shape.gated:
            gate, wide = wide.chunk(2, dim=-1)
            return hidden + self.down(functional.silu(gate) * wide)
        return hidden + self.down(functional.gelu(wide))

    def _attend(self, hidden: Tensor, turn: Tensor) -> Tensor:
        batch, sequence, _ = hidden.shape
        width, heads, kv_heads = self.shape.head_dim, self.shape.heads, self.shape.kv_heads
        parts = self.qkv(hidden).view(batch, sequence, heads + 2 * kv_heads, width).transpose(1, 2)
        query, key, value = parts.split((heads, kv_heads, kv_heads), dim=1)
        query, key = _turned(query, turn), _turned(key, turn)
        mixed = _mixed(query, key, value, self.window)
        return mixed.transpose(1, 2).reshape(batch, sequence, heads * width)


class Decoder(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """The whole model; `forward` gives the loss."""

    def __init__(self, shape: Shape, *, recompute: bool, window: int = 0) -> None:
        super().__init__()
        self.shape, self.recompute = shape, recompute
        self.embedding = nn.Embedding(shape.vocab, shape.hidden)
        self.blocks = nn.ModuleList(Block(shape, window) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.hidden)
        self.head = nn.Linear(shape.hidden, shape.vocab, bias=False)
        if shape.tied:
            self.head.weight = self.embedding.weight

    def forward(self, tokens: Tensor) -> Tensor:
        hidden = self.embedding(tokens[:, :-1])
        turn = _angles(hidden.shape[1], self.shape.head_dim, hidden.device)
        for block in self.blocks:
            hidden = checkpoint(block, hidden, turn, use_reentrant=False) if self.recompute else block(hidden, turn)
        scores = self.head(self.norm(hidden))
        return functional.cross_entropy(scores.flatten(0, 1).float(), tokens[:, 1:].flatten())


def _mixed(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Attention by PyTorch's kernel; a window by its FlexAttention, which skips whole tiles outside of it."""
    grouped = query.shape[1] != key.shape[1]
    if not window:
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=grouped)
    mask = _band(query.shape[2], window, query.device)
    return _flexible(query.device.type)(query, key, value, block_mask=mask, enable_gqa=grouped)


@cache
def _band(sequence: int, window: int, device: torch.device) -> Any:
    from torch.nn.attention.flex_attention import create_block_mask

    def inside(_batch: Tensor, _head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return (query >= key) & (query - key < window)

    return create_block_mask(inside, None, None, sequence, sequence, device=device)


@cache
def _flexible(kind: str) -> Any:
    from torch.nn.attention.flex_attention import flex_attention

    return torch.compile(flex_attention) if kind == "cuda" else flex_attention


def _angles(sequence: int, width: int, device: torch.device) -> Tensor:
    """Cosine and sine of every position and pair (Su et al., arXiv 2104.09864)."""
    rates = 10_000.0 ** -(torch.arange(0, width, 2, device=device) / width)
    turns = torch.outer(torch.arange(sequence, device=device, dtype=torch.float32), rates)
    return torch.stack((turns.cos(), turns.sin()))


def _turned(rows: Tensor, turn: Tensor) -> Tensor:
    first, second = rows.chunk(2, dim=-1)
    cosine, sine = turn.to(rows.dtype)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), dim=-1)
