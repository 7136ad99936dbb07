"""The serving engine and the stack around it."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Advice, ServingResult
from engine.choice.advising.facts import Case, advice
from engine.inputs.names import counted, precision_name, share_words, software_name, span_words
from engine.physics.token.engines import comparison

_ENGINE = {
    "vllm": "continuous batching and paged KV cache on the widest range of hardware and models",
    "sglang": "continuous batching with prefix sharing between requests",
    "tensorrt-llm": "the fastest kernels on NVIDIA hardware, for the price of a build per model and GPU",
    "tgi": "a small server with continuous batching, close to the Hugging Face hub",
    "llama.cpp": "runs quantised weights (GGUF) on consumer and Apple hardware",
    "jetstream": "made for TPU",
    "neuron": "compiled ahead for Inferentia and Trainium",
    "triton": "serves many kinds of model beside each other with dynamic batching",
}
_FAR_MS = 50.0


def serving_advice(case: Case) -> Iterator[Advice]:
    """Advice on how to run the service; nothing for training."""
    result = case.option.serving
    if case.serving is None or result is None:
        return
    reason = _ENGINE.get(result.engine, "was asked for")
    yield advice(
        f"serve.engine.{result.engine}",
        "Serving engine",
        software_name(result.engine),
        f"{reason[0].upper()}{reason[1:]}; weights in {precision_name(case.option.precision)}{_of_tokens(case, result)}",
    )
    if case.serving.batch is not None:
        yield advice(
            "serve.batch.queue",
            "Batch",
            "Feed from a queue, save answers as they come",
            f"{case.serving.batch.requests:,.0f} requests have {span_words(case.serving.batch.deadline_hours * 3600.0)}: "
            "no load balancer is needed, and spot capacity loses only what is in flight.",
        )
        yield from _hosted(result, "Compare with the hosted API before each batch")
        return
    yield from _around(case, result)


def _of_tokens(case: Case, result: ServingResult) -> str:
    """What only a language model has: a cache of its own format, and engines that were measured against each other."""
    if case.option.counts != "token":
        return "."
    cached = f", KV cache in {precision_name(result.kv_precision)}. {comparison(case.device, result.engine)}"
    return cached.strip()


def _around(case: Case, result: ServingResult) -> Iterator[Advice]:
    yield advice(
        "serve.balancer.least-requests",
        "Load balancer",
        "Send each request to the replica with the fewest in flight",
        f"{_unbalanced(case, result)}{case.monthly('balancer')}",
    )
    most = result.requests_per_s_per_replica.expected * result.replicas
    promised = case.serving is not None and case.serving.promised
    yield advice(
        "serve.gateway",
        "Gateway",
        f"Keys, rate limits in {case.option.counts}s, and a bounded queue",
        f"Beyond {f'{most:,.0f}' if most >= 100 else f'{most:.3g}'} requests/s "
        f"{'the promise breaks' if promised else 'the queue grows'}: refuse early with 429 instead.{case.monthly('gateway')}",
    )
    yield _scaling(case, result)
    yield advice(
        "serve.registry",
        "Model registry",
        "Versioned weights in object storage, copied to local disk before start",
        f"A replica takes {span_words(result.autoscale.warmup_s)} to answer, most of it loading weights."
        f"{case.monthly('registry')}",
    )
    yield advice(
        "serve.probes",
        "Health probes",
        f"Ready only after a first answer; start-up time of {span_words(result.autoscale.warmup_s * 2)} allowed",
        "A process that is up but still loads weights must get no requests; a stuck one must be replaced.",
    )
    yield from _cache(case)
    yield from _promises(case, result)


def _unbalanced(case: Case, result: ServingResult) -> str:
    """Why turns would not do."""
    every = counted(case.option.count / result.accelerators_per_replica, "replica")
    if case.option.counts != "token":
        return f"A replica is busy until its batch ends, so turns do not balance {every}."
    return (
        f"Answers differ in length, so turns do not balance {every}; keep a conversation on one replica where prefixes are "
        "cached."
    )


def _scaling(case: Case, result: ServingResult) -> Advice:
    scale = result.autoscale
    if scale.min == scale.max:
        return advice(
            "serve.autoscale.fixed",
            "Autoscaling",
            f"No autoscaling: {counted(scale.max, 'replica')} all day",
            "The load is flat, so capacity may be committed." if case.option.kind == "cloud" else "The load is flat.",
        )
    return advice(
        "serve.autoscale.in-flight",
        "Autoscaling",
        f"{scale.min} to {scale.max} replicas by {scale.metric}",
        f"A new replica needs {span_words(scale.warmup_s)}, so scale up at {max(0.5, result.utilisation):.0%} of "
        "what one holds and wait 10 min before scaling down.",
    )


def _cache(case: Case) -> Iterator[Advice]:
    share = case.serving.prefix_hit_share if case.serving else 0.0
    if case.option.counts != "token":
        return  # a cache of prefixes needs text
    if share > 0:
        yield advice(
            "serve.cache.prefix",
            "Cache",
            "Prefix cache on, requests routed by prefix",
            f"{share:.0%} of the input tokens are expected in the cache and are not computed again.",
        )
    else:
        yield advice(
            "serve.cache.measure",
            "Cache",
            "Switch the prefix cache on and measure hits",
            "The plan counts on none; a common system prompt would lower time to first token and cost.",
        )


def _promises(case: Case, result: ServingResult) -> Iterator[Advice]:
    if result.spare_replicas:
        yield advice(
            "serve.spares",
            "Availability",
            f"{result.spare_replicas} spare {'replica' if result.spare_replicas == 1 else 'replicas'} beyond the peak",
            f"{share_words(case.spec.operations.availability)} must hold while one replica is down or being updated.",
        )
    distance = case.serving.network_latency_ms if case.serving else 0.0
    if distance >= _FAR_MS:
        yield advice(
            "serve.distance",
            "Region",
            "Serve nearer to the users",
            f"{distance:.0f} ms of each {'time to first token' if case.option.counts == 'token' else 'answer'} is distance.",
        )
    yield from _hosted(result, "Compare with the hosted API every quarter")


def _hosted(result: ServingResult, choice: str) -> Iterator[Advice]:
    if result.api_break_even:
        yield advice("serve.api", "Hosted API", choice, result.api_break_even)
