"""Who places jobs, by name: what each costs on top of instances, where it can place them, and what it leaves to others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.inputs.finding import Finding
from engine.inputs.origin import origin
from engine.inputs.spec import Scheduler


@dataclass(frozen=True, kw_only=True)
class Service:
    """A scheduler that a provider runs and sells."""

    provider: str
    """Whose instances it places jobs on; nobody else's."""
    share: float
    """Surcharge on the price of an instance [share], and"""
    low: float
    high: float
    source: Finding
    """Why it is taken."""
    own: bool = False
    """Can hardware of one's own be joined to it?"""


SERVICES: Mapping[Scheduler, Service] = {
    "sagemaker": Service(
        provider="aws",
        share=0.20,
        low=0.15,
        high=0.25,
        source=origin("scheduler.sagemaker"),
    ),
    "vertex": Service(
        provider="gcp",
        share=0.20,
        low=0.15,
        high=0.25,
        source=origin("scheduler.vertex"),
    ),
    "azure-ml": Service(
        provider="azure",
        share=0.0,
        low=0.0,
        high=0.0,
        source=origin("scheduler.azure-ml"),
        own=True,
    ),
}
"""Each of them by name. Azure ML takes hardware of one's own through Kubernetes that Azure Arc connects."""
MANAGED = frozenset(("managed", *SERVICES))
"""Schedulers that somebody else runs: not to be had where work never leaves the house."""
QUEUES = frozenset(("kueue", "volcano", "kubeflow"))
"""What runs on Kubernetes, and costs nothing but the people who keep it running."""


def places_on(scheduler: Scheduler, provider: str) -> bool:
    """Can that scheduler place jobs on instances of that provider?"""
    service = SERVICES.get(scheduler)
    return service is None or service.provider == provider


def places_at_home(scheduler: Scheduler) -> bool:
    """Can it on hardware of one's own, leased or bought?"""
    service = SERVICES.get(scheduler)
    return service is None or service.own
