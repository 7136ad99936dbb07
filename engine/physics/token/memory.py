"""Bytes of a replica: weights, cache of a sequence, and how many sequences fit.

KV bytes of a token: guide/serving §3 item 4. GB = 10⁹ byte.
"""

from __future__ import annotations

import numpy as np

from engine.physics.token.step import Numbers, Setup, context_of


def weight_bytes(s: Setup) -> Numbers:
    """Weights of the whole replica; attention data parallelism holds the dense part once for each rank."""
    return s.dense * s.dense_bytes * s.adp + s.expert * s.expert_bytes + s.fixed_bytes


def sequence_bytes(s: Setup, context: Numbers) -> Numbers:
    """Cache of one sequence on the whole replica; tensor ranks beyond the KV heads hold copies."""
    each = context * s.kv_full + context_of(s.window, context) * s.kv_window
    return each * s.tp / s.kv_split


def cache_room(s: Setup) -> Numbers:
    """Bytes left for the cache on the whole replica; negative when the weights alone do not fit."""
    return s.memory * s.devices - weight_bytes(s)


def sequences_that_fit(s: Setup, context: Numbers) -> Numbers:
    """Sequences of that context that the cache holds; 0 when the weights do not fit."""
    return np.floor(np.maximum(cache_room(s), 0.0) / np.maximum(sequence_bytes(s, context), 1.0))


def tokens_that_fit(s: Setup, context: Numbers) -> Numbers:
    """Cached tokens that fit when every sequence has about that context."""
    return np.maximum(cache_room(s), 0.0) / np.maximum(sequence_bytes(s, context) / np.maximum(context, 1.0), 1e-9)
