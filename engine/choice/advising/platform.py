"""Scheduler, containers, monitoring, security and the people who operate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from engine.answer import Advice
from engine.choice.advising.facts import Case, advice
from engine.choice.advising.training import XLA
from engine.inputs.cover import covered_by
from engine.inputs.finding import Quantity, Ref, Sum, Typed, finding
from engine.inputs.kind import PerKind
from engine.inputs.schedulers import QUEUES, SERVICES
from engine.money.rented import COVER, COVER_MANAGED
from engine.money.site import staff_of

_SLURM_NODES = 4
"""From here gang scheduling and topology matter more than a platform that also serves."""
_THREE_NINES = 0.999
_SECURITY = frozenset(("gdpr", "hipaa", "export-control", "air-gapped", "sso", "encryption"))
"""Rules of which the plan knows what they ask for."""


def platform_advice(case: Case) -> Iterator[Advice]:
    """Advice on what surrounds the accelerators."""
    yield _scheduler(case)
    device = Ref("accelerator", case.device.slug, case.device.name)
    yield advice(f"ops.container.{case.device.runtime}", "image", device=device)
    yield _MONITORING[case.kind](case)
    yield from _security(case)
    yield from _people(case)


def _scheduler(case: Case) -> Advice:
    asked, nodes, count, topic = (
        case.spec.operations.scheduler,
        case.option.nodes,
        case.option.count,
        "scheduler",
    )
    if asked in SERVICES:
        return _sold(case)
    if asked in QUEUES:
        return advice(f"ops.scheduler.{asked}", topic, nodes=nodes, count=count)
    if asked == "managed" and case.option.kind != "cloud":
        return advice("ops.scheduler.managed-own", topic, nodes=nodes, count=count)
    if asked == "managed" or (asked == "auto" and case.spec.operations.operator == "vendor"):
        return _managed(case)
    if asked != "auto":
        scheduler = Ref("software", asked)
        return advice("ops.scheduler.as-asked", topic, scheduler=scheduler, nodes=nodes, count=count)
    return _SCHEDULERS[case.kind](case)


def _run_scheduler(case: Case) -> Advice:
    nodes, count, topic = case.option.nodes, case.option.count, "scheduler"
    if nodes >= _SLURM_NODES:
        return advice("ops.scheduler.slurm-large-training", topic, nodes=nodes, count=count)
    if nodes > 1:
        return advice("ops.scheduler.kubernetes-small-training", topic, nodes=nodes, count=count)
    return advice(
        "ops.scheduler.single-node-xla" if case.option.framework in XLA else "ops.scheduler.single-node", topic
    )


def _sold(case: Case) -> Advice:
    """A service of one provider, with its surcharge; on hardware of one's own, joined to it, nobody charges one."""
    asked, nodes, count = case.spec.operations.scheduler, case.option.nodes, case.option.count
    rule = f"ops.scheduler.{asked}"
    if case.option.kind != "cloud":
        return advice(rule, "scheduler", why="own", nodes=nodes, count=count)
    premium = next((item for item in case.option.cost.model.inputs if item.name == "managed_premium"), None)
    surcharge = Quantity(premium.value if premium else 0.0, "share")
    return advice(rule, "scheduler", nodes=nodes, count=count, surcharge=surcharge)


def _managed(case: Case) -> Advice:
    """The surcharge is that of the total, else what is usual."""
    rule, nodes, count = "ops.scheduler.managed", case.option.nodes, case.option.count
    found = next((item.value for item in case.option.cost.model.inputs if item.name == "managed_premium"), None)
    if found is None:
        return advice(rule, "scheduler", why="usual", nodes=nodes, count=count)
    return advice(rule, "scheduler", nodes=nodes, count=count, surcharge=Quantity(found, "share"))


def _service_scheduler(case: Case) -> Advice:
    """Only a load that changes needs an autoscaler."""
    nodes, count = case.option.nodes, case.option.count
    result = case.option.serving
    scaled = result is not None and result.autoscale.min != result.autoscale.max
    why = "scaled" if scaled else ""
    return advice("ops.scheduler.kubernetes-serving", "scheduler", why=why, nodes=nodes, count=count)


def _batch_scheduler(case: Case) -> Advice:
    """A batch runs its replicas until the queue is empty."""
    return advice("ops.scheduler.kubernetes-batch", "scheduler", nodes=case.option.nodes, count=case.option.count)


