"""Adapters of low rank beside the matrices of a decoder (Hu et al., arXiv 2106.09685). Imported only where PyTorch is known to be there."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Adapted(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """A frozen matrix and what is added to its product: down to the rank, up again, both trained in FP32."""

    def __init__(self, frozen: nn.Linear, rank: int) -> None:
        super().__init__()
        self.frozen = frozen
        where = frozen.weight.device
        self.down = nn.Linear(frozen.in_features, rank, bias=False, device=where, dtype=torch.float32)
        self.up = nn.Linear(rank, frozen.out_features, bias=False, device=where, dtype=torch.float32)
        nn.init.zeros_(self.up.weight)
        self.share = 2.0  # alpha over rank, as most scripts set it

    def forward(self, hidden: Tensor) -> Tensor:
        return self.frozen(hidden) + self.share * self.up(self.down(hidden))


def adapted(model: nn.Module, rank: int) -> None:
    """Freezes the model in bf16 and puts an adapter beside every matrix of its blocks, in place."""
    model.to(torch.bfloat16).requires_grad_(False)
    for block in model.blocks:
        for name, part in list(block.named_children()):
            if isinstance(part, nn.Linear):
                setattr(block, name, Adapted(part, rank))
