"""What the serving search and description answer: plain frozen dataclasses without money."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from engine.answer import Autoscale, Estimate, Layout, Memory, Part, Percentiles, Rejection
from engine.inputs.finding import Finding
from engine.inputs.hardware import Cluster
from engine.kinds.service.disaggregated import Split
from engine.physics.token.step import Numbers
from engine.reliability.patterns import NO_STANDBY, Standby

Burdens = Numbers
"""`ServingChoice.burden` of several choices, a row each."""


@dataclass(frozen=True, kw_only=True)
class ServingChoice:
    """One way to serve on one cluster that holds the promises at the peak."""

    cluster: Cluster
    engine: str
    precision: str
    kv_precision: str
    layout: Layout
    """One replica; its `dp` is the number of attention data-parallel ranks."""
    accelerators_per_replica: int
    replicas: int
    """At the peak, spare ones not counted."""
    spare_replicas: int
    accelerators: int
    """All replicas at the peak, spare ones included."""
    nodes: int
    rate_per_replica: float
    """Highest rate at which one replica holds the promises [request/s]."""
    carries_per_replica: float
    """The same without any promise: the most that its queue can stand [request/s]."""
    max_batch: int
    replicas_by_hour: tuple[int, ...]
    """Replicas for each hour of the load curve, spare ones included; empty for a flat load or a batch."""
    hours: float
    """How long its work is counted: the whole of a batch, a day of a service."""
    sure_hours: float
    """In which the work of a batch ends with the confidence that a recommendation needs."""
    accelerator_hours: float
    """Over those hours, with replicas following the load curve."""
    ttft_p95_ms: float
    tpot_p95_ms: float
    split: Split | None = None
    """Pools of a disaggregated unit, which then counts as one replica; None = prompts and answers share replicas."""
    accepted: float = 0.0
    """Tokens that one verification of a draft yields; 0 = no speculative decoding."""
    start_s: float = 0.0
    """From the first paid second of a replica to its first answer, its weights in the precision that is served [s]."""
    standby: Standby = NO_STANDBY
    """How the spare replicas stand by, and which of all stand at a second site."""

    @cached_property
    def burden(self) -> tuple[float, ...]:
        """What a choice costs follows from these, and never falls when one of them rises; at equal cost, a replica within
        one node is preferred."""
        peak = self.replicas + self.spare_replicas
        nodes = [math.ceil(self.nodes * held / peak) for held in self.replicas_by_hour] or [self.nodes]
        span = math.ceil(self.accelerators_per_replica / self.cluster.devices_per_node)
        node_hours = self.hours * sum(nodes) / len(nodes)
        return (self.nodes, node_hours, self.accelerators, self.accelerator_hours, self.hours, span)


@dataclass(frozen=True, kw_only=True)
class ServingSearch:
    """Outcome of a search: what holds, what does not and how near it came."""

    choices: tuple[ServingChoice, ...]
    rejected: tuple[Rejection, ...]
    searched: int


@dataclass(frozen=True, kw_only=True)
class ServingPhysics:
    """Everything of `result.ServingResult` but the money."""

    replicas: int
    spare_replicas: int
    accelerators_per_replica: int
    engine: str
    kv_precision: str
    max_batch: int
    batch_at_peak: float
    utilisation: float
    requests_per_s_per_replica: Estimate
    ttft_ms: Percentiles
    tpot_ms: Percentiles
    e2e_ms: Percentiles
    output_tokens_per_s_per_gpu: Estimate
    autoscale: Autoscale
    bound: str
    simulated: bool


@dataclass(frozen=True, kw_only=True)
class ServingDetail:
    """One choice wholly described."""

    layout: Layout
    precision: str
    kv_precision: str
    engine: str
    memory: Memory
    time: tuple[Part, ...]
    """Where the time to the first token goes [ms]."""
    result: ServingPhysics
    tokens_per_s: Estimate
    """Output tokens (or samples) per second of all replicas at the peak."""
    accelerator_hours: Estimate
    """Over the hours of the choice, like the requests and tokens below: of the whole batch, or of a day of the service."""
    input_share: float
    """Share of accelerator time spent on prompts: splits the cost between input and output tokens."""
    requests: float
    input_tokens: float
    output_tokens: float
    log_sigma: float
    """Standard deviation of ln(measured ÷ predicted) throughput for this class of hardware and engine."""
    because: tuple[str, ...]
    warnings: tuple[Finding, ...]
    normal_ms: float | None = None
    """p95 of the first token [ms] while all replicas serve, those that stand by too; None where none of those serves."""
