"""A recommender on one accelerator: DLRM-DCNv2 as MLPerf Training has it, its largest tables cut so that they fit.

Imported only where PyTorch is known to be there. After mlcommons/training, recommendation_v2/torchrec_dlrm (widths, multi-hot sizes);
plain PyTorch's `EmbeddingBag` with sparse gradients and SGD takes the place of TorchRec's fused kernels.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn

from lab.own_runs.asked import ROWS

WIDTH = 128
HOTS = (3, 2, 1, 2, 6, 1, 1, 1, 1, 7, 3, 8, 1, 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1, 1)
"""Rows that a sample reads of each table."""
NUMBERS = 13


def rows_of(most: int) -> tuple[int, ...]:
    """Rows of each table where none has more than `most`."""
    return tuple(min(rows, most) for rows in ROWS)


class Crossed(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """Features crossed with themselves three times, each time through 512 (Wang et al. 2021, arXiv 2008.13535)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.narrow = nn.ModuleList(nn.Linear(width, 512, bias=False) for _ in range(3))
        self.wide = nn.ModuleList(nn.Linear(512, width) for _ in range(3))

    def forward(self, first: Tensor) -> Tensor:
        found = first
        for narrow, wide in zip(self.narrow, self.wide, strict=True):
            found = first * wide(narrow(found)) + found
        return found


class Recommender(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """Numbers through a small network, tables summed, all of it crossed, one answer."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.rows = rows_of(most)
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, WIDTH, mode="sum", sparse=True) for rows in self.rows)
        self.numbers = _layers(NUMBERS, 512, 256, WIDTH)
        self.crossed = Crossed((len(ROWS) + 1) * WIDTH)
        self.answer = nn.Sequential(_layers((len(ROWS) + 1) * WIDTH, 1024, 1024, 512, 256), nn.Linear(256, 1))

    def forward(self, numbers: Tensor, picked: list[Tensor]) -> Tensor:
        found = [self.numbers(numbers), *(table(rows) for table, rows in zip(self.tables, picked, strict=True))]
        return self.answer(self.crossed(torch.cat(found, dim=1))).squeeze(1)

    def sample(self, batch: int, device: torch.device) -> tuple[Tensor, list[Tensor], Tensor]:
        """Numbers, rows of each table and answers of a batch, drawn evenly."""
        picked = [torch.randint(rows, (batch, hot), device=device) for rows, hot in zip(self.rows, HOTS, strict=True)]
        return torch.randn(batch, NUMBERS, device=device), picked, torch.rand(batch, device=device).round()


def _layers(*widths: int) -> nn.Sequential:
    parts = [part for pair in pairwise(widths) for part in (nn.Linear(*pair), nn.ReLU())]
    return nn.Sequential(*parts)
