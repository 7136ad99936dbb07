"""What labels of the cost model and of assumptions call sellers and software."""

from __future__ import annotations

from collections.abc import Mapping

from engine.inputs.hardware import Offer

_ENGINES: Mapping[str, str] = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "tensorrt-llm": "TensorRT-LLM",
    "tgi": "TGI",
    "jetstream": "JetStream",
    "neuron": "Neuron",
    "triton": "Triton",
}


def seller(offer: Offer) -> str:
    """The provider's own spelling of its name; its identifier where nobody gave one."""
    return offer.seller or offer.provider


def engine_name(key: str) -> str:
    """“TensorRT-LLM” of tensorrt-llm, “TensorRT-LLM of 2024” of a key that ends in its year; the key where none is known."""
    name, _, year = key.rpartition("-")
    if year.isdigit():
        return f"{_ENGINES.get(name, name)} of {year}"
    return _ENGINES.get(key, key)
