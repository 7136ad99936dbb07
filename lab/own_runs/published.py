"""The same decoder as Hugging Face's library builds it, for teams that train with that.

Imported only where PyTorch is known to be there; the library itself only where it is asked for.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from lab.own_runs.shape import Work


class Published(nn.Module):  # type: ignore[misc] # PyTorch has no types here
    """A model of the library; `forward` gives the loss of a block of tokens, as `Decoder` does."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    @property
    def blocks(self) -> nn.ModuleList:
        inner = self.model.get_base_model() if hasattr(self.model, "get_base_model") else self.model
        return inner.model.layers

    def forward(self, tokens: Tensor) -> Tensor:
        # The library shifts labels by itself.
        held = tokens[:, :-1]
        return self.model(input_ids=held, labels=held, use_cache=False).loss


def published(work: Work) -> nn.Module:
    """Weights in FP32, or in bf16 with FP32 adapters (PEFT's own habit); attention by PyTorch's kernel."""
    model = _model(work)
    if work.precision == "bf16-weights":
        model.to(torch.bfloat16)
    if work.recompute:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    if work.lora_rank:
        from peft import LoraConfig, get_peft_model

        every = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
        adapters = LoraConfig(r=work.lora_rank, lora_alpha=2 * work.lora_rank, lora_dropout=0.0, target_modules=every)
        model = get_peft_model(model.to(torch.bfloat16), adapters)
    return Published(model.train())


def _model(work: Work) -> nn.Module:
    """Llama; Mistral where attention has a window, Mixtral where the feed-forward is a mixture."""
    import transformers

    shape = work.shape
    family = "Mixtral" if work.experts else "Mistral" if work.window else "Llama"
    more: dict[str, Any] = {"sliding_window": work.window or None} if family != "Llama" else {}
    more |= {"num_local_experts": work.experts, "num_experts_per_tok": work.top_k} if work.experts else {}
    config = getattr(transformers, f"{family}Config")(
        vocab_size=shape.vocab, hidden_size=shape.hidden, intermediate_size=shape.ffn, num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads, num_key_value_heads=shape.kv_heads, head_dim=shape.head_dim,
        tie_word_embeddings=shape.tied, max_position_embeddings=work.sequence, attn_implementation="sdpa", **more,
    )  # fmt: skip
    return getattr(transformers, f"{family}ForCausalLM")(config)
