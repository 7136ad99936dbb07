"""Scheduler, containers, monitoring, security and the people who operate."""

from __future__ import annotations

from collections.abc import Iterator

from engine.answer import Advice
from engine.choice.advising.facts import Case, advice
from engine.choice.advising.training import XLA
from engine.inputs.names import counted, days_words, share_words, span_words
from engine.money.site import staff_of

_SLURM_NODES = 4
"""From here gang scheduling and topology matter more than a platform that also serves."""
_THREE_NINES = 0.999

_CONTAINERS = {
    "cuda": (
        "NGC PyTorch container, NVIDIA driver of the production branch, container toolkit",
        "one image holds CUDA, NCCL and the framework; on every node only the driver must match it",
    ),
    "rocm": (
        "ROCm PyTorch container with the amdgpu driver of the same ROCm release",
        "ROCm, RCCL and the framework are built against one release; mixed releases fail late",
    ),
    "xla": (
        "Provider's TPU image with a pinned JAX and libtpu",
        "libtpu and JAX must be of matching versions; there is no driver",
    ),
    "neuron": (
        "AWS Neuron deep-learning container",
        "models are compiled ahead: keep the compile cache on shared storage",
    ),
    "gaudi": ("Gaudi PyTorch container with the matching driver", "graph compiler and driver come as one release"),
    "metal": ("Native build, no container", "containers on macOS do not reach the GPU"),
    "other": ("Vendor's own software image", "the stack is closed and versioned as a whole"),
}

_SECURITY = {
    "gdpr": (
        "Keep data, checkpoints and logs in one region of the EU or of an adequate country",
        "personal data may not leave without a legal basis",
    ),
    "hipaa": (
        "Only services under a business associate agreement; audit log for every access",
        "health data needs a contract with every processor",
    ),
    "export-control": (
        "Check end user, region and accelerator class before ordering",
        "current accelerators are licensed goods in many countries",
    ),
    "air-gapped": (
        "Own servers with mirrored images, weights and packages",
        "no service of a provider can be reached from there",
    ),
    "sso": ("One identity provider for scheduler, registry and dashboards", "one place to take access away"),
    "encryption": (
        "Encrypt disks and object storage with keys of your own; TLS between services",
        "checkpoints hold the model and parts of the data",
    ),
}


def platform_advice(case: Case) -> Iterator[Advice]:
    """Advice on what surrounds the accelerators."""
    yield _scheduler(case)
    choice, reason = _CONTAINERS[case.device.runtime]
    yield advice(f"ops.container.{case.device.runtime}", "Software image", choice, f"On {case.device.name}, {reason}.")
    yield _monitoring(case)
    yield from _security(case)
    yield from _people(case)


def _scheduler(case: Case) -> Advice:
    asked, nodes, topic = case.spec.operations.scheduler, case.option.nodes, "Scheduler"
    where = f"{counted(nodes, 'node')} with {counted(case.option.count, 'accelerator')}"
    if asked == "managed" and case.option.kind != "cloud":
        return advice(
            "ops.scheduler.managed-own",
            topic,
            "Slurm or Kubernetes, run by a contractor",
            f"You asked for a managed service, but {where} are your own: nobody's surcharge covers them, so the total "
            "holds staff instead.",
        )
    if asked == "managed" or (asked == "auto" and case.spec.operations.operator == "vendor"):
        return advice(
            "ops.scheduler.managed",
            topic,
            "Managed service of the provider",
            f"It takes {where} off your hands for a surcharge{_surcharge(case)} on the instances.",
        )
    if asked != "auto":
        return advice("ops.scheduler.as-asked", topic, asked.capitalize(), f"You asked for it; it schedules {where}.")
    if case.serving is not None:
        return _service_scheduler(case, topic, where)
    if nodes >= _SLURM_NODES:
        return advice(
            "ops.scheduler.slurm-large-training",
            topic,
            "Slurm",
            f"{where.capitalize()} start and stop together: gang scheduling, topology-aware placement and "
            "automatic requeue come with it.",
        )
    if nodes > 1:
        return advice(
            "ops.scheduler.kubernetes-small-training",
            topic,
            "Kubernetes with Kueue or Volcano",
            f"{where.capitalize()} are few enough for a shared platform; a queue keeps the job together.",
        )
    return advice(
        "ops.scheduler.single-node",
        topic,
        f"No scheduler: {'one command' if case.option.framework in XLA else 'torchrun'} starts the job on its one node",
        "One node needs no scheduler; a restart loop and a checkpoint are enough.",
    )


def _service_scheduler(case: Case, topic: str, where: str) -> Advice:
    """A batch runs its replicas until the queue is empty; only a load that changes needs an autoscaler."""
    assert case.serving is not None
    if case.serving.batch is not None:
        return advice(
            "ops.scheduler.kubernetes-batch",
            topic,
            "Kubernetes with the device plugin, one job",
            f"The replicas on {where} take requests from one queue and end with it; a failed one is started again.",
        )
    result = case.option.serving
    scaled = result is not None and result.autoscale.min != result.autoscale.max
    needed = "rolling updates, probes and an autoscaler" if scaled else "rolling updates and probes"
    return advice(
        "ops.scheduler.kubernetes-serving",
        topic,
        "Kubernetes with the device plugin",
        f"A service of {where} needs {needed}.",
    )


