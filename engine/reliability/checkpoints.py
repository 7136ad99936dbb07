"""How often to save, and what failures cost: the checkpoint plan of one training job.

Two kinds of failure: hardware, which grows with the number of accelerators, and everything else, which does not. Spot
reclamation adds a third. The interval is the exact optimum (Lambert W), rounded to whole steps.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from engine.answer import Checkpoint, Estimate, intervals_around
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.inputs.origin import SET_IN_PLAN
from engine.reliability.assumptions import FLEETS, RELIABILITY_ASSUMPTIONS
from engine.reliability.corruption import DELAY, RATE, corrupted_share
from engine.reliability.formulas import (
    CannotProgress,
    asynchronous,
    daly,
    ettr_meta,
    exact_optimum,
    mtbf,
    positive,
    spares_needed,
    two_level,
    young,
)
from engine.reliability.saving import (
    Job,
    Pace,
    differential,
    in_background,
    interval_steps,
    job_failures_per_h,
    kept_bytes,
    pace_of,
    ways,
)
from engine.reliability.writers import background_writer

__all__ = [
    "FLEETS",
    "RELIABILITY_ASSUMPTIONS",
    "CannotProgress",
    "Saving",
    "asynchronous",
    "checkpoint_bytes",
    "checkpoint_plan",
    "daly",
    "ettr_meta",
    "exact_optimum",
    "job_failures_per_h",
    "mtbf",
    "saving_of",
    "spare_nodes",
    "spares_needed",
    "two_level",
    "young",
]

CHECKPOINT_BYTES: Mapping[str, float] = {"adamw": 14.0, "adam8bit": 8.0, "adafactor": 6.0, "sgd": 10.0}
"""Bytes saved per trained parameter: BF16 weight 2, FP32 master 4, and the optimizer's state: Adam 8, 8-bit Adam 2,
Adafactor almost nothing (a row and a column of each matrix), SGD with momentum 4. Gradients are not saved."""

LEAST_GOODPUT = 0.02
"""Below this share of progress a job is said not to progress at all."""

_WORTH = 0.002
"""Gain in the share of time from which another way of saving is named."""

_HOST_DEVICES = 8

_BECAUSE = tuple(
    f"reliability.{name}"
    for name in ("device_mtbf_h", "job_hazard_per_h", "small_job_hazard_per_h", "restart_s", "storage_write_per_node")
)
_SPOT_BECAUSE = ("reliability.spot_burst", "reliability.spot_reacquire_s")


def checkpoint_bytes(parameters: float, *, optimizer: str) -> float:
    """Size of a resumable checkpoint of so many trained parameters [byte]. ValueError names an unknown optimizer."""
    if optimizer not in CHECKPOINT_BYTES:
        raise ValueError(
            f"There is no checkpoint size for the optimizer “{optimizer}”: use one of {', '.join(CHECKPOINT_BYTES)}."
        )
    return parameters * CHECKPOINT_BYTES[optimizer]


@dataclass(frozen=True, kw_only=True)
class Saving:
    """When one job saves, and how much of its time is progress then: all that its days and its money follow from."""

    job: Job
    pace: Pace
    step_time_s: float
    run_hours: float
    """Without failures."""
    interval_steps: int
    goodput: Estimate
    storage_gb: float
    """Of the checkpoints that are kept."""

    @property
    def interval_s(self) -> float:
        """Between two saves [s]."""
        return self.interval_steps * self.step_time_s

    @property
    def wall_hours(self) -> float:
        """The run with its failures and saves [h]."""
        return self.run_hours / self.goodput.expected

    @property
    def lost_accelerator_hours(self) -> float:
        """Accelerator-hours that are no progress."""
        return self.job.devices * self.wall_hours * (1.0 - self.goodput.expected)


def job_of(
    *,
    parameters_saved: float,
    optimizer: str,
    devices: int,
    devices_per_node: int,
    nic_bandwidth_total: float,
    spot_probability_per_month: float,
    instances: int,
    storage_bandwidth: float = 0.0,
    framework: str = "",
) -> Job:
    """What the saving of one job depends on; see `saving_of`."""
    return Job(
        size_bytes=checkpoint_bytes(positive("The number of parameters saved", parameters_saved), optimizer=optimizer),
        devices=devices,
        nodes=max(1, math.ceil(devices / max(1, devices_per_node))),
        nic_bandwidth_total=nic_bandwidth_total,
        storage_bandwidth=storage_bandwidth,
        spot_probability_per_month=spot_probability_per_month,
        instances=instances,
        writer=background_writer(framework),
    )


def saving_of(
    *,
    parameters_saved: float,
    optimizer: str,
    devices: int,
    devices_per_node: int,
    nic_bandwidth_total: float,
    step_time_s: float,
    run_hours: float,
    spot_probability_per_month: float,
    instances: int,
    assume: Assumptions,
    checkpoints_kept: int = 3,
    storage_bandwidth: float = 0.0,
    framework: str = "",
) -> Saving:
    """Interval, goodput and storage of one job.

    `parameters_saved` are the trained ones: all of them (every expert), or the adapters alone for `lora` and `qlora`.
    `nic_bandwidth_total` is that of all nodes together [byte/s], 0 = unknown; `storage_bandwidth` [byte/s] replaces the
    assumption when known; `run_hours` is the run without failures; `framework` decides whether training has to wait for storage ("" =
    it has). CannotProgress when less than 2 % of time is progress.
    """
    positive("The step time", step_time_s)
    positive("The length of the run", run_hours)
    job = job_of(
        parameters_saved=parameters_saved,
        optimizer=optimizer,
        devices=devices,
        devices_per_node=devices_per_node,
        nic_bandwidth_total=nic_bandwidth_total,
        spot_probability_per_month=spot_probability_per_month,
        instances=instances,
        storage_bandwidth=storage_bandwidth,
        framework=framework,
    )
    pace = pace_of(job, assume)
    steps = interval_steps(pace, step_time_s, run_hours)
    share = _goodput(job, assume, steps * step_time_s)
    if share.expected < LEAST_GOODPUT:
        raise CannotProgress
    return Saving(
        job=job,
        pace=pace,
        step_time_s=step_time_s,
        run_hours=run_hours,
        interval_steps=steps,
        goodput=share,
        storage_gb=kept_bytes(job.size_bytes, kept_of(checkpoints_kept, steps * step_time_s, run_hours), assume) / 1e9,
    )


def checkpoint_plan(saving: Saving, *, method: str, assume: Assumptions, provider: str = "") -> Checkpoint:
    """That saving described: size, loss curve, other ways, and what to do."""
    job, pace, share = saving.job, saving.pace, saving.goodput
    plan = Checkpoint(
        interval_s=saving.interval_s,
        interval_steps=saving.interval_steps,
        size_gb=job.size_bytes / 1e9,
        write_s=pace.write_s,
        goodput=share,
        mtbf_h=pace.mtbf_s / 3600.0,
        failures_expected=saving.wall_hours * 3600.0 / pace.mtbf_s,
        lost_share=1.0 - share.expected,
        storage_gb=saving.storage_gb,
        losses=_losses(pace, saving.interval_s),
        way="background" if in_background(job, assume) else "waiting",
        near_interval_s=pace.near_interval_s,
        full_every=int(assume["reliability.full_every"]) if assume["reliability.delta_share"] < 1.0 else 1,
        write_bandwidth=job.size_bytes * differential(assume)[0] / pace.write_s,
        lost_accelerator_hours=saving.lost_accelerator_hours,
        ways=ways(job, assume, step_time_s=saving.step_time_s, run_hours=saving.run_hours),
    )
    return replace(
        plan,
        told=_told(
            plan,
            pace,
            adapters=method in ("lora", "qlora"),
            once=kept_of(2, saving.interval_s, saving.run_hours) == 1,
            notice=notice_s(provider, assume),
            how=(*_how(plan, job, assume), *_unnoticed(plan, job, assume)),
        ),
    )


def kept_of(wanted: int, interval_s: float, run_hours: float) -> int:
    """How many of the wanted checkpoints there are to keep: a short run does not save so often."""
    return max(1, min(wanted, round(run_hours * 3600.0 / interval_s))) if interval_s > 0 else wanted


def spare_nodes(nodes: int, devices_per_node: int, assume: Assumptions) -> int:
    """Spare nodes that a cluster should hold so that it is whole 99 % of the time; 0 where one or none is expected.

    A slice or rack of more than eight accelerators is repaired by its own spare hosts and needs none here.
    """
    if devices_per_node > _HOST_DEVICES:
        return 0
    node_mtbf = assume["reliability.device_mtbf_h"] / max(1, devices_per_node)
    needed = spares_needed(nodes, mtbf=node_mtbf, repair=assume["reliability.repair_h"])
    return needed if needed > 1 else 0


def _goodput(job: Job, assume: Assumptions, interval: float) -> Estimate:
    """Progress as a share of wall time; the band adds the effect of each assumption at its ends in squares."""
    expected = pace_of(job, assume).goodput(interval)
    below = above = 0.0
    names = _BECAUSE + (_SPOT_BECAUSE if job.spot_probability_per_month else ())
    for name in names:
        for end in assume.ends(name):
            change = pace_of(job, end).goodput(interval) - expected
            below, above = below + min(change, 0.0) ** 2, above + max(change, 0.0) ** 2
    low = max(expected - math.sqrt(below), expected / 4.0)
    return Estimate(low=low, expected=expected, high=min(1.0, expected + math.sqrt(above)), unit="", because=names)


def _losses(pace: Pace, interval: float) -> tuple[float, ...]:
    """Share of time lost from a sixteenth to sixteen times the chosen interval [s]."""
    return tuple(1.0 - pace.goodput(one) for one in intervals_around(interval, 33))


def _told(
    plan: Checkpoint, pace: Pace, *, adapters: bool, once: bool, notice: float, how: Iterable[Finding]
) -> tuple[Finding, ...]:
    """What to save and when, what that loses, `how` it is saved, and whatever is not plain about it."""
    what = "checkpoint.adapters" if adapters else "checkpoint.state"
    hours = plan.lost_accelerator_hours
    state = finding(
        f"{what}.once" if once else what,
        size=Quantity(plan.size_gb * 1e9, "byte"),
        write=_span(pace.write_s),
        interval=_span(plan.interval_s),
        steps=plan.interval_steps,
    )
    lost = finding(
        "checkpoint.lost",
        between=_span(pace.mtbf_s),
        lost=Quantity(plan.lost_share, "share"),
        hours=round(hours) if hours >= 0.95 else round(max(hours, 0.1), 1),
    )
    spot = (_notice(pace, notice),) if pace.spot_share else ()
    return (state, lost, *how, *(() if adapters else _others(plan)), *spot)


def _how(plan: Checkpoint, job: Job, assume: Assumptions) -> Iterator[Finding]:
    """Whether training has to wait, and by what it need not; copies and differences where there are any."""
    if plan.way == "background":
        yield finding("checkpoint.background")
        if job.writer:
            yield finding("checkpoint.background.by", writer=Ref("software", job.writer))
    elif assume["reliability.asynchronous"] >= 0.5:
        yield finding("checkpoint.waits")
    if plan.near_interval_s:
        yield finding("checkpoint.near", interval=_span(plan.near_interval_s))
    if plan.full_every > 1:
        yield finding("checkpoint.partial", every=plan.full_every)


def _unnoticed(plan: Checkpoint, job: Job, assume: Assumptions) -> Iterator[Finding]:
    """What silent corruption costs, and that a checkpoint from before it must be there, where that is worth a line."""
    lost = corrupted_share(job.devices, assume)
    if lost is not None:
        yield finding(
            "checkpoint.corruption",
            between=_span(assume[RATE] / job.devices * 3600.0),
            delay=_span(assume[DELAY] * 3600.0),
            lost=Quantity(lost.expected, "share"),
            back=math.ceil(assume[DELAY] * 3600.0 / plan.interval_s) + 1,
        )


def _others(plan: Checkpoint) -> tuple[Finding, ...]:
    """What other ways of saving would lose, where that is worth a word."""
    better = [way for way in plan.ways if not way.chosen and way.lost_share < plan.lost_share - _WORTH]
    said = tuple(
        finding("checkpoint.way", way=Ref("word", f"way.{way.key}"), lost=Quantity(way.lost_share, "share"))
        for way in better
    )
    return (finding("checkpoint.others", ways=said),) if said else ()


def _span(seconds: float) -> Quantity:
    return Quantity(seconds, "s")


def notice_s(provider: str, assume: Assumptions) -> float:
    """Seconds between the announcement and the end of a spot instance: as set in the request, else two minutes at AWS
    and the shortest of the range elsewhere (Google Cloud and Azure announce 30 s; others promise less or nothing)."""
    item = assume.get("reliability.spot_notice_s")
    if item.source == SET_IN_PLAN:
        return item.value
    return item.high if provider == "aws" else item.low


def _notice(pace: Pace, notice: float) -> Finding:
    code = "checkpoint.notice" if pace.write_s <= notice else "checkpoint.notice.short"
    return finding(code, notice=_span(notice))
