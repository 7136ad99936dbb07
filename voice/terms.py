"""Names of the engine's own few words; what the catalog names brings its name along."""

from __future__ import annotations

from collections.abc import Mapping

from babel.core import get_global

from engine.inputs.finding import Ref
from voice.catalogs import Catalog
from voice.writing import spoken_in

TOPICS: Mapping[str, str] = {
    "api": "Hosted API",
    "autoscaling": "Autoscaling",
    "availability": "Availability",
    "balancer": "Load balancer",
    "batch": "Batch",
    "cache": "Cache",
    "checkpoints": "Checkpoints",
    "data": "Data path",
    "delivery": "Delivery",
    "engine": "Serving engine",
    "framework": "Framework",
    "gateway": "Gateway",
    "how_to_rent": "How to rent",
    "image": "Software image",
    "method": "Method",
    "monitoring": "Monitoring",
    "operation": "Operation",
    "place": "Where the data may be",
    "precision": "Precision",
    "probes": "Health probes",
    "region": "Region",
    "registry": "Model registry",
    "rent_or_buy": "Rent or buy",
    "restarts": "Restarts",
    "scheduler": "Scheduler",
    "security": "Security",
    "spares": "Spares",
    "spot": "Spot",
}
"""What a piece of advice is about."""

WORDS: Mapping[str, str] = {
    "training": "training",
    "serving": "serving",
    "long_number": "a number of more than 18 digits",
    "list": "a list",
    "object": "an object",
    "nothing": "nothing",
    "other_value": "a value of another kind",
    "any": "any",
    "yes": "yes",
    "no": "no",
    "open": "open",
    "decided": "decided",
    "price": "a price",
    "unknown_day": "an unknown day",
    "no_model": "no defensible performance model",
    "for_inference": "sold for inference",
    "token": "token",
    "text": "text",
    "image": "image",
    "recording": "recording",
    "sample": "sample",
    "many.request": "requests",
    "many.image": "images",
    "many.recording": "recordings",
    "many.text": "texts",
    "many.sample": "samples",
    "tier.object": "object storage",
    "tier.nfs": "a network file server",
    "tier.parallel": "a parallel file system",
    "tier.local": "local NVMe",
    "way.waiting": "training waits for storage",
    "way.background": "written in the background",
    "way.two_level": "in the background, and a copy in another node's memory",
    "residency.eu": "the EU",
    "residency.us": "the United States",
    "residency.uk": "the United Kingdom",
    "residency.ca": "Canada",
    "residency.apac": "Asia and the Pacific",
    "recompute.none": "none",
    "recompute.selective": "selective",
    "recompute.full": "full",
    "pattern.n": "N, nothing spare",
    "pattern.n+1": "N+1, one host may fail",
    "pattern.spares": "spare replicas",
    "pattern.n+n": "N+N, everything twice at one site",
    "pattern.recovery-half": "a second site at half size",
    "pattern.recovery-full": "a second site at full size",
    "pattern.active-active": "two sites that both serve",
    "lost.hosts": "hosts fail or are maintained",
    "lost.site": "the site is down",
    "lost.provider": "the provider is down everywhere",
    "lost.mornings": "capacity that is given back at night is not there in the morning",
    "bound.compute": "arithmetic",
    "bound.bandwidth": "memory bandwidth",
    "bound.memory": "memory capacity",
    "bound.network": "the network",
    "bound.kv": "the room for the KV cache",
    "bound.queue": "the time that requests wait",
    "bound.ttft": "the promise on the first token",
    "bound.tpot": "the promise on each further token",
    "time.gemm": "matrix products",
    "time.attention": "attention",
    "time.memory": "norms and activations",
    "time.loss": "logits and loss",
    "time.recompute": "recomputation",
    "time.tensor": "tensor-parallel exchange",
    "basis.speed": "speed",
    "basis.memory": "memory",
    "basis.price": "price",
    "basis.failures": "failures",
    "basis.programme": "time beyond the steps",
    "basis.energy": "energy",
    "basis.emissions": "emissions",
    "level.measured": "measured",
    "level.near": "measured on something like it",
    "level.modelled": "reckoned",
    "level.assumed": "assumed",
    "level.unknown": "unknown",
    "time.context": "context-parallel exchange",
    "time.expert": "expert exchange and routing",
    "time.lookup": "embedding lookups and updates",
    "time.host": "host and kernel launch",
    "time.bubble": "the pipeline bubble",
    "time.imbalance": "uneven pipeline stages",
    "time.transfer": "pipeline transfers",
    "time.pooled": "embedding exchange",
    "time.data": "gradient and weight exchange",
    "time.optimizer": "the optimizer's update",
    "time.jitter": "waiting for the slowest of many",
    "quota.vcpu": "vCPUs",
    "quota.accelerator": "accelerators",
    "quota.instance": "instances",
}
"""Everything else that has no name of its own, as it stands in a sentence."""

SOFTWARE: Mapping[str, str] = {
    "megatron": "Megatron-LM",
    "fsdp": "PyTorch FSDP",
    "fsdp-compiled": "PyTorch FSDP with torch.compile",
    "megatron-plain": "Megatron-LM without Transformer Engine",
    "mlperf": "MLPerf Training code",
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
    "slurm": "Slurm",
    "kubernetes": "Kubernetes",
    "stack": "the maker's software",
}
"""Products by the spelling of those who make them, which no language changes; a key may end in the year of its release."""

TERMS: Mapping[str, Mapping[str, str]] = {
    "terms": {
        "on_demand": "on demand",
        "spot": "spot",
        "commit_1y": "one-year commitment",
        "commit_3y": "three-year commitment",
        "capacity_block": "capacity block",
        "lease": "lease",
        "owned": "owned",
    },
    "runtime": {
        "cuda": "CUDA",
        "rocm": "ROCm",
        "xla": "XLA (JAX or PyTorch/XLA)",
        "neuron": "AWS Neuron",
        "gaudi": "Intel Gaudi software",
        "metal": "Apple Metal",
        "other": "a software stack of its own",
    },
    "region": {
        "own-site": "own site",
        "global": "any region",
    },  # other regions are called what their provider calls them
    "precision": {"q4": "4-bit GGUF", "q8": "8-bit GGUF"},
    "topic": TOPICS,
    "word": WORDS,
}
OF_YEAR = "{software} of {year}"
"""A product whose key ends in the year of its release."""


def name_of(thing: Ref, catalog: Catalog, fields: Mapping[str, str]) -> str:
    """The owner's spelling; else our word for it. A field is quoted as a form labels it, or as the request spells it."""
    if thing.kind == "field":
        return f"“{fields.get(thing.id, thing.id[:120])}”"
    if thing.name:
        return thing.name
    if thing.kind == "software":
        return _software(thing.id, catalog)
    if thing.kind == "country":
        return _country(thing.id, catalog)
    known = TERMS.get(thing.kind, {}).get(thing.id)
    if known is not None:
        return catalog.one(known)
    return thing.id.upper() if thing.kind == "precision" else thing.id


def _country(three: str, catalog: Catalog) -> str:
    """The country of those three letters (ISO 3166) as the Unicode CLDR writes it; letters that are none stay."""
    two = get_global("territory_aliases").get(three, ())
    return (spoken_in(catalog).territories.get(two[0]) if len(two) == 1 else None) or three


def _software(key: str, catalog: Catalog) -> str:
    name, _, year = key.rpartition("-")
    if year.isdigit():
        return catalog.one(OF_YEAR).format(software=SOFTWARE.get(name, name), year=year)
    return SOFTWARE.get(key, key)
