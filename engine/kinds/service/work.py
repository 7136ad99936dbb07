"""What is asked of a service, ready for physics: model, traffic, promises, layout that is already decided."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.inputs.architecture import Architecture, is_language_model
from engine.inputs.spec import BatchJob, FixedLayout, Spec
from engine.reliability.outages import NO_OUTAGES, Outages

_OF_BUDGET, _OF_BATCH = 0.15, 0.5
"""Of what may go wrong, how much is left to the budget of a service, 3 of 20 parts, so that beside 80 % it holds with 97 %; and to
that of a batch, which costs more the longer it takes."""


@dataclass(frozen=True, kw_only=True)
class ServingWork:
    """One serving workload. Rates in requests (or samples) per second, lengths in tokens, times in milliseconds."""

    arch: Architecture
    requests_per_s: float
    input_tokens: float
    output_tokens: float
    length_spread: float = 0.5
    burstiness: float = 1.0
    ttft_p95_ms: float = 0.0
    tpot_p95_ms: float = 0.0
    precision: str = "auto"
    kv_precision: str = "auto"
    framework: str = "auto"
    prefix_hit_share: float = 0.0
    speculative_accepted: float = 0.0
    load_curve: tuple[float, ...] = ()
    batch: BatchJob | None = None
    spare_replicas: int = 1
    network_latency_ms: float = 0.0
    fixed: FixedLayout
    max_accelerators: int = 1024
    availability: float = 0.0
    """Share of time that it must answer while hosts and sites fail; 0 = not asked."""
    pattern: str = "spares"
    """How replicas stand by; never `auto`."""
    keeps: bool = False
    """Are the replicas of the peak held at all hours, whatever the load?"""
    outages: Outages = NO_OUTAGES
    """What takes more than one host."""
    sure: float = 0.8
    """Probability with which the load, or the deadline of a batch, is to be kept."""
    kept: float = 0.8
    """Probability with which promises are to be kept: as sure, or as sure as anything is where nothing is so sure."""
    seed: int = 20260701
    requests: int = 3000
    """Simulated requests for each rate that is tried."""

    @property
    def language(self) -> bool:
        """Does it generate text token by token? Otherwise requests are samples."""
        return is_language_model(self.arch)

    @property
    def window(self) -> int:
        """Tokens of prompt and answer together that the model was published for; 0 = not known."""
        return self.arch.max_sequence

    @property
    def computed_tokens(self) -> float:
        """Tokens of the mean prompt that no cache holds already: at least its last one."""
        return max(self.input_tokens * (1 - self.prefix_hit_share), 1.0)

    @property
    def cached_tokens(self) -> int:
        """Those that a cache holds."""
        return round(self.input_tokens - self.computed_tokens)

    @property
    def too_long(self) -> bool:
        """Is the mean request longer than the model can take?"""
        return bool(self.language and self.window and self.input_tokens + self.output_tokens > self.window)


def followed(work: ServingWork) -> tuple[float, ...]:
    """The load that replicas follow: share of the peak for each hour; empty where they are held at all hours."""
    return () if work.keeps else work.load_curve


def is_batch(work: ServingWork) -> bool:
    """A batch without a rate has no promise to hold and no queue to keep short."""
    return work.batch is not None


def demand(work: ServingWork) -> float:
    """Requests per second that must be served: the peak, or the batch by its deadline."""
    if work.batch is not None:
        return work.batch.requests / (work.batch.deadline_hours * 3600)
    return work.requests_per_s


def work_from(spec: Spec, arch: Architecture) -> ServingWork:
    """The work of a serving spec. The spec has been checked: `spec.serving` is there."""
    serving = spec.serving
    if serving is None:
        raise ValueError("“serving” is missing: a serving workload needs it.")
    asked = spec.assumptions.get("select.confidence", spec.confidence.all)
    sure = sized_for(asked, budget=bool(spec.constraints.budget_usd), batch=serving.batch is not None)
    return ServingWork(
        arch=arch,
        requests_per_s=serving.requests_per_s,
        input_tokens=max(serving.input_tokens, 1.0),
        output_tokens=max(serving.output_tokens, 1.0),
        length_spread=serving.length_spread,
        burstiness=serving.burstiness,
        ttft_p95_ms=serving.ttft_p95_ms,
        tpot_p95_ms=serving.tpot_p95_ms,
        precision=serving.precision,
        kv_precision=serving.kv_precision,
        framework=serving.framework,
        prefix_hit_share=serving.prefix_hit_share,
        speculative_accepted=serving.speculative_accepted,
        load_curve=serving.load_curve,
        batch=serving.batch,
        spare_replicas=serving.spare_replicas,
        network_latency_ms=serving.network_latency_ms,
        fixed=spec.fixed,
        max_accelerators=spec.constraints.max_accelerators,
        availability=spec.operations.availability,
        pattern="n" if serving.batch else spec.operations.pattern,
        keeps=spec.operations.keep_capacity,
        sure=sure,
        kept=sure,
    )


def undrafted(work: ServingWork) -> ServingWork:
    """The same work without speculative decoding."""
    return replace(work, speculative_accepted=0.0)


def unpromised(work: ServingWork) -> ServingWork:
    """The same requests without what exactly is promised of them, how surely, and how many there are: equal for all works that differ in
    these alone. Whether a pace is promised, and whether there is a rate, stays: it decides about pools."""
    return replace(
        work,
        requests_per_s=1.0 if work.requests_per_s else 0.0,
        load_curve=(),
        spare_replicas=0,
        batch=None,
        ttft_p95_ms=0.0,
        tpot_p95_ms=1.0 if work.tpot_p95_ms else 0.0,
        availability=0.0,
        pattern="spares",
        keeps=False,
        outages=NO_OUTAGES,
        sure=0.5,
        kept=0.5,
    )


def sized_for(asked: float, *, budget: bool, batch: bool = False) -> float:
    """How sure the size must be so that all limits hold together as surely as is asked: a budget takes little of what may
    go wrong of a service, for what that costs is decided with its size."""
    if not budget:
        return asked
    return 1.0 - _OF_BATCH * (1.0 - asked) if batch else asked / (1.0 - _OF_BUDGET * (1.0 - asked))


def any_traffic(work: ServingWork) -> ServingWork:
    """The same model and rules without what is asked of them: equal for all works that have the same candidates."""
    return ServingWork(
        arch=work.arch,
        requests_per_s=1.0,
        input_tokens=1.0,
        output_tokens=1.0,
        precision=work.precision,
        kv_precision=work.kv_precision,
        framework=work.framework,
        fixed=work.fixed,
        max_accelerators=work.max_accelerators,
    )
