"""How much was looked at and how much was left out, in the same words on the page and in every document.

What is counted differs by reason: layouts that do not fit, offers that are not allowed, accelerators that cannot be
planned with. Numbers of different things are never added up.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.answer import Glance, Recommendation, Rejection
from engine.inputs.spec import Spec

_OFFERS = frozenset({"air_gapped", "provider", "region", "residency", "spot", "spot_serving", "commitment"})
_ACCELERATORS = frozenset({"accelerator", "not_plannable", "no_training", "software", "no_price"})
_CLUSTERS = frozenset({"engine", "no_layout", "not_for_training", "precision", "framework"})
_KINDS = ("layout", "cluster", "offer", "accelerator")
_OF_SAMPLES = ("too slow even for a single sample", "the model does not fit into one accelerator")


def computed(answer: Recommendation | Glance, spec: Spec) -> str:
    """“131,932 layouts fit into memory and were timed”; of a service “3,909 layouts were computed”."""
    if not answer.searched:
        return nothing_computed(tried(answer, spec))
    count = _plural(answer.searched, "layout")
    verb = "was" if answer.searched == 1 else "were"
    if spec.workload == "training":
        return f"{count} {'fits' if answer.searched == 1 else 'fit'} into memory and {verb} timed"
    return f"{count} {verb} computed"


def nothing_computed(layouts: int) -> str:
    """Why no layout was timed: each one that was tried is too large, or there was nothing to try one on."""
    if not layouts:
        return "No accelerator is left on which a layout could be tried"
    return f"{_plural(layouts, 'layout')} {'was' if layouts == 1 else 'were'} tried, and none fits into memory"


def tried(answer: Recommendation | Glance, spec: Spec) -> int:
    """Layouts that were looked at: those of a training run that do not fit are counted apart from those that were timed."""
    rejected = answer.rejected if isinstance(answer, Recommendation) and spec.workload == "training" else ()
    return answer.searched + sum(item.count for item in rejected if item.code == "memory")


def left_out(rejected: Iterable[Rejection]) -> str:
    """“356,337 layouts, 300 offers and 26 accelerators”; empty when nothing was."""
    sums: dict[str, int] = {}
    for item in rejected:
        sums[kind_of(item)] = sums.get(kind_of(item), 0) + item.count
    words = [_plural(sums[kind], kind) for kind in _KINDS if sums.get(kind)]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def counted(item: Rejection) -> str:
    """“356,337 layouts”: how many of what one reason left out."""
    return _plural(item.count, kind_of(item))


def kind_of(item: Rejection) -> str:
    """What the count of that reason counts: layout, cluster, offer or accelerator."""
    if item.code in _OFFERS:
        return "offer"
    if item.code in _ACCELERATORS:
        return "accelerator"
    if item.code in _CLUSTERS or item.reason in _OF_SAMPLES:
        return "cluster"
    return "layout"


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
