"""The serving engine and the stack around it."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Advice, ServingResult
from engine.choice.advising.facts import Case, advice
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.physics.token.engines import comparison

_ENGINES = frozenset(("vllm", "sglang", "tensorrt-llm", "tgi", "llama.cpp", "jetstream", "neuron", "triton"))
"""Engines of which there is something to say."""
_FAR_MS = 50.0


def serving_advice(case: Case) -> Iterator[Advice]:
    """Advice on how to run the service."""
    yield _engine(case, case.served)
    yield from _around(case, case.served)


def batch_advice(case: Case) -> Iterator[Advice]:
    """Advice on how to run the batch."""
    asked = case.serving.batch
    assert asked is not None
    yield _engine(case, case.served)
    deadline = Quantity(asked.deadline_hours * 3600.0, "s")
    yield advice("serve.batch.queue", "batch", requests=asked.requests, deadline=deadline)
    yield from _hosted(case.served, "serve.api-batch")


def _engine(case: Case, result: ServingResult) -> Advice:
    """Why that engine; of a language model also its cache, and the engines that were measured against each other."""
    known = result.engine if result.engine in _ENGINES else "other"
    format_, cached = Ref("precision", case.option.precision), Ref("precision", result.kv_precision)
    also = [finding("advice.serve.weights", weights=format_)]
    if case.option.counts == "token":
        also = [finding("advice.serve.weights_and_cache", weights=format_, cache=cached)]
        also += comparison(case.device, result.engine)
    return advice(f"serve.engine.{known}", "engine", *also, engine=Ref("software", result.engine))


def _around(case: Case, result: ServingResult) -> Iterator[Advice]:
    replicas = round(case.option.count / result.accelerators_per_replica)
    tokens = case.option.counts == "token"
    yield advice(
        "serve.balancer.least-requests",
        "balancer",
        *case.held("balancer"),
        why="" if tokens else "samples",
        replicas=replicas,
    )
    promised = case.serving.promised
    yield advice(
        "serve.gateway",
        "gateway",
        *case.held("gateway"),
        why="" if promised else "unpromised",
        unit=Ref("word", case.option.counts),
        most=Quantity(result.requests_per_s_per_replica.expected * result.replicas, "request/s"),
    )
    yield _scaling(case, result)
    start = Quantity(result.autoscale.warmup_s, "s")
    yield advice("serve.registry", "registry", *case.held("registry"), start=start)
    yield advice("serve.probes", "probes", allowed=Quantity(result.autoscale.warmup_s * 2, "s"))
    yield from _cache(case)
    yield from _promises(case, result)


def _scaling(case: Case, result: ServingResult) -> Advice:
    scale = result.autoscale
    if scale.min == scale.max:
        kept = case.spec.operations.keep_capacity
        why = "kept" if kept else "rented" if case.option.kind == "cloud" else ""
        return advice("serve.autoscale.fixed", "autoscaling", why=why, replicas=scale.max)
    return advice(
        "serve.autoscale.in-flight",
        "autoscaling",
        least=scale.min,
        most=scale.max,
        start=Quantity(scale.warmup_s, "s"),
        use=Quantity(max(0.5, result.utilisation), "share"),
    )


def _cache(case: Case) -> Iterator[Advice]:
    share = case.serving.prefix_hit_share
    if case.option.counts != "token":
        return  # a cache of prefixes needs text
    if share > 0:
        yield advice("serve.cache.prefix", "cache", share=Quantity(share, "share"))
    else:
        yield advice("serve.cache.measure", "cache")


def _promises(case: Case, result: ServingResult) -> Iterator[Advice]:
    if result.spare_replicas:
        availability = Quantity(case.spec.operations.availability, "share")
        why = "one_host" if result.standing and result.standing.on_one_host else ""
        yield advice("serve.spares", "availability", why=why, spares=result.spare_replicas, availability=availability)
    distance = case.serving.network_latency_ms
    if distance >= _FAR_MS:
        why = "" if case.option.counts == "token" else "samples"
        yield advice("serve.distance", "region", why=why, distance=Quantity(distance, "ms"))
    yield from _hosted(result, "serve.api")


def _hosted(result: ServingResult, rule: str) -> Iterator[Advice]:
    if result.api_break_even is not None:
        against = result.api_break_even.values.get("against")
        if isinstance(against, Finding) and against.code == "hosted.less":
            rule = "serve.api-cheaper"
        yield Advice(rule=rule, topic="api", choice=Finding(f"advice.{rule}"), reason=(result.api_break_even,))
