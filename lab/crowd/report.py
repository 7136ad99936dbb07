"""What the crowd saw, in numbers."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lab.crowd.person import Seen


@dataclass(frozen=True, kw_only=True)
class Round:
    """One kind of form under the crowd."""

    kind: str
    people: int
    seconds: float
    seen: Sequence[Seen]
    server_cpu_s: float
    core_wait_s: float
    own_cpu_s: float
    load_before: float
    load_after: float
    memory_mib: float


def figures(one: Round) -> dict[str, Any]:
    """Everything worth printing of a round; waits in milliseconds."""
    asked = [item for item in one.seen if item.what == "first"]
    return {
        "people": one.people,
        "seconds": round(one.seconds, 1),
        "changes": len(asked),
        **{what: waits(one.seen, what) for what in ("page", "first", "settled", "kept")},
        "settled_at_once": round(sum(item.at_once for item in asked) / max(len(asked), 1), 2),
        "not_feasible": sum(not item.feasible for item in asked),
        "faults": dict(Counter(item.fault for item in one.seen if item.fault)),
        "server_cpu_s": round(one.server_cpu_s, 1),
        "server_cpu_ms_per_change": round(one.server_cpu_s / max(len(asked), 1) * 1e3, 1),
        "core_wait_ms_per_change": round(one.core_wait_s / max(len(asked), 1) * 1e3, 1),
        "crowd_cpu_s": round(one.own_cpu_s, 1),
        "memory_mib": round(one.memory_mib),
        "load_average": [round(one.load_before, 2), round(one.load_after, 2)],
        "cores": os.cpu_count(),
    }


def brief(one: dict[str, Any], *, started_in_s: float, first_page_ms: int) -> dict[str, object]:
    """What other programs read of a round: the four figures that a change is judged by first, then the rest."""
    return {
        "first_number_p95_ms": one["first"].get("p95"),
        "last_number_p95_ms": one["settled"].get("p95"),
        "cpu_ms_per_change": one["server_cpu_ms_per_change"],
        "faults": sum(one["faults"].values()),
        "started_in_s": started_in_s,
        "first_page_ms": first_page_ms,
        **{key: value for key, value in one.items() if key != "faults"},
        "faults_by_kind": one["faults"],
    }


def waits(seen: Iterable[Seen], what: str) -> dict[str, float]:
    """Count, median, 95th percentile and the longest of one sort of wait [ms]."""
    found = np.array([item.seconds * 1e3 for item in seen if item.what == what])
    if not len(found):
        return {"count": 0}
    p50, p95 = np.percentile(found, (50, 95))
    return {"count": len(found), "p50": round(p50), "p95": round(p95), "max": round(found.max())}


def lines(kind: str, found: dict[str, Any]) -> list[str]:
    """The same for a reader."""
    words = {
        "page": "form opened",
        "first": "first number after a change",
        "settled": "last number of that change",
        "kept": "autosave",
    }
    said = [f"{kind}: {found['people']} people, {found['changes']} changes in {found['seconds']} s"]
    for what, label in words.items():
        item = found[what]
        if isinstance(item, dict) and item["count"]:
            said.append(
                f"  {label:28} p50 {item['p50']:6} ms  p95 {item['p95']:6} ms  longest {item['max']:6} ms  ({item['count']})"
            )
    said.append(
        f"  server {found['server_cpu_s']} CPU s ({found['server_cpu_ms_per_change']} ms a change), crowd "
        f"{found['crowd_cpu_s']} CPU s, memory {found['memory_mib']} MiB, load average {found['load_average']}, "
        f"{found['cores']} cores"
    )
    said.append(
        f"  ready, but without a core: {found['core_wait_ms_per_change']} ms a change (0 on a machine of its own)"
    )
    said.append(
        f"  settled by the first number: {found['settled_at_once']:.0%} of the changes (searched before, or quickly)"
    )
    said.append(f"  not feasible {found['not_feasible']}, faults {found['faults'] or 'none'}")
    return said
