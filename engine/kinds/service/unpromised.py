"""How long requests may wait where no first token is promised: what a service is sized by instead."""

from __future__ import annotations

from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Quantity, finding


def longest_first(first: float, answer: float, assume: Assumptions, *, usual: float = 0.0) -> float:
    """Longest p95 to the first token [ms].

    `first` and `answer`: p95 of the first token and of the whole answer on an idle replica [ms]; `usual`: its mean whole
    answer, where that is another one.
    """
    patience = max(assume["serving.unpromised_wait_s"] * 1e3, assume["serving.unpromised_share"] * (usual or answer))
    return min(answer * assume["serving.unpromised_wait"], first + patience)


def unpromised(assume: Assumptions) -> Finding:
    """That nothing is promised, with the assumptions that stand in for the promise."""
    return finding(
        "warning.unpromised",
        free=Quantity(assume["serving.headroom"], "share"),
        wait=Quantity(assume["serving.unpromised_wait_s"], "s"),
        share=Quantity(assume["serving.unpromised_share"], "share"),
        answers=assume["serving.unpromised_wait"],
    )
