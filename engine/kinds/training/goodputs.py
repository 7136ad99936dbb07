"""Which share of time is progress in each (source, layout) pair, as finalists have it: thousands of them while somebody types.

How a job fails and saves does not follow from how much work there is, so what one request has shown serves the next.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from engine.choice.select import Floats, Ints
from engine.context import Context
from engine.inputs.assumptions import Assumptions
from engine.kinds.training.best import FRAMEWORKS, Candidates, TrainingWork
from engine.reliability.checkpoints import LEAST_GOODPUT, job_of
from engine.reliability.saving import Pace, best_goodput, outlasts, pace_of
from engine.supply import Supplies, Supply

MOST = 20_000
"""Jobs that are remembered of one saved state: many searches of the whole market."""


Job = tuple[int, int, float, float, int, int]
"""What of a pair decides how it fails and saves: accelerators, those of a node, bandwidth of each into the network [byte/s], probability
that spot capacity is taken away within a month, instances that may be, and the place of the framework."""


@dataclass(kw_only=True)
class _Saved:
    """One job with what is progress at each step time, if its run outlasts the interval between saves."""

    pace: Pace
    shares: dict[float, float] = field(default_factory=dict)

    def share(self, step_s: float, run_hours: float) -> float:
        """What is progress with the best interval of whole steps."""
        if not outlasts(self.pace, step_s, run_hours):
            return best_goodput(self.pace, step_s, run_hours)
        if step_s not in self.shares:
            self.shares[step_s] = best_goodput(self.pace, step_s, run_hours)
        return self.shares[step_s]


@dataclass(kw_only=True)
class _Jobs:
    """All jobs that save one state."""

    found: dict[Job, _Saved] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.found)

    def of(self, job: Job, parameters: float, optimizer: str, assume: Assumptions) -> _Saved:
        """That one; the others are forgotten when there are too many."""
        if job not in self.found:
            if len(self.found) >= MOST:
                self.found.clear()
            self.found[job] = _Saved(pace=_pace(job, parameters, optimizer, assume))
        return self.found[job]


def _pace(job: Job, parameters: float, optimizer: str, assume: Assumptions) -> Pace:
    devices, per_node, nic, monthly, instances, framework = job
    described = job_of(
        parameters_saved=parameters,
        optimizer=optimizer,
        devices=devices,
        devices_per_node=per_node,
        nic_bandwidth_total=nic * devices,
        spot_probability_per_month=monthly,
        instances=instances,
        framework=FRAMEWORKS[framework],
    )
    return pace_of(described, assume)


def goodputs(
    context: Context,
    work: TrainingWork,
    supplies: Supplies,
    rows: Candidates,
    supply: Ints,
    row: Ints,
    *,
    parameters: float,
) -> Floats:
    """Share of time that is progress in pairs of that source and that layout; never below 2 %. Worked out once for all that are alike in
    it. `parameters`: whose state is saved."""
    taken: dict[tuple[float, int], int] = {}

    def terms(source: Supply) -> int:
        """Which of the ways in which its capacity is taken away."""
        offer = source.offer
        monthly = offer.interruption_per_month if offer else 0.0
        return taken.setdefault((monthly, offer.devices if offer and monthly else 0), len(taken))

    of_source = np.array([terms(source) for source in supplies.supplies], dtype=np.int64)
    codes, place = np.unique(row * max(len(taken), 1) + of_source[supply], return_inverse=True)
    at, how = np.divmod(codes, max(len(taken), 1))
    columns = (rows.count, rows.framework, rows.cluster, rows.step_time_s, rows.run_time_s)
    asked = zip(how.tolist(), *(values[at].tolist() for values in columns), strict=True)
    ways = list(taken)
    with context.known.growing(("saved", parameters, work.optimizer, context.assume), _Jobs) as known:
        shares = []
        for way, devices, framework, cluster, step_s, run_s in asked:
            monthly, each = ways[way]
            where = supplies.clusters[cluster]
            held = -(-devices // each) if each else 1
            job = (devices, where.devices_per_node, where.nic_bandwidth, monthly, held, framework)
            saved = known.of(job, parameters, work.optimizer, context.assume)
            shares.append(saved.share(step_s, run_s / 3600.0))
    found: Floats = np.maximum(np.array(shares, dtype=float), LEAST_GOODPUT)[place]
    return found
