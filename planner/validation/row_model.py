"""The model of a measured row, from its own shape columns."""

from __future__ import annotations

import re

from planner.engine.architecture import Architecture, Mla, Moe

Row = dict[str, str]


def number(row: Row, name: str, default: float | None = None) -> float:
    text = (row.get(name) or "").strip()
    if text:
        return float(text)
    if default is None:
        raise ValueError(f"{name} not stated")
    return default


def architecture(row: Row) -> Architecture:
    """The model of a row from its own shape columns. ValueError names what is missing."""
    if not (row.get("layers") and row.get("hidden") and row.get("heads")):
        raise ValueError("architecture not stated")
    hidden, heads = int(number(row, "hidden")), int(number(row, "heads"))
    head = re.search(r"head_dim (\d+)", row.get("notes", "") + row.get("row_note", ""))
    experts = int(number(row, "moe_experts", 0))
    ffn = int(number(row, "ffn_hidden", 4 * hidden))
    latent = experts >= 256 and hidden == 7168
    window = int(number(row, "window", 0))
    return Architecture(
        slug=row["model"],
        name=row["model"],
        family="",
        layers=int(number(row, "layers")),
        hidden=hidden,
        heads=heads,
        kv_heads=int(number(row, "kv_heads", heads)),
        head_dim=int(head.group(1)) if head else max(1, hidden // heads),
        ffn=_dense_width(experts, ffn, latent=latent),
        gated=row.get("gated_mlp") != "0",
        vocab=int(number(row, "vocab", 50257)),
        tied=row.get("gated_mlp") == "0",
        attention="mla" if latent else "mha",
        mla=Mla(q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)
        if latent
        else None,
        moe=_moe(row, experts, ffn, latent=latent),
        window=window,
        global_every=2 if window else 0,
        mtp_layers=int(number(row, "mtp_layers", 0)),
    )


def _dense_width(experts: int, ffn: int, *, latent: bool) -> int:
    return 18432 if latent else ffn if not experts else 0


def _moe(row: Row, experts: int, ffn: int, *, latent: bool) -> Moe | None:
    """The mixture; the DeepSeek-V3 family (256 experts or more, hidden 7168) has one shared expert and leading dense layers."""
    if not experts:
        return None
    dense = (1 if experts > 256 else 3) if latent else 0
    return Moe(
        experts=experts,
        top_k=int(number(row, "moe_topk")),
        expert_ffn=ffn,
        shared_experts=int(latent),
        dense_layers=dense,
    )
