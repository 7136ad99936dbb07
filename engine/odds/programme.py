"""What whole published programmes took beyond a plan of their steps: restarts, ramp, evaluation, idle, slower stacks.

Medians over organisations of published over planned accelerator-hours (`validate --runs`), each organisation once. A run on
one node loses little; from 64 accelerators on the whole of it is expected. Left out, an organisation is missed by 15 % in
the median (docs/accuracy.md).
"""

from __future__ import annotations

import math

LANGUAGE = 1.31
"""Published over planned hours of language models on 64 accelerators or more: median of seven organisations, 1.1–3.4."""
PICTURES = 1.60
"""The same of models of pictures and text: two organisations, both contrastive pre-training."""
HOURS_LOG_SIGMA = 0.38
"""Spread of the logarithm between organisations."""
_ONE_NODE, _WHOLE = 8.0, 64.0


def hours_over_planned(*, language: bool, count: float, whole: float | None = None) -> float:
    """Published accelerator-hours over planned ones on that many accelerators, median; `whole` instead of the level."""
    level = whole or (LANGUAGE if language else PICTURES)
    grown = math.log(max(count, _ONE_NODE) / _ONE_NODE) / math.log(_WHOLE / _ONE_NODE)
    return math.exp(min(grown, 1.0) * math.log(level))
