"""How much was looked at and how much was left out, in the same words on the page and in every document.

What is counted differs by reason: layouts that do not fit, offers that are not allowed, accelerators that cannot be
planned with. Numbers of different things are never added up.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.answer import Glance, Recommendation, Rejection
from engine.inputs.finding import Finding, finding
from engine.inputs.spec import Spec
from planner.asked.kinds import WORK

_OFFERS = frozenset(
    {
        "air_gapped", "provider", "region", "residency", "spot", "spot_serving", "commitment", "capacity_block",
        "scheduler", "health_data", "not_adequate", "place_unknown",
        "certificate_unknown", "certificate_elsewhere", "certificate_pending",
    }
)  # fmt: skip
_ACCELERATORS = frozenset({"accelerator", "not_plannable", "no_training", "software", "no_price"})
_CLUSTERS = frozenset({"engine", "no_layout", "not_for_training", "precision", "framework"})
_KINDS = ("layout", "cluster", "offer", "accelerator")
_OF_SAMPLES = frozenset({"left_out.latency.samples", "left_out.memory.samples"})


def computed(answer: Recommendation | Glance, spec: Spec) -> Finding:
    """“131,932 layouts fit into memory and were timed”; of a service “3,909 layouts were computed”."""
    if answer.searched:
        return finding(WORK[spec.kind].searched, layouts=answer.searched)
    layouts = tried(answer, spec)
    return finding("searched.none_fits", layouts=layouts) if layouts else finding("searched.nothing")


def checked(answer: Recommendation) -> Finding | None:
    """What came of holding the choice against others drawn at random; None in plans from before that was done."""
    held = answer.checked
    if held is None:
        return None
    if not held.alternatives:
        return finding("checked.nothing")
    code = "checked.taken" if held.better else "checked.none"
    return finding(code, others=held.alternatives, **({"better": held.better} if held.better else {}))


def tried(answer: Recommendation | Glance, spec: Spec) -> int:
    """Layouts that were looked at: those of a training run that do not fit are counted apart from those that were timed."""
    rejected = answer.rejected if isinstance(answer, Recommendation) else ()
    return answer.searched + WORK[spec.kind].unfit(rejected)


def left_out(rejected: Iterable[Rejection]) -> Finding | None:
    """“356,337 layouts, 300 offers and 26 accelerators”; None when nothing was."""
    counts = tuple(finding(f"counted.{kind}", count=count) for kind, count in _sums(rejected).items())
    return finding("left_out_in_all", counts=counts) if counts else None


def counted(item: Rejection) -> Finding:
    """“356,337 layouts”: how many of what one reason left out."""
    return finding(f"counted.{kind_of(item)}", count=item.count)


def is_all_of_its_kind(item: Rejection, rejected: Iterable[Rejection]) -> bool:
    """Does that reason account for everything of its kind that was left out?"""
    return _sums(rejected).get(kind_of(item)) == item.count


def _sums(rejected: Iterable[Rejection]) -> dict[str, int]:
    """How much was left out, by what is counted."""
    sums = dict.fromkeys(_KINDS, 0)
    for item in rejected:
        sums[kind_of(item)] += item.count
    return {kind: count for kind, count in sums.items() if count}


def kind_of(item: Rejection) -> str:
    """What the count of that reason counts: layout, cluster, offer or accelerator."""
    if item.code in _OFFERS:
        return "offer"
    if item.code in _ACCELERATORS:
        return "accelerator"
    if item.code in _CLUSTERS or item.reason.code in _OF_SAMPLES:
        return "cluster"
    return "layout"
