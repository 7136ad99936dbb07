"""The ways to save a job's state: training waits, it is written in the background, or a neighbour holds a copy as well;
each checkpoint full, or only what changed. How long each blocks, and what a failure then costs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from engine.answer import Way
from engine.inputs.assumptions import Assumptions
from engine.inputs.origin import SET_IN_PLAN
from engine.reliability.formulas import exact_optimum, goodput, job_hazard, mtbf, spot_hazard, young

WAYS = {
    "waiting": {"reliability.asynchronous": 0.0, "reliability.two_level": 0.0},
    "background": {"reliability.asynchronous": 1.0, "reliability.two_level": 0.0},
    "two_level": {"reliability.asynchronous": 1.0, "reliability.two_level": 1.0},
}
"""Each way and the assumptions that choose it: training stands still until storage has the state; it is written in the
background; another node's memory holds a copy as well."""

_MANY_STEPS = 16
"""Of an interval of so many, half a step more or less changes what is lost by less than a thousandth."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """What saving depends on, apart from assumptions."""

    size_bytes: float
    devices: int
    nodes: int
    nic_bandwidth_total: float
    storage_bandwidth: float
    spot_probability_per_month: float
    instances: int
    writer: str = ""
    """What of its framework writes while training goes on; empty where nothing does."""


@dataclass(frozen=True, kw_only=True)
class Near:
    """Copies in another node's memory: time to make one, time to recover from it [s], share of failures it is good for."""

    write_s: float
    restart_s: float
    share: float


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Times that decide the interval [s]: blocked per save, whole save, between failures, and after one."""

    blocked_s: float
    write_s: float
    mtbf_s: float
    restart_s: float
    spot_share: float
    near: Near | None = None

    @property
    def far_mtbf_s(self) -> float:
        """Between failures that only storage recovers from [s]."""
        return self.mtbf_s / (1.0 - self.near.share) if self.near else self.mtbf_s

    @property
    def near_interval_s(self) -> float:
        """Between copies into another node's memory [s]; 0 without them."""
        return young(self.near.write_s, self.mtbf_s / self.near.share) if self.near else 0.0

    @property
    def least_s(self) -> float:
        """A background write must end before the next begins [s]."""
        return self.write_s if self.blocked_s < self.write_s else 0.0

    def goodput(self, interval_s: float) -> float:
        """Share of time that is progress with that interval between saves to storage; the two levels multiply."""
        far = goodput(interval_s, write=self.blocked_s, mtbf=self.far_mtbf_s, restart=self.restart_s)
        if self.near is None:
            return far
        return far * goodput(
            self.near_interval_s,
            write=self.near.write_s,
            mtbf=self.mtbf_s / self.near.share,
            restart=self.near.restart_s,
        )

    @cached_property
    def optimum_s(self) -> float:
        """The best interval of the exact model [s]."""
        return max(exact_optimum(self.blocked_s, self.far_mtbf_s), self.least_s)

    @cached_property
    def best(self) -> float:
        """Share of time that is progress with that interval."""
        return self.goodput(self.optimum_s)


def job_failures_per_h(devices: float, assume: Assumptions) -> float:
    """Failures of a job per hour without spot reclamation: hardware by the number of devices, and the job's own term."""
    own = job_hazard(
        devices, small=assume["reliability.small_job_hazard_per_h"], large=assume["reliability.job_hazard_per_h"]
    )
    return 1.0 / mtbf(devices, device_mtbf=assume["reliability.device_mtbf_h"], job_hazard=own)


def in_background(job: Job, assume: Assumptions) -> bool:
    """Is it written while training goes on? By itself wherever the framework can; where it cannot, only if the request says so, or
    asks for copies in a neighbour's memory, which takes such an engine too."""
    item = assume.get("reliability.asynchronous")
    brought = item.source == SET_IN_PLAN or assume["reliability.two_level"] >= 0.5
    return item.value >= 0.5 and (bool(job.writer) or brought)


