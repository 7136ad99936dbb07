"""What sentences call things whose identifiers the engine computes with: sellers, terms, software, precisions, counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from engine.inputs.hardware import Market, Offer, PriceOption

TERMS: Mapping[PriceOption, str] = {
    "on_demand": "on demand",
    "spot": "spot",
    "commit_1y": "one-year commitment",
    "commit_3y": "three-year commitment",
    "capacity_block": "capacity block",
    "owned": "owned",
}
SOFTWARE: Mapping[str, str] = {
    "megatron": "Megatron-LM",
    "fsdp": "PyTorch FSDP",
    "pytorch": "PyTorch DDP",
    "torchrec": "TorchRec",
    "jax": "JAX",
    "deepspeed": "DeepSpeed",
    "maxtext": "MaxText",
    "neuron": "Neuron",
    "vllm": "vLLM",
    "sglang": "SGLang",
    "tensorrt-llm": "TensorRT-LLM",
    "tgi": "TGI",
    "jetstream": "JetStream",
    "triton": "Triton",
    "stack": "the maker's software",
}
_FORMATS = {"q4": "4-bit GGUF", "q8": "8-bit GGUF"}


class Source(Protocol):
    """Where accelerators come from: an option, or what can supply one."""

    @property
    def offer(self) -> Offer | None: ...
    @property
    def kind(self) -> str: ...


def seller(offer: Offer) -> str:
    """The provider's own spelling of its name; its identifier where nobody gave one."""
    return offer.seller or offer.provider


def source_words(source: Source) -> str:
    """Where the accelerators come from, in words: “AWS on demand”, “bought”, “owned”."""
    if source.offer is None:
        return "bought" if source.kind == "on_prem" else "owned"
    return f"{seller(source.offer)} {TERMS[source.offer.option]}"


def apart_words(source: Source, other: Source) -> str:
    """`source_words`, and what else of the offer differs where both are told the same."""
    words, here, there = source_words(source), source.offer, other.offer
    if here is None or there is None or words != source_words(other):
        return words
    if here.devices != there.devices:
        return f"{words}, {here.devices} per instance"
    return f"{words}, {here.region}" if here.region != there.region else words


def names_of(market: Market, keys: Sequence[str]) -> list[str]:
    """Accelerators and providers as their owners spell them; other keys as they are."""
    sellers = {offer.provider: seller(offer) for offer in market.offers}
    return [market.devices[key].name if key in market.devices else sellers.get(key, key) for key in keys]


def software_name(key: str) -> str:
    """“TensorRT-LLM” of tensorrt-llm, “TensorRT-LLM of 2024” of a key that ends in its year; the key where none is known."""
    name, _, year = key.rpartition("-")
    if year.isdigit():
        return f"{SOFTWARE.get(name, name)} of {year}"
    return SOFTWARE.get(key, key)


def precision_name(key: str) -> str:
    """“FP8” of fp8."""
    return _FORMATS.get(key, key.upper())


def counted(count: float, noun: str) -> str:
    """“1 accelerator”, “1,024 accelerators”: a whole number and its noun."""
    return f"{count:,.0f} {noun}{'' if round(count) == 1 else 's'}"


def large_words(count: float) -> str:
    """A large number as people say it: “2.4 billion”, “12,000”."""
    for size, name in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if count >= size:
            return f"{count / size:.3g} {name}"
    return f"{count:,.0f}"


def share_words(share: float) -> str:
    """A share that somebody set, all digits of it and no more: “99%”, “99.95%”."""
    return f"{share * 100:.9g}%"


def span_words(seconds: float) -> str:
    """A time with three significant digits in the unit people would say: “2.63 h”, “31.7 min”, “2.2 days”."""
    for unit, size in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


def days_words(days: float) -> str:
    """A duration with two significant digits: “14 days”, “1.4 days”, “9 hours”, “1 minute”."""
    if days < 1.5 / 24.0:
        return counted(max(days * 1440.0, 1.0), "minute")
    if days < 2.0:
        return counted(days * 24.0, "hour")
    return f"{days:.1f} days" if days < 9.95 else f"{days:,.0f} days"
