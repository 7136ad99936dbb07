"""How long requests may wait where no first token is promised: what a service is sized by instead."""

from __future__ import annotations

from engine.inputs.assumptions import Assumptions


def longest_first(first: float, answer: float, assume: Assumptions, *, usual: float = 0.0) -> float:
    """Longest p95 to the first token [ms].

    `first` and `answer`: p95 of the first token and of the whole answer on an idle replica [ms]; `usual`: its mean whole
    answer, where that is another one.
    """
    patience = max(assume["serving.unpromised_wait_s"] * 1e3, assume["serving.unpromised_share"] * (usual or answer))
    return min(answer * assume["serving.unpromised_wait"], first + patience)


def unpromised_words(assume: Assumptions) -> str:
    """Says so, with the assumptions that stand in for the promise."""
    return (
        "No time to the first answer is promised, so the queue is kept short instead: "
        f"{assume['serving.headroom']:.0%} of the capacity stays free at the peak, and 19 of 20 requests wait at most "
        f"{assume['serving.unpromised_wait_s']:g} s longer than on an idle replica, or "
        f"{assume['serving.unpromised_share']:.0%} of a whole answer where that is more, and never longer than "
        f"{assume['serving.unpromised_wait']:g} whole answers take there."
    )
