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
    "seen.large": "on-demand lists of AWS, Azure, Google and Oracle",
    "seen.list": "on-demand lists of smaller clouds",
    "seen.spot": "spot prices",
    "seen.committed": "commitments of AWS, Azure and Google",
    "seen.block": "capacity blocks of AWS",
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
    "models.image": "image models",
    "models.audio": "speech models",
    "models.diffusion": "diffusion models",
    "models.recommender": "recommenders",
    "models.encoder": "encoders",
    "models.alike": "models like this one",
    "tier.object": "object storage",
    "tier.nfs": "a network file server",
    "tier.parallel": "a parallel file system",
    "tier.local": "local NVMe",
    "had.rent": "renting by the hour",
    "had.commit": "committing for a term",
    "had.lease": "leasing",
    "had.buy": "buying",
    "had.hybrid": "renting until bought servers come",
    "had.keep": "keeping what is owned",
    "had.api": "a hosted API",
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
    "quota.vcpu": "vCPUs",
    "quota.accelerator": "accelerators",
    "quota.instance": "instances",
}
"""Everything else that has no name of its own, as it stands in a sentence."""

PARTS: Mapping[str, str] = {
    "time.gemm": "matrix products",
    "time.attention": "attention",
    "time.memory": "norms and activations",
    "time.unpack": "unpacking of quantised weights",
    "time.loss": "logits and loss",
    "time.recompute": "recomputation",
    "time.tensor": "tensor-parallel exchange",
    "time.context": "context-parallel exchange",
    "time.expert": "expert exchange and routing",
    "time.lookup": "embedding lookups and updates",
    "time.host": "host and kernel launch",
    "time.bubble": "pipeline bubbles",
    "time.imbalance": "uneven pipeline stages",
    "time.transfer": "pipeline transfers",
    "time.pooled": "embedding exchange",
    "time.data": "gradient and weight exchange",
    "time.optimizer": "optimizer updates",
    "time.jitter": "waiting for the slowest of many",
    "latency.network": "distance to users",
    "latency.slot": "waiting for a slot and for the running step",
    "latency.prompt": "processing the prompt",
    "latency.exchange": "exchange between accelerators",
    "latency.delivery": "engine and delivery",
    "latency.batch": "waiting for the batch",
    "latency.computing": "computing the batch",
    "latency.launch": "launching kernels",
    "memory.weights": "weights",
    "memory.gradients": "gradients",
    "memory.optimizer": "optimizer states",
    "memory.tables": "embedding tables",
    "memory.activations": "activations",
    "memory.batch_activations": "activations of a batch",
    "memory.logits": "logits and loss",
    "memory.update": "optimizer step",
    "memory.gathered": "gathered layers",
    "memory.buffers": "context and buffers",
    "memory.reserve": "allocator reserve",
    "memory.kv_cache": "KV cache",
    "memory.context": "context, graphs and buffers",
    "memory.free_for_contexts": "free for longer contexts",
    "memory.free_for_batches": "free for larger batches",
    "memory.kept_free": "kept free for the system",
}
"""Pieces of the time of a step, of the time until an answer begins, and of memory, as they stand in a sentence."""

SOFTWARE: Mapping[str, str] = {
    "megatron": "Megatron-LM",
    "fsdp": "PyTorch FSDP",
    "fsdp-compiled": "PyTorch FSDP with torch.compile",
    "megatron-async-save": "Megatron-Core's --async-save",
    "torch-dcp": "PyTorch Distributed Checkpoint",
    "orbax": "Orbax",
    "neuronx": "NeuronX Distributed",
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
    "kueue": "Kueue",
    "volcano": "Volcano",
    "kubeflow": "Kubeflow",
    "sagemaker": "Amazon SageMaker",
    "vertex": "Vertex AI",
    "azure-ml": "Azure ML",
    "stack": "the maker's software",
}
"""Products by the spelling of those who make them, which no language changes; a key may end in the year of its release."""

_COUNTRIES = {
    "AU": "Australia",
    "CA": "Canada",
    "CZ": "Czechia",
    "EU": "Europe",
    "IN": "India",
    "IS": "Iceland",
    "JP": "Japan",
    "NL": "the Netherlands",
    "NO": "Norway",
    "SG": "Singapore",
    "US": "the United States",
}
"""Regions of sellers who name no more than where they stand."""

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
        **{spelt: name for code, name in _COUNTRIES.items() for spelt in (code, code.lower())},
    },  # other regions are called what their provider calls them
    "precision": {"q4": "4-bit GGUF", "q8": "8-bit GGUF"},
    "topic": TOPICS,
    "word": {**WORDS, **PARTS},
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
