"""Why candidates were left out, counted by reason, with the nearest miss."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.answer import Rejection
from engine.inputs.finding import Finding, Quantity, Ref, Typed, finding
from engine.inputs.hardware import Cluster, Device
from engine.inputs.named import device_ref
from engine.kinds.training.space import RECOMPUTE, Grid
from engine.kinds.training.work import TrainingWork, frameworks, precisions

_LAYOUT = ("tp", "pp", "cp", "ep", "dp", "zero", "micro_batch")
"""What names a layout beside its number of accelerators."""


@dataclass
class Tally:
    """Collects what a search leaves out."""

    work: TrainingWork
    counts: dict[str, int] = field(default_factory=dict)
    nearest: dict[str, Finding] = field(default_factory=dict)
    over: float = np.inf

    def may_train(self, cluster: Cluster) -> bool:
        """Can this hardware and software train the workload at all? If not, the reason is noted."""
        device = cluster.device
        if not (device.trains and device.plannable):
            why = (
                Typed(device.why_not_plannable.rstrip("."))
                if device.why_not_plannable
                else Ref("word", "for_inference")
            )
            return self._no("not_for_training", finding("example.because", accelerator=device_ref(device), why=why))
        if not precisions(self.work, device):
            lacks = finding(
                "example.precision", accelerator=device_ref(device), precision=Ref("precision", self.work.precision)
            )
            return self._no("precision", lacks)
        if not frameworks(self.work, device):
            return self._no("framework", _no_framework(self.work, device))
        return True

    def _no(self, code: str, example: Finding) -> bool:
        self.counts[code] = self.counts.get(code, 0) + 1
        self.nearest.setdefault(code, example)
        return False

    def memory(self, cluster: Cluster, options: Grid, total: NDArray[np.float64], capacity: float, able: int) -> None:
        """Note how many candidates do not fit where `able` do; where none does, the one that misses by least."""
        if not len(options):
            self._no("no_layout", self._without(cluster))
            return
        missed = len(options) - int(able)
        if not missed:
            return
        self.counts["memory"] = self.counts.get("memory", 0) + missed
        if missed < len(options):
            return
        place = int(np.argmin(total))
        ratio = float(total[place]) / capacity
        if ratio >= self.over:
            return
        self.over = ratio
        self.nearest["memory"] = _miss(cluster, options, place, float(total[place]), capacity)

    def _without(self, cluster: Cluster) -> Finding:
        """Why no layout exists there: more are asked than can be joined, or nothing divides."""
        asked, accelerator = self.work.fixed.count, device_ref(cluster.device)
        if asked > cluster.poolable:
            return finding("example.not_joined", accelerator=accelerator, count=asked, most=cluster.poolable)
        return finding("example.no_layout", accelerator=accelerator)

    def rejections(self) -> tuple[Rejection, ...]:
        """One entry for each reason."""
        return tuple(
            Rejection(
                code=code,
                reason=Finding(f"left_out.{code}"),
                count=count,
                nearest=self.nearest.get(code, Finding("example.others_fit")),
            )
            for code, count in sorted(self.counts.items())
        )


def _no_framework(work: TrainingWork, device: Device) -> Finding:
    """Why no framework trains that work there."""
    model, accelerator = Ref("model", work.arch.slug, work.arch.name), device_ref(device)
    if work.framework in ("auto", "any"):
        return finding("example.no_framework", model=model, accelerator=accelerator)
    framework = Ref("software", work.framework)
    return finding("example.framework", framework=framework, model=model, accelerator=accelerator)


def _miss(cluster: Cluster, options: Grid, place: int, need: float, capacity: float) -> Finding:
    """One candidate that is too big."""

    def at(name: str) -> int:
        return int(np.broadcast_to(getattr(options.spread, name), len(options))[place])

    return finding(
        "example.too_large",
        count=int(options.spread.ranks[place]),
        accelerator=device_ref(cluster.device),
        need=Quantity(need, "byte"),
        room=Quantity(capacity, "byte"),
        recompute=Ref("word", f"recompute.{RECOMPUTE[int(options.recompute[place])]}"),
        **{name: at(name) for name in _LAYOUT},
    )
