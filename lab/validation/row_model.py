"""The model of a measured row: its own shape columns first, the catalog for what they leave out."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import lru_cache

from catalog.presets import UnknownModel, find_model
from engine.inputs.architecture import Architecture, Mla, Moe

Row = dict[str, str]
_SILENT = ("", "nan", "none", "null", "n/a", "na", "-", "?", "unknown")


def text_of(row: Row, name: str) -> str:
    """The cell without blanks around it; empty where the column is missing or says that nothing is known."""
    value = row.get(name)
    text = value.strip() if isinstance(value, str) else ""
    return "" if text.lower() in _SILENT else text


def number(row: Row, name: str, default: float | None = None) -> float:
    """The number in that cell; `default` where it is silent. ValueError says what is missing or no number."""
    text = text_of(row, name).replace(",", "")
    if not text:
        if default is None:
            raise ValueError(f"{name} not stated")
        return default
    try:
        value = float(text)
    except ValueError as fault:
        raise ValueError(f"{name} is not a number") from fault
    if not math.isfinite(value):
        raise ValueError(f"{name} is not a number")
    return value


def count(row: Row, name: str, default: int | None = None) -> int:
    """A whole number of at least 1; zero counts as silence."""
    value = number(row, name, None if default is None else float(default))
    if value == 0 and default is not None:
        return default
    if value < 1 or value != int(value) or value > 1e9:
        raise ValueError(f"{name} must be a whole number above 0")
    return int(value)


@lru_cache(maxsize=512)
def preset(name: str) -> Architecture | None:
    """The catalog's model of that name; None where it knows none."""
    try:
        found = find_model(name)
    except UnknownModel:
        return None
    return found if found.kind == "transformer" else None


def architecture(row: Row) -> Architecture:
    """The model of a row. ValueError names what is missing.

    Columns win over the catalog. Of a catalog model of the same depth and width come the facts that the table has no
    column for: head width, latent attention, shared experts, leading dense layers, attention sinks.
    """
    known = preset(text_of(row, "model"))
    if not (text_of(row, "layers") and text_of(row, "hidden") and text_of(row, "heads")):
        if known is None:
            raise ValueError("architecture not stated")
        return known
    stated = _stated(row)
    if known is None or (known.hidden, known.heads) != (stated.hidden, stated.heads):
        return stated
    return _with_facts(stated, known, row)


def _with_facts(stated: Architecture, known: Architecture, row: Row) -> Architecture:
    """The stated widths with what only the catalog knows of that model."""
    moe = known.moe if known.moe and stated.moe and known.moe.experts == stated.moe.experts else stated.moe
    named = "head_dim" in text_of(row, "notes") + text_of(row, "row_note")
    return replace(
        stated,
        head_dim=stated.head_dim if named else known.head_dim,
        attention=known.attention,
        mla=known.mla,
        moe=moe,
        ffn=known.ffn if moe else stated.ffn,
        tied=known.tied,
        attention_sinks=known.attention_sinks,
        window=stated.window or known.window,
        global_every=stated.global_every if stated.window else known.global_every,
        norms_per_layer=known.norms_per_layer,
        norm_weights=known.norm_weights,
    )


def _stated(row: Row) -> Architecture:
    """The model of the shape columns alone."""
    hidden, heads = count(row, "hidden"), count(row, "heads")
    head = re.search(r"head_dim (\d+)", text_of(row, "notes") + text_of(row, "row_note"))
    experts = int(number(row, "moe_experts", 0))
    ffn = count(row, "ffn_hidden", 4 * hidden)
    latent = experts >= 256 and hidden == 7168
    window = max(0, int(number(row, "window", 0)))
    return Architecture(
        slug=text_of(row, "model") or "unnamed",
        name=text_of(row, "model") or "unnamed",
        family="",
        layers=count(row, "layers"),
        hidden=hidden,
        heads=heads,
        kv_heads=min(heads, count(row, "kv_heads", heads)),
        head_dim=int(head.group(1)) if head else max(1, hidden // heads),
        ffn=_dense_width(experts, ffn, latent=latent),
        gated=text_of(row, "gated_mlp") not in ("0", "0.0"),
        vocab=count(row, "vocab", 50257),
        tied=text_of(row, "gated_mlp") in ("0", "0.0"),
        attention="mla" if latent else "mha",
        mla=Mla(q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)
        if latent
        else None,
        moe=_moe(row, experts, ffn, latent=latent),
        window=window,
        global_every=2 if window else 0,
        mtp_layers=max(0, int(number(row, "mtp_layers", 0))),
    )


def _dense_width(experts: int, ffn: int, *, latent: bool) -> int:
    return 18432 if latent else ffn if experts <= 1 else 0


def _moe(row: Row, experts: int, ffn: int, *, latent: bool) -> Moe | None:
    """The mixture; the DeepSeek-V3 family (256 experts or more, hidden 7168) has one shared expert and leading dense layers."""
    if experts <= 1:
        return None
    dense = (1 if experts > 256 else 3) if latent else 0
    return Moe(
        experts=experts,
        top_k=min(experts, count(row, "moe_topk")),
        expert_ffn=ffn,
        shared_experts=int(latent),
        dense_layers=min(dense, count(row, "layers")),
    )
