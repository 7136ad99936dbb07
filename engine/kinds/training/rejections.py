"""Why candidates were left out, counted by reason, with the nearest miss in one sentence."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine.answer import Rejection
from engine.inputs.hardware import Cluster
from engine.kinds.training.space import RECOMPUTE, Grid
from engine.kinds.training.work import TrainingWork, frameworks, precisions

LAYOUT_LABELS = (
    ("TP", "tp"),
    ("PP", "pp"),
    ("CP", "cp"),
    ("EP", "ep"),
    ("DP", "dp"),
    ("ZeRO", "zero"),
    ("micro-batch", "micro_batch"),
)


@dataclass
class Tally:
    """Collects what a search leaves out."""

    work: TrainingWork
    counts: dict[str, int] = field(default_factory=dict)
    nearest: dict[str, str] = field(default_factory=dict)
    over: float = np.inf

    def may_train(self, cluster: Cluster) -> bool:
        """Can this hardware and software train the workload at all? If not, the reason is noted."""
        device = cluster.device
        if not (device.trains and device.plannable):
            return self._no("not_for_training", f"{device.name}: {device.why_not_plannable or 'sold for inference'}.")
        if not precisions(self.work, device):
            return self._no("precision", f"{device.name} has no {self.work.precision.upper()} matrix units.")
        if not frameworks(self.work, device):
            return self._no("framework", _no_framework(self.work, device.name))
        return True

    def _no(self, code: str, sentence: str) -> bool:
        self.counts[code] = self.counts.get(code, 0) + 1
        self.nearest.setdefault(code, sentence)
        return False

    def memory(self, cluster: Cluster, options: Grid, total: NDArray[np.float64], capacity: float, able: int) -> None:
        """Note how many candidates do not fit where `able` do; where none does, the one that misses by least."""
        if not len(options):
            change = "change the fixed layout or the batch"
            self._no("no_layout", f"{cluster.device.name}: no layout of this model and batch divides; {change}.")
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

    def rejections(self) -> tuple[Rejection, ...]:
        """One entry for each reason."""
        text = {
            "memory": "does not fit into accelerator memory",
            "not_for_training": "the accelerator is not offered for training",
            "precision": "the accelerator lacks the precision",
            "framework": "no framework for this work runs there",
            "no_layout": "no layout divides the model, the batch and the accelerators",
        }
        return tuple(
            Rejection(
                code=code,
                reason=text[code],
                count=count,
                nearest=self.nearest.get(code, "Other layouts of the same hardware fit."),
            )
            for code, count in sorted(self.counts.items())
        )


def _no_framework(work: TrainingWork, device: str) -> str:
    """Why no framework trains that work there."""
    if work.framework in ("auto", "any"):
        return f"No framework that trains {work.arch.name} on {device} is known here."
    return f"{work.framework} does not train {work.arch.name} on {device}: leave the framework open."


def _miss(cluster: Cluster, options: Grid, place: int, need: float, capacity: float) -> str:
    """One sentence about one candidate that is too big."""

    def at(name: str) -> int:
        return int(np.broadcast_to(getattr(options.spread, name), len(options))[place])

    again = RECOMPUTE[int(options.recompute[place])]
    layout = ", ".join(f"{label} {at(name)}" for label, name in LAYOUT_LABELS)
    count, name = int(options.spread.ranks[place]), cluster.device.name
    sizes = f"needs {need / 1e9:,.1f} GB of {capacity / 1e9:,.1f} GB usable per accelerator"
    return f"{count:,} × {name}: {sizes} at {layout}, recompute {again}."