def _surcharge(case: Case) -> str:
    """The surcharge that the total holds, else what is usual."""
    found = next((item.value for item in case.option.cost.model.inputs if item.name == "managed_premium"), None)
    return " of about 10–25 %" if found is None else f" of {found:.0%}, which is in the total,"


def _monitoring(case: Case) -> Advice:
    tokens = case.option.counts == "token"
    cache = "KV-cache use, " if tokens else ""
    if case.serving is not None and case.serving.batch is not None:
        return advice(
            "ops.observability.batch",
            "Monitoring",
            f"Requests done and left, {case.option.counts}s per second of each replica, {cache}errors, device errors",
            f"What is left over the rate says whether the deadline holds.{case.monthly('monitoring')}",
        )
    if case.serving is not None:
        latency = "TTFT and time per token" if tokens else "time to the answer"
        why = "Means hide what users feel"
        if case.serving.promised:
            why = "Latency is promised at the 95th percentile, so means hide what users feel"
        return advice(
            "ops.observability.serving",
            "Monitoring",
            f"Requests in flight, queue time, {latency} (p50, p95, p99), {cache}errors, device errors",
            f"{why}; the queue shows trouble first.{case.monthly('monitoring')}",
        )
    least, several = case.option.mfu.low, case.option.count > 1
    ranks = f"; a slow rank holds up {counted(case.option.count, 'accelerator')}" if several else ""
    return advice(
        "ops.observability.training",
        "Monitoring",
        f"Loss, step time, MFU, {'slowest rank, ' if several else ''}device errors (ECC, Xid{', link' if several else ''}), "
        "temperature, checkpoint time, loader wait",
        f"Raise an alarm when MFU stays below {least:.0%}, the low end of this plan, or the loss is not a number{ranks}.",
    )


def _security(case: Case) -> Iterator[Advice]:
    for rule in sorted(case.rules):
        choice, reason = _SECURITY.get(
            rule, (f"Have “{rule}” checked by those who own the rule", "the plan has no rule of its own for it")
        )
        key = rule if rule in _SECURITY else "other"
        yield advice(f"ops.security.{key}", "Security", choice, f"{reason[0].upper()}{reason[1:]}.")
    residency = case.spec.constraints.residency
    if residency != "any":
        where = case.option.offer.region if case.option.offer else "your own room"
        yield advice(
            "ops.security.residency",
            "Security",
            f"Stay in {where}",
            f"Data must stay in the region “{residency}”; backups and logs too.",
        )


def _staff(case: Case) -> Advice:
    """People who run it: priced on own hardware; on rented hardware said, since no invoice of the provider has them."""
    option = case.option
    if option.kind != "cloud":
        amount = next((line.amount for line in option.cost.model.lines if line.name == "staff"), 0.0)
        return advice(
            "ops.staff.own",
            "Operation",
            "People who run the hardware are in the total",
            f"The total holds {case.currency.whole(amount)} of staff for this work, by the hours that it uses.",
        )
    assume = case.assume
    share = assume["cost.platform_fte_share"]
    people = share * staff_of(option.nodes, assume)
    usd = people * assume["onprem.usd_per_fte"] * option.days.expected / 365.0
    cost, year = case.currency.whole(usd), case.currency.whole(assume["onprem.usd_per_fte"])
    return advice(
        "ops.staff.rented",
        "Operation",
        f"About {f'{people:.2g} people' if people > 1 else f'{people:.2g} of a person'} for the platform, not in the total",
        f"The provider runs the hardware; images, scheduler, data and access remain. Over {days_words(option.days.expected)} "
        f"that is about {cost} at {year} a year ({share:.0%} of what own hardware "
        "needs). A team that has such people already pays nothing more.",
    )


def _people(case: Case) -> Iterator[Advice]:
    yield _staff(case)
    promised = case.spec.operations.availability
    if case.serving is not None and promised >= _THREE_NINES and not case.spec.operations.on_call:
        minutes = (1.0 - promised) * 30 * 24 * 60
        yield advice(
            "ops.on-call.needed",
            "Operation",
            "Put somebody on call",
            f"{share_words(promised)} leaves {minutes:.0f} minutes of outage a month, less than a night without anybody.",
        )
    checkpoint = case.option.checkpoint
    if checkpoint is not None and checkpoint.failures_expected >= 1:
        yield advice(
            "ops.restart.automatic",
            "Operation",
            "Restart automatically: health check, exclude the node, load the last checkpoint",
            f"About {counted(checkpoint.failures_expected, 'failure')} to be expected in the run, one every "
            f"{span_words(checkpoint.mtbf_h * 3600.0)}; by hand each costs hours of {counted(case.option.count, 'accelerator')}.",
        )