def pace_of(job: Job, assume: Assumptions) -> Pace:
    """The times of that job by the assumptions."""
    written, loaded = differential(assume)
    full_s = job.size_bytes / bandwidth(job, assume)
    copy_s = job.size_bytes / (job.devices * assume["reliability.device_to_host"])
    write_s = written * max(copy_s, full_s)
    hardware = job_failures_per_h(job.devices, assume)
    reclaimed = spot_hazard(
        job.spot_probability_per_month, instances=job.instances, burst=assume["reliability.spot_burst"]
    )
    spot_share = reclaimed / (hardware + reclaimed)
    wait = spot_share * assume["reliability.spot_reacquire_s"]
    background = in_background(job, assume)
    return Pace(
        blocked_s=written * copy_s if background else write_s,
        write_s=write_s,
        mtbf_s=3600.0 / (hardware + reclaimed),
        # A checkpoint in the background counts only once it is written, so a failure loses that much more.
        restart_s=assume["reliability.restart_s"]
        + wait
        + loaded * max(copy_s, full_s)
        + (write_s if background else 0.0),
        spot_share=spot_share,
        near=_near(job, assume, copy_s=copy_s, wait_s=wait),
    )


def _near(job: Job, assume: Assumptions, *, copy_s: float, wait_s: float) -> Near | None:
    """Copies to a neighbour, where they are chosen and there is a neighbour with a known network."""
    if assume["reliability.two_level"] < 0.5 or job.nodes < 2 or job.nic_bandwidth_total <= 0:
        return None
    # The device waits for the copy to its own host; the way on to the neighbour runs beside the training.
    return Near(
        write_s=copy_s,
        restart_s=assume["reliability.near_restart_s"] + wait_s + job.size_bytes / job.nic_bandwidth_total,
        share=assume["reliability.near_share"],
    )


def differential(assume: Assumptions) -> tuple[float, float]:
    """Mean size of a checkpoint, and mean amount read after a failure, each over that of a full one."""
    share, every = assume["reliability.delta_share"], assume["reliability.full_every"]
    if share >= 1.0:
        return 1.0, 1.0
    return (1.0 + (every - 1.0) * share) / every, 1.0 + (every - 1.0) / 2.0 * share


def kept_bytes(size_bytes: float, kept: int, assume: Assumptions) -> float:
    """Storage of so many full checkpoints, and of the differential ones after the newest."""
    share, every = assume["reliability.delta_share"], assume["reliability.full_every"]
    return size_bytes * (kept + ((every - 1.0) * share if share < 1.0 else 0.0))


def bandwidth(job: Job, assume: Assumptions) -> float:
    """Bytes per second into shared storage: the narrowest of storage, its nodes and their network."""
    storage = job.storage_bandwidth or min(
        job.nodes * assume["reliability.storage_write_per_node"], assume["reliability.storage_write_cap"]
    )
    return min(storage, job.nic_bandwidth_total) if job.nic_bandwidth_total > 0 else storage


def best_goodput(pace: Pace, step_time_s: float, run_hours: float) -> float:
    """Share of time that is progress with the best interval of whole steps; of many steps, that of the optimum itself."""
    if step_time_s * _MANY_STEPS <= pace.optimum_s <= run_hours * 3600.0:
        return pace.best
    return pace.goodput(interval_steps(pace, step_time_s, run_hours) * step_time_s)


def outlasts(pace: Pace, step_time_s: float, run_hours: float) -> bool:
    """Does the run last longer than every interval that comes into question, so that its length decides nothing?"""
    if step_time_s * _MANY_STEPS <= pace.optimum_s:
        return pace.optimum_s <= run_hours * 3600.0
    most = math.ceil(run_hours * 3600.0 / step_time_s)
    return max(1, math.floor(pace.optimum_s / step_time_s)) < most


def interval_steps(pace: Pace, step_time_s: float, run_hours: float) -> int:
    """Whole steps between saves: the better neighbour of the optimum, at least one and at most the run."""
    most = max(1, math.ceil(run_hours * 3600.0 / step_time_s))
    below = min(max(1, math.floor(pace.optimum_s / step_time_s)), most)
    above = min(below + 1, most)
    return max((below, above), key=lambda steps: pace.goodput(steps * step_time_s))


def ways(job: Job, assume: Assumptions, *, step_time_s: float, run_hours: float) -> tuple[Way, ...]:
    """The job saved in each way that it can be, at the best interval of each."""
    now = {
        "reliability.asynchronous": float(in_background(job, assume)),
        "reliability.two_level": assume["reliability.two_level"],
    }
    found = []
    for key, chosen in WAYS.items():
        pace = pace_of(job, assume.override(chosen))
        if key == "two_level" and pace.near is None:
            continue
        interval = interval_steps(pace, step_time_s, run_hours) * step_time_s
        found.append(
            Way(
                key=key,
                interval_s=interval,
                lost_share=1.0 - pace.goodput(interval),
                chosen=now == chosen,
            )
        )
    return tuple(found)