_SCHEDULERS: Final[PerKind[Callable[[Case], Advice]]] = {
    "run": _run_scheduler,
    "service": _service_scheduler,
    "batch": _batch_scheduler,
}


def _watched_batch(case: Case) -> Advice:
    rule = "ops.observability.batch" if case.option.counts == "token" else "ops.observability.batch-samples"
    return advice(rule, "monitoring", *case.held("monitoring"), unit=Ref("word", case.option.counts))


def _watched_service(case: Case) -> Advice:
    rule = "ops.observability.serving" if case.option.counts == "token" else "ops.observability.serving-samples"
    why = "promised" if case.serving.promised else ""
    return advice(rule, "monitoring", *case.held("monitoring"), why=why)


def _watched_run(case: Case) -> Advice:
    least = Quantity(case.option.mfu.low, "share")
    if case.option.count == 1:
        return advice("ops.observability.training-alone", "monitoring", least=least)
    return advice("ops.observability.training", "monitoring", least=least, count=case.option.count)


_MONITORING: Final[PerKind[Callable[[Case], Advice]]] = {
    "run": _watched_run,
    "service": _watched_service,
    "batch": _watched_batch,
}
_WAITED_FOR: Final[PerKind[bool]] = {"run": False, "service": True, "batch": True}
"""Does an outage keep somebody waiting?"""


def _security(case: Case) -> Iterator[Advice]:
    for rule in sorted(case.rules):
        if rule in _SECURITY:
            yield advice(f"ops.security.{rule}", "security")
        else:
            yield advice("ops.security.other", "security", named=Typed(rule))
    residency = case.spec.constraints.residency
    if residency == "any":
        return
    offer, where = case.option.offer, Ref("word", f"residency.{residency}")
    places = list(dict.fromkeys(site.offer.region for site in case.option.sites))
    if offer is None:
        yield advice("ops.security.residency-own", "security", residency=where)
    elif len(places) > 1:
        here, there = (Ref("region", place) for place in places[:2])
        yield advice("ops.security.residency-sites", "security", residency=where, region=here, second=there)
    else:
        yield advice("ops.security.residency", "security", residency=where, region=Ref("region", offer.region))


def _staff(case: Case) -> Advice:
    """People who run it: priced on own hardware; on rented hardware said, since no invoice of the provider has them."""
    option = case.option
    if option.kind != "cloud":
        amount = next((line.amount for line in option.cost.model.lines if line.name == "staff"), 0.0)
        return advice("ops.staff.own", "operation", cost=Sum(amount))
    assume = case.assume
    share, year = assume["cost.platform_fte_share"], assume["onprem.usd_per_fte"]
    people = share * staff_of(option.nodes, assume)
    return advice(
        "ops.staff.rented",
        "operation",
        people=finding("people" if people > 1 else "people.part", people=people),
        time=Quantity(option.days.expected, "day"),
        cost=Sum(people * year * option.days.expected / 365.0),
        year=Sum(year),
        share=Quantity(share, "share"),
    )


def _cover(case: Case) -> Advice:
    """Who answers for it, in which hours, and what of the total that is."""
    asked = case.spec.operations
    amounts = {line.name: line.amount for line in case.option.cost.model.lines}
    if covered_by(asked) == "own":
        return advice(
            f"ops.cover.own-{asked.hours}",
            "operation",
            cost=Sum(amounts.get(COVER, 0.0)),
            people=amounts.get("cover_fte", 0.0),
        )
    return advice(f"ops.cover.managed-{asked.hours}", "operation", cost=Sum(amounts.get(COVER_MANAGED, 0.0)))


def _people(case: Case) -> Iterator[Advice]:
    yield _staff(case)
    promised = case.spec.operations.availability
    asked = case.spec.operations
    if asked.hours != "unstated":
        yield _cover(case)
    if _WAITED_FOR[case.kind] and promised >= _THREE_NINES and not asked.on_call and asked.hours != "24x7":
        outage = Quantity((1.0 - promised) * 30 * 24 * 3600.0, "s")
        yield advice("ops.on-call.needed", "operation", promised=Quantity(promised, "share"), outage=outage)
    checkpoint = case.option.checkpoint
    if checkpoint is not None and checkpoint.failures_expected >= 1:
        yield advice(
            "ops.restart.automatic",
            "operation",
            failures=checkpoint.failures_expected,
            between=Quantity(checkpoint.mtbf_h * 3600.0, "s"),
            count=case.option.count,
        )
