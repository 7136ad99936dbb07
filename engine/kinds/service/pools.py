"""When prompts and answers get pools of their own, and how much a unit of pools serves at most."""

from __future__ import annotations

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.disaggregated import Split, split_for
from engine.kinds.service.load import pace_share
from engine.kinds.service.tables import traffic_of
from engine.kinds.service.work import ServingWork
from engine.physics.token.steady import Traffic
from engine.physics.token.step import Numbers, Setup, prefill_time, single

POOLING = frozenset({"vllm", "sglang", "tensorrt-llm"})
"""Engines that can run prefill and decode in pools of their own."""
_LINK_SHARE = 0.7
"""Share of a link that a cache transfer reaches."""


def may_pool(work: ServingWork) -> bool:
    """Pools keep the pace of answers: without a promised pace there are none."""
    return bool(work.tpot_p95_ms) and bool(work.requests_per_s)


def pool_bandwidth(candidate: Candidate) -> float:
    """Bytes/s between two replicas: over the scale-up fabric where both fit on one, over the host's bus where bridges join fewer, else
    over the network; 0 = no link."""
    cluster = candidate.cluster
    device, both = cluster.device, candidate.devices * 2
    if device.scaleup_domain < 2 or both > cluster.domain:
        return cluster.nic_bandwidth
    return device.scaleup_bandwidth if both <= device.scaleup_domain else device.pcie_bandwidth


def split_of(
    candidate: Candidate, numbers: dict[str, float], fits: float, work: ServingWork, assume: Assumptions
) -> Split | None:
    """The unit of pools that suits the work, which drafts do not go with; None where the engine, the links or the pace do not
    allow one."""
    if not may_pool(work) or candidate.adp > 1 or candidate.engine not in POOLING:
        return None
    pace = work.tpot_p95_ms / 1e3 * pace_share(candidate.cluster.device, work, assume)
    bandwidth = pool_bandwidth(candidate) * _LINK_SHARE
    return split_for(
        single(numbers),
        traffic_of(work, assume),
        most=fits,
        tpot_s=pace,
        bandwidth=bandwidth,
        demand=work.requests_per_s,
        spare=work.spare_replicas,
    )


def pool_rate(s: Setup, t: Traffic, answers: Numbers) -> Numbers:
    """Requests per second for each replica of the best mix of prompt and answer replicas, all saturated: no unit of whole
    replicas reaches more. `answers`: what a replica that only writes answers ends in a second at most."""
    together = np.maximum(t.input_tokens, t.token_budget)
    prompts = together / (t.input_tokens * prefill_time(s, together * np.ones_like(s.tp), t.length))
    rate: Numbers = prompts[:, 0] * answers / (prompts[:, 0] + answers)
    return rate
