"""Training steps of models that are no decoders: image networks of torchvision, encoders of the Transformers library.

`python -m lab.own_runs.other_kinds TABLE OUT` takes model, batch and tokens from a CSV file and adds one JSON line a row: FP32
weights, bf16 autocast, AdamW, images of 224 × 224 in channels-last order, nothing compiled.
"""

from __future__ import annotations

import csv
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

WARM_UP, STEPS = 5, 20
IMAGES = {
    "resnet-50": "resnet50", "resnet-152": "resnet152", "convnext-base": "convnext_base", "vit-b-16": "vit_b_16",
    "vit-l-16": "vit_l_16", "swin-b": "swin_b",
}  # fmt: skip
"""Slugs of the catalog → names in torchvision."""


def main(table: Path, out: Path) -> int:
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        try:
            told = _measured(row["model"], int(row["batch"]), int(row["tokens"] or 0))
        except (RuntimeError, ImportError) as fault:  # out of memory, or a library that is not there
            told = {"failed": str(fault)[:300]}
        with out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"model": row["model"], "batch": int(row["batch"]), **told}) + "\n")
        torch.cuda.empty_cache()
    return 0


def _measured(name: str, batch: int, tokens: int) -> dict[str, Any]:
    torch.cuda.reset_peak_memory_stats()
    model, loss = _encoder(name, batch, tokens) if tokens else _image(name, batch)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)
    times = []
    for _ in range(WARM_UP + STEPS):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        with torch.autocast("cuda", torch.bfloat16):
            value = loss()
        value.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begun)
    return {
        "median_s": statistics.median(times[WARM_UP:]),
        "reserved_bytes": torch.cuda.max_memory_reserved(),
        "allocated_bytes": torch.cuda.max_memory_allocated(),
        "parameters": sum(one.numel() for one in model.parameters()),
    }


def _image(name: str, batch: int) -> tuple[nn.Module, Callable[[], Tensor]]:
    from torchvision import models

    with torch.device("cuda"):
        model = models.get_model(IMAGES[name]).train()
        images = torch.randn(batch, 3, 224, 224).to(memory_format=torch.channels_last)
        labels = torch.randint(1000, (batch,))
    model = model.to(memory_format=torch.channels_last)
    return model, lambda: functional.cross_entropy(model(images).float(), labels)


def _encoder(name: str, batch: int, tokens: int) -> tuple[nn.Module, Callable[[], Tensor]]:
    from transformers import BertConfig, BertForMaskedLM

    wide = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
    config = BertConfig(attn_implementation="sdpa", **(wide if "large" in name else {}))
    with torch.device("cuda"):
        model = BertForMaskedLM(config).train()
        held = torch.randint(config.vocab_size, (batch, tokens))
    return model, lambda: model(input_ids=held, labels=held).loss


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
